"""Writes what the study bbr-wifi6 has of the kernel, from two tables beside this file:

python study.py >linux.csv
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
HEAD = (
    "# Linux in virtual time (User Mode Linux): 6.12, and 6.12 with BBRv3; 10 Mbit/s, 20 ms, "
    "HTB with a child or CAKE's shaper, 60 s."
)
#: Kernel, its rows, and the version of its `bbr`.
KERNELS = (
    ("linux-6.12", "results.csv", "bbr1"),
    ("linux-6.12-bbr3", "bbr3.csv", "bbr3"),
)
#: Bottlenecks as the study calls them.
QUEUES = {"cake": "cake", "fq_codel": "fq-codel", "pfifo limit 50": "pfifo"}
#: Kilobytes of a segment.
SEGMENT = 1.448
#: Quantities of the study: column, and what it is multiplied by.
QUANTITIES = {
    "goodput": ("goodput_mbps", 1),
    "retransmissions": ("total_retrans", 1),
    "rtt": ("rtt_p50_us", 1e-3),
    "rtt_p95": ("rtt_p95_us", 1e-3),
    "cwnd": ("cwnd_mean", SEGMENT),
}


def rows() -> Iterator[tuple[str | int, ...]]:
    """Of CUBIC beside BBR, a run of the kernel's for each seed.

    Flows that start with the first sample, all at once, have three more runs in `results.csv`,
    which are left out.
    """
    for kernel, file, version in KERNELS:
        with (HERE / file).open(encoding="utf-8") as lines:
            found = [
                row
                for row in csv.DictReader(lines)
                if (row["kernel"], row["flows"]) == (kernel, "cubic+bbr")
                and row["bottleneck"] in QUEUES
                and not any(row.get(key) for key in ("tcp_ecn", "hosts", "ack_filter"))
            ]
        drawn = {row["sha256"] for row in found if int(row["start_us"]) > 0}
        found = [row for row in found if row["sha256"] in drawn]
        found.sort(key=lambda row: (QUEUES[row["bottleneck"]], int(row["seed"]), int(row["flow"])))
        for row in found:
            for quantity, (column, by) in QUANTITIES.items():
                value = f"{float(row[column]) * by:.6g}"
                where = (QUEUES[row["bottleneck"]], version, 20, row["cc"], row["seed"])
                yield ("wire", quantity, *where, value)


if __name__ == "__main__":
    print(HEAD)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["group", "quantity", "queue", "version", "rtt_ms", "flow", "seed", "value"])
    out.writerows(rows())
