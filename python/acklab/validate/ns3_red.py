"""ns-3's runs of the wired dumbbell with RED, set to be Linux's law.

The program is validation/ns3/programs/red.cc; the column `args` repeats a run.
"""

from __future__ import annotations

import csv
from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.places import packaged
from acklab.stacks import NS3
from acklab.validate.criteria import NS3_RED
from acklab.validate.measures import all_flows, drops_from
from acklab.validate.ns3 import parse
from acklab.validate.reference import Reference

#: Bytes of a full packet, by which both sides scale.
_PACKET = 1500
#: Packets of a burst that make tc choose the weight of 2^-wlog, by wlog.
_BURSTS = {"9": 120, "7": 32}
_VALUES = {
    "goodput": "goodput_mbps",
    "drops": "dropped",
    "retransmissions": "retx_segs",
    "rtt": "rtt_mean_ms",
}
_MEASURES = {
    "goodput": all_flows("goodput_mbps"),
    "drops": drops_from("left"),
    "retransmissions": all_flows("retransmissions"),
    "rtt": lambda result: float(result.flows["rtt_mean_ms"].mean()),
}


def rows() -> list[Reference]:
    """Every cell, with one value for each seed of ns-3's."""
    cells: dict[str, list[dict[str, str]]] = {}
    with (packaged("validation") / "ns3" / "red.csv").open() as f:
        for row in csv.DictReader(f):
            cells.setdefault(row["args"], []).append(row)
    return [_cell(args, found) for args, found in cells.items()]


def _cell(args: str, found: list[dict[str, str]]) -> Reference:
    keys = {k: found[0][k] for k in ("tag", "tcp", "flows")}
    return Reference(
        source="ns3",
        keys={**keys, "tag": f"red-{keys['tag']}"},
        values={m: [float(r[column]) for r in found] for m, column in _VALUES.items()},
        measures=_MEASURES,
        criteria=NS3_RED,
        scenarios=[_scenario(parse(args, {}))],
    )


def _scenario(args: dict[str, str]) -> dict[str, Any]:
    red = {
        "name": "red",
        "min": f"{args['min']} B",
        "max": f"{args['max']} B",
        "probability": 1 / float(args["inverse"]),
        "avpkt": _PACKET,
        "burst": _BURSTS[args["wlog"]],
        "bandwidth": "10 Mbit/s",
    }
    flows = int(args["flows"])
    return dumbbell(
        f"ns3-red-{args['tag']}-{args['tcp']}-{flows}",
        start="2 s",
        duration=f"{args['dur']} s",
        access=Link(rate="100 Mbit/s", delay="2 ms", overhead=NS3.overhead),
        bottleneck=Link(
            rate="10 Mbit/s",
            delay="20 ms",
            queue=f"{args['limit']} B",
            qdisc=red,
            device_queue=1,
            overhead=NS3.overhead,
            reverse={"qdisc": "pfifo", "queue": "100 packets"},
        ),
        flows=[
            Flow(
                cc=NS3.cc(args["tcp"]),
                ack={"name": "delayed", "segments": 2, "count": "segments"},
                app={"kind": "bulk", "packets": 100_000},
                count=flows,
                start_jitter="100 ms",
            )
        ],
        tcp={
            "profile": "ns3",
            "segment": 1448,
            "send_buffer": "4194304 B",
            "recv_buffer": "4194304 B",
        },
    )
