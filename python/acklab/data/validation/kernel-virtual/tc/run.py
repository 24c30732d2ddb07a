#!/usr/bin/env python3
"""Output of `tc -s` on CAKE's tins and HTB's classes: one boot of User Mode Linux for each case.

`python3 run.py [CASE ...]` writes tc.json beside itself; build.sh makes the kernel. Time stands
still while the machine computes, so that flows and the look at the counters are never late.
"""

import json
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(os.environ.get("UML_WORK", "/tmp/uml"))
#: Seconds from the start of the flows to the look at the counters.
LOOK = 30
CHUNK = bytes(1 << 16)

INIT = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
[ -e /dev/null ] || mount -t devtmpfs dev /dev
mount -t tmpfs tmp /run
mount -t hostfs -o "$labdir" none /mnt
ip link set lo up
cd /mnt
. ./case.sh > log 2>&1
sync
echo o > /proc/sysrq-trigger
sleep 9
"""

#: snd -- r1 == r2 -- rcv: the bottleneck on r1, 10 ms each way on the outer hops, one packet
#: per skb.
PATH = f"""
N() {{ ns=$1; shift; ip netns exec "$ns" "$@"; }}
link() {{
  ip link add name "$2" netns "$1" address 02:00:00:00:$7:01 type veth \\
    peer name "$5" netns "$4" address 02:00:00:00:$7:02
  for end in "$1 $2 $3" "$4 $5 $6"; do
    set -- $end "$@"
    N "$1" ethtool -K "$2" tso off gso off gro off tx off rx off sg off > /dev/null
    ip -n "$1" link set dev "$2" gso_max_segs 1 txqueuelen 1000 up
    ip -n "$1" addr add "$3/24" dev "$2"
    shift 3
  done
  ip -n "$1" neigh replace "$6" lladdr 02:00:00:00:$7:02 dev "$2" nud permanent
  ip -n "$4" neigh replace "$3" lladdr 02:00:00:00:$7:01 dev "$5" nud permanent
}}
for n in snd r1 r2 rcv; do
  ip netns add $n
  ip -n $n link set lo up
  N $n sysctl -qw net.ipv4.ip_forward=1 net.ipv4.tcp_no_metrics_save=1
done
link snd es 10.0.1.1 r1 ea 10.0.1.2 01
link r1 eb 10.0.2.1 r2 ec 10.0.2.2 02
link r2 ed 10.0.3.1 rcv ee 10.0.3.2 03
ip -n snd route add default via 10.0.1.2
ip -n rcv route add default via 10.0.3.1
ip -n r1 route add 10.0.3.0/24 via 10.0.2.2
ip -n r2 route add 10.0.1.0/24 via 10.0.2.1
N r2 tc qdisc replace dev ed root netem delay 10ms limit 100000
N r1 tc qdisc replace dev ea root netem delay 10ms limit 100000
RUN="{sys.executable} {HERE / "run.py"}"
"""


def _cake(*words: str) -> str:
    return f"N r1 tc qdisc replace dev eb root cake bandwidth 10mbit overhead 0 {' '.join(words)}"


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
}


def case(discipline: str, dscps: tuple[int, ...]) -> str:
    """The shell text of a case: path, discipline, flows, and the look."""
    ports = range(5001, 5001 + len(dscps))
    sends = "\n".join(
        f"N snd $RUN send {port} {dscp} &" for port, dscp in zip(ports, dscps, strict=True)
    )
    return f"""{PATH}
{discipline}
N rcv $RUN sink {" ".join(map(str, ports))} &
sleep 1
{sends}
sleep {LOOK}
N r1 tc -s -j qdisc show dev eb > qdisc.json
N r1 tc -s class show dev eb > class.txt
"""


def boot(name: str) -> dict[str, object]:
    """Runs the case in a machine of its own; returns what `tc` said."""
    place = WORK / "tc" / name.replace(" ", "-")
    text = case(*CASES[name])
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "case.sh").write_text(text)
    (place / "init.sh").write_text(INIT)
    (place / "init.sh").chmod(0o755)
    subprocess.run(
        [
            *("setarch", "-R", WORK / "linux-6.12", "mem=512M"),
            *("root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro"),
            *(f"init={place}/init.sh", "labdir=/proc/self/cwd/.", f"uml_dir={WORK}/ud"),
            *("con=null", "con0=null,fd:1", "loglevel=4", "panic=-1"),
            *("time-travel=inf-cpu", "time-travel-start=1700000000"),
        ],
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=(place / "console").open("w"),
        stderr=subprocess.STDOUT,
        timeout=1800,
        check=False,
    )
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


def sink(ports: list[int]) -> None:
    """Accepts and discards."""
    doors = []
    for port in ports:
        door = socket.socket()
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(("", port))
        door.listen()
        doors.append(door)
    open_: list[socket.socket] = []
    while True:
        for s in select.select([*doors, *open_], [], [])[0]:
            if s in doors:
                open_.append(s.accept()[0])
            elif not s.recv(1 << 18):
                open_.remove(s)


def send(port: int, dscp: int) -> None:
    """A bulk flow of CUBIC that outlives the look at the counters."""
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 4 * dscp)
    s.connect(("10.0.3.2", port))
    end = time.monotonic() + LOOK + 1
    s.setblocking(False)
    while time.monotonic() < end:
        select.select([], [s], [])
        try:
            while s.send(CHUNK) == len(CHUNK):
                pass
        except BlockingIOError:
            pass


def main(words: list[str]) -> None:
    """The measurement, or inside the machine one end of the flows."""
    if words[:1] == ["sink"]:
        sink([int(w) for w in words[1:]])
    elif words[:1] == ["send"]:
        send(int(words[1]), int(words[2]))
    else:
        new = {name: boot(name) for name in words or CASES}
        kept = HERE / "tc.json"
        old = json.loads(kept.read_text()) if kept.exists() else {}
        both = {name: (old | new)[name] for name in CASES if name in old | new}
        kept.write_text(json.dumps(both, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
