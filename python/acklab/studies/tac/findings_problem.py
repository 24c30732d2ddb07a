"""Section II: frame aggregation makes uploads unfair (Figure 2)."""

from __future__ import annotations

from itertools import pairwise

from acklab.studies.runs import Sample
from acklab.studies.tac import mechanisms_problem as m
from acklab.studies.tac.evidence import View, mean, row
from acklab.studies.tac.findings import FAIR, PREVENTED, Finding, falls, of_sizes, rises, told

#: Not quite.
ALMOST = 0.95
#: "Severe": below what the paper calls DIFF's slight decrease.
SEVERE = 0.9
INFINITE = 10_000


def _small(v: View) -> list[int]:
    return [k for k in v.sizes if k <= 2]


def _least_small(v: View) -> float:
    return min(mean(v.lmax("jain", k, b)) for k in _small(v) for b in (200, INFINITE))


def _ends(v: View) -> tuple[int, int]:
    return v.sizes[0], v.sizes[-1]


def _steps(v: View) -> list[tuple[int, int]]:
    return list(pairwise(v.sizes))


def _less_fair_but_faster(v: View) -> bool:
    """From the smallest to the largest Lmax, with 200 packets."""
    fair, fast = ([v.lmax(q, k) for k in _ends(v)] for q in ("jain", "throughput_mbps"))
    return falls(*fair) and rises(*fast)


def _share(v: View, stations: int) -> Sample:
    """The access point's part of all accesses, AGG."""
    ap, others = (v.n(q, "agg", stations) for q in ("accesses_per_s_ap", "accesses_per_s"))
    return {s: ap[s] / (ap[s] + others[s]) for s in ap}


def _slower(v: View) -> bool:
    """At every Lmax less throughput and a longer RTT with the infinite buffer."""
    return all(
        falls(v.lmax("throughput_mbps", k), v.lmax("throughput_mbps", k, INFINITE))
        and rises(v.lmax("rtt_mean_ms", k), v.lmax("rtt_mean_ms", k, INFINITE))
        for k in v.sizes
    )


def _at(v: View, quantity: str, kilobytes: int) -> float:
    """Not-a-number where a quick run has no such cell."""
    return mean(v.lmax(quantity, kilobytes))


PROBLEM = (
    Finding(
        "I-chance",
        "the AP necessarily has a little chance to serve TCP ACKs as the number of STAs increases",
        "I",
        lambda v: all(falls(_share(v, a), _share(v, b)) for a, b in pairwise(v.stations)),
        lambda v: (
            "the AP's share of the accesses, %: "
            + row([_share(v, n) for n in v.stations], 1, 100)
            + f" (N = {' / '.join(map(str, v.stations))})"
        ),
        m.chance,
        "air",
        lambda v: falls(*(_share(v, n) for n in (v.stations[0], v.stations[-1]))),
    ),
    Finding(
        "II-delay",
        "Compared to the case without frame aggregation, the transmission time of each STA "
        "increases "
        "due to aggregation and the time interval between two consecutive channel accesses by the "
        "AP "
        "will increase accordingly",
        "II",
        lambda v: falls(*(v.lmax("accesses_per_s_ap", k) for k in _ends(v))),
        told("accesses of the AP per second", of_sizes("accesses_per_s_ap", 0)),
        m.interval,
        "fig2",
    ),
    Finding(
        "II-loss",
        "the probability of ACK loss due to buffer overflow in the AP increases",
        "II",
        lambda v: rises(*(v.lmax("ack_loss_mean", k) for k in _ends(v))),
        told("ACKs lost, %", of_sizes("ack_loss_mean", 2, scale=100)),
        m.overflow,
        "fig3",
        opposite=lambda v: falls(*(v.lmax("ack_loss_mean", k) for k in _ends(v))),
    ),
    Finding(
        "II-windows",
        "As the degree of frame aggregation increases, the difference among CWND values of TCP "
        "flows "
        "become larger",
        "II",
        lambda v: rises(*(v.lmax("window_sd_packets", k) for k in _ends(v))),
        told("standard deviation of windows over flows, packets", of_sizes("window_sd_packets", 1)),
        m.windows,
        "mechanism",
        opposite=lambda v: falls(*(v.lmax("window_sd_packets", k) for k in _ends(v))),
    ),
    Finding(
        "F2-small",
        "When Lmax is small (1~2 KB), the unfairness problem is negligible, regardless of the "
        "buffer "
        "size",
        "II, Fig. 2",
        lambda v: _least_small(v) >= FAIR,
        told(
            "index with 200",
            of_sizes("jain", 3),
            "with 10,000",
            of_sizes("jain", 3, INFINITE),
            f"criterion: at least {FAIR}",
        ),
        m.small,
        "fig2",
        lambda v: _least_small(v) >= ALMOST,
    ),
    Finding(
        "F2-small-why",
        "the buffer size is large enough to hold TCP ACKs without buffer overflow",
        "II, Fig. 2",
        lambda v: all(_at(v, "ack_loss_mean", k) < PREVENTED for k in _small(v)),
        told("ACKs lost, %", of_sizes("ack_loss_mean", 2, scale=100), "criterion: below 0.5 %"),
        m.small_why,
        "fig3",
        lambda v: all(_at(v, "ack_loss_mean", k) < 0.02 for k in _small(v)),
    ),
    Finding(
        "F2-severe",
        "As Lmax increases, the unfairness problem becomes severe in the case of the limited "
        "buffer "
        "size",
        "II, Fig. 2",
        lambda v: (
            falls(*(v.lmax("jain", k) for k in _ends(v))) and _at(v, "jain", v.sizes[-1]) < SEVERE
        ),
        told("index", of_sizes("jain"), f"criterion: falls, and below {SEVERE}"),
        m.severe,
        "fig2",
        lambda v: falls(*(v.lmax("jain", k) for k in _ends(v))),
    ),
    Finding(
        "F2-infinite",
        "In contrast, the problem is insignificant with the infinite buffer, which implies that "
        "the "
        "problem results from the buffer overflow in the AP",
        "II, Fig. 2",
        lambda v: all(
            mean(v.lmax("jain", k, INFINITE)) >= FAIR
            and mean(v.lmax("ack_loss_mean", k, INFINITE)) == 0
            for k in v.sizes
        ),
        told(
            "index with 10,000",
            of_sizes("jain", 3, INFINITE),
            "ACKs lost, %",
            of_sizes("ack_loss_mean", 2, INFINITE, 100),
        ),
        m.infinite,
        "fig2",
        lambda v: all(mean(v.lmax("jain", k, INFINITE)) >= ALMOST for k in v.sizes),
    ),
    Finding(
        "F2-tradeoff",
        "From Fig. 2, we can observe the effects of frame aggregation and AP buffer size on "
        "fairness and the trade-off between throughput and fairness",
        "II, Fig. 2",
        lambda v: (
            _less_fair_but_faster(v)
            and falls(
                v.lmax("throughput_mbps", v.sizes[-1]),
                v.lmax("throughput_mbps", v.sizes[-1], INFINITE),
            )
            and rises(v.lmax("jain", v.sizes[-1]), v.lmax("jain", v.sizes[-1], INFINITE))
        ),
        told(
            "index with 200",
            of_sizes("jain", 3),
            "with 10,000",
            of_sizes("jain", 3, INFINITE),
            "Mbit/s with 200",
            of_sizes("throughput_mbps", 1),
            "with 10,000",
            of_sizes("throughput_mbps", 1, INFINITE),
            "criterion: with 200 a larger Lmax is faster and less fair, and at the largest 10,000 "
            "are fairer and slower",
        ),
        m.tradeoff,
        "fig2",
        lambda v: _less_fair_but_faster(v),
    ),
    Finding(
        "F2-throughput",
        "The aggregate throughput increases as Lmax increases for both cases",
        "II, Fig. 2",
        lambda v: all(
            rises(v.lmax("throughput_mbps", a, b), v.lmax("throughput_mbps", c, b))
            for a, c in _steps(v)
            for b in (200, INFINITE)
        ),
        told(
            "Mbit/s with 200",
            of_sizes("throughput_mbps", 1),
            "with 10,000",
            of_sizes("throughput_mbps", 1, INFINITE),
        ),
        m.faster,
        "fig2",
        lambda v: all(
            rises(*(v.lmax("throughput_mbps", k, b) for k in _ends(v))) for b in (200, INFINITE)
        ),
    ),
    Finding(
        "F2-slower",
        "The throughput with the infinite buffer is smaller than that with the limited buffer, "
        "because the queuing delay in the AP with the infinite buffer increases RTT "
        "(Round Trip Time) of TCP flows",
        "II, Fig. 2",
        # A window that is too small for its RTT leaves the medium idle.
        lambda v: (
            _slower(v)
            and all(
                rises(v.lmax("idle_share", k), v.lmax("idle_share", k, INFINITE)) for k in v.sizes
            )
        ),
        told(
            "Mbit/s with 200",
            of_sizes("throughput_mbps", 1),
            "with 10,000",
            of_sizes("throughput_mbps", 1, INFINITE),
            "RTT, ms, with 200",
            of_sizes("rtt_mean_ms", 0),
            "with 10,000",
            of_sizes("rtt_mean_ms", 0, INFINITE),
            "idle air, %, with 200",
            of_sizes("idle_share", 1, scale=100),
            "with 10,000",
            of_sizes("idle_share", 1, INFINITE, 100),
            "criterion: slower, a longer RTT, and idle for longer because of it, at every Lmax",
        ),
        m.fewer_contend,
        "fig2",
        _slower,
    ),
)
