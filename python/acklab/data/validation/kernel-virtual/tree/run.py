#!/usr/bin/env python3
"""CUBIC beside BBRv3 below a queue tree, by round trip: one boot of User Mode Linux for a run.

`python3 run.py [CELL ...]` writes tree.csv beside itself; ../tc/bbr3.sh makes the kernel. The tree
is HTB with one class of 10 Mbit/s whose bucket holds 0.1 s, as that of a router is: the first 0.1 s
of packets are not shaped, and a CAKE in the tree never shapes. Beside it are that CAKE below a
bucket of a packet, and a CAKE that shapes by itself. Nothing on the path is ever late, but in the
cells named `late` packets reach r1 late by up to LATE_US, in order. Inside the machine this file
runs as a program, `run.py flow PORT CC START_US OUT`.

Goodput, the median of the smoothed round trip and the 90th percentile of the delivery rate, which
TCP_INFO says each 100 ms, are from 5 s on; retransmissions are those of all 60 s.
"""

import csv
import json
import math
import pathlib
import random
import select
import socket
import struct
import sys
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))

import machine  # noqa: E402

KERNEL = "linux-6.12-bbr3"
#: In the kernel `bbr` is BBRv3.
FLOWS = ("cubic", "bbr")
SECONDS = 60
#: Seconds before the first sample that counts.
WARM = 5
#: Seconds after the boot from which on flows start, and microseconds in which they do.
START, WITHIN = 3, 100_000
#: HTB of the other runs, with a bucket of 0.1 s instead of that of a packet.
TREE = machine.HTB.replace("burst 1514 cburst 1514", "burst 125000 cburst 125000")
SHAPER = "N r1 tc qdisc replace dev eb root cake bandwidth 10mbit overhead 0\n"
#: What the rows call a bottleneck, and its shell text.
BOTTLENECKS = {
    "tree cake": TREE.format("cake unlimited"),
    "tree fq_codel": TREE.format("fq_codel"),
    "tree pfifo": TREE.format("pfifo limit 50"),
    # The same CAKE below a bucket of a packet.
    "htb cake": machine.HTB.format("cake unlimited"),
    "cake": SHAPER,
}
FIELDS = (
    *("kernel", "bottleneck", "rtt_ms", "late_us", "seed", "start_us", "flow", "cc"),
    *("goodput_mbps", "total_retrans", "rtt_p50_us", "delivery_p90_mbps"),
)
#: What tells the rows of a cell.
KEYS = ("bottleneck", "rtt_ms", "late_us")


class Cell(NamedTuple):
    """What is run: a bottleneck, a round trip, and whether packets reach r1 late by chance."""

    bottleneck: str
    rtt_ms: str
    late_us: str = "0"

    @property
    def name(self) -> str:
        """The cell in one line."""
        return f"{self.bottleneck} {self.rtt_ms}{' late' if self.late_us != '0' else ''}"

    @property
    def starts(self) -> int:
        """Two flows that share a queue differ more from start to start."""
        return 10 if self.bottleneck == "tree pfifo" else 5


#: Round trips of each bottleneck, ms. A FIFO shows in which part of a packet's time packets arrive:
#: 12 ms are ten times what a packet takes, 13.2 ms eleven times.
ROUND_TRIPS = {
    "tree cake": ("1", "2", "5", "12", "20"),
    "htb cake": ("12", "20"),
    "cake": ("12", "20"),
    "tree fq_codel": ("12", "20"),
    "tree pfifo": ("12", "12.2", "12.4", "12.6", "12.8", "13", "13.2", "20"),
}
#: Those that run with lateness, too, and the lateness: what a packet takes.
LATE = {"tree cake": ("2", "12", "20"), "tree pfifo": ("12", "12.8")}
LATE_US = 1200
CELLS = {
    cell.name: cell
    for rtts, late in ((ROUND_TRIPS, 0), (LATE, LATE_US))
    for q in rtts
    for cell in (Cell(q, rtt, str(late)) for rtt in rtts[q])
}


def case(cell: Cell, delays: list[int]) -> str:
    """The shell text of a run: path, discipline, and flows."""
    path = machine.PATH.replace("netem delay 10ms", f"netem delay {float(cell.rtt_ms) / 2:g}ms")
    half = int(cell.late_us) // 2
    # With a rate, netem keeps the order.
    late = f"N snd tc qdisc replace dev es root netem delay {half}us {half}us rate 100gbit\n"
    mine = f"{sys.executable} {pathlib.Path(__file__).resolve()}"
    sends = "\n".join(
        f"N snd {mine} flow {5001 + i} {cc} {delays[i]} f{i}.json &\np{i}=$!"
        for i, cc in enumerate(FLOWS)
    )
    return f"""{path}
{late if half else ""}{BOTTLENECKS[cell.bottleneck]}
N rcv $RUN drain {" ".join(str(5001 + i) for i in range(len(FLOWS)))} &
{sends}
wait {" ".join(f"$p{i}" for i in range(len(FLOWS)))}
N r1 tc -s qdisc show dev eb > qdisc.txt
"""


def run(name: str, seed: int) -> list[dict[str, object]]:
    """One run in a machine of its own; a row for each flow."""
    cell = CELLS[name]
    drawn = random.Random(f"{name} {seed}")
    delays = [drawn.randrange(WITHIN) for _ in FLOWS]
    place = machine.WORK / "tree" / f"{name.replace(' ', '-')}-{seed}"
    machine.boot(place, case(cell, delays), seed, kernel=KERNEL)
    return [
        {
            "kernel": KERNEL,
            "bottleneck": cell.bottleneck,
            "rtt_ms": cell.rtt_ms,
            "late_us": cell.late_us,
            "seed": seed,
            "start_us": delays[i],
            "flow": i,
            "cc": cc,
            **json.loads((place / f"f{i}.json").read_text()),
        }
        for i, cc in enumerate(FLOWS)
    ]


def flow(port: int, cc: str, start_us: int, out: str) -> None:
    """A bulk flow, and what its TCP_INFO says.

    The loop is that of ../cells/run.py and is not shared with it: rows of ties there change with a
    system call more or less.
    """
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cc.encode())
    time.sleep(START + start_us * 1e-6 - time.clock_gettime(time.CLOCK_MONOTONIC))
    s.connect(("10.0.3.2", port))
    s.setblocking(False)
    poll = select.poll()
    poll.register(s, select.POLLOUT)
    begin = time.monotonic()
    acked, rtt, delivery = [], [], []
    for k in range(1, SECONDS * 10 + 1):
        at = begin + 0.1 * k
        while (left := at - time.monotonic()) > 0:
            if not poll.poll(math.ceil(left * 1000)):
                break
            try:
                while s.send(machine.CHUNK) == len(machine.CHUNK):
                    pass
            except BlockingIOError:
                pass
        info = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 240)
        if k >= WARM * 10:
            acked.append((time.monotonic(), struct.unpack_from("Q", info, 120)[0]))
            rtt.append(struct.unpack_from("I", info, 68)[0])
            delivery.append(struct.unpack_from("Q", info, 160)[0])
    (early, before), *_, (late, after) = acked
    of = lambda seen, q: sorted(seen)[int((len(seen) - 1) * q)]  # noqa: E731
    said = {
        "goodput_mbps": round((after - before) * 8e-6 / (late - early), 4),
        "total_retrans": struct.unpack_from("I", info, 100)[0],
        "rtt_p50_us": of(rtt, 0.5),
        "delivery_p90_mbps": round(of(delivery, 0.9) * 8e-6, 4),
    }
    pathlib.Path(out).write_text(json.dumps(said))
    # No FIN, and nothing of the buffer: the look at the discipline is of these seconds.
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def main(words: list[str]) -> None:
    """Runs the cells and keeps the rows of the others."""
    names = machine.chosen(words, CELLS)
    kept = HERE / "tree.csv"
    rows: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    if kept.exists():
        for row in csv.DictReader(kept.open(newline="")):
            rows.setdefault(tuple(row[k] for k in KEYS), []).append(row)
    for name in names:
        rows.pop(CELLS[name], None)
    # Seed by seed: what is broken off has some starts of each cell.
    last = max(CELLS[name].starts for name in names)
    for seed in range(1, last + 1):
        for name in (n for n in names if seed <= CELLS[n].starts):
            rows.setdefault(CELLS[name], []).extend(run(name, seed))
            with kept.open("w", newline="") as f:
                out = csv.DictWriter(f, fieldnames=FIELDS, lineterminator="\n")
                out.writeheader()
                for cell in CELLS.values():
                    out.writerows(rows.get(cell, []))


if __name__ == "__main__":
    if sys.argv[1:2] == ["flow"]:
        port, cc, start_us, out = sys.argv[2:]
        flow(int(port), cc, int(start_us), out)
    else:
        main(sys.argv[1:])
