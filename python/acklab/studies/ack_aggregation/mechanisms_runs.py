"""Why the findings are so that compare whole runs: from traces and from every seed, in words."""

from __future__ import annotations

from acklab.studies.ack_aggregation import mechanisms as one
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.findings import row
from acklab.studies.ack_aggregation.mechanisms_acks import timer_cap
from acklab.studies.runs import scatter


def _row(e: Evidence, quantity: str, stack: str, cc: str, digits: int = 2) -> str:
    """Means over seeds, 1:1 to 16:1."""
    return row(e.view(stack), quantity, cc, digits)


def less_change(e: Evidence) -> str:
    """What each of CUBIC and BBRv3 leaves idle."""
    w = e.why

    def parts(stack: str, cc: str) -> str:
        return " + ".join(
            w.say(f"throughput/idle_{part}_s", stack, cc, 8, 1)
            for part in ("handshake", "start", "later")
        )

    return (
        "Idle seconds of the link at 8:1 in handshake + start + later: CUBIC "
        f"{parts('ns3', 'cubic')}, BBRv3 {parts('ns3', 'bbr3')} (ns-3 stack); "
        f"{parts('linux', 'cubic')} and {parts('linux', 'bbr3')} (Linux); "
        f"{parts('thesis', 'cubic')} and {parts('thesis', 'bbr3')} (inferred). CUBIC grows by the "
        "clock and keeps a queue; BBRv3 empties it in PROBE_RTT, "
        f"{w.row('bbr/probe_rtt_visits', 'ns3', 'bbr3', 0)} visits a minute (ns-3 stack), and in "
        "the inferred set-up takes the handshake's 3 s for an RTT."
    )


def bbr_startup(e: Evidence) -> str:
    """The start, and the starts that a run does not get over."""
    return f"{one.bbr_start(e)} {one.bbr_stable(e)}"


def bbr_dips(e: Evidence) -> str:
    """What the dips are, and what ends them."""
    w = e.why
    return (
        "Two kinds of dips. PROBE_RTT, every 5 s by its timer: "
        f"{w.row('bbr/probe_rtt_visits', 'ns3', 'bbr3', 0)} visits a minute (ns-3 stack), "
        f"{w.row('bbr/probe_rtt_visits', 'linux', 'bbr3', 0)} (Linux), together "
        f"{w.row('bbr/idle_in_probe_rtt_s', 'ns3', 'bbr3')} and "
        f"{w.row('bbr/idle_in_probe_rtt_s', 'linux', 'bbr3')} s idle; it ends by itself. And in "
        "ns-3's stack repetitions that are lost: "
        f"{w.row('bbr/stalls', 'ns3', 'bbr3', 0)} times more than 0.5 s without a new cumulative "
        f"ACK, which {w.row('acks/timeouts_later', 'ns3', 'bbr3', 0)} timeouts end, not probing. "
        "The longest dip lasts "
        f"{_row(e, 'longest_dip_s', 'ns3', 'bbr3', 1)} s (ns-3 stack), "
        f"{_row(e, 'longest_dip_s', 'linux', 'bbr3', 1)} s (Linux), "
        f"{_row(e, 'longest_dip_s', 'thesis', 'bbr3', 1)} s (inferred)."
    )


def newreno_similar(e: Evidence) -> str:
    """CUBIC and NewReno side by side, and no dip."""
    w = e.why

    def idle(stack: str, cc: str) -> str:
        return w.row("throughput/idle_later_s", stack, cc, 2)

    return (
        "Both fill the link and keep a queue. Idle once full, CUBIC and NewReno: "
        f"{idle('ns3', 'cubic')} and {idle('ns3', 'newreno')} s (ns-3 stack), "
        f"{idle('linux', 'cubic')} and {idle('linux', 'newreno')} s (Linux), "
        f"{idle('thesis', 'cubic')} and {idle('thesis', 'newreno')} s (inferred). The dip at 16:1 "
        "is in no run: for 10 s below the rate the window would have to fall, and where 16:1 is "
        f"reached there are {w.say('window/reductions', 'thesis', 'newreno', 16, 0)} reductions "
        f"and {w.say('acks/timeouts_later', 'thesis', 'newreno', 16, 0)} timeouts."
    )


def vegas_perceived(e: Evidence) -> str:
    """The delay that Vegas takes for its queue's, and what it is."""
    w = e.why
    return (
        "What Vegas perceives is the RTT less its base, and it shrinks or grows its window until "
        "that is worth two to four packets. As stated (ns-3 stack) there is in it what a segment "
        f"waited at the bottleneck, {w.row('vegas/wait_ms', 'ns3', 'vegas')} ms, with aggregation "
        "behind its own burst, and what the filter held, "
        f"{w.row('vegas/held_ms', 'ns3', 'vegas')} ms; the window gives way to that, "
        f"{w.row('vegas/window_packets', 'ns3', 'vegas', 0)} packets. In the inferred set-up less "
        "is perceived, but because the base is another. "
        f"{loss.vegas_moderate(e)}"
    )


def vegas_surge(e: Evidence) -> str:
    """When the window is made."""
    w = e.why
    return (
        f"{timer_cap(e)} Vegas makes its window in slow start. Inferred set-up: left at "
        f"{w.row('vegas/slow_start_packets', 'thesis', 'vegas', 0)} packets, later median "
        f"{w.row('vegas/window_packets', 'thesis', 'vegas', 0)}. It grows again only while it "
        "reckons fewer than two packets queued; at 16:1 it reckons "
        f"{w.say('vegas/reckoned_packets', 'thesis', 'vegas', 16)}. So nothing rises late: nine "
        "tenths of the last quarter's rate are reached after "
        f"{_row(e, 'reached_s', 'thesis', 'vegas', 1)} s, the handshake's "
        f"{w.row('throughput/idle_handshake_s', 'thesis', 'vegas')} s among them."
    )


def cubic_ramp(e: Evidence) -> str:
    """Climbs and slow start of CUBIC."""
    w = e.why
    return (
        "Within a cycle CUBIC climbs by the clock (RFC 9438): "
        f"{_row(e, 'climb_packets_per_s', 'ns3', 'cubic')} packets/s (ns-3 stack), "
        f"{_row(e, 'climb_packets_per_s', 'linux', 'cubic')} (Linux), from peak to peak "
        f"{_row(e, 'period_s', 'ns3', 'cubic')} and {_row(e, 'period_s', 'linux', 'cubic')} s. "
        "Slow start is left after "
        f"{w.row('throughput/startup_left_s', 'ns3', 'cubic', 2)} s (ns-3 stack), "
        f"{w.row('throughput/startup_left_s', 'linux', 'cubic', 2)} s (Linux), "
        f"{w.row('throughput/startup_left_s', 'thesis', 'cubic', 2)} s (inferred, the handshake's "
        f"{w.row('throughput/idle_handshake_s', 'thesis', 'cubic')} s among them). Reductions "
        f"after 8 s in the inferred set-up: {w.row('window/reductions', 'thesis', 'cubic', 0)}; "
        "without any there is no cycle."
    )


def teeth_compared(e: Evidence) -> str:
    """Whose teeth are alike, and who climbs how fast."""

    def both(quantity: str, cc: str, digits: int) -> str:
        return (
            f"{_row(e, quantity, 'ns3', cc, digits)} (ns-3 stack) and "
            f"{_row(e, quantity, 'linux', cc, digits)} (Linux)"
        )

    return (
        "Both loss-based controllers repeat one cycle as a clock does: their periods vary by "
        f"{both('period_variation', 'newreno', 3)} for NewReno, "
        f"{both('period_variation', 'cubic', 3)} for CUBIC, which is what samples 0.1 s apart can "
        "tell. BBRv3 draws the time between its probes at random, so its vary by "
        f"{both('period_variation', 'bbr3', 2)}. Who climbs faster of NewReno and CUBIC is a "
        "matter of how ACKs are counted. "
        f"{one.ack_clock(e)} {one.sawtooth(e)}"
    )


def duplicates(e: Evidence) -> str:
    """Duplicates are merged as other ACKs are; SACK does not need their number."""
    w = e.why
    return (
        "The filter merges duplicates as it does other ACKs: of "
        f"{w.row('acks/duplicates_sent', 'ns3', 'newreno', 0)} sent "
        f"{w.row('acks/duplicates', 'ns3', 'newreno', 0)} reach the sender (ns-3 stack), of "
        f"{w.row('acks/duplicates_sent', 'linux', 'newreno', 0)} "
        f"{w.row('acks/duplicates', 'linux', 'newreno', 0)} (Linux). Fewer are sent, too, as a "
        "window that grows by the ACK overflows less often: recoveries "
        f"{_row(e, 'recoveries', 'ns3', 'newreno', 1)} (ns-3 stack), "
        f"{_row(e, 'recoveries', 'linux', 'newreno', 1)} (Linux). Fast retransmit triggers "
        "all the same where something is lost, for it does not count duplicates: ns-3 counts what "
        "was "
        "SACKed (RFC 6675), Linux's RACK looks at when it was sent (RFC 8985), and one ACK tells "
        "of all the merged ones. Timeouts repair "
        f"{_row(e, 'timeout_share', 'ns3', 'newreno')} of the losses (ns-3 stack), "
        f"{_row(e, 'timeout_share', 'linux', 'newreno')} (Linux). In the inferred set-up "
        "a timeout repeats the SYN "
        f"({w.row('throughput/syn_timeouts', 'thesis', 'newreno', 0)})."
    )


def bbr_estimates(e: Evidence) -> str:
    """Noisier samples, but a maximum filter over them."""
    w = e.why
    return (
        "Coefficients of variation of the samples after 8 s, by ratio: rate "
        f"{_row(e, 'delivery_variation', 'ns3', 'bbr3', 3)} (ns-3 stack), "
        f"{_row(e, 'delivery_variation', 'linux', 'bbr3', 3)} (Linux); RTT "
        f"{_row(e, 'rtt_variation', 'ns3', 'bbr3', 3)} and "
        f"{_row(e, 'rtt_variation', 'linux', 'bbr3', 3)}. BBRv3 takes the largest rate and the "
        "smallest RTT: it cruises at "
        f"{w.row('loss/cruise_pacing_share', 'ns3', 'bbr3', 3)} of what the link carries (ns-3 "
        f"stack), {w.row('loss/cruise_pacing_share', 'linux', 'bbr3', 3)} (Linux). "
        f"{loss.bbr_noisy(e)}"
    )


def bbr_loss_16(e: Evidence) -> str:
    """No decrease at 16:1 as stated; in the inferred set-up what is dropped decreases."""
    w = e.why
    return (
        f"{timer_cap(e)} What BBRv3 loses at 8:1, in the first 8 s, later in PROBE_BW_UP, and "
        "otherwise: "
        + " + ".join(
            w.say(f"loss/dropped_{p}", "ns3", "bbr3", 8, 0) for p in ("start", "probing", "else")
        )
        + " packets (ns-3 stack), "
        + " + ".join(
            w.say(f"loss/dropped_{p}", "linux", "bbr3", 8, 0) for p in ("start", "probing", "else")
        )
        + " (Linux), it loses at 16:1 as well. In the inferred set-up, where 16:1 is reached, the "
        f"queue has at most {w.row('loss/queue_max_packets', 'thesis', 'bbr3', 0)} packets, of "
        f"which after 8 s {w.row('loss/dropped_else', 'thesis', 'bbr3', 0)} are dropped; sent "
        "again besides the SYN are "
        f"{_row(e, 'retransmissions', 'thesis', 'bbr3', 1)} segments in the mean over seeds, by "
        f"timeout a share of {_row(e, 'timeout_share', 'thesis', 'bbr3')}. Nor does feedback "
        "cease, which the thesis suspects: the longest silence is "
        f"{w.say('acks/silence_ms', 'thesis', 'bbr3', 16, 0)} ms."
    )


def vegas_swings(e: Evidence) -> str:
    """A fall that can be foretold as stated, a matter of the start in the inferred set-up."""
    return (
        "As stated Vegas does not swing: it loses more with each ratio (ns-3 stack) or nothing "
        f"(Linux). {loss.vegas_bias(e)} In the inferred set-up the instant of the start decides. "
        f"{loss.vegas_sparse(e)} Over the air single runs (A-MSDU / A-MPDU / both) vary by "
        f"{_in_air(e, 'ns3')} of their mean (ns-3 stack), {_in_air(e, 'linux')} (Linux), "
        f"{_in_air(e, 'thesis')} (inferred), CUBIC's by {_in_air(e, 'thesis', 'cubic')}: there "
        "too the start leaves a base RTT in whole ms, or in Linux one in us."
    )


def _in_air(e: Evidence, stack: str, cc: str = "vegas") -> str:
    """Coefficient of variation of single runs over the air, by aggregation."""
    each = (e.air.at("goodput_mbps", stack, cc, how) for how in ("amsdu", "ampdu", "both"))
    return " / ".join(f"{scatter(sample):.3f}" for sample in each)


def vegas_rtt(e: Evidence) -> str:
    """It is a bias, not a variability."""
    return (
        "As stated what aggregation adds to the RTT is much the same for each ACK, a bias: samples "
        f"vary by {_row(e, 'rtt_variation', 'ns3', 'vegas', 3)} of their mean (ns-3 stack), "
        f"{_row(e, 'rtt_variation', 'linux', 'vegas', 3)} (Linux), while the window stands still, "
        f"{e.why.row('vegas/window_changes', 'ns3', 'vegas', 0)} changes a minute (ns-3 stack). In "
        "the inferred set-up, whose timer lets ACKs wait for the next arrival, they vary by "
        f"{_row(e, 'rtt_variation', 'thesis', 'vegas', 3)}. {loss.vegas_bias(e)}"
    )
