"""The findings about Table 4."""

from __future__ import annotations

from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS as ALL
from acklab.studies.ack_aggregation.findings_throughput import spread
from acklab.studies.ack_aggregation.wireless import mechanisms as m
from acklab.studies.ack_aggregation.wireless.cells import AGGREGATIONS
from acklab.studies.ack_aggregation.wireless.evidence import View
from acklab.studies.ack_aggregation.wireless.findings import (
    AGGREGATED,
    BUSY,
    Finding,
    goodputs,
    rows,
)

#: The mode's rate, Mbit/s.
PHY = 65.0


def vegas_spread(v: View, how: str) -> float:
    """By how much the RTT of Vegas, 95th percentile, exceeds the smallest, ms."""
    return v.at("rtt_p95_ms", "vegas", how) - v.at("rtt_min_ms", "vegas", how)


THROUGHPUT = (
    Finding(
        "T4-baseline",
        "Across all TCP algorithms, the baseline throughput without MAC-layer aggregation remains "
        "low and nearly identical due to substantial protocol overheads at the MAC layer",
        "4.2 Throughput; poster",
        lambda v: (
            spread([v.mbps(cc, "none") for cc in ALL]) < 0.15
            and all(v.mbps(cc, "none") < PHY / 2 for cc in ALL)
        ),
        goodputs(*ALL),
        m.overhead,
        "wifi-airtime",
    ),
    Finding(
        "T4-amsdu-three",
        "Enabling A-MSDU aggregation alone increases throughput three times compared to the "
        "baseline",
        "4.2 Throughput; poster",
        lambda v: all(2.5 < v.mbps(cc, "amsdu") / v.mbps(cc, "none") < 3.5 for cc in BUSY),
        goodputs(*BUSY),
        m.gains,
        "table4",
    ),
    Finding(
        "T4-amsdu-why",
        "A-MSDU aggregates multiple MAC Service Data Units ..., reducing header and contention "
        "overhead",
        "4.2 Throughput; poster",
        lambda v: all(
            v.at("contention_share", cc, "amsdu") < 0.5 * v.at("contention_share", cc, "none")
            and v.at("mac_ack_share", cc, "amsdu") < 0.5 * v.at("mac_ack_share", cc, "none")
            for cc in BUSY
        ),
        rows("contention_share", BUSY),
        m.overhead,
        "wifi-airtime",
    ),
    Finding(
        "T4-ampdu-better",
        "A-MPDU aggregation proves even more effective",
        "4.2 Throughput; poster",
        lambda v: all(v.mbps(cc, "ampdu") > 1.01 * v.mbps(cc, "amsdu") for cc in BUSY),
        goodputs(*BUSY),
        m.two_levels,
        "table4",
    ),
    Finding(
        "T4-both-41",
        "two-level aggregation ... throughput reaches approximately 41 Mbps",
        "4.2 Throughput; poster",
        lambda v: all(39 < v.mbps(cc, "both") < 43 for cc in BUSY),
        goodputs(*BUSY),
        m.gains,
        "table4",
    ),
    Finding(
        "T4-both-highest",
        "enabling both A-MSDU and A-MPDU aggregation yields the highest throughput efficiency; "
        "offers the best performance across all TCP variants",
        "4.2 Throughput, 5, 7; poster",
        lambda v: all(
            v.mbps(cc, "both") >= 0.995 * max(v.mbps(cc, how) for how in AGGREGATIONS) for cc in ALL
        ),
        goodputs(*ALL),
        m.two_levels,
        "table4",
    ),
    Finding(
        "T4-ampdu-near",
        "A-MPDU alone offers nearly equivalent gains",
        "4.2 Throughput",
        lambda v: all(v.mbps(cc, "ampdu") > 0.93 * v.mbps(cc, "both") for cc in BUSY),
        goodputs(*BUSY),
        m.two_levels,
        "table4",
    ),
    Finding(
        "T4-theory",
        "throughput gains approaching the theoretical maximum of the 65 Mbps PHY rate",
        "5; 7",
        lambda v: all(v.mbps(cc, "both") > 0.85 * PHY for cc in BUSY),
        goodputs(*BUSY),
        m.two_levels,
        "wifi-airtime",
    ),
    Finding(
        "T4-overhead",
        "Without aggregation, each frame incurs full MAC overhead (headers, inter-frame spaces, "
        "backoff delays), which severely limits efficiency",
        "4.2 Throughput",
        lambda v: all(
            v.at("data_share", cc, "none") < 0.5 and v.at("data_share", cc, "both") > 0.7
            for cc in BUSY
        ),
        rows("data_share", BUSY),
        m.overhead,
        "wifi-airtime",
    ),
    Finding(
        "T4-vegas-lower",
        "Vegas ... consistently achieves lower throughput than the other variants under all "
        "aggregation schemes",
        "4.2 Throughput; poster",
        lambda v: all(
            v.mbps("vegas", how) < 0.97 * min(v.mbps(cc, how) for cc in BUSY) for how in AGGREGATED
        ),
        goodputs(*ALL),
        m.vegas_window,
        "wifi-airtime",
    ),
    Finding(
        "T4-vegas-trend",
        "The delay-based Vegas algorithm follows a similar trend",
        "4.2 Throughput",
        lambda v: all(v.mbps("vegas", how) > 1.1 * v.mbps("vegas", "none") for how in AGGREGATED),
        goodputs("vegas"),
        m.vegas_window,
        "table4",
    ),
    Finding(
        "T4-vegas-amsdu",
        "Vegas benefits slightly more from A-MSDU than A-MPDU",
        "4.2 Throughput; poster",
        lambda v: v.mbps("vegas", "amsdu") > 1.003 * v.mbps("vegas", "ampdu"),
        goodputs("vegas"),
        m.vegas_window,
        "table4",
    ),
    Finding(
        "T4-vegas-why",
        "A-MPDU's burstier transmissions introduce more variability into Vegas's RTT measurements",
        "4.2 Throughput; poster",
        lambda v: vegas_spread(v, "ampdu") > 1.1 * vegas_spread(v, "amsdu"),
        lambda v: f"RTT, 95th percentile {v.row('rtt_p95_ms', 'vegas')} ms",
        m.vegas_variance,
        "wifi-airtime",
    ),
    Finding(
        "T4-bbr-cubic",
        "BBRv3 and Cubic benefit substantially from MAC-layer aggregation",
        "5.1; 7",
        lambda v: all(v.mbps(cc, "both") > 1.5 * v.mbps(cc, "none") for cc in ("bbr3", "cubic")),
        goodputs("bbr3", "cubic"),
        m.overhead,
        "table4",
    ),
)
