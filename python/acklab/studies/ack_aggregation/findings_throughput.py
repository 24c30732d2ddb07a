"""The findings about one flow's throughput: Table 1 and Figure 2."""

from __future__ import annotations

from collections.abc import Callable

from acklab.studies.ack_aggregation import mechanisms as m
from acklab.studies.ack_aggregation import mechanisms_acks as acks
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import Finding, ratios

AGGREGATED = (2, 4, 8, 16)


def mbps(cc: str) -> Callable[[View], str]:
    """Throughput by ratio."""
    return lambda v: ratios(lambda r: v.mbps(cc, r)) + " Mbit/s"


def spread(values: list[float]) -> float:
    """Largest over smallest, less one."""
    return max(values) / max(min(values), 1e-9) - 1


def all_ratios(v: View, cc: str) -> list[float]:
    """Throughput at 1:1 to 16:1."""
    return [v.mbps(cc, r) for r in (1, *AGGREGATED)]


THROUGHPUT = (
    Finding(
        "T1-bbr-drop",
        "For BBRv3, average throughput drops immediately when aggregation is introduced",
        "4.1 Throughput; poster",
        lambda v: v.mbps("bbr3", 2) < 0.9 * v.mbps("bbr3", 1),
        mbps("bbr3"),
        m.bbr_start,
        "why-bbr",
    ),
    Finding(
        "T1-bbr-stable",
        "it stabilizes afterwards and maintains a consistent average of 6.5 Mbps",
        "4.1 Throughput",
        lambda v: (
            spread([v.mbps("bbr3", r) for r in AGGREGATED]) < 0.05
            and abs(v.mbps("bbr3", 16) - 6.5) < 0.35
        ),
        mbps("bbr3"),
        m.bbr_stable,
        "why-throughput",
    ),
    Finding(
        "T1-bbr-why",
        "its bandwidth probing is disrupted by the reduced feedback frequency",
        "4.1 Throughput",
        lambda v: v.late_rate("bbr3", 2) < 0.9 * v.late_rate("bbr3", 1),
        lambda v: "second half " + ratios(lambda r: v.late_rate("bbr3", r)) + " Mbit/s",
        m.bbr_later,
        "why-throughput",
    ),
    Finding(
        "F2-bbr-slow-start",
        "all aggregation ratios result in a slow start, but then they all oscillate around ... "
        "about 9 Mbps",
        "4.1, Fig. 2a",
        lambda v: (
            all(v.time_to(0.9, "bbr3", r) > 5 for r in AGGREGATED)
            and all(v.late_rate("bbr3", r) > 8.3 for r in AGGREGATED)
        ),
        lambda v: "90 % after " + ratios(lambda r: v.time_to(0.9, "bbr3", r), 1) + " s",
        m.bbr_start,
        "why-bbr",
    ),
    Finding(
        "F2-bbr-drops",
        "As aggregation increases, the difference in drops becomes higher",
        "4.1, Fig. 2a",
        lambda v: v.swing("bbr3", 16) > 1.2 * v.swing("bbr3", 1),
        lambda v: "variation " + ratios(lambda r: v.swing("bbr3", r), 3),
        m.bbr_stalls,
        "why-bbr",
    ),
    Finding(
        "T1-cubic-robust",
        "The average throughput remains close to the baseline for ratios up to 8:1",
        "4.1 Throughput; poster",
        lambda v: all(v.mbps("cubic", r) > 0.9 * v.mbps("cubic", 1) for r in (2, 4, 8)),
        mbps("cubic"),
        m.cubic_robust,
        "why-window",
    ),
    Finding(
        "T1-cubic-collapse",
        "Only under extreme aggregation does performance degrade significantly, dropping to 1.96",
        "4.1 Throughput; poster",
        lambda v: v.mbps("cubic", 16) < 0.5 * v.mbps("cubic", 8),
        mbps("cubic"),
        acks.cubic_collapse,
        "why-acks",
    ),
    Finding(
        "T1-cubic-rto",
        "causing longer retransmission timeouts, which lead to the collapse of the congestion "
        "window",
        "4.1 Throughput",
        lambda v: v.quantity("rtos", "cubic", 16) > v.quantity("rtos", "cubic", 1) + 1,
        lambda v: ratios(lambda r: v.quantity("rtos", "cubic", r), 1) + " timeouts",
        acks.cubic_timeouts,
        "why-acks",
    ),
    Finding(
        "F2-cubic-quick",
        "Cubic reaches its optimal throughput of 9 Mbps quickly across most ratios",
        "4.1, Fig. 2b",
        lambda v: all(
            v.time_to(0.9, "cubic", r) < 5 and v.late_rate("cubic", r) > 8.5 for r in (1, 2, 4, 8)
        ),
        lambda v: "90 % after " + ratios(lambda r: v.time_to(0.9, "cubic", r), 1) + " s",
        m.quick_start,
        "why-throughput",
    ),
    Finding(
        "T1-newreno-decline",
        "NewReno's average throughput gradually decreases",
        "4.1 Throughput",
        lambda v: (
            all(
                b <= a + 0.005
                for a, b in zip(
                    all_ratios(v, "newreno"), all_ratios(v, "newreno")[1:], strict=False
                )
            )
            and v.mbps("newreno", 16) < 0.995 * v.mbps("newreno", 1)
        ),
        mbps("newreno"),
        m.newreno_decline,
        "why-window",
    ),
    Finding(
        "T1-newreno-2to1",
        "there is a more noticeable drop from the baseline to 2:1 aggregation",
        "4.1 Throughput",
        lambda v: 1 - v.mbps("newreno", 2) / v.mbps("newreno", 1) > 0.03,
        mbps("newreno"),
        m.handshake,
        "why-throughput",
    ),
    Finding(
        "T1-newreno-16to1",
        "another more pronounced reduction between 8:1 and 16:1",
        "4.1 Throughput; poster",
        lambda v: 1 - v.mbps("newreno", 16) / v.mbps("newreno", 8) > 0.05,
        mbps("newreno"),
        m.newreno_16,
        "why-acks",
    ),
    Finding(
        "F2-newreno-5s",
        "NewReno starts ramping up around 5 seconds",
        "4.1, Fig. 2c",
        lambda v: all(2.5 < v.quantity("first_data_s", "newreno", r) < 4 for r in AGGREGATED),
        lambda v: (
            "first data after "
            + ratios(lambda r: v.quantity("first_data_s", "newreno", r), 1)
            + " s of the flow's start at 2 s"
        ),
        m.handshake,
        "why-throughput",
    ),
    Finding(
        "F2-newreno-longer",
        "At higher aggregation levels, it takes longer to reach 9 Mbps",
        "4.1, Fig. 2c",
        lambda v: v.time_to(0.95, "newreno", 8) > v.time_to(0.95, "newreno", 2) + 0.2,
        lambda v: "95 % after " + ratios(lambda r: v.time_to(0.95, "newreno", r), 1) + " s",
        m.newreno_start,
        "why-throughput",
    ),
    Finding(
        "F2-newreno-recovers",
        "it recovers slowly and approaches the steady rate of 9 Mbps by the end",
        "4.1, Fig. 2c",
        # Slowly: there is a time below the rate to recover from, and it lasts.
        lambda v: (
            v.late_rate("newreno", 16) > 8.5
            and v.time_to(0.9, "newreno", 16) > max(5.0, 1.5 * v.time_to(0.9, "newreno", 1))
        ),
        lambda v: (
            "second half "
            + ratios(lambda r: v.late_rate("newreno", r))
            + " Mbit/s, 90 % of it after "
            + ratios(lambda r: v.time_to(0.9, "newreno", r), 1)
            + " s"
        ),
        m.newreno_recovers,
        "why-throughput",
    ),
    Finding(
        "T1-vegas-baseline",
        "Under no aggregation, it performs poorly, reaching only about 1.8 Mbps",
        "4.1 Throughput",
        lambda v: 1.5 < v.mbps("vegas", 1) < 2.1,
        mbps("vegas"),
        loss.vegas_baseline,
        "why-vegas",
    ),
    Finding(
        "T1-vegas-moderate",
        "Moderate aggregation ... allowing Vegas to send data more aggressively",
        "4.1 Throughput; poster",
        lambda v: min(v.mbps("vegas", 2), v.mbps("vegas", 4)) > 1.5 * v.mbps("vegas", 1),
        mbps("vegas"),
        loss.vegas_moderate,
        "why-vegas",
    ),
    Finding(
        "T1-vegas-8to1",
        "At 8:1, it increases quickly but then settles at a lower level (2.7 Mbps)",
        "4.1, Fig. 2d",
        lambda v: v.mbps("vegas", 8) < 0.5 * v.mbps("vegas", 4),
        mbps("vegas"),
        loss.vegas_sparse,
        "why-vegas",
    ),
    Finding(
        "T1-vegas-16to1",
        "Surprisingly, at 16:1, Vegas reaches 6 Mbps",
        "4.1 Throughput",
        lambda v: 1.5 * v.mbps("vegas", 8) < v.mbps("vegas", 16) and v.mbps("vegas", 16) > 5,
        mbps("vegas"),
        loss.vegas_sparsest,
        "why-vegas",
    ),
    Finding(
        "T1-newreno-consistent",
        "NewReno shows the most consistent performance across all aggregation levels",
        "4.1 Throughput; poster",
        lambda v: min(PAPER_CONTROLLERS, key=lambda cc: spread(all_ratios(v, cc))) == "newreno",
        lambda v: ", ".join(f"{cc} {spread(all_ratios(v, cc)):.1%}" for cc in PAPER_CONTROLLERS),
        m.consistent,
        "why-throughput",
    ),
)
