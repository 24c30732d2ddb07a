#!/usr/bin/env python3
"""Which ACKs ns-3 loses at an access point: the runs of `wifi_losses.csv`.

    .venv/bin/python validation/ns3/losses.py [--out out/losses] [--only ampdu=1024]
                                              [--programs FOLDER]

AGG of the study `tac` in ns-3.44: 20 stations at 1 KB with receivers that acknowledge every
packet, without the lifetime of 500 ms in queues, and on a ring so small that all frames arrive
equally strong, in every combination; and cells of the study's Figures 2 and 5 that
`wifi_stations.csv` does not have. Three runs each, 20 s; a run takes 10 to 50 s of one core. Prints
what is done, and how long it took, and writes the CSV anew, each run as soon as it is there.

Needs acklab's own environment (it imports `speed.py`), and to build ns-3's side cmake, a C++20
compiler and the PyPI package `ns3` (Linux on x86-64, fetched into an environment below `--out`).
`--programs` names a folder with a `wifi` that was built before; then nothing is built.
"""

from __future__ import annotations

import argparse
import csv
import io
import subprocess
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from speed import HERE, build

#: As the reference runs of `wifi_stations.csv`.
REFERENCE = "wifi --tag=losses20s --mode=nsta --tcp=newreno --size=1024 --cwndCap=50"
RUNS = (1, 2, 3)
SMALL = "--apq=200 --dur=20 --n=20 --ampdu=1024"
CHANGES = ("--delack=1", "--dist=0.3", "--ns3::WifiMacQueue::MaxDelay=1000s")
#: Cells of the study with the reference's settings, and one with an ACK per packet; the last ones
#: with a single station, and with 10,000 packets in the access point.
CELLS = (
    "--apq=200 --dur=20 --n=20 --ampdu=32768 --delack=1",
    "--apq=200 --dur=20 --n=30 --ampdu=16384",
    "--apq=200 --dur=20 --n=20 --ampdu=2048",
    "--apq=200 --dur=20 --n=20 --ampdu=4096",
    "--apq=200 --dur=20 --n=1 --ampdu=16384",
    "--apq=10000 --dur=20 --n=20 --ampdu=1024",
    "--apq=10000 --dur=20 --n=20 --ampdu=2048",
    "--apq=10000 --dur=20 --n=20 --ampdu=32768",
)


def settings() -> Iterator[str]:
    """Settings to run, in the words of `programs/wifi.cc`."""
    for chosen in product((False, True), repeat=len(CHANGES)):
        yield " ".join((SMALL, *(c for c, on in zip(CHANGES, chosen, strict=True) if on)))
    yield from CELLS


def run(programs: Path, args: str) -> list[dict[str, str]]:
    """A row for each flow."""
    program, *options = args.split()
    words = [str(programs / program), *options, "--header=1"]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return [{**row, "ns3": "3.44", "args": args} for row in csv.DictReader(io.StringIO(text))]


def main() -> None:
    """The command line."""
    cli = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    cli.add_argument("--out", type=Path, default=Path("out/losses"))
    cli.add_argument("--only", default="", help="settings that contain this")
    cli.add_argument("--programs", type=Path, help="where `wifi` is, if it is built already")
    options = cli.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    programs = options.programs or build(options.out, ("wifi",))
    with (HERE / "wifi_stations.csv").open() as f:
        columns = next(csv.reader(f))
    with (options.out / "wifi_losses.csv").open("w", newline="") as f:
        out = csv.DictWriter(f, columns, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        for setting in (s for s in settings() if options.only in s):
            for number in RUNS:
                args = f"{REFERENCE} {setting} --run={number}"
                begun = time.perf_counter()
                out.writerows(run(programs, args))
                f.flush()
                print(f"{time.perf_counter() - begun:4.0f} s  {args}", flush=True)


if __name__ == "__main__":
    main()
