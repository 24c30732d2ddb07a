"""From outcomes to rows: a quantity in a cell, with the paper's number and ns-3's beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from acklab.stats import AMOUNT, SHARE, estimate
from acklab.studies.study import Outcome
from acklab.studies.tac import references
from acklab.studies.tac.quantities import USES, ack_losses, measured

if TYPE_CHECKING:
    import polars as pl

#: What Figures 2, 5 and 6 show.
SHOWN = ("throughput_mbps", "jain")
#: What Figure 3 shows.
LOST = (
    "ack_loss_mean",
    "ack_loss_sd",
    "ack_loss_min",
    "ack_loss_max",
    "flows_under_2_percent",
    "flows_over_12_percent",
)
#: What the air is used for, and what goes with it.
AIR = (*(f"{use}_share" for use in USES), "packets_per_access", "failed_share", "filtered_share")
_SCHEMA: Any = {"paper": float, "paper_is": str, "ns3": float, "ci_low": float, "ci_high": float}


def of(artefact: str, quantities: Sequence[str]) -> Callable[[Sequence[Outcome]], pl.DataFrame]:
    """The table of an artefact: a row per cell and quantity."""

    def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
        import polars as pl

        rows = [_row(artefact, o, q) for o in outcomes for q in quantities]
        return pl.DataFrame(rows, schema_overrides=_SCHEMA, infer_schema_length=None)

    return table


def _row(artefact: str, o: Outcome, quantity: str) -> dict[str, Any]:
    stated = references.paper(artefact, o.keys, quantity)
    share = "jain" in quantity or "_share" in quantity or quantity.startswith("ack_loss")
    e = estimate([measured(r)[quantity] for r in o.results], within=SHARE if share else AMOUNT)
    return {
        **o.keys,
        "quantity": quantity,
        "paper": stated.value if stated else None,
        "paper_is": stated.sense if stated else None,
        "acklab": e.mean,
        "ci_low": e.low,
        "ci_high": e.high,
        "seeds": e.n,
        # ns-3's runs have no bit errors, all of Figure 6 has.
        "ns3": None if artefact == "fig6" else references.ns3(o.keys, quantity),
    }


def losses(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Figure 3: each flow's ACK loss rate in the first seed, then what all seeds have in common."""
    import polars as pl

    limited = [o for o in outcomes if o.keys["buffer"] == 200]
    rows = [
        {**o.keys, "quantity": "flow", "flow": i, "acklab": loss, "seeds": 1}
        for o in limited
        for i, loss in enumerate(ack_losses(o.results[0]))
    ]
    rows += [_row("fig2", o, q) | {"flow": None} for o in limited for q in LOST]
    schema = {**_SCHEMA, "flow": pl.Int64}
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def runs(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Every quantity of every seed: what verdicts compare."""
    import polars as pl

    rows: list[dict[str, Any]] = [
        {**o.keys, "seed": r.seed, "quantity": name, "value": value}
        for o in outcomes
        for r in o.results
        for name, value in measured(r).items()
    ]
    return pl.DataFrame(rows, schema_overrides={"value": pl.Float64}, infer_schema_length=None)
