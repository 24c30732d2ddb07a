#!/usr/bin/env python3
"""Captures of a flow of Linux at its sender: one boot of User Mode Linux for each cell.

`python3 run.py [CELL ...]` writes CELL.csv.gz (the first rows) and captures.json (58 s of them)
beside itself; ../tc/build.sh makes the kernel. tcpdump costs no virtual time.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]

import machine  # noqa: E402
import wire  # noqa: E402

SECONDS = 60
#: What counts: tcpdump loses its last half second.
COUNTED = 58
#: Rows of each cell that are kept.
KEPT = 3000

DISCIPLINES = {
    "pfifo limit 50": machine.HTB.format("pfifo limit 50"),
    "fq_codel": machine.HTB.format("fq_codel"),
    "codel": machine.HTB.format("codel"),
    "red": machine.HTB.format(machine.RED),
    "cake": "N r1 tc qdisc replace dev eb root cake bandwidth 10mbit overhead 0",
}
#: The discipline and the congestion control, named as in results.csv.
CELLS = (
    "pfifo limit 50 reno",
    "pfifo limit 50 cubic",
    "pfifo limit 50 vegas",
    "pfifo limit 50 bbr",
    "fq_codel cubic",
    "cake cubic",
    "cake bbr",
    "codel bbr",
    "red bbr",
)


def flow(cell: str) -> dict[str, object]:
    """Captures the cell, writes its first rows, and returns what 60 s of them say."""
    discipline, cc = cell.rsplit(" ", 1)
    name = cell.replace(" ", "-")
    place = machine.WORK / "captures" / name
    case = f"""{machine.PATH}
{DISCIPLINES[discipline]}
N snd tcpdump -i es -s 120 -w /mnt/snd.pcap tcp 2> dump &
N rcv $RUN sink 5001 &
sleep 1
N snd $RUN send 5001 {cc} 0 {SECONDS}
sleep 0.2
killall tcpdump
sleep 0.5
"""
    machine.boot(place, case)
    rows = [r for r in wire.capture(place / "snd.pcap") if r.time < COUNTED * 1_000_000]
    wire.save(HERE / f"{name}.csv.gz", rows[:KEPT])
    said = {"start_us": wire.phase(place / "snd.pcap"), "sha256": wire.digest(rows)}
    return said | wire.summary(rows, cc == "bbr")


def main(cells: list[str]) -> None:
    """Captures the cells and keeps what the others said."""
    kept = HERE / "captures.json"
    old = json.loads(kept.read_text()) if kept.exists() else {}
    both = old | {cell: flow(cell) for cell in machine.chosen(cells, CELLS)}
    lines = (f"{json.dumps(c)}: {json.dumps(both[c])}" for c in CELLS if c in both)
    kept.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
