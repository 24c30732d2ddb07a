"""The findings about Table 4."""

from __future__ import annotations

from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS as ALL
from acklab.studies.ack_aggregation.findings import SEEN
from acklab.studies.ack_aggregation.wireless import mechanisms as m
from acklab.studies.ack_aggregation.wireless.cells import AGGREGATIONS
from acklab.studies.ack_aggregation.wireless.evidence import GOODPUT, View
from acklab.studies.ack_aggregation.wireless.findings import (
    AGGREGATED,
    BUSY,
    SLIGHT,
    Finding,
    gained,
    goodputs,
    rows,
    told,
)
from acklab.studies.runs import apart, known, less, minus, more, said

#: The mode's rate, Mbit/s.
PHY = 65.0


def burstier(v: View) -> bool:
    """Whether Vegas sends visibly more segments at once in A-MPDUs than in A-MSDUs."""
    return more(v.gain("vegas", "amsdu", "ampdu", "segments_per_access"), SEEN)


def steadier(v: View) -> bool:
    """Whether RTTs of Vegas vary visibly less with A-MSDUs than with A-MPDUs."""
    a, b = (v.each("rtt_deviation_ms", "vegas", how) for how in ("amsdu", "ampdu"))
    return more(minus(b, {seed: (1 + SEEN) * value for seed, value in a.items()}))


def _variability(v: View) -> str:
    """Bursts and RTTs of Vegas by A-MSDU and A-MPDU."""
    parts = (
        f"{title} {said(known(v.each(of, 'vegas', 'amsdu')))} with A-MSDU, "
        f"{said(known(v.each(of, 'vegas', 'ampdu')))} with A-MPDU"
        for title, of in (
            ("segments at once", "segments_per_access"),
            ("standard deviation of the RTT", "rtt_deviation_ms"),
        )
    )
    return "; ".join(parts) + " ms"


THROUGHPUT = (
    Finding(
        "T4-baseline",
        "Across all TCP algorithms, the baseline throughput without MAC-layer aggregation remains "
        "low and nearly identical due to substantial protocol overheads at the MAC layer",
        "4.2 Throughput; poster",
        lambda v: (
            less(apart(v.each(GOODPUT, cc, "none") for cc in ALL), 0.15)
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
        lambda v: all(
            more(g, 1.5) and less(g, 2.5) for g in (v.gain(cc, "none", "amsdu") for cc in BUSY)
        ),
        told(goodputs(*BUSY), gained("none", "amsdu", BUSY)),
        m.gains,
        "table4",
    ),
    Finding(
        "T4-amsdu-why",
        "A-MSDU aggregates multiple MAC Service Data Units ..., reducing header and contention "
        "overhead",
        "4.2 Throughput; poster",
        lambda v: all(
            less(v.gain(cc, "none", "amsdu", share), -0.5)
            for cc in BUSY
            for share in ("contention_share", "mac_ack_share")
        ),
        rows("contention_share", BUSY),
        m.overhead,
        "wifi-airtime",
    ),
    Finding(
        "T4-ampdu-better",
        "A-MPDU aggregation proves even more effective",
        "4.2 Throughput; poster",
        lambda v: all(more(v.gain(cc, "amsdu", "ampdu"), 0.01) for cc in BUSY),
        told(goodputs(*BUSY), gained("amsdu", "ampdu", BUSY)),
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
            more(v.gain(cc, how, "both"), SLIGHT)
            for cc in ALL
            for how in AGGREGATIONS
            if how != "both"
        ),
        told(goodputs(*ALL), gained("ampdu", "both", ALL), gained("amsdu", "both", ALL)),
        m.two_levels_of_all,
        "table4",
    ),
    Finding(
        "T4-ampdu-near",
        "A-MPDU alone offers nearly equivalent gains",
        "4.2 Throughput",
        lambda v: all(more(v.gain(cc, "both", "ampdu"), -0.07) for cc in BUSY),
        told(goodputs(*BUSY), gained("both", "ampdu", BUSY)),
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
        lambda v: all(less(v.ahead("vegas", cc, how), -0.03) for cc in BUSY for how in AGGREGATED),
        goodputs(*ALL),
        m.vegas_window,
        "wifi-airtime",
    ),
    Finding(
        "T4-vegas-trend",
        "The delay-based Vegas algorithm follows a similar trend",
        "4.2 Throughput",
        lambda v: all(more(v.gain("vegas", "none", how), SEEN) for how in AGGREGATED),
        told(goodputs("vegas"), *(gained("none", how, ("vegas",)) for how in AGGREGATED)),
        m.vegas_window,
        "table4",
    ),
    Finding(
        "T4-vegas-amsdu",
        "Vegas benefits slightly more from A-MSDU than A-MPDU",
        "4.2 Throughput; poster",
        lambda v: more(v.gain("vegas", "ampdu", "amsdu"), SLIGHT),
        told(goodputs("vegas"), gained("ampdu", "amsdu", ("vegas",))),
        m.vegas_window,
        "table4",
    ),
    Finding(
        "T4-vegas-why",
        "A-MPDU's burstier transmissions introduce more variability into Vegas's RTT measurements",
        "4.2 Throughput; poster",
        lambda v: burstier(v) and steadier(v),
        _variability,
        m.vegas_variance,
        "wifi-runs",
    ),
    Finding(
        "T4-bbr-cubic",
        "BBRv3 and Cubic benefit substantially from MAC-layer aggregation",
        "5.1; 7",
        lambda v: all(more(v.gain(cc, "none", "both"), 0.5) for cc in ("bbr3", "cubic")),
        told(goodputs("bbr3", "cubic"), gained("none", "both", ("bbr3", "cubic"))),
        m.overhead,
        "table4",
    ),
)
