"""How far apart the ACKs of a flow come to the access point, as some recorded ways have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: What a packet of 1024 B with its headers takes on the slowest link, the radio: ms.
LINK_MS = 8 * 1064 / 65e3
#: The paper's Te, within which the ACKs of a burst follow each other, ms.
TE_MS = 5.0


def record(stations: int) -> dict[str, Any]:
    """The table of a scenario that records the ways to all of them."""
    return {"record": {"packets": [f"ap->sta{i}" for i in range(stations)]}}


def measured(r: Result) -> dict[str, float]:
    """Gaps between consecutive ACKs of the recorded flows, whether they found room or not."""
    import polars as pl

    came = (
        r.packets.filter(len=0)
        .group_by("point", "packet")
        .agg(pl.col("time_ns").min(), pl.col("flow").first())
        .sort("point", "time_ns")
        .with_columns(((pl.col("time_ns").diff().over("point")) / 1e6).alias("gap"))
        .drop_nulls("gap")
    )
    rtts: Any = r.flows.select("flow", pl.col("rtt_p99_ms").fill_null(0.0))
    gaps = came.join(rtts, on="flow")
    gap = gaps["gap"]
    if gap.is_empty():
        return {}
    return {
        "gap_mean_ms": float(gap.sum()) / gap.len(),
        # One of a hundred is smaller.
        "gap_least_ms": float(gap.quantile(0.01) or 0.0),
        "gaps_below_link_share": _share(gap < LINK_MS),
        "gaps_beyond_rtt_share": _share(gap > gaps["rtt_p99_ms"]),
        "gaps_within_te_share": _share(gap <= TE_MS),
        # Gaps within a burst are most of all and never long.
        "gaps_between_beyond_rtt_share": _share(
            gaps.filter(gap > TE_MS).select(pl.col("gap") > pl.col("rtt_p99_ms")).to_series()
        ),
    }


def _share(which: pl.Series) -> float:
    return float(which.sum()) / max(which.len(), 1)
