"""What the paper says of DIFF and RDG before it shows them (I and IV.1)."""

from __future__ import annotations

from acklab.studies.runs import Sample
from acklab.studies.tac import mechanisms_schemes as m
from acklab.studies.tac.evidence import View, mean, row
from acklab.studies.tac.findings import (
    A_FEW,
    FAIR,
    PREVENTED,
    Finding,
    falls,
    of_errors,
    of_stations,
    told,
)
from acklab.studies.tac.robust import GRANTS

#: "May be wasted": not now and then.
_OFTEN = 0.1


def _where_lost(v: View) -> list[int]:
    """With how many stations AGG loses ACKs."""
    return [n for n in v.stations if mean(v.n("ack_loss_mean", "agg", n)) >= PREVENTED]


def _loses_less(v: View, scheme: str, stations: int) -> bool:
    return falls(*(v.n("ack_loss_mean", s, stations) for s in ("agg", scheme)))


def _waits_less(v: View, scheme: str, stations: int) -> bool:
    return falls(*(v.n("queue_wait_ms", s, stations) for s in ("agg", scheme)))


def _wasted(v: View) -> list[Sample]:
    return [v.robust("reverse_wasted_share", GRANTS, n) for n in v.counts(GRANTS)]


def _unsuitable(v: View, scheme: str) -> bool:
    """Unfair, or slower than doing nothing, with the largest frames and with most stations."""
    k, n = v.sizes[-1], v.stations[-1]
    far = mean(v.ber("jain", scheme, k)) < FAIR or falls(
        *(v.ber("throughput_mbps", s, k) for s in ("agg", scheme))
    )
    many = mean(v.n("jain", scheme, n)) < FAIR or falls(
        *(v.n("throughput_mbps", s, n) for s in ("agg", scheme))
    )
    return far and many


_RIVALS = ("diff", "rdg")

SCHEMES = (
    Finding(
        "I-wasted",
        "the bi-directional channel access opportunity given to the AP may be wasted due to lack "
        "of backlogged TCP ACK",
        "I",
        lambda v: max(map(mean, _wasted(v)), default=0.0) > _OFTEN,
        lambda v: (
            "reverse opportunities that brought no ACK, RDG, %: "
            f"{row(_wasted(v), 1, 100)} (N = {' / '.join(map(str, v.counts(GRANTS)))}); criterion: "
            f"more than {_OFTEN:.0%} at some N"
        ),
        m.wasted,
        "robust",
        lambda v: max(map(mean, _wasted(v)), default=0.0) > A_FEW,
    ),
    Finding(
        "I-suitable",
        "the existing approaches are not suitable for the case where frame aggregation is "
        "employed, which will be verified by simulation study",
        "I",
        lambda v: all(_unsuitable(v, s) for s in _RIVALS),
        told(
            *(of_stations("jain", s, 3) for s in _RIVALS),
            *(of_stations("throughput_mbps", s, 1) for s in ("agg", *_RIVALS)),
            "with bit errors",
            *(of_errors("jain", s, 3) for s in _RIVALS),
            *(of_errors("throughput_mbps", s, 1) for s in ("agg", *_RIVALS)),
            f"criterion, at the largest N and at the largest Lmax: an index below {FAIR}, or "
            "slower than AGG",
        ),
        m.suitable,
        "fig6",
        lambda v: any(_unsuitable(v, s) for s in _RIVALS),
    ),
    Finding(
        "IV-diff",
        "This scheme can reduce the TCP ACK loss due to buffer overflow in the AP, which is "
        "similar to the idea in [2]",
        "IV.1",
        lambda v: all(_loses_less(v, "diff", n) for n in _where_lost(v)),
        told(
            "ACKs lost, %",
            of_stations("ack_loss_mean", "agg", 2, 100),
            of_stations("ack_loss_mean", "diff", 2, 100),
            "criterion: fewer at every N where AGG loses any",
        ),
        m.diff_loses,
        "fig5",
        lambda v: _loses_less(v, "diff", v.stations[-1]),
    ),
    Finding(
        "IV-rdg",
        "This scheme reduces the channel access delay for TCP ACKs, as well as reducing ACK loss "
        "in the AP",
        "IV.1",
        lambda v: (
            all(_loses_less(v, "rdg", n) for n in _where_lost(v))
            and all(_waits_less(v, "rdg", n) for n in v.stations)
        ),
        told(
            "wait of an ACK for its access, ms",
            of_stations("queue_wait_ms", "agg", 1),
            of_stations("queue_wait_ms", "rdg", 1),
            "ACKs lost, %",
            of_stations("ack_loss_mean", "agg", 2, 100),
            of_stations("ack_loss_mean", "rdg", 2, 100),
            "criterion: a shorter wait at every N, and fewer lost where AGG loses any",
        ),
        m.rdg_answers,
        "fig5",
        lambda v: _loses_less(v, "rdg", v.stations[-1]) and _waits_less(v, "rdg", v.stations[-1]),
    ),
)
