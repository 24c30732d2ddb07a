"""Quantities of a recorded run of two flows; the axis `flow` counts them from 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from acklab.results import Result, frame_of
from acklab.studies.kit.quantity import quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.values import once_per_run

from . import recorded_wired as of

if TYPE_CHECKING:
    import polars as pl

#: Flags of a SYN-ACK.
SYN_ACK = 0x12


def _each(r: Result, measure: Callable[[int], float | None]) -> dict[int, float]:
    found = {i + 1: measure(i) for i in (0, 1)}
    return {i: v for i, v in found.items() if v is not None}


@once_per_run
def _series(r: Result, i: int) -> pl.DataFrame:
    return r.series.filter(r.series["flow"] == of.flow(r, i)["flow"])


def _column(r: Result, name: str) -> dict[int, float]:
    return _each(r, lambda i: float(of.flow(r, i)[name] or 0.0))  # type: ignore[arg-type]


@quantity("Mbit/s", "pair_traces", axis="flow")
def flow_rate(r: Result) -> dict[int, float]:
    """Goodput of each flow."""
    return _column(r, "goodput_mbps")


@quantity("segments", "pair_traces", digits=0, axis="flow")
def data_segments(r: Result) -> dict[int, float]:
    """Segments of data that each flow sent."""
    return _column(r, "data_segments")


@quantity("", "pair_traces", digits=4, axis="flow")
def lost_share(r: Result) -> dict[int, float]:
    """The share of the segments sent that each flow marked lost."""
    sent, lost = _column(r, "data_segments"), _column(r, "lost_segments")
    return {i: lost[i] / n for i, n in sent.items() if n}


@quantity("reductions", "pair_traces", digits=0, axis="flow")
def flow_reductions(r: Result) -> dict[int, float]:
    """Reductions of each window per minute, timeouts among them."""
    events = of.events(r, "recovery_enter")["flow"]
    names = [of.flow(r, i)["flow"] for i in (0, 1)]
    return {i + 1: float((events == n).sum()) * 60 / of.seconds(r) for i, n in enumerate(names)}


@quantity("packets", "pair_traces", digits=0, axis="flow")
def flow_window(r: Result) -> dict[int, float]:
    """Each window's median after 8 s."""
    return _each(r, lambda i: of.median(of.settled(_series(r, i))["cwnd_packets"]))


@quantity("ms", "pair_traces", digits=1, axis="flow")
def flow_rtt(r: Result) -> dict[int, float]:
    """Each flow's median smoothed RTT after 8 s."""
    return _each(r, lambda i: of.median(of.settled(_series(r, i))["srtt_ms"]))


@quantity("ms", "pair_traces", digits=1, axis="flow")
def flow_base(r: Result) -> dict[int, float]:
    """Each flow's smallest smoothed RTT."""
    return _each(r, lambda i: _series(r, i)["srtt_ms"].drop_nulls().min())  # type: ignore[arg-type,return-value]


@quantity("packets/s", "pair_traces", digits=1, axis="flow", signed=True)
def flow_growth(r: Result) -> dict[int, float]:
    """Packets by which each window grows per second, its reductions left out."""
    return _each(r, lambda i: of.growth(of.settled(_series(r, i))))


@quantity("SYN-ACKs", "pair_traces", digits=0, axis="flow")
def syn_acks_dropped(r: Result) -> dict[int, float] | None:
    """SYN-ACKs of each flow that the queue dropped."""
    if "packets" not in r.recorded:
        return None
    columns = r.columns("packets")
    at = frame_of({k: columns[k] for k in ("flow", "what", "flags")})
    gone = at.filter(flags=SYN_ACK, what="dropped")["flow"]
    return _each(r, lambda i: float((gone == of.flow(r, i)["flow"]).sum()))


PAIR_TRACES = tuple(q for q in list(vars().values()) if isinstance(q, Quantity))
