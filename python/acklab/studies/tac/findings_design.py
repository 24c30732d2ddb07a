"""Section III: what the paper says of TAC itself."""

from __future__ import annotations

from acklab.studies.runs import percent
from acklab.studies.tac import mechanisms as m
from acklab.studies.tac.evidence import View, gain, mean, row
from acklab.studies.tac.findings import FAIR, Finding, Text, gain_or_difference, told
from acklab.studies.tac.robust import te

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
            _loses(v, "tac, lossy wire", "agg, lossy wire") > -0.02
            and mean(v.robust("uploads_jain", "tac, lossy wire"))
            >= mean(v.robust("uploads_jain", "agg, lossy wire")) - 0.01
        ),
        told(
            "one data packet in a thousand lost on the wire: Mbit/s",
            _cases("throughput_mbps", "agg, lossy wire", "tac, lossy wire", digits=1),
            "index",
            _cases("uploads_jain", "agg, lossy wire", "tac, lossy wire", digits=3),
            "timeouts",
            _cases("rtos", "agg, lossy wire", "tac, lossy wire", digits=0),
        ),
        lambda v: (
            "A duplicate is not newer than the held ACK and passes it. The sender takes it for "
            "news "
            "and the held one for the duplicate, so it counts as many duplicates as there were. "
            f"With TAC there are {mean(v.robust('rtos', 'tac, lossy wire')):.0f} timeouts in a "
            f"run, without {mean(v.robust('rtos', 'agg, lossy wire')):.0f}."
        ),
        "robust",
        lambda v: _loses(v, "tac, lossy wire", "agg, lossy wire") > -0.05,
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
        lambda v: (
            "No ACK is lost for good: the MAC repeats it, and ACKs wait "
            f"{mean(v.ber('queue_wait_ms', 'tac', v.sizes[-1])):.0f} ms in the access point "
            f"({v.sizes[-1]} KB). Timeouts come from elsewhere: stations wait up to "
            f"{mean(v.ber('access_delay_max_ms', 'tac', v.sizes[-1])):.0f} ms for the medium."
        ),
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
        lambda v: (
            "Downloads and ACKs share the queue of 200. TAC takes ACKs out before they join, so "
            "that "
            "data find room there: downloads get "
            f"{mean(v.robust('downloads_mbps', 'tac, downloads')):.1f} instead of "
            f"{mean(v.robust('downloads_mbps', 'agg, downloads')):.1f} Mbit/s, of what comes down "
            f"{100 * mean(v.robust('ack_loss_mean', 'tac, downloads')):.1f} instead of "
            f"{100 * mean(v.robust('ack_loss_mean', 'agg, downloads')):.1f} % is lost, and uploads "
            "have what is left of the air."
        ),
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
        lambda v: "With a timer of zero nothing is held: the runs are the same to the byte.",
        "robust",
    ),
    Finding(
        "III-timer",
        "However, in both cases, TAC does not result in any critical negative effect on TCP "
        "behaviors",
        "III.2.4",
        lambda v: all(
            mean(v.robust("jain", name)) >= _FAIR and _loses(v, name, te(5)) > -0.1
            for name in _te_names(v)
            if name != te(0)
        ),
        told(
            lambda v: "index " + row([v.robust("jain", n) for n in _te_names(v)], 3),
            lambda v: "Mbit/s " + row([v.robust("throughput_mbps", n) for n in _te_names(v)], 1),
            lambda v: "(" + " / ".join(_te_names(v)) + ")",
        ),
        m.timer,
        "robust",
        lambda v: all(_loses(v, name, te(5)) > -0.25 for name in _te_names(v) if name != te(0)),
    ),
    Finding(
        "III-guideline",
        "the appropriate range of Te lies between several milliseconds and a few tens of "
        "milliseconds",
        "III.2.4",
        lambda v: all(
            mean(v.robust("jain", name)) >= 0.98 and _loses(v, name, te(5)) > -0.05
            for name in (te(5), te(20))
            if v.robust("jain", name)
        ),
        told(
            lambda v: "index " + row([v.robust("jain", n) for n in _te_names(v)], 3),
            lambda v: (
                "throughput against 5 ms "
                + ", ".join(
                    f"{n.removeprefix('tac, ')} "
                    + percent(
                        gain(v.robust("throughput_mbps", n), v.robust("throughput_mbps", te(5)))
                    )
                    for n in _te_names(v)
                    if n != te(5)
                )
            ),
        ),
        m.timer,
        "robust",
        lambda v: mean(v.robust("jain", te(5))) >= 0.98,
    ),
)
