#!/usr/bin/env python3
"""Four pairs behind CAKE until acklab's order differs: what enters the bottleneck, and what leaves.

`python3 cake_ties.py` boots the kernel of ../tc/build.sh twice for each cell and writes beside
itself cake_ties.csv.gz, the first departures with the time at which each packet entered, and
cake_ties.json: how many nanoseconds after a tick of 4 ms each flow's SYN leaves. It takes a minute.
"""

import gzip
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cells"), str(HERE)]

import run as cells  # noqa: E402
from codel_pair import PORTS, TICK, packets  # noqa: E402

CELLS = (
    "cake vegas+vegas",
    "cake vegas+cubic",
    "cake reno+vegas",
    "cake pppoe-llcsnap vegas+cubic",
)
SEEDS = (1, 2)
#: Departures that are kept of each start.
KEPT = 450


def main() -> None:
    """Boots the machines and keeps what they said."""
    starts: dict[str, dict[int, list[int]]] = {}
    rows = ["cell,start,time_ns,flow,number,entered_ns\n"]
    for cell in CELLS:
        for seed in SEEDS:
            place = cells.capture(cells.CELLS[cell], seed)
            sent = list(packets(place / "snd.pcap"))
            syns = {p: (t, seq) for t, p, seq, flags, _ in sent if flags & 2}
            first = min(t for t, _ in syns.values())
            base = first - first % TICK
            starts.setdefault(cell, {})[seed] = [syns[p][0] - base for p in PORTS]
            entered: dict[tuple[int, int], int] = {}
            for t, port, seq, _, length in sent:
                if length:
                    entered[port, seq] = entered.get((port, seq), t - base)
            left = [p for p in packets(place / "bottleneck.pcap") if p[4]][:KEPT]
            for t, port, seq, _, _ in left:
                number = (seq - syns[port][1] - 1) % 2**32
                time = f"{t - base},{PORTS.index(port)},{number},{entered[port, seq]}"
                rows.append(f"{cell},{seed},{time}\n")
    (HERE / "cake_ties.csv.gz").write_bytes(gzip.compress("".join(rows).encode(), 9, mtime=0))
    (HERE / "cake_ties.json").write_text(json.dumps(starts, indent=1) + "\n")


if __name__ == "__main__":
    main()
