#!/usr/bin/env python3
"""How long after an update of PIE's probability a flow starts, in runs as ../cells/run.py makes.

`python3 pie_phase.py` writes pie_phase.json beside itself. The first update comes half a second
after the discipline was made, and a flow starts 3 s after the boot, so the boot decides. While a
flow fills the queue, `tc -s` is asked each half millisecond. `updates` has, of each new
probability, when the last look at the old one ended and when the look that showed it ended, in
microseconds since the SYN reached the bottleneck. `start_us` is how long after 3 s the flow starts.
Inside the machine this file runs as a program, `pie_phase.py ask`.
"""

import json
import pathlib
import random
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cells")]

import machine  # noqa: E402
import run as cells  # noqa: E402

#: Flows and ECN, which is switched on before the discipline is made, and the number of boots.
CELLS = (
    (cells.Cell("pie", "reno", 0), 4),
    (cells.Cell("pie", "cubic+reno", 0), 2),
    (cells.Cell("pie ecn", "reno", 0, ecn=True), 4),
    (cells.Cell("pie ecn", "cubic+reno", 0, ecn=True), 2),
    (cells.Cell("pie", "cubic", 0, kernel="linux-7.3"), 2),
    (cells.Cell("pie", "cubic+bbr", 0, kernel="linux-7.3"), 2),
)
#: Seconds of looks, and seconds between two.
LOOKS, STEP = 0.4, 0.0005
FLOW = f"{cells.HERE / 'run.py'} flow"
ASK = f"{HERE / 'pie_phase.py'} ask"


def ask() -> None:
    """Asks, and keeps between which two looks the answer changed."""
    seen: list[tuple[int, int]] = []
    old, before = None, 0
    time.sleep(cells.START - time.clock_gettime(time.CLOCK_MONOTONIC))
    while time.clock_gettime(time.CLOCK_MONOTONIC) < cells.START + LOOKS:
        words = ("tc", "-s", "-j", "qdisc", "show", "dev", "eb")
        said = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        now, prob = time.time_ns() // 1000, said[-1]["prob"]
        if old is not None and prob != old:
            seen.append((before, now))
        old, before = prob, now
        time.sleep(STEP)
    pathlib.Path("/mnt/seen.json").write_text(json.dumps(seen))


def look(cell: cells.Cell, seed: int) -> dict[str, object]:
    """Of one boot."""
    drawn = random.Random(f"{cell.name} {seed} phase")
    delays = [drawn.randrange(1000) for _ in cell.flows.split("+")]
    # What comes before the flows is that of cells/run.py to the letter.
    before, flows = cells.case(cell, delays).split("N rcv $RUN drain", 1)
    case = f"""{before}N r1 tcpdump -i eb -s 120 -w /mnt/bottleneck.pcap tcp 2> dump &
N rcv $RUN drain{flows.split("wait ", 1)[0].replace(f" {cell.seconds} ", " 1 ")}
N r1 {sys.executable} {ASK}
sleep 1
killall tcpdump
sleep 0.5
"""
    place = machine.WORK / "pie_phase"
    machine.boot(place, case, seed, kernel=cell.kernel)
    # Microseconds of the first packet of the capture, the SYN.
    sec, usec = struct.unpack_from("<II", (place / "bottleneck.pcap").read_bytes(), 24)
    syn = 1_000_000 * sec + usec
    seen = json.loads((place / "seen.json").read_text())
    return {
        "cell": cell.name,
        "start_us": min(delays),
        "updates": [[a - syn, b - syn] for a, b in seen],
    }


def main() -> None:
    """Boots the machines and keeps what they say."""
    found = [look(cell, seed) for cell, boots in CELLS for seed in range(1, boots + 1)]
    lines = ",\n".join(json.dumps(one) for one in found)
    (HERE / "pie_phase.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    ask() if sys.argv[1:] == ["ask"] else main()
