"""Is a queue that aggregates 1:1 the same as none? Runs with it and without, compared whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, SETUPS, scenario
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.values import of_flow

if TYPE_CHECKING:
    import polars as pl


def cells(effort: Effort) -> list[Cell]:
    """Each set-up and controller, without the queue and with it at 1:1; one seed."""
    return [
        Cell({"stack": name, "cc": cc, "queue": queue}, _scenario(name, cc, queue, effort), seeds=1)
        for name in SETUPS
        for cc in PAPER_CONTROLLERS
        for queue in ("none", "1:1")
    ]


def _scenario(name: str, cc: str, queue: str, effort: Effort) -> dict[str, Any]:
    setup = SETUPS[name]
    described = scenario(setup, (cc,), 1, effort)
    if queue == "1:1":
        transparent = {"ack_filter": {"name": "aggregate", "ratio": 1, **setup.thinner}}
        described["topology"]["bottleneck"]["reverse"] = transparent
    return described


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row for each set-up and controller; `identical`: every column of the flow and every sample
    of its window, rate and RTT is the same with the queue as without."""
    import polars as pl

    runs = {(o.keys["stack"], o.keys["cc"], o.keys["queue"]): o.results[0] for o in outcomes}
    rows = []
    for (stack, cc, queue), without in runs.items():
        if queue != "none":
            continue
        within = runs[stack, cc, "1:1"]
        same = without.flows.equals(within.flows) and without.series.equals(within.series)
        rows.append(
            {
                "stack": stack,
                "cc": cc,
                "without_mbps": of_flow(without, "goodput_mbps"),
                "with_mbps": of_flow(within, "goodput_mbps"),
                "acks": of_flow(within, "acks_received"),
                "identical": same,
            }
        )
    return pl.DataFrame(rows)
