"""What each run over the air shows, seed by seed: verdicts compare runs of the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import pstdev
from typing import TYPE_CHECKING, Any

from acklab.studies.ack_aggregation.cells import START_S
from acklab.studies.ack_aggregation.wireless import tables
from acklab.studies.study import Artefact, Outcome
from acklab.studies.values import of_flow

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Of `tables.QUANTITIES`, those that a verdict compares.
COMPARED = (
    "cwnd_max_packets",
    "cwnd_mean_packets",
    "contention_share",
    "data_share",
    "idle_share",
    "mac_ack_share",
    "mpdus_per_ppdu",
    "rate_swing",
    "retransmissions",
    "rtt_mean_ms",
    "rtt_min_ms",
    "segments_per_access",
    "window_growth_packets_per_s",
    "window_late_packets",
)


def rtt_deviation(r: Result) -> float | None:
    """Standard deviation of the sampled RTTs, ms, of the second half; `None` unless sampled.

    A percentile of a clock in whole ms is one of its ticks; this tells how often each is met.
    """
    if r.series.is_empty():
        return None
    length = float(r.series["time_s"].max()) - START_S  # type: ignore[arg-type]
    later = r.series.filter(r.series["time_s"] >= START_S + length / 2)
    samples = later["rtt_ms"].drop_nulls().to_list()
    return pstdev(samples) if samples else None


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Goodput, `COMPARED` and the RTT's deviation of every seed."""
    import polars as pl

    of = {
        "goodput_mbps": lambda r: float(of_flow(r, "goodput_mbps")),
        **{name: tables.QUANTITIES[name] for name in COMPARED},
        "rtt_deviation_ms": rtt_deviation,
    }
    rows: list[dict[str, Any]] = [
        {**o.keys, "seed": r.seed, "quantity": name, "value": read(r)}
        for o in outcomes
        for name, read in of.items()
        for r in o.results
    ]
    return pl.DataFrame(rows, schema_overrides={"value": pl.Float64}, infer_schema_length=None)


ARTEFACTS = (
    Artefact("wifi-runs", "Run by run, by MAC aggregation", table, group="wifi-aggregation"),
    Artefact("wifi-size-runs", "Run by run, by A-MPDU limit", table, group="wifi-ampdu"),
)
