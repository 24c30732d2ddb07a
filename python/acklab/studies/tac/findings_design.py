"""Section III.2: what the paper says of TAC itself, but for its timer."""

from __future__ import annotations

from acklab.studies.tac import mechanisms_design as m
from acklab.studies.tac.evidence import View, gain, mean, row
from acklab.studies.tac.findings import (
    A_FEW,
    FAIR,
    Finding,
    Text,
    gain_or_difference,
    near,
    told,
)
from acklab.studies.tac.robust import ERRORS

#: A difference of indices that a figure would show.
_SEEN = 0.01


def cases(quantity: str, *names: str, digits: int = 2, scale: float = 1.0) -> Text:
    """A quantity of some cases of `robust`, as text."""

    def text(v: View) -> str:
        values = row([v.robust(quantity, n) for n in names], digits, scale)
        return f"{values} ({' / '.join(names)})"

    return text


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
            cases("throughput_mbps", "agg, lossy wire", "tac, lossy wire", digits=1),
            "index",
            cases("uploads_jain", "agg, lossy wire", "tac, lossy wire", digits=3),
            "timeouts",
            cases("rtos", "agg, lossy wire", "tac, lossy wire", digits=0),
            "duplicates of two flows that came, and share that TAC dropped, %",
            cases("duplicates_came", "tac, lossy wire", digits=0),
            cases("duplicates_dropped_share", "tac, lossy wire", digits=1, scale=100),
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
            cases("uploads_jain", "agg, downloads", "tac, downloads", digits=3),
            "uploads, Mbit/s",
            cases("uploads_mbps", "agg, downloads", "tac, downloads", digits=1),
            "downloads, Mbit/s",
            cases("downloads_mbps", "agg, downloads", "tac, downloads", digits=1),
            f"criterion: an index of {FAIR}, not less than without TAC, and both directions keep "
            "nine tenths",
        ),
        m.downloads,
        "robust",
        lambda v: _still_fair(v) and _loses(v, "tac, downloads", "agg, downloads") > -0.02,
        opposite=lambda v: _less_fair(v) > _SEEN,
    ),
)
