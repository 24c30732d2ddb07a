#!/usr/bin/env python3
"""Drops of one BBR flow behind CAKE in 30 starts of the kernel, beside those of ../results.csv.

`python3 cake_bbr.py` writes cake_bbr.json beside itself. ../tc/build.sh makes the kernel; the boots
take five minutes of one core. Seeds and starts within 1 ms are those that ../cells/run.py draws.
"""

import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cells")]

import machine  # noqa: E402
import run as cells  # noqa: E402

CELL = cells.Cell("cake", "bbr", 30)


def drops(seed: int) -> int:
    """Of one boot."""
    delay = random.Random(f"{CELL.name} {seed}").randrange(1000)
    place = machine.WORK / "cake_bbr"
    machine.boot(place, cells.case(CELL, [delay]), seed)
    return int(json.loads((place / "qdisc.json").read_text())[0]["drops"])


def main() -> None:
    """Boots the machines and keeps what they say."""
    found = [drops(seed) for seed in range(1, CELL.starts + 1)]
    (HERE / "cake_bbr.json").write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
