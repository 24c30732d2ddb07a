"""The findings about one flow's average throughput: Table 1."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from acklab.stats import Estimate
from acklab.studies.ack_aggregation import mechanisms as m
from acklab.studies.ack_aggregation import mechanisms_acks as acks
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation import runs
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import AGGREGATED, RATIOS, SEEN, Finding, ratios
from acklab.studies.ack_aggregation.runs import Sample, changed, less, more, said

#: Up to here the thesis calls aggregation moderate.
MODERATE = (2, 4, 8)
#: A fall is gradual if no step takes more than this of it: twice what the other steps take.
ONE_STEP = 2 / 3


def mbps(cc: str) -> Callable[[View], str]:
    """Throughput by ratio."""
    return lambda v: ratios(lambda r: v.mbps(cc, r)) + " Mbit/s"


def spread(values: list[float]) -> float:
    """Largest over smallest, less one."""
    return max(values) / max(min(values), 1e-9) - 1


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
    what falls no further than that is not what the thesis calls a decrease.
    """
    whole, each = v.change("mbps", cc, 1, 16), steps(v, cc)
    return (
        less(whole)
        and not any(more(step) for step in each)
        and min(step.mean for step in each) > ONE_STEP * whole.mean
        and more(runs.minus(fall(v, cc, 1, 8), fall(v, "cubic", 1, 8)))
    )


def _declines(v: View) -> str:
    also = [cc for cc in PAPER_CONTROLLERS if cc != "newreno" and declines(v, cc)]
    return (
        f"{mbps('newreno')(v)}, to 8:1 less by {said(runs.known(fall(v, 'newreno', 1, 8)))}, CUBIC "
        f"by {said(runs.known(fall(v, 'cubic', 1, 8)))}; others by the same "
        f"rule: {', '.join(also) or 'none'}"
    )


def larger_step(v: View, since: int, to: int) -> bool:
    """Whether NewReno loses more at this step than from 2:1 to 4:1 and from 4:1 to 8:1."""
    this = fall(v, "newreno", since, to)
    others = (fall(v, "newreno", 2, 4), fall(v, "newreno", 4, 8))
    return all(more(runs.minus(this, other)) for other in others)


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
        lambda v: v.mbps("bbr3", 2) < 0.9 * v.mbps("bbr3", 1),
        mbps("bbr3"),
        m.bbr_start,
        "why-bbr",
    ),
    Finding(
        "P-bbr-startup",
        "BBRv3: Throughput drops with any aggregation due to disrupted startup",
        "poster",
        # Of the start it is if the last quarter of the run has as much as without aggregation.
        lambda v: all(
            v.mbps("bbr3", r) < (1 - SEEN) * v.mbps("bbr3", 1)
            and v.mean("end_mbps", "bbr3", r) > (1 - SEEN) * v.mean("end_mbps", "bbr3", 1)
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
        lambda v: (
            spread([v.mbps("bbr3", r) for r in AGGREGATED]) < 0.05
            and abs(v.mbps("bbr3", 16) - 6.5) < 0.35
        ),
        mbps("bbr3"),
        m.bbr_stable,
        "why-throughput",
    ),
    Finding(
        "T1-bbr-why",
        "[BBRv3:] its bandwidth probing is disrupted by the reduced feedback frequency",
        "4.1 Throughput",
        lambda v: v.late_rate("bbr3", 2) < 0.9 * v.late_rate("bbr3", 1),
        lambda v: "second half " + ratios(lambda r: v.late_rate("bbr3", r)) + " Mbit/s",
        m.bbr_later,
        "why-throughput",
    ),
    Finding(
        "T1-cubic-robust",
        "[CUBIC:] The average throughput remains close to the baseline for ratios up to 8:1",
        "4.1 Throughput; poster",
        lambda v: all(v.mbps("cubic", r) > 0.9 * v.mbps("cubic", 1) for r in MODERATE),
        mbps("cubic"),
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
            and less(runs.minus(reach(v, "cubic", RATIOS[:4]), reach(v, "bbr3", RATIOS[:4])))
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
        lambda v: v.mbps("cubic", 16) < 0.5 * v.mbps("cubic", 8),
        mbps("cubic"),
        acks.cubic_collapse,
        "why-acks",
    ),
    Finding(
        "T1-cubic-rto",
        "[CUBIC at 16:1:] causing longer retransmission timeouts, which lead to the collapse of "
        "the congestion window",
        "4.1 Throughput",
        lambda v: v.quantity("rtos", "cubic", 16) > v.quantity("rtos", "cubic", 1) + 1,
        lambda v: ratios(lambda r: v.quantity("rtos", "cubic", r), 1) + " timeouts",
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
