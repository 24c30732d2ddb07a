"""How windows grow in slow start by the ACKs that one frame brings.

From windows sampled every millisecond and the ACKs that senders received. ACKs of a frame arrive
within a fraction of a millisecond of each other, those of the next one later than a sample.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

_EVERY_S = 1e-3
#: The table of a scenario that records it.
RECORD: dict[str, Any] = {"record": {"every": f"{1e3 * _EVERY_S:g} ms", "acks": True}}
#: ACKs that are closer than this came in one frame; of 16 with one after the other it takes 0.2 ms.
_TOGETHER_S = 0.3e-3
#: Few ACKs in a frame, and many.
FEW, MANY = 2, 8


def recorded(r: Result) -> bool:
    """Whether the run has what it takes."""
    return "acks" in r.recorded and "series" in r.recorded


def measured(r: Result) -> dict[str, float]:
    """Packets by which a window grew, for each ACK of a frame, and for each second."""
    grown = _grown(r)
    few, many = (
        grown.filter(grown["acks"] <= FEW),
        grown.filter(grown["acks"] >= MANY),
    )
    return {
        "growth_per_ack_few": _per_ack(few),
        "growth_per_ack_many": _per_ack(many),
        "growth_per_frame_few": _mean(few, "packets"),
        "growth_per_frame_many": _mean(many, "packets"),
        "acks_per_frame_few": _mean(few, "acks"),
        "acks_per_frame_many": _mean(many, "acks"),
        "growth_packets_per_s": float(grown["packets"].sum()) / max(_slow_start_s(r), 1e-9),
    }


def _grown(r: Result) -> pl.DataFrame:
    """A row for each frame of ACKs that came in slow start: how many ACKs, how much growth."""
    import polars as pl

    acks = r.acks.filter(what="received").sort("flow", "time_s")
    apart = (pl.col("time_s").diff().over("flow") > _TOGETHER_S).fill_null(True)
    frames = (
        acks.with_columns(apart.cum_sum().over("flow").alias("frame"))
        .group_by("flow", "frame")
        .agg(
            pl.col("time_s").min().alias("begin"),
            pl.col("time_s").max().alias("end"),
            pl.len().alias("acks"),
        )
    )
    windows = r.series.select("time_s", "flow", "cwnd_packets", "state")
    both = pl.concat(
        [
            _beside(of, windows.filter(flow=name).drop("flow"))
            for (name,), of in frames.group_by("flow")
        ]
    )
    slow = (pl.col("state") == "slow_start") & (pl.col("state_after") == "slow_start")
    # What a timeout cut in between did not grow.
    kept = both.filter(slow & (pl.col("after") >= pl.col("cwnd_packets")))
    return kept.select("acks", (pl.col("after") - pl.col("cwnd_packets")).alias("packets"))


def _beside(frames: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """The last sample of a flow's window before each frame and the first one after it."""
    order = windows.sort("time_s")
    later = order.rename({"cwnd_packets": "after", "state": "state_after"})
    before = frames.sort("begin").join_asof(
        order, left_on="begin", right_on="time_s", strategy="backward"
    )
    return before.sort("end").join_asof(later, left_on="end", right_on="time_s", strategy="forward")


def _slow_start_s(r: Result) -> float:
    """How long windows were in slow start, over all flows."""
    return float((r.series["state"] == "slow_start").sum()) * _EVERY_S


def _per_ack(of: pl.DataFrame) -> float:
    return float(of["packets"].sum()) / max(float(of["acks"].sum()), 1.0)


def _mean(of: pl.DataFrame, column: str) -> float:
    return fmean(of[column].to_list()) if of.height else 0.0
