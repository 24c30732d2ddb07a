#!/usr/bin/env python3
"""Drops of one BBR flow behind CAKE in 30 starts of the kernel, beside those of ../results.csv.

`python3 cake_bbr.py` writes cake_bbr.json beside itself, and cake_bbr_slack.json: 12 starts in
which the timer of SACK compression has 10 us of slack, as in Linux 7.3, and not 100.
../tc/build.sh makes the kernel; the boots take seven minutes of one core. Seeds and starts within
1 ms are those that ../cells/run.py draws.
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
#: Starts with the slack of 7.3, and how the receiver gets it.
SLACK_STARTS = 12
SLACK = "N rcv sysctl -qw net.ipv4.tcp_comp_sack_slack_ns=10000\n"


def drops(seed: int, before: str = "") -> int:
    """Of one boot, with these lines before the discipline."""
    delay = random.Random(f"{CELL.name} {seed}").randrange(1000)
    place = machine.WORK / "cake_bbr"
    path, rest = machine.PATH, cells.case(CELL, [delay]).removeprefix(machine.PATH)
    machine.boot(place, path + before + rest, seed)
    return int(json.loads((place / "qdisc.json").read_text())[0]["drops"])


def main() -> None:
    """Boots the machines and keeps what they say."""
    for name, starts, before in (
        ("cake_bbr", CELL.starts, ""),
        ("cake_bbr_slack", SLACK_STARTS, SLACK),
    ):
        found = [drops(seed, before) for seed in range(1, starts + 1)]
        (HERE / f"{name}.json").write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
