"""The packets of an end of TACK as qlog's events of packets.

The schema is `docs/schema/tack-qlog.cddl`: QUIC's events where they mean the same, TACK's own
frames in them, and events of its own (`tack:...`).
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from acklab.formats.scoreboard import Scoreboard, as_ranges

if TYPE_CHECKING:
    import polars as pl

#: Nanoseconds, name, data.
Event = tuple[int, str, dict[str, Any]]

#: Why a segment was sent again: "reported" is by an IACK or a TACK.
SENT_BECAUSE = {"dupack": "reported", "rto": "retransmit_timeout", "tlp": "pto_probe"}

#: Names of the receiver's estimates in the table `reports`, and factors to the units of qlog.
ESTIMATES = {
    "max_delivery_rate": ("bw_mbps", 1e6),
    "data_loss_rate": ("rho", 1.0),
    "ack_loss_rate": ("rho_ack", 1.0),
    "rtt_min": ("known_rtt_min_ms", 1.0),
    "tack_interval": ("tack_interval_ms", 1.0),
    "tack_frequency": ("tack_hz", 1.0),
}


class _Sent:
    """The bytes that one end has sent of its stream, as the other's reports tell."""

    def __init__(self) -> None:
        self._board = Scoreboard()
        self._highest = 0
        #: Segments under way: first and last offset of each number, in the order of sending.
        self._outstanding: dict[int, tuple[int, int]] = {}
        self._lost: set[int] = set()

    def send(self, number: int, frame: dict[str, Any]) -> bool:
        """A packet with data leaves; whether its bytes were sent before."""
        start: int = frame["offset"]
        end: int = start + frame["length"] + frame.get("fin", False)
        for repeated in self._board.send(start, end, number):
            self._forget(repeated)
        self._outstanding[number] = (start, end)
        again, self._highest = end <= self._highest, max(self._highest, end)
        return again

    def _forget(self, number: int) -> None:
        self._outstanding.pop(number, None)
        self._lost.discard(number)

    def acknowledge(self, report: dict[str, Any]) -> list[int]:
        """The numbers that a report says have arrived, as far as that is news."""
        news = self._board.acknowledge(report["cumulative"], report.get("acked", []))
        for number in news:
            self._forget(number)
        return news

    def lose(self, reports: list[dict[str, Any]], count: int) -> Iterator[tuple[int, str]]:
        """The `count` numbers that reports have shown to be lost, and by what.

        An IACK names numbers. A TACK names offsets: those are lost whose number is settled, then
        those that were sent longest ago.
        """
        # Nearly every packet: looking through all that is under way would cost the square of it.
        if count == 0:
            return
        iacks = [r["lost"] for r in reports if r["frame_type"] == "iack" and "lost" in r]
        tacks = [r for r in reports if r["frame_type"] == "tack"]
        found = [(n, "iack") for n in self._outstanding if _among(n, iacks)]
        for settled in (True, False):
            known = {n for n, _ in found}
            found += [
                (number, "tack")
                for number, (start, end) in self._outstanding.items()
                for tack in tacks
                if number not in known
                and settled == (number <= tack["settled"])
                and any(low < end and start < high for low, high in tack["unacked"])
            ]
        yield from self._mark(found, count)

    def lose_all(self, count: int) -> Iterator[tuple[int, str]]:
        """Everything under way is given up."""
        if count == 0:
            return
        yield from self._mark([(n, "pto_expired") for n in self._outstanding], count)

    def _mark(self, found: list[tuple[int, str]], count: int) -> Iterator[tuple[int, str]]:
        fresh = [(n, why) for n, why in found if n not in self._lost][:count]
        self._lost.update(n for n, _ in fresh)
        yield from sorted(fresh)


def _among(number: int, ranges: Iterable[list[int]]) -> bool:
    return any(first <= number <= last for first, last in ranges)


def tamed_events(packets: pl.DataFrame, told: pl.DataFrame, node: str) -> Iterator[Event]:
    """Packets that the end at `node` sent and got, and its losses.

    `packets` are the flow's at any point, with `number`, `feedback`, `frames` and `trigger` (why a
    TACK or IACK was sent); `told` are the end's events with their `time_ns`, if it is the sender.
    """
    causes, losses = _causes(told)
    here, there = _Sent(), _Sent()
    for row in _at(packets, node).iter_rows(named=True):
        time, sends = row["time_ns"], row["what"] == "sent"
        frames = json.loads(row["frames"])
        data, reports = _packet(row, frames), [f for f in frames if "cumulative" in f]
        mine, other = (here, there) if sends else (there, here)
        again = [mine.send(row["number"], f) for f in frames if f["frame_type"] == "stream"]
        news = sorted({n for r in reports for n in other.acknowledge(r)})
        if news:
            ranges = [list(r) for r in as_ranges(news)]
            data["frames"].append({"frame_type": "ack", "acked_ranges": ranges})
        if not sends:
            yield time, "transport:packet_received", data
            for number, why in here.lose(reports, _popped(losses["ack", time])):
                yield time, "recovery:packet_lost", _lost(number, why)
            continue
        for number, why in here.lose_all(_popped(losses["rto", time])):
            yield time, "recovery:packet_lost", _lost(number, why)
        if any(again) and causes[time]:
            data["trigger"] = SENT_BECAUSE[causes[time].popleft()]
        yield time, "transport:packet_sent", data


def _popped(counts: deque[int]) -> int:
    return counts.popleft() if counts else 0


Counts = dict[tuple[str, int], deque[int]]


def _causes(told: pl.DataFrame) -> tuple[dict[int, deque[str]], Counts]:
    """Causes of retransmissions by their time, and how many segments were lost by what and when."""
    causes: dict[int, deque[str]] = defaultdict(deque)
    losses: Counts = defaultdict(deque)
    for row in told.iter_rows(named=True):
        if row["event"] == "retransmit":
            causes[row["time_ns"]].append(row["cause"])
        elif row["event"] == "loss_detected":
            losses[row["cause"], row["time_ns"]].append(int(row["value"]))
    return causes, losses


def _at(packets: pl.DataFrame, node: str) -> pl.DataFrame:
    """Packets as they pass a node."""
    import polars as pl

    passing = pl.col("what").is_in(["sent", "delivered"])
    return packets.filter((pl.col("point") == node) & passing)


def _header(number: int, feedback: bool) -> dict[str, Any]:
    # PKT.SEQ is called 1RTT, whose packets QUIC's tools draw.
    space, kind = ("feedback", "unknown") if feedback else ("data", "1RTT")
    return {"packet_type": kind, "packet_number": number, "space": space}


def _packet(row: dict[str, Any], frames: list[dict[str, Any]]) -> dict[str, Any]:
    trigger = {"trigger": row["trigger"]} if row["trigger"] else {}
    return {
        "header": _header(row["number"], bool(row["feedback"])),
        "raw": {"length": row["size"], "payload_length": row["len"]},
        "frames": list(frames),
        **trigger,
    }


def _lost(number: int, why: str) -> dict[str, Any]:
    return {"header": _header(number, False), "trigger": why}


def estimate_events(reports: pl.DataFrame) -> Iterator[Event]:
    """The receiver's knowledge of the path once a report has left, as far as it is news."""
    last: dict[str, Any] = {}
    for row in reports.iter_rows(named=True):
        known = {
            name: row[column] * factor
            for name, (column, factor) in ESTIMATES.items()
            if row[column] is not None
        }
        known["max_delivery_rate"] = round(known["max_delivery_rate"])
        known["start_up"] = bool(row["start_up"])
        changed = {k: v for k, v in known.items() if v != last.get(k)}
        if changed:
            last |= changed
            yield row["time_ns"], "tack:estimates_updated", changed
