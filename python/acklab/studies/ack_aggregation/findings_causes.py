"""The causes that the thesis gives, where its sentence has one: each is judged beside the finding.

A cause holds where the finding does and what is said to cause it is measured as well.
"""

from __future__ import annotations

from collections.abc import Callable

from acklab.studies.ack_aggregation import mechanisms_causes as causes
from acklab.studies.ack_aggregation import mechanisms_loss as loss
from acklab.studies.ack_aggregation import mechanisms_runs as of_runs
from acklab.studies.ack_aggregation.evidence import View
from acklab.studies.ack_aggregation.findings import SEEN, Finding, row
from acklab.studies.ack_aggregation.findings_loss import against, drops_sharply
from acklab.studies.ack_aggregation.findings_throughput import mbps
from acklab.studies.ack_aggregation.traces import TRACED
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.ack_aggregation.why_acks import MIN_RTO_MS
from acklab.studies.runs import beyond, changed, less, more, percent

_LOSSY = ("newreno", "cubic", "bbr3")
#: Growth per ACK is the same if it differs by less: it is read from a few climbs of one trace.
SAME = 0.25


def _of(v: View, place: str, cc: str, ratio: int) -> float:
    """A number of a trace."""
    return v.of.why.at(place, v.stack, cc, ratio)


def _line(v: View, place: str, cc: str, digits: int = 1) -> str:
    return v.of.why.row(place, v.stack, cc, digits)


def probes_grow(v: View) -> bool:
    """Whether the queue is longer while BBRv3 probes, and its window moves without PROBE_RTT."""
    return all(
        _of(v, "loss/probe_queue_packets", "bbr3", r)
        > (1 + SEEN) * _of(v, "loss/cruise_queue_packets", "bbr3", r)
        and _of(v, "bbr/window_swing_without_probe_rtt", "bbr3", r)
        > SEEN * _of(v, "bbr/window_swing", "bbr3", r)
        for r in TRACED[v.stack]
    )


def misjudged(v: View) -> float:
    """By what share BBRv3 paces beside the link's rate at 8:1, as far as an estimate is off."""
    return _of(v, "loss/cruise_pacing_share", "bbr3", 8) - 1


def silent(v: View, cc: str) -> bool:
    """Whether feedback stops for as long as a timeout takes, at the highest ratio traced."""
    return _of(v, "acks/silence_ms", cc, TRACED[v.stack][-1]) >= MIN_RTO_MS[v.stack]


def _silence(cc: str) -> Callable[[View], str]:
    return lambda v: (
        f"{against(cc, 8, 16)(v)}; longest silence between ACKs at {TRACED[v.stack][-1]}:1 "
        f"{shown(_of(v, 'acks/silence_ms', cc, TRACED[v.stack][-1]), 0)} ms of the "
        f"{MIN_RTO_MS[v.stack]:.0f} ms that a timeout takes"
    )


def _pace(v: View) -> str:
    return f"pace while cruising {_line(v, 'loss/cruise_pacing_share', 'bbr3', 2)} of the link's"


def per_ack(v: View, ratio: int) -> float:
    """NewReno's growth times the segments of an ACK: constant if it grows by the ACK."""
    return v.growth("newreno", ratio) * _of(v, "acks/segments_per_ack", "newreno", ratio)


def paced_by_acks(v: View) -> bool:
    """Whether NewReno grows more slowly the fewer ACKs there are, and alike by the ACK."""
    return (
        v.growth("newreno", 8) < (1 - SEEN) * v.growth("newreno", 1)
        and abs(per_ack(v, 8) / per_ack(v, 1) - 1) < SAME
    )


def pace_of_growth(v: View) -> str:
    """NewReno's growth, and what an ACK stands for."""
    return (
        f"growth {_line(v, 'window/growth_packets_per_s', 'newreno')} packets/s at "
        f"{_line(v, 'acks/segments_per_ack', 'newreno')} segments per ACK, one trace"
    )


CAUSES = (
    Finding(
        "F3-bbr-growth",
        "[BBRv3's window fluctuates due to] its bandwidth probing, which causes growth phases",
        "4.1 Congestion window",
        probes_grow,
        lambda v: (
            f"queue while probing {_line(v, 'loss/probe_queue_packets', 'bbr3')}, while cruising "
            f"{_line(v, 'loss/cruise_queue_packets', 'bbr3')} packets; variation of the window "
            f"{_line(v, 'bbr/window_swing', 'bbr3', 2)}, without PROBE_RTT "
            f"{_line(v, 'bbr/window_swing_without_probe_rtt', 'bbr3', 2)}, one trace"
        ),
        causes.bbr_growth,
        "why-bbr",
    ),
    Finding(
        "F2-bbr-drops-why",
        "[BBRv3: the difference in drops becomes higher,] reflecting possible misestimations of "
        "bottleneck bandwidth",
        "4.1, Fig. 2a",
        lambda v: more(v.change("deepest_dip", "bbr3", 1, 16), SEEN) and abs(misjudged(v)) > SEEN,
        lambda v: f"the deepest dip goes down by {row(v, 'deepest_dip', 'bbr3')}; {_pace(v)}",
        causes.bbr_estimate,
        "why-bbr",
    ),
    Finding(
        "F4-bbr-aggressive",
        "[BBRv3] may mistakenly interpret a lack of feedback as an opportunity to send more "
        "aggressively",
        "4.1 Retransmissions",
        lambda v: (
            more(
                v.change("retransmissions", "bbr3", 1, 8),
                SEEN * v.mean("retransmissions", "bbr3", 1),
            )
            and misjudged(v) > SEEN
        ),
        lambda v: f"{against('bbr3', 1, 8)(v)}; {_pace(v)}",
        causes.bbr_aggressive,
        "why-loss",
    ),
    Finding(
        "F4-cubic-16to1-why",
        "[CUBIC at 16:1:] This drop is likely due not to fewer losses but to insufficient ACK "
        "feedback to detect and react to them",
        "4.1 Retransmissions",
        lambda v: drops_sharply(v, "cubic") and silent(v, "cubic"),
        _silence("cubic"),
        causes.feedback("cubic"),
        "why-acks",
    ),
    Finding(
        "F4-bbr-16to1-why",
        "[BBRv3's retransmissions decrease at 16:1,] likely for the same reason as Cubic's",
        "4.1 Retransmissions",
        lambda v: less(v.change("retransmissions", "bbr3", 8, 16)) and silent(v, "bbr3"),
        _silence("bbr3"),
        causes.feedback("bbr3"),
        "why-acks",
    ),
    Finding(
        "F3-newreno-slower-why",
        "[NewReno: it takes longer for the cwnd to grow] due to the reduced rate of ACK arrivals",
        "4.1 Congestion window; poster",
        paced_by_acks,
        pace_of_growth,
        causes.by_ack,
        "why-window",
    ),
    Finding(
        "F3-vegas-clamps",
        "Without aggregation, Vegas quickly increases its window but then clamps it, and there is "
        "no further change, which results in a lower throughput",
        "4.1 Congestion window",
        lambda v: (
            less(beyond(v.each("mbps", "vegas", 1), v.each("mbps", "cubic", 1)), -SEEN)
            and v.mean("window_variation", "vegas", 1) < SEEN
        ),
        lambda v: (
            f"{mbps('vegas')(v)}, at 1:1 against CUBIC "
            f"{percent(beyond(v.each('mbps', 'vegas', 1), v.each('mbps', 'cubic', 1)))}, window "
            f"{v.mean('window_packets', 'vegas', 1):.1f} packets, varies by "
            f"{v.mean('window_variation', 'vegas', 1):.3f}"
        ),
        loss.vegas_baseline,
        "why-vegas",
    ),
    Finding(
        "F2-vegas-surge-why",
        "[Vegas at 16:1:] misinterpreting the sparsity of ACKs as reduced congestion, thereby "
        "expanding its window more than it normally would",
        "4.1, Fig. 2d",
        lambda v: (
            more(v.gain("window_packets", "vegas", 8, 16), SEEN)
            and _of(v, "vegas/reckoned_packets", "vegas", 16)
            < (1 - SEEN) * _of(v, "vegas/reckoned_packets", "vegas", 8)
        ),
        lambda v: (
            f"window {row(v, 'window_packets', 'vegas', 1)} packets, from 8:1 to 16:1 "
            f"{percent(v.gain('window_packets', 'vegas', 8, 16))}; reckoned as queued "
            f"{_line(v, 'vegas/reckoned_packets', 'vegas')}, one trace"
        ),
        causes.vegas_reckons,
        "why-vegas",
    ),
    Finding(
        "T1-vegas-16to1-why",
        "[Vegas at 16:1:] possibly because the delay signals become so imprecise that Vegas "
        "increases its window more than usual",
        "4.1 Throughput",
        lambda v: (
            more(v.change("rtt_variation", "vegas", 8, 16))
            and more(v.gain("window_packets", "vegas", 8, 16), SEEN)
        ),
        lambda v: (
            f"samples of the RTT vary by {row(v, 'rtt_variation', 'vegas', 3)}, from 8:1 to 16:1 "
            f"{changed(v.change('rtt_variation', 'vegas', 8, 16), 3)}; window "
            f"{row(v, 'window_packets', 'vegas', 1)} packets"
        ),
        of_runs.vegas_rtt,
        "why-runs",
    ),
    Finding(
        "F4-newreno-conservative",
        "Due to its conservative growth and fallback mechanisms, NewReno continues to operate "
        "reliably",
        "4.1 Retransmissions",
        # It grows more slowly than those that lose more, and no aggregation adds timeouts.
        lambda v: (
            all(less(v.excess("climb_packets_per_s", "newreno", o, 1)) for o in ("cubic", "bbr3"))
            and all(less(v.excess("retransmissions", "newreno", o, 1)) for o in ("cubic", "bbr3"))
            and v.change("timeouts", "newreno", 1, 16).high <= 0
        ),
        lambda v: (
            "climb at 1:1 (NewReno / CUBIC / BBRv3) "
            + " / ".join(shown(v.mean("climb_packets_per_s", cc, 1), 1) for cc in _LOSSY)
            + " packets/s; retransmissions "
            + " / ".join(f"{v.mean('retransmissions', cc, 1):.0f}" for cc in _LOSSY)
            + f"; timeouts of NewReno {row(v, 'timeouts', 'newreno', 1)}"
        ),
        loss.newreno_loss,
        "why-loss",
    ),
)
