#!/usr/bin/env python3
"""CUBIC beside Vegas behind FQ-CoDel: what the receiver of CUBIC's flow got and acknowledged.

`python3 one_instant.py` writes one_instant.csv.gz, the first 2 s of CUBIC, beside itself, and
prints how many microseconds after a tick each of the flows begins. Two segments arrive at one
instant there now and then. ../tc/build.sh makes the kernel; the boot takes ten seconds.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cells")]

import run as cells  # noqa: E402
import wire  # noqa: E402

CELL = "fq_codel vegas+cubic"
SEED = 1
#: Microseconds since the SYN of CUBIC that are kept.
KEPT = 2_000_000
PORTS = {"vegas": 5001, "cubic": 5002}


def main() -> None:
    """Boots the machine and keeps what its receiver saw."""
    dumps = [
        f"N rcv tcpdump -i ee -s 120 -w /mnt/{name}.pcap tcp port {port} 2> {name}.dump &\n"
        for name, port in PORTS.items()
    ]
    cells.CAPTURE = ("".join(dumps), "sleep 0.2\nkillall tcpdump\nsleep 0.5\n")
    place = cells.capture(cells.CELLS[CELL], SEED)
    rows = [r for r in wire.capture(place / "cubic.pcap") if r.time < KEPT]
    wire.save(HERE / "one_instant.csv.gz", rows)
    # The SYN is on the way for 10 ms.
    print([(wire.phase(place / f"{name}.pcap") - 10_000) % 4000 for name in PORTS])


if __name__ == "__main__":
    main()
