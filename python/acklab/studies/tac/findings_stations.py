"""Section IV.2: fairness by number of stations (Figure 5(a))."""

from __future__ import annotations

from itertools import pairwise

from acklab.studies.tac import mechanisms_stations as m
from acklab.studies.tac.evidence import View, mean
from acklab.studies.tac.findings import (
    ASSURED,
    PREVENTED,
    Finding,
    falls,
    near,
    of_stations,
    rises,
    told,
    told_as,
)

#: "A moderate level" of the queue's 200 packets: half of them, on average.
MODERATE = 100.0


def _least(v: View, scheme: str) -> float:
    return min(mean(v.n("jain", scheme, n)) for n in v.stations)


def _most(v: View) -> int:
    return v.stations[-1]


def _falls_by(v: View, scheme: str) -> float:
    ends = (v.stations[0], _most(v))
    one, last = (mean(v.n("throughput_mbps", scheme, n)) for n in ends)
    return 1 - last / one


def _fills(v: View) -> bool:
    """More packets wait with more stations, and more ACKs find no room."""
    ends = (v.stations[0], _most(v))
    return all(rises(*(v.n(q, "agg", n) for n in ends)) for q in ("queue_packets", "ack_loss_mean"))


def _moderate(v: View, scheme: str) -> bool:
    """At every N no more than half of the room is taken, and nothing overflows."""
    return all(
        mean(v.n("queue_packets", scheme, n)) <= MODERATE
        and mean(v.n("ack_loss_mean", scheme, n)) < PREVENTED
        for n in v.stations
    )


def _monotonous(v: View) -> bool:
    line = [mean(v.n("jain", "agg", n)) for n in v.stations]
    return all(b <= a + 0.02 for a, b in pairwise(line))


STATIONS = (
    Finding(
        "F5-agg",
        "In the case of AGG, FI decreases as N increases",
        "IV.2, Fig. 5(a)",
        lambda v: (
            falls(v.n("jain", "agg", v.stations[0]), v.n("jain", "agg", _most(v)))
            and _monotonous(v)
        ),
        of_stations("jain", "agg", 3),
        m.unfair,
        "fig5",
        lambda v: falls(v.n("jain", "agg", v.stations[0]), v.n("jain", "agg", _most(v))),
    ),
    Finding(
        "F5-agg-why",
        "a large number of TCP ACKs are accumulated in the IFQ of AP as N increases, which "
        "results in ACK losses due to buffer overflow",
        "IV.2, Fig. 5(a)",
        lambda v: _fills(v) and mean(v.n("queue_packets", "agg", _most(v))) > MODERATE,
        told(
            "packets that wait in the AP",
            of_stations("queue_packets", "agg", 1),
            "ACKs lost, %",
            of_stations("ack_loss_mean", "agg", 2, 100),
            f"criterion: both grow with N, to more than {MODERATE:.0f} packets, half of the room",
        ),
        m.accumulate,
        "fig5",
        _fills,
    ),
    Finding(
        "F5-agg-30",
        "when N = 30, FI of AGG is about 0.6",
        "IV.2, Fig. 5(a)",
        lambda v: near(mean(v.n("jain", "agg", 30)), 0.6),
        of_stations("jain", "agg", 3),
        m.index_30,
        "readings",
        lambda v: near(mean(v.n("jain", "agg", 30)), 0.6, 1 / 3),
        stated="about 0.6",
        ours=lambda v: told_as(".2f", mean(v.n("jain", "agg", 30))),
    ),
    Finding(
        "F5-tight",
        "the fairness is tightly attained in RDG and TAC; FI is at least 0.99 for the entire "
        "range of "
        "N",
        "IV.2, Fig. 5(a)",
        lambda v: all(_least(v, s) >= ASSURED for s in ("rdg", "tac")),
        told(of_stations("jain", "rdg", 3), of_stations("jain", "tac", 3)),
        m.tight,
        "fig5",
        lambda v: any(_least(v, s) >= ASSURED for s in ("rdg", "tac")),
        opposite=lambda v: all(
            _least(v, s) < ASSURED
            and falls(*(v.n("jain", s, n) for n in (v.stations[0], _most(v))))
            for s in ("rdg", "tac")
        ),
        stated="≥ 0.99",
        ours=lambda v: told_as(".2f", _least(v, "rdg"), _least(v, "tac")),
    ),
    Finding(
        "F5-tight-why",
        "they can prevent buffer overflow by maintaining queue occupancy to a moderate level",
        "IV.2, Fig. 5(a)",
        lambda v: all(_moderate(v, s) for s in ("rdg", "tac")),
        told(
            "packets that wait in the AP",
            of_stations("queue_packets", "agg", 1),
            of_stations("queue_packets", "rdg", 1),
            of_stations("queue_packets", "tac", 1),
            "ACKs lost, %",
            of_stations("ack_loss_mean", "rdg", 2, 100),
            of_stations("ack_loss_mean", "tac", 2, 100),
            f"criterion: at most {MODERATE:.0f} packets, half of the room, and less than "
            f"{PREVENTED:.1%} lost, at every N",
        ),
        m.no_overflow,
        "fig5",
        lambda v: any(_moderate(v, s) for s in ("rdg", "tac")),
    ),
    Finding(
        "F5-diff",
        "In the case of DIFF, FI slightly decreases as N increases, e.g., it is about 0.9 when N "
        "= 30",
        "IV.2, Fig. 5(a)",
        lambda v: (
            near(mean(v.n("jain", "diff", 30)), 0.9, 0.05)
            and falls(v.n("jain", "diff", v.stations[0]), v.n("jain", "diff", _most(v)))
        ),
        of_stations("jain", "diff", 3),
        m.diff,
        "fig5",
        lambda v: (
            near(mean(v.n("jain", "diff", 30)), 0.9)
            and mean(v.n("jain", "diff", 30)) < mean(v.n("jain", "diff", v.stations[0]))
        ),
        stated="about 0.9",
        ours=lambda v: told_as(".2f", mean(v.n("jain", "diff", 30))),
    ),
    Finding(
        "F5-diff-scale",
        "the performance of DIFF is not well scalable with respect to N",
        "IV.2, Fig. 5",
        lambda v: (
            falls(v.n("jain", "diff", v.stations[0]), v.n("jain", "diff", _most(v)))
            and _falls_by(v, "diff") > 0.1
        ),
        told(of_stations("jain", "diff", 3), of_stations("throughput_mbps", "diff", 1)),
        m.diff_scale,
        "fig5",
        lambda v: _falls_by(v, "diff") > 0.1,
    ),
)
