"""The findings about one flow's retransmissions, and about the queue that aggregates: Figure 4."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from acklab.stats import Estimate
from acklab.studies.ack_aggregation import mechanisms_acks as acks
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import RATIOS, SEEN, Finding, ratios, row
from acklab.studies.ack_aggregation.findings_rates import PROBING_S
from acklab.studies.ack_aggregation.traces import TRACED
from acklab.studies.runs import (
    apart,
    changed,
    difference,
    known,
    less,
    more,
    percent,
)

#: Fewer segments sent again than this are no count to compare.
SOME = 5


def retx(cc: str) -> Callable[[View], str]:
    """Retransmissions by ratio."""
    return lambda v: ratios(lambda r: v.retx(cc, r), 0) + " segments"


def against(cc: str, since: int, to: int) -> Callable[[View], str]:
    """Retransmissions by ratio, and what is known of a change."""

    def text(v: View) -> str:
        change = changed(v.change("retransmissions", cc, since, to), 1)
        return f"{retx(cc)(v)}, from {since}:1 to {to}:1 {change} without the SYN"

    return text


def duplicates(v: View, ratio: int) -> float:
    """Duplicate ACKs that NewReno's sender received; one trace."""
    return v.of.why.at("acks/duplicates", v.stack, "newreno", ratio)


def _declines(v: View) -> bool:
    counts = [duplicates(v, r) for r in TRACED[v.stack]]
    return all(b <= a for a, b in pairwise(counts)) and counts[-1] < (1 - SEEN) * counts[0]


def drops_sharply(v: View, cc: str) -> bool:
    """Whether at 16:1 less than half as much is sent again as at 8:1, where there is something."""
    return v.mean("retransmissions", cc, 8) > SOME and less(
        v.gain("retransmissions", cc, 8, 16), -0.5
    )


def over_half_of_cubics(v: View) -> Estimate:
    """What BBRv3 sends again at 1:1 less half of what CUBIC does, seed by seed."""
    half = {seed: n / 2 for seed, n in v.each("retransmissions", "cubic", 1).items()}
    return known(difference(v.each("retransmissions", "bbr3", 1), half))


LOSS = (
    Finding(
        "F4-vegas-zero",
        "Vegas stands out with zero retransmissions across all aggregation levels",
        "4.1 Retransmissions",
        # A SYN that is sent again is no segment of data.
        lambda v: all(v.retx("vegas", r) < 1.5 for r in RATIOS),
        retx("vegas"),
        loss.vegas_lossless,
        "why-loss",
    ),
    Finding(
        "F4-newreno-second",
        "NewReno has the second lowest retransmissions",
        "4.1 Retransmissions",
        lambda v: all(
            less(v.excess("retransmissions", "newreno", "cubic", r))
            and less(v.excess("retransmissions", "newreno", "bbr3", r))
            and not more(v.excess("retransmissions", "vegas", "newreno", r))
            for r in RATIOS
        ),
        lambda v: ", ".join(f"{cc} {row(v, 'retransmissions', cc, 0)}" for cc in PAPER_CONTROLLERS),
        loss.newreno_loss,
        "why-loss",
    ),
    Finding(
        "F4-newreno-duplicates",
        "[NewReno:] As aggregation increases, the number of duplicate ACKs received declines",
        "4.1 Retransmissions",
        _declines,
        lambda v: (
            "duplicate ACKs "
            + " / ".join(f"{duplicates(v, r):.0f}" for r in TRACED[v.stack])
            + f" at 1:1 to {TRACED[v.stack][-1]}:1, one trace"
        ),
        of_runs.duplicates,
        "why-acks",
    ),
    Finding(
        "F4-newreno-fast",
        "[NewReno:] the number of duplicate ACKs received declines, making fast retransmit less "
        "likely to trigger",
        "4.1 Retransmissions",
        # If it triggered less likely where something is lost, timeouts would have to repair it.
        lambda v: more(v.change("timeout_share", "newreno", 1, 8)),
        lambda v: (
            f"repaired by timeout {row(v, 'timeout_share', 'newreno')} of {retx('newreno')(v)}, "
            f"recoveries {row(v, 'recoveries', 'newreno', 1)}"
        ),
        of_runs.duplicates,
        "why-acks",
    ),
    Finding(
        "F4-newreno-reliable",
        "NewReno continues to operate reliably without increasing loss",
        "4.1 Retransmissions",
        lambda v: v.change("retransmissions", "newreno", 1, 16).high <= 0,
        against("newreno", 1, 16),
        loss.newreno_loss,
        "why-loss",
    ),
    Finding(
        "F4-cubic-constant",
        "[CUBIC:] The retransmission count remains roughly consistent across most aggregation "
        "ratios",
        "4.1 Retransmissions",
        lambda v: (
            v.mean("retransmissions", "cubic", 1) > SOME
            and less(apart(v.each("retransmissions", "cubic", r) for r in (1, 2, 4, 8)), 0.5)
        ),
        lambda v: (
            f"{retx('cubic')(v)}, up to 8:1 the most exceed the fewest by "
            f"{percent(apart(v.each('retransmissions', 'cubic', r) for r in (1, 2, 4, 8)))}"
        ),
        loss.cubic_loss,
        "why-loss",
    ),
    Finding(
        "F4-cubic-16to1",
        "[CUBIC:] The exception is at 16:1 aggregation, where retransmissions drop sharply",
        "4.1 Retransmissions",
        lambda v: drops_sharply(v, "cubic"),
        against("cubic", 8, 16),
        loss.cubic_loss_16,
        "why-acks",
    ),
    Finding(
        "F4-bbr-minimal",
        "[BBRv3:] Initially, retransmissions are minimal, as BBRv3 quickly converges",
        "4.1 Retransmissions",
        # Not more than half of CUBIC's, which may be none; and it has converged by its first probe.
        lambda v: over_half_of_cubics(v).high <= 0 and v.mean("reached_s", "bbr3", 1) < PROBING_S,
        lambda v: (
            f"{retx('bbr3')(v)}, CUBIC {retx('cubic')(v)}, half of CUBIC's exceeded at 1:1 by "
            f"{changed(over_half_of_cubics(v), 1)}, nine tenths of the last quarter's rate after "
            f"{v.mean('reached_s', 'bbr3', 1):.1f} s"
        ),
        loss.bbr_startup_loss,
        "why-loss",
    ),
    Finding(
        "F4-bbr-estimates",
        "as ACK feedback becomes sparser ... BBRv3's bandwidth and RTT estimation become noisy",
        "4.1 Retransmissions",
        lambda v: all(more(v.change(f"{q}_variation", "bbr3", 1, 8)) for q in ("delivery", "rtt")),
        lambda v: (
            f"samples of the rate vary by {row(v, 'delivery_variation', 'bbr3', 3)}, of the RTT "
            f"by {row(v, 'rtt_variation', 'bbr3', 3)}"
        ),
        of_runs.bbr_estimates,
        "why-loss",
    ),
    Finding(
        "F4-bbr-noisy",
        "[BBRv3:] as ACK feedback becomes sparser ... leads to bursts of congestion and packet "
        "loss",
        "4.1 Retransmissions",
        lambda v: more(
            v.change("retransmissions", "bbr3", 1, 8), SEEN * v.mean("retransmissions", "bbr3", 1)
        ),
        against("bbr3", 1, 8),
        loss.bbr_noisy,
        "why-loss",
    ),
    Finding(
        "F4-bbr-16to1",
        "Yet, at 16:1, BBRv3's retransmissions decrease",
        "4.1 Retransmissions",
        lambda v: less(v.change("retransmissions", "bbr3", 8, 16)),
        against("bbr3", 8, 16),
        of_runs.bbr_loss_16,
        "why-loss",
    ),
    Finding(
        "M-timer",
        "Without this mechanism [the queue's timer] ... many of the algorithms failed to make "
        "progress at higher suppression ratios",
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
