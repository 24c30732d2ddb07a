"""What the filter does to feedback, and what it does not: from the traces, in words."""

from __future__ import annotations

from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.why_acks import MIN_RTO_MS


def timer_cap(e: Evidence) -> str:
    """Why 8:1 and 16:1 are one run."""
    w, stated = e.why, e.view("ns3")
    return (
        "At a segment each 1.2 ms the 5 ms timer is first: at 8:1 it makes "
        f"{w.say('acks/by_timer', 'ns3', 'cubic', 8, 2)} of the releases and an ACK stands for "
        f"{stated.quantity('segments_per_ack', 'cubic', 8):.2f} segments, at 16:1 for "
        f"{stated.quantity('segments_per_ack', 'cubic', 16):.2f}: one run."
    )


def cubic_collapse(e: Evidence) -> str:
    """What would have to happen for 1.96 Mbit/s."""
    w = e.why
    return (
        f"{timer_cap(e)} Where each arrival starts the timer anew (inferred), 16:1 is reached, "
        f"{w.say('acks/segments_per_ack', 'thesis', 'cubic', 16)} segments per ACK, and the "
        "longest "
        f"silence is {w.say('acks/silence_ms', 'thesis', 'cubic', 16, 0)} ms of the "
        f"{MIN_RTO_MS['thesis']:.0f} ms that a timeout takes: CUBIC's window grows by segments and "
        f"time, so the link idles {w.say('throughput/idle_later_s', 'thesis', 'cubic', 16)} s "
        "after "
        "the start. For a collapse feedback would have to stop for a second. ns-3 itself does not "
        f"collapse either: {references.ns3('cubic', 16, 'goodput_mbps') or 0:.2f} Mbit/s with a "
        f"sound queue, {references.ns3_thesis('cubic', 16) or 0:.2f} in the inferred set-up. What "
        "the thesis's queue did at 16:1 cannot be shown without it."
    )


def cubic_timeouts(e: Evidence) -> str:
    """Timeouts have another cause than missing feedback."""
    w = e.why
    return (
        "Feedback never stops: longest silence between ACKs "
        f"{w.row('acks/silence_ms', 'ns3', 'cubic', 0)} ms (ns-3 stack), "
        f"{w.row('acks/silence_ms', 'thesis', 'cubic', 0)} ms (inferred), where a timeout takes "
        f"{MIN_RTO_MS['ns3']:.0f}. Timeouts after the handshake: "
        f"{w.row('acks/timeouts_later', 'ns3', 'cubic', 0)}, without aggregation as with it: of "
        "the "
        f"first overflow some repetitions are dropped too "
        f"({w.row('acks/lost_twice', 'ns3', 'cubic', 0)} segments), which ns-3 does not detect. "
        f"The Linux stack does: {w.row('acks/timeouts_later', 'linux', 'cubic', 0)}."
    )


def transparent(e: Evidence) -> str:
    """1:1."""
    w = e.why
    same = ", ".join(sorted({stack for (stack, _), row in e.transparent.items() if row[2]}))
    count = sum(row[2] for row in e.transparent.values())
    return (
        f"A queue with ratio 1 releases each ACK on arrival: {count} of {len(e.transparent)} runs "
        f"equal those without it in every column and sample (`transparent.csv`: {same or 'none'}). "
        "ACKs stand for "
        f"{w.say('acks/segments_per_ack', 'ns3', 'cubic', 1, 2)} segments (ns-3 stack), "
        f"{w.say('acks/segments_per_ack', 'linux', 'cubic', 1, 2)} (Linux), "
        f"{w.say('acks/segments_per_ack', 'thesis', 'cubic', 1, 2)} (inferred, delayed ACKs), as "
        "the receiver sends them."
    )


def timer(e: Evidence) -> str:
    """What the timer does."""
    w = e.why

    def untimed(stack: str) -> str:
        return ", ".join(
            f"{cc} {w.say('throughput/acked_mbps', f'untimed-{stack}', cc, 16, 2)} "
            f"({w.say('acks/timeouts_later', f'untimed-{stack}', cc, 16, 0)})"
            for cc in ("bbr3", "cubic", "newreno", "vegas")
        )

    return (
        "Traced at 16:1 without a timer, Mbit/s and timeouts: "
        f"{untimed('ns3')} (ns-3 stack); {untimed('linux')} (Linux); {untimed('thesis')} "
        "(inferred). An initial window of ten is fewer than the queue waits for, so nothing is "
        "acknowledged, and timeouts are too few to fill it; where even the SYN-ACK is held no data "
        "are sent "
        f"at all ({w.say('throughput/syn_timeouts', 'untimed-thesis', 'cubic', 16, 0)} SYN "
        "timeouts). "
        "The timer ends that: it makes "
        f"{w.row('acks/by_timer', 'ns3', 'vegas', 2)} of the releases for the smallest window "
        "(Vegas, ns-3 stack), and its longest silence is "
        f"{w.row('acks/silence_ms', 'ns3', 'vegas', 0)} ms."
    )
