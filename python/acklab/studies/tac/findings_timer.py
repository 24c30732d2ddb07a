"""Section III.2.4: what the paper says of TAC's timer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from acklab.studies.runs import Sample, percent
from acklab.studies.tac import mechanisms_design as m
from acklab.studies.tac.evidence import View, gain, mean, row
from acklab.studies.tac.findings import FAIR, Finding, falls, rises, told
from acklab.studies.tac.findings_design import cases
from acklab.studies.tac.robust import DELAYED_TE_MS, alone, delayed, te

#: "Any critical negative effect": an index below this, or a tenth of the throughput.
_FAIR = 0.95


def _te_names(v: View) -> list[str]:
    names = {k[2] for k in v.of.values if k[0] == "robust" and k[2].startswith("tac, Te")}
    return sorted(names, key=lambda n: int(n.split()[2]))


def _te_ms(v: View) -> list[int]:
    return [int(name.split()[2]) for name in _te_names(v)]


def _with_timer(v: View, quantity: str, ms: int, stations: int) -> Sample:
    """With this Te, of a single station or of 20."""
    return v.robust(quantity, alone(ms), 1) if stations == 1 else v.robust(quantity, te(ms))


def _timed(v: View, quantity: str, stations: int, digits: int = 1) -> str:
    """A quantity over values of Te."""
    values = row([_with_timer(v, quantity, ms, stations) for ms in _te_ms(v)], digits)
    return f"{values} (N = {stations}, Te {' / '.join(map(str, _te_ms(v)))} ms)"


def _kept(v: View, ms: int, stations: int) -> float:
    """By what share of the throughput without TAC it is more with this Te."""
    q = "throughput_mbps"
    return gain(_with_timer(v, q, ms, stations), _with_timer(v, q, 0, stations)).mean


def _changed(v: View, stations: int) -> str:
    """That, told of every Te."""
    q, none = "throughput_mbps", _with_timer(v, "throughput_mbps", 0, stations)
    each = ", ".join(
        f"{ms} ms {percent(gain(_with_timer(v, q, ms, stations), none))}" for ms in _te_ms(v) if ms
    )
    return f"N = {stations}, throughput against Te 0: {each}"


def _no_harm(v: View, stations: int, index: float, slower: float, among: Sequence[int]) -> bool:
    """As fair as that with each of these timers, and no more than that slower than without."""
    return all(
        mean(_with_timer(v, "jain", ms, stations)) >= index and _kept(v, ms, stations) > -slower
        for ms in among
    )


def _timers(v: View) -> list[int]:
    return [ms for ms in _te_ms(v) if ms]


def _guided(v: View) -> list[int]:
    """Of those run, the values of Te within the paper's range."""
    return [ms for ms in (5, 20) if ms in _te_ms(v)]


def _appropriate(v: View, stations: int) -> bool:
    return _no_harm(v, stations, FAIR, 0.05, _guided(v))


def _held(v: View, stations: int) -> tuple[Sample, Sample]:
    """The delay of RACKs with the paper's Te and with a large one."""
    short, long = (v.robust("rack_delay_ms", delayed(ms), stations) for ms in DELAYED_TE_MS)
    return short, long


def _watched(v: View) -> list[int]:
    return v.counts(delayed(DELAYED_TE_MS[0]))


def _of_te(v: View, quantity: str) -> list[Sample]:
    return [v.robust(quantity, name) for name in _te_names(v)]


TIMER = (
    Finding(
        "III-zero",
        "The extreme case where Te is zero becomes equivalent to the case where TAC is not "
        "implemented",
        "III.2.4",
        lambda v: (
            v.robust("throughput_mbps", te(0)) == v.robust("throughput_mbps", "agg")
            and v.robust("jain", te(0)) == v.robust("jain", "agg")
        ),
        told(
            "Mbit/s",
            cases("throughput_mbps", "agg", te(0), digits=3),
            "index",
            cases("jain", "agg", te(0), digits=4),
        ),
        m.zero,
        "robust",
    ),
    Finding(
        "III-small",
        "If it is set to a small value, TAC makes the premature decision although subsequent TCP "
        "ACKs will arrive soon, and then, it enqueues redundant RACKs",
        "III.2.4",
        lambda v: all(
            rises(v.robust("filtered_share", te(a)), v.robust("filtered_share", te(b)))
            for a, b in pairwise([0, *(ms for ms in (1, 5) if v.robust("jain", te(ms)))])
        ),
        told(
            lambda v: "ACKs that TAC drops, % " + row(_of_te(v, "filtered_share"), 2, 100),
            lambda v: "(" + " / ".join(_te_names(v)) + ")",
        ),
        m.early,
        "robust",
    ),
    Finding(
        "III-large",
        "if Te is set to a large value, TAC waits for subsequent TCP ACKs long time unnecessarily, "
        "which will increase the delay of RACK transmission",
        "III.2.4",
        lambda v: all(rises(*_held(v, n)) for n in _watched(v)),
        told(
            lambda v: (
                "from a RACK's arrival at the AP to its transmission, ms, Te "
                f"{' / '.join(map(str, DELAYED_TE_MS))} ms: "
                + ", ".join(f"{row(_held(v, n), 1)} (N = {n})" for n in _watched(v))
            ),
            lambda v: f"RTT, ms {_timed(v, 'rtt_mean_ms', 1)}",
            lambda v: _timed(v, "rtt_mean_ms", 20),
            "criterion: that delay is longer with the larger Te at each N (partly: at some)",
        ),
        m.late,
        "robust",
        lambda v: any(rises(*_held(v, n)) for n in _watched(v)),
        opposite=lambda v: all(falls(*_held(v, n)) for n in _watched(v)),
    ),
    Finding(
        "III-timer",
        "However, in both cases, TAC does not result in any critical negative effect on TCP "
        "behaviors",
        "III.2.4",
        lambda v: all(_no_harm(v, n, _FAIR, 0.1, _timers(v)) for n in (1, 20)),
        told(
            lambda v: f"index {_timed(v, 'jain', 20, 3)}",
            lambda v: f"Mbit/s {_timed(v, 'throughput_mbps', 1)}",
            lambda v: _timed(v, "throughput_mbps", 20),
            f"criterion, with one station and with 20, at every Te: an index of {_FAIR}, and at "
            "most a tenth slower than without TAC (Te 0) (partly: at most a quarter, whatever the "
            "index)",
        ),
        m.harmless,
        "robust",
        lambda v: all(_no_harm(v, n, 0.0, 0.25, _timers(v)) for n in (1, 20)),
    ),
    Finding(
        "III-guideline",
        "the appropriate range of Te lies between several milliseconds and a few tens of "
        "milliseconds",
        "III.2.4",
        lambda v: all(_appropriate(v, n) for n in (1, 20)),
        told(
            lambda v: f"index {_timed(v, 'jain', 20, 3)}",
            lambda v: f"Mbit/s {_timed(v, 'throughput_mbps', 1)}",
            lambda v: _changed(v, 1),
            lambda v: _changed(v, 20),
            f"criterion, with 5 and with 20 ms: an index of {FAIR}, and at most 5 % slower than "
            "without TAC (Te 0), with one station and with 20 (partly: with 20)",
        ),
        m.guideline,
        "robust",
        lambda v: _appropriate(v, 20),
    ),
)
