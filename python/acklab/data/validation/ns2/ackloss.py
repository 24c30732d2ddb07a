#!/usr/bin/env python3
"""One TCP of ns-2 that loses acknowledgements: the runs of `ackloss.csv`.

    python3 validation/ns2/ackloss.py [--out out/ns2] [--only "window 8"] [--jobs 2]
    python3 validation/ns2/ackloss.py --sack

Needs Python 3.11 and `ns` of ns-2.35 (Debian: `apt-get install ns2`). Each cell of `cells` is run
by `ackloss.tcl` once for each seed; a row has what came of it, one number for each seed, in their
order. 410 runs, 4 minutes of one core. With `--sack` it makes `sack.csv` instead: a sender with
SACK whose acknowledgements are lost, if one duplicate is enough to begin recovery (`numdupacks_`),
and if it reckons by SACK blocks what is in flight (`Fack`). 80 runs, one minute.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = "2.35"
SEEDS = range(1, 11)
KEYS = ("variant", "size", "window", "ackloss", "dataloss", "seconds")
#: With `--sack`, further keys and fewer seeds.
DUPACKS, FEW_SEEDS = (*KEYS, "dupacks"), SEEDS[:5]
RESULTS = ("goodput_mbps", "timeouts", "retransmits")
LOSSES = ("0", "0.05", "0.1", "0.2", "0.3", "0.4")
#: Seconds by window in packets: small windows are slow, and stop often. 10,000 is no limit.
SECONDS = {"4": "4000", "8": "2000", "50": "1000", "10000": "500"}

Cell = dict[str, str]


def cells() -> Iterator[Cell]:
    """Cells to run. The paper on ACK compression has windows of 50 packets of 1024 B."""
    for window in SECONDS:
        for loss in LOSSES:
            yield cell("Newreno", window, loss)
    for loss in LOSSES:
        yield cell("Sack1", "10000", loss)
    for loss in ("0", "0.2", "0.4"):
        yield cell("Newreno", "8", loss, size="512")
    for variant in ("Newreno", "Sack1"):
        for loss in ("0", "0.1", "0.2", "0.3"):
            yield cell(variant, "50", loss, dataloss="0.01")


def cell(variant: str, window: str, ackloss: str, size: str = "1024", dataloss: str = "0") -> Cell:
    """One of them, in the words of `ackloss.tcl`."""
    values = (variant, size, window, ackloss, dataloss, SECONDS[window])
    return dict(zip(KEYS, values, strict=True))


def sack_cells() -> Iterator[Cell]:
    """Cells that tell the causes of a difference with SACK apart."""
    for variant in ("Sack1", "Fack"):
        for dupacks in ("3", "1"):
            for loss in ("0", "0.1", "0.2", "0.3"):
                yield cell(variant, "50", loss, dataloss="0.01") | {"dupacks": dupacks}


def words(of: Cell) -> str:
    """`variant Newreno size 1024 ...`."""
    return " ".join(f"{key} {value}" for key, value in of.items())


def run(of: Cell, seed: int) -> tuple[str, int, int]:
    """Goodput in Mbit/s, timeouts and packets sent again."""
    command = ["ns", "ackloss.tcl", *words(of).split(), "seed", str(seed)]
    done = subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True)
    packets, timeouts, again = map(int, done.stdout.split())
    goodput = packets * int(of["size"]) * 8 / float(of["seconds"]) / 1e6
    return f"{goodput:.5g}", timeouts, again


def main() -> None:
    """The command line."""
    cli = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    cli.add_argument("--out", type=Path, default=Path("out/ns2"))
    cli.add_argument("--sack", action="store_true", help="make sack.csv")
    cli.add_argument("--only", default="", help="cells whose words contain this")
    cli.add_argument("--jobs", type=int, default=2, help="runs at a time")
    options = cli.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    name, keys, seeds, all_cells = "ackloss.csv", KEYS, SEEDS, cells()
    if options.sack:
        name, keys, seeds, all_cells = "sack.csv", DUPACKS, FEW_SEEDS, sack_cells()
    chosen = [c for c in all_cells if options.only in words(c)]
    with (
        (options.out / name).open("w", newline="") as f,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        out = csv.writer(f, lineterminator="\n")
        out.writerow(("ns2", *keys, *RESULTS))
        for of in chosen:
            results = list(pool.map(run, [of] * len(seeds), seeds))
            columns = [" ".join(map(str, column)) for column in zip(*results, strict=True)]
            out.writerow((VERSION, *of.values(), *columns))
            f.flush()
            print(words(of), "|", columns[0], flush=True)


if __name__ == "__main__":
    main()
