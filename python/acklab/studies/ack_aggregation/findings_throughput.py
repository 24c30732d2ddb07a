"""The findings about one flow's average throughput: Table 1."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from acklab.stats import Estimate
from acklab.studies import runs
from acklab.studies.ack_aggregation import mechanisms as m
from acklab.studies.ack_aggregation import mechanisms_acks as acks
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import AGGREGATED, RATIOS, SEEN, Finding, ratios
from acklab.studies.ack_aggregation.references import paper_throughput
from acklab.studies.runs import Sample, apart, changed, less, more, percent, said

#: Up to here the thesis calls aggregation moderate.
MODERATE = (2, 4, 8)
#: A fall is gradual if no step takes more than this of it: twice what the other steps take.
ONE_STEP = 2 / 3
#: A step is noticeable if it is larger than others by this, Mbit/s: what the thesis's figures show.
NOTICED_MBPS = 0.1


def close() -> float:
    """What the thesis calls close to a baseline, as a share: how far CUBIC falls there to 8:1."""
    one, eight = (paper_throughput("cubic", r) or 0.0 for r in (1, 8))
    return 1 - eight / one


def mbps(cc: str) -> Callable[[View], str]:
    """Throughput by ratio."""
    return lambda v: ratios(lambda r: v.mbps(cc, r)) + " Mbit/s"


def steps(v: View, cc: str) -> list[Estimate]:
    """What is known of the change of throughput from each ratio to the next, Mbit/s."""
    return [v.change("mbps", cc, a, b) for a, b in pairwise(RATIOS)]


def fall(v: View, cc: str, since: int, to: int) -> Sample:
    """How far the throughput falls between two ratios, Mbit/s, by seed."""
    return runs.difference(v.each("mbps", cc, since), v.each("mbps", cc, to))


def reach(v: View, cc: str, over: tuple[int, ...] = RATIOS) -> Sample:
    """Highest less lowest throughput over the ratios, Mbit/s, by seed."""
    return runs.spread(v.each("mbps", cc, r) for r in over)


def declines(v: View, cc: str) -> bool:
    """Falls with the ratio, at no step up and not at one step alone, further than CUBIC does.

    CUBIC's throughput is said in the same section to stay close to its baseline up to 8:1, so that
    what falls no further than that, here or in the thesis's table, is not what it calls a decrease.
    """
    whole, each = v.change("mbps", cc, 1, 16), steps(v, cc)
    return (
        less(v.gain("mbps", cc, 1, 16), -close())
        and not any(more(step) for step in each)
        and min(step.mean for step in each) > ONE_STEP * whole.mean
        and more(runs.minus(fall(v, cc, 1, 8), fall(v, "cubic", 1, 8)))
    )


def _declines(v: View) -> str:
    also = [cc for cc in PAPER_CONTROLLERS if cc != "newreno" and declines(v, cc)]
    ours, cubics = (said(runs.known(fall(v, cc, 1, 8))) for cc in ("newreno", "cubic"))
    return (
        f"{mbps('newreno')(v)}, to 16:1 {percent(v.gain('mbps', 'newreno', 1, 16))}, to 8:1 less "
        f"by {ours}, CUBIC by {cubics}; others by the same rule: {', '.join(also) or 'none'}"
    )


def larger_step(v: View, since: int, to: int) -> bool:
    """Whether NewReno loses more at this step than from 2:1 to 4:1 and from 4:1 to 8:1."""
    this = fall(v, "newreno", since, to)
    others = (fall(v, "newreno", 2, 4), fall(v, "newreno", 4, 8))
    return all(more(runs.minus(this, other), NOTICED_MBPS) for other in others)


def against_one(v: View, cc: str, over: tuple[int, ...]) -> str:
    """By how much throughput differs from that at 1:1, seed by seed."""
    told = ", ".join(f"{r}:1 {percent(v.gain('mbps', cc, 1, r))}" for r in over)
    return f"{mbps(cc)(v)}, against 1:1: {told}"


def _stable(v: View) -> bool:
    """Whether all ratios have as much, and that what the thesis has, by a twentieth."""
    last = runs.known(v.each("mbps", "bbr3", 16))
    alike = apart(v.each("mbps", "bbr3", r) for r in AGGREGATED)
    return less(alike, 0.05) and last.low > 0.95 * 6.5 and last.high < 1.05 * 6.5


def _steps(v: View) -> str:
    told = ", ".join(
        f"{a}:1 to {b}:1 {changed(step)}"
        for (a, b), step in zip(pairwise(RATIOS), steps(v, "newreno"), strict=True)
    )
    return f"changes {told} Mbit/s"


THROUGHPUT = (
    Finding(
        "T1-bbr-drop",
        "For BBRv3, average throughput drops immediately when aggregation is introduced",
        "4.1 Throughput; poster",
        lambda v: less(v.gain("mbps", "bbr3", 1, 2), -SEEN),
        lambda v: against_one(v, "bbr3", (2,)),
        m.bbr_start,
        "why-bbr",
    ),
    Finding(
        "P-bbr-startup",
        "BBRv3: Throughput drops with any aggregation due to disrupted startup",
        "poster",
        # Of the start it is if the last quarter of the run has as much as without aggregation.
        lambda v: all(
            less(v.gain("mbps", "bbr3", 1, r), -SEEN)
            and more(v.gain("end_mbps", "bbr3", 1, r), -SEEN)
            for r in AGGREGATED
        ),
        lambda v: (
            f"{mbps('bbr3')(v)}, last quarter "
            f"{ratios(lambda r: v.mean('end_mbps', 'bbr3', r))} Mbit/s"
        ),
        of_runs.bbr_startup,
        "why-throughput",
    ),
    Finding(
        "T1-bbr-stable",
        "[BBRv3:] it stabilizes afterwards and maintains a consistent average of 6.5 Mbps",
        "4.1 Throughput",
        _stable,
        lambda v: (
            f"{mbps('bbr3')(v)}, from 2:1 on the highest exceeds the lowest by "
            f"{percent(apart(v.each('mbps', 'bbr3', r) for r in AGGREGATED))}"
        ),
        m.bbr_stable,
        "why-throughput",
    ),
    Finding(
        "T1-bbr-why",
        "[BBRv3:] its bandwidth probing is disrupted by the reduced feedback frequency",
        "4.1 Throughput",
        # Probing goes on after the start, and so would its disruption.
        lambda v: less(v.gain("end_mbps", "bbr3", 1, 2), -SEEN),
        lambda v: (
            f"last quarter {ratios(lambda r: v.mean('end_mbps', 'bbr3', r))} Mbit/s, at 2:1 "
            f"against 1:1 {percent(v.gain('end_mbps', 'bbr3', 1, 2))}"
        ),
        m.bbr_later,
        "why-throughput",
    ),
    Finding(
        "T1-cubic-robust",
        "[CUBIC:] The average throughput remains close to the baseline for ratios up to 8:1",
        "4.1 Throughput; poster",
        lambda v: all(more(v.gain("mbps", "cubic", 1, r), -SEEN) for r in MODERATE),
        lambda v: against_one(v, "cubic", MODERATE),
        m.cubic_robust,
        "why-window",
    ),
    Finding(
        "T1-cubic-less-change",
        "Cubic and BBRv3 both maintain high throughput under moderate aggregation, with Cubic "
        "experiencing less change",
        "4.1 Throughput",
        # High: what the thesis calls so goes down to 6.50 of 8.84 Mbit/s.
        lambda v: (
            all(v.mbps(cc, r) > 0.7 * v.mbps(cc, 1) for cc in ("cubic", "bbr3") for r in MODERATE)
            and less(
                runs.minus(reach(v, "cubic", RATIOS[:4]), reach(v, "bbr3", RATIOS[:4])),
                -NOTICED_MBPS,
            )
        ),
        lambda v: ", ".join(
            f"{cc} {said(runs.known(reach(v, cc, RATIOS[:4])))} Mbit/s between highest and lowest "
            f"up to 8:1, lowest {min(v.mbps(cc, r) for r in MODERATE) / v.mbps(cc, 1):.0%} of 1:1"
            for cc in ("cubic", "bbr3")
        ),
        of_runs.less_change,
        "why-throughput",
    ),
    Finding(
        "T1-cubic-collapse",
        "[CUBIC:] Only under extreme aggregation does performance degrade significantly, dropping "
        "to 1.96",
        "4.1 Throughput; poster",
        lambda v: less(v.gain("mbps", "cubic", 8, 16), -0.5),
        lambda v: f"{mbps('cubic')(v)}, from 8:1 to 16:1 {percent(v.gain('mbps', 'cubic', 8, 16))}",
        acks.cubic_collapse,
        "why-acks",
    ),
    Finding(
        "T1-cubic-rto",
        "[CUBIC at 16:1:] causing longer retransmission timeouts, which lead to the collapse of "
        "the congestion window",
        "4.1 Throughput",
        # One is the SYN's, where it is held.
        lambda v: more(v.change("timeouts", "cubic", 1, 16), 1),
        lambda v: (
            f"{ratios(lambda r: v.mean('timeouts', 'cubic', r), 1)} timeouts, from 1:1 to 16:1 "
            f"{changed(v.change('timeouts', 'cubic', 1, 16), 1)}"
        ),
        acks.cubic_timeouts,
        "why-acks",
    ),
    Finding(
        "T1-newreno-decline",
        "NewReno's average throughput gradually decreases",
        "4.1 Throughput",
        lambda v: declines(v, "newreno"),
        _declines,
        m.newreno_decline,
        "why-window",
    ),
    Finding(
        "T1-newreno-2to1",
        "[NewReno:] there is a more noticeable drop from the baseline to 2:1 aggregation",
        "4.1 Throughput",
        lambda v: larger_step(v, 1, 2),
        _steps,
        m.handshake,
        "why-throughput",
    ),
    Finding(
        "T1-newreno-16to1",
        "[NewReno:] another more pronounced reduction between 8:1 and 16:1",
        "4.1 Throughput; poster",
        lambda v: larger_step(v, 8, 16),
        _steps,
        m.newreno_16,
        "why-acks",
    ),
    Finding(
        "T1-newreno-consistent",
        "NewReno shows the most consistent performance across all aggregation levels",
        "4.1 Throughput; poster",
        lambda v: all(
            less(runs.minus(reach(v, "newreno"), reach(v, cc)))
            for cc in PAPER_CONTROLLERS
            if cc != "newreno"
        ),
        lambda v: (
            "highest less lowest: "
            + ", ".join(f"{cc} {said(runs.known(reach(v, cc)))}" for cc in PAPER_CONTROLLERS)
            + " Mbit/s"
        ),
        m.consistent,
        "why-throughput",
    ),
)
