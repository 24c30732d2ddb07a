"""How flows share: Jain's index, harm, RTT fairness, convergence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Columns of which less is better.
_LESS_IS_BETTER = ("_ms", "_s")
_ALSO_LESS = frozenset({"retransmissions", "rtos", "lost_segments"})


def jain(result: Result, column: str = "goodput_mbps") -> float | None:
    """Jain's index of the flows; `None` if none of them got anything."""
    return jain_index(result.flows[column].to_list())


def jain_index(shares: Sequence[float]) -> float | None:
    """Jain's index of `shares`; `None` if all of them are zero."""
    squares = sum(x * x for x in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares > 0 else None


def harm(alone: Result, beside: Result, flow: str, column: str = "goodput_mbps") -> float | None:
    """How much worse `flow` does in `beside` than `alone`; `None` where it cannot be told."""
    solo, shared = (_of_flow(r, flow, column) for r in (alone, beside))
    if solo is None or shared is None:
        return None
    best, worse = (shared, solo) if _less_is_better(column) else (solo, shared)
    return (best - worse) / best if best > 0 else None


def rtt_fairness(result: Result) -> float | None:
    """Goodput of the flow with the longest RTT per that of the one with the shortest."""
    flows = result.flows.sort("rtt_min_ms", maintain_order=True)
    short, long = flows["goodput_mbps"][0], flows["goodput_mbps"][-1]
    return long / short if short > 0 else None


def convergence_time(result: Result, delta: float = 0.1, window_s: float = 1.0) -> float | None:
    """Seconds from the start of the last flow until all shares are and stay delta-fair.

    Shares are those of the bytes read in the `window_s` seconds before. The time is that of a
    sample, so it is known to the distance of the samples.
    """
    result.needs("series")
    times, shares = _least_shares(result, window_s)
    fair = [s >= (1 - delta) / len(result.flows) for s in shares]
    begin = float(result.flows["start_s"].max())  # type: ignore[arg-type]
    if not fair or not fair[-1]:
        return None
    unfair = [t for t, ok in zip(times, fair, strict=True) if not ok]
    settled = min(t for t in times if not unfair or t > unfair[-1])
    return float(max(settled - begin, 0.0))


def _least_shares(result: Result, window_s: float) -> tuple[list[float], list[float]]:
    """Times from the last start on at which all flows were sampled, and the smallest share."""
    wide = _goodputs(result)
    begin = result.flows["start_s"].max()
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


def _goodputs(result: Result) -> pl.DataFrame:
    """One row per sample, one column per flow."""
    series = result.series.select("time_s", "flow", "goodput_mbps")
    return series.pivot(on="flow", index="time_s", values="goodput_mbps").sort("time_s")


def _of_flow(result: Result, flow: str, column: str) -> float | None:
    rows = result.flows.filter(result.flows["flow"] == flow)
    if rows.is_empty():
        names = ", ".join(result.flows["flow"])
        raise AcklabError(f"there is no flow called {flow!r}\n  help: the flows are {names}")
    value = rows[column][0]
    return None if value is None else float(value)


def _less_is_better(column: str) -> bool:
    return column.endswith(_LESS_IS_BETTER) or column in _ALSO_LESS
