"""More findings about who shares how with whom, and where aggregation helps: 4.1 and the poster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from acklab.stats import Estimate
from acklab.studies import runs
from acklab.studies.ack_aggregation import mechanisms_feedback as feedback
from acklab.studies.ack_aggregation import mechanisms_pairs as m
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import AGGREGATED, RATIOS, Finding
from acklab.studies.ack_aggregation.findings_fairness import (
    HIGHER,
    MIXED,
    UNDECIDED,
    index,
    winner,
)
from acklab.studies.ack_aggregation.findings_summary import WAYS
from acklab.studies.runs import Sample, changed, less, more, percent, said


def _higher_less_low(of: Callable[[int], Sample]) -> Estimate:
    """The mean over 4:1 to 16:1 less what there is at 1:1, seed by seed."""
    summed = runs.total(of(r) for r in HIGHER)
    return runs.minus({seed: x / len(HIGHER) for seed, x in summed.items()}, of(1))


def uneven(v: View, pair: str) -> Estimate:
    """Jain's index of a pair at higher ratios less that at 1:1."""
    return _higher_less_low(lambda r: v.each("jain", pair, r))


def _of_all_pairs(v: View, ratio: int) -> Sample:
    summed = runs.total(v.each("jain", p, ratio) for p in MIXED)
    return {seed: jain / len(MIXED) for seed, jain in summed.items()}


def uneven_in_all(v: View) -> Estimate:
    """The same of the mean over all mixed pairs."""
    return _higher_less_low(lambda r: _of_all_pairs(v, r))


def shifts(v: View) -> list[str]:
    """The mixed pairs of which each flow is ahead at some ratio."""
    winners = {p: {winner(v, p, (r,)) for r in RATIOS} - {UNDECIDED} for p in MIXED}
    return [p for p, ahead in winners.items() if len(ahead) == 2]


def travel(v: View, cc: str) -> Sample:
    """How far Jain's index of two flows goes up and down over the ratios, all in all, by seed."""
    each = [v.each("jain", f"{cc}-{cc}", r) for r in RATIOS]
    steps = [runs.difference(after, before) for before, after in pairwise(each)]
    return runs.total({seed: abs(x) for seed, x in step.items()} for step in steps)


def most_unpredictable(v: View) -> bool:
    """Whether the index of two flows of Vegas goes further up and down than any other's."""
    others = [cc for cc in PAPER_CONTROLLERS if cc != "vegas"]
    return all(more(runs.minus(travel(v, "vegas"), travel(v, cc))) for cc in others)


def _gained_on_wire(v: View, cc: str, ratio: int) -> Sample:
    return runs.share(v.each("mbps", cc, ratio), v.each("mbps", cc, 1))


def _gained_in_air(v: View, cc: str, how: str) -> Sample:
    with_it, without = (v.of.air.at("goodput_mbps", v.stack, cc, at) for at in (how, "none"))
    return runs.share(with_it, without)


def less_effective(v: View) -> bool:
    """Whether each aggregation over the air gains more than any on the wire, of any controller."""
    return all(
        more(runs.minus(_gained_in_air(v, cc, how), _gained_on_wire(v, cc, r)))
        for cc in PAPER_CONTROLLERS
        for how in WAYS
        for r in AGGREGATED
    )


def _gains(v: View) -> str:
    def told(of: Sequence[Sample]) -> str:
        return " / ".join(percent(runs.known(sample), 0) for sample in of)

    return "; ".join(
        f"{cc} on the wire {told([_gained_on_wire(v, cc, r) for r in AGGREGATED])}, over the air "
        f"(A-MSDU / A-MPDU / both) {told([_gained_in_air(v, cc, how) for how in WAYS])}"
        for cc in PAPER_CONTROLLERS
    )


SHARES = (
    Finding(
        "T2-vegas-unpredictable",
        "Vegas shows the most unpredictable behaviour",
        "4.1, Table 2",
        most_unpredictable,
        lambda v: (
            "Jain's index goes up and down by, from ratio to ratio added up: "
            + "; ".join(
                f"{cc} {said(runs.known(travel(v, cc)), 3)} ({index(f'{cc}-{cc}')(v)})"
                for cc in PAPER_CONTROLLERS
            )
        ),
        m.vegas_pair,
        "why-pairs",
    ),
    Finding(
        "T3-differences",
        "As aggregation increases, differences in algorithm behaviour emerge",
        "4.1, Table 3",
        # All pairs together: Vegas's share unevenly without aggregation already.
        lambda v: less(uneven_in_all(v)),
        lambda v: (
            "Jain's index at 4:1 to 16:1 less that at 1:1: "
            + ", ".join(f"{p} {changed(uneven(v, p), 3)}" for p in MIXED)
            + f"; mean of the pairs {changed(uneven_in_all(v), 3)}"
        ),
        feedback.differences,
        "why-shares",
    ),
    Finding(
        "T3-shifts",
        "dominance may shift at specific levels of aggregation",
        "4.1, Table 3",
        lambda v: len(shifts(v)) > 0,
        lambda v: (
            f"each is ahead at some ratio: {', '.join(shifts(v)) or 'none'}; ahead by ratio: "
            + "; ".join(f"{p} {' / '.join(winner(v, p, (r,)) for r in RATIOS)}" for p in MIXED)
        ),
        m.loss_based,
        "why-shares",
    ),
    Finding(
        "P-less-effective",
        "In contrast [to MAC-layer aggregation], transport-layer aggregation (e.g., ACK "
        "suppression) is less effective",
        "poster",
        less_effective,
        _gains,
        feedback.less_effective,
        "why-throughput",
    ),
)
