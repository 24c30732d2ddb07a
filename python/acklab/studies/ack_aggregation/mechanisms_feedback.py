"""What feedback is to each kind of control, and what aggregation gives where: in words."""

from __future__ import annotations

from acklab.studies import runs
from acklab.studies.ack_aggregation import mechanisms as one
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.findings import NAMES, ORDER, row
from acklab.studies.ack_aggregation.mechanisms_causes import feedback
from acklab.studies.ack_aggregation.mechanisms_pairs import starved
from acklab.studies.ack_aggregation.why import shown


def bbr_model(e: Evidence) -> str:
    """BBRv3 paces, the others answer an ACK."""
    w = e.why
    return (
        "A window is let go by ACKs, a pace by a clock. Packets that come to the bottleneck in a "
        "row at 8:1, ns-3 stack: BBRv3 "
        f"{w.say('acks/burst_packets', 'ns3', 'bbr3', 8, 2)}, CUBIC "
        f"{w.say('acks/burst_packets', 'ns3', 'cubic', 8, 2)}, where an ACK stands for "
        f"{w.say('acks/segments_per_ack', 'ns3', 'cubic', 8, 2)} segments. The pace is the largest "
        "rate that was measured: while BBRv3 cruises "
        f"{w.row('loss/cruise_pacing_share', 'ns3', 'bbr3', 3)} of what the link carries (ns-3 "
        f"stack), {w.row('loss/cruise_pacing_share', 'linux', 'bbr3', 3)} (Linux), "
        f"{w.row('loss/cruise_pacing_share', 'thesis', 'bbr3', 3)} (inferred). It does rely on the "
        "RTT of its first ACK: inferred set-up, "
        f"{w.row('bbr/first_rtt_ms', 'thesis', 'bbr3', 0)} ms, at which it paces its start."
    )


def _idle(e: Evidence, stack: str) -> str:
    parts = ("handshake", "start", "later")
    return ", ".join(
        f"{CC_NAMES[cc]} "
        + " + ".join(e.why.say(f"throughput/idle_{p}_s", stack, cc, 8, 1) for p in parts)
        for cc in PAPER_CONTROLLERS
    )


def sensitivities(e: Evidence) -> str:
    """What each leaves idle, and that it is the stack as much as the kind."""
    told = "; ".join(f"{NAMES[s]}: {_idle(e, s)}" for s in ORDER)
    return (
        f"Idle seconds of the link at 8:1 in handshake + start + later: {told}. What is sensitive "
        "is how a stack counts, more than the kind of control: ns-3's NewReno grows by the ACK, "
        "its Vegas takes its own bursts for a queue, and Linux's do neither; the handshake's 3 s "
        "are everyone's in the inferred set-up, and BBRv3 alone takes them for an RTT."
    )


def vegas_window(e: Evidence) -> str:
    """A queue of two to four packets needs no saw."""

    def variation(stack: str) -> str:
        return ", ".join(
            f"{CC_NAMES[cc]} {row(e.view(stack), 'window_variation', cc, 3)}"
            for cc in PAPER_CONTROLLERS
        )

    told = "; ".join(f"{variation(s)} ({NAMES[s]})" for s in ORDER)
    return f"Variation of the window's second half: {told}. {loss.vegas_flat(e)}"


def cubic_probes(e: Evidence) -> str:
    """By the clock, and alike beside NewReno's by the ACK."""

    def climbs(stack: str) -> str:
        return " and ".join(
            row(e.view(stack), "climb_packets_per_s", cc) for cc in ("cubic", "newreno")
        )

    return (
        f"Climb of CUBIC and NewReno: {climbs('ns3')} packets/s (ns-3 stack), {climbs('linux')} "
        f"(Linux). {one.cubic_robust(e)} {loss.cubic_loss(e)}"
    )


def vulnerable(e: Evidence) -> str:
    """BBRv3 overflows a queue that it does not drain, CUBIC is as it was."""
    return f"{loss.bbr_noisy(e)} CUBIC: {feedback('cubic')(e)}"


def differences(e: Evidence) -> str:
    """Whose index falls, and for which reason."""
    pairs = ("bbr3-cubic", "bbr3-newreno", "cubic-newreno")

    def both(quantity: str, stack: str, pair: str, ratio: int, digits: int) -> str:
        each = (e.why.at(f"pairs/{quantity}", stack, pair, ratio, flow=f) for f in (0, 1))
        return " and ".join(shown(v, digits) for v in each)

    told = "; ".join(
        f"{p} {both('mbps', s, p, 1, 2)} at 1:1, {both('mbps', s, p, 8, 2)} at 8:1 with windows of "
        f"{both('window_packets', s, p, 8, 0)} packets ({stack})"
        for p in pairs
        for s, stack in (("ns3", "ns-3 stack"), ("linux", "Linux"))
    )
    return (
        "Beside Vegas differences are there at 1:1 already. Of the others, Mbit/s of the first and "
        f"the second flow, one trace: {told}. The queue over which BBRv3 cruises alone: "
        f"{e.why.row('loss/cruise_queue_packets', 'ns3', 'bbr3')} packets (ns-3 stack), "
        f"{e.why.row('loss/cruise_queue_packets', 'linux', 'bbr3')} (Linux). {starved(*pairs)(e)}"
    )


def less_effective(e: Evidence) -> str:
    """A frame's overhead is there to be saved, an ACK's is not."""

    def saved(cc: str) -> str:
        none, both = (
            runs.mean(e.air.at("contention_share", "ns3", cc, how)) for how in ("none", "both")
        )
        return f"{CC_NAMES[cc]} {none:.3f} to {both:.3f}"

    w = e.why
    return (
        "Over the air data and ACKs share one medium, and each access costs: without and with both "
        "aggregations contention takes, as a share of the time, "
        f"{', '.join(saved(cc) for cc in PAPER_CONTROLLERS)} (ns-3 stack). The wire back carries "
        "nothing but ACKs, so that fewer of them free nothing that data could use: at 1:1 the link "
        f"idles {w.say('throughput/idle_later_s', 'ns3', 'cubic', 1, 2)} s under CUBIC once full, "
        f"at 8:1 {w.say('throughput/idle_later_s', 'ns3', 'cubic', 8, 2)} s."
    )
