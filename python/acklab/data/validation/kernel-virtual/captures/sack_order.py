#!/usr/bin/env python3
"""The first losses of one BBR flow whose ACKs CAKE thins on the way back, captured at the sender.

`python3 sack_order.py` writes sack_order.csv.gz, the first 0.7 s, beside itself, and prints how
many microseconds after a tick the flow begins. One ACK shows several blocks there that none has
shown before. ../tc/build.sh makes the kernel; the boot takes ten seconds.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cells")]

import run as cells  # noqa: E402
import wire  # noqa: E402

CELL = "netem ack-filter overhead 18 mpu 96 bbr"
SEED = 1
#: Microseconds since the SYN that are kept.
KEPT = 700_000
CAPTURE = (
    "N snd tcpdump -i es -s 120 -w /mnt/snd.pcap tcp 2> dump &\n",
    "sleep 0.2\nkillall tcpdump\nsleep 0.5\n",
)


def main() -> None:
    """Boots the machine and keeps what its sender saw."""
    cells.CAPTURE = CAPTURE
    place = cells.capture(cells.CELLS[CELL], SEED)
    rows = [r for r in wire.capture(place / "snd.pcap") if r.time < KEPT]
    wire.save(HERE / "sack_order.csv.gz", rows)
    print(wire.phase(place / "snd.pcap"))


if __name__ == "__main__":
    main()
