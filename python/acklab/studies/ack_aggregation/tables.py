"""From outcomes to the rows of Table 1 and Figures 2 to 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from acklab.stats import Estimate, estimate
from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.cells import START_S
from acklab.studies.study import Outcome

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Width of the bins of Figures 2 and 3.
BIN_S = 0.5


def throughput(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Table 1: average throughput, Mbit/s of payload over the measured interval.

    Each row has all the evidence there is for its controller and ratio, whichever stack it ran.
    """

    def row(o: Outcome, stack: str, cc: str, ratio: int) -> dict[str, Any]:
        e = estimate([r.flows["goodput_mbps"][0] for r in o.results])
        return {
            **_row(o, e, paper=references.paper_throughput(cc, ratio)),
            "ns3": references.ns3(cc, ratio, "goodput_mbps"),
            "linux": references.linux(cc, ratio, "goodput_mbps"),
        }

    return _table(outcomes, row)


def retransmissions(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Figure 4: retransmitted segments. The kernel ran for half as long, so it has no column."""

    def row(o: Outcome, stack: str, cc: str, ratio: int) -> dict[str, Any]:
        e = estimate([float(r.flows["retransmissions"][0]) for r in o.results])
        ns3 = references.ns3(cc, ratio, "retx_segs") if stack == "ns3" else None
        return _row(o, e) | {"ns3": ns3, "linux": None}

    return _table(outcomes, row)


def throughput_series(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Figure 2: acknowledged payload per bin, Mbit/s."""
    return _series(outcomes, _binned_throughput)


def window_series(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Figure 3: congestion window in packets, mean of each bin."""
    return _series(outcomes, _binned_window)


def _row(o: Outcome, e: Estimate, paper: float | None = None) -> dict[str, Any]:
    return {
        **o.keys,
        "paper": paper,
        "acklab": e.mean,
        "ci_low": e.low,
        "ci_high": e.high,
        "seeds": e.n,
    }


def _table(
    outcomes: Sequence[Outcome],
    row: Callable[[Outcome, str, str, int], dict[str, Any]],
) -> pl.DataFrame:
    import polars as pl

    rows = [row(o, str(o.keys["stack"]), str(o.keys["cc"]), int(o.keys["ratio"])) for o in outcomes]
    floats = dict.fromkeys(("paper", "ns3", "linux"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides=floats, infer_schema_length=None)


def _series(
    outcomes: Sequence[Outcome],
    binned: Callable[[Result], list[tuple[float, float]]],
) -> pl.DataFrame:
    import polars as pl

    rows: list[dict[str, Any]] = []
    for o in outcomes:
        runs = [binned(r) for r in o.results]
        for at in zip(*runs, strict=True):
            e = estimate([value for _, value in at])
            keys = Outcome({**o.keys, "time_s": at[0][0]}, o.results)
            rows.append(_row(keys, e))
    return pl.DataFrame(rows, schema_overrides={"paper": pl.Float64}, infer_schema_length=None)


def _binned_throughput(r: Result) -> list[tuple[float, float]]:
    ends = _bins(r, "acked_bytes", "last")
    before = [0.0, *(v for _, v in ends[:-1])]
    return [(t, (v - b) * 8 / BIN_S / 1e6) for (t, v), b in zip(ends, before, strict=True)]


def _binned_window(r: Result) -> list[tuple[float, float]]:
    return _bins(r, "cwnd_packets", "mean")


def _bins(r: Result, column: str, how: str) -> list[tuple[float, float]]:
    """Samples in (t, t + BIN_S] as one value each; t counts from the start of measuring."""
    import polars as pl

    value = pl.col(column).last() if how == "last" else pl.col(column).mean()
    # Sample times are multiples of 100 ms; half a sample keeps the bins clear of rounding.
    index = ((pl.col("time_s") - START_S - 0.05) / BIN_S).floor().cast(pl.Int64)
    frame = (
        r.series.filter(pl.col("time_s") > START_S + 0.05)
        .group_by(index.alias("bin"), maintain_order=True)
        .agg(value.cast(pl.Float64).alias("value"))
        .sort("bin")
    )
    return [((b + 1) * BIN_S, v) for b, v in frame.iter_rows()]
