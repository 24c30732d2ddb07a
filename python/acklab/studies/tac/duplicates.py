"""Whether duplicate ACKs pass: counted from what a run recorded of some ways to stations.

Counted as a sender counts: of the ACKs with one number the first is news, the others duplicates,
whichever of them it was that a filter took out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acklab.results import Result

#: Flows of which a run records the ACKs, where duplicates are counted.
WATCHED = ("ap->sta0", "ap->sta1")
#: The table of a scenario that records them.
RECORD: dict[str, Any] = {"record": {"packets": list(WATCHED)}}


def recorded(r: Result) -> bool:
    """Whether the run has what it takes."""
    return bool(r.columns("packets")["ack"].size)


def counted(r: Result) -> dict[str, float]:
    """Duplicates that came and the share that a filter, or a full queue, kept from the sender."""
    import polars as pl

    first, last = pl.col("what").first(), pl.col("what").last()
    each = (
        r.packets.filter(len=0)
        .group_by("point", "packet", "ack")
        .agg(first.alias("first"), last.alias("last"), pl.col("reason").last())
    )
    lost = pl.col("last") == "dropped"
    of = each.group_by("point", "ack").agg(
        (pl.len() - 1).alias("came"),
        ((~lost).sum().cast(pl.Int64) - 1).clip(0).alias("passed"),
        (lost & (pl.col("reason") == "ack_thinned")).sum().alias("filtered"),
        lost.sum().alias("lost"),
    )
    # What a filter took out comes first; the rest of what is missing found no room.
    missing = pl.col("came").cast(pl.Int64) - pl.col("passed")
    by_filter = pl.min_horizontal(missing, pl.col("filtered").cast(pl.Int64))
    totals = of.select(
        pl.col("came").sum(), missing.sum().alias("missing"), by_filter.sum().alias("filtered")
    ).row(0, named=True)
    came = float(totals["came"])
    return {
        "duplicates_came": came,
        "duplicates_dropped_share": totals["filtered"] / came if came else 0.0,
        "duplicates_missing_share": totals["missing"] / came if came else 0.0,
    }
