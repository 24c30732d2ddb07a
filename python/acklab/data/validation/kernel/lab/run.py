#!/usr/bin/env python3
"""Runs the kernel's TCP over `emulator.c`, one row a run.

run.py OUT.csv [--cells REGEX] [--repeats K] [--jobs J] [--pauses] [--build DIR]

Needs root, gcc, iproute2, /dev/net/tun and the acklab package. The cells are those of
../results.csv; with --pauses the emulator stands still now and then, such that repeat i is as late
as repeat i was there. A row that is there is not measured again; one whose machine was disturbed is
marked and can be deleted.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from acklab.validate.lateness import Pauses, pauses

HERE = Path(__file__).parent
LINKS = {"10M48ms": (10_000_000, 40, 24_000), "40M10ms": (40_000_000, 33, 5_000)}
ADDRESSES = ("10.77.0.1", "10.77.0.2")
TIMER_US = 5_000
SECONDS, WARMUP = 30, 5
KEYS = ("set", "link", "cc", "thin", "timer_ms", "sackpass", "gso")
#: A run is disturbed if its emulator was later than this (99 %) plus twice its set lateness,
#: or its sampler than this (maximum).
LATE_US, SAMPLER_LATE_MS = 200, 20


def cells() -> dict[tuple[str, ...], list[dict[str, str]]]:
    """The cells of the reference with their repeats, in its order."""
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    with (HERE.parent / "results.csv").open() as f:
        for row in csv.DictReader(f):
            found.setdefault(tuple(row[k] for k in KEYS), []).append(row)
    return found


def pauses_of(row: dict[str, str]) -> Pauses:
    """Pauses that made this repeat of the reference as late as it was."""
    return pauses(float(row["release_err_p99_us"]), float(row["release_err_max_us"]), SECONDS * 1e6)


def sh(*words: object) -> None:
    """Runs a command that must succeed."""
    subprocess.run([str(w) for w in words], check=True)


def schedule(law: Pauses, seed: int) -> str:
    """Pauses of a Poisson process with exponential lengths, as the emulator reads them."""
    rng, at, lines = random.Random(seed), 0.0, []
    while True:
        at += rng.expovariate(1 / law.gap)
        if at > (SECONDS + 5) * 1e6:
            return "".join(lines)
        length = rng.expovariate(1 / law.length)
        lines.append(f"{at:.1f} {length:.1f}\n")
        at += length


def pairs(text: str) -> dict[str, str]:
    """Reads the programs' lines of names and values."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def measure(
    cell: dict[str, str], repeat: int, slot: int, build: Path, law: Pauses | None
) -> dict[str, str]:
    """One run between two namespaces of its own."""
    ends = (f"acklab{slot}a", f"acklab{slot}b")
    for ns in ends:
        sh("ip", "netns", "add", ns)
        sh("ip", "netns", "exec", ns, "sysctl", "-qw", "net.ipv4.tcp_no_metrics_save=1")
    try:
        emulator = start_emulator(cell, repeat, ends, build, law)
        configure(ends, one_segment=cell["gso"] == "off")
        sent = transfer(cell["cc"], ends, build / "flow")
        link, _ = emulator.communicate(timeout=60)
    finally:
        for ns in ends:
            sh("ip", "netns", "del", ns)
    row = {**cell, "rep": str(repeat), **pairs(sent), **pairs(link)}
    row["pause_length_us"] = f"{law.length:.1f}" if law else "0"
    row["pause_gap_us"] = f"{law.gap:.1f}" if law else "0"
    row["disturbed"] = str(int(disturbed(row, law)))
    return row


def start_emulator(
    cell: dict[str, str], repeat: int, ends: tuple[str, str], build: Path, law: Pauses | None
) -> subprocess.Popen[str]:
    """The emulator, once its devices are there."""
    rate, queue, delay_us = LINKS[cell["link"]]
    words = [*fifo(50), build / "emulator", *ends, rate, queue, delay_us]
    words += [cell["thin"], TIMER_US, SECONDS + 1.5]
    if law:
        file = build / f"pauses-{ends[0]}"
        file.write_text(schedule(law, seed=repeat))
        words.append(file)
    pipe = subprocess.PIPE
    emulator = subprocess.Popen([str(w) for w in words], stdout=pipe, stderr=pipe, text=True)
    assert emulator.stderr is not None
    if emulator.stderr.readline().strip() != "ready":
        sys.exit("the emulator did not start: " + emulator.stderr.read())
    return emulator


def configure(ends: tuple[str, str], *, one_segment: bool) -> None:
    """Brings both devices up, with one segment per skb if so wished."""
    gso = ("gso_max_segs", 1) if one_segment else ()
    for ns, tun, address in zip(ends, ("tunA", "tunB"), ADDRESSES, strict=True):
        sh("ip", "-n", ns, "link", "set", "lo", "up")
        sh("ip", "-n", ns, "addr", "add", f"{address}/24", "dev", tun)
        sh("ip", "-n", ns, "link", "set", tun, "mtu", 1500, "txqueuelen", 5000, *gso, "up")


def transfer(cc: str, ends: tuple[str, str], flow: Path) -> str:
    """One flow; what its sender printed."""
    sender, receiver = (["ip", "netns", "exec", ns, *fifo(20), str(flow)] for ns in ends)
    sink = subprocess.Popen([*receiver, "sink", "5001"])
    time.sleep(0.5)
    words = [*sender, "send", ADDRESSES[1], "5001", cc, str(SECONDS), str(WARMUP)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    sink.wait(timeout=10)
    return done.stdout


def fifo(priority: int) -> list[str]:
    """Runs what follows with this real-time priority."""
    return ["chrt", "-f", str(priority)]


def disturbed(row: dict[str, str], law: Pauses | None) -> bool:
    """Whether the machine kept emulator or sampler waiting."""
    meant = law.p99 if law else 0.0
    late = max(float(row["release_err_p99_us"]), float(row["rev_release_err_p99_us"]))
    return late > LATE_US + 2 * meant or float(row["sampler_late_max_ms"]) > SAMPLER_LATE_MS


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--cells", default="", help="only those whose name matches")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pauses", action="store_true")
    parser.add_argument("--build", type=Path, default=Path("build"))
    args = parser.parse_args()
    args.build.mkdir(parents=True, exist_ok=True)
    for program in ("emulator", "flow"):
        if shutil.which("gcc") is None:
            sys.exit("gcc is needed")
        sh("gcc", "-O2", "-Wall", "-o", args.build / program, HERE / f"{program}.c", "-lpthread")
    have = set()
    if args.out.exists():
        with args.out.open() as f:
            have = {tuple(r[k] for k in (*KEYS, "rep")) for r in csv.DictReader(f)}
    todo = [
        (
            dict(zip(KEYS, key, strict=True)),
            r,
            pauses_of(rows[(r - 1) % len(rows)]) if args.pauses else None,
        )
        for r in range(1, args.repeats + 1)
        for key, rows in cells().items()
        if re.search(args.cells, " ".join(key)) and (*key, str(r)) not in have
    ]
    lock, slots = Lock(), list(range(args.jobs))

    def job(item: tuple[dict[str, str], int, Pauses | None]) -> None:
        with lock:
            slot = slots.pop()
        cell, repeat, law = item
        row = measure(cell, repeat, slot, args.build, law)
        with lock:
            slots.append(slot)
            new = not args.out.exists()
            with args.out.open("a", newline="") as f:
                writer = csv.DictWriter(f, list(row))
                if new:
                    writer.writeheader()
                writer.writerow(row)
        print(
            *cell.values(),
            repeat,
            row["goodput_mbps"],
            row["total_retrans"],
            row["cwnd_mean"],
            row["release_err_p99_us"],
            flush=True,
        )

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(job, todo))


if __name__ == "__main__":
    main()
