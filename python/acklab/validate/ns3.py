"""ns-3's runs of the wired dumbbell; the column `args` has everything that is needed."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.places import packaged
from acklab.stacks import NS3, thinner
from acklab.validate.criteria import NS3 as CRITERIA
from acklab.validate.measures import first_flow
from acklab.validate.reference import Reference

#: The program's defaults (validation/ns3/programs/wired.cc).
_DEFAULTS = {
    "tcp": "newreno",
    "queue": "default",
    "tag": "",
    "flows": "1",
    "thin": "1",
    "size": "1448",
    "buf": "131072",
    "delack": "2",
    "npk": "100000",
    "devq": "100",
    "dur": "60",
    "start": "2",
    "timerMs": "5",
    "bneck": "10",
    "bdelay": "20",
}
_VALUES = {
    "goodput": "goodput_mbps",
    "retransmissions": "retx_segs",
    "cwnd": "cwnd_mean_seg",
    "rtt": "rtt_mean_ms",
}
_MEASURES = {
    "goodput": first_flow("goodput_mbps"),
    "retransmissions": first_flow("retransmissions"),
    "cwnd": first_flow("cwnd_mean_time_packets"),
    "rtt": first_flow("rtt_mean_ms"),
}


def rows() -> list[Reference]:
    """Every row of ns-3's results."""
    with (packaged("validation") / "ns3" / "wired.csv").open() as f:
        return [_reference(row) for row in csv.DictReader(f)]


def _reference(row: dict[str, str]) -> Reference:
    args = parse(row["args"])
    return Reference(
        source="ns3",
        keys={k: row[k] for k in ("tag", "tcp", "thin", "delack")},
        values={metric: [float(row[column])] for metric, column in _VALUES.items()},
        measures=_MEASURES,
        criteria=CRITERIA,
        scenarios=[scenario(args)],
    )


def parse(args: str, defaults: Mapping[str, str] = _DEFAULTS) -> dict[str, str]:
    """`wired --tcp=cubic --thin=2` as the program with these defaults understands it."""
    given = (word.removeprefix("--").partition("=") for word in args.split()[1:])
    return {**defaults, **{key: value for key, _, value in given}}


def scenario(args: dict[str, str]) -> dict[str, Any]:
    """The scenario that the program runs when it is given `args`."""
    # "default" is FqCoDel above a 100-packet device queue. It never acts there, as a device
    # without byte queue limits takes every packet until its own queue is full.
    ack_filter = thinner(int(args["thin"]), f"{args['timerMs']} ms")
    return dumbbell(
        "-".join(["ns3", args["tag"], args["tcp"], args["thin"]]),
        start=f"{args['start']} s",
        duration=f"{args['dur']} s",
        access=Link(rate="100 Mbit/s", delay="2 ms", overhead=NS3.overhead),
        bottleneck=Link(
            rate=f"{args['bneck']} Mbit/s",
            delay=f"{args['bdelay']} ms",
            queue=f"{args['devq']} packets",
            overhead=NS3.overhead,
            reverse={} if ack_filter is None else {"ack_filter": ack_filter},
        ),
        flows=[
            Flow(
                cc=NS3.cc(args["tcp"]),
                ack={"name": "delayed", "segments": int(args["delack"]), "count": "segments"},
                app={"kind": "bulk", "packets": int(args["npk"])},
            )
        ],
        tcp={
            "profile": "ns3",
            "segment": int(args["size"]),
            "send_buffer": f"{args['buf']} B",
            "recv_buffer": f"{args['buf']} B",
        },
    )
