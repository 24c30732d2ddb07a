"""The findings about one flow: throughput, window, retransmissions."""

from __future__ import annotations

from collections.abc import Callable

from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import Finding, ratios

AGGREGATED = (2, 4, 8, 16)

#: What is true of the whole table once it is seen.
SYN_ACK = (
    "The queue counts the SYN-ACK and its timer does not wake the link, so the handshake waits for "
    "the SYN's timeout of 3 s; 57/60 of the throughput at 1:1 is what is left."
)
TIMER_CAP = (
    "With a segment each 1.2 ms the 5 ms timer releases before the fifth or sixth ACK, so that "
    "8:1 and 16:1 are one run."
)
BBR_RTT = (
    "Traced at 2:1: after a repeated SYN the port's first RTT is that of a SYN sent twice, 3 s: "
    "it paces the "
    "first windows over 2 to 3 s and reaches 8 Mbit/s 15 s after its start only."
)
ACK_CLOCK = "NewReno in ns-3 grows by ACK, not by bytes acknowledged (RFC 3465), so N:1 divides it."
VEGAS = (
    "Conjecture from ns-3's decisions at 1448 B, not traced here: Vegas stops growing where the "
    "bias of its RTT samples alone makes up its target; held ACKs "
    "raise the base RTT and the later ones by different amounts, so the stop moves with the ratio."
)


def mbps(cc: str) -> Callable[[View], str]:
    """Throughput by ratio."""
    return lambda v: ratios(lambda r: v.mbps(cc, r)) + " Mbit/s"


def retx(cc: str) -> Callable[[View], str]:
    """Retransmissions by ratio."""
    return lambda v: ratios(lambda r: v.retx(cc, r), 0) + " segments"


def spread(values: list[float]) -> float:
    """Largest over smallest, less one."""
    return max(values) / max(min(values), 1e-9) - 1


def all_ratios(v: View, cc: str) -> list[float]:
    """Throughput at 1:1 to 16:1."""
    return [v.mbps(cc, r) for r in (1, *AGGREGATED)]


SINGLE = (
    Finding(
        "T1-bbr-drop",
        "For BBRv3, average throughput drops immediately when aggregation is introduced",
        "4.1 Throughput; poster",
        lambda v: v.mbps("bbr3", 2) < 0.9 * v.mbps("bbr3", 1),
        mbps("bbr3"),
        BBR_RTT,
        "mechanism",
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
        BBR_RTT,
        "fig2",
    ),
    Finding(
        "T1-bbr-why",
        "its bandwidth probing is disrupted by the reduced feedback frequency",
        "4.1 Throughput",
        lambda v: v.late_rate("bbr3", 2) < 0.9 * v.late_rate("bbr3", 1),
        lambda v: "second half " + ratios(lambda r: v.late_rate("bbr3", r)) + " Mbit/s",
        "Once the link is full BBRv3 keeps it full at every ratio: the loss is all in the start. "
        + BBR_RTT,
        "fig2",
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
        BBR_RTT,
        "fig2",
    ),
    Finding(
        "F2-bbr-drops",
        "As aggregation increases, the difference in drops becomes higher",
        "4.1, Fig. 2a",
        lambda v: v.swing("bbr3", 16) > 1.2 * v.swing("bbr3", 1),
        lambda v: "variation " + ratios(lambda r: v.swing("bbr3", r), 3),
        "Conjecture, not traced: PROBE_RTT halves the flight every 5 s whatever the ratio; see "
        "Fig. 3.",
        "fig2",
    ),
    Finding(
        "T1-cubic-robust",
        "The average throughput remains close to the baseline for ratios up to 8:1",
        "4.1 Throughput; poster",
        lambda v: all(v.mbps("cubic", r) > 0.9 * v.mbps("cubic", 1) for r in (2, 4, 8)),
        mbps("cubic"),
        "Conjecture, not traced: CUBIC's window is a function of time, not of ACKs.",
        "table1",
    ),
    Finding(
        "T1-cubic-collapse",
        "Only under extreme aggregation does performance degrade significantly, dropping to 1.96",
        "4.1 Throughput; poster",
        lambda v: v.mbps("cubic", 16) < 0.5 * v.mbps("cubic", 8),
        mbps("cubic"),
        TIMER_CAP + " It takes a queue without a working timer (see readings).",
        "mechanism",
    ),
    Finding(
        "T1-cubic-rto",
        "causing longer retransmission timeouts, which lead to the collapse of the congestion "
        "window",
        "4.1 Throughput",
        lambda v: v.quantity("rtos", "cubic", 16) > v.quantity("rtos", "cubic", 1) + 1,
        lambda v: ratios(lambda r: v.quantity("rtos", "cubic", r), 1) + " timeouts",
        "Conjecture, not traced: The timer sees to it that feedback never stops, so no timeout "
        "follows.",
        "mechanism",
    ),
    Finding(
        "F2-cubic-quick",
        "Cubic reaches its optimal throughput of 9 Mbps quickly across most ratios",
        "4.1, Fig. 2b",
        lambda v: all(
            v.time_to(0.9, "cubic", r) < 5 and v.late_rate("cubic", r) > 8.5 for r in (1, 2, 4, 8)
        ),
        lambda v: "90 % after " + ratios(lambda r: v.time_to(0.9, "cubic", r), 1) + " s",
        "Slow start fills the path in a few round trips. 9.03 of 10 Mbit/s is all that segments of "
        "536 B leave after headers; with 1448 B it would be 9.64.",
        "fig2",
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
        ACK_CLOCK,
        "table1",
    ),
    Finding(
        "T1-newreno-2to1",
        "there is a more noticeable drop from the baseline to 2:1 aggregation",
        "4.1 Throughput",
        lambda v: 1 - v.mbps("newreno", 2) / v.mbps("newreno", 1) > 0.03,
        mbps("newreno"),
        SYN_ACK,
        "mechanism",
    ),
    Finding(
        "T1-newreno-16to1",
        "another more pronounced reduction between 8:1 and 16:1",
        "4.1 Throughput; poster",
        lambda v: 1 - v.mbps("newreno", 16) / v.mbps("newreno", 8) > 0.05,
        mbps("newreno"),
        TIMER_CAP,
        "table1",
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
        SYN_ACK + " It is the same for every controller.",
        "mechanism",
    ),
    Finding(
        "F2-newreno-longer",
        "At higher aggregation levels, it takes longer to reach 9 Mbps",
        "4.1, Fig. 2c",
        lambda v: v.time_to(0.95, "newreno", 8) > v.time_to(0.95, "newreno", 2) + 0.2,
        lambda v: "95 % after " + ratios(lambda r: v.time_to(0.95, "newreno", r), 1) + " s",
        ACK_CLOCK,
        "fig2",
    ),
    Finding(
        "F2-newreno-recovers",
        "it recovers slowly and approaches the steady rate of 9 Mbps by the end",
        "4.1, Fig. 2c",
        lambda v: v.late_rate("newreno", 16) > 8.5,
        lambda v: "second half " + ratios(lambda r: v.late_rate("newreno", r)) + " Mbit/s",
        "Conjecture, not traced: The window lies above the BDP before the first half is over.",
        "fig2",
    ),
    Finding(
        "T1-vegas-baseline",
        "Under no aggregation, it performs poorly, reaching only about 1.8 Mbps",
        "4.1 Throughput",
        lambda v: 1.5 < v.mbps("vegas", 1) < 2.1,
        mbps("vegas"),
        "ns-3's default segment of 536 B and delayed ACKs give 1.76 Mbit/s if the flow starts at "
        "2 s sharp. Ten starts within a millisecond of that gave 1.76, 2.81 or 8.81: the thesis "
        "has one phase of a deterministic simulator, not a property of Vegas. " + VEGAS,
        "readings",
    ),
    Finding(
        "T1-vegas-moderate",
        "Moderate aggregation ... allowing Vegas to send data more aggressively",
        "4.1 Throughput; poster",
        lambda v: min(v.mbps("vegas", 2), v.mbps("vegas", 4)) > 1.5 * v.mbps("vegas", 1),
        mbps("vegas"),
        "Traced at 2:1: the repeated SYN makes the first smoothed RTT 2.3 s, and the window "
        "ends at 107 "
        "segments instead of 21. That the slow fall of the smoothed RTT hides the queue is "
        "conjecture.",
        "table1",
    ),
    Finding(
        "T1-vegas-8to1",
        "At 8:1, it increases quickly but then settles at a lower level (2.7 Mbps)",
        "4.1, Fig. 2d",
        lambda v: v.mbps("vegas", 8) < 0.5 * v.mbps("vegas", 4),
        mbps("vegas"),
        VEGAS,
        "fig2",
    ),
    Finding(
        "T1-vegas-16to1",
        "Surprisingly, at 16:1, Vegas reaches 6 Mbps",
        "4.1 Throughput",
        lambda v: 1.5 * v.mbps("vegas", 8) < v.mbps("vegas", 16) and v.mbps("vegas", 16) > 5,
        mbps("vegas"),
        TIMER_CAP + " Where each arrival starts the timer anew, 16:1 is reached and differs.",
        "table1",
    ),
    Finding(
        "T1-newreno-consistent",
        "NewReno shows the most consistent performance across all aggregation levels",
        "4.1 Throughput; poster",
        lambda v: min(PAPER_CONTROLLERS, key=lambda cc: spread(all_ratios(v, cc))) == "newreno",
        lambda v: ", ".join(f"{cc} {spread(all_ratios(v, cc)):.1%}" for cc in PAPER_CONTROLLERS),
        "Conjecture, not traced: CUBIC, which does not count ACKs, varies less.",
        "table1",
    ),
    Finding(
        "F3-bbr-fluctuates",
        "significant fluctuations in the congestion window across all aggregation ratios",
        "4.1 Congestion window; poster",
        lambda v: all(v.window_swing("bbr3", r) > 0.05 for r in (1, *AGGREGATED)),
        lambda v: "variation " + ratios(lambda r: v.window_swing("bbr3", r), 3),
        "Conjecture, not traced: PROBE_RTT every 5 s and the probe for bandwidth, as the thesis "
        "says.",
        "fig3",
    ),
    Finding(
        "F3-cubic-cycles",
        "For Cubic, the frequency of growth-collapse cycles appears to increase slightly",
        "4.1 Congestion window",
        lambda v: (
            v.retx("cubic", 8) > 0 and v.window_swing("cubic", 8) > v.window_swing("cubic", 1)
        ),
        lambda v: "variation " + ratios(lambda r: v.window_swing("cubic", r), 3),
        "Conjecture, not traced: Released bursts overrun the bottleneck's queue earlier; "
        "without loss there is no cycle.",
        "fig3",
    ),
    Finding(
        "F3-newreno-sawtooth",
        "a more predictable and gradual sawtooth pattern",
        "4.1 Congestion window; poster",
        lambda v: v.retx("newreno", 1) > 10 and v.window_swing("newreno", 1) > 0.08,
        lambda v: "variation " + ratios(lambda r: v.window_swing("newreno", r), 3),
        "A sawtooth needs losses; a window limited by 128 KiB of buffer has hardly any.",
        "fig3",
    ),
    Finding(
        "F3-newreno-slower",
        "As aggregation increases, it takes longer for the cwnd to grow",
        "4.1 Congestion window; poster",
        lambda v: (
            v.retx("newreno", 16) < 0.7 * v.retx("newreno", 1)
            or v.window("newreno", 16) < 0.9 * v.window("newreno", 1)
        ),
        lambda v: "mean window " + ratios(lambda r: v.window("newreno", r), 0) + " packets",
        ACK_CLOCK,
        "fig3",
    ),
    Finding(
        "F3-vegas-flat",
        "the congestion window settles, and there is barely any change in it",
        "4.1 Congestion window; poster",
        lambda v: all(v.window_swing("vegas", r) < 0.05 for r in (1, 2, 4, 8)),
        lambda v: "variation " + ratios(lambda r: v.window_swing("vegas", r), 3),
        "Conjecture, not traced: Between its two thresholds Vegas changes nothing.",
        "fig3",
    ),
    Finding(
        "F4-vegas-zero",
        "Vegas stands out with zero retransmissions across all aggregation levels",
        "4.1 Retransmissions",
        lambda v: all(v.retx("vegas", r) < 1.5 for r in (1, *AGGREGATED)),
        retx("vegas"),
        "Conjecture, not traced: Its window never fills the queue. The single one is the SYN.",
        "fig4",
    ),
    Finding(
        "F4-newreno-second",
        "NewReno has the second lowest retransmissions",
        "4.1 Retransmissions",
        lambda v: all(
            v.retx("newreno", r) < min(v.retx("cubic", r), v.retx("bbr3", r))
            for r in (1, *AGGREGATED)
        ),
        retx("newreno"),
        "Conjecture, not traced: Growing by ACK it overshoots less often.",
        "fig4",
    ),
    Finding(
        "F4-cubic-constant",
        "The retransmission count remains roughly consistent across most aggregation ratios",
        "4.1 Retransmissions",
        lambda v: (
            v.retx("cubic", 1) > 5 and spread([v.retx("cubic", r) for r in (1, 2, 4, 8)]) < 0.5
        ),
        retx("cubic"),
        "Conjecture, not traced: One overshoot per cycle, and cycles by time.",
        "fig4",
    ),
    Finding(
        "F4-cubic-16to1",
        "The exception is at 16:1 aggregation, where retransmissions drop sharply",
        "4.1 Retransmissions",
        lambda v: v.retx("cubic", 16) < 0.5 * v.retx("cubic", 8),
        retx("cubic"),
        TIMER_CAP,
        "fig4",
    ),
    Finding(
        "F4-bbr-minimal",
        "Initially, retransmissions are minimal, as BBRv3 quickly converges",
        "4.1 Retransmissions",
        lambda v: v.retx("bbr3", 1) < 0.5 * max(v.retx("cubic", 1), 1),
        retx("bbr3"),
        "Conjecture, not traced: STARTUP overshoots a queue of one BDP; behind a deep one it "
        "does not lose.",
        "fig4",
    ),
    Finding(
        "F4-bbr-noisy",
        "as ACK feedback becomes sparser ... leads to bursts of congestion and packet loss",
        "4.1 Retransmissions",
        lambda v: v.retx("bbr3", 8) > 1.3 * v.retx("bbr3", 1) + 5,
        retx("bbr3"),
        "Conjecture, not traced: each ACK for N segments is answered by a paced burst; the "
        "queue at the bottleneck shows "
        "how far it overshoots.",
        "mechanism",
    ),
    Finding(
        "M-timer",
        "Without this mechanism ... many of the algorithms failed to make progress at higher "
        "suppression ratios",
        "4.1",
        lambda v: v.quantity("released_by_timer", "cubic", 16) > 100,
        lambda v: (
            ratios(lambda r: v.quantity("released_by_timer", "cubic", r), 0) + " timer releases"
        ),
        "A timer that acts bounds the ratio. Where each arrival starts it anew it hardly acts; the "
        "readings `no timer` and `any timer` show who stalls without.",
        "mechanism",
    ),
    Finding(
        "5.2-transparent",
        "an aggregation ratio of 1:1 yields identical results to the baseline",
        "5.2",
        lambda v: all(v.quantity("segments_per_ack", cc, 1) < 2.2 for cc in PAPER_CONTROLLERS),
        lambda v: (
            ratios(lambda r: v.quantity("segments_per_ack", "cubic", r), 1) + " segments per ACK"
        ),
        "True of any queue that passes each packet.",
        "mechanism",
    ),
)
