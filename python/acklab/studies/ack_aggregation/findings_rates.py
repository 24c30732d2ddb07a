"""The findings about one flow's throughput over time: Figure 2."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from acklab.studies import runs
from acklab.studies.ack_aggregation import mechanisms as m
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import (
    AGGREGATED,
    RATIOS,
    SEEN,
    Finding,
    ratios,
    row,
)
from acklab.studies.ack_aggregation.findings_throughput import mbps
from acklab.studies.ack_aggregation.tables import BIN_S
from acklab.studies.runs import changed, less, more

#: BBRv3 visits PROBE_RTT every 5 s (draft-ietf-ccwg-bbr, ProbeRTTInterval): what lasts longer was
#: not ended by its probing.
PROBING_S = 5.0


def reached(share: float, cc: str) -> Callable[[View], str]:
    """When a share of the later rate at 1:1 was reached, as text."""

    def at(v: View, ratio: int) -> str:
        t = v.time_to(share, cc, ratio)
        return f"{t:.1f} s" if t < inf else f"not within {v.seconds:g} s"

    return lambda v: f"{share * 100:.0f} % after " + " / ".join(at(v, r) for r in RATIOS)


def pronounced_dip(v: View, ratio: int) -> bool:
    """NewReno's rate falls below half and stays below nine tenths for 5 to 15 s."""
    return (
        v.mean("deepest_dip", "newreno", ratio) > 0.5
        and 5 <= v.mean("longest_dip_s", "newreno", ratio) <= 15
    )


def recovers(v: View) -> bool:
    """NewReno at 16:1 is below the rate for long, and comes back to it."""
    return (
        more(runs.known(v.each("half_mbps", "newreno", 16)), 8.5)
        # Slowly: there is a time below the rate to recover from, and it lasts.
        and more(runs.known(v.each("reached_s", "newreno", 16)), 5.0)
        and more(v.gain("reached_s", "newreno", 1, 16), 0.5)
    )


def converges(v: View) -> bool:
    """BBRv3's rate dips, and is back before it next probes."""
    return all(
        v.mean("dips", "bbr3", r) >= 1
        and v.mean("longest_dip_s", "bbr3", r) <= PROBING_S
        and v.mean("end_mbps", "bbr3", r) > (1 - SEEN) * v.mean("end_mbps", "bbr3", 1)
        for r in RATIOS
    )


def dips(v: View) -> str:
    """How often BBRv3's rate dips, for how long, and where it ends."""
    return (
        f"dips by a tenth and more {row(v, 'dips', 'bbr3', 1)} a run, the longest "
        f"{row(v, 'longest_dip_s', 'bbr3', 1)} s, last quarter {row(v, 'end_mbps', 'bbr3')} "
        "Mbit/s"
    )


def alike(v: View, ratio: int) -> bool:
    """NewReno's throughput is within a tenth of CUBIC's, seed by seed."""
    e = runs.beyond(v.each("mbps", "newreno", ratio), v.each("mbps", "cubic", ratio))
    return more(e, -SEEN) and less(e, SEEN)


RATES = (
    Finding(
        "F2-bbr-slow-start",
        "[BBRv3:] all aggregation ratios result in a slow start, but then they all oscillate "
        "around ... about 9 Mbps",
        "4.1, Fig. 2a",
        lambda v: all(
            more(runs.known(v.each("reached_s", "bbr3", r)), 5.0)
            and more(runs.known(v.each("half_mbps", "bbr3", r)), 8.3)
            for r in AGGREGATED
        ),
        lambda v: (
            f"nine tenths of the last quarter's rate after {row(v, 'reached_s', 'bbr3', 1)} s, "
            f"second half {row(v, 'half_mbps', 'bbr3')} Mbit/s"
        ),
        m.bbr_start,
        "why-bbr",
    ),
    Finding(
        "F2-bbr-recovers",
        "Temporary drops occur, but recovery is consistent ... BBRv3 quickly converges back",
        "4.1, Fig. 2a",
        converges,
        dips,
        of_runs.bbr_dips,
        "why-bbr",
    ),
    Finding(
        "F2-bbr-drops",
        "[BBRv3:] As aggregation increases, the difference in drops becomes higher",
        "4.1, Fig. 2a",
        lambda v: more(v.change("deepest_dip", "bbr3", 1, 16), SEEN),
        lambda v: (
            f"the deepest dip goes down by {row(v, 'deepest_dip', 'bbr3')} of the rate, variation "
            f"of the rate {row(v, 'rate_variation', 'bbr3')}"
        ),
        m.bbr_stalls,
        "why-bbr",
    ),
    Finding(
        "F2-cubic-quick",
        "Cubic reaches its optimal throughput of 9 Mbps quickly across most ratios",
        "4.1, Fig. 2b",
        lambda v: all(
            v.time_to(0.9, "cubic", r) < 5 and v.late_rate("cubic", r) > 8.5 for r in (1, 2, 4, 8)
        ),
        reached(0.9, "cubic"),
        m.quick_start,
        "why-throughput",
    ),
    Finding(
        "F2-cubic-steady",
        "Cubic reaches its optimal throughput ... showing minimal variability",
        "4.1, Fig. 2b",
        lambda v: all(v.mean("rate_variation", "cubic", r) < SEEN for r in (1, 2, 4, 8)),
        lambda v: "variation of the rate " + row(v, "rate_variation", "cubic", 3),
        m.cubic_robust,
        "why-runs",
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
        "[NewReno:] At higher aggregation levels, it takes longer to reach 9 Mbps",
        "4.1, Fig. 2c",
        # By more than a bin of the figure, which is all that its times are known to.
        lambda v: more(v.change("reached_s", "newreno", 2, 8), BIN_S),
        lambda v: (
            f"nine tenths of the last quarter's rate after {row(v, 'reached_s', 'newreno', 1)} s, "
            f"from 2:1 to 8:1 {changed(v.change('reached_s', 'newreno', 2, 8))}"
        ),
        m.newreno_start,
        "why-throughput",
    ),
    Finding(
        "F2-newreno-dip",
        "[NewReno:] in the 16:1 scenario, there is a pronounced drop of around 10 seconds",
        "4.1, Fig. 2c",
        lambda v: pronounced_dip(v, 16) and not pronounced_dip(v, 8),
        lambda v: (
            f"the deepest dip goes down by {row(v, 'deepest_dip', 'newreno')} of the rate, the "
            f"longest lasts {row(v, 'longest_dip_s', 'newreno', 1)} s"
        ),
        m.newreno_recovers,
        "why-throughput",
    ),
    Finding(
        "F2-newreno-recovers",
        "[NewReno at 16:1:] it recovers slowly and approaches the steady rate of 9 Mbps by the end",
        "4.1, Fig. 2c",
        recovers,
        lambda v: (
            f"second half {row(v, 'half_mbps', 'newreno')} Mbit/s, nine tenths of the last "
            f"quarter's rate after {row(v, 'reached_s', 'newreno', 1)} s"
        ),
        m.newreno_recovers,
        "why-throughput",
    ),
    Finding(
        "P-newreno-similar",
        "NewReno: Similar to CUBIC, but recovers after a dip at 16:1",
        "poster",
        lambda v: all(alike(v, r) for r in RATIOS) and pronounced_dip(v, 16) and recovers(v),
        lambda v: (
            f"NewReno {mbps('newreno')(v)}, CUBIC {mbps('cubic')(v)}, the longest dip of NewReno "
            f"{row(v, 'longest_dip_s', 'newreno', 1)} s"
        ),
        of_runs.newreno_similar,
        "why-throughput",
    ),
)
