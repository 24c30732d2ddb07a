"""Section IV.2: throughput by number of stations (Figure 5(b))."""

from __future__ import annotations

from acklab.studies.runs import Sample
from acklab.studies.tac import mechanisms_stations as m
from acklab.studies.tac.evidence import View, mean
from acklab.studies.tac.findings import (
    ASSURED,
    Finding,
    best_gain,
    falls,
    near,
    of_stations,
    rises,
    told,
    told_as,
)
from acklab.studies.tac.quantities import USES

#: "Nearly constant": the largest is at most this much above the smallest.
CONSTANT, ROUGHLY = 0.1, 0.2
#: "Results from": at least this part of it.
MOST = 0.5


def _least(v: View, scheme: str) -> float:
    return min(mean(v.n("jain", scheme, n)) for n in v.stations)


def _most(v: View) -> int:
    return v.stations[-1]


def _spread(v: View, scheme: str) -> float:
    found = [mean(v.n("throughput_mbps", scheme, n)) for n in v.many]
    return max(found) / min(found) - 1


def _falls_by(v: View, scheme: str) -> float:
    ends = (v.stations[0], _most(v))
    one, last = (mean(v.n("throughput_mbps", scheme, n)) for n in ends)
    return 1 - last / one


def _ahead(v: View, other: str) -> tuple[int, float, str]:
    return best_gain(
        [
            (n, v.n("throughput_mbps", "tac", n), v.n("throughput_mbps", other, n))
            for n in v.stations
        ]
    )


def _really_ahead(v: View, other: str) -> bool:
    at, _, _ = _ahead(v, other)
    return rises(v.n("throughput_mbps", other, at), v.n("throughput_mbps", "tac", at))


def _of(v: View, quantity: str, scheme: str) -> tuple[Sample, Sample]:
    """With fewest and with most stations."""
    return v.n(quantity, scheme, v.stations[0]), v.n(quantity, scheme, _most(v))


def _collides(v: View, scheme: str) -> bool:
    """Slower with more stations, while more accesses fail."""
    return falls(*_of(v, "throughput_mbps", scheme)) and rises(*_of(v, "failed_share", scheme))


def _grown(v: View, scheme: str, use: str) -> float:
    """By how much more of the air goes to this."""
    first, last = (mean(s) for s in _of(v, f"{use}_share", scheme))
    return last - first


def _explained(v: View, scheme: str) -> float:
    """The part of the air lost by data that collisions took; none if another use took more."""
    uses = {use: _grown(v, scheme, use) for use in USES if use != "data"}
    lost = -_grown(v, scheme, "data")
    if lost <= 0 or uses["collision"] < max(uses.values()):
        return 0.0
    return uses["collision"] / lost


def _taken(v: View, scheme: str) -> str:
    """Of what the air is used more, and less, in points of a hundred."""
    parts = ", ".join(
        f"{use.replace('_', ' ')} {100 * _grown(v, scheme, use):+.1f}"
        for use in ("data", "collision", "contention", "transport_ack", "control", "idle")
    )
    return f"points of the air from N = {v.stations[0]} to {_most(v)}, {scheme.upper()}: {parts}"


RATES = (
    Finding(
        "F5-constant",
        "The throughputs of AGG and TAC are kept nearly constant as N varies from 5 to 30",
        "IV.2, Fig. 5(b)",
        lambda v: all(_spread(v, s) <= CONSTANT for s in ("agg", "tac")),
        told(
            "Mbit/s",
            of_stations("throughput_mbps", "agg", 1),
            of_stations("throughput_mbps", "tac", 1),
            lambda v: (
                f"largest over smallest from 5 on: AGG {_spread(v, 'agg'):+.0%}, TAC "
                f"{_spread(v, 'tac'):+.0%}"
            ),
        ),
        m.constant,
        "fig5",
        lambda v: (
            any(_spread(v, s) <= CONSTANT for s in ("agg", "tac"))
            or all(_spread(v, s) <= ROUGHLY for s in ("agg", "tac"))
        ),
    ),
    Finding(
        "F5-constant-why",
        "the collision probability does not notably increase even though N increases, because … "
        "the effective number of contending STAs is not proportional to N but remains nearly "
        "constant",
        "IV.2, Fig. 5(b)",
        lambda v: all(
            mean(v.n("failed_share", s, _most(v))) - mean(v.n("failed_share", s, v.many[0])) < 0.05
            for s in ("agg", "tac")
        ),
        told(
            "failed accesses of stations, %",
            of_stations("failed_share", "agg", 1, 100),
            of_stations("failed_share", "tac", 1, 100),
        ),
        m.contenders,
        "air",
        lambda v: all(
            mean(v.n("failed_share", s, _most(v))) < 2 * mean(v.n("failed_share", s, v.many[0]))
            for s in ("agg", "tac")
        ),
    ),
    Finding(
        "F5-falls",
        "in the cases of DIFF and RDG, the throughput remarkably decreases as N increases; it "
        "decreases from 51 and 49 Mb/s to 35 and 38 Mb/s, respectively, as N increases from 1 to "
        "30",
        "IV.2, Fig. 5(b)",
        lambda v: all(
            near(mean(v.n("throughput_mbps", s, n)), paper)
            for s, n, paper in (
                ("diff", 1, 51),
                ("diff", 30, 35),
                ("rdg", 1, 49),
                ("rdg", 30, 38),
            )
        ),
        told(of_stations("throughput_mbps", "diff", 1), of_stations("throughput_mbps", "rdg", 1)),
        m.rates_fall,
        "fig5",
        lambda v: all(_falls_by(v, s) > 0.1 for s in ("diff", "rdg")),
        stated="51, 49 / 35, 38 Mbit/s",
        ours=lambda v: told_as(
            ".1f",
            *(mean(v.n("throughput_mbps", s, n)) for n in (1, 30) for s in ("diff", "rdg")),
        ),
    ),
    Finding(
        "F5-collisions",
        "The throughput decrease of DIFF and RDG results from the increase of collision "
        "probability",
        "IV.2, Fig. 5(b)",
        lambda v: all(_collides(v, s) and _explained(v, s) >= MOST for s in ("diff", "rdg")),
        told(
            "failed accesses of stations, %",
            of_stations("failed_share", "diff", 1, 100),
            of_stations("failed_share", "rdg", 1, 100),
            lambda v: "; ".join(_taken(v, s) for s in ("diff", "rdg")),
            f"criterion: slower, more accesses fail, and at least {MOST:.0%} of the air that data "
            "lose goes to collisions, more than to anything else",
        ),
        m.collisions,
        "air",
        lambda v: any(_collides(v, s) and _explained(v, s) >= MOST for s in ("diff", "rdg")),
    ),
    Finding(
        "F5-diff-why",
        "the smaller size of AP's contention window contributes to increasing the channel access "
        "probability of AP to serve TCP ACKs fast; however, the aggressive channel access of AP "
        "also "
        "increases the collision probability",
        "IV.2, Fig. 5(b)",
        lambda v: (
            falls(
                v.n("access_delay_ap_ms", "agg", _most(v)),
                v.n("access_delay_ap_ms", "diff", _most(v)),
            )
            and rises(v.n("failed_share", "agg", _most(v)), v.n("failed_share", "diff", _most(v)))
        ),
        told(
            "the AP's wait for the medium, ms",
            of_stations("access_delay_ap_ms", "agg", 2),
            of_stations("access_delay_ap_ms", "diff", 2),
            "failed accesses of stations, %",
            of_stations("failed_share", "agg", 1, 100),
            of_stations("failed_share", "diff", 1, 100),
        ),
        m.eager,
        "air",
        lambda v: falls(
            v.n("access_delay_ap_ms", "agg", _most(v)), v.n("access_delay_ap_ms", "diff", _most(v))
        ),
    ),
    Finding(
        "F5-rdg-why",
        "the STAs always participate in the competition of channel access because STAs receive TCP "
        "ACKs immediately after sending TCP data packets, and thus, the collision probability "
        "increases as N increases",
        "IV.2, Fig. 5(b)",
        lambda v: (
            rises(v.n("failed_share", "rdg", v.many[0]), v.n("failed_share", "rdg", _most(v)))
            and rises(v.n("failed_share", "agg", _most(v)), v.n("failed_share", "rdg", _most(v)))
        ),
        told(
            "failed accesses of stations, %",
            of_stations("failed_share", "rdg", 1, 100),
            of_stations("failed_share", "agg", 1, 100),
        ),
        m.always,
        "air",
        lambda v: rises(
            v.n("failed_share", "rdg", v.stations[0]), v.n("failed_share", "rdg", _most(v))
        ),
    ),
    Finding(
        "F5-gain",
        "The throughput improvement of TAC over DIFF and RDG is up to 32% and 21%, respectively",
        "IV.2, Fig. 5(b)",
        lambda v: (
            abs(_ahead(v, "diff")[1] - 0.32) <= 0.05 and abs(_ahead(v, "rdg")[1] - 0.21) <= 0.05
        ),
        lambda v: (
            f"up to {_ahead(v, 'diff')[2]} stations (DIFF) and {_ahead(v, 'rdg')[2]} stations (RDG)"
        ),
        m.gain,
        "fig5",
        lambda v: all(_really_ahead(v, s) for s in ("diff", "rdg")),
        stated="32 / 21 %",
        ours=lambda v: told_as(".0%", *(_ahead(v, s)[1] for s in ("diff", "rdg"))),
    ),
    Finding(
        "F5-both",
        "the proposed TAC scheme tightly assures fairness, as well as improving total throughput, "
        "while the other schemes suffer from the trade-off between fairness and throughput",
        "IV.2; abstract",
        lambda v: (
            _least(v, "tac") >= ASSURED
            and all(
                rises(v.n("throughput_mbps", s, _most(v)), v.n("throughput_mbps", "tac", _most(v)))
                for s in ("agg", "diff", "rdg")
            )
        ),
        told(
            of_stations("jain", "tac", 3),
            "Mbit/s",
            *(of_stations("throughput_mbps", s, 1) for s in ("agg", "diff", "rdg", "tac")),
        ),
        m.both,
        "fig5",
        lambda v: _least(v, "tac") >= ASSURED,
        opposite=lambda v: _least(v, "tac") < ASSURED and falls(*_of(v, "jain", "tac")),
    ),
)
