"""Of runs that record packets, ACKs or PPDUs: gaps, duplicates, delays, growth, opportunities."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from acklab.studies.values import once_per_run

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: The wire on which ACKs come to the access point, and TCP's SYN flag: no ACK of data.
_WIRE, _SYN = "server->ap", 2
#: A packet of 1024 B with its headers on the slowest link, the radio, ms; and the paper's Te.
LINK_MS, TE_MS = 8 * 1064 / 65e3, 5.0
#: Windows are sampled so often, s; ACKs that are closer than the second came in one frame.
_EVERY_S, _TOGETHER_S = 1e-3, 0.3e-3
#: Few ACKs in a frame, and many.
FEW, MANY = 2, 8
#: Between the frames of an exchange in the band of 5 GHz (IEEE 802.11-2020, table 17-21).
_SIFS_NS = 16_000


@once_per_run
def duplicates(r: Result) -> dict[str, float]:
    """Duplicate ACKs that came, and the share that a filter kept from the sender.

    Counted as a sender counts: of the ACKs with one number the first is news, the others are
    duplicates, whichever of them it was that a filter took out.
    """
    import polars as pl

    each = (
        r.packets.filter(len=0)
        .group_by("point", "packet", "ack")
        .agg(pl.col("what").last().alias("last"), pl.col("reason").last())
    )
    lost = pl.col("last") == "dropped"
    of = each.group_by("point", "ack").agg(
        (pl.len() - 1).alias("came"),
        ((~lost).sum().cast(pl.Int64) - 1).clip(0).alias("passed"),
        (lost & (pl.col("reason") == "ack_thinned")).sum().alias("filtered"),
    )
    # A filter comes first; the rest of those that are missing found no room.
    missing = pl.col("came").cast(pl.Int64) - pl.col("passed")
    filtered = pl.min_horizontal(missing, pl.col("filtered").cast(pl.Int64)).sum().alias("dropped")
    came, dropped = of.select(pl.col("came").sum(), filtered).row(0)
    share = dropped / came if came else 0.0
    return {"duplicates_came": float(came), "duplicates_dropped": share}


@once_per_run
def gaps(r: Result) -> dict[str, float]:
    """Gaps between consecutive ACKs of a flow as they come to the access point."""
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
    found = came.join(rtts, on="flow")
    gap = found["gap"]
    if gap.is_empty():
        return {}
    between = found.filter(gap > TE_MS).select(pl.col("gap") > pl.col("rtt_p99_ms")).to_series()
    return {
        "ack_gap": float(gap.sum()) / gap.len(),
        # One of a hundred is smaller.
        "gap_least": float(gap.quantile(0.01) or 0.0),
        "gaps_below_link": _share(gap < LINK_MS),
        "gaps_within_te": _share(gap <= TE_MS),
        # Gaps within a burst are most of all and never long.
        "gaps_beyond_rtt": _share(between),
    }


def _share(which: pl.Series) -> float:
    return float(which.sum()) / max(which.len(), 1)


@once_per_run
def delays(r: Result) -> dict[str, float]:
    """From an ACK's arrival at the access point to its first transmission, of those sent on."""
    import polars as pl

    acks = r.packets.filter((pl.col("len") == 0) & (pl.col("flags") & _SYN == 0))
    wire = pl.col("point") == _WIRE
    came = acks.filter(wire & (pl.col("what") == "delivered")).select(
        "flow", "packet", pl.col("time_ns").alias("came_ns")
    )
    each = acks.filter(~wire & (pl.col("what") == "left")).join(came, on=["flow", "packet"])
    if each.is_empty():
        return {}
    in_all = int(each["time_ns"].sum()) - int(each["came_ns"].sum())
    return {"rack_delay": in_all / each.height / 1e6}


@once_per_run
def growth(r: Result) -> dict[str, float]:
    """Packets by which windows grow in slow start, for each ACK of a frame, and in a second."""
    grown = _grown(r)
    few, many = grown.filter(grown["acks"] <= FEW), grown.filter(grown["acks"] >= MANY)
    slow_s = float((r.series["state"] == "slow_start").sum()) * _EVERY_S
    return {
        "growth_per_ack_few": float(few["packets"].sum()) / max(float(few["acks"].sum()), 1.0),
        "growth_per_ack_many": float(many["packets"].sum()) / max(float(many["acks"].sum()), 1.0),
        "growth_per_frame_few": _mean(few),
        "growth_per_frame_many": _mean(many),
        "growth_rate": float(grown["packets"].sum()) / max(slow_s, 1e-9),
    }


def _mean(of: pl.DataFrame) -> float:
    return fmean(of["packets"].to_list()) if of.height else 0.0


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
        _beside(of, windows.filter(flow=name).drop("flow"))
        for (name,), of in frames.group_by("flow")
    )
    slow = (pl.col("state") == "slow_start") & (pl.col("state_after") == "slow_start")
    # Where a timeout cut the window in between nothing grew.
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


@once_per_run
def reverse(r: Result) -> dict[str, float]:
    """Of the accesses that the access point answered, how many did not bring an ACK at once.

    Where stations grant the reverse direction, each answer to data, or to a BlockAckReq, is an
    opportunity; a PPDU that the access point sends in it begins a SIFS after its (block) ACK.
    """
    import polars as pl

    columns = ("kind", "from", "to", "time_ns", "end_ns")
    answer, then = ({c: pl.col(c).shift(-k) for c in columns} for k in (1, 2))
    mine = pl.col("from")
    answered = (
        pl.col("kind").is_in(["data", "bar"])
        & (pl.col("to") == "ap")
        & answer["kind"].is_in(["ack", "block_ack"])
        & (answer["to"] == mine)
    )
    brought = (
        (then["kind"] == "data")
        & (then["to"] == mine)
        & (then["time_ns"] - answer["end_ns"] <= _SIFS_NS)
    )
    order = r.ppdus.sort("time_ns")
    found = order.select(answered.alias("answered"), brought.alias("brought")).filter("answered")
    return {"wasted": 1 - int(found["brought"].sum()) / found.height if found.height else 0.0}


@once_per_run
def errors(r: Result) -> dict[str, float]:
    """Of the MPDUs in PPDUs that nothing collided with, those that had to be sent again.

    With one station frames collide from their beginning, so that every MPDU of such a PPDU is
    repeated, and those that are repeated beyond these had bit errors.
    """
    import polars as pl

    stations = r.columns("stations")
    repeated = [int(v) for v in stations["retries"]]
    sent = (
        r.ppdus.filter(kind="data")
        .group_by("from")
        .agg(
            pl.col("mpdus").filter("garbled").sum().alias("collided"),
            pl.col("mpdus").filter(~pl.col("garbled")).sum().alias("alone"),
        )
    )
    of = {row["from"]: row for row in sent.iter_rows(named=True)}
    nothing = {"collided": 0, "alone": 0}
    parts: list[dict[str, int]] = [of.get(name, nothing) for name in stations["station"]]

    def share(which: range) -> float:
        spoilt = sum(repeated[i] - parts[i]["collided"] for i in which)
        return spoilt / max(sum(parts[i]["alone"] for i in which), 1)

    return {"spoilt_data": share(range(1, len(parts))), "spoilt_acks": share(range(1))}
