"""A machine of User Mode Linux in virtual time: network, boot, and the two ends of a flow.

tc/build.sh makes the kernel. Inside the machine this file runs as a program: `machine.py sink
PORT ...` and `drain PORT ...` accept and discard, `machine.py send PORT CC DSCP SECONDS` is a bulk
flow.
"""

import os
import pathlib
import select
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterable

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(os.environ.get("UML_WORK", "/tmp/uml"))
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
RUN="{sys.executable} {HERE / "machine.py"}"
"""

#: The bottleneck on r1: 10 Mbit/s of IP packets above a discipline.
HTB = """N r1 tc qdisc replace dev eb root handle 1: stab overhead -14 linklayer ethernet \\
  htb default 1
N r1 tc class add dev eb parent 1: classid 1:1 htb rate 10mbit burst 1514 cburst 1514 quantum 1514
N r1 tc qdisc add dev eb parent 1:1 {}
"""
RED = "red limit 75000 min 6250 max 18750 avpkt 1000 burst 11 probability 0.02 bandwidth 10mbit"


def boot(
    place: pathlib.Path,
    case: str,
    seed: int = 1,
    memory: str = "512M",
    kernel: str = "linux-6.12",
) -> None:
    """Runs the shell text `case` in a machine of its own; its files are in `place` afterwards.

    The kernel's random numbers follow `seed` (tc/seed.c), and the command line, which is mixed into
    them, is always the same but for `memory` and what 7.3 has more.
    """
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "case.sh").write_text(case)
    init = WORK / "init.sh"
    init.write_text(INIT)
    init.chmod(0o755)
    subprocess.run(
        [
            *("setarch", "-R", WORK / kernel, f"mem={memory}"),
            *("root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro"),
            *(f"init={init}", "labdir=/proc/self/cwd/.", f"uml_dir={WORK}/ud"),
            *("con=null", "con0=null,fd:1", "loglevel=4", "panic=-1"),
            *("time-travel=inf-cpu", "time-travel-start=1700000000"),
            # Faster; 6.12 does not have it.
            *(["seccomp=on"] if kernel == "linux-7.3" else []),
        ],
        cwd=place,
        env=os.environ | {"LD_PRELOAD": str(WORK / "seed.so"), "LAB_SEED": str(seed)},
        stdin=subprocess.DEVNULL,
        stdout=(place / "console").open("w"),
        stderr=subprocess.STDOUT,
        timeout=1800,
        check=False,
    )


def chosen(given: list[str], known: Iterable[str]) -> list[str]:
    """What the command line names of a recipe, all if nothing; an unknown name ends the program."""
    every = list(known)
    if wrong := sorted(set(given) - set(every)):
        sys.exit(
            f"error: there is no {wrong[0]!r}\n  help: there are {', '.join(map(repr, every))}"
        )
    return given or every


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


def drain(ports: list[int]) -> None:
    """Accepts and discards, into one buffer: new memory is what costs such a machine most."""
    poll = select.epoll()
    doors, flows = {}, {}
    for port in ports:
        door = socket.create_server(("", port))
        doors[door.fileno()] = door
        poll.register(door, select.EPOLLIN)
    buffer = bytearray(1 << 18)
    while True:
        for fd, _ in poll.poll():
            if fd in doors:
                new = doors[fd].accept()[0]
                flows[new.fileno()] = new
                poll.register(new, select.EPOLLIN)
                continue
            try:
                open_ = flows[fd].recv_into(buffer) > 0
            except ConnectionResetError:
                open_ = False
            if not open_:
                flows.pop(fd).close()


def send(port: int, cc: str, dscp: int, seconds: float) -> None:
    """A bulk flow: writes of 64 KiB until the buffer takes no more, and then whenever it does."""
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cc.encode())
    if dscp:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 4 * dscp)
    s.connect(("10.0.3.2", port))
    end = time.monotonic() + seconds
    s.setblocking(False)
    while time.monotonic() < end:
        select.select([], [s], [])
        try:
            while s.send(CHUNK) == len(CHUNK):
                pass
        except BlockingIOError:
            pass


if __name__ == "__main__":
    if sys.argv[1] == "sink":
        sink([int(w) for w in sys.argv[2:]])
    elif sys.argv[1] == "drain":
        drain([int(w) for w in sys.argv[2:]])
    else:
        send(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
