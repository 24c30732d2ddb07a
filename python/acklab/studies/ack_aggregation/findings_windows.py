"""The findings about one flow's congestion window: Figure 3."""

from __future__ import annotations

from collections.abc import Callable

from acklab.studies.ack_aggregation import mechanisms as m
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.findings import AGGREGATED, RATIOS, SEEN, Finding, row
from acklab.studies.ack_aggregation.teeth import TURN
from acklab.studies.ack_aggregation.traces import TRACED
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.runs import less, more, percent

#: Times are multiples of 0.1 s, which is about this share of the shortest period (2.8 s): teeth
#: cannot be told to differ by less.
RESOLVED = 0.03


def varies(cc: str) -> Callable[[View], str]:
    """Coefficient of variation of the window by ratio."""
    return lambda v: "variation " + row(v, "window_variation", cc, 3)


def falls_in_probe_rtt(v: View) -> bool:
    """Whether BBRv3 visits PROBE_RTT, and its window is smaller there."""
    return all(
        v.of.why.at("bbr/probe_rtt_visits", v.stack, "bbr3", r) > 0
        and v.of.why.at("bbr/probe_rtt_window_share", v.stack, "bbr3", r) < 1 - SEEN
        for r in TRACED[v.stack]
    )


def predictable(v: View, other: str, ratio: int) -> bool:
    """Whether NewReno's teeth are more alike than those of another, in length and in height."""
    return all(
        less(v.excess(quantity, "newreno", other, ratio), -than)
        for quantity, than in (("period_variation", RESOLVED), ("peak_variation", 0.0))
    )


def gradual(v: View, other: str, ratio: int) -> bool:
    """Whether NewReno's window climbs more slowly than that of another."""
    return less(v.excess("climb_packets_per_s", "newreno", other, ratio))


def toothed(v: View) -> list[int]:
    """The ratios with enough teeth of NewReno's window to tell how much alike they are."""
    return [r for r in RATIOS if v.each("period_variation", "newreno", r)]


def compared(v: View) -> str:
    """At which ratios NewReno's saw tooth is more predictable, and more gradual, than others'."""
    at = toothed(v)
    if not at:
        return "too few teeth to compare"

    def where(of: Callable[[View, str, int], bool], other: str) -> str:
        met = [f"{r}:1" for r in at if of(v, other, r)]
        return f"than {CC_NAMES[other]} at {', '.join(met) or 'none'}"

    told = [
        f"{word} {where(of, 'cubic')}, {where(of, 'bbr3')}"
        for word, of in (("more predictable", predictable), ("more gradual", gradual))
    ]
    numbers = [
        f"{CC_NAMES[cc]}: periods vary by {row(v, 'period_variation', cc)}, peaks by "
        f"{row(v, 'peak_variation', cc, 3)}, climb {row(v, 'climb_packets_per_s', cc, 1)} packets/s"
        for cc in ("newreno", "cubic", "bbr3")
    ]
    return f"compared at {', '.join(f'{r}:1' for r in at)}: {'; '.join([*told, *numbers])}"


WINDOWS = (
    Finding(
        "F3-bbr-fluctuates",
        "[BBRv3:] significant fluctuations in the congestion window across all aggregation ratios "
        "... due to BBR's periodic RTT probing, which temporarily reduces the congestion window",
        "4.1 Congestion window; poster",
        lambda v: (
            all(v.mean("window_variation", "bbr3", r) > SEEN for r in RATIOS)
            and falls_in_probe_rtt(v)
        ),
        varies("bbr3"),
        m.bbr_window,
        "why-bbr",
    ),
    Finding(
        "F3-cubic-cycles",
        "For Cubic, the frequency of growth-collapse cycles appears to increase slightly",
        "4.1 Congestion window",
        lambda v: less(v.change("period_s", "cubic", 1, 8)),
        lambda v: f"from peak to peak {row(v, 'period_s', 'cubic')} s",
        m.cubic_cycles,
        "why-window",
    ),
    Finding(
        "P-cubic-ramp",
        "CUBIC: Typical growth-drop cycles; slower ramp-up with more aggregation",
        "poster",
        lambda v: (
            all(v.mean("teeth", "cubic", r) >= 1 for r in RATIOS)
            and less(
                v.change("climb_packets_per_s", "cubic", 1, 8),
                -SEEN * v.mean("climb_packets_per_s", "cubic", 1),
            )
        ),
        lambda v: (
            f"whole cycles {row(v, 'teeth', 'cubic', 1)} a run, climb "
            f"{row(v, 'climb_packets_per_s', 'cubic')} packets/s"
        ),
        of_runs.cubic_ramp,
        "why-window",
    ),
    Finding(
        "F3-newreno-sawtooth",
        "[NewReno:] a more predictable and gradual sawtooth pattern",
        "4.1 Congestion window",
        # Than what was described before it, BBRv3's and CUBIC's, at more than half of the ratios
        # at which there are teeth to compare.
        lambda v: all(
            2 * sum(predictable(v, other, r) and gradual(v, other, r) for r in toothed(v))
            > len(toothed(v))
            for other in ("cubic", "bbr3")
        ),
        compared,
        of_runs.teeth_compared,
        "why-runs",
    ),
    Finding(
        "P-newreno-teeth",
        "NewReno: Clear sawtooth pattern",
        "poster; 4.1 Congestion window",
        # A saw climbs for most of its period, and its teeth are of one height.
        lambda v: all(
            v.mean("teeth", "newreno", r) >= 2
            and v.mean("climbing", "newreno", r) > 0.5
            and (r not in toothed(v) or v.mean("peak_variation", "newreno", r) < TURN)
            for r in RATIOS
        ),
        lambda v: (
            f"teeth {row(v, 'teeth', 'newreno', 1)} a run, climbing "
            f"{row(v, 'climbing', 'newreno')} of the time, peaks vary by "
            f"{row(v, 'peak_variation', 'newreno', 3)}"
        ),
        m.sawtooth,
        "why-window",
    ),
    Finding(
        "F3-newreno-slower",
        "[NewReno:] As aggregation increases, it takes longer for the cwnd to grow",
        "4.1 Congestion window; poster",
        lambda v: v.growth("newreno", 8) < (1 - SEEN) * v.growth("newreno", 1),
        lambda v: "growth {} / {} / {} packets/s at 1:1, 4:1, 8:1, one trace".format(
            *(shown(v.growth("newreno", r)) for r in (1, 4, 8))
        ),
        m.ack_clock,
        "why-window",
    ),
    Finding(
        "F3-vegas-flat",
        "[Vegas:] the congestion window settles, and there is barely any change in it",
        "4.1 Congestion window; poster",
        lambda v: all(v.mean("window_variation", "vegas", r) < SEEN for r in RATIOS),
        varies("vegas"),
        loss.vegas_flat,
        "why-vegas",
    ),
    Finding(
        "P-vegas-effect",
        "Vegas: cwnd quickly stabilizes and stays flat; aggregation has minimal effect",
        "poster",
        # The effect; that it is flat has a row of its own.
        lambda v: all(
            more(v.gain("window_packets", "vegas", 1, r), -SEEN)
            and less(v.gain("window_packets", "vegas", 1, r), SEEN)
            for r in AGGREGATED
        ),
        lambda v: (
            f"window {row(v, 'window_packets', 'vegas', 1)} packets, against 1:1 "
            + " / ".join(percent(v.gain("window_packets", "vegas", 1, r)) for r in AGGREGATED)
        ),
        loss.vegas_bias,
        "why-vegas",
    ),
)
