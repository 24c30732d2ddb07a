"""Section IV.3: the size of aggregated frames, with bit errors (Figure 6)."""

from __future__ import annotations

from itertools import pairwise

from acklab.studies.tac import mechanisms_size as m
from acklab.studies.tac.evidence import View, gain, mean
from acklab.studies.tac.findings import (
    Finding,
    best_gain,
    falls,
    gain_or_difference,
    near,
    of_errors,
    rises,
    told,
    told_as,
)
from acklab.studies.tac.findings_design import errors
from acklab.studies.tac.schemes import PAPER


def _ends(v: View) -> tuple[int, int]:
    return v.sizes[0], v.sizes[-1]


def _least(v: View, scheme: str) -> float:
    return min(mean(v.ber("jain", scheme, k)) for k in v.sizes)


def _ahead(v: View, a: str, b: str) -> tuple[int, float, str]:
    q = "throughput_mbps"
    return best_gain([(k, v.ber(q, a, k), v.ber(q, b, k)) for k in v.sizes])


def _really(v: View, a: str, b: str) -> bool:
    at, _, _ = _ahead(v, a, b)
    return rises(v.ber("throughput_mbps", b, at), v.ber("throughput_mbps", a, at))


def _ahead_at(v: View, other: str, kilobytes: int) -> float:
    q = "throughput_mbps"
    return gain(v.ber(q, "tac", kilobytes), v.ber(q, other, kilobytes)).mean


def _all_ahead(v: View, *pairs: tuple[str, str]) -> str:
    return ", ".join(f"{a.upper()} over {b.upper()} {_ahead(v, a, b)[2]} KB" for a, b in pairs)


SIZE = (
    Finding(
        "F6-per",
        "the error rates of A-MPDU sub-frame containing a TCP data packet and an ACK packet are "
        "about 8% and 0.3%, respectively",
        "IV.3",
        lambda v: near(errors(v, ""), 0.08) and near(errors(v, "_ap"), 0.003),
        lambda v: (
            "one station, MPDUs sent again of those that nothing collided with, its own and the "
            f"access point's: {errors(v, ''):.1%} and {errors(v, '_ap'):.2%}"
        ),
        m.subframes,
        "robust",
        lambda v: near(errors(v, ""), 0.08, 1 / 3),
        of_tcp=False,
        stated="8 / 0.3 %",
        ours=lambda v: told_as(".1%", errors(v, ""), errors(v, "_ap")),
    ),
    Finding(
        "F6-agg",
        "The performance of AGG is significantly degraded as Lmax increases",
        "IV.3, Fig. 6(a)",
        lambda v: falls(*(v.ber("jain", "agg", k) for k in _ends(v))),
        of_errors("jain", "agg", 3),
        m.degraded,
        "fig6",
    ),
    Finding(
        "F6-immune",
        "those of RDG and TAC are almost immune to the change of Lmax, i.e., FI is not below 0.98, "
        "regardless of the value of Lmax",
        "IV.3, Fig. 6(a)",
        lambda v: all(_least(v, s) >= 0.975 for s in ("rdg", "tac")),
        told(of_errors("jain", "rdg", 3), of_errors("jain", "tac", 3)),
        m.immune,
        "fig6",
        lambda v: any(_least(v, s) >= 0.975 for s in ("rdg", "tac")),
        opposite=lambda v: all(
            _least(v, s) < 0.975 and falls(*(v.ber("jain", s, k) for k in _ends(v)))
            for s in ("rdg", "tac")
        ),
        stated="≥ 0.98",
        ours=lambda v: told_as(".2f", _least(v, "rdg"), _least(v, "tac")),
    ),
    Finding(
        "F6-diff",
        "As Lmax increases, DIFF does not work well; FI drops to 0.91 when Lmax = 32 KB",
        "IV.3, Fig. 6(a)",
        lambda v: (
            near(mean(v.ber("jain", "diff", 32)), 0.91, 0.05)
            and falls(v.ber("jain", "diff", v.sizes[0]), v.ber("jain", "diff", 32))
        ),
        of_errors("jain", "diff", 3),
        m.diff,
        "fig6",
        lambda v: (
            near(mean(v.ber("jain", "diff", 32)), 0.91)
            and mean(v.ber("jain", "diff", 32)) < mean(v.ber("jain", "diff", v.sizes[0]))
        ),
        stated="0.91",
        ours=lambda v: told_as(".2f", mean(v.ber("jain", "diff", 32))),
    ),
    Finding(
        "F6-rises",
        "the throughputs of all the schemes increase as Lmax increases, because the channel access "
        "overhead is effectively decreased as more A-MPDU sub-frames are aggregated",
        "IV.3, Fig. 6(b)",
        lambda v: all(
            rises(v.ber("throughput_mbps", s, a), v.ber("throughput_mbps", s, b))
            for s in PAPER
            for a, b in pairwise(v.sizes)
        ),
        told("Mbit/s", *(of_errors("throughput_mbps", s, 1) for s in PAPER)),
        m.rises,
        "fig6",
        lambda v: all(rises(*(v.ber("throughput_mbps", s, k) for k in _ends(v))) for s in PAPER),
    ),
    Finding(
        "F6-agg-ahead",
        "The throughput of AGG is higher than those of DIFF and RDG by up to 18% and 12%, "
        "respectively",
        "IV.3, Fig. 6(b)",
        lambda v: (
            abs(_ahead(v, "agg", "diff")[1] - 0.18) <= 0.05
            and abs(_ahead(v, "agg", "rdg")[1] - 0.12) <= 0.05
        ),
        lambda v: _all_ahead(v, ("agg", "diff"), ("agg", "rdg")),
        m.ahead,
        "fig6",
        lambda v: all(_really(v, "agg", s) for s in ("diff", "rdg")),
        stated="18 / 12 %",
        ours=lambda v: told_as(".0%", *(_ahead(v, "agg", s)[1] for s in ("diff", "rdg"))),
    ),
    Finding(
        "F6-tac-ahead",
        "The throughput of TAC is higher than those of AGG, DIFF, and RDG by up to 10%, 29%, and "
        "23%, "
        "respectively",
        "IV.3, Fig. 6(b)",
        lambda v: all(
            abs(_ahead(v, "tac", s)[1] - paper) <= 0.05
            for s, paper in (("agg", 0.10), ("diff", 0.29), ("rdg", 0.23))
        ),
        lambda v: _all_ahead(v, ("tac", "agg"), ("tac", "diff"), ("tac", "rdg")),
        m.tac_ahead,
        "fig6",
        lambda v: all(_really(v, "tac", s) for s in ("agg", "diff", "rdg")),
        stated="10 / 29 / 23 %",
        ours=lambda v: told_as(".0%", *(_ahead(v, "tac", s)[1] for s in ("agg", "diff", "rdg"))),
    ),
    Finding(
        "F6-outperforms",
        "TAC outperforms all the other schemes in terms of both fairness and throughput",
        "IV.3; V",
        lambda v: all(
            mean(v.ber(q, "tac", k)) >= mean(v.ber(q, s, k)) - margin
            for q, margin in (("jain", 0.005), ("throughput_mbps", 0.0))
            for s in ("agg", "diff", "rdg")
            for k in v.sizes
        ),
        told(
            *(of_errors("jain", s, 3) for s in PAPER),
            *(of_errors("throughput_mbps", s, 1) for s in PAPER),
        ),
        m.outperforms,
        "fig6",
        lambda v: all(
            mean(v.ber("jain", "tac", k)) >= mean(v.ber("jain", s, k)) - 0.005
            for s in ("agg", "diff", "rdg")
            for k in v.sizes
        ),
        opposite=lambda v: any(
            gain_or_difference(v.ber("jain", s, k), v.ber("jain", "tac", k)) > 0.005
            for s in ("agg", "diff", "rdg")
            for k in v.sizes
        ),
    ),
    Finding(
        "F6-grows",
        "the throughput improvement by TAC over the other schemes increases as Lmax increases",
        "IV.3, Fig. 6(b)",
        lambda v: all(
            _ahead_at(v, s, v.sizes[-1]) > _ahead_at(v, s, v.sizes[0])
            and _ahead_at(v, s, v.sizes[-1]) > 0
            for s in ("agg", "diff", "rdg")
        ),
        lambda v: "; ".join(
            f"over {s.upper()} " + " / ".join(f"{_ahead_at(v, s, k):+.1%}" for k in v.sizes)
            for s in ("agg", "diff", "rdg")
        ),
        m.grows,
        "fig6",
        lambda v: any(
            _ahead_at(v, s, v.sizes[-1]) > _ahead_at(v, s, v.sizes[0])
            and _ahead_at(v, s, v.sizes[-1]) > 0
            for s in ("agg", "diff", "rdg")
        ),
    ),
    Finding(
        "F6-unnecessary",
        "TAC does not transmit unnecessary TCP ACKs, whose number increases in proportion to the "
        "value "
        "of Lmax",
        "IV.3, Fig. 6(b)",
        lambda v: near(_fold(v), v.sizes[-1] / v.sizes[0], 1 / 3),
        told(
            lambda v: (
                "ACKs that TAC drops for each that it sends: "
                + " / ".join(f"{_unnecessary(v, k):.1f}" for k in v.sizes)
                + f" ({' / '.join(map(str, v.sizes))} KB), {_fold(v):.1f} times as many where Lmax "
                f"is {v.sizes[-1] / v.sizes[0]:.0f} times as large"
            ),
            "ACKs that TAC drops, %",
            of_errors("filtered_share", "tac", 1, 100),
            "segments per ACK that arrives",
            of_errors("segments_per_ack", "tac", 1),
        ),
        m.unnecessary,
        "fig6",
        lambda v: rises(*(v.ber("filtered_share", "tac", k) for k in _ends(v))),
    ),
)


def _unnecessary(v: View, kilobytes: int) -> float:
    """ACKs that TAC takes out for each that it sends."""
    dropped = mean(v.ber("filtered_share", "tac", kilobytes))
    return dropped / (1 - dropped)


def _fold(v: View) -> float:
    """How many times as many of them there are at the largest Lmax."""
    first, last = (_unnecessary(v, k) for k in _ends(v))
    return last / first if first else 0.0
