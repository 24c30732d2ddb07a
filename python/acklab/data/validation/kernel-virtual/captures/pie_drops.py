#!/usr/bin/env python3
"""Drops of one Reno flow behind PIE, in starts within 1 ms and within one of PIE's periods.

`python3 pie_drops.py` writes pie_drops.json beside itself: the drops of each run, by the span of
starts in microseconds. ../tc/build.sh makes the kernel; 110 boots take ten minutes of one core.
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

CELL = cells.Cell("pie", "reno", 0)
#: Microseconds within which flows start, and the number of runs.
RUNS = {1000: 50, 20_000: 60}


def drops(span: int, seed: int) -> int:
    """Of one boot."""
    delay = random.Random(f"{CELL.name} {seed} {span}").randrange(span)
    place = machine.WORK / "pie_drops"
    machine.boot(place, cells.case(CELL, [delay]), seed)
    return int(json.loads((place / "qdisc.json").read_text())[0]["drops"])


def main() -> None:
    """Boots the machines and keeps what they say."""
    found = {
        span: [drops(span, seed) for seed in range(1, runs + 1)] for span, runs in RUNS.items()
    }
    lines = (f"{json.dumps(str(span))}: {json.dumps(d)}" for span, d in found.items())
    (HERE / "pie_drops.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
