"""What the paper says of TAC's effect on the queue, and of the ACKs that come to it (III.1, 2)."""

from __future__ import annotations

from itertools import pairwise

from acklab.studies.runs import Sample
from acklab.studies.tac import mechanisms_filter as m
from acklab.studies.tac.evidence import View, gain, mean, row
from acklab.studies.tac.findings import (
    A_FEW,
    Finding,
    falls,
    gain_or_difference,
    near,
    of_stations,
    rises,
    told,
)
from acklab.studies.tac.gaps import LINK_MS, TE_MS
from acklab.studies.tac.robust import GAPS, te

#: A difference of indices that a figure would show, and of throughputs.
_SEEN, _MBPS_SEEN = 0.01, 0.02
_INFINITE = 10_000
#: Of the wire: 1064 B at 100 Mbit/s, ms.
_WIRE_MS = 8 * 1064 / 100e3


def _emptier(v: View, stations: int) -> bool:
    """Fewer packets wait with TAC, and no ACK is lost."""
    return (
        falls(*(v.n("queue_packets", s, stations) for s in ("agg", "tac")))
        and mean(v.n("ack_loss_mean", "tac", stations)) == 0
    )


def _fairer(v: View) -> bool:
    return rises(*(v.n("jain", s, v.stations[-1]) for s in ("agg", "tac")))


def _all_acks(v: View, quantity: str) -> tuple[Sample, Sample]:
    """With room for every ACK, and with TAC; 20 stations, 16 KB."""
    return v.lmax(quantity, 16, _INFINITE), v.robust(quantity, te(5))


def _misses_nothing(v: View) -> bool:
    every, held = _all_acks(v, "jain")
    slower = gain(*reversed(_all_acks(v, "throughput_mbps"))).mean
    return mean(held) >= mean(every) - _SEEN and slower > -_MBPS_SEEN


def _gaps(v: View, quantity: str) -> list[Sample]:
    return [v.robust(quantity, GAPS, n) for n in v.counts(GAPS)]


def _between(v: View) -> list[Sample]:
    return _gaps(v, "gaps_between_beyond_rtt_share")


def _with(v: View) -> str:
    return f"(AGG, N = {' / '.join(map(str, v.counts(GAPS)))})"


FILTER = (
    Finding(
        "A-occupancy",
        "TAC reduces queue occupancy and prevents ACK losses due to buffer overflow, which "
        "significantly contributes to fairness among uplink TCP flows",
        "abstract; I",
        lambda v: all(_emptier(v, n) for n in v.stations) and _fairer(v),
        told(
            "packets that wait in the AP",
            of_stations("queue_packets", "agg", 1),
            of_stations("queue_packets", "tac", 1),
            "ACKs lost, %",
            of_stations("ack_loss_mean", "tac", 2, 100),
            "index",
            of_stations("jain", "agg", 3),
            of_stations("jain", "tac", 3),
            "criterion: fewer at every N, none lost, and fairer than AGG at the largest",
        ),
        m.emptier,
        "fig5",
        lambda v: _emptier(v, v.stations[-1]) and _fairer(v),
    ),
    Finding(
        "III-redundant",
        "the TCP ACKs except RACK are redundant because RACK can representatively acknowledge the "
        "successful delivery of all the TCP data packets transmitted in bursts",
        "III.1",
        _misses_nothing,
        lambda v: (
            f"20 stations, 16 KB, every ACK returned (10,000 packets) / TAC: index "
            f"{row(_all_acks(v, 'jain'), 3)}; Mbit/s {row(_all_acks(v, 'throughput_mbps'), 1)}; "
            f"criterion: an index within {_SEEN} of the former and no more than "
            f"{_MBPS_SEEN:.0%} slower"
        ),
        m.redundant,
        "robust",
        opposite=lambda v: gain_or_difference(*_all_acks(v, "jain")) > _SEEN,
    ),
    Finding(
        "III-same",
        "TAC operates in the same way even in this case, as long as A-MPDU is implemented such "
        "that it assures in-order delivery",
        "III.2.1",
        lambda v: (
            near(mean(v.ber("filtered_share", "tac", 16)), mean(v.robust("filtered_share", te(5))))
            and mean(v.ber("ack_loss_mean", "tac", 16)) == 0
            and mean(v.ber("out_of_order_share", "tac", 16)) < A_FEW
        ),
        lambda v: (
            "20 stations, 16 KB, without / with bit errors: ACKs that TAC drops, % "
            + row([v.robust("filtered_share", te(5)), v.ber("filtered_share", "tac", 16)], 1, 100)
            + "; ACKs lost, % "
            + row([v.robust("ack_loss_mean", te(5)), v.ber("ack_loss_mean", "tac", 16)], 2, 100)
            + "; data out of order, % "
            + row([v.ber("out_of_order_share", "tac", 16)], 3, 100)
        ),
        m.same,
        "fig6",
    ),
    Finding(
        "III-gap-rtt",
        "the time gap between two consecutive TCP ACKs cannot exceed the RTT (e.g., 100 ms)",
        "III.2.4",
        lambda v: all(mean(s) < A_FEW for s in _between(v)),
        lambda v: (
            f"of the gaps between bursts (longer than {TE_MS:.0f} ms) of a flow's ACKs at the AP, "
            "those that are longer than 99 of 100 of its RTTs, %: "
            f"{row(_between(v), 2, 100)} {_with(v)}; of all gaps: "
            f"{row(_gaps(v, 'gaps_beyond_rtt_share'), 2, 100)}; within a burst, %: "
            f"{row(_gaps(v, 'gaps_within_te_share'), 1, 100)}; criterion: less than {A_FEW:.0%} "
            "between bursts at every N (partly: at some)"
        ),
        m.beyond_rtt,
        "robust",
        lambda v: any(mean(s) < A_FEW for s in _between(v)),
    ),
    Finding(
        "III-gap-link",
        "it cannot be smaller than the transmission delay of the slowest link in the network "
        "(e.g., 0.8 ms when the packet size is 1 KB and the link capacity is 10 Mb/s)",
        "III.2.4",
        lambda v: all(mean(s) < A_FEW for s in _gaps(v, "gaps_below_link_share")),
        lambda v: (
            f"a packet of 1064 B takes {LINK_MS:.3f} ms on the slowest link, the radio; gaps that "
            f"are shorter, %: {row(_gaps(v, 'gaps_below_link_share'), 2, 100)}; 99 of 100 gaps "
            f"are longer than, ms: {row(_gaps(v, 'gap_least_ms'), 3)} {_with(v)}; criterion: less "
            f"than {A_FEW:.0%}"
        ),
        m.slowest,
        "robust",
        lambda v: all(mean(s) >= _WIRE_MS for s in _gaps(v, "gap_least_ms")),
    ),
    Finding(
        "III-gap-grows",
        "the time gap probably increases as the number of links between TCP sender and receiver "
        "increases and the network becomes congested",
        "III.2.4",
        # Of the number of links nothing was run, so half of the sentence is all that can hold.
        lambda v: False,
        lambda v: (
            f"mean gap, ms: {row(_gaps(v, 'gap_mean_ms'), 2)} {_with(v)}; criterion: more with "
            "more stations, partly at best, as more links were not run"
        ),
        m.congested,
        "robust",
        lambda v: all(rises(a, b) for a, b in pairwise(_gaps(v, "gap_mean_ms"))),
    ),
)
