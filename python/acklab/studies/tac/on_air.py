"""What the PPDUs of a run say: unused reverse opportunities, MPDUs that bit errors spoil."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: The table of a scenario that records them.
RECORD: dict[str, Any] = {"record": {"ppdus": True}}
#: Between the frames of an exchange in the band of 5 GHz (IEEE 802.11-2020, table 17-21).
_SIFS_NS = 16_000
#: The access point's name in every table.
_AP = "ap"


def recorded(r: Result) -> bool:
    """Whether the run has what it takes."""
    return "ppdus" in r.recorded


def counted(r: Result) -> dict[str, float]:
    """The one where there are bit errors, else the other."""
    air = r.columns("airtime")
    noise = dict(zip(air["use"], air["airtime_s"], strict=True))["noise"]
    return _errors(r) if noise > 0 else _reverse(r.ppdus)


def _reverse(ppdus: pl.DataFrame) -> dict[str, float]:
    """Of what stations sent and the access point answered, how much did not bring an ACK at once.

    Where stations grant the reverse direction, each answer to data, or to a BlockAckReq, is an
    opportunity; what the access point sends in it begins a SIFS after its (block) ACK.
    """
    import polars as pl

    order = ppdus.sort("time_ns")
    answer, then = (
        {c: pl.col(c).shift(-k) for c in ("kind", "from", "to", "time_ns", "end_ns")}
        for k in (1, 2)
    )
    mine = pl.col("from")
    answered = order.select(
        (
            pl.col("kind").is_in(["data", "bar"])
            & (pl.col("to") == _AP)
            & answer["kind"].is_in(["ack", "block_ack"])
            & (answer["to"] == mine)
        ).alias("answered"),
        (
            (then["kind"] == "data")
            & (then["to"] == mine)
            & (then["time_ns"] - answer["end_ns"] <= _SIFS_NS)
        ).alias("brought"),
    ).filter("answered")
    offered, used = answered.height, int(answered["brought"].sum())
    return {
        "reverse_offered": float(offered),
        "reverse_wasted_share": 1 - used / offered if offered else 0.0,
    }


def _errors(r: Result) -> dict[str, float]:
    """Of the MPDUs in PPDUs that nothing collided with, those that had to be sent again.

    With one station frames collide from their beginning, so that every MPDU of such a PPDU is
    repeated, and what is repeated beyond those had bit errors.
    """
    import polars as pl

    stations = r.columns("stations")
    repeated: list[int] = [int(v) for v in stations["retries"]]
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

    every = sum(p["collided"] + p["alone"] for p in parts[:1])
    return {
        "errors_share": share(range(1, len(parts))),
        "errors_share_ap": share(range(1)),
        "collided_share_ap": parts[0]["collided"] / max(every, 1),
    }
