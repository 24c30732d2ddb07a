"""The runs of the study: groups of cells, each with its keys and a scenario."""

from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.studies.study import Cell, Effort

RATIOS = (1, 4, 16)
CONTROLLERS = ("cubic", "newreno")


def main(effort: Effort) -> list[Cell]:
    """One flow through a bottleneck whose way back thins ACKs."""
    return [
        Cell({"setup": setup, "cc": cc, "ratio": ratio}, scenario(setup, cc, ratio, effort))
        for setup in ("linux", "ns3")
        for cc in CONTROLLERS
        for ratio in RATIOS
    ]


def scenario(setup: str, cc: str, ratio: int, effort: Effort) -> dict[str, Any]:
    """The scenario of a cell."""
    thinned = {"ack_filter": {"name": "aggregate", "ratio": ratio}} if ratio > 1 else {}
    return dumbbell(
        f"{cc}-{ratio}",
        duration="5 s" if effort.quick else "20 s",
        warmup="1 s",
        access=Link(rate="100 Mbit/s", delay="2 ms"),
        bottleneck=Link(rate="10 Mbit/s", delay="20 ms", queue="40 packets", reverse=thinned),
        flows=[Flow(cc=cc, start_jitter="100 ms")],
        tcp={"profile": setup},
    )


GROUPS = {"main": main}
