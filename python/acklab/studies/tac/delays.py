"""How long a representative ACK is in the access point: from its arrival to its first transmission.

That is what the filter holds it back and what it then waits in the queue, of ACKs that went on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acklab.results import Result

#: The way on which ACKs come to the access point.
_WIRE = "server->ap"
#: TCP's SYN flag: no ACK of data.
_SYN = 2


def record(stations: int) -> dict[str, Any]:
    """The table of a scenario that records the wire and the ways to all stations."""
    return {"record": {"packets": [_WIRE, *(f"ap->sta{i}" for i in range(stations))]}}


def recorded(r: Result) -> bool:
    """Whether the run has what it takes."""
    return bool((r.packets["point"] == _WIRE).any())


def measured(r: Result) -> dict[str, float]:
    """The mean over ACKs that were transmitted; nothing where none was."""
    import polars as pl

    acks = r.packets.filter((pl.col("len") == 0) & (pl.col("flags") & _SYN == 0))
    wire = pl.col("point") == _WIRE
    came = acks.filter(wire & (pl.col("what") == "delivered")).select(
        "flow", "packet", pl.col("time_ns").alias("came_ns")
    )
    left = acks.filter(~wire & (pl.col("what") == "left"))
    each = left.join(came, on=["flow", "packet"])
    if each.is_empty():
        return {}
    in_all = int(each["time_ns"].sum()) - int(each["came_ns"].sum())
    return {"rack_delay_ms": in_all / each.height / 1e6}
