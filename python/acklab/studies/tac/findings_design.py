"""Section III: what the paper says of TAC itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from acklab.studies.runs import Sample, percent
from acklab.studies.tac import mechanisms_design as m
from acklab.studies.tac.evidence import View, gain, mean, row
from acklab.studies.tac.findings import (
    A_FEW,
    FAIR,
    Finding,
    Text,
    falls,
    gain_or_difference,
    near,
    rises,
    told,
)
from acklab.studies.tac.robust import DELAYED_TE_MS, ERRORS, alone, delayed, te

#: "Any critical negative effect": an index below this, or a tenth of the throughput.
_FAIR = 0.95
#: A difference of indices that a figure would show.
_SEEN = 0.01


def _cases(quantity: str, *names: str, digits: int = 2, scale: float = 1.0) -> Text:
    def text(v: View) -> str:
        values = row([v.robust(quantity, n) for n in names], digits, scale)
        return f"{values} ({' / '.join(names)})"

    return text


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


def _harmless(v: View) -> bool:
    """TAC costs neither throughput nor fairness where data are lost on the wire."""
    return (
        _loses(v, "tac, lossy wire", "agg, lossy wire") > -0.02
        and mean(v.robust("uploads_jain", "tac, lossy wire"))
        >= mean(v.robust("uploads_jain", "agg, lossy wire")) - _SEEN
    )


def _less_fair(v: View) -> float:
    """By how much TAC makes the index of uploads fall beside downloads, at least."""
    without, with_it = (v.robust("uploads_jain", f"{s}, downloads") for s in ("agg", "tac"))
    return gain_or_difference(without, with_it)


def _still_fair(v: View) -> bool:
    """Uploads beside downloads are as fair with TAC as the paper has them, and as without it."""
    return mean(v.robust("uploads_jain", "tac, downloads")) >= FAIR and _less_fair(v) <= _SEEN


def _keeps(v: View, quantity: str) -> bool:
    """Whether a direction has nine tenths of what it has without TAC."""
    without, with_it = (mean(v.robust(quantity, f"{s}, downloads")) for s in ("agg", "tac"))
    return with_it >= 0.9 * without


def _of_te(v: View, quantity: str) -> list[Sample]:
    return [v.robust(quantity, name) for name in _te_names(v)]


#: A data packet's MPDU of 1102 B and an ACK's of 78.
_SIZES = 1102 / 78


def errors(v: View, of: str) -> float:
    """MPDUs sent again for bit errors alone, one station; `of` is "" or "_ap"."""
    return mean(v.robust(f"errors_share{of}", ERRORS, 1))


def _ratio_of_errors(v: View) -> float:
    return errors(v, "") / max(errors(v, "_ap"), 1e-9)


def _loses(v: View, case: str, than: str) -> float:
    return gain(v.robust("throughput_mbps", case), v.robust("throughput_mbps", than)).mean


DESIGN = (
    Finding(
        "III-loss",
        "TAC does not discard these duplicate TCP ACKs and it does not make any negative effect "
        "on the "
        "operation of TCP congestion control",
        "III.2.1",
        lambda v: (
            _harmless(v) and mean(v.robust("duplicates_dropped_share", "tac, lossy wire")) < A_FEW
        ),
        told(
            "one data packet in a thousand lost on the wire: Mbit/s",
            _cases("throughput_mbps", "agg, lossy wire", "tac, lossy wire", digits=1),
            "index",
            _cases("uploads_jain", "agg, lossy wire", "tac, lossy wire", digits=3),
            "timeouts",
            _cases("rtos", "agg, lossy wire", "tac, lossy wire", digits=0),
            "duplicates of two flows that came, and share that TAC dropped, %",
            _cases("duplicates_came", "tac, lossy wire", digits=0),
            _cases("duplicates_dropped_share", "tac, lossy wire", digits=1, scale=100),
        ),
        m.duplicates,
        "robust",
        lambda v: _harmless(v),
    ),
    Finding(
        "III-order",
        "the loss of TCP data packet can be recovered by the MAC-layer retransmission, and "
        "in-order TCP data packets arrive to the AP in bursts",
        "III.2.1",
        lambda v: all(mean(v.ber("fast_retransmissions", "tac", k)) == 0 for k in v.sizes),
        lambda v: (
            "segments that duplicates made a sender repeat, in a run with bit errors, TAC: "
            + row([v.ber("fast_retransmissions", "tac", k) for k in v.sizes], 1)
            + "; segments out of order, %: "
            + row([v.ber("out_of_order_share", "tac", k) for k in v.sizes], 3, 100)
            + f" ({' / '.join(map(str, v.sizes))} KB)"
        ),
        m.in_order,
        "fig6",
        lambda v: all(mean(v.ber("out_of_order_share", "tac", k)) < 1e-3 for k in v.sizes),
    ),
    Finding(
        "III-repeat",
        "the time of MAC-layer retransmission (e.g., several tens of milliseconds) is much shorter "
        "than TCP time-out (e.g., several hundreds of milliseconds)",
        "III.2.2",
        lambda v: all(mean(v.ber("access_delay_max_ap_ms", "tac", k)) < 100 for k in v.sizes),
        lambda v: (
            "the access point's longest wait for the medium, ms, TAC with bit errors: "
            + row([v.ber("access_delay_max_ap_ms", "tac", k) for k in v.sizes], 0)
            + "; mean "
            + row([v.ber("access_delay_ap_ms", "tac", k) for k in v.sizes], 1)
            + f" ({' / '.join(map(str, v.sizes))} KB); criterion: always below 100, or below the "
            "smallest timeout, 200 (partly)"
        ),
        m.repeats,
        "fig6",
        lambda v: all(mean(v.ber("access_delay_max_ap_ms", "tac", k)) < 200 for k in v.sizes),
    ),
    Finding(
        "III-rack-errors",
        "the error rate of RACK is usually lower than that of TCP data packet because the size of "
        "TCP ACK packet … is much smaller than that of TCP data packet … and that the error rate "
        "of A-MPDU sub-frame is usually proportional to the size of sub-frame",
        "III.2.2",
        lambda v: near(_ratio_of_errors(v), _SIZES, 1 / 3),
        lambda v: (
            "one station with bit errors: MPDUs sent again of those that nothing collided with, "
            f"its own and the access point's {errors(v, ''):.1%} and {errors(v, '_ap'):.2%}, "
            f"{_ratio_of_errors(v):.1f} times as many; bytes {_SIZES:.1f} times as many"
        ),
        m.sizes_of_subframes,
        "robust",
        lambda v: _ratio_of_errors(v) > 1,
        of_tcp=False,
    ),
    Finding(
        "III-rack",
        "the loss of RACK can be recovered before TCP time-out occurs",
        "III.2.2",
        lambda v: all(mean(v.ber("rtos", "tac", k)) < 1 for k in v.sizes),
        lambda v: (
            "timeouts in a run with bit errors, TAC: "
            + row([v.ber("rtos", "tac", k) for k in v.sizes], 1)
            + f" ({' / '.join(map(str, v.sizes))} KB)"
        ),
        m.repaired,
        "fig6",
        lambda v: all(
            mean(v.ber("rtos", "tac", k)) < mean(v.ber("rtos", "agg", k)) for k in v.sizes
        ),
    ),
    Finding(
        "III-downloads",
        "TAC works well if downlink TCP flows coexist with uplink TCP flows",
        "III.2.3",
        lambda v: _still_fair(v) and _keeps(v, "uploads_mbps") and _keeps(v, "downloads_mbps"),
        told(
            "index of the uploads",
            _cases("uploads_jain", "agg, downloads", "tac, downloads", digits=3),
            "uploads, Mbit/s",
            _cases("uploads_mbps", "agg, downloads", "tac, downloads", digits=1),
            "downloads, Mbit/s",
            _cases("downloads_mbps", "agg, downloads", "tac, downloads", digits=1),
            f"criterion: an index of {FAIR}, not less than without TAC, and both directions keep "
            "nine tenths",
        ),
        m.downloads,
        "robust",
        lambda v: _still_fair(v) and _loses(v, "tac, downloads", "agg, downloads") > -0.02,
        opposite=lambda v: _less_fair(v) > _SEEN,
    ),
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
            _cases("throughput_mbps", "agg", te(0), digits=3),
            "index",
            _cases("jain", "agg", te(0), digits=4),
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
