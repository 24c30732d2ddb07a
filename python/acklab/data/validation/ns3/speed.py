#!/usr/bin/env python3
"""acklab and ns-3 side by side: the same scenarios, one after the other, on one core.

    .venv/bin/python validation/ns3/speed.py [--runs 3] [--only "Wi-Fi, A-MPDU"] [--out out/speed]

Installs ns-3 (the PyPI package `ns3`, Linux on x86-64) into an environment of its own below
`--out`, builds `programs/` against it (cmake and a C++20 compiler are needed), and runs each
scenario with both, alternating, pinned to one core. Prints CPU seconds (user and system, of
`Simulator::Run` for ns-3, of the run for acklab) and what they come to per simulated gigabyte of
goodput, and writes `speed.csv`. ns-3's start-up, which a long run hides, is not counted.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import acklab
from acklab.validate import ns3, ns3_wifi

HERE = Path(__file__).resolve().parent
VERSION = "3.44.post0"
PROGRAMS = ("wired", "wifi", "wifihidden", "wifiofdma")

_STATIONS = "wifi --mode=nsta --tcp=newreno --size=1024 --cwndCap=50 --apq=200 --ampdu=32768"
#: Runs to time, in the words of `programs/wired.cc` and `programs/wifi.cc`.
RUNS = {
    "newreno": "wired --tcp=newreno",
    "cubic": "wired --tcp=cubic",
    "bbr": "wired --tcp=bbr",
    "newreno, 40 packets, 4 MiB": "wired --tcp=newreno --queue=none --devq=40 --buf=4194304",
    "newreno, 40 packets, 4 MiB, ACKs 4:1": (
        "wired --tcp=newreno --queue=none --devq=40 --buf=4194304 --thin=4 --delack=1"
    ),
    "Wi-Fi, no aggregation": "wifi --ampdu=0",
    "Wi-Fi, A-MSDU": "wifi --ampdu=0 --amsdu=7935",
    "Wi-Fi, A-MPDU": "wifi",
    "Wi-Fi, both": "wifi --amsdu=7935",
    "Wi-Fi, 10 stations": f"{_STATIONS} --n=10",
}


def build(out: Path, programs: Sequence[str] = PROGRAMS) -> Path:
    """Installs ns-3 and builds the programs; returns their folder."""
    env, folder = out / "ns3", out / "build"
    if all((folder / name).exists() for name in programs):
        return folder
    if not shutil.which("cmake"):
        sys.exit("this needs cmake and a C++20 compiler to build ns-3's side")
    venv.create(env, with_pip=True)
    python = env / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", f"ns3=={VERSION}"], check=True)
    found = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    )
    root = Path(found.stdout.strip()) / "ns3"
    options = [f"-DNS3_ROOT={root}", "-DNS3_LOGS=ON", "-DNS3_CXX_STD=20"]
    source = ["-S", str(HERE / "programs"), "-B", str(folder)]
    subprocess.run(["cmake", *source, *options], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", *programs], check=True)
    return folder


def scenario(args: str) -> dict[str, Any]:
    """The same here."""
    if args.split()[0] == "wifi":
        return ns3_wifi.scenario(ns3.parse(args, ns3_wifi.DEFAULTS))
    return ns3.scenario(ns3.parse(args))


def run_ns3(programs: Path, args: str) -> dict[str, float]:
    """One run of ns-3, all flows together."""
    program, *options = args.split()
    words = [str(programs / program), *options, "--header=1"]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    cost = {k: float(rows[0][k]) for k in ("cpu_s", "wall_s", "events")}
    return {"goodput_mbps": sum(float(r["goodput_mbps"]) for r in rows), **cost}


def run_acklab(loaded: Any, seed: int) -> dict[str, float]:
    """One run of acklab."""
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    result = loaded.run(seed=seed)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "goodput_mbps": result.flows["goodput_mbps"].sum(),
        "cpu_s": cpu,
        "wall_s": wall,
        "events": float(result.cost["events"]),
    }


def measure(programs: Path, args: str, runs: int) -> list[dict[str, Any]]:
    """Both sides of one scenario, alternating; the median by CPU time."""
    loaded = acklab.load(scenario(args))
    run_acklab(loaded, 1)  # loads what is loaded lazily
    sides: dict[str, list[dict[str, float]]] = {"ns-3": [], "acklab": []}
    for i in range(runs):
        sides["ns-3"].append(run_ns3(programs, args))
        sides["acklab"].append(run_acklab(loaded, 1 + i))
    rows = []
    for side, taken in sides.items():
        middle = sorted(taken, key=lambda r: r["cpu_s"])[len(taken) // 2]
        gigabytes = middle["goodput_mbps"] * 60 / 8000
        rows.append({"side": side, **middle, "cpu_s_per_gb": middle["cpu_s"] / gigabytes})
    return rows


def main() -> None:
    """The command line."""
    raw = argparse.RawTextHelpFormatter
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    cli.add_argument("--runs", type=int, default=3, help="runs of each side (median is taken)")
    cli.add_argument("--only", help="scenarios, separated by semicolons; default: all")
    cli.add_argument("--out", type=Path, default=Path("out/speed"))
    given = cli.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    programs = build(given.out)
    names = given.only.split(";") if given.only else list(RUNS)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows, factors = [], []
    print(f"{'scenario, 60 s':40}{'':8}{'Mbit/s':>9}{'CPU s':>9}{'events':>10}{'CPU-s/GB':>10}")
    for name in names:
        both = measure(programs, RUNS[name], given.runs)
        rows += [{"scenario": name, **r} for r in both]
        for r in both:
            print(
                f"{name:40}{r['side']:8}{r['goodput_mbps']:9.3f}{r['cpu_s']:9.4f}"
                f"{r['events']:10.0f}{r['cpu_s_per_gb']:10.3f}"
            )
        factors.append(both[0]["cpu_s_per_gb"] / both[1]["cpu_s_per_gb"])
        print(f"{'':40}{'factor':8}{factors[-1]:47.0f}")
    print(f"median factor: {statistics.median(factors):.0f}")
    with (given.out / "speed.csv").open("w", newline="") as f:
        out = csv.DictWriter(f, fieldnames=list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    print(given.out / "speed.csv")


if __name__ == "__main__":
    main()
