#!/usr/bin/env python3
"""When two flows of BBRv3 behind CoDel visit PROBE_RTT, in 30 starts.

`python3 probe_rtt.py` boots the kernel of ../tc/bbr3.sh 30 times and writes probe_rtt.json beside
itself. Of each start it has the drops, each flow's 95 % quantile of the RTT (us), and the
milliseconds since the first SYN at which each flow's visits begin and end. It takes five minutes.
The first six starts are those of ../bbr3.csv, but a capture makes another run of each: a look at
the machine's clock takes 256 ns of it.

A visit is read off the sender's interface. BBRv3 keeps no more than four packets or half a BDP in
flight for 200 ms, here five. Elsewhere these flows have eight to thirty.
"""

import json
import pathlib
import struct
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cells"), str(HERE)]

import run as cells  # noqa: E402
import wire  # noqa: E402

CELL = "codel bbr3+bbr3"
SEEDS = range(1, 31)
PORTS = (5001, 5002)
#: Most bytes in flight in a visit: half a BDP, and two packets that no ACK has told of yet.
FEW = 7 * wire.MSS
#: The shortest time, in nanoseconds, for which so few make a visit.
LEAST = 150_000_000


def in_flight(path: pathlib.Path, port: int) -> Iterator[tuple[int, int]]:
    """Nanoseconds, and bytes sent and neither acknowledged nor SACKed, after each packet."""
    base, sent, acked, blocks = 0, 0, 0, 0
    for s in wire.segments(path):
        if s.ports[1] == port:
            base = s.seq + 1 if s.flags & 2 else base
            if s.length:
                sent = max(sent, (s.seq - base + s.length) % (1 << 32))
        elif s.ports[0] == port:
            edges = [n for (n,) in struct.iter_unpack(">I", s.options.get(5, b""))]
            acked = max(acked, (s.ack - base) % (1 << 32))
            blocks = sum((b - a) % (1 << 32) for a, b in zip(edges[::2], edges[1::2], strict=True))
        else:
            continue
        yield s.time, sent - acked - blocks


def visits(path: pathlib.Path, port: int, since: int) -> list[list[int]]:
    """Where each visit begins and ends, in milliseconds since `since`."""
    found: list[list[int]] = []
    began: int | None = None
    for t, flying in in_flight(path, port):
        if flying <= FEW:
            began = t if began is None else began
        elif began is not None:
            if t - began >= LEAST:
                found.append([round((x - since) / 1e6) for x in (began, t)])
            began = None
    return found


def start(seed: int) -> dict[str, object]:
    """What a start says."""
    place = cells.capture(cells.CELLS[CELL], seed)
    path = place / "snd.pcap"
    since = min(next(in_flight(path, p))[0] for p in PORTS)
    flows = [json.loads((place / f"f{i}.json").read_text()) for i in range(len(PORTS))]
    return {
        "drops": json.loads((place / "qdisc.json").read_text())[0]["drops"],
        "rtt_p95_us": [f["rtt_p95_us"] for f in flows],
        "visits": [visits(path, p, since) for p in PORTS],
    }


def main() -> None:
    """Boots the machines and keeps what they said."""
    with ThreadPoolExecutor(2) as pool:
        said = dict(zip(SEEDS, pool.map(start, SEEDS), strict=True))
    lines = (f'"{s}": {json.dumps(v)}' for s, v in said.items())
    (HERE / "probe_rtt.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
