"""The quantities of a run: throughput, fairness, lost ACKs, and uses of the air.

Shares are between 0 and 1; those of the air are of the time after the start. The loss rate of a
flow's ACKs is the part for which the access point's queue had no room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from statistics import correlation, fmean, pstdev
from typing import TYPE_CHECKING, Any

from acklab.metrics import jain_index
from acklab.studies.ack_compression import recorded
from acklab.studies.ack_compression.setup import START_S
from acklab.studies.ack_compression.stacks import SEGMENT
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.values import once_per_run

if TYPE_CHECKING:
    from acklab.results import Result

#: The paper's limits of a small and of a serious ACK loss rate (section II).
SMALL, SERIOUS = 0.02, 0.12
#: A flow is starved that has less than this part of an even share.
STARVED = 0.25
#: How the ways from the access point to stations begin.
_DOWN = "ap->sta"
#: Uses of the air where there are no bit errors.
USES = (
    *("data", "transport_ack", "mac_ack", "control"),
    *("sifs", "contention", "collision", "idle"),
)


@once_per_run
def _down(r: Result) -> list[dict[str, float]]:
    """The ways down, a row each."""
    links = r.columns("links")
    return [
        {name: _number(links[name][i]) for name in links if name not in ("link", "queue")}
        for i, way in enumerate(links["link"])
        if way.startswith(_DOWN)
    ]


@once_per_run
def losses(r: Result) -> list[float]:
    """The ACK loss rate of each flow, in the order of stations."""
    return [d["drops_queue_full"] / max(d["packets_in"], 1) for d in _down(r)]


@once_per_run
def flows(r: Result) -> dict[str, float]:
    """Of all flows."""
    of = r.columns("flows")
    goodputs = [float(v) for v in of["goodput_mbps"]]
    named = zip(of["flow"], goodputs, strict=True)
    uploads = [g for name, g in named if name.startswith("upload")]
    even = fmean(goodputs)
    sent, timeouts = _total(of["data_segments"]), _numbers(of["rtos"])
    return {
        "uploads": sum(uploads),
        "uploads_jain": jain_index(uploads) or 0.0,
        "downloads": sum(goodputs) - sum(uploads),
        "throughput": sum(goodputs),
        "jain": jain_index(goodputs) or 0.0,
        "worst_share": min(goodputs) / even if even else 0.0,
        "starved": float(sum(g < STARVED * even for g in goodputs)),
        "rtt": _mean(of["rtt_mean_ms"]),
        "rtt_median": _mean(of["rtt_p50_ms"]),
        "window_sd": pstdev(_windows(r)),
        "timeouts": sum(timeouts),
        "timeouts_of_poorer": _of_poorer_half(goodputs, timeouts),
        "duplicate_data": _total(of["duplicate_segments"]) / max(sent, 1),
        "out_of_order": _total(of["out_of_order_segments"]) / max(sent, 1),
        "repeated_early": _total(of["retransmissions_dupack"]) + _total(of["retransmissions_rack"]),
        "segments_per_ack": sent / max(_total(of["acks_received"]), 1),
    }


@once_per_run
def _windows(r: Result) -> list[float]:
    """The packets that each flow has in flight, by Little's law.

    A window that ACKs let grow beyond the receiver's says nothing about that.
    """
    of = r.columns("flows")
    each = zip(_numbers(of["goodput_mbps"]), _numbers(of["rtt_mean_ms"]), strict=True)
    return [1e6 * g / (8 * SEGMENT) * rtt / 1e3 for g, rtt in each]


@once_per_run
def lost(r: Result) -> dict[str, float]:
    """Of Figure 3: loss rates of flows, and how goodputs go with them."""
    return of_losses(losses(r), _numbers(r.columns("flows")["goodput_mbps"]))


def of_losses(rates: Sequence[float], goodputs: Sequence[float]) -> dict[str, float]:
    """The same from loss rates and goodputs of flows."""
    return {
        "flows_without_loss": float(sum(v == 0 for v in rates)),
        "loss_correlation": _correlation(rates, goodputs),
        "ack_loss": fmean(rates),
        "ack_loss_sd": pstdev(rates),
        "ack_loss_min": min(rates),
        "ack_loss_max": max(rates),
        "flows_below_2": float(sum(v < SMALL for v in rates)),
        "flows_above_12": float(sum(v > SERIOUS for v in rates)),
    }


@once_per_run
def halves(r: Result) -> dict[str, float]:
    """Consequences of lost ACKs for the flows with smaller windows, and for the others."""
    of, windows = r.columns("flows"), _windows(r)
    order = sorted(range(len(windows)), key=windows.__getitem__)
    parts = {"smaller": order[: len(order) // 2], "larger": order[(len(order) + 1) // 2 :]}
    told: dict[str, float] = {}
    for name, half in parts.items():
        gone = sum(_down(r)[i]["drops_queue_full"] for i in half)
        timeouts, again, sent = (
            sum(_number(of[c][i]) for i in half)
            for c in ("rtos", "retransmissions", "data_segments")
        )
        told[f"timeouts_per_loss_{name}"] = 1e3 * timeouts / gone if gone else 0.0
        told[f"repeated_{name}"] = again / max(sent, 1)
    return told


@once_per_run
def _spent(r: Result) -> dict[str, float]:
    """Seconds of the air after the start, by use."""
    of = r.columns("airtime")
    spent = dict(zip(of["use"], (float(v) for v in of["airtime_s"]), strict=True))
    return {**spent, "idle": spent["idle"] - START_S}


def air(r: Result) -> dict[str, float]:
    """Shares of the air by use."""
    seconds = sum(_spent(r).values())
    return {use: _spent(r)[use] / seconds for use in USES}


@once_per_run
def access(r: Result) -> dict[str, float]:
    """How the access point (the first of all stations) and the others come to the medium."""
    of, seconds = r.columns("stations"), sum(_spent(r).values())
    received = _total(r.columns("flows")["received_bytes"])
    names = ("data_ppdus", "mpdus", "retries", "failures", "accesses")
    (ppdus, mpdus, retries, failures, accesses) = (_numbers(of[c]) for c in names)
    tried, longest = sum(accesses[1:]), _numbers(of["access_delay_max_ms"])
    return {
        "ack_airtime": 1e3 * _spent(r)["transport_ack"] / max(received / 1e6, 1e-9),
        "mpdus_per_ppdu": sum(mpdus[1:]) / max(sum(ppdus[1:]), 1),
        "acks_per_ppdu": mpdus[0] / max(ppdus[0], 1),
        "retries": sum(retries[1:]) / max(sum(mpdus[1:]), 1),
        "retries_ap": retries[0] / max(mpdus[0], 1),
        "failed": sum(failures[1:]) / max(tried, 1),
        "failed_ap": failures[0] / max(accesses[0], 1),
        "accesses": tried / seconds,
        "accesses_ap": accesses[0] / seconds,
        "access_delay_ap": _number(of["access_delay_mean_ms"][0]),
        "longest_wait": max(longest[1:]),
        "longest_wait_ap": longest[0],
        "packets_per_access": received / SEGMENT / max(tried, 1),
    }


@once_per_run
def queue(r: Result) -> dict[str, float]:
    """The access point's queue and filter."""
    down = _down(r)
    waited = sum(d["wait_mean_ms"] * d["packets_out"] for d in down)
    seen = sum(d["acks_seen"] for d in down)
    return {
        "queue_wait": waited / max(sum(d["packets_out"] for d in down), 1),
        # By Little's law: whatever went in and out waited for so long.
        "queue_packets": waited / 1e3 / sum(_spent(r).values()),
        "filtered": sum(d["acks_dropped"] for d in down) / seen if seen else 0.0,
    }


def ranked(r: Result) -> dict[int, float]:
    """ACK loss rates of flows, in ascending order."""
    return dict(enumerate(sorted(losses(r)), 1))


def _of_poorer_half(goodputs: Sequence[float], events: Sequence[float]) -> float:
    """The share of events that befell the flows with less goodput than the median one."""
    order = sorted(range(len(goodputs)), key=goodputs.__getitem__)
    poorer = order[: len(order) // 2]
    return sum(events[i] for i in poorer) / sum(events) if sum(events) else 0.0


def _correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Pearson's; 0 where one of them does not vary."""
    return correlation(a, b) if pstdev(a) and pstdev(b) else 0.0


def _mean(values: Sequence[Any]) -> float:
    known = [float(v) for v in values if v is not None and v == v]
    return fmean(known) if known else 0.0


def _number(value: Any) -> float:
    """A value of a column; not-a-number and null are 0."""
    return 0.0 if value is None or value != value else float(value)


def _numbers(values: Sequence[Any]) -> list[float]:
    return [_number(v) for v in values]


def _total(values: Sequence[Any]) -> float:
    return sum(_numbers(values))


#: By what measures them, and the groups of which: name, unit, digits, meaning.
_TABLE: Mapping[
    tuple[Callable[[Any], Mapping[str, float]], tuple[str, ...]],
    Sequence[tuple[str, str, int, str]],
] = {
    (flows, ()): (
        ("jain", "", 3, "Jain's index of the flows' goodputs"),
        ("throughput", "Mbit/s", 1, "Payload of all flows that arrived"),
        ("uploads", "Mbit/s", 1, "The same of uploads"),
        ("downloads", "Mbit/s", 1, "The same of downloads"),
        ("uploads_jain", "", 3, "Jain's index of uploads"),
        ("worst_share", "of an even share", 2, "Goodput of the flow with least"),
        ("starved", "flows", 0, "Flows with less than a quarter of an even share"),
        ("rtt", "ms", 0, "Mean round-trip time"),
        ("rtt_median", "ms", 0, "Median round-trip time, mean over flows"),
        ("window_sd", "packets", 1, "Standard deviation over flows of packets in flight"),
        ("timeouts", "timeouts", 0, "Timeouts of all flows in a run"),
        ("timeouts_of_poorer", "", 2, "The part of them that the poorer half of the flows has"),
        ("duplicate_data", "", 4, "Segments that arrived twice, of all"),
        ("out_of_order", "", 5, "Segments that arrived out of order, of all"),
        ("repeated_early", "segments", 1, "Segments repeated for duplicate ACKs, in a run"),
        ("segments_per_ack", "packets", 1, "Packets for each ACK that arrived"),
    ),
    (lost, ()): (
        ("flows_without_loss", "flows", 0, "Flows that lost no ACK"),
        ("loss_correlation", "", 2, "Correlation over flows of ACK loss rate and goodput"),
        ("ack_loss", "", 4, "ACK loss rate, mean over flows"),
        ("ack_loss_sd", "", 4, "Its standard deviation over flows"),
        ("ack_loss_min", "", 4, "The smallest of a flow"),
        ("ack_loss_max", "", 4, "The largest of a flow"),
        ("flows_below_2", "flows", 0, "Flows that lost less than 2 % of their ACKs"),
        ("flows_above_12", "flows", 0, "Flows that lost more than 12 % of their ACKs"),
    ),
    (halves, ()): (
        ("timeouts_per_loss_smaller", "", 1, "Timeouts for 1000 lost ACKs, smaller windows"),
        ("timeouts_per_loss_larger", "", 1, "Timeouts for 1000 lost ACKs, larger windows"),
        ("repeated_smaller", "", 4, "Data that the half with smaller windows sent again"),
        ("repeated_larger", "", 4, "Data that the half with larger windows sent again"),
    ),
    (access, ()): (
        ("ack_airtime", "ms per MB", 1, "Airtime of transport ACKs for payload"),
        ("mpdus_per_ppdu", "MPDUs", 1, "MPDUs in a PPDU of a station"),
        ("acks_per_ppdu", "ACKs", 1, "MPDUs in a PPDU of the access point"),
        ("retries", "", 3, "Stations' MPDUs that were sent again"),
        ("retries_ap", "", 3, "The access point's MPDUs that were sent again"),
        ("failed", "", 3, "Stations' accesses that failed"),
        ("failed_ap", "", 3, "The access point's accesses that failed"),
        ("accesses", "accesses per second", 0, "Accesses of all stations"),
        ("accesses_ap", "accesses per second", 0, "Accesses of the access point"),
        ("access_delay_ap", "ms", 2, "The access point's mean wait for the medium"),
        ("longest_wait", "ms", 0, "The longest wait of a station for the medium"),
        ("longest_wait_ap", "ms", 0, "The same of the access point"),
        ("packets_per_access", "packets", 1, "Packets that an access of a station brings"),
    ),
    (queue, ()): (
        ("queue_wait", "ms", 0, "Mean wait of an ACK in the access point's queue"),
        ("queue_packets", "packets", 0, "Packets that wait there on average"),
        ("filtered", "", 3, "ACKs that a filter took out, of all"),
    ),
    (recorded.duplicates, ("lossy",)): (
        ("duplicates_came", "duplicates", 0, "Duplicate ACKs of two flows that came"),
        ("duplicates_dropped", "", 3, "The part of them that the filter took out"),
    ),
    (recorded.gaps, ("gaps",)): (
        ("ack_gap", "ms", 2, "Mean gap between ACKs of a flow at the access point"),
        ("gap_least", "ms", 3, "The gap that 99 of 100 exceed"),
        ("gaps_below_link", "", 4, "Gaps shorter than a packet takes on the radio"),
        ("gaps_within_te", "", 3, "Gaps of at most 5 ms"),
        ("gaps_beyond_rtt", "", 4, "Of longer ones, those beyond the flow's 99th RTT of 100"),
    ),
    (recorded.delays, ("held",)): (
        ("rack_delay", "ms", 1, "From an ACK's arrival at the access point to its transmission"),
    ),
    (recorded.growth, ("growth",)): (
        ("growth_per_ack_few", "packets", 2, "Growth for each ACK of frames with at most two"),
        ("growth_per_ack_many", "packets", 2, "Growth for each ACK of frames with eight or more"),
        ("growth_per_frame_few", "packets", 1, "Growth with a frame of at most two ACKs"),
        ("growth_per_frame_many", "packets", 1, "Growth with a frame of eight ACKs or more"),
        ("growth_rate", "packets per second", 0, "Growth of a window in slow start"),
    ),
    (recorded.reverse, ("grants",)): (
        ("wasted", "", 3, "Reverse opportunities that brought no ACK"),
    ),
    (recorded.errors, ("errors",)): (
        ("spoilt_data", "", 4, "MPDUs of data that bit errors spoilt"),
        ("spoilt_acks", "", 4, "MPDUs of the access point that bit errors spoilt"),
    ),
}


def _one(of: Callable[[Any], Mapping[str, float]], name: str) -> Callable[[Any], Any]:
    return lambda r: of(r).get(name)


QUANTITIES = (
    *(
        Quantity(
            name,
            unit,
            text,
            _one(of, name),
            groups,
            digits,
            signed="correlation" in name,
            # Those without a unit are indices and parts, except for counts per 1000.
            most=inf if unit or "per_loss" in name else 1,
        )
        for (of, groups), rows in _TABLE.items()
        for name, unit, digits, text in rows
    ),
    Quantity("air", "", "Share of the air by use", air, (), 3, "use"),
    Quantity("ranked", "", "ACK loss rates of flows, ascending", ranked, ("fig2",), 4, "flow"),
)
