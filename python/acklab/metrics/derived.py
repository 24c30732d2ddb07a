"""Derived metrics as columns of `flows`, of one run or of many below each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: What tells the runs of a table apart, where it has several.
RUNS = ("result", "run")
#: Metrics of a whole run: every flow of it has the same value.
OF_A_RUN = ("jain", "rtt_fairness")
#: All that can be asked for like a column.
DERIVED_COLUMNS = (*OF_A_RUN, "power")


def with_metric(flows: pl.DataFrame, name: str) -> pl.DataFrame:
    """`flows` with the column `name`, if that is a derived metric; each run by itself."""
    if name not in DERIVED_COLUMNS or name in flows.columns:
        return flows
    runs = [c for c in RUNS if c in flows.columns]
    value = _EXPRESSIONS[name]()
    return flows.with_columns((value.over(runs) if runs else value).alias(name))


def once_per_run(flows: pl.DataFrame, name: str) -> pl.DataFrame:
    """One row per run if `name` is the same for all flows of a run, else all rows."""
    if name not in OF_A_RUN:
        return flows
    runs = [c for c in RUNS if c in flows.columns]
    return flows.unique(runs, keep="first", maintain_order=True) if runs else flows.head(1)


def _jain() -> pl.Expr:
    import polars as pl

    x = pl.col("goodput_mbps")
    squares = (x**2).sum()
    return pl.when(squares > 0).then(x.sum() ** 2 / (x.len() * squares))


def _rtt_fairness() -> pl.Expr:
    import polars as pl

    rtt = pl.col("rtt_min_ms")
    known = pl.col("goodput_mbps").filter(rtt.is_not_null())
    by_rtt = known.sort_by(rtt.drop_nulls(), maintain_order=True)
    return pl.when(by_rtt.first() > 0).then(by_rtt.last() / by_rtt.first())


def _power() -> pl.Expr:
    import polars as pl

    rtt = pl.col("rtt_mean_ms") / 1e3
    # The RTT leaves the warm-up out, so the goodput does.
    return pl.when(rtt > 0).then(pl.col("goodput_warm_mbps") / rtt)


_EXPRESSIONS = {"jain": _jain, "rtt_fairness": _rtt_fairness, "power": _power}
