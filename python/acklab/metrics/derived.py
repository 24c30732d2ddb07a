"""Derived metrics as columns of `flows`, of one run or of many below each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl

    #: The samples over time of all the runs, or `None` or no rows if there are none.
    Samples = Callable[[], pl.DataFrame | None]

#: Columns that identify a run in a table of several.
RUNS = ("result", "run")
#: Metrics of a whole run: every flow of it has the same value.
OF_A_RUN = ("jain", "rtt_fairness", "convergence_time")
#: All that can be asked for like a column.
DERIVED_COLUMNS = (*OF_A_RUN, "power")


def with_metric(flows: pl.DataFrame, name: str, samples: Samples | None = None) -> pl.DataFrame:
    """`flows` with the column `name`, if that is a derived metric; each run by itself.

    A metric that cannot be told of one table of flows is an error that says how to come by it.
    """
    if name in flows.columns:
        return flows
    if name in _ELSEWHERE:
        raise AcklabError(_ELSEWHERE[name])
    if name not in DERIVED_COLUMNS:
        return flows
    runs = [c for c in RUNS if c in flows.columns]
    if name == "convergence_time":
        return _converged(flows, samples() if samples else None, runs)
    value = _EXPRESSIONS[name]()
    return flows.with_columns((value.over(runs) if runs else value).alias(name))


def once_per_run(flows: pl.DataFrame, name: str) -> pl.DataFrame:
    """One row per run if `name` is the same for all flows of a run, else all rows."""
    if name not in OF_A_RUN:
        return flows
    runs = [c for c in RUNS if c in flows.columns]
    return flows.unique(runs, keep="first", maintain_order=True) if runs else flows.head(1)


def with_harm(flows: pl.DataFrame, groups: list[str], baseline: str) -> pl.DataFrame:
    """`flows` of several results with `harm` to goodput_mbps, against the mean of `baseline`.

    The mean is over the runs of the result `baseline` that agree in `groups`.
    """
    import polars as pl

    goodput = pl.col("goodput_mbps")
    alone = goodput.filter(pl.col("result") == baseline).mean().over(groups)
    return flows.with_columns(pl.when(alone > 0).then((alone - goodput) / alone).alias("harm"))


def _converged(flows: pl.DataFrame, series: pl.DataFrame | None, runs: list[str]) -> pl.DataFrame:
    import polars as pl

    from acklab.metrics.fairness import settled

    if series is None or series.is_empty():
        raise AcklabError(
            "convergence_time needs samples over time, which were not recorded\n"
            '  help: run or sweep again with `record = { every = "100 ms" }` in the scenario, or '
            "with --set 'record.every=100 ms'"
        )
    if not runs:
        return flows.with_columns(pl.lit(settled(flows, series)).alias("convergence_time"))
    sampled = series.partition_by(runs, as_dict=True, maintain_order=True)
    none = series.clear()
    found = [
        (*key, settled(own, sampled.get(key, none)))
        for key, own in flows.partition_by(runs, as_dict=True, maintain_order=True).items()
    ]
    schema = {**{r: flows.schema[r] for r in runs}, "convergence_time": pl.Float64()}
    times = pl.DataFrame(found, schema=schema, orient="row")
    return flows.join(times, on=runs, how="left", nulls_equal=True, maintain_order="left")


#: Metrics that one table of flows does not suffice for, and how to come by them.
_ELSEWHERE = {
    "harm": "harm is of a flow beside others, measured by the same flow alone, and here is no "
    "result of it alone\n"
    "  help: run it alone, too, then `acklab compare ALONE BESIDE -m harm`, or "
    "acklab.metrics.harm(alone, beside, flow, column)",
    "percentile": "a percentile is of a column\n"
    "  help: name one such as rtt_p95_ms or owd_p99_ms, or call "
    "acklab.metrics.percentile(result, table, column, percent)",
}


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
