"""The findings about one flow's window and retransmissions: Figures 3 and 4, and the queue."""

from __future__ import annotations

from collections.abc import Callable

from acklab.studies.ack_aggregation import mechanisms as m
from acklab.studies.ack_aggregation import mechanisms_acks as acks
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import Finding, ratios
from acklab.studies.ack_aggregation.findings_throughput import AGGREGATED, spread


def retx(cc: str) -> Callable[[View], str]:
    """Retransmissions by ratio."""
    return lambda v: ratios(lambda r: v.retx(cc, r), 0) + " segments"


WINDOWS = (
    Finding(
        "F3-bbr-fluctuates",
        "significant fluctuations in the congestion window across all aggregation ratios",
        "4.1 Congestion window; poster",
        lambda v: all(v.window_swing("bbr3", r) > 0.05 for r in (1, *AGGREGATED)),
        lambda v: "variation " + ratios(lambda r: v.window_swing("bbr3", r), 3),
        m.bbr_window,
        "why-bbr",
    ),
    Finding(
        "F3-cubic-cycles",
        "For Cubic, the frequency of growth-collapse cycles appears to increase slightly",
        "4.1 Congestion window",
        lambda v: v.cycle("cubic", 8) < 0.97 * v.cycle("cubic", 1),
        lambda v: "a cycle takes " + ratios(lambda r: v.cycle("cubic", min(r, 8))) + " s",
        m.cubic_cycles,
        "why-window",
    ),
    Finding(
        "F3-newreno-sawtooth",
        "a more predictable and gradual sawtooth pattern",
        "4.1 Congestion window; poster",
        lambda v: v.retx("newreno", 1) > 10 and v.window_swing("newreno", 1) > 0.08,
        lambda v: "variation " + ratios(lambda r: v.window_swing("newreno", r), 3),
        m.sawtooth,
        "why-window",
    ),
    Finding(
        "F3-newreno-slower",
        "As aggregation increases, it takes longer for the cwnd to grow",
        "4.1 Congestion window; poster",
        lambda v: v.growth("newreno", 8) < 0.7 * v.growth("newreno", 1),
        lambda v: "growth {:.1f} / {:.1f} / {:.1f} packets/s at 1:1, 4:1, 8:1".format(
            *(v.growth("newreno", r) for r in (1, 4, 8))
        ),
        m.ack_clock,
        "why-window",
    ),
    Finding(
        "F3-vegas-flat",
        "the congestion window settles, and there is barely any change in it",
        "4.1 Congestion window; poster",
        lambda v: all(v.window_swing("vegas", r) < 0.05 for r in (1, 2, 4, 8)),
        lambda v: "variation " + ratios(lambda r: v.window_swing("vegas", r), 3),
        loss.vegas_flat,
        "why-vegas",
    ),
    Finding(
        "F4-vegas-zero",
        "Vegas stands out with zero retransmissions across all aggregation levels",
        "4.1 Retransmissions",
        lambda v: all(v.retx("vegas", r) < 1.5 for r in (1, *AGGREGATED)),
        retx("vegas"),
        loss.vegas_lossless,
        "why-loss",
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
        loss.newreno_loss,
        "why-loss",
    ),
    Finding(
        "F4-cubic-constant",
        "The retransmission count remains roughly consistent across most aggregation ratios",
        "4.1 Retransmissions",
        lambda v: (
            v.retx("cubic", 1) > 5 and spread([v.retx("cubic", r) for r in (1, 2, 4, 8)]) < 0.5
        ),
        retx("cubic"),
        loss.cubic_loss,
        "why-loss",
    ),
    Finding(
        "F4-cubic-16to1",
        "The exception is at 16:1 aggregation, where retransmissions drop sharply",
        "4.1 Retransmissions",
        lambda v: v.retx("cubic", 16) < 0.5 * v.retx("cubic", 8),
        retx("cubic"),
        loss.cubic_loss_16,
        "why-acks",
    ),
    Finding(
        "F4-bbr-minimal",
        "Initially, retransmissions are minimal, as BBRv3 quickly converges",
        "4.1 Retransmissions",
        lambda v: v.retx("bbr3", 1) < 0.5 * max(v.retx("cubic", 1), 1),
        retx("bbr3"),
        loss.bbr_startup_loss,
        "why-loss",
    ),
    Finding(
        "F4-bbr-noisy",
        "as ACK feedback becomes sparser ... leads to bursts of congestion and packet loss",
        "4.1 Retransmissions",
        lambda v: v.retx("bbr3", 8) > 1.3 * v.retx("bbr3", 1) + 5,
        retx("bbr3"),
        loss.bbr_noisy,
        "why-loss",
    ),
    Finding(
        "M-timer",
        "Without this mechanism ... many of the algorithms failed to make progress at higher "
        "suppression ratios",
        "4.1",
        lambda v: sum(v.untimed(cc) < 0.5 * v.mbps(cc, 16) for cc in PAPER_CONTROLLERS) >= 2,
        lambda v: (
            "16:1 without timer "
            + ", ".join(
                f"{cc} {v.untimed(cc):.2f} of {v.mbps(cc, 16):.2f}" for cc in PAPER_CONTROLLERS
            )
            + " Mbit/s"
        ),
        acks.timer,
        "why-acks",
    ),
    Finding(
        "5.2-transparent",
        "an aggregation ratio of 1:1 yields identical results to the baseline",
        "5.2",
        lambda v: all(v.transparent(cc)[2] for cc in PAPER_CONTROLLERS),
        lambda v: (
            ", ".join(
                "{} {:.2f} / {:.2f} Mbit/s".format(cc, *v.transparent(cc)[:2])
                for cc in PAPER_CONTROLLERS
            )
            + " without the queue / with it at 1:1"
        ),
        acks.transparent,
        "why-acks",
    ),
)
