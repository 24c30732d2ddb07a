"""The findings of section 4.1 on windows and losses under sparser feedback, and what they show."""

from __future__ import annotations

from acklab.stats import Estimate
from acklab.studies import runs
from acklab.studies.ack_aggregation import mechanisms as m
from acklab.studies.ack_aggregation import mechanisms_causes as causes
from acklab.studies.ack_aggregation import mechanisms_feedback as feedback
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.findings import AGGREGATED, RATIOS, SEEN, Finding, ratios, row
from acklab.studies.ack_aggregation.findings_causes import pace_of_growth, paced_by_acks
from acklab.studies.ack_aggregation.findings_loss import retx
from acklab.studies.ack_aggregation.findings_windows import varies
from acklab.studies.runs import beyond, changed, less, more, percent

#: Up to here the thesis has CUBIC's retransmissions higher, and alike.
UP_TO_8 = (1, 2, 4, 8)
#: What CUBIC's probing is: how fast the window climbs, and from peak to peak.
PROBING = ("climb_packets_per_s", "period_s")


def lossless(v: View, ratio: int) -> bool:
    """Whether Vegas sends no segment of data again and recovers from nothing, in any run."""
    return all(
        runs.known(v.each(q, "vegas", ratio)).high <= 0 for q in ("retransmissions", "recoveries")
    )


def short_of_cubics(v: View, ratio: int) -> bool:
    """Whether the longest queue under Vegas is visibly shorter than that under CUBIC."""
    vegas, cubic = (v.quantity("queue_max_packets", cc, ratio) for cc in ("vegas", "cubic"))
    return vegas < (1 - SEEN) * cubic


def each_has_its_loss(v: View, ratio: int) -> bool:
    """Whether NewReno's window has no more teeth than there were losses found."""
    found = runs.total(v.each(q, "newreno", ratio) for q in ("recoveries", "timeouts"))
    return runs.minus(v.each("teeth", "newreno", ratio), found).high <= 0


def unchanged(v: View) -> bool:
    """Whether CUBIC climbs as fast, and peaks as often, at every ratio as at 1:1."""
    gains = [v.gain(q, "cubic", 1, r) for q in PROBING for r in AGGREGATED]
    return all(more(gain, -SEEN) and less(gain, SEEN) for gain in gains)


def loses_more(v: View, other: str) -> bool:
    """Whether CUBIC sends more again than another, at every ratio up to 8:1."""
    return all(more(v.excess("retransmissions", "cubic", other, r)) for r in UP_TO_8)


def climbs_faster(v: View) -> bool:
    """Whether CUBIC's window climbs faster than NewReno's, at every ratio up to 8:1."""
    return all(more(v.excess("climb_packets_per_s", "cubic", "newreno", r)) for r in UP_TO_8)


def rises(v: View, cc: str) -> bool:
    """Whether visibly more is sent again at 8:1 than at 1:1."""
    return more(v.change("retransmissions", cc, 1, 8), SEEN * v.mean("retransmissions", cc, 1))


def misread(v: View, cc: str) -> bool:
    """Whether feedback is misread at 8:1 as it was not at 1:1.

    Of BBRv3, whether its pace is further off the link's rate; of CUBIC, whether timeouts take for
    lost what is late, more than the SYN's one.
    """
    if cc == "cubic":
        return more(v.change("timeouts", cc, 1, 8), 1)
    off = [abs(v.of.why.at("loss/cruise_pacing_share", v.stack, cc, r) - 1) for r in (1, 8)]
    return off[1] > off[0] + SEEN


def calmer(v: View, other: str, ratio: int) -> Estimate:
    """By what share Vegas's window varies more than another's; less is negative."""
    return beyond(*(v.each("window_variation", cc, ratio) for cc in ("vegas", other)))


def _vulnerable(v: View) -> str:
    told = [
        f"{CC_NAMES[cc]}: {retx(cc)(v)}, from 1:1 to 8:1 "
        f"{changed(v.change('retransmissions', cc, 1, 8), 1)} without the SYN"
        for cc in ("cubic", "bbr3")
    ]
    pace = v.of.why.row("loss/cruise_pacing_share", v.stack, "bbr3", 2)
    return (
        f"{'; '.join(told)}; timeouts of CUBIC {row(v, 'timeouts', 'cubic', 1)}; BBRv3 cruises at "
        f"{pace} of the link's rate, one trace"
    )


def _probing(v: View) -> str:
    climb, period = (
        " / ".join(percent(v.gain(q, "cubic", 1, r)) for r in AGGREGATED) for q in PROBING
    )
    return (
        f"climb {row(v, 'climb_packets_per_s', 'cubic')} packets/s, against 1:1 {climb}; from "
        f"peak to peak {row(v, 'period_s', 'cubic')} s, against 1:1 {period}"
    )


FEEDBACK_LOSS = (
    Finding(
        "F2-newreno-paced",
        "This illustrates NewReno's steady but ACK-paced growth",
        "4.1, Fig. 2c",
        # Steady: a window that climbs for most of the time.
        lambda v: all(v.mean("climbing", "newreno", r) > 0.5 for r in RATIOS) and paced_by_acks(v),
        lambda v: f"climbing {row(v, 'climbing', 'newreno')} of the time, {pace_of_growth(v)}",
        causes.by_ack,
        "why-window",
    ),
    Finding(
        "F3-newreno-drops",
        "[NewReno:] After the initial start and stabilization, the cwnd ramps up and drops sharply "
        "once loss is detected",
        "4.1 Congestion window",
        lambda v: all(
            v.mean("teeth", "newreno", r) >= 1
            and v.mean("climbing", "newreno", r) > 0.5
            and each_has_its_loss(v, r)
            for r in RATIOS
        ),
        lambda v: (
            f"teeth {row(v, 'teeth', 'newreno', 1)} a run, recoveries "
            f"{row(v, 'recoveries', 'newreno', 1)}, climbing {row(v, 'climbing', 'newreno')} of "
            "the time"
        ),
        m.sawtooth,
        "why-window",
    ),
    Finding(
        "F3-vegas-different",
        "Vegas, being delay-based, shows a drastically different cwnd behaviour",
        "4.1 Congestion window",
        lambda v: all(
            less(calmer(v, other, r), -0.5)
            for other in PAPER_CONTROLLERS
            if other != "vegas"
            for r in RATIOS
        ),
        lambda v: ", ".join(f"{CC_NAMES[cc]} {varies(cc)(v)}" for cc in PAPER_CONTROLLERS),
        feedback.vegas_window,
        "why-runs",
    ),
    Finding(
        "F4-vegas-queues",
        "[Vegas:] its delay-based design, which avoids filling queues and backs off before loss "
        "occurs",
        "4.1 Retransmissions",
        lambda v: all(short_of_cubics(v, r) and lossless(v, r) for r in RATIOS),
        lambda v: (
            "longest queue "
            + ratios(lambda r: v.quantity("queue_max_packets", "vegas", r), 0)
            + " packets, under CUBIC "
            + ratios(lambda r: v.quantity("queue_max_packets", "cubic", r), 0)
            + f"; data sent again {row(v, 'retransmissions', 'vegas', 1)}"
        ),
        loss.vegas_lossless,
        "why-vegas",
    ),
    Finding(
        "F4-vegas-extreme",
        "Even under extreme suppression, Vegas maintains enough responsiveness to avoid causing or "
        "reacting to loss events",
        "4.1 Retransmissions",
        lambda v: lossless(v, 16),
        lambda v: (
            f"data sent again {row(v, 'retransmissions', 'vegas', 1)}, recoveries "
            f"{row(v, 'recoveries', 'vegas', 1)}"
        ),
        loss.vegas_lossless,
        "why-loss",
    ),
    Finding(
        "F4-cubic-higher",
        "Cubic ... results in a higher ... number of retransmissions [than NewReno and Vegas]",
        "4.1 Retransmissions",
        lambda v: all(loses_more(v, other) for other in ("newreno", "vegas")),
        lambda v: "; ".join(
            f"{CC_NAMES[cc]} {row(v, 'retransmissions', cc, 1)}"
            for cc in ("cubic", "newreno", "vegas")
        ),
        loss.cubic_loss,
        "why-loss",
    ),
    Finding(
        "F4-cubic-higher-why",
        "Cubic, being more aggressive in probing the available bandwidth, results in a higher ... "
        "number of retransmissions",
        "4.1 Retransmissions",
        # Than NewReno, described before it; Vegas's window does not climb at all.
        lambda v: loses_more(v, "newreno") and climbs_faster(v),
        lambda v: "; ".join(
            f"{CC_NAMES[cc]} sends {row(v, 'retransmissions', cc, 1)} again, climbs by "
            f"{row(v, 'climb_packets_per_s', cc, 1)} packets/s"
            for cc in ("cubic", "newreno")
        ),
        feedback.cubic_probes,
        "why-loss",
    ),
    Finding(
        "F4-cubic-probing",
        "[CUBIC:] its probing strategy remains unchanged regardless of ACK suppression",
        "4.1 Retransmissions",
        unchanged,
        _probing,
        of_runs.cubic_ramp,
        "why-window",
    ),
    Finding(
        "F4-vulnerable",
        "Cubic and BBRv3 ... both become more vulnerable to excessive sending or misinterpretation "
        "of feedback",
        "4.1 Retransmissions",
        lambda v: all(rises(v, cc) or misread(v, cc) for cc in ("cubic", "bbr3")),
        _vulnerable,
        feedback.vulnerable,
        "why-loss",
    ),
)
