"""From outcomes to the rows of Tables 1 to 3 and Figures 2 to 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from acklab.stats import AMOUNT, SHARE, Estimate, estimate
from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.cells import START_S
from acklab.studies.study import Outcome
from acklab.studies.values import goodputs, of_flow, of_link

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Width of the bins of Figures 2 and 3.
BIN_S = 0.5


def throughput(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Table 1: average throughput, Mbit/s of payload over the measured interval.

    Each row has all the evidence there is for its controller and ratio in a set-up like its own:
    the stated one, whichever stack it ran, or the inferred one.
    """

    def row(o: Outcome, stack: str, cc: str, ratio: int) -> dict[str, Any]:
        e = estimate([of_flow(r, "goodput_mbps") for r in o.results], within=AMOUNT)
        return {
            **_row(o, e, paper=references.paper_throughput(cc, ratio)),
            "ns3": _ns3_throughput(stack, cc, ratio),
            "linux": _linux_throughput(stack, cc, ratio),
        }

    return _table(outcomes, row)


def _ns3_throughput(stack: str, cc: str, ratio: int) -> float | None:
    """ns-3 in the set-up of the row; for the Linux stack that of the thesis's text."""
    if stack == "thesis":
        return references.ns3_thesis(cc, ratio)
    return references.ns3(cc, ratio, "goodput_mbps")


def _linux_throughput(stack: str, cc: str, ratio: int) -> float | None:
    """The kernel's runs are of the set-up as stated."""
    return None if stack == "thesis" else references.linux(cc, ratio, "goodput_mbps")


def identical_pairs(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Table 2: Jain's index of two flows with the same controller."""
    return _fairness(outcomes, same=True)


def mixed_pairs(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Table 3: Jain's index of two flows with different controllers."""
    return _fairness(outcomes, same=False)


def _fairness(outcomes: Sequence[Outcome], same: bool) -> pl.DataFrame:
    """`first` and `second` are the goodputs of the pair's flows, Mbit/s."""
    import polars as pl

    rows = []
    for o in outcomes:
        pair, ratio = str(o.keys["pair"]), int(o.keys["ratio"])
        a, b = pair.split("-")
        if (a == b) != same:
            continue
        flows = [goodputs(r) for r in o.results]
        row = _row(
            o,
            estimate([jain(f) for f in flows], within=SHARE),
            references.paper_fairness(pair, ratio),
        )
        both = {
            name: estimate([f[i] for f in flows], within=AMOUNT).mean
            for i, name in enumerate(("first", "second"))
        }
        ns3 = references.ns3_thesis_fairness(pair, ratio) if o.keys["stack"] == "thesis" else None
        rows.append(row | {"ns3": ns3, "linux": None} | both)
    floats = dict.fromkeys(("paper", "ns3", "linux"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides=floats, infer_schema_length=None)


def jain(rates: Sequence[float]) -> float:
    """Jain's index: 1 for equal rates, 1/n if one flow has everything (Jain, Chiu, Hawe, 1984)."""
    squares = sum(x * x for x in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares > 0 else 0.0


#: What a mechanism shows, and how it is read from a run.
QUANTITIES: dict[str, Callable[[Result], float | None]] = {
    "first_data_s": lambda r: _first_data(r),
    "segments_per_ack": lambda r: of_flow(r, "segments_per_ack"),
    "released_by_timer": lambda r: of_link(r, "acks_by_timer", "right->left"),
    "queue_max_packets": lambda r: of_link(r, "queue_max_packets", "left->right"),
    "rtt_min_ms": lambda r: of_flow(r, "rtt_min_ms"),
    "rtt_mean_ms": lambda r: of_flow(r, "rtt_mean_ms"),
    "cwnd_mean_packets": lambda r: of_flow(r, "cwnd_mean_packets"),
    "rtos": lambda r: float(of_flow(r, "rtos")),
}


def mechanism(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """What lies behind the throughput, each quantity in its own rows.

    `first_data_s` is when the first data were acknowledged, `segments_per_ack` what the sender
    sees, `released_by_timer` how many releases were the timer's. Runs without a value do not count.
    """
    import polars as pl

    rows = [
        _row(
            Outcome({**o.keys, "quantity": name}, o.results),
            estimate([v for r in o.results if (v := of(r)) is not None], within=AMOUNT),
        )
        for o in outcomes
        for name, of in QUANTITIES.items()
    ]
    return pl.DataFrame(rows, schema_overrides={"paper": pl.Float64}, infer_schema_length=None)


def _first_data(r: Result) -> float:
    """Seconds from the planned start; the whole run if nothing was ever acknowledged."""
    at = r.series["time_s"].filter(r.series["acked_bytes"] > 0).min()
    last = r.series["time_s"].max()
    return float(at if at is not None else last) - START_S  # type: ignore[arg-type]


def retransmissions(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Figure 4: retransmitted segments. The kernel ran for half as long, so it has no column."""

    def row(o: Outcome, stack: str, cc: str, ratio: int) -> dict[str, Any]:
        e = estimate([float(of_flow(r, "retransmissions")) for r in o.results], within=AMOUNT)
        ns3 = references.ns3(cc, ratio, "retx_segs") if stack == "ns3" else None
        return _row(o, e, references.paper_retransmissions(cc)) | {"ns3": ns3, "linux": None}

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
            e = estimate([value for _, value in at], within=AMOUNT)
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
