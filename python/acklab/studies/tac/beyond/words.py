"""What the tables beyond the paper say, with every number from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acklab.studies.tac.rivals import title

if TYPE_CHECKING:
    from acklab.studies.tac.beyond.topic import Numbers

CONTROLLERS = {"newreno": "NewReno", "cubic": "CUBIC", "bbr3": "BBRv3", "vegas": "Vegas"}
#: A difference of throughputs that matters, and an index that is as even as it needs to be.
_SEEN, _FAIR = 0.03, 0.99


def controllers(n: Numbers) -> str:
    """Whether other controllers need it as well."""
    return f"{_effects(n)} {_rows(n, ('jain', 3), ('throughput_mbps', 1), ('rtt_mean_ms', 0))}"


def te(n: Numbers) -> str:
    """How long to wait, with many stations and with one."""
    many = [p for p in n.points if "20 stations" in p]
    alone = [p for p in n.points if p not in many]
    fair = [p for p in many if n("jain", p, "agg").mean >= _FAIR]
    best = max(alone, key=lambda p: n("throughput_mbps", p, "agg").mean)
    worst = min(alone, key=lambda p: n("throughput_mbps", p, "agg").mean)
    enough = (
        f"With 20 stations the shortest timer with an index of {_FAIR} is {fair[0]}"
        if fair
        else f"No timer has an index of {_FAIR} with 20 stations"
    )
    return (
        f"{enough}. A station on its own has most with {best} "
        f"({n('throughput_mbps', best, 'agg').mean:.1f} Mbit/s) and least with {worst} "
        f"({n('throughput_mbps', worst, 'agg').mean:.1f}): it waits for the timer whenever its "
        "window is out. So choose the shortest timer that is fair. "
        + _rows(n, ("jain", 3), ("throughput_mbps", 1), ("rtt_mean_ms", 0))
    )


def windows(n: Numbers) -> str:
    """What windows beyond the paper's do."""
    return (
        f"{_effects(n)} "
        f"{_rows(n, ('jain', 3), ('throughput_mbps', 1), ('ack_loss_mean', 3), ('rtt_mean_ms', 0))}"
    )


def downloads(n: Numbers) -> str:
    """What becomes of downloads."""
    shown = (("uploads_jain", 3), ("uploads_mbps", 1), ("downloads_mbps", 1))
    return f"{_effects(n, 'uploads_jain')} {_rows(n, *shown)}"


def unequal(n: Numbers) -> str:
    """What unequal rates and RTTs do."""
    return f"{_effects(n)} {_rows(n, ('jain', 3), ('throughput_mbps', 1), ('queue_wait_ms', 0))}"


def short(n: Numbers) -> str:
    """What short uploads suffer."""
    shown = (("exchange_ms", 0), ("uploads_jain", 3), ("uploads_mbps", 1))
    told = [_sooner(n, s) for s in n.schemes if s != "agg"]
    return " ".join([*(t for t in told if t), _effects(n, "uploads_jain"), _rows(n, *shown)])


def _sooner(n: Numbers, scheme: str) -> str:
    """By how much objects are there sooner, where the seeds tell."""

    def change(p: str) -> float:
        return n("exchange_ms", p, scheme).mean / n("exchange_ms", p, "agg").mean - 1

    sure = [
        p for p in n.points if n("exchange_ms", p, scheme).high < n("exchange_ms", p, "agg").low
    ]
    told = ", ".join(f"“{p}” ({change(p):+.0%})" for p in sure)
    return f"*{title(scheme)}*: sooner there are {told}." if sure else ""


def loss(n: Numbers) -> str:
    """What losses of data on the wire do to a filter of duplicates and SACKs."""
    return f"{_effects(n)} {_rows(n, ('jain', 3), ('throughput_mbps', 1), ('rtos', 0))}"


_LABELS = {
    "jain": "index",
    "uploads_jain": "index of the long uploads",
    "throughput_mbps": "Mbit/s",
    "uploads_mbps": "long uploads, Mbit/s",
    "downloads_mbps": "downloads, Mbit/s",
    "exchange_ms": "an object, ms",
    "ack_loss_mean": "share of ACKs lost",
    "rtt_mean_ms": "RTT, ms",
    "queue_wait_ms": "wait in the access point, ms",
    "rtos": "timeouts",
}


def _effects(n: Numbers, index: str = "jain") -> str:
    """Of each scheme, where it makes shares more or less even, and what it costs or gives."""
    return " ".join(_effect(n, s, index) for s in n.schemes if s != "agg")


def _effect(n: Numbers, scheme: str, index: str) -> str:
    def gain(p: str) -> float:
        base = n("throughput_mbps", p, "agg").mean
        return n("throughput_mbps", p, scheme).mean / base - 1 if base else 0.0

    better = [p for p in n.points if n(index, p, scheme).low > n(index, p, "agg").high]
    worse = [p for p in n.points if n(index, p, scheme).high < n(index, p, "agg").low]
    faster = [p for p in n.points if gain(p) > _SEEN]
    slower = [p for p in n.points if gain(p) < -_SEEN]
    told = [
        f"more even with {_list(better)}" if better else "",
        f"less even with {_list(worse)}" if worse else "",
        f"more throughput with {', '.join(f'“{p}” ({gain(p):+.0%})' for p in faster)}"
        if faster
        else "",
        f"less with {', '.join(f'“{p}” ({gain(p):+.0%})' for p in slower)}" if slower else "",
    ]
    said = "; ".join(t for t in told if t) or "nothing that the seeds tell"
    return f"*{title(scheme)}*: {said}."


def _list(points: Sequence[str]) -> str:
    return ", ".join(f"“{p}”" for p in points)


def _rows(n: Numbers, *shown: tuple[str, int]) -> str:
    """Each point's means, in the order of the schemes."""
    return (
        "; ".join(
            f"{p}: "
            + ", ".join(f"{_LABELS[q]} {n.row(q, p, digits)}" for q, digits in shown if n.has(q, p))
            for p in n.points
        )
        + "."
    )
