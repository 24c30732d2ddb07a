"""The packets of a TCP sender as qlog's events of packets."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from acklab.formats.scoreboard import Scoreboard, as_ranges

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from acklab.formats.ends import Ends

#: Nanoseconds, name, data.
Event = tuple[int, str, dict[str, Any]]

FIN, SYN, ACK = 0x01, 0x02, 0x10

#: Why a packet was sent, and why what it repeats was taken for lost: the words of qlog.
SENT_BECAUSE = {
    "rack": "retransmit_reordered",
    "dupack": "retransmit_reordered",
    "rto": "retransmit_timeout",
    "tlp": "pto_probe",
}
LOST_BECAUSE = {"rack": "time_threshold", "dupack": "reordering_threshold", "rto": "pto_expired"}


class _Side:
    """The bytes that one end has sent, as the other one's acknowledgements tell."""

    def __init__(self) -> None:
        self.board = Scoreboard()
        self._sent = 0
        self._highest = -1

    def transmit(self, row: dict[str, Any]) -> tuple[int, list[int]]:
        """Numbers a packet; says which earlier ones it repeats."""
        number = self._sent
        self._sent += 1
        start = row["offset"]
        end = start + row["len"] + bool(row["flags"] & SYN) + bool(row["flags"] & FIN)
        self._highest = max(self._highest, end)
        return number, self.board.send(start, end, number) if end > start else []

    def repeats(self, row: dict[str, Any]) -> bool:
        """Whether a packet with data has nothing but what was sent before."""
        return bool(0 < row["len"] <= self._highest - row["offset"])


def packet_events(packets: pl.DataFrame, told: pl.DataFrame, ends: Ends) -> Iterator[Event]:
    """Packets sent, received and lost at the sender of a flow.

    `packets` are the flow's at any point, `told` its events with their `time_ns`.
    """
    causes = _causes(told)
    here, there = _Side(), _Side()
    for row in _at_sender(packets, ends).iter_rows(named=True):
        time = row["time_ns"]
        sends = row["what"] == "sent"
        sender, receiver = (here, there) if sends else (there, here)
        again = sends and here.repeats(row)
        number, repeated = sender.transmit(row)
        data = _packet(number, row, receiver.board)
        if not sends:
            yield time, "transport:packet_received", data
            continue
        cause = causes[time].popleft() if again and causes[time] else None
        if cause != "tlp":
            for lost in repeated:
                yield time, "recovery:packet_lost", _lost(lost, cause)
        if cause:
            data["trigger"] = SENT_BECAUSE[cause]
        yield time, "transport:packet_sent", data


def _causes(told: pl.DataFrame) -> dict[int, deque[str]]:
    """Causes of retransmissions by their time, in the order of the packets."""
    import polars as pl

    causes: dict[int, deque[str]] = defaultdict(deque)
    for row in told.filter(pl.col("event") == "retransmit").iter_rows(named=True):
        causes[row["time_ns"]].append(row["cause"])
    return causes


def _packet(number: int, row: dict[str, Any], acknowledged: Scoreboard) -> dict[str, Any]:
    return {
        "header": _number(number),
        "raw": {"length": row["size"], "payload_length": row["len"]},
        "frames": [*_ack_frame(row, acknowledged), *_stream_frame(row)],
    }


def _number(number: int) -> dict[str, Any]:
    # QUIC's numbers start again for other types; one type is one sequence of numbers.
    return {"packet_type": "1RTT", "packet_number": number}


def _lost(number: int, cause: str | None) -> dict[str, Any]:
    trigger = {"trigger": LOST_BECAUSE[cause]} if cause else {}
    return {"header": _number(number), **trigger}


def _ack_frame(row: dict[str, Any], board: Scoreboard) -> Iterator[dict[str, Any]]:
    if not row["flags"] & ACK:
        return
    upto, edges = row["upto"], row["sack"]
    # Edges of blocks are given modulo 2^32, and are near the acknowledgement.
    near = [upto + _signed(edge - row["ack"]) for edge in edges]
    blocks = zip(near[::2], near[1::2], strict=True)
    ranges = as_ranges(board.acknowledge(upto, blocks))
    if ranges:
        yield {"frame_type": "ack", "acked_ranges": [list(r) for r in ranges]}
    elif not row["len"]:
        yield {"frame_type": "ack"}


def _stream_frame(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    flags = row["flags"]
    if flags & SYN:
        # Carries nothing and is acknowledged.
        yield {"frame_type": "ping"}
    elif row["len"] or flags & FIN:
        fin = {"fin": True} if flags & FIN else {}
        frame = {"frame_type": "stream", "stream_id": 0, "offset": row["offset"]}
        yield frame | {"length": row["len"]} | fin


def _at_sender(packets: pl.DataFrame, ends: Ends) -> pl.DataFrame:
    """Packets as they pass the sender, with `offset` and `upto`: 64-bit and from the first byte."""
    import polars as pl

    sent, received = pl.col("what") == "sent", pl.col("what") == "delivered"
    rows = packets.filter((pl.col("point") == ends.sender) & (sent | received))
    out = (rows["what"] == "sent").to_numpy()
    seq, ack = rows["seq"].to_numpy(), rows["ack"].to_numpy()
    acks = (rows["flags"] & ACK).to_numpy() > 0
    offset, upto = _zeros(len(rows)), _zeros(len(rows))
    for side in (out, ~out):
        if not side.any():
            continue
        # The first is a SYN, whose number is the one before the first byte's.
        isn = int(seq[side][0])
        offset[side] = _unwrapped(isn, seq[side]) - 1
        upto[~side & acks] = _unwrapped(isn, ack[~side & acks]) - 1
    return rows.with_columns(offset=pl.Series(offset), upto=pl.Series(upto))


def _zeros(length: int) -> np.ndarray[Any, Any]:
    import numpy as np

    return np.zeros(length, dtype=np.int64)


def _unwrapped(origin: int, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Distances from `origin` of 32-bit numbers, successive ones less than 2^31 apart."""
    import numpy as np

    steps = np.diff(numbers.astype(np.int64), prepend=origin)
    return np.cumsum((steps + (1 << 31)) % (1 << 32) - (1 << 31))


def _signed(difference: int) -> int:
    return (difference + (1 << 31)) % (1 << 32) - (1 << 31)
