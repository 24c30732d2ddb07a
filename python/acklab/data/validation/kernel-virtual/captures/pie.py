#!/usr/bin/env python3
"""Milliseconds from one probability of PIE to the next, in a machine of User Mode Linux.

`python3 pie.py` writes pie.json beside itself: `tc -s` is asked each millisecond for 0.4 s, while a
flow of CUBIC runs. Inside the machine this file runs as a program, `pie.py ask`.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))

import machine  # noqa: E402


def ask() -> None:
    """Asks, and keeps the times at which the answer differs from the one before."""
    seen: list[tuple[float, float]] = []
    for _ in range(400):
        words = ("tc", "-s", "-j", "qdisc", "show", "dev", "eb")
        said = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        prob = said[-1]["prob"]
        if not seen or seen[-1][1] != prob:
            seen.append((time.monotonic(), prob))
        time.sleep(0.001)
    # The first is when asking began.
    times = [at for at, _ in seen[1:]]
    steps = [round(1000 * (b - a), 2) for a, b in itertools.pairwise(times)]
    pathlib.Path("/mnt/steps.json").write_text(json.dumps(steps))


def main() -> None:
    """Boots the machine and keeps what it says."""
    case = f"""{machine.PATH}
{machine.HTB.format("pie")}
N rcv $RUN drain 5001 &
sleep 3
N snd $RUN send 5001 cubic 0 8 &
sleep 5
N r1 {sys.executable} {HERE / "pie.py"} ask
"""
    place = machine.WORK / "pie"
    machine.boot(place, case)
    (HERE / "pie.json").write_text((place / "steps.json").read_text() + "\n")


if __name__ == "__main__":
    ask() if sys.argv[1:] == ["ask"] else main()
