"""The findings about Table 5: the A-MPDU's limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS as ALL
from acklab.studies.ack_aggregation.findings import RATIOS, SEEN
from acklab.studies.ack_aggregation.findings_summary import unpredictable
from acklab.studies.ack_aggregation.wireless import cells
from acklab.studies.ack_aggregation.wireless import mechanisms as m
from acklab.studies.ack_aggregation.wireless.evidence import GOODPUT, Cell, View
from acklab.studies.ack_aggregation.wireless.findings import (
    AGGREGATED,
    BUSY,
    SLIGHT,
    Finding,
    by_size,
    gained,
    told,
)
from acklab.studies.runs import (
    Runs,
    Sample,
    difference,
    less,
    minus,
    more,
    percent,
    scatter,
    share,
)

#: A mean RTT that is longer by less than this share is no inflated estimate.
RTT_FELT = 0.05
STEPS = tuple(pairwise(cells.SIZES))


def steady(v: View, cc: str) -> bool:
    """Whether it has more with 64 KB than with 4 KB, and at no step less."""
    return more(v.gain(cc, 4, 64), 0.05) and not any(
        less(v.gain(cc, a, b), -SLIGHT) for a, b in STEPS
    )


def diminish(v: View, cc: str) -> bool:
    """Whether each step up to 16 KB gives more than those after it, and the last hardly any."""
    each = [difference(v.each(GOODPUT, cc, b), v.each(GOODPUT, cc, a)) for a, b in STEPS]
    return (
        more(minus(each[0], each[1]))
        and all(more(minus(each[1], later)) for later in each[2:])
        and less(v.gain(cc, 32, 64), 0.02)
    )


def bursts_felt(v: View, since: int, to: int) -> bool:
    """Whether Vegas sends more at once with the larger limit, and measures longer RTTs then."""
    return more(v.gain("vegas", since, to, "mpdus_per_ppdu"), SEEN) and more(
        v.gain("vegas", since, to, "rtt_mean_ms"), RTT_FELT
    )


def _felt(since: int, to: int) -> Callable[[View], str]:
    def text(v: View) -> str:
        at_once, rtt = (
            percent(v.gain("vegas", since, to, q)) for q in ("mpdus_per_ppdu", "rtt_mean_ms")
        )
        return (
            f"Vegas from {since} to {to} KB: MPDUs at once {at_once}, mean RTT {rtt}, goodput "
            f"{percent(v.gain('vegas', since, to))}"
        )

    return text


def growth(v: View, cc: str) -> Sample:
    """What a controller gains from 4 to 64 KB, as a share, by seed."""
    return share(v.each(GOODPUT, cc, 64), v.each(GOODPUT, cc, 4))


def _scatter(v: View) -> str:
    """Of single runs, Vegas and the most scattered other."""

    def of(runs: Runs, quantity: str, over: Sequence[Cell]) -> str:
        def largest(cell: Cell) -> float:
            return max(scatter(runs.at(quantity, v.stack, cc, cell)) for cc in BUSY)

        mine = " / ".join(
            f"{scatter(runs.at(quantity, v.stack, 'vegas', cell)):.3f}" for cell in over
        )
        return f"{mine}, of the others at most {' / '.join(f'{largest(c):.3f}' for c in over)}"

    return (
        "coefficient of variation of single runs of Vegas: on the wire "
        f"{of(v.of.wired, 'mbps', RATIOS[1:])} (2:1 to 16:1); over the air "
        f"{of(v.of.runs, GOODPUT, AGGREGATED)} (A-MSDU / A-MPDU / both); "
        "ups and downs from ratio to ratio: P-vegas-unstable"
    )


SIZES = (
    Finding(
        "T5-steady",
        "increasing the A-MPDU size steadily improves throughput for BBRv3, Cubic, and NewReno",
        "4.2 Varying A-MPDU; poster",
        lambda v: all(steady(v, cc) for cc in BUSY),
        told(by_size(*BUSY), *(gained(a, b, BUSY) for a, b in STEPS)),
        m.sizes,
        "table5",
    ),
    Finding(
        "T5-diminishes",
        "the gains diminish at higher aggregation sizes; gains flatten at 64 KB",
        "4.2 Varying A-MPDU; poster",
        lambda v: all(diminish(v, cc) for cc in BUSY),
        told(by_size(*BUSY), gained(32, 64, BUSY)),
        m.sizes,
        "table5",
    ),
    Finding(
        "T5-newreno-8",
        "NewReno exhibits slightly stronger throughput gains at 8 KB aggregation compared to the "
        "others",
        "4.2 Varying A-MPDU",
        lambda v: all(more(v.ahead("newreno", cc, 8), 0.05) for cc in ("cubic", "bbr3")),
        lambda v: (
            "NewReno at 8 KB more than "
            + ", ".join(f"{cc} by {percent(v.ahead('newreno', cc, 8))}" for cc in ("cubic", "bbr3"))
        ),
        m.newreno_8,
        "table5",
    ),
    Finding(
        "T5-newreno-8-why",
        "suggesting that even moderate aggregation significantly benefits its loss-recovery "
        "behaviour",
        "4.2 Varying A-MPDU",
        # Of what it lost at 4 KB, less is to be repaired at 8 KB.
        lambda v: less(v.gain("newreno", 4, 8, "retransmissions"), -SEEN),
        lambda v: (
            f"NewReno's retransmissions {v.sizes('retransmissions', 'newreno', 0)}, from 4 to 8 KB "
            f"{percent(v.gain('newreno', 4, 8, 'retransmissions'))}"
        ),
        m.newreno_8,
        "wifi-sizes",
    ),
    Finding(
        "T5-newreno-response",
        "NewReno ... showed ... a strong response to increasing A-MPDU sizes",
        "5.1",
        lambda v: more(v.gain("newreno", 4, 64), 0.25),
        told(by_size("newreno"), gained(4, 64, ("newreno",))),
        m.sizes,
        "table5",
    ),
    Finding(
        "T5-vegas-falls",
        "Vegas ... throughput decreases as aggregation increases up to 16 KB, after which it "
        "stabilizes",
        "4.2 Varying A-MPDU; poster",
        lambda v: (
            all(less(v.gain("vegas", a, b), -0.02) for a, b in STEPS[:2])
            and more(v.gain("vegas", 32, 64), -0.02)
            and less(v.gain("vegas", 32, 64), 0.02)
        ),
        told(by_size("vegas"), *(gained(a, b, ("vegas",)) for a, b in STEPS)),
        m.vegas_sizes,
        "table5",
    ),
    Finding(
        "T5-vegas-sensitivity",
        "[Vegas falls] may be attributed to Vegas's heightened sensitivity to aggregation-induced "
        "queuing delays, which causes premature window reductions",
        "4.2 Varying A-MPDU",
        # Its RTT grows with the limit, and its window falls, as no other's does.
        lambda v: (
            more(v.gain("vegas", 4, 16, "rtt_mean_ms"), RTT_FELT)
            and less(v.gain("vegas", 4, 16, "cwnd_mean_packets"), -0.02)
            and not any(less(v.gain(cc, 4, 16, "cwnd_mean_packets"), -0.02) for cc in BUSY)
        ),
        lambda v: "; ".join(
            f"{cc} from 4 to 16 KB: mean RTT {percent(v.gain(cc, 4, 16, 'rtt_mean_ms'))}, window "
            f"{percent(v.gain(cc, 4, 16, 'cwnd_mean_packets'))}"
            for cc in ALL
        ),
        m.vegas_felt,
        "wifi-sizes",
    ),
    Finding(
        "T5-vegas-why",
        "The burstiness introduced by larger A-MPDUs may briefly overload buffers and inflate RTT "
        "estimates, triggering Vegas's conservative congestion response",
        "4.2 Varying A-MPDU; poster",
        lambda v: (
            # The response with its cause: bursts, then longer RTTs, then less throughput.
            bursts_felt(v, 4, 16) and less(v.gain("vegas", 4, 16), -0.02)
        ),
        _felt(4, 16),
        m.vegas_felt,
        "wifi-sizes",
    ),
    Finding(
        "T5-overhead",
        "larger A-MPDU aggregation reduces MAC overhead by amortizing headers, contention "
        "backoffs, and inter-frame gaps across multiple frames",
        "4.2 Varying A-MPDU; poster",
        lambda v: all(less(v.gain(cc, 4, 64, "contention_share"), -0.4) for cc in BUSY),
        gained(4, 64, BUSY, "contention_share"),
        m.sizes,
        "wifi-sizes",
    ),
    Finding(
        "T5-depends",
        "the extent of the benefit depends on the congestion control algorithm's sensitivity to "
        "burstiness and RTT variability",
        "4.2 Varying A-MPDU",
        lambda v: (
            # Vegas, the sensitive one, gains less than each other, and feels the bursts.
            all(more(minus(growth(v, cc), growth(v, "vegas")), SEEN) for cc in BUSY)
            and bursts_felt(v, 4, 64)
        ),
        told(gained(4, 64, ALL), _felt(4, 64)),
        m.vegas_benefit,
        "table5",
    ),
    Finding(
        "C-vegas-unpredictable",
        "Vegas ... consistently showed unpredictable behaviour under both aggregation types",
        "5.1; poster",
        lambda v: (
            unpredictable(v.of.wired, v.stack, "mbps", RATIOS[1:])
            and unpredictable(v.of.runs, v.stack, GOODPUT, AGGREGATED)
        ),
        _scatter,
        m.vegas_scatter,
        "wifi-runs",
    ),
)
