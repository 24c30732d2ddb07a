#!/usr/bin/env python3
"""Output of `tc -s` on CAKE's tins and HTB's classes: one boot of User Mode Linux for each case.

`python3 run.py [CASE ...]` writes tc.json beside itself; build.sh makes the kernel. Time stands
still while the machine computes, so that flows and the look at the counters are never late.
"""

import json
import pathlib
import re
import resource
import select
import socket
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))

import machine  # noqa: E402

#: Seconds from the start of the flows to the look at the counters.
LOOK = 30


def _cake(*words: str) -> str:
    return f"N r1 tc qdisc replace dev eb root cake bandwidth 10mbit overhead 0 {' '.join(words)}"


def _up(word: str) -> str:
    return f"N r2 tc qdisc replace dev ec root cake bandwidth 150kbit overhead 0 besteffort {word}"


def _ecn() -> str:
    return "\n".join(f"N {n} sysctl -qw net.ipv4.tcp_ecn=1" for n in ("snd", "rcv"))


def _htb(*leaves: tuple[str, str, int | None]) -> str:
    """Classes 10, 20 ... below one of 10 Mbit/s, each with 50 packets; a codepoint chooses one."""
    at = "N r1 tc {} add dev eb {}"
    burst = "burst 1600 cburst 1600 quantum 1500"
    last = 10 * len(leaves)
    # Ethernet's 14 bytes come off again: rates count IP bytes.
    text = [
        f"N r1 tc qdisc replace dev eb root handle 1: stab overhead -14 linklayer ethernet "
        f"htb default {last}",
        at.format("class", f"parent 1: classid 1:1 htb rate 10mbit {burst}"),
    ]
    for i, (rate, more, dscp) in enumerate(leaves):
        here = f"1:{10 * (i + 1)}"
        rule = f"parent 1:1 classid {here} htb rate {rate} ceil 10mbit {burst} {more}"
        text += [
            at.format("class", rule),
            at.format("qdisc", f"parent {here} pfifo limit 50"),
        ]
        if dscp is not None:
            match = f"u32 match ip dsfield {4 * dscp:#04x} 0xfc flowid {here}"
            text.append(at.format("filter", f"parent 1: protocol ip prio {i + 1} {match}"))
    return "\n".join(text)


#: The discipline, and the codepoint of each flow of CUBIC.
CASES: dict[str, tuple[str, tuple[int, ...]]] = {
    "cake besteffort": (_cake("besteffort"), (0,)),
    "cake diffserv3": (_cake("diffserv3"), (8, 0, 46)),
    "cake diffserv4": (_cake("diffserv4"), (8, 0, 34, 46)),
    "htb shares": (_htb(("5mbit", "", 46), ("2mbit", "", 10), ("3mbit", "", None)), (46, 10)),
    "htb priorities": (_htb(("2mbit", "prio 1", 46), ("2mbit", "prio 2", None)), (46, 0)),
    # Both hosts have ECN.
    "cake ecn": (f"{_ecn()}\n{_cake('diffserv3')}", (8, 0, 46)),
    # An upstream that its ACKs fill; the look is at this one.
    "cake ack-filter": (f"{_cake('besteffort')}\n{_up('ack-filter')}", (0,)),
    # More flows than fit into some of the 128 sets of eight queues. A packet of this machine's
    # carries a hash that its socket drew, and draws anew when it times out (`sk_rethink_txhash`).
    "cake flows": (
        "N snd sysctl -qw net.core.txrehash=0\n" + _cake("besteffort").replace("10mbit", "100mbit"),
        (0,) * 800,
    ),
}
#: Where the look is at the way back.
BACK = ("cake ack-filter",)
#: Flows from which on one program has all of them.
MANY = 100
#: Of linux/tcp.h.
TCP_NOTSENT_LOWAT = 25


def case(name: str) -> str:
    """The shell text of a case: path, discipline, flows, and the look."""
    discipline, dscps = CASES[name]
    look = "r2 tc -s -j qdisc show dev ec" if name in BACK else "r1 tc -s -j qdisc show dev eb"
    ports = range(5001, 5001 + len(dscps))
    sink = "sink"
    if len(dscps) >= MANY:
        ports, sink = range(5001, 5002), "drain"
        sends = f"N snd {sys.executable} {pathlib.Path(__file__).resolve()} many {len(dscps)} &"
    else:
        sends = _sends(ports, dscps)
    return f"""{machine.PATH}
{discipline}
N rcv $RUN {sink} {" ".join(map(str, ports))} &
sleep 1
{sends}
sleep {LOOK}
N {look} > qdisc.json
N r1 tc -s class show dev eb > class.txt
"""


def _sends(ports: range, dscps: tuple[int, ...]) -> str:
    return "\n".join(
        f"N snd $RUN send {port} cubic {dscp} {LOOK + 1} &"
        for port, dscp in zip(ports, dscps, strict=True)
    )


def many(count: int) -> None:
    """Flows of CUBIC that start one after the other within a second."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    poll = select.epoll()
    flows: dict[int, socket.socket] = {}
    start = time.monotonic()
    while time.monotonic() < start + LOOK + 1:
        if len(flows) < count:
            s = socket.socket()
            s.setblocking(False)
            # So many full buffers would be more than TCP may have of this machine's memory.
            s.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, 16384)
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
            s.connect_ex(("10.0.3.2", 5001))
            poll.register(s, select.EPOLLOUT | select.EPOLLET)
            flows[s.fileno()] = s
            time.sleep(1 / count)
        for fd, _ in poll.poll(0 if len(flows) < count else 0.1):
            try:
                while flows[fd].send(machine.CHUNK[:8192]) == 8192:
                    pass
            except BlockingIOError:
                pass


def boot(name: str) -> dict[str, object]:
    """Runs the case in a machine of its own; returns what `tc` said."""
    place = machine.WORK / "tc" / name.replace(" ", "-")
    machine.boot(place, case(name))
    said = json.loads((place / "qdisc.json").read_text())
    return {"qdisc": said, "class": classes((place / "class.txt").read_text())}


#: iproute2 6.1 prints classes of HTB as text only.
CLASS = re.compile(
    r"class htb (?P<class>\S+) .*?rate (?P<rate>\S+) ceil (?P<ceil>\S+) .*?"
    r"Sent (?P<bytes>\d+) bytes (?P<packets>\d+) pkt \(dropped (?P<dropped>\d+), "
    r"overlimits (?P<overlimits>\d+) .*?backlog (?P<backlog_bytes>\d+)b "
    r"(?P<backlog_packets>\d+)p .*?lended: (?P<lended>\d+) borrowed: (?P<borrowed>\d+)",
    re.DOTALL,
)


def classes(text: str) -> list[dict[str, int | str]]:
    """The classes of HTB, with numbers as numbers."""
    found = (m.groupdict() for m in CLASS.finditer(text))
    return [{k: int(v) if v.isdigit() else v for k, v in c.items()} for c in found]


def main(words: list[str]) -> None:
    """Runs the cases and keeps what the others said."""
    new = {name: boot(name) for name in machine.chosen(words, CASES)}
    kept = HERE / "tc.json"
    old = json.loads(kept.read_text()) if kept.exists() else {}
    both = {name: (old | new)[name] for name in CASES if name in old | new}
    kept.write_text(json.dumps(both, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["many"]:
        many(int(sys.argv[2]))
    else:
        main(sys.argv[1:])
