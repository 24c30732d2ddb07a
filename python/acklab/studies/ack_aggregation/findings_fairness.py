"""The findings about two flows, and the summary of the poster."""

from __future__ import annotations

from collections.abc import Callable

from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation import mechanisms_pairs as m
from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import Finding, ratios

ALL = (1, 2, 4, 8, 16)
MIXED = (
    "bbr3-cubic",
    "bbr3-newreno",
    "bbr3-vegas",
    "cubic-newreno",
    "cubic-vegas",
    "newreno-vegas",
)


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


def winner(v: View, pair: str, over: tuple[int, ...] = ALL) -> str:
    """Which of the pair has more over these ratios together."""
    return pair.split("-")[v.gap(pair, over) < 0]


def _favoured(pair: str) -> Finding:
    first, second = pair.split("-")
    paper = str(references.favoured(pair))
    return Finding(
        f"T3-{pair}",
        f"{first} vs. {second}: generally favoured {paper}",
        "4.1, Table 3; poster",
        lambda v: winner(v, pair) == paper,
        lambda v: f"{winner(v, pair)}, Jain's index {index(pair)(v)}",
        WHY[pair],
        "why-pairs",
    )


FAIRNESS = (
    Finding(
        "T2-low",
        "both BBRv3 and CUBIC maintain excellent fairness at low to moderate aggregation levels",
        "4.1, Table 2",
        lambda v: all(v.jain(f"{cc}-{cc}", r) > 0.9 for cc in ("bbr3", "cubic") for r in (1, 2, 4)),
        lambda v: f"BBRv3 {index('bbr3-bbr3')(v)}, CUBIC {index('cubic-cubic')(v)}",
        m.identical,
        "why-pairs",
    ),
    Finding(
        "T2-half",
        "they both drop to 0.5 at an 8:1 aggregation ratio ... the other starves",
        "4.1, Table 2",
        lambda v: all(v.jain(f"{cc}-{cc}", 8) < 0.55 for cc in ("bbr3", "cubic")),
        lambda v: f"BBRv3 {index('bbr3-bbr3')(v)}, CUBIC {index('cubic-cubic')(v)}",
        m.starved("bbr3-bbr3", "cubic-cubic"),
        "why-pairs",
    ),
    Finding(
        "T2-cubic-recovers",
        "Interestingly, Cubic recovers, suggesting that ... congestion control mechanism "
        "stabilises",
        "4.1, Table 2",
        lambda v: v.jain("cubic-cubic", 16) > 0.9 and v.jain("cubic-cubic", 8) < 0.55,
        index("cubic-cubic"),
        m.cubic_recovers,
        "why-pairs",
    ),
    Finding(
        "T2-bbr-stays",
        "BBRv3, on the other hand, does not recover, maintaining poor fairness",
        "4.1, Table 2",
        lambda v: v.jain("bbr3-bbr3", 8) < 0.55 and v.jain("bbr3-bbr3", 16) < 0.55,
        index("bbr3-bbr3"),
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
        index("newreno-newreno"),
        m.starved("newreno-newreno"),
        "why-pairs",
    ),
    Finding(
        "T2-vegas",
        "While perfectly fair at 1:1, it drops sharply at 2:1 and fluctuates thereafter",
        "4.1, Table 2",
        lambda v: v.jain("vegas-vegas", 1) > 0.99 and v.jain("vegas-vegas", 2) < 0.8,
        index("vegas-vegas"),
        m.vegas_pair,
        "why-pairs",
    ),
    Finding(
        "T3-low",
        "At low aggregation ratios (1:1 and 2:1), fairness between pairs is generally high",
        "4.1, Table 3",
        lambda v: sum(v.jain(p, r) > 0.9 for p in MIXED for r in (1, 2)) > len(MIXED),
        lambda v: f"{sum(v.jain(p, r) > 0.9 for p in MIXED for r in (1, 2))} of 12 above 0.9",
        m.low_ratios,
        "why-pairs",
    ),
    Finding(
        "P-low",
        "At low aggregation, bandwidth is shared fairly across all TCP variants (except for Vegas)",
        "poster",
        lambda v: all(v.jain(p, r) > 0.9 for p in MIXED if "vegas" not in p for r in (1, 2)),
        lambda v: ", ".join(
            f"{p} {v.jain(p, 1):.3f} / {v.jain(p, 2):.3f}" for p in MIXED if "vegas" not in p
        ),
        m.without_vegas,
        "why-pairs",
    ),
    Finding(
        "T3-loss-based",
        "Loss-based variants, such as CUBIC and NewReno, often secure a larger share ... at higher "
        "aggregation levels",
        "4.1, Table 3; poster",
        lambda v: (
            sum(
                winner(v, p, (4, 8, 16)) in ("cubic", "newreno")
                for p in MIXED
                if p not in ("cubic-newreno",)
            )
            >= 4
        ),
        lambda v: ", ".join(f"{p}: {winner(v, p, (4, 8, 16))}" for p in MIXED),
        m.loss_based,
        "why-pairs",
    ),
    *(_favoured(pair) for pair in MIXED),
    Finding(
        "P-fairness-loss",
        "transport-layer aggregation ... causing throughput drops, fairness loss, and more "
        "retransmissions, especially for ... BBRv3 and Cubic",
        "poster; 7",
        lambda v: (
            all(v.mbps(cc, 8) < 0.95 * v.mbps(cc, 1) for cc in ("bbr3", "cubic"))
            and all(v.jain(f"{cc}-{cc}", 8) < 0.9 for cc in ("bbr3", "cubic"))
            and all(v.retx(cc, 8) > v.retx(cc, 1) for cc in ("bbr3", "cubic"))
        ),
        lambda v: (
            f"at 8:1 BBRv3 {v.mbps('bbr3', 8) / v.mbps('bbr3', 1):.0%}, "
            f"CUBIC {v.mbps('cubic', 8) / v.mbps('cubic', 1):.0%} of the throughput at 1:1"
        ),
        m.summary,
        "why-throughput",
    ),
    Finding(
        "P-newreno-robust",
        "NewReno is surprisingly robust ... showing stable throughput and fairness",
        "poster; 5.1",
        lambda v: (
            min(v.mbps("newreno", r) for r in ALL) > 0.9 * v.mbps("newreno", 1)
            and min(v.jain("newreno-newreno", r) for r in ALL) > 0.9
        ),
        index("newreno-newreno"),
        m.newreno_robust,
        "why-pairs",
    ),
    Finding(
        "P-vegas-unstable",
        "Vegas, however, is unstable under both, due to its RTT sensitivity",
        "poster; 5.1",
        lambda v: min(v.mbps("vegas", r) for r in ALL) < 0.6 * max(v.mbps("vegas", r) for r in ALL),
        lambda v: ratios(lambda r: v.mbps("vegas", r)) + " Mbit/s",
        loss.vegas_bias,
        "why-vegas",
    ),
)
