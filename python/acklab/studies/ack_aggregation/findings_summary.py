"""The findings that sum up: sections 5.1 and 7, and the conclusion of the poster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from acklab.stats import Estimate
from acklab.studies import runs
from acklab.studies.ack_aggregation import mechanisms as one
from acklab.studies.ack_aggregation import mechanisms_pairs as m
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import AGGREGATED, RATIOS, SEEN, Finding, row
from acklab.studies.ack_aggregation.findings_fairness import index
from acklab.studies.ack_aggregation.findings_throughput import MODERATE, mbps, steps
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.runs import Runs, changed, less, more, said, scatters

#: Aggregations and limits in KB of the wireless part.
WAYS, LIMITS = ("amsdu", "ampdu", "both"), (4, 8, 16, 32, 64)
#: Those that "rely on timely feedback", and those to compare them with.
TIMELY, OTHERS = ("bbr3", "cubic"), ("newreno", "vegas")


def unstable(v: View, cc: str) -> bool:
    """Throughput goes both up and down as the ratio rises, each by a tenth of its highest and more.

    What only falls, however far, is sensitive but can be foretold.
    """
    changes, tenth = steps(v, cc), SEEN * max(v.mbps(cc, r) for r in RATIOS)
    return any(more(c, tenth) for c in changes) and any(less(c, -tenth) for c in changes)


def unpredictable(of: Runs, stack: str, quantity: str, cells: Sequence[int | str]) -> bool:
    """Whether in most cells single runs of Vegas differ visibly, and far more than any other's."""
    rest = [cc for cc in PAPER_CONTROLLERS if cc != "vegas"]
    met = [
        scatters(
            {cc: of.at(quantity, stack, cc, cell) for cc in PAPER_CONTROLLERS}, "vegas", rest, SEEN
        )
        for cell in cells
    ]
    return 2 * sum(met) > len(met)


def unstable_in_air(v: View) -> bool:
    """As on the wire, by the A-MPDU's limit; or unpredictable from run to run."""
    each = [v.of.air.at("goodput_mbps", v.stack, "vegas", kb) for kb in LIMITS]
    changes = [runs.minus(b, a) for a, b in pairwise(each)]
    tenth = SEEN * max(runs.mean(sample) for sample in each)
    ways = any(more(c, tenth) for c in changes) and any(less(c, -tenth) for c in changes)
    return ways or unpredictable(v.of.air, v.stack, "goodput_mbps", WAYS)


def _in_air(v: View) -> str:
    told = " / ".join(
        said(runs.known(v.of.air.at("goodput_mbps", v.stack, "vegas", cell)), 1)
        for cell in (*WAYS, *LIMITS)
    )
    return f"over the air {told} Mbit/s (A-MSDU / A-MPDU / both / 4 to 64 KB)"


def _unstable(v: View) -> str:
    also = [cc for cc in PAPER_CONTROLLERS if cc != "vegas" and unstable(v, cc)]
    changes = " / ".join(changed(c) for c in steps(v, "vegas"))
    return (
        f"{mbps('vegas')(v)}, from ratio to ratio {changes}; others by the same "
        f"rule: {', '.join(also) or 'none'}"
    )


def fairer(v: View, other: str) -> Estimate:
    """Jain's index of two NewRenos less that of two of another, mean over 2:1 to 16:1."""
    pairs = ("newreno-newreno", f"{other}-{other}")
    ours, theirs = (runs.total(v.each("jain", p, r) for r in AGGREGATED) for p in pairs)
    differences = runs.difference(ours, theirs)
    return runs.known({seed: d / len(AGGREGATED) for seed, d in differences.items()})


def loses_fairness(v: View, cc: str) -> bool:
    """Whether two flows share less fairly at 8:1 than without aggregation, and not fairly."""
    return v.jain(f"{cc}-{cc}", 8) < 0.9 and less(v.change("jain", f"{cc}-{cc}", 1, 8))


def _off_target(v: View, ratio: int) -> tuple[float, float]:
    """Of Vegas: the link's idle share, and packets that stand in the queue."""
    idle, queue = (
        v.of.why.at(f"vegas/{q}", v.stack, "vegas", ratio)
        for q in ("idle_share", "standing_packets")
    )
    return idle, queue


SUMMARY = (
    Finding(
        "P-fairness-loss",
        "transport-layer aggregation ... causing throughput drops, fairness loss, and more "
        "retransmissions, especially for ... BBRv3 and Cubic",
        "poster; 7",
        lambda v: all(
            v.mbps(cc, 8) < 0.95 * v.mbps(cc, 1)
            and less(v.change("mbps", cc, 1, 8))
            and loses_fairness(v, cc)
            and more(v.change("retransmissions", cc, 1, 8))
            for cc in TIMELY
        ),
        lambda v: "; ".join(
            f"{cc} at 8:1 {v.mbps(cc, 8) / v.mbps(cc, 1):.0%} of the throughput at 1:1, change of "
            f"Jain's index {changed(v.change('jain', f'{cc}-{cc}', 1, 8), 3)}, of retransmissions "
            f"{changed(v.change('retransmissions', cc, 1, 8), 1)} without the SYN"
            for cc in TIMELY
        ),
        m.summary,
        "why-throughput",
    ),
    Finding(
        "5.1-bbr-cubic",
        "With increasing aggregation ratios, both [BBRv3 and Cubic] exhibit degradation in "
        "fairness and high retransmission counts",
        "5.1",
        lambda v: all(
            loses_fairness(v, cc)
            and all(more(v.excess("retransmissions", cc, other, 8)) for other in OTHERS)
            for cc in TIMELY
        ),
        lambda v: (
            ", ".join(f"{cc} Jain's index {index(f'{cc}-{cc}')(v)}" for cc in TIMELY)
            + "; retransmissions at 8:1: "
            + ", ".join(f"{cc} {v.retx(cc, 8):.0f}" for cc in PAPER_CONTROLLERS)
        ),
        m.identical,
        "why-loss",
    ),
    Finding(
        "P-newreno-robust",
        "NewReno is surprisingly robust ... showing stable throughput and fairness",
        "poster; 5.1",
        lambda v: (
            all(more(v.gain("mbps", "newreno", 1, r), -SEEN) for r in AGGREGATED)
            and min(v.jain("newreno-newreno", r) for r in RATIOS) > 0.9
        ),
        lambda v: f"{mbps('newreno')(v)}, Jain's index {index('newreno-newreno')(v)}",
        m.newreno_robust,
        "why-pairs",
    ),
    Finding(
        "5.1-newreno-fairer",
        "It [NewReno] showed fewer retransmissions, better fairness retention",
        "5.1",
        # Fewer retransmissions have a row of their own; better than BBRv3 and CUBIC, of which the
        # paragraph before speaks.
        lambda v: all(more(fairer(v, other)) for other in TIMELY),
        lambda v: (
            f"Jain's index {index('newreno-newreno')(v)}, in the mean over 2:1 to 16:1 more than "
            + ", ".join(f"{other}'s by {changed(fairer(v, other), 3)}" for other in TIMELY)
        ),
        m.fairness_retained,
        "why-shares",
    ),
    Finding(
        "7-newreno-moderate",
        "NewReno ... showed robust performance and stability under moderate aggregation levels",
        "7",
        lambda v: all(
            more(v.gain("mbps", "newreno", 1, r), -SEEN)
            and v.mean("rate_variation", "newreno", r) < SEEN
            for r in MODERATE
        ),
        lambda v: (
            f"{mbps('newreno')(v)}, variation of the rate {row(v, 'rate_variation', 'newreno', 3)}"
        ),
        one.newreno_decline,
        "why-window",
    ),
    Finding(
        "P-vegas-unstable",
        "Vegas, however, is unstable under both, due to its RTT sensitivity",
        "poster; 5.1",
        lambda v: unstable(v, "vegas") and unstable_in_air(v),
        lambda v: f"{_unstable(v)}; {_in_air(v)}",
        of_runs.vegas_swings,
        "why-vegas",
    ),
    Finding(
        "5.1-vegas-rtt",
        "Aggregation ... introduces RTT variability that Vegas is not equipped to handle, leading "
        "to either premature window reductions or overly aggressive expansions",
        "5.1",
        # Premature: the link is idle; too aggressive: more stands in the queue than the four
        # packets at which Vegas is to give way.
        lambda v: (
            more(v.change("rtt_variation", "vegas", 1, 8))
            and (_off_target(v, 8)[0] > SEEN or _off_target(v, 8)[1] > 4)
        ),
        lambda v: (
            f"samples of the RTT vary by {row(v, 'rtt_variation', 'vegas', 3)}; at 8:1 the link is "
            f"idle {shown(_off_target(v, 8)[0], 2)} of the time, {shown(_off_target(v, 8)[1], 0)} "
            "packets stand in the queue"
        ),
        of_runs.vegas_rtt,
        "why-vegas",
    ),
)
