"""The findings about Table 5: the A-MPDU's limit."""

from __future__ import annotations

from itertools import pairwise

from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS as ALL
from acklab.studies.ack_aggregation.wireless import cells
from acklab.studies.ack_aggregation.wireless import mechanisms as m
from acklab.studies.ack_aggregation.wireless.evidence import GOODPUT, View
from acklab.studies.ack_aggregation.wireless.findings import (
    AGGREGATED,
    BUSY,
    Finding,
    by_size,
    goodputs,
)


def _by_size(v: View, cc: str, quantity: str = GOODPUT) -> list[float]:
    return [v.at(quantity, cc, size) for size in cells.SIZES]


def _steady(values: list[float]) -> bool:
    """Whether they rise, but for half a percent."""
    return all(b > 0.995 * a for a, b in pairwise(values)) and values[-1] > 1.05 * values[0]


SIZES = (
    Finding(
        "T5-steady",
        "increasing the A-MPDU size steadily improves throughput for BBRv3, Cubic, and NewReno",
        "4.2 Varying A-MPDU; poster",
        lambda v: all(_steady(_by_size(v, cc)) for cc in BUSY),
        by_size(*BUSY),
        m.sizes,
        "table5",
    ),
    Finding(
        "T5-diminishes",
        "the gains diminish at higher aggregation sizes; gains flatten at 64 KB",
        "4.2 Varying A-MPDU; poster",
        lambda v: all(
            g[0] > g[1] > max(g[2], g[3]) and g[3] < 0.02 * _by_size(v, cc)[-1]
            for cc in BUSY
            for g in ([b - a for a, b in pairwise(_by_size(v, cc))],)
        ),
        by_size(*BUSY),
        m.sizes,
        "table5",
    ),
    Finding(
        "T5-newreno-8",
        "NewReno exhibits slightly stronger throughput gains at 8 KB aggregation compared to the "
        "others",
        "4.2 Varying A-MPDU",
        lambda v: v.mbps("newreno", 8) > 1.05 * max(v.mbps("cubic", 8), v.mbps("bbr3", 8)),
        by_size(*BUSY),
        m.newreno_8,
        "table5",
    ),
    Finding(
        "T5-newreno-response",
        "NewReno ... showed ... a strong response to increasing A-MPDU sizes",
        "5.1",
        lambda v: v.mbps("newreno", 64) > 1.25 * v.mbps("newreno", 4),
        by_size("newreno"),
        m.sizes,
        "table5",
    ),
    Finding(
        "T5-vegas-falls",
        "Vegas ... throughput decreases as aggregation increases up to 16 KB, after which it "
        "stabilizes",
        "4.2 Varying A-MPDU; poster",
        lambda v: (
            v.mbps("vegas", 4) > 1.02 * v.mbps("vegas", 8) > 1.02 * 1.02 * v.mbps("vegas", 16)
            and abs(v.mbps("vegas", 64) / v.mbps("vegas", 32) - 1) < 0.02
        ),
        by_size("vegas"),
        m.vegas_sizes,
        "table5",
    ),
    Finding(
        "T5-vegas-why",
        "The burstiness introduced by larger A-MPDUs may briefly overload buffers and inflate RTT "
        "estimates, triggering Vegas's conservative congestion response",
        "4.2 Varying A-MPDU; poster",
        lambda v: (
            v.at("rtt_p95_ms", "vegas", 16) > 1.05 * v.at("rtt_p95_ms", "vegas", 4)
            and v.mbps("vegas", 16) < 0.98 * v.mbps("vegas", 4)
        ),
        lambda v: f"RTT, 95th percentile {v.sizes('rtt_p95_ms', 'vegas')} ms",
        m.vegas_sizes,
        "wifi-sizes",
    ),
    Finding(
        "T5-overhead",
        "larger A-MPDU aggregation reduces MAC overhead by amortizing headers, contention "
        "backoffs, and inter-frame gaps across multiple frames",
        "4.2 Varying A-MPDU; poster",
        lambda v: all(
            v.at("contention_share", cc, 64) < 0.6 * v.at("contention_share", cc, 4) for cc in BUSY
        ),
        lambda v: "contention, CUBIC " + v.sizes("contention_share", "cubic", 2),
        m.sizes,
        "wifi-sizes",
    ),
    Finding(
        "T5-depends",
        "the extent of the benefit depends on the congestion control algorithm's sensitivity to "
        "burstiness and RTT variability",
        "4.2 Varying A-MPDU",
        lambda v: (
            v.mbps("cubic", 64) / v.mbps("cubic", 4)
            > 1.1 * v.mbps("vegas", 64) / v.mbps("vegas", 4)
        ),
        by_size(*ALL),
        m.vegas_sizes,
        "table5",
    ),
    Finding(
        "C-vegas-unpredictable",
        "Vegas ... consistently showed unpredictable behaviour under both aggregation types",
        "5.1; poster",
        lambda v: any(v.doubt("vegas", how) > 0.03 for how in AGGREGATED),
        lambda v: (
            goodputs("vegas")(v)
            + ", ± "
            + " / ".join(f"{100 * v.doubt('vegas', how):.1f} %" for how in AGGREGATED)
        ),
        m.vegas_window,
        "table4",
    ),
)
