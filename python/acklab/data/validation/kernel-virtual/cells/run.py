#!/usr/bin/env python3
"""Flows of Linux with ECN, pairs, and two hosts on a side: one boot of User Mode Linux for a run.

`python3 run.py [CELL ...]` writes cells.csv, ../bbr3.csv and ../linux73.csv; ../tc/build.sh makes
the kernel, ../tc/bbr3.sh that of the cells named `bbr3`, whose `bbr` is BBRv3, and ../tc/linux73.sh
that of the cells named `on 7.3`. `run.py capture CELL SEED` keeps what passes the sender and the
bottleneck of a run, with nanoseconds, where it says. Inside the machine this file runs as a
program: `run.py flow PORT CC SECONDS START_US OUT [ADDRESS]` is a bulk flow that looks at its
TCP_INFO each 100 ms.
"""

import csv
import hashlib
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
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))

import machine  # noqa: E402

SECONDS = 60
#: Seconds before the first sample that counts.
WARM = 5
#: Seconds after the boot at which flows start: PIE updates its probability before.
START = 3
#: Where the rows of each kernel are.
FILES = {
    "linux-6.12": HERE / "cells.csv",
    "linux-6.12-bbr3": HERE.parent / "bbr3.csv",
    "linux-7.3": HERE.parent / "linux73.csv",
}
#: The disciplines of most cells.
QUEUES = ("pfifo limit 50", "fq_codel", "cake", "codel", "pie", "red")
#: Those that keep flows apart and draw nothing.
APART = ("fq_codel", "cake")

CAKE = "N r1 tc qdisc replace dev eb root cake bandwidth 10mbit overhead 0 {}\n"
#: A slow way back, and a link that serves packets whole.
UP = """N r1 tc qdisc replace dev eb root netem rate 10mbit -14 limit 41
N r2 tc qdisc replace dev ec root cake bandwidth 150kbit overhead 0 {}
N r2 tc qdisc replace dev ed root netem delay 24ms limit 100000
N r1 tc qdisc replace dev ea root netem delay 24ms limit 100000
"""
#: A second sending host, as far from r1 as the first.
HOST = """
ip netns add snd2
ip -n snd2 link set lo up
N snd2 sysctl -qw net.ipv4.tcp_no_metrics_save=1
link snd2 et 10.0.4.1 r1 ef 10.0.4.2 04
ip -n snd2 route add default via 10.0.4.2
ip -n r2 route add 10.0.4.0/24 via 10.0.2.1
N r1 tc qdisc replace dev ef root netem delay 10ms limit 100000
"""
#: A second receiving host, as far from r2 as the first, and its address.
SINK = """
ip netns add rcv2
ip -n rcv2 link set lo up
N rcv2 sysctl -qw net.ipv4.tcp_no_metrics_save=1
link r2 eg 10.0.5.1 rcv2 eh 10.0.5.2 05
ip -n rcv2 route add default via 10.0.5.1
ip -n r1 route add 10.0.5.0/24 via 10.0.2.2
N r2 tc qdisc replace dev eg root netem delay 10ms limit 100000
"""
SECOND = "10.0.5.2"
FIELDS = (
    *("kernel", "set", "link", "bottleneck", "ack_filter", "tcp_ecn", "hosts", "flows", "seed"),
    *("start_us", "secs", "flow", "cc", "goodput_mbps", "total_retrans", "rtt_p50_us"),
    *("rtt_p95_us", "cwnd_mean", "delivered_ce", "dropped", "ack_drop", "marked", "sha256"),
)
#: What tells the rows of a cell.
KEYS = ("kernel", "bottleneck", "ack_filter", "tcp_ecn", "hosts", "flows")


class Cell(NamedTuple):
    """What is run, in how many starts."""

    bottleneck: str
    flows: str
    starts: int
    ecn: bool = False
    #: Flows of the first sending host and of the second; behind a colon, of the receiving ones.
    hosts: str = ""
    #: CAKE's keywords on the way back.
    ack_filter: str = ""
    kernel: str = "linux-6.12"

    @property
    def name(self) -> str:
        """The cell in one line."""
        words = (
            *(self.bottleneck, self.ack_filter, "with ECN" if self.ecn else ""),
            # Starts are drawn by the name, and cells with one receiving host have none in theirs.
            *(self.hosts if ":" in self.hosts else "", self._ccs),
            "on 7.3" if self.kernel == "linux-7.3" else "",
        )
        return " ".join(w for w in words if w)

    @property
    def _ccs(self) -> str:
        return self.flows.replace("bbr", "bbr3") if self.kernel.endswith("-bbr3") else self.flows

    @property
    def key(self) -> tuple[object, ...]:
        """What tells its rows."""
        ecn = "tcp_ecn" if self.ecn else ""
        return self.kernel, self.bottleneck, self.ack_filter, ecn, self.hosts, self.flows

    @property
    def seconds(self) -> int:
        """How long its flows last."""
        return 30 if self.ack_filter else SECONDS


def _cells() -> list[Cell]:
    found = []
    # More starts where chance decides: in disciplines that draw, and where two flows share a queue.
    for q, alone, pair in (
        ("fq_codel", 3, 3),
        ("cake", 3, 3),
        ("codel ecn", 3, 6),
        ("pie ecn", 6, 6),
        ("red ecn", 6, 6),
    ):
        found += [Cell(q, cc, alone, ecn=True) for cc in ("cubic", "reno")]
        found.append(Cell(q, "cubic+reno", pair, ecn=True))
    for q in ("pfifo limit 50", "fq_codel"):
        found += [Cell(q, pair, _starts(q, pair)) for pair in ("vegas+cubic", "reno+cubic")]
    for q in ("cake dual-srchost", "cake triple-isolate"):
        found.append(Cell(q, "+".join(["cubic"] * 5), 3, hosts="1+4"))
    found += _pairs() + _bbr3()
    for word, pair in (
        ("ethernet", "cubic+reno"),
        ("docsis", "cubic+bbr"),
        ("pppoe-llcsnap", "vegas+cubic"),
        ("bridged-ptm", "cubic+cubic"),
    ):
        found.append(Cell(f"cake {word}", pair, _starts("cake", pair)))
    for pair in ("cubic+cubic", "reno+cubic", "cubic+bbr"):
        found += [
            Cell("netem", pair, 6, ack_filter=word)
            for word in ("no-ack-filter", "ack-filter", "ack-filter-aggressive")
        ]
    return found + _linux73() + _hosts() + _overheads()


def _hosts() -> list[Cell]:
    """CAKE's modes with two hosts on a side, where each mode shares in a way of its own."""
    five = "+".join(["cubic"] * 5)
    return [
        Cell(f"cake {mode}", flows, starts, hosts=hosts)
        for mode, hosts, flows, starts in (
            # All flows of a host, or of two hosts to each other, are in one queue.
            ("srchost", "1+4", five, 6),
            ("srchost", "1+2", "cubic+cubic+reno", 6),
            ("dsthost", "5:1+4", five, 6),
            ("dsthost", "3:1+2", "cubic+cubic+bbr", 6),
            ("hosts", "2+3:1+4", five, 6),
            ("hosts", "2+2:1+3", "reno+cubic+cubic+reno", 6),
            # Each flow has a queue.
            ("flows", "2+3:1+4", five, 3),
            # And a share of its host's turn, of which the rest of a division is drawn.
            ("dual-srchost", "2+3:1+4", five, 6),
            ("dual-dsthost", "5:1+4", five, 6),
            ("dual-dsthost", "2+3:1+4", five, 6),
            ("dual-dsthost", "3:1+2", "cubic+cubic+bbr", 5),
            ("triple-isolate", "2+3:1+4", five, 6),
            ("triple-isolate", "3:1+2", "reno+cubic+bbr", 5),
        )
    ]


def _overheads() -> list[Cell]:
    """CAKE's keywords for link layers, with one flow. ../results.csv has CUBIC behind some."""
    found = [
        Cell(f"cake {word}", cc, _starts("cake", cc))
        for word in ("ethernet", "pppoe-llcsnap", "bridged-ptm")
        for cc in ("reno", "bbr", "vegas")
    ]
    found += [Cell("cake overhead 44 mpu 96 atm", "cubic", 3)]
    return found + [
        # An ACK is shorter than the least frame, or takes two or three cells of ATM.
        Cell("netem", cc, _starts("cake", cc), ack_filter=f"ack-filter {words}")
        for words in ("overhead 18 mpu 96", "pppoe-llcsnap")
        for cc in ("cubic", "bbr")
    ]


def _pairs() -> list[Cell]:
    found = [Cell("codel", cc, 3) for cc in ("reno", "vegas")]
    for q in QUEUES:
        for pair in ("vegas+cubic", "reno+cubic"):
            if q not in ("pfifo limit 50", "fq_codel"):
                found.append(Cell(q, pair, _starts(q, pair)))
        found += [
            Cell(q, pair, _starts(q, pair))
            for pair in (
                *("reno+reno", "vegas+vegas", "reno+vegas"),
                *("bbr+bbr", "bbr+reno", "bbr+vegas"),
            )
        ]
    return found


def _bbr3() -> list[Cell]:
    flows = ("bbr", "cubic+bbr", "bbr+bbr", "bbr+reno", "bbr+vegas")
    # A difference that is small beside what chance makes.
    more = {("pie", "bbr+vegas"): 18}
    return [
        Cell(q, f, more.get((q, f)) or _starts(q, f), kernel="linux-6.12-bbr3")
        for q in QUEUES
        for f in flows
    ]


def _linux73() -> list[Cell]:
    """What chance decides, of the cells of ../results.csv that 7.3 had run once."""
    return [
        Cell(q, f, 8, kernel="linux-7.3")
        for q, flows in (
            ("pfifo limit 50", ("cubic+cubic", "cubic+bbr", "bbr")),
            ("codel", ("cubic+bbr", "bbr", "cubic+cubic")),
            ("fq_codel", ("cubic+bbr", "bbr")),
            ("cake", ("bbr", "cubic+bbr")),
            ("pie", ("cubic+cubic", "cubic+bbr", "bbr", "cubic")),
        )
        for f in flows
    ]


def _starts(queue: str, flows: str) -> int:
    if queue in APART and "vegas" not in flows:
        return 5 if "bbr" in flows else 3
    return 6


CELLS = {cell.name: cell for cell in _cells()}


#: Before and after the flows of a run that is captured; tcpdump costs no virtual time.
CAPTURE = (
    "N snd tcpdump --nano -i es -s 120 -w /mnt/snd.pcap tcp 2> dump &\n"
    "N r1 tcpdump --nano -i eb -s 120 -w /mnt/bottleneck.pcap tcp 2> dump2 &\n",
    "sleep 0.2\nkillall tcpdump\nsleep 0.5\n",
)


def case(cell: Cell, delays: list[int], capture: bool = False) -> str:
    """The shell text of a run: path, discipline, flows, and the look at the discipline."""
    before, after = CAPTURE if capture else ("", "")
    kind, *words = cell.bottleneck.split(" ", 1)
    if cell.ack_filter:
        discipline = UP.format(cell.ack_filter)
    elif kind == "cake":
        discipline = CAKE.format(*words or [""])
    else:
        child = cell.bottleneck.replace("red", machine.RED) if kind == "red" else cell.bottleneck
        discipline = machine.HTB.format(child)
    ccs = cell.flows.split("+")
    senders, receivers = ends(cell.hosts, len(ccs))
    ports = " ".join(str(5001 + i) for i in range(len(ccs)))
    both = ("snd", "snd2") if cell.hosts else ("snd",)
    ecn = "".join(f"N {n} sysctl -qw net.ipv4.tcp_ecn=1\n" for n in (*both, "rcv") if cell.ecn)
    to = [f" {SECOND}" if second else "" for second in receivers]
    mine = f"{sys.executable} {pathlib.Path(__file__).resolve()}"
    sends = "\n".join(
        f"N {both[senders[i]]} {mine} flow {5001 + i} {cc} {cell.seconds} {delays[i]} f{i}.json"
        f"{to[i]} &\np{i}=$!"
        for i, cc in enumerate(ccs)
    )
    sinks = f"N rcv2 $RUN drain {ports} &\n" if any(receivers) else ""
    waits = " ".join(f"$p{i}" for i in range(len(ccs)))
    return f"""{machine.PATH}
{HOST if cell.hosts else ""}{SINK if any(receivers) else ""}
{ecn}{discipline}
{before}N rcv $RUN drain {ports} &
{sinks}{sends}
wait {waits}
N r1 tc -s -j qdisc show dev eb > qdisc.json
{"N r2 tc -s -j qdisc show dev ec > back.json" if cell.ack_filter else ""}
{after}"""


def ends(hosts: str, flows: int) -> list[list[bool]]:
    """Of the two sides, which flows are the second host's."""
    sides = [*hosts.split(":"), ""][:2]
    firsts = [int(side.split("+")[0]) if side else flows for side in sides]
    return [[i >= first for i in range(flows)] for first in firsts]


def _delays(cell: Cell, seed: int) -> list[int]:
    """Microseconds by which each flow starts later."""
    drawn = random.Random(f"{cell.name} {seed}")
    return [drawn.randrange(1000) for _ in cell.flows.split("+")]


def capture(cell: Cell, seed: int) -> pathlib.Path:
    """A run with its captures, and where they are."""
    place = machine.WORK / "captured" / f"{cell.name.replace(' ', '-')}-{seed}"
    machine.boot(place, case(cell, _delays(cell, seed), capture=True), seed, kernel=cell.kernel)
    return place


def run(cell: Cell, seed: int) -> list[dict[str, object]]:
    """One run in a machine of its own; a row for each flow."""
    ccs = cell.flows.split("+")
    delays = _delays(cell, seed)
    place = machine.WORK / "cells" / f"{cell.name.replace(' ', '-')}-{seed}"
    machine.boot(place, case(cell, delays), seed, kernel=cell.kernel)
    text = (place / "qdisc.json").read_text()
    root, *children = json.loads(text)
    inner = children[0] if children else root
    marks = sum(t["ecn_mark"] for t in root["tins"]) if "tins" in root else inner.get("ecn_mark")
    if inner["kind"] == "red":
        marks = inner["marked"]
    if cell.ack_filter:
        back = (place / "back.json").read_text()
        text += back
        acks = sum(t["ack_drops"] for t in json.loads(back)[0]["tins"])
    said = [json.loads((place / f"f{i}.json").read_text()) for i in range(len(ccs))]
    digest = hashlib.sha256((text + json.dumps(said)).encode()).hexdigest()[:16]
    return [
        {
            "kernel": cell.kernel,
            "set": "ackfilter" if cell.ack_filter else "cells",
            "link": "10M48ms_up150k" if cell.ack_filter else "10M20ms",
            "bottleneck": cell.bottleneck,
            "ack_filter": cell.ack_filter,
            "tcp_ecn": "tcp_ecn" if cell.ecn else "",
            "hosts": cell.hosts,
            "flows": cell.flows,
            "seed": seed,
            "start_us": delays[i],
            "secs": f"{cell.seconds:.2f}",
            "flow": i,
            "cc": cc,
            **said[i],
            "dropped": root["drops"],
            "ack_drop": acks if cell.ack_filter else "",
            "marked": marks or 0,
            "sha256": digest,
        }
        for i, cc in enumerate(ccs)
    ]


def flow(port: int, cc: str, seconds: float, start_us: int, out: str, to: str) -> None:
    """A bulk flow, and what its TCP_INFO says."""
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cc.encode())
    time.sleep(START + start_us * 1e-6 - time.clock_gettime(time.CLOCK_MONOTONIC))
    s.connect((to, port))
    s.setblocking(False)
    poll = select.poll()
    poll.register(s, select.POLLOUT)
    begin = time.monotonic()
    rtt, cwnd = [], []
    for k in range(1, round(seconds * 10) + 1):
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
            rtt.append(struct.unpack_from("I", info, 68)[0])
            cwnd.append(struct.unpack_from("I", info, 80)[0])
    took = time.monotonic() - begin
    rtt.sort()
    at = lambda q: rtt[int((len(rtt) - 1) * q)]  # noqa: E731
    acked = struct.unpack_from("Q", info, 120)[0]
    said = {
        "goodput_mbps": round(acked * 8e-6 / took, 4),
        "total_retrans": struct.unpack_from("I", info, 100)[0],
        "rtt_p50_us": at(0.5),
        "rtt_p95_us": at(0.95),
        "cwnd_mean": round(sum(cwnd) / len(cwnd), 1),
        "delivered_ce": struct.unpack_from("I", info, 196)[0],
    }
    pathlib.Path(out).write_text(json.dumps(said))
    # No FIN, and nothing of the buffer: the look at the discipline is of these seconds.
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def main(words: list[str]) -> None:
    """Runs the cells and keeps the rows of the others."""
    names = machine.chosen(words, CELLS)
    rows: dict[tuple[object, ...], list[dict[str, object]]] = {}
    for kept in filter(pathlib.Path.exists, FILES.values()):
        for row in csv.DictReader(kept.open(newline="")):
            rows.setdefault(_key(row), []).append(dict(row))
    for name in names:
        rows.pop(CELLS[name].key, None)
    jobs = [(CELLS[name], seed) for name in names for seed in range(1, CELLS[name].starts + 1)]
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda job: run(*job), jobs):
            rows.setdefault(_key(found[0]), []).extend(found)
            _write(rows)


def _write(rows: Mapping[tuple[object, ...], list[Any]]) -> None:
    for kernel, kept in FILES.items():
        cells = [c for c in CELLS.values() if c.kernel == kernel]
        ordered = [r for cell in cells for r in rows.get(cell.key, [])]
        with kept.open("w", newline="") as f:
            out = csv.DictWriter(f, fieldnames=FIELDS, lineterminator="\n", restval="")
            out.writeheader()
            out.writerows(ordered)


def _key(row: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(row.get(k, "") for k in KEYS)


if __name__ == "__main__":
    if sys.argv[1:2] == ["flow"]:
        port, cc, seconds, start_us, out, *to = sys.argv[2:]
        flow(int(port), cc, float(seconds), int(start_us), out, to[0] if to else "10.0.3.2")
    elif sys.argv[1:2] == ["capture"]:
        print(capture(CELLS[sys.argv[2]], int(sys.argv[3])))
    else:
        main(sys.argv[1:])
