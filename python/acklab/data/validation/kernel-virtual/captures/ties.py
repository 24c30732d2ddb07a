#!/usr/bin/env python3
"""Retransmissions of Reno where a timer ends as a packet comes: 30 s of 40 Mbit/s and 10 ms.

`python3 ties.py` writes ties.json beside itself, for each bottleneck of ../droptail.csv: by the
slack of the timer of SACK compression, and by the delay each way. With 100 us and 5000 us the timer
ends 600 us after it began, 5 % of the round trip and the slack, and so long two packets take.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))

import machine  # noqa: E402

SECONDS = 30
#: Microseconds of slack with a delay of 5 ms, and microseconds of delay with Linux's slack.
SLACKS = (80, 95, 98, 99, 100, 101, 102, 105, 120)
DELAYS = (4900, 4950, 4990, 5000, 5010, 5030, 5070, 5110, 5200, 5300)
#: What shapes to 40 Mbit/s of IP packets, with 33 in the queue.
ROOT = "N r1 tc qdisc replace dev eb root "
SHAPED = f"""{ROOT} handle 1: stab overhead -14 linklayer ethernet {{}}
N r1 tc qdisc add dev eb parent {{}} pfifo limit 33
"""
RATE = "rate 40mbit burst 1514"
CLASS = f"N r1 tc class add dev eb parent 1: classid 1:1 htb {RATE} cburst 1514 quantum 1514"
BOTTLENECKS = {
    "htb": SHAPED.format(f"htb default 1\n{CLASS}", "1:1"),
    "tbf": SHAPED.format(f"tbf {RATE} limit 10000000", "1:"),
    "netem": f"{ROOT} netem rate 40mbit -14 limit 34\n",
}


def run(bottleneck: str, slack: int, delay: int) -> int:
    """Retransmissions of one run."""
    case = f"""{machine.PATH}
{BOTTLENECKS[bottleneck]}
N r2 tc qdisc replace dev ed root netem delay {delay}us limit 100000
N r1 tc qdisc replace dev ea root netem delay {delay}us limit 100000
N rcv sysctl -qw net.ipv4.tcp_comp_sack_slack_ns={1000 * slack}
N rcv $RUN drain 5001 &
N snd {sys.executable} {HERE.parent / "cells/run.py"} flow 5001 reno {SECONDS} 0 said.json
"""
    place = machine.WORK / "ties"
    machine.boot(place, case)
    return int(json.loads((place / "said.json").read_text())["total_retrans"])


def main() -> None:
    """Boots the machines and keeps what they say."""
    lines = []
    for name in BOTTLENECKS:
        said = {
            "slack": {slack: run(name, slack, 5000) for slack in SLACKS},
            "delay": {delay: run(name, 100, delay) for delay in DELAYS},
        }
        lines.append(f"{json.dumps(name)}: {json.dumps(said)}")
    (HERE / "ties.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
