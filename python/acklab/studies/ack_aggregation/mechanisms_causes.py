"""What lies behind the causes that the thesis gives: from the traces, in words with numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.findings import NAMES, ORDER
from acklab.studies.ack_aggregation.mechanisms_acks import timer_cap
from acklab.studies.ack_aggregation.mechanisms_pairs import starved
from acklab.studies.ack_aggregation.traces import TRACED
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.ack_aggregation.why_acks import MIN_RTO_MS

#: Of the mixed pairs, those in which one flow is loss-based and the other is not.
MIXED = ("bbr3-cubic", "bbr3-newreno", "cubic-vegas", "newreno-vegas")


def _rows(e: Evidence, place: str, cc: str, digits: int = 1) -> str:
    """A quantity of a trace in every set-up."""
    return "; ".join(f"{e.why.row(place, s, cc, digits)} ({NAMES[s]})" for s in ORDER)


def _pair(e: Evidence, quantity: str, stack: str, pair: str, ratio: int, digits: int = 1) -> str:
    both = (e.why.at(f"pairs/{quantity}", stack, pair, ratio, flow=f) for f in (0, 1))
    return " and ".join(shown(v, digits) for v in both)


def bbr_growth(e: Evidence) -> str:
    """Probes push the queue, the window follows."""
    return (
        "A probe in PROBE_BW_UP paces above the estimate until inflight has grown or something is "
        f"lost; it lasts {_rows(e, 'loss/probe_s', 'bbr3', 2)} s in the mean. The queue then, "
        f"against cruising: {_rows(e, 'loss/probe_queue_packets', 'bbr3')} against "
        f"{_rows(e, 'loss/cruise_queue_packets', 'bbr3')} packets. What is left of the window's "
        "variation without PROBE_RTT: "
        f"{_rows(e, 'bbr/window_swing_without_probe_rtt', 'bbr3', 2)}; in the inferred set-up "
        "most of that with aggregation is the slow start after the held handshake."
    )


def bbr_estimate(e: Evidence) -> str:
    """The estimate is right, the stalls are repetitions that got lost."""
    w = e.why
    return (
        "A pace is the estimate times a gain of one while BBRv3 cruises: "
        f"{_rows(e, 'loss/cruise_pacing_share', 'bbr3', 2)} of what the link carries. Dips to "
        "nothing need an ACK that does not advance, not a wrong pace: ns-3 stack, "
        f"{w.row('bbr/stalls', 'ns3', 'bbr3', 0)} times for more than 0.5 s, the link busy for "
        f"{w.row('bbr/busy_while_stalled', 'ns3', 'bbr3', 2)} of that, until "
        f"{w.row('acks/timeouts_later', 'ns3', 'bbr3', 0)} timeouts repeat what was lost twice. "
        f"Linux, which detects that: {w.row('bbr/stalls', 'linux', 'bbr3', 0)}."
    )


def bbr_aggressive(e: Evidence) -> str:
    """No pace rises for want of ACKs; the queue is not drained."""
    return (
        "Between ACKs BBRv3 paces on as before; its longest silence is "
        f"{_rows(e, 'acks/silence_ms', 'bbr3', 0)} ms. Its pace while it cruises is "
        f"{_rows(e, 'loss/cruise_pacing_share', 'bbr3', 2)} of the link's. As stated, ns-3 stack, "
        "that little too much leaves "
        f"{e.why.row('loss/cruise_queue_packets', 'ns3', 'bbr3')} packets in the queue, on which "
        f"each probe sets its own: {e.why.row('loss/dropped_probing', 'ns3', 'bbr3', 0)} dropped "
        f"in PROBE_BW_UP, {e.why.row('loss/dropped_else', 'ns3', 'bbr3', 0)} otherwise after 8 s. "
        "Where it paces furthest above the link, at 16:1 of the inferred set-up, dropped after 8 s "
        f"are {_dropped(e, 'thesis', 'bbr3')}, 1:1 to 16:1."
    )


def _dropped(e: Evidence, stack: str, cc: str) -> str:
    """Packets dropped after the start, while probing or not."""
    parts = ("loss/dropped_probing", "loss/dropped_else")
    each = [[e.why.at(p, stack, cc, r) for p in parts] for r in TRACED[stack]]
    return " / ".join(shown(sum(n for n in both if not isnan(n)), 0) for both in each)


def feedback(cc: str) -> Callable[[Evidence], str]:
    """Feedback does not stop at 16:1."""

    def text(e: Evidence) -> str:
        w = e.why
        return (
            f"{timer_cap(e)} Longest silence between ACKs of {CC_NAMES[cc]}: "
            f"{_rows(e, 'acks/silence_ms', cc, 0)} ms, where a timeout takes "
            f"{MIN_RTO_MS['ns3']:.0f} ms in ns-3's stacks and {MIN_RTO_MS['linux']:.0f} in "
            f"Linux's. Dropped after 8 s: {_dropped(e, 'ns3', cc)} (ns-3 stack), "
            f"{_dropped(e, 'linux', cc)} (Linux); timeouts "
            f"{w.row('acks/timeouts_later', 'ns3', cc, 0)} and "
            f"{w.row('acks/timeouts_later', 'linux', cc, 0)}. In the inferred set-up, where 16:1 "
            f"is reached, {_dropped(e, 'thesis', cc)} are dropped: where none is, nothing can "
            "be overlooked."
        )

    return text


def by_ack(e: Evidence) -> str:
    """Growth times segments per ACK."""

    def product(stack: str) -> str:
        ratios = (1, 2, 4, 8)
        values = (
            e.why.at("window/growth_packets_per_s", stack, "newreno", r)
            * e.why.at("acks/segments_per_ack", stack, "newreno", r)
            for r in ratios
        )
        return " / ".join(shown(v) for v in values)

    return (
        "ns-3's NewReno adds a part of a segment per ACK, so its growth times the segments of an "
        f"ACK is the same at every ratio: {product('ns3')} packets/s (ns-3 stack). Linux's counts "
        f"the segments that an ACK stands for, so there the product rises: {product('linux')}, "
        f"while growth stays: {e.why.row('window/growth_packets_per_s', 'linux', 'newreno')} "
        "packets/s."
    )


def vegas_reckons(e: Evidence) -> str:
    """What Vegas takes for queued where its window is larger."""
    return (
        f"Reckoned as queued: {_rows(e, 'vegas/reckoned_packets', 'vegas')} packets; base RTT "
        f"{_rows(e, 'vegas/base_ms', 'vegas')} ms; RTT {_rows(e, 'vegas/rtt_ms', 'vegas')} ms; "
        f"window {_rows(e, 'vegas/window_packets', 'vegas', 0)} packets. Inferred, 16:1 against "
        "8:1: an ACK for more segments makes RTTs longer, so that more is taken for queued, not "
        "less; but the repeated SYN leaves a longer base behind, and over that the same queue "
        "takes a larger window. That is the start's doing, and done once."
    )


def two_of_bbr(e: Evidence) -> str:
    """Who is unfairly treated has not run."""
    return (
        f"{starved('bbr3-bbr3')(e)} Where both run, as stated at 8:1, feedback is as scarce and "
        f"they have {_pair(e, 'mbps', 'ns3', 'bbr3-bbr3', 8, 2)} Mbit/s (ns-3 stack), "
        f"{_pair(e, 'mbps', 'linux', 'bbr3-bbr3', 8, 2)} (Linux)."
    )


def two_of_vegas(e: Evidence) -> str:
    """Two bases, which the start decides."""

    def at(stack: str, ratio: int) -> str:
        return (
            f"{ratio}:1 bases {_pair(e, 'base_ms', stack, 'vegas-vegas', ratio)} ms, "
            f"{_pair(e, 'mbps', stack, 'vegas-vegas', ratio, 2)} Mbit/s"
        )

    return (
        "What differs between two flows of Vegas is the base RTT that each start leaves: who had "
        "to repeat its SYN has none from the handshake and takes its own queue for the path. It is "
        "the suppressed SYN-ACK, not later ACKs, that does this; with equal bases both have as "
        f"much. Inferred: {'; '.join(at('thesis', r) for r in (1, 2, 4, 8, 16))}. ns-3 "
        f"stack: {at('ns3', 1)}; {at('ns3', 8)}. Linux: {at('linux', 1)}; {at('linux', 8)}."
    )


def larger_share(e: Evidence) -> str:
    """Growth, and who ran."""
    told = "; ".join(
        f"{p}: growth {_pair(e, 'growth_packets_per_s', 'ns3', p, 8)} packets/s for "
        f"{_pair(e, 'mbps', 'ns3', p, 8, 2)} Mbit/s"
        for p in MIXED
    )
    return (
        "Growth does not decide. As stated, ns-3 stack, 8:1, the window of the loss-based flow "
        f"grows faster and it may have less all the same: {told}. {starved(*MIXED)(e)}"
    )


def sparse(e: Evidence) -> str:
    """1:1 beside 8:1."""
    told = "; ".join(
        f"{p} {_pair(e, 'mbps', 'ns3', p, 1, 2)} at 1:1, {_pair(e, 'mbps', 'ns3', p, 8, 2)} at 8:1"
        for p in MIXED
    )
    return (
        "Who loses for sparse ACKs does not lose without. As stated, ns-3 stack, Mbit/s of the "
        f"first and the second flow: {told}: Vegas gives way to a queue that others fill at 1:1 "
        f"already, BBRv3 does not lose at all. {starved(*MIXED)(e)}"
    )
