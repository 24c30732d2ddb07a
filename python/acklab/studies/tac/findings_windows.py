"""Section II: what ACKs that come in bursts, or do not come, are to a window."""

from __future__ import annotations

from acklab.studies.runs import Sample
from acklab.studies.tac import mechanisms_windows as m
from acklab.studies.tac.evidence import View, mean, row
from acklab.studies.tac.findings import A_FEW, Finding, falls, near, of_sizes, rises, told
from acklab.studies.tac.robust import AMSDU, WINDOWS


def _of_halves(v: View, quantity: str) -> tuple[Sample, Sample]:
    """Of the flows with larger windows and of the others, at the largest Lmax."""
    k = v.sizes[-1]
    return v.lmax(f"{quantity}_larger", k), v.lmax(f"{quantity}_smaller", k)


def _susceptible(v: View) -> bool:
    """Small windows suffer more from a lost ACK, and repeat more, seed by seed."""
    return all(rises(*_of_halves(v, q)) for q in ("rtos_per_1000_lost", "repeated_share"))


def _windows_at(v: View) -> list[int]:
    """Values of Lmax with which windows were watched."""
    return v.lengths(WINDOWS)


def _growth(v: View, what: str) -> float:
    """In slow start, with the largest of them."""
    return mean(v.robust(f"growth_{what}", WINDOWS, kilobytes=_windows_at(v)[-1]))


def _frame(v: View, which: str) -> float:
    return mean(v.robust(f"acks_per_frame_{which}", WINDOWS, kilobytes=_windows_at(v)[-1]))


def _rates(v: View) -> list[Sample]:
    return [v.robust("growth_packets_per_s", WINDOWS, kilobytes=k) for k in _windows_at(v)]


def _amsdu_at(v: View) -> int:
    """The Lmax that A-MSDU of 7935 B is compared with: of about as many packets."""
    return 8 if 8 in v.sizes else v.sizes[-1]


def _of_aggregates(v: View) -> list[Sample]:
    q = "throughput_mbps"
    return [v.robust(q, AMSDU), v.ber(q, "agg", _amsdu_at(v))]


WINDOWED = (
    Finding(
        "II-increment",
        "The increment of TCP flow's CWND is proportional to the number of TCP ACKs received in "
        "the aggregated frame",
        "II",
        lambda v: near(_growth(v, "per_ack_many"), _growth(v, "per_ack_few"), 1 / 3),
        lambda v: (
            f"slow start at {_windows_at(v)[-1]} KB, packets by which a window grows with a frame "
            f"of ACKs: {_growth(v, 'per_frame_few'):.1f} by {_frame(v, 'few'):.1f} ACKs and "
            f"{_growth(v, 'per_frame_many'):.1f} by {_frame(v, 'many'):.1f}, for each ACK "
            f"{_growth(v, 'per_ack_few'):.2f} and {_growth(v, 'per_ack_many'):.2f}; criterion: "
            "these two within a third"
        ),
        m.increment,
        "robust",
        lambda v: _growth(v, "per_frame_many") > _growth(v, "per_frame_few"),
        opposite=lambda v: _growth(v, "per_frame_many") < _growth(v, "per_frame_few"),
    ),
    Finding(
        "II-rapidly",
        "On the burst arrival of TCP ACKs, the TCP sender (i.e., STA) increases CWND rapidly",
        "II",
        lambda v: rises(_rates(v)[0], _rates(v)[-1]),
        lambda v: (
            "packets by which a window grows in a second of slow start: "
            + row(_rates(v), 0)
            + f" ({' / '.join(map(str, _windows_at(v)))} KB); criterion: more with the larger Lmax"
        ),
        m.rapidly,
        "robust",
        lambda v: mean(_rates(v)[-1]) > mean(_rates(v)[0]),
        opposite=lambda v: falls(_rates(v)[0], _rates(v)[-1]),
    ),
    Finding(
        "II-tolerate",
        "some TCP flows with larger CWND can tolerate the loss of TCP ACK in the AP (i.e., they "
        "increase CWND as if there were no TCP ACK losses at all and they do not retransmit the "
        "TCP data packets) while other TCP flows with smaller CWND become susceptible to the TCP "
        "ACK loss (i.e., time-out may occur … as well as unnecessarily retransmitting the TCP data "
        "packets that were successfully delivered to the AP)",
        "II",
        lambda v: _susceptible(v) and mean(v.lmax("repeated_share_larger", v.sizes[-1])) < A_FEW,
        told(
            "flows by their windows, smaller half: timeouts for each 1000 ACKs lost",
            of_sizes("rtos_per_1000_lost_smaller", 1),
            "larger half",
            of_sizes("rtos_per_1000_lost_larger", 1),
            "data sent again, %, smaller half",
            of_sizes("repeated_share_smaller", 2, scale=100),
            "larger half",
            of_sizes("repeated_share_larger", 2, scale=100),
            f"criterion, at the largest Lmax: the smaller half has more of both, the larger sends "
            f"less than {A_FEW:.0%} again",
        ),
        m.tolerate,
        "fig2",
        lambda v: rises(*_of_halves(v, "rtos_per_1000_lost")),
        opposite=lambda v: falls(*_of_halves(v, "rtos_per_1000_lost")),
    ),
    Finding(
        "II-amsdu",
        "we consider only A-MPDU with BA … because it can achieve higher throughput than A-MSDU in "
        "an error-prone wireless channel",
        "II",
        lambda v: rises(*_of_aggregates(v)),
        lambda v: (
            "20 stations, bit errors, Mbit/s: A-MSDU of 7935 B "
            f"{row(_of_aggregates(v)[:1], 1)}, A-MPDU of {_amsdu_at(v)} KB "
            f"{row(_of_aggregates(v)[1:], 1)}"
        ),
        m.amsdu,
        "robust",
    ),
)
