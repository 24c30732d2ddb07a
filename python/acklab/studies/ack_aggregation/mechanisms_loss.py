"""Why packets get lost, and what Vegas takes for a queue: from the traces, in words."""

from __future__ import annotations

from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.mechanisms_acks import timer_cap
from acklab.studies.ack_aggregation.why import shown


def _stop(e: Evidence, stack: str) -> str:
    """Window, RTT and base of Vegas by ratio."""
    w = e.why
    return (
        f"window {w.row('vegas/window_packets', stack, 'vegas', 0)} packets at an RTT of "
        f"{w.row('vegas/rtt_ms', stack, 'vegas')} ms over a base of "
        f"{w.row('vegas/base_ms', stack, 'vegas')} ms"
    )


def vegas_bias(e: Evidence) -> str:
    """ns-3's Vegas stops at the bias of its RTT."""
    w = e.why
    return (
        "ns-3's Vegas compares its smoothed RTT with the smallest, rounds up, and grows no more "
        "from two packets on that it takes for queued. The base is the handshake's, small packets "
        f"in whole ms; ACKs add to the RTT: {_stop(e, 'ns3')} (ns-3 stack). A burst of N segments "
        "queues behind itself, and the ACK that goes on is its last segment's: waited "
        f"{w.row('vegas/wait_ms', 'ns3', 'vegas')} ms at the bottleneck, held "
        f"{w.row('vegas/held_ms', 'ns3', 'vegas')} ms. So it reckons "
        f"{w.row('vegas/reckoned_packets', 'ns3', 'vegas')} packets queued where "
        f"{w.row('vegas/standing_packets', 'ns3', 'vegas', 0)} stand and the link is idle "
        f"{w.row('vegas/idle_share', 'ns3', 'vegas', 2)} of the time. Linux's Vegas takes the "
        f"newest segment's RTT, whose bias is in its base too: {_stop(e, 'linux')}, idle "
        f"{w.row('vegas/idle_share', 'linux', 'vegas', 2)}."
    )


def vegas_baseline(e: Evidence) -> str:
    """One phase of a deterministic simulator."""
    w = e.why
    base = w.seeds("vegas/base_ms", "thesis", "vegas", 1)
    got = w.seeds("throughput/acked_mbps", "thesis", "vegas", 1)
    starts = ", ".join(f"{b:.0f} ms: {m:.2f}" for b, m in zip(base, got, strict=False))
    return (
        f"{len(base)} starts within a millisecond, inferred set-up, base RTT and Mbit/s: {starts}. "
        "ns-3 measures in whole milliseconds, and the base is the handshake's 48.1 ms, read as 48 "
        "or 49 by the phase of the start. Over 48 the delayed ACKs alone make up the target and "
        "the window stops at a fifth of what is needed; over 49 they do not. The thesis has one "
        f"phase of a deterministic simulator, not a property of Vegas. {vegas_bias(e)}"
    )


def vegas_moderate(e: Evidence) -> str:
    """The repeated SYN helps Vegas."""
    w = e.why
    return (
        "It is the handshake, not the rarer ACKs. Inferred set-up: the repeated SYN makes the "
        f"first RTT {w.row('vegas/first_srtt_ms', 'thesis', 'vegas', 0)} ms; while the smoothed "
        "RTT falls from there each is the smallest so far and no queue shows, so slow start goes "
        f"on to {w.row('vegas/slow_start_packets', 'thesis', 'vegas', 0)} packets; and the base "
        "then comes from data, "
        f"{w.row('vegas/base_ms', 'thesis', 'vegas')} ms, not from the handshake. Result: "
        f"{_stop(e, 'thesis')}. Where the handshake is not held, aggregation does the opposite: "
        f"window {w.row('vegas/window_packets', 'ns3', 'vegas', 0)} packets (ns-3 stack)."
    )


def vegas_sparse(e: Evidence) -> str:
    """8:1 and 16:1 in the inferred set-up."""
    w = e.why
    eight = w.seeds("throughput/acked_mbps", "thesis", "vegas", 8)
    base = w.seeds("vegas/base_ms", "thesis", "vegas", 8)
    starts = ", ".join(f"{b:.1f} ms: {m:.2f}" for b, m in zip(base, eight, strict=False))
    return (
        f"Inferred set-up: an ACK stands for {w.row('acks/segments_per_ack', 'thesis', 'vegas')} "
        f"segments, each a burst that queues behind itself "
        f"({w.row('vegas/wait_ms', 'thesis', 'vegas')} ms waited). "
        f"W{_stop(e, 'thesis')[1:]}"
        f"; reckoned queue {w.row('vegas/reckoned_packets', 'thesis', 'vegas')}, link idle "
        f"{w.row('vegas/idle_share', 'thesis', 'vegas', 2)}. Which base the falling smoothed RTT "
        f"leaves behind decides; at 8:1 over {len(base)} starts, base and Mbit/s: {starts}."
    )


def vegas_sparsest(e: Evidence) -> str:
    """16:1."""
    return f"{timer_cap(e)} {vegas_sparse(e)}"


def vegas_flat(e: Evidence) -> str:
    """Nothing changes between the thresholds."""
    w = e.why
    return (
        "Vegas changes nothing while it reckons two to four packets queued: "
        f"{w.row('vegas/reckoned_packets', 'ns3', 'vegas')} (rounded up by ns-3's arithmetic), "
        f"{w.row('vegas/window_changes', 'ns3', 'vegas', 0)} changes of half a packet or more per "
        f"minute after 8 s. Linux: {w.row('vegas/reckoned_packets', 'linux', 'vegas')}, "
        f"{w.row('vegas/window_changes', 'linux', 'vegas', 0)} changes, by one packet at a time; "
        f"inferred: {w.row('vegas/reckoned_packets', 'thesis', 'vegas')}, "
        f"{w.row('vegas/window_changes', 'thesis', 'vegas', 0)}."
    )


def vegas_lossless(e: Evidence) -> str:
    """ns-3's Vegas leaves slow start before there is a queue."""
    w = e.why
    return (
        "ns-3's Vegas leaves slow start at "
        f"{w.row('vegas/slow_start_packets', 'ns3', 'vegas', 0)} packets and its longest queue is "
        f"{w.row('vegas/queue_max_packets', 'ns3', 'vegas', 0)} of 40. Linux's goes on to "
        f"{w.row('vegas/slow_start_packets', 'linux', 'vegas', 0)}, where it leaves it by loss: "
        "dropped "
        f"{w.row('loss/dropped_start', 'linux', 'vegas', 0)} packets, later "
        f"{w.row('loss/dropped_else', 'linux', 'vegas', 0)}. The single repetition in the inferred "
        f"set-up is the SYN ({w.row('throughput/syn_timeouts', 'thesis', 'vegas', 0)})."
    )


def _lost(e: Evidence, stack: str, cc: str) -> str:
    w = e.why
    return (
        f"{w.row('loss/dropped_start', stack, cc, 0)} in the first 8 s and "
        f"{w.row('loss/dropped_else', stack, cc, 0)} after"
    )


def newreno_loss(e: Evidence) -> str:
    """Fewer ACKs, fewer losses."""
    w = e.why
    return (
        f"Growing by ACK it overshoots by less and less often: dropped {_lost(e, 'ns3', 'newreno')}"
        f" (ns-3 stack), {w.row('loss/drops_per_reduction', 'ns3', 'newreno')} per reduction; "
        f"CUBIC, by time, {_lost(e, 'ns3', 'cubic')}. Linux's counts segments: "
        f"{_lost(e, 'linux', 'newreno')}, CUBIC {_lost(e, 'linux', 'cubic')}."
    )


def cubic_loss(e: Evidence) -> str:
    """One overshoot at first, then one per cycle."""
    w = e.why
    return (
        f"One overshoot in slow start and one per cycle after: dropped {_lost(e, 'ns3', 'cubic')} "
        f"(ns-3 stack), {w.row('loss/reductions', 'ns3', 'cubic', 0)} reductions of "
        f"{w.row('loss/drops_per_reduction', 'ns3', 'cubic')} drops; Linux "
        f"{_lost(e, 'linux', 'cubic')}"
        f", {w.row('loss/reductions', 'linux', 'cubic', 0)} of "
        f"{w.row('loss/drops_per_reduction', 'linux', 'cubic')}. What differs is slow start. "
        "Linux, 1:1: "
        "HyStart ends it before the queue is full, after "
        f"{w.say('throughput/startup_left_s', 'linux', 'cubic', 1, 2)} s; at 2:1 it does not, and "
        "slow start goes on until it loses, "
        f"{w.say('throughput/startup_left_s', 'linux', 'cubic', 2, 2)} s."
    )


def cubic_loss_16(e: Evidence) -> str:
    """No drop at 16:1 as stated, and none to repair at 16:1 of the inferred set-up."""
    w, inferred = e.why, e.view("thesis")
    again = " and ".join(f"{inferred.mean('retransmissions', 'cubic', r):.1f}" for r in (8, 16))
    return (
        f"As stated: {timer_cap(e)} So there is no drop: window reductions after 8 s, 1:1 to 8:1, "
        f"{w.row('loss/reductions', 'ns3', 'cubic', 0)} (ns-3 stack) and "
        f"{w.row('loss/reductions', 'linux', 'cubic', 0)} (Linux). Inferred, where 16:1 is "
        f"reached: {again} segments of data sent again at 8:1 and 16:1 in the mean, after "
        f"{w.row('loss/dropped_start', 'thesis', 'cubic', 0)} packets dropped in the first 8 s and "
        f"{w.row('loss/dropped_else', 'thesis', 'cubic', 0)} later, of a queue of at most "
        f"{w.row('loss/queue_max_packets', 'thesis', 'cubic', 0)}: where nothing is sent "
        "again nothing was dropped."
    )


def bbr_startup_loss(e: Evidence) -> str:
    """STARTUP overshoots; probing does in ns-3's stack."""
    w = e.why
    return (
        "A queue of one BDP is not enough for STARTUP: dropped in the first 8 s "
        f"{w.row('loss/dropped_start', 'ns3', 'bbr3', 0)} (ns-3 stack), "
        f"{w.row('loss/dropped_start', 'linux', 'bbr3', 0)} (Linux). Later most are dropped "
        f"in PROBE_BW_UP: {w.row('loss/dropped_probing', 'ns3', 'bbr3', 0)} of "
        f"{_later(e, 'ns3')} and {w.row('loss/dropped_probing', 'linux', 'bbr3', 0)} of "
        f"{_later(e, 'linux')}. Already at 1:1 the ns-3 stack cruises over "
        f"{w.say('loss/cruise_queue_packets', 'ns3', 'bbr3', 1)} packets in the queue, Linux's "
        "over "
        f"{w.say('loss/cruise_queue_packets', 'linux', 'bbr3', 1)}, so the probes of one overflow "
        "it and those of the other do not. Behind the deep queue of the inferred set-up "
        f"({w.row('loss/queue_max_packets', 'thesis', 'bbr3', 0)} packets at most) dropped are "
        f"{w.row('loss/dropped_start', 'thesis', 'bbr3', 0)} in the first 8 s, "
        f"{w.row('loss/dropped_probing', 'thesis', 'bbr3', 0)} while probing and "
        f"{w.row('loss/dropped_else', 'thesis', 'bbr3', 0)} otherwise."
    )


def _later(e: Evidence, stack: str) -> str:
    w, ratios = e.why, (1, 2, 4, 8)
    both = [
        w.at("loss/dropped_probing", stack, "bbr3", r) + w.at("loss/dropped_else", stack, "bbr3", r)
        for r in ratios
    ]
    return " / ".join(shown(v, 0) for v in both)


def bbr_noisy(e: Evidence) -> str:
    """A queue that stands while BBRv3 cruises."""
    w = e.why

    def seeds(quantity: str, ratio: int, digits: int) -> str:
        return ", ".join(shown(v, digits) for v in w.seeds(quantity, "ns3", "bbr3", ratio))

    return (
        "It is no burst of the sender: at 8:1 packets come to the bottleneck one by one, "
        f"{w.say('acks/burst_packets', 'ns3', 'bbr3', 8, 2)} in a row (CUBIC "
        f"{w.say('acks/burst_packets', 'ns3', 'cubic', 8, 2)}), as BBRv3 paces. Bunched ACKs give "
        f"more rate samples above the link ({w.row('loss/samples_above', 'ns3', 'bbr3', 3)} of "
        "them), and what stands in the queue while BBRv3 cruises grows: by seed "
        f"{seeds('loss/cruise_queue_packets', 1, 1)} packets at 1:1 and "
        f"{seeds('loss/cruise_queue_packets', 8, 1)} at 8:1, at a pace of "
        f"{seeds('loss/cruise_pacing_share', 1, 2)} and {seeds('loss/cruise_pacing_share', 8, 2)} "
        "of the link's, too near to it to drain. Each probe starts from there and overflows: "
        f"{w.row('loss/dropped_probing', 'ns3', 'bbr3', 0)} dropped in PROBE_BW_UP of "
        f"{_later(e, 'ns3')} after 8 s. Linux cruises over "
        f"{w.row('loss/cruise_queue_packets', 'linux', 'bbr3')} packets; there a probe lasts "
        f"longer, {w.row('loss/probe_s', 'linux', 'bbr3', 2)} s, and fills the queue to "
        f"{w.row('loss/probe_queue_packets', 'linux', 'bbr3')} packets in the mean. Which of its "
        "rules ends a probe later is not among what a run records."
    )
