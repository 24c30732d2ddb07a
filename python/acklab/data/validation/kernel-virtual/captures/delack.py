#!/usr/bin/env python3
"""How long Linux delays an ACK: writes delack.json beside itself, from one boot of User Mode Linux.

A sender writes 200 bytes every 97.3 ms, and nobody reads, so that only the timer of the delayed ACK
acknowledges them once the quick ones at the start are used up.
"""

import json
import pathlib
import socket
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]

import machine  # noqa: E402
import wire  # noqa: E402

ONE_WAY = 10_000
TICK = 4_000


def sink() -> None:
    """Accepts, and reads nothing."""
    listener = socket.socket()
    listener.bind(("", 5001))
    listener.listen()
    kept, _ = listener.accept()
    time.sleep(30)
    kept.close()


def send() -> None:
    """Writes a little every 97.3 ms."""
    s = socket.create_connection(("10.0.3.2", 5001))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(120):
        s.send(bytes(200))
        time.sleep(0.0973)


def measure() -> None:
    """Microseconds into a jiffy at which a segment arrived, and until its ACK left."""
    me = f"{sys.executable} {HERE / 'delack.py'}"
    place = machine.WORK / "captures" / "delack"
    case = f"""{machine.PATH}
N snd tcpdump -i es -s 120 -w /mnt/snd.pcap tcp 2> dump &
N rcv {me} sink &
sleep 1
N snd {me} send
sleep 0.2
killall tcpdump
sleep 0.5
"""
    machine.boot(place, case)
    began = next(wire.segments(place / "snd.pcap")).time
    found, waiting = [], None
    for row in wire.capture(place / "snd.pcap"):
        if row.kind == "D":
            waiting = began + row.time + ONE_WAY
        elif waiting is not None:
            found.append((waiting % TICK, began + row.time - ONE_WAY - waiting))
            waiting = None
    late = [[phase, delay] for phase, delay in found if delay > TICK]
    (HERE / "delack.json").write_text(json.dumps(late) + "\n")


if __name__ == "__main__":
    {"sink": sink, "send": send}.get(sys.argv[1] if sys.argv[1:] else "", measure)()
