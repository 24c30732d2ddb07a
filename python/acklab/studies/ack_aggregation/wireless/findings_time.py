"""The findings about Figures 5 and 6."""

from __future__ import annotations

from acklab.stats import Estimate
from acklab.studies.ack_aggregation.findings import SEEN
from acklab.studies.ack_aggregation.wireless import mechanisms as m
from acklab.studies.ack_aggregation.wireless.cells import AGGREGATIONS
from acklab.studies.ack_aggregation.wireless.evidence import View
from acklab.studies.ack_aggregation.wireless.findings import (
    AGGREGATED,
    SLIGHT,
    Finding,
    gained,
    rows,
    told,
)
from acklab.studies.runs import beyond, less, more

LOSS_BASED = ("cubic", "newreno")


def _fewer_losses(v: View, cc: str) -> bool:
    """Whether aggregation spares retransmissions."""
    return all(less(v.gain(cc, "none", how, "retransmissions"), -SEEN) for how in AGGREGATED)


def retreat(v: View, how: str) -> Estimate:
    """By what share the largest window of Vegas exceeds that of the second half, seed by seed."""
    return beyond(
        v.each("cwnd_max_packets", "vegas", how), v.each("window_late_packets", "vegas", how)
    )


OVER_TIME = (
    Finding(
        "F5-bbr-fluctuates",
        "BBRv3 displays greater throughput fluctuations as expected due to its probing cycles",
        "4.2, Fig. 5",
        lambda v: all(
            more(v.ahead("bbr3", cc, how, "rate_swing"), SEEN)
            for cc in LOSS_BASED
            for how in AGGREGATIONS
        ),
        rows("rate_swing", ("bbr3", *LOSS_BASED), 3),
        m.swings,
        "fig5",
    ),
    Finding(
        "F5-loss-stable",
        "both Cubic and NewReno ... exhibit stable throughput once aggregation is enabled, "
        "regardless of aggregation type",
        "4.2, Fig. 5",
        lambda v: all(
            v.at("rate_swing", cc, how) < 0.08 for cc in LOSS_BASED for how in AGGREGATED
        ),
        rows("rate_swing", LOSS_BASED, 3),
        m.swings,
        "fig5",
    ),
    Finding(
        "F5-vegas-overshoot",
        "Vegas initially overshoots throughput at the start of each flow but eventually "
        "stabilizes at lower throughput levels across all aggregation configurations",
        "4.2, Fig. 5",
        lambda v: all(v.at("rate_overshoot", "vegas", how) > 1.1 for how in AGGREGATED),
        lambda v: "largest early over late rate " + v.row("rate_overshoot", "vegas", 2),
        m.vegas_window,
        "fig5",
    ),
    Finding(
        "F6-bbr",
        "BBRv3 exhibits frequent congestion window adjustments",
        "4.2, Fig. 6",
        lambda v: all(v.at("window_swing", "bbr3", how) > 0.02 for how in AGGREGATIONS),
        rows("window_swing", ("bbr3",), 3),
        m.bbr_window,
        "fig6",
    ),
    Finding(
        "F6-cubic-fixed",
        "Cubic rapidly stabilizes at a fixed congestion window size across all aggregation schemes",
        "4.2, Fig. 6",
        lambda v: all(v.at("window_swing", "cubic", how) < 0.01 for how in AGGREGATIONS),
        rows("window_swing", ("cubic",), 3),
        m.windows,
        "fig6",
    ),
    Finding(
        "F6-cubic-larger",
        "its steady-state congestion window is slightly larger when aggregation is enabled",
        "4.2, Fig. 6",
        lambda v: all(
            more(g, SLIGHT) and less(g, 0.3)
            for g in (v.gain("cubic", "none", how, "window_late_packets") for how in AGGREGATED)
        ),
        told(
            rows("window_late_packets", ("cubic",), 1),
            *(gained("none", how, ("cubic",), "window_late_packets") for how in AGGREGATED),
        ),
        m.windows,
        "fig6",
    ),
    Finding(
        "F6-cubic-why",
        "likely due to reduced loss rates and more efficient data delivery per RTT cycle",
        "4.2, Fig. 6",
        lambda v: _fewer_losses(v, "cubic"),
        rows("retransmissions", ("cubic",), 1),
        m.windows,
        "fig6",
    ),
    Finding(
        "F6-newreno-linear",
        "NewReno demonstrates a continuous and linear congestion window growth throughout the "
        "experiments",
        "4.2, Fig. 6",
        lambda v: all(0.6 < v.at("window_bend", "newreno", how) < 1.4 for how in AGGREGATIONS),
        rows("window_bend", ("newreno",)),
        m.newreno_growth,
        "fig6",
    ),
    Finding(
        "F6-newreno-steeper",
        "When either A-MPDU or A-MSDU is enabled, NewReno's window growth becomes steeper than in "
        "the baseline",
        "4.2, Fig. 6",
        lambda v: all(
            more(v.gain("newreno", "none", how, "window_growth_packets_per_s"), SEEN)
            for how in AGGREGATED
        ),
        rows("window_growth_packets_per_s", ("newreno",), 1),
        m.newreno_growth,
        "fig6",
    ),
    Finding(
        "F6-newreno-why",
        "reflecting the benefits of reduced packet loss",
        "4.2, Fig. 6",
        lambda v: _fewer_losses(v, "newreno"),
        rows("retransmissions", ("newreno",), 1),
        m.newreno_growth,
        "fig6",
    ),
    Finding(
        "F6-vegas",
        "with aggregation enabled, it initially builds up the congestion window rapidly but "
        "quickly retreats to a lower, stable window size",
        "4.2, Fig. 6",
        lambda v: all(
            more(retreat(v, how), 0.2) and v.at("window_swing", "vegas", how) < 0.1
            for how in AGGREGATED
        ),
        lambda v: (
            f"largest {v.row('cwnd_max_packets', 'vegas', 0)}, late "
            f"{v.row('window_late_packets', 'vegas', 1)} packets"
        ),
        m.vegas_window,
        "fig6",
    ),
    Finding(
        "F6-vegas-why",
        "This behaviour reflects Vegas's early detection of queuing delay induced by aggregated "
        "bursts",
        "4.2, Fig. 6",
        # It sends in larger bursts, measures a longer RTT, and is back from its largest window.
        lambda v: all(
            more(v.gain("vegas", "none", how, "segments_per_access"), SEEN)
            and more(v.gain("vegas", "none", how, "rtt_mean_ms"), SEEN)
            and more(retreat(v, how), 0.2)
            for how in AGGREGATED
        ),
        lambda v: (
            f"segments per access {v.row('segments_per_access', 'vegas', 2)}, mean RTT "
            f"{v.row('rtt_mean_ms', 'vegas', 2)} ms"
        ),
        m.vegas_window,
        "wifi-airtime",
    ),
)
