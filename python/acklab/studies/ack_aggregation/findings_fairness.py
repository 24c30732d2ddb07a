"""The findings about two flows: Tables 2 and 3."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from acklab.studies.ack_aggregation import mechanisms_pairs as m
from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import RATIOS, Finding, ratios
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.runs import changed, less, more, said

#: What the thesis calls higher aggregation levels.
HIGHER = (4, 8, 16)
UNDECIDED = "undecided"
#: Who sends a smaller share than this of what the other does has starved in its handshake.
FEW = 0.01
MIXED = (
    "bbr3-cubic",
    "bbr3-newreno",
    "bbr3-vegas",
    "cubic-newreno",
    "cubic-vegas",
    "newreno-vegas",
)
#: Those in which one flow is loss-based and the other is not.
ONE_LOSS_BASED = ("bbr3-cubic", "bbr3-newreno", "cubic-vegas", "newreno-vegas")

#: Why the winner of a mixed pair wins.
WHY = {
    "bbr3-cubic": m.bbr_pushes("bbr3-cubic"),
    "bbr3-newreno": m.bbr_pushes("bbr3-newreno"),
    "bbr3-vegas": m.yields("bbr3-vegas"),
    "cubic-newreno": m.by_growth,
    "cubic-vegas": m.yields("cubic-vegas"),
    "newreno-vegas": m.yields("newreno-vegas"),
}


def index(pair: str) -> Callable[[View], str]:
    """Jain's index by ratio."""
    return lambda v: ratios(lambda r: v.jain(pair, r), 3)


def winner(v: View, pair: str, over: tuple[int, ...] = RATIOS) -> str:
    """Which of the pair has more over these ratios together; undecided if the interval has 0."""
    first, second = pair.split("-")
    gap = v.gap(pair, over)
    return first if more(gap) else second if less(gap) else UNDECIDED


def ahead(v: View, pair: str) -> str:
    """The winner over all ratios, and by how much."""
    first, second = pair.split("-")
    return f"ahead: {winner(v, pair)}; {first} less {second} {said(v.gap(pair, RATIOS))} Mbit/s"


def loss_based_cells(v: View) -> tuple[int, int, int]:
    """Of the cells at higher ratios in which one flow is loss-based: won by it, lost, undecided."""
    won = [winner(v, pair, (r,)) for pair in ONE_LOSS_BASED for r in HIGHER]
    ahead, undecided = sum(w in ("cubic", "newreno") for w in won), won.count(UNDECIDED)
    return ahead, len(won) - ahead - undecided, undecided


def segments(v: View, pairs: tuple[str, ...], ratio: int = 8) -> str:
    """Data segments of both flows: who sent none has starved in the handshake."""

    def text(pair: str) -> str:
        each = [
            v.of.why.at("pairs/data_segments", v.stack, pair, ratio, flow=flow) for flow in (0, 1)
        ]
        lone = min(each) < FEW * max(each)
        return f"{pair} {' and '.join(shown(n, 0) for n in each)}" + (
            ", so that one runs alone" if lone else ""
        )

    return f"data segments at {ratio}:1, one trace: {'; '.join(map(text, pairs))}"


def fluctuates(v: View, pair: str) -> bool:
    """Whether Jain's index both rises and falls from 2:1 on."""
    changes = [v.change("jain", pair, a, b) for a, b in pairwise(RATIOS[1:])]
    return any(more(c) for c in changes) and any(less(c) for c in changes)


def _favoured(pair: str) -> Finding:
    first, second = pair.split("-")
    paper = str(references.favoured(pair))
    return Finding(
        f"T3-{pair}",
        f"{first} vs. {second}: generally favoured {paper}",
        "4.1, Table 3; poster",
        lambda v: winner(v, pair) == paper,
        lambda v: f"{ahead(v, pair)}, Jain's index {index(pair)(v)}",
        WHY[pair],
        "why-pairs",
    )


FAIRNESS = (
    Finding(
        "T2-low",
        "both BBRv3 and CUBIC maintain excellent fairness at low to moderate aggregation levels",
        "4.1, Table 2",
        lambda v: all(v.jain(f"{cc}-{cc}", r) > 0.9 for cc in ("bbr3", "cubic") for r in (1, 2, 4)),
        lambda v: f"Jain's index: BBRv3 {index('bbr3-bbr3')(v)}, CUBIC {index('cubic-cubic')(v)}",
        m.identical,
        "why-pairs",
    ),
    Finding(
        "T2-half",
        "they both [BBRv3 and CUBIC] drop to 0.5 at an 8:1 aggregation ratio ... the other starves",
        "4.1, Table 2",
        lambda v: all(v.jain(f"{cc}-{cc}", 8) < 0.55 for cc in ("bbr3", "cubic")),
        lambda v: (
            f"Jain's index: BBRv3 {index('bbr3-bbr3')(v)}, CUBIC {index('cubic-cubic')(v)}; "
            f"{segments(v, ('bbr3-bbr3', 'cubic-cubic'))}"
        ),
        m.starved("bbr3-bbr3", "cubic-cubic"),
        "why-pairs",
    ),
    Finding(
        "T2-cubic-recovers",
        "Interestingly, Cubic recovers, suggesting that ... congestion control mechanism "
        "stabilises",
        "4.1, Table 2",
        lambda v: v.jain("cubic-cubic", 16) > 0.9 and v.jain("cubic-cubic", 8) < 0.55,
        lambda v: f"Jain's index {index('cubic-cubic')(v)}",
        m.cubic_recovers,
        "why-pairs",
    ),
    Finding(
        "T2-bbr-stays",
        "BBRv3, on the other hand, does not recover, maintaining poor fairness",
        "4.1, Table 2",
        lambda v: v.jain("bbr3-bbr3", 8) < 0.55 and v.jain("bbr3-bbr3", 16) < 0.55,
        lambda v: f"Jain's index {index('bbr3-bbr3')(v)}; {segments(v, ('bbr3-bbr3',))}",
        m.starved("bbr3-bbr3"),
        "why-pairs",
    ),
    Finding(
        "T2-newreno",
        "NewReno exhibits near-perfect fairness at 1:1 and 2:1 ... degrades to 0.5 from 4:1 onward",
        "4.1, Table 2",
        lambda v: (
            min(v.jain("newreno-newreno", r) for r in (1, 2)) > 0.98
            and max(v.jain("newreno-newreno", r) for r in (4, 8, 16)) < 0.7
        ),
        lambda v: (
            f"Jain's index {index('newreno-newreno')(v)}; {segments(v, ('newreno-newreno',))}"
        ),
        m.starved("newreno-newreno"),
        "why-pairs",
    ),
    Finding(
        "T2-vegas",
        "[Vegas:] While perfectly fair at 1:1, it drops sharply at 2:1 and fluctuates thereafter",
        "4.1, Table 2",
        lambda v: (
            v.jain("vegas-vegas", 1) > 0.99
            and v.jain("vegas-vegas", 2) < 0.8
            and less(v.change("jain", "vegas-vegas", 1, 2))
            and fluctuates(v, "vegas-vegas")
        ),
        lambda v: (
            f"Jain's index {index('vegas-vegas')(v)}, changes from 2:1 on "
            + " / ".join(
                changed(v.change("jain", "vegas-vegas", a, b), 3) for a, b in pairwise(RATIOS[1:])
            )
        ),
        m.vegas_pair,
        "why-pairs",
    ),
    Finding(
        "T3-low",
        "At low aggregation ratios (1:1 and 2:1), fairness between pairs is generally high",
        "4.1, Table 3",
        lambda v: sum(v.jain(p, r) > 0.9 for p in MIXED for r in (1, 2)) > len(MIXED),
        lambda v: (
            f"{sum(v.jain(p, r) > 0.9 for p in MIXED for r in (1, 2))} of 12 indices above 0.9"
        ),
        m.low_ratios,
        "why-pairs",
    ),
    Finding(
        "P-low",
        "At low aggregation, bandwidth is shared fairly across all TCP variants (except for Vegas)",
        "poster",
        lambda v: all(v.jain(p, r) > 0.9 for p in MIXED if "vegas" not in p for r in (1, 2)),
        lambda v: (
            "Jain's index at 1:1 and 2:1: "
            + ", ".join(
                f"{p} {v.jain(p, 1):.3f} and {v.jain(p, 2):.3f}" for p in MIXED if "vegas" not in p
            )
        ),
        m.without_vegas,
        "why-pairs",
    ),
    Finding(
        "T3-loss-based",
        "Loss-based variants, such as CUBIC and NewReno, often secure a larger share ... at higher "
        "aggregation levels",
        "4.1, Table 3; poster",
        # Of the four pairs with a flow that is not loss-based; often: of most of them.
        lambda v: sum(winner(v, p, HIGHER) in ("cubic", "newreno") for p in ONE_LOSS_BASED) > 2,
        lambda v: (
            "ahead at 4:1 to 16:1: "
            + ", ".join(f"{p}: {winner(v, p, HIGHER)}" for p in MIXED)
            + f"; {segments(v, ONE_LOSS_BASED)}"
        ),
        m.loss_based,
        "why-shares",
    ),
    Finding(
        "T3-less-favoured",
        "delay- and model-based variants (Vegas, BBRv3) can be less favoured at these higher "
        "aggregation levels, although they occasionally gain an advantage",
        "4.1, Table 3; poster",
        lambda v: loss_based_cells(v)[0] > loss_based_cells(v)[1] >= 1,
        lambda v: "of 12 cells at 4:1 to 16:1 Vegas and BBRv3 lose {}, win {}, undecided {}".format(
            *loss_based_cells(v)
        ),
        m.less_favoured,
        "why-shares",
    ),
    *(_favoured(pair) for pair in MIXED),
)
