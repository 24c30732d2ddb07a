#!/usr/bin/env python3
"""Reno beside Vegas behind CoDel: what leaves the bottleneck, in six starts.

`python3 codel_pair.py` boots the kernel of ../tc/build.sh six times and writes beside itself
codel_pair.csv.gz, the departures of the first 12 s of start 3, and codel_pair.json: how many
nanoseconds after a tick of 4 ms each flow's SYN leaves in each start. Each boot takes ten seconds.
"""

import gzip
import json
import pathlib
import sys
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cells"), str(HERE)]

import run as cells  # noqa: E402
import wire  # noqa: E402

CELL = "codel reno+vegas"
SEEDS = (1, 2, 3, 4, 5, 6)
KEPT_SEED = 3
#: Nanoseconds of departures that are kept, from a tick at or before the first SYN, and of a tick.
KEPT, TICK = 12_000_000_000, 4_000_000
PORTS = (5001, 5002)


def packets(path: pathlib.Path) -> Iterator[tuple[int, int, int, int, int]]:
    """Nanoseconds, port, sequence number, flags and payload of what goes to the receiver."""
    for s in wire.segments(path):
        if s.ports[1] in PORTS:
            yield s.time, s.ports[1], s.seq, s.flags, s.length


def main() -> None:
    """Boots the machines and keeps what they said."""
    starts = {}
    for seed in SEEDS:
        place = cells.capture(cells.CELLS[CELL], seed)
        syns = {p: (t, seq) for t, p, seq, flags, _ in packets(place / "snd.pcap") if flags & 2}
        first = min(t for t, _ in syns.values())
        base = first - first % TICK
        starts[seed] = [syns[p][0] - base for p in PORTS]
        if seed == KEPT_SEED:
            rows = [
                f"{t - base},{PORTS.index(p)},{(seq - syns[p][1] - 1) % 2**32}\n"
                for t, p, seq, _, length in packets(place / "bottleneck.pcap")
                if length > 0 and t - base < KEPT
            ]
            text = "".join(["time_ns,flow,number\n", *rows])
            (HERE / "codel_pair.csv.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    (HERE / "codel_pair.json").write_text(json.dumps(starts, indent=1) + "\n")


if __name__ == "__main__":
    main()
