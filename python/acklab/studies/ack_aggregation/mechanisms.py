"""Why one flow's throughput and window are what they are: from the traces, in words.

Every number is read from the study's tables when it runs; rows of numbers go by ratio, 1:1 first.
Traces are of seed 1 unless it says otherwise.
"""

from __future__ import annotations

from statistics import fmean

from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.mechanisms_acks import timer_cap

#: A start is slow if it left STARTUP having seen less than this, Mbit/s.
SLOW_MBPS = 5.0


def handshake(e: Evidence) -> str:
    """The SYN-ACK that is held."""
    w = e.why
    return (
        "The inferred queue counts the SYN-ACK as an ACK and its timer does not wake the link, so "
        "the handshake waits for the SYN's timeout: SYN timeouts "
        f"{w.row('throughput/syn_timeouts', 'thesis', 'newreno', 0)}, link idle until the first "
        f"data {w.row('throughput/idle_handshake_s', 'thesis', 'newreno')} s, the same for every "
        "controller. As stated a SYN-ACK passes and that takes "
        f"{w.say('throughput/idle_handshake_s', 'ns3', 'newreno', 2)} s."
    )


def bbr_start(e: Evidence) -> str:
    """BBRv3's start after a handshake that took 3 s."""
    w = e.why
    return (
        "Only where the SYN-ACK is held. BBRv3's first RTT is then that of a SYN sent twice, "
        f"{w.row('bbr/first_rtt_ms', 'thesis', 'bbr3', 0)} ms, so it paces its first windows at "
        f"{w.row('throughput/first_pacing_mbps', 'thesis', 'bbr3', 2)} Mbit/s and stays below "
        f"1 Mbit/s for {w.row('throughput/crawl_s', 'thesis', 'bbr3')} s. Idle seconds of the link "
        f"at 2:1: {w.say('throughput/idle_handshake_s', 'thesis', 'bbr3', 2)} handshake, "
        f"{w.say('throughput/idle_start_s', 'thesis', 'bbr3', 2)} start, "
        f"{w.say('throughput/idle_later_s', 'thesis', 'bbr3', 2)} later. As stated, ns-3 stack: "
        f"{w.say('throughput/idle_handshake_s', 'ns3', 'bbr3', 2)}, "
        f"{w.say('throughput/idle_start_s', 'ns3', 'bbr3', 2)} and "
        f"{w.say('throughput/idle_later_s', 'ns3', 'bbr3', 2)}."
    )


def bbr_stable(e: Evidence) -> str:
    """What is constant, and the starts that are not."""
    w = e.why
    left = w.seeds("throughput/startup_left_mbps", "thesis", "bbr3", 8)
    got = w.seeds("throughput/acked_mbps", "thesis", "bbr3", 8)
    slow = [i for i, v in enumerate(left) if v < SLOW_MBPS]
    text = (
        "The seconds lost do not depend on the ratio: inferred set-up, handshake "
        f"{w.row('throughput/idle_handshake_s', 'thesis', 'bbr3')} s, start "
        f"{w.row('throughput/idle_start_s', 'thesis', 'bbr3')} s, later "
        f"{w.row('throughput/idle_later_s', 'thesis', 'bbr3')} s. "
        f"Of {len(left)} starts traced at 8:1, {len(slow)} left STARTUP too early"
    )
    if not slow:
        return text + "."
    seen, reached = fmean(left[i] for i in slow), fmean(got[i] for i in slow)
    return (
        f"{text}, having seen {seen:.2f} Mbit/s, and reached {reached:.1f} Mbit/s in the mean "
        f"(the others {fmean(v for i, v in enumerate(got) if i not in slow):.1f}): these spoil "
        "the mean over seeds."
    )


def bbr_later(e: Evidence) -> str:
    """Nothing is lost once the link is full."""
    w = e.why
    return (
        "Once the link is full BBRv3 keeps it so at every ratio: idle after that "
        f"{w.row('throughput/idle_later_s', 'ns3', 'bbr3')} s (ns-3 stack), "
        f"{w.row('throughput/idle_later_s', 'linux', 'bbr3')} s (Linux), "
        f"{w.row('throughput/idle_later_s', 'thesis', 'bbr3')} s (inferred), in PROBE_RTT "
        f"{w.row('bbr/idle_in_probe_rtt_s', 'ns3', 'bbr3')}, "
        f"{w.row('bbr/idle_in_probe_rtt_s', 'linux', 'bbr3')} and "
        f"{w.row('bbr/idle_in_probe_rtt_s', 'thesis', 'bbr3')} s. It paces at "
        f"{w.row('loss/cruise_pacing_share', 'ns3', 'bbr3', 3)} of what the link carries while it "
        "cruises, so its estimate is not disrupted. What is "
        "lost in the inferred set-up is lost in the start, for another reason: the 3 s of the "
        "handshake taken for an RTT."
    )


def bbr_stalls(e: Evidence) -> str:
    """The dips in the rate."""
    w = e.why
    return (
        "The dips are not misjudged bandwidth. ns-3 stack: the cumulative ACK stands still for "
        f"more than 0.5 s {w.row('bbr/stalls', 'ns3', 'bbr3', 0)} times, together "
        f"{w.row('bbr/stalled_s', 'ns3', 'bbr3')} s, while the link is busy "
        f"{w.row('bbr/busy_while_stalled', 'ns3', 'bbr3', 2)} of that time: repetitions are "
        "dropped too, ns-3 does not detect that, and "
        f"{w.row('acks/timeouts_later', 'ns3', 'bbr3', 0)} timeouts have to. Variation of the rate "
        f"{w.row('bbr/rate_swing', 'ns3', 'bbr3', 2)}, without the stalls "
        f"{w.row('bbr/rate_swing_without_stalls', 'ns3', 'bbr3', 2)}. In the Linux stack RACK "
        "finds "
        f"lost repetitions: {w.row('bbr/stalls', 'linux', 'bbr3', 0)} stalls, variation "
        f"{w.row('bbr/rate_swing', 'linux', 'bbr3', 2)}."
    )


def bbr_window(e: Evidence) -> str:
    """What makes BBRv3's window fluctuate."""
    w = e.why
    return (
        f"PROBE_RTT, {w.row('bbr/probe_rtt_visits', 'ns3', 'bbr3', 0)} visits a minute, in which "
        f"the window falls to {w.row('bbr/probe_rtt_window_share', 'ns3', 'bbr3', 2)} of itself: "
        f"variation in samples 50 ms apart {w.row('bbr/window_swing', 'ns3', 'bbr3', 2)}, without "
        f"PROBE_RTT {w.row('bbr/window_swing_without_probe_rtt', 'ns3', 'bbr3', 2)} (ns-3 stack); "
        f"{w.row('bbr/window_swing', 'linux', 'bbr3', 2)} and "
        f"{w.row('bbr/window_swing_without_probe_rtt', 'linux', 'bbr3', 2)} (Linux), where fewer "
        f"visits are due as aggregation rises "
        f"({w.row('bbr/probe_rtt_visits', 'linux', 'bbr3', 0)}). The rest are probes for bandwidth."
    )


def cubic_robust(e: Evidence) -> str:
    """CUBIC by the clock."""
    w = e.why
    return (
        "CUBIC's window is a function of time: from overflow to overflow "
        f"{w.row('window/cycle_s', 'ns3', 'cubic', 2)} s (ns-3 stack), "
        f"{w.row('window/cycle_s', 'linux', 'cubic', 2)} s (Linux), growth "
        f"{w.row('window/growth_packets_per_s', 'ns3', 'cubic')} and "
        f"{w.row('window/growth_packets_per_s', 'linux', 'cubic')} packets/s. Cut to 0.7 in Linux, "
        f"it stays at or above {w.row('window/lowest_packets', 'linux', 'cubic', 0)} packets, "
        "where "
        f"{w.row('window/needed_packets', 'linux', 'cubic', 0)} fill the link; ns-3 cuts "
        f"{w.row('window/cuts', 'ns3', 'cubic')} times per overflow, to "
        f"{w.row('window/lowest_packets', 'ns3', 'cubic', 0)} where "
        f"{w.row('window/needed_packets', 'ns3', 'cubic', 0)} do. Idle after 8 s "
        f"{w.row('window/idle_later_s', 'linux', 'cubic', 2)} s and "
        f"{w.row('window/idle_later_s', 'ns3', 'cubic', 2)} s."
    )


def cubic_cycles(e: Evidence) -> str:
    """The frequency of cycles."""
    w = e.why
    return (
        "Time from overflow to overflow after 8 s: "
        f"{w.row('window/cycle_s', 'ns3', 'cubic', 2)} s (ns-3 stack), "
        f"{w.row('window/cycle_s', 'linux', 'cubic', 2)} s (Linux): set by CUBIC's clock, not by "
        f"ACKs (growth {w.row('window/growth_packets_per_s', 'linux', 'cubic')} packets/s). "
        "Reductions in the inferred set-up: "
        f"{w.row('window/reductions', 'thesis', 'cubic', 0)}; where there are none the receiver's "
        "buffer limits the window and there is no cycle at all."
    )


def quick_start(e: Evidence) -> str:
    """Slow start is short."""
    w = e.why
    return (
        "Slow start fills the path in a few round trips: idle between first data and full link "
        f"{w.row('throughput/idle_start_s', 'ns3', 'cubic', 2)} s (ns-3 stack), "
        f"{w.row('throughput/idle_start_s', 'linux', 'cubic', 2)} s (Linux), "
        f"{w.row('throughput/idle_start_s', 'thesis', 'cubic', 2)} s (inferred, after a handshake "
        f"of {w.row('throughput/idle_handshake_s', 'thesis', 'cubic')} s). 9.03 of 10 Mbit/s is "
        "all "
        "that segments of 536 B leave after headers; with 1448 B it is 9.64."
    )


def ack_clock(e: Evidence) -> str:
    """NewReno of ns-3 grows by the ACK."""
    w = e.why
    return (
        "ns-3's NewReno adds one segment's worth per window of ACKs, not of segments (RFC 3465): "
        f"growth {w.row('window/growth_packets_per_s', 'ns3', 'newreno')} packets/s, "
        f"{w.row('window/cycle_s', 'ns3', 'newreno')} s from overflow to overflow. Linux's "
        "counts "
        f"segments: {w.row('window/growth_packets_per_s', 'linux', 'newreno')} packets/s, "
        f"{w.row('window/cycle_s', 'linux', 'newreno')} s."
    )


def newreno_decline(e: Evidence) -> str:
    """Where NewReno's throughput goes, a little at each ratio."""
    w = e.why
    return (
        "Halved, the window falls to "
        f"{w.row('window/lowest_packets', 'ns3', 'newreno', 0)} packets (ns-3 stack), "
        f"{w.row('window/lowest_packets', 'linux', 'newreno', 0)} (Linux). Full is the link from "
        f"{w.row('window/needed_packets', 'ns3', 'newreno', 0)} and "
        f"{w.row('window/needed_packets', 'linux', 'newreno', 0)} on, more with aggregation, as a "
        "held ACK lengthens the round trip. So it idles after each reduction: after 8 s "
        f"{w.row('window/idle_later_s', 'ns3', 'newreno', 2)} s and "
        f"{w.row('window/idle_later_s', 'linux', 'newreno', 2)} s. {ack_clock(e)} In the inferred "
        f"set-up the start takes longer: {w.row('throughput/idle_start_s', 'thesis', 'newreno', 2)}"
        " s idle."
    )


def newreno_16(e: Evidence) -> str:
    """8:1 against 16:1."""
    w = e.why
    return (
        f"{timer_cap(e)} Where 16:1 is reached (inferred), it costs the start only: idle then "
        f"{w.row('throughput/idle_start_s', 'thesis', 'newreno', 2)} s, later "
        f"{w.row('throughput/idle_later_s', 'thesis', 'newreno', 2)} s. For a dip of 10 s at 9 "
        "Mbit/s the window would have to fall; after 8 s there are "
        f"{w.say('window/reductions', 'thesis', 'newreno', 16, 0)} reductions."
    )


def newreno_start(e: Evidence) -> str:
    """How long slow start takes, in ACKs."""
    w = e.why
    return (
        "Slow start of ns-3 adds a segment per ACK, so fewer ACKs mean a longer start: link idle "
        "between first data and full link "
        f"{w.row('throughput/idle_start_s', 'ns3', 'newreno', 2)} s (ns-3 stack), "
        f"{w.row('throughput/idle_start_s', 'thesis', 'newreno', 2)} s (inferred). Linux counts "
        f"segments: {w.row('throughput/idle_start_s', 'linux', 'newreno', 2)} s."
    )


def newreno_recovers(e: Evidence) -> str:
    """There is nothing to recover from."""
    w = e.why
    return (
        "Once full, the link stays so: idle later "
        f"{w.row('throughput/idle_later_s', 'ns3', 'newreno', 2)} s (ns-3 stack), "
        f"{w.row('throughput/idle_later_s', 'thesis', 'newreno', 2)} s (inferred), as the lowest "
        f"window after 8 s, {w.row('window/lowest_packets', 'ns3', 'newreno', 0)} packets, hardly "
        f"lies below the {w.row('window/needed_packets', 'ns3', 'newreno', 0)} that are needed. "
        "The "
        "steady rate is reached; the dip before it, from which the thesis sees it recover, is in "
        f"none of our traces ({w.say('acks/timeouts_later', 'thesis', 'newreno', 16, 0)} timeouts, "
        f"{w.say('window/reductions', 'thesis', 'newreno', 16, 0)} reductions at 16:1)."
    )


def consistent(e: Evidence) -> str:
    """CUBIC and NewReno side by side."""
    w = e.why

    def idle(stack: str, cc: str) -> str:
        return w.row("throughput/idle_later_s", stack, cc, 2)

    return (
        "NewReno halves, and ns-3's counts ACKs; CUBIC counts time and cuts to 0.7. Idle once "
        "full, CUBIC "
        f"against NewReno: {idle('ns3', 'cubic')} and {idle('ns3', 'newreno')} s (ns-3 stack), "
        f"{idle('linux', 'cubic')} and {idle('linux', 'newreno')} s (Linux); in the start of the "
        f"inferred set-up {w.row('throughput/idle_start_s', 'thesis', 'cubic', 2)} and "
        f"{w.row('throughput/idle_start_s', 'thesis', 'newreno', 2)} s. The thesis's one collapse "
        f"of CUBIC, at 16:1, makes its order; it is not found here."
    )


def sawtooth(e: Evidence) -> str:
    """Teeth are losses."""
    w = e.why
    return (
        f"After 8 s {w.row('window/reductions', 'ns3', 'newreno', 0)} reductions (ns-3 stack), "
        f"{w.row('window/reductions', 'linux', 'newreno', 0)} (Linux), with "
        f"{w.row('loss/drops_per_reduction', 'ns3', 'newreno')} and "
        f"{w.row('loss/drops_per_reduction', 'linux', 'newreno')} drops each: the window fills the "
        "queue of 40, loses and halves. In the inferred set-up, where 128 KiB of buffer may "
        "limit the flow before the queue does, "
        f"{w.row('window/reductions', 'thesis', 'newreno', 0)} reductions."
    )
