"""The findings of section 4.1 on what sparser feedback does to the rate of one flow, and why."""

from __future__ import annotations

from itertools import pairwise
from math import isnan

from acklab.studies import runs
from acklab.studies.ack_aggregation import mechanisms as m
from acklab.studies.ack_aggregation import mechanisms_acks as acks
from acklab.studies.ack_aggregation import mechanisms_feedback as feedback
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.findings import AGGREGATED, RATIOS, SEEN, Finding, row
from acklab.studies.ack_aggregation.findings_causes import misjudged, silent
from acklab.studies.ack_aggregation.findings_rates import converges, dips
from acklab.studies.ack_aggregation.findings_throughput import NOTICED_MBPS, mbps, reach
from acklab.studies.ack_aggregation.findings_vegas import extra_delay, over_half_of_cubics
from acklab.studies.ack_aggregation.tables import BIN_S
from acklab.studies.ack_aggregation.traces import TRACED
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.ack_aggregation.why_acks import MIN_RTO_MS
from acklab.studies.runs import changed, less, more, percent, said

#: Loss-based, delay-based, and what the thesis calls hybrid.
KINDS = (("cubic", "newreno"), ("vegas",), ("bbr3",))


def last_quarter(v: View, cc: str) -> str:
    """The rate at the end, and how it differs from that at 1:1."""
    told = " / ".join(percent(v.gain("end_mbps", cc, 1, r)) for r in AGGREGATED)
    return f"last quarter {row(v, 'end_mbps', cc)} Mbit/s, against 1:1 {told}"


def bursts(v: View, ratio: int = 8) -> dict[str, float]:
    """Packets in a row at the bottleneck, by controller, where packets were recorded."""
    each = {
        cc: v.of.why.at("acks/burst_packets", v.stack, cc, ratio)
        for cc in ("bbr3", *(cc for cc in PAPER_CONTROLLERS if cc != "bbr3"))
    }
    return {cc: n for cc, n in each.items() if not isnan(n)}


def by_model(v: View) -> bool:
    """Whether BBRv3 answers no ACK with a burst, as others do, and paces at the link's rate."""
    each = bursts(v)
    others = [n for cc, n in each.items() if cc != "bbr3"]
    return (
        "bbr3" in each
        and len(others) > 0
        and min(others) > (1 + SEEN) * each["bbr3"]
        and abs(misjudged(v)) < SEEN
    )


def near_zero(v: View) -> bool:
    """Whether of CUBIC's rate at 8:1 hardly what can be seen is left at the end of 16:1."""
    return less(v.gain("end_mbps", "cubic", 8, 16), -(1 - SEEN))


def collapses(v: View) -> bool:
    """Whether CUBIC at 16:1 has timeouts besides the SYN's, or less than half of the window."""
    return more(v.change("timeouts", "cubic", 1, 16), 1) or less(
        v.gain("window_packets", "cubic", 8, 16), -0.5
    )


def slower(v: View) -> bool:
    """Whether NewReno takes longer to its rate with the ratio, and at no step less long."""
    steps = [v.change("reached_s", "newreno", a, b) for a, b in pairwise(RATIOS)]
    return not any(less(step) for step in steps) and more(
        v.change("reached_s", "newreno", 1, 16), BIN_S
    )


def stalled(v: View) -> list[str]:
    """Who has, at 16:1 without the queue's timer, hardly what can be seen of what it has with."""
    return [cc for cc in PAPER_CONTROLLERS if v.untimed(cc) < SEEN * v.mbps(cc, 16)]


def differ(v: View, cc: str, other: str) -> bool:
    """Whether the throughput of one moves noticeably more over the ratios than another's."""
    apart = runs.minus(reach(v, cc), reach(v, other))
    return more(apart, NOTICED_MBPS) or less(apart, -NOTICED_MBPS)


def sensitivities(v: View) -> bool:
    """Whether no two kinds of control are moved alike."""
    return all(
        differ(v, cc, other)
        for i, kind in enumerate(KINDS)
        for cc in kind
        for others in KINDS[i + 1 :]
        for other in others
    )


def _bbr_by_model(v: View) -> str:
    told = ", ".join(f"{CC_NAMES[cc]} {n:.2f}" for cc, n in bursts(v).items())
    pace = v.of.why.row("loss/cruise_pacing_share", v.stack, "bbr3", 2)
    return (
        f"packets in a row at 8:1, where recorded: {told}; BBRv3's pace while cruising {pace} of "
        "the link's, one trace"
    )


def _why_near_zero(v: View) -> str:
    last = TRACED[v.stack][-1]
    return (
        f"last quarter {row(v, 'end_mbps', 'cubic')} Mbit/s, timeouts "
        f"{row(v, 'timeouts', 'cubic', 1)}, window {row(v, 'window_packets', 'cubic', 0)} packets; "
        f"longest silence between ACKs at {last}:1 "
        f"{v.of.why.say('acks/silence_ms', v.stack, 'cubic', last, 0)} ms of the "
        f"{MIN_RTO_MS[v.stack]:.0f} ms that a timeout takes"
    )


FEEDBACK = (
    Finding(
        "T1-bbr-model",
        "[BBRv3's] model-driven control logic, which relies less on individual ACKs and more on "
        "measured bottleneck bandwidth and round-trip time",
        "4.1 Throughput",
        by_model,
        _bbr_by_model,
        feedback.bbr_model,
        "why-acks",
    ),
    Finding(
        "T1-bbr-timely",
        "even BBR needs timely feedback to maintain high throughput",
        "4.1 Throughput",
        # Maintained is what is there after the start; needed, if it is missed at any ratio.
        lambda v: any(less(v.gain("end_mbps", "bbr3", 1, r), -SEEN) for r in AGGREGATED),
        lambda v: f"{mbps('bbr3')(v)}, {last_quarter(v, 'bbr3')}",
        m.bbr_later,
        "why-throughput",
    ),
    Finding(
        "F2-bbr-probing",
        "BBRv3 quickly converges back due to its active probing mechanism",
        "4.1, Fig. 2a",
        # What a timeout has to end is not ended by probing.
        lambda v: (
            converges(v)
            and all(v.of.why.at("bbr/stalls", v.stack, "bbr3", r) == 0 for r in TRACED[v.stack])
        ),
        lambda v: (
            f"{dips(v)}; the cumulative ACK stands still for more than 0.5 s "
            f"{v.of.why.row('bbr/stalls', v.stack, 'bbr3', 0)} times, one trace"
        ),
        m.bbr_stalls,
        "why-bbr",
    ),
    Finding(
        "F2-cubic-near-zero",
        "[CUBIC:] at the extreme 16:1 ratio, throughput collapses to near zero",
        "4.1, Fig. 2b",
        near_zero,
        lambda v: (
            f"last quarter {row(v, 'end_mbps', 'cubic')} Mbit/s, from 8:1 to 16:1 "
            f"{percent(v.gain('end_mbps', 'cubic', 8, 16))}"
        ),
        acks.cubic_collapse,
        "why-acks",
    ),
    Finding(
        "F2-cubic-near-zero-why",
        "[CUBIC at 16:1 collapses,] suggesting retransmission timeouts or severe window reductions "
        "caused by insufficient ACK feedback",
        "4.1, Fig. 2b",
        lambda v: near_zero(v) and collapses(v) and silent(v, "cubic"),
        _why_near_zero,
        acks.cubic_timeouts,
        "why-acks",
    ),
    Finding(
        "F2-newreno-inverse",
        "[NewReno:] the convergence speed [is] inversely related to the aggregation ratio",
        "4.1, Fig. 2c",
        slower,
        lambda v: (
            f"nine tenths of the last quarter's rate after {row(v, 'reached_s', 'newreno', 1)} s, "
            + ", ".join(
                f"{a}:1 to {b}:1 {changed(v.change('reached_s', 'newreno', a, b))}"
                for a, b in pairwise(RATIOS)
            )
        ),
        m.newreno_start,
        "why-throughput",
    ),
    Finding(
        "F2-newreno-resilient",
        "This illustrates NewReno's ... resilience in the long run",
        "4.1, Fig. 2c",
        lambda v: all(more(v.gain("end_mbps", "newreno", 1, r), -SEEN) for r in AGGREGATED),
        lambda v: last_quarter(v, "newreno"),
        m.newreno_decline,
        "why-throughput",
    ),
    Finding(
        "T1-vegas-conservative",
        "[Vegas performs poorly without aggregation:] This reflects on its conservative, "
        "delay-based congestion avoidance",
        "4.1 Throughput",
        # It has stopped, and no loss has stopped it.
        lambda v: (
            less(over_half_of_cubics(v))
            and v.mean("window_variation", "vegas", 1) < SEEN
            and runs.known(v.each("retransmissions", "vegas", 1)).high <= 0
        ),
        lambda v: (
            f"{said(runs.known(v.each('mbps', 'vegas', 1)))} Mbit/s at 1:1, half of CUBIC's "
            f"exceeded by {changed(over_half_of_cubics(v))}, window "
            f"{v.mean('window_packets', 'vegas', 1):.1f} packets, varies by "
            f"{v.mean('window_variation', 'vegas', 1):.3f}, sent again "
            f"{v.mean('retransmissions', 'vegas', 1):.0f}; RTT over the smallest one "
            f"{shown(extra_delay(v, 1), 1)} ms, one trace"
        ),
        loss.vegas_baseline,
        "why-vegas",
    ),
    Finding(
        "T1-sensitivities",
        "the different sensitivities of loss-based, delay-based, and hybrid congestion control "
        "strategies under reduced feedback conditions",
        "4.1 Throughput",
        sensitivities,
        lambda v: (
            "highest less lowest: "
            + ", ".join(f"{cc} {said(runs.known(reach(v, cc)))}" for cc in PAPER_CONTROLLERS)
            + " Mbit/s"
        ),
        feedback.sensitivities,
        "why-throughput",
    ),
    Finding(
        "M-stall",
        "Feedback is too sparse in this case [without the timer], so a sender may stall entirely, "
        "waiting indefinitely for acknowledgements that never come",
        "4.1",
        lambda v: len(stalled(v)) > 0,
        lambda v: (
            f"at 16:1 without the timer less than a tenth of what it has with it: "
            f"{', '.join(stalled(v)) or 'none'} ("
            + ", ".join(f"{cc} {v.untimed(cc):.2f}" for cc in PAPER_CONTROLLERS)
            + " Mbit/s)"
        ),
        acks.timer,
        "why-acks",
    ),
)
