"""The causes that the thesis gives for how two flows share."""

from __future__ import annotations

from acklab.studies.ack_aggregation import mechanisms_causes as causes
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import AGGREGATED, RATIOS, SEEN, Finding
from acklab.studies.ack_aggregation.findings_fairness import (
    HIGHER,
    ONE_LOSS_BASED,
    index,
    loss_based_cells,
    segments,
    winner,
)
from acklab.studies.ack_aggregation.findings_summary import loses_fairness
from acklab.studies.ack_aggregation.mechanisms_pairs import STARVED_MBPS
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.runs import less

#: ns-3's clock of RTTs: bases that differ by no more are equal, ms.
TICK_MS = 1.0
LOSS_BASED = ("cubic", "newreno")


def _both(v: View, quantity: str, pair: str, ratio: int) -> tuple[float, float]:
    """Of the pair's first and second flow; one trace."""
    first, second = (
        v.of.why.at(f"pairs/{quantity}", v.stack, pair, ratio, flow=flow) for flow in (0, 1)
    )
    return first, second


def fed(v: View, pair: str, ratio: int) -> bool:
    """Whether both flows of the trace ran at all: one whose handshake failed shows no control."""
    return min(_both(v, "mbps", pair, ratio)) >= STARVED_MBPS


def won(v: View) -> list[str]:
    """The mixed pairs in which the loss-based flow is ahead at 4:1 to 16:1."""
    return [p for p in ONE_LOSS_BASED if winner(v, p, HIGHER) in LOSS_BASED]


def grows_faster(v: View, pair: str) -> bool:
    """Whether the window of the loss-based flow grows faster at 8:1, beside one that runs."""
    growth = dict(zip(pair.split("-"), _both(v, "growth_packets_per_s", pair, 8), strict=True))
    ours = next(cc for cc in growth if cc in LOSS_BASED)
    theirs = next(cc for cc in growth if cc not in LOSS_BASED)
    return fed(v, pair, 8) and growth[ours] > (1 + SEEN) * growth[theirs]


def lost_by_sparse_acks(v: View) -> list[str]:
    """The mixed pairs that the loss-based flow wins at 8:1, but not at 1:1, beside one that ran."""
    return [
        p
        for p in ONE_LOSS_BASED
        if winner(v, p, (8,)) in LOSS_BASED
        and winner(v, p, (1,)) not in LOSS_BASED
        and fed(v, p, 8)
    ]


def inconsistent(v: View, ratio: int) -> bool:
    """Whether two flows of Vegas share less evenly than at 1:1, both running, over unlike bases."""
    first, second = _both(v, "base_ms", "vegas-vegas", ratio)
    return (
        less(v.change("jain", "vegas-vegas", 1, ratio))
        and fed(v, "vegas-vegas", ratio)
        and abs(first - second) > TICK_MS
    )


def _bases(v: View) -> str:
    told = " / ".join(
        " and ".join(shown(b) for b in _both(v, "base_ms", "vegas-vegas", r)) for r in RATIOS
    )
    return f"Jain's index {index('vegas-vegas')(v)}, bases {told} ms, one trace"


CAUSES = (
    Finding(
        "T2-bbr-why",
        "[Two BBRv3s: poor fairness] may be due to BBR's model-based approach being more sensitive "
        "to feedback scarcity, causing unfair resource allocation",
        "4.1, Table 2",
        lambda v: loses_fairness(v, "bbr3") and fed(v, "bbr3-bbr3", 8),
        lambda v: f"Jain's index {index('bbr3-bbr3')(v)}; {segments(v, ('bbr3-bbr3',))}",
        causes.two_of_bbr,
        "why-pairs",
    ),
    Finding(
        "T2-vegas-why",
        "[Two of Vegas: irregularity] could stem from the delay-based congestion control reacting "
        "inconsistently to ACK suppression",
        "4.1, Table 2",
        lambda v: any(inconsistent(v, r) for r in AGGREGATED),
        _bases,
        causes.two_of_vegas,
        "why-pairs",
    ),
    Finding(
        "T3-loss-based-why",
        "[Loss-based variants often secure a larger share] due to their more aggressive congestion "
        "window growth and burst accommodation",
        "4.1, Table 3",
        lambda v: len(won(v)) > 2 and all(grows_faster(v, p) for p in won(v)),
        lambda v: (
            f"ahead in {', '.join(won(v)) or 'none'}, of these growing faster beside a flow that "
            f"runs: {', '.join(p for p in won(v) if grows_faster(v, p)) or 'none'}; "
            f"{segments(v, ONE_LOSS_BASED)}"
        ),
        causes.larger_share,
        "why-pairs",
    ),
    Finding(
        "P-sparse",
        "BBRv3 and Vegas often lose out due to sensitivity to sparse ACKs",
        "poster",
        # Often: most cells; due to sparse ACKs: of flows that ran, and did not lose at 1:1 already.
        lambda v: (
            loss_based_cells(v)[0] > loss_based_cells(v)[1]
            and 2 * len(lost_by_sparse_acks(v)) > len(ONE_LOSS_BASED)
        ),
        lambda v: (
            "of 12 cells at 4:1 to 16:1 Vegas and BBRv3 lose {}, win {}, undecided {}; ".format(
                *loss_based_cells(v)
            )
            + "lost at 8:1 beside a flow that runs, but not at 1:1: "
            + (", ".join(lost_by_sparse_acks(v)) or "none")
        ),
        causes.sparse,
        "why-pairs",
    ),
)
