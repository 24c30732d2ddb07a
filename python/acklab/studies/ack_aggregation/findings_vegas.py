"""The findings about Vegas's throughput: Table 1 and Figure 2d."""

from __future__ import annotations

from statistics import stdev

from acklab.stats import Estimate
from acklab.studies import runs
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import SEEN, Finding, ratios, row
from acklab.studies.ack_aggregation.findings_throughput import mbps
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.runs import APART, changed, less, more, said


def _spread_over_seeds(v: View, ratio: int) -> float:
    values = list(v.each("mbps", "vegas", ratio).values())
    return stdev(values) if len(values) > 1 else 0.0


def extra_delay(v: View, ratio: int) -> float:
    """What Vegas takes for its queue's delay, ms: RTT less the smallest one."""
    now, base = (v.of.why.at(f"vegas/{q}", v.stack, "vegas", ratio) for q in ("rtt_ms", "base_ms"))
    return now - base


def over_half_of_cubics(v: View) -> Estimate:
    """Vegas's throughput at 1:1 less half of CUBIC's, seed by seed, Mbit/s."""
    half = {seed: mbps / 2 for seed, mbps in v.each("mbps", "cubic", 1).items()}
    return runs.minus(v.each("mbps", "vegas", 1), half)


VEGAS = (
    Finding(
        "T1-vegas-baseline",
        "[Vegas:] Under no aggregation, it performs poorly, reaching only about 1.8 Mbps",
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
        lambda v: all(
            v.mbps("vegas", r) > 1.5 * v.mbps("vegas", 1) and more(v.change("mbps", "vegas", 1, r))
            for r in (2, 4)
        ),
        lambda v: (
            f"{mbps('vegas')(v)}, more than at 1:1 by {changed(v.change('mbps', 'vegas', 1, 2))} "
            f"and {changed(v.change('mbps', 'vegas', 1, 4))}"
        ),
        loss.vegas_moderate,
        "why-vegas",
    ),
    Finding(
        "T1-vegas-perceived",
        "[Vegas:] Moderate aggregation reduces ... the perceived queuing delay",
        "4.1 Throughput",
        lambda v: max(extra_delay(v, r) for r in (2, 4)) < (1 - SEEN) * extra_delay(v, 1),
        lambda v: (
            "RTT over the smallest one "
            + " / ".join(shown(extra_delay(v, r), 1) for r in (1, 2, 4, 8))
            + " ms at 1:1 to 8:1, one trace"
        ),
        of_runs.vegas_perceived,
        "why-vegas",
    ),
    Finding(
        "T1-vegas-16to1",
        "Surprisingly, at 16:1, Vegas reaches 6 Mbps",
        "4.1 Throughput",
        lambda v: (
            1.5 * v.mbps("vegas", 8) < v.mbps("vegas", 16)
            and more(v.change("mbps", "vegas", 8, 16))
            and v.mbps("vegas", 16) > 5
        ),
        lambda v: (
            f"{mbps('vegas')(v)}, from 8:1 to 16:1 {changed(v.change('mbps', 'vegas', 8, 16))}"
        ),
        loss.vegas_sparsest,
        "why-vegas",
    ),
    Finding(
        "T1-vegas-sparser",
        "[Vegas:] its behaviour becomes less predictable as the ACK feedback becomes sparser",
        "4.1 Throughput; poster",
        # Of runs that differ in the instant of the start alone.
        lambda v: (
            min(_spread_over_seeds(v, r) for r in (8, 16))
            > APART * max(_spread_over_seeds(v, r) for r in (1, 2, 4))
        ),
        lambda v: (
            "standard deviation over starts "
            + ratios(lambda r: _spread_over_seeds(v, r))
            + f" Mbit/s of {mbps('vegas')(v)}"
        ),
        loss.vegas_sparse,
        "why-vegas",
        over_starts=True,
    ),
    Finding(
        "F2-vegas-early",
        "Without aggregation, Vegas reaches only a minimal throughput early on and maintains it",
        "4.1, Fig. 2d",
        lambda v: (
            less(over_half_of_cubics(v))
            and v.mean("reached_s", "vegas", 1) < 5
            and v.mean("rate_variation", "vegas", 1) < SEEN
        ),
        lambda v: (
            f"{said(runs.known(v.each('mbps', 'vegas', 1)))} Mbit/s at 1:1, half of CUBIC's "
            f"exceeded by {changed(over_half_of_cubics(v))}, nine tenths of its last quarter's "
            f"after {v.mean('reached_s', 'vegas', 1):.1f} s, variation "
            f"{v.mean('rate_variation', 'vegas', 1):.3f}"
        ),
        loss.vegas_baseline,
        "why-vegas",
    ),
    Finding(
        "F2-vegas-keeps",
        "At 2:1 and 4:1 ratios, Vegas climbs to higher throughput levels and keeps them stable",
        "4.1, Fig. 2d",
        lambda v: all(
            more(v.change("half_mbps", "vegas", 1, r))
            and v.mean("rate_variation", "vegas", r) < SEEN
            for r in (2, 4)
        ),
        lambda v: (
            f"second half {row(v, 'half_mbps', 'vegas')} Mbit/s, variation "
            f"{row(v, 'rate_variation', 'vegas', 3)}"
        ),
        loss.vegas_moderate,
        "why-vegas",
    ),
    Finding(
        "T1-vegas-8to1",
        "[Vegas:] At 8:1, it increases quickly but then settles at a lower level (2.7 Mbps)",
        "4.1, Fig. 2d",
        # Quickly: counted from the first data, which a held SYN-ACK delays for everyone.
        lambda v: (
            less(v.gain("mbps", "vegas", 4, 8), -0.5)
            and runs.known(v.each("reached_s", "vegas", 8)).high
            < 5 + v.quantity("first_data_s", "vegas", 8)
        ),
        lambda v: (
            f"{mbps('vegas')(v)}, nine tenths of the last quarter's rate after "
            f"{row(v, 'reached_s', 'vegas', 1)} s"
        ),
        loss.vegas_sparse,
        "why-vegas",
    ),
    Finding(
        "F2-vegas-surge",
        "[Vegas at 16:1:] The most aggressive case shows a late surge that eventually reaches 6 "
        "Mbps",
        "4.1, Fig. 2d",
        # Late: not before the middle of the run.
        lambda v: (
            v.mean("reached_s", "vegas", 16) > v.seconds / 2
            and more(v.change("reached_s", "vegas", 8, 16))
            and abs(v.mean("end_mbps", "vegas", 16) / 6 - 1) < SEEN
        ),
        lambda v: (
            f"last quarter {row(v, 'end_mbps', 'vegas')} Mbit/s, nine tenths of it after "
            f"{row(v, 'reached_s', 'vegas', 1)} s"
        ),
        of_runs.vegas_surge,
        "why-vegas",
    ),
)
