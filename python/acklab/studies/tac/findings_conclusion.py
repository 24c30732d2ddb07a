"""What the paper concludes: sections I and V, and what section IV.3 makes of Figure 6."""

from __future__ import annotations

from acklab.studies.tac import mechanisms_size as m
from acklab.studies.tac.evidence import View, gain, mean
from acklab.studies.tac.findings import (
    ASSURED,
    PREVENTED,
    Finding,
    best_gain,
    falls,
    of_errors,
    rises,
    told,
    told_as,
)
from acklab.studies.tac.mechanisms_stations import up_to
from acklab.studies.tac.schemes import PAPER

_MBPS = "throughput_mbps"


def _most(v: View) -> tuple[float, str]:
    """TAC's largest gain over DIFF or RDG in Figures 5 and 6."""
    found = []
    for s in ("diff", "rdg"):
        by_n = best_gain([(n, v.n(_MBPS, "tac", n), v.n(_MBPS, s, n)) for n in v.stations])
        by_k = best_gain([(k, v.ber(_MBPS, "tac", k), v.ber(_MBPS, s, k)) for k in v.sizes])
        found.append((by_n[1], f"over {s.upper()} {by_n[2]} stations"))
        found.append((by_k[1], f"over {s.upper()} {by_k[2]} KB with bit errors"))
    return max(found)


def _alike(v: View) -> list[str]:
    """The schemes that become less fair with N and with Lmax, or with neither."""
    return [
        s
        for s in PAPER
        if falls(*(v.n("jain", s, n) for n in (v.stations[0], v.stations[-1])))
        == falls(*(v.ber("jain", s, k) for k in (v.sizes[0], v.sizes[-1])))
    ]


def _pays(v: View, scheme: str) -> bool:
    """Fairer than AGG at the largest Lmax, and slower."""
    k = v.sizes[-1]
    return rises(v.ber("jain", "agg", k), v.ber("jain", scheme, k)) and falls(
        v.ber(_MBPS, "agg", k), v.ber(_MBPS, scheme, k)
    )


def _assures(v: View, scheme: str) -> bool:
    """As fair with every Lmax as the paper's schemes that assure it."""
    return all(mean(v.ber("jain", scheme, k)) >= ASSURED for k in v.sizes)


def _losses(v: View) -> list[float]:
    return [
        *(mean(v.n("ack_loss_mean", "tac", n)) for n in v.stations),
        *(mean(v.ber("ack_loss_mean", "tac", k)) for k in v.sizes),
    ]


def _least(v: View) -> float:
    return min(
        *(mean(v.n("jain", "tac", n)) for n in v.stations),
        *(mean(v.ber("jain", "tac", k)) for k in v.sizes),
    )


def _faster(v: View) -> list[bool]:
    """Of every cell of Figures 5 and 6, whether TAC is faster than AGG, seed by seed."""
    return [
        *(rises(v.n(_MBPS, "agg", n), v.n(_MBPS, "tac", n)) for n in v.stations),
        *(rises(v.ber(_MBPS, "agg", k), v.ber(_MBPS, "tac", k)) for k in v.sizes),
    ]


CONCLUSION = (
    Finding(
        "F6-similar",
        "The effect of Lmax on fairness … is similar to that of N (compare Fig. 6(a) with "
        "Fig. 5(a))",
        "IV.3, Fig. 6(a)",
        lambda v: _alike(v) == list(PAPER),
        told(
            lambda v: (
                "alike (less fair with both, or with neither): "
                + (", ".join(s.upper() for s in _alike(v)) or "none")
            ),
            *(of_errors("jain", s, 3) for s in PAPER),
        ),
        m.similar,
        "fig6",
        lambda v: "agg" in _alike(v) and "diff" in _alike(v),
    ),
    Finding(
        "F6-tradeoff",
        "DIFF and RDG assure fairness at the cost of aggregate throughput, whereas AGG improves "
        "throughput at the cost of fairness",
        "IV.3, Fig. 6",
        lambda v: all(_assures(v, s) and _pays(v, s) for s in ("diff", "rdg")),
        told(
            *(of_errors("jain", s, 3) for s in ("agg", "diff", "rdg")),
            *(of_errors(_MBPS, s, 1) for s in ("agg", "diff", "rdg")),
            f"criterion: both have an index of {ASSURED} at every Lmax, and at the largest are "
            "fairer than AGG and slower (partly: one of them is, whatever its index)",
        ),
        m.tradeoff,
        "fig6",
        lambda v: any(_pays(v, s) for s in ("diff", "rdg")),
    ),
    Finding(
        "I-30",
        "TAC tightly assures fairness among uplink TCP flows while enhancing aggregate throughput "
        "up to 30%, compared to the existing schemes",
        "I",
        lambda v: abs(_most(v)[0] - 0.3) <= 0.05 and _least(v) >= ASSURED,
        lambda v: f"at most {_most(v)[1]}; TAC's least index in Figures 5 and 6 {_least(v):.3f}",
        up_to,
        "fig5",
        lambda v: abs(_most(v)[0] - 0.3) <= 0.05,
        stated="30 %",
        ours=lambda v: told_as(".0%", _most(v)[0]),
    ),
    Finding(
        "V-prevents",
        "By discarding unnecessary TCP ACKs and serving only the RACK in AP's IFQ, TAC prevents "
        "buffer overflow and assures fairness",
        "V",
        lambda v: max(_losses(v)) < PREVENTED and _least(v) >= ASSURED,
        lambda v: (
            f"most ACKs lost in a cell of Figures 5 and 6 {max(_losses(v)):.2%}, least index "
            f"{_least(v):.3f}; criterion: less than {PREVENTED:.1%}, and an index of 0.99"
        ),
        m.prevents,
        "fig5",
        lambda v: max(_losses(v)) < PREVENTED,
    ),
    Finding(
        "V-throughput",
        "TAC enhances the aggregate throughput by effectively reducing the number of TCP ACKs to "
        "be transmitted",
        "V",
        lambda v: all(_faster(v)),
        lambda v: (
            f"faster than AGG, seed by seed, in {sum(_faster(v))} of {len(_faster(v))} cells of "
            "Figures 5 and 6; against AGG "
            + " / ".join(
                f"{gain(v.n(_MBPS, 'tac', n), v.n(_MBPS, 'agg', n)).mean:+.0%}" for n in v.stations
            )
            + f" (N = {' / '.join(map(str, v.stations))})"
        ),
        m.reduces,
        "fig5",
        lambda v: sum(_faster(v)) > len(_faster(v)) / 2,
    ),
)
