"""How flows share: Jain's index, harm, RTT fairness, convergence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from acklab import arguments
from acklab.errors import AcklabError
from acklab.metrics.derived import with_metric
from acklab.stats import check_numeric

if TYPE_CHECKING:
    import polars as pl

    from acklab.opening import SavedRun
    from acklab.results import Result

    #: A run, fresh or saved.
    Run: TypeAlias = Result | SavedRun

#: Columns of which more is better; delays, and what follows, are better when less.
_MORE_IS_BETTER = frozenset(
    {
        "goodput_mbps",
        "goodput_warm_mbps",
        "acked_mbps",
        "sent_mbps",
        "received_bytes",
        "exchanges",
    }
)
_LESS_IS_BETTER = frozenset(
    {
        "completion_s",
        "retransmissions",
        "retransmissions_rack",
        "retransmissions_dupack",
        "retransmissions_tlp",
        "retransmissions_rto",
        "spurious_retransmissions",
        "retransmitted_bytes",
        "rtos",
        "undos",
        "recoveries",
        "tlps",
        "lost_segments",
        "ecn_reductions",
        "out_of_order_segments",
        "duplicate_segments",
    }
)


def jain(result: Run, column: str = "goodput_mbps") -> float | None:
    """Jain's index of a run's flows; `None` if none of them got anything."""
    flows = _flows_of_one_run(result, "jain")
    check_numeric(flows, column)
    return jain_index(flows[column].drop_nulls().to_list())


def jain_index(shares: Sequence[float]) -> float | None:
    """Jain's index of `shares`; `None` if all of them are zero."""
    squares = sum(x * x for x in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares > 0 else None


def harm(alone: Run, beside: Run, flow: str, column: str = "goodput_mbps") -> float | None:
    """How much worse `flow` does in `beside` than `alone`; `None` where it cannot be told.

    Of goodput and bytes more is better; of delays, losses, retransmissions and recoveries less.
    """
    less = _less_is_better(column)
    solo, shared = (_of_flow(r, flow, column) for r in (alone, beside))
    if solo is None or shared is None:
        return None
    best, worse = (shared, solo) if less else (solo, shared)
    return (best - worse) / best if best > 0 else None


def rtt_fairness(result: Run) -> float | None:
    """Goodput of the flow with the longest RTT per that of the one with the shortest.

    Flows without an RTT do not count; `None` if none has one.
    """
    flows = with_metric(_flows_of_one_run(result, "rtt_fairness"), "rtt_fairness")
    value = flows["rtt_fairness"][0]
    return None if value is None else float(value)


def convergence_time(result: Run, delta: float = 0.1, window_s: float = 1.0) -> float | None:
    """Seconds from the start of the last flow until all shares are and stay delta-fair.

    Shares are those of the bytes read in the `window_s` seconds before. The time is that of a
    sample, so it is known to the distance of the samples.
    """
    flows = _flows_of_one_run(result, "convergence_time")
    result.needs("series")
    return settled(flows, result.series, delta, window_s)


def settled(
    flows: pl.DataFrame, series: pl.DataFrame, delta: float = 0.1, window_s: float = 1.0
) -> float | None:
    """`convergence_time` of the flows and samples of one run."""
    begin = float(flows["start_s"].max())  # type: ignore[arg-type]
    times, shares = _least_shares(series, begin, window_s)
    fair = [s >= (1 - delta) / len(flows) for s in shares]
    if not fair or not fair[-1]:
        return None
    unfair = [t for t, ok in zip(times, fair, strict=True) if not ok]
    first = min(t for t in times if not unfair or t > unfair[-1])
    return float(max(first - begin, 0.0))


def _least_shares(
    series: pl.DataFrame, begin: float, window_s: float
) -> tuple[list[float], list[float]]:
    """Times from the last start on at which all flows were sampled, and the smallest share."""
    wide = _goodputs(series)
    steps = wide["time_s"].diff().drop_nulls()
    if steps.is_empty():
        return [], []
    rows = max(1, round(window_s / float(steps.median())))  # type: ignore[arg-type]
    names = [c for c in wide.columns if c != "time_s"]
    means = wide.with_columns(wide[n].fill_null(0.0).rolling_mean(rows) for n in names)
    means = means.filter(means["time_s"] >= begin).drop_nulls()
    total = means.select(names).sum_horizontal()
    least = means.select(names).min_horizontal()
    shares = [part / all_ if all_ > 0 else 0.0 for part, all_ in zip(least, total, strict=True)]
    return means["time_s"].to_list(), shares


def _goodputs(series: pl.DataFrame) -> pl.DataFrame:
    """One row per sample, one column per flow."""
    series = series.select("time_s", "flow", "goodput_mbps")
    return series.pivot(on="flow", index="time_s", values="goodput_mbps").sort("time_s")


def _flows_of_one_run(result: Run, what: str) -> pl.DataFrame:
    """The flows; those of a sweep belong to many runs and are not for one index."""
    arguments.run(f"{what}()", result)
    flows = result.flows
    if "run" in flows.columns:
        raise AcklabError(
            f"{what} is of one run, and this is a sweep of many\n"
            "  help: sweep.stats('jain') has the metrics jain, rtt_fairness and power per cell; "
            "they can be given to `acklab compare -m` and `acklab plot SWEEP heatmap --value`, too"
        )
    return flows


def _of_flow(result: Run, flow: str, column: str) -> float | None:
    flows = _flows_of_one_run(result, "harm")
    rows = flows.filter(flows["flow"] == flow)
    if rows.is_empty():
        names = ", ".join(flows["flow"])
        raise AcklabError(f"there is no flow called {flow!r}\n  help: the flows are {names}")
    value = rows[column][0]
    return None if value is None else float(value)


def _less_is_better(column: str) -> bool:
    if column.endswith("_ms") or column in _LESS_IS_BETTER:
        return True
    if column in _MORE_IS_BETTER:
        return False
    raise AcklabError(
        f"there is no harm in {column!r}: neither more nor less of it is better\n"
        f"  help: take a delay, or one of {', '.join(sorted(_MORE_IS_BETTER | _LESS_IS_BETTER))}"
    )
