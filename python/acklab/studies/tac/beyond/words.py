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


#: The same controller without what makes it slow, and with less of it.
UNPACED, LOTS = "BBRv3, not paced", "BBRv3, ten packets at a time"
#: What an access of a station brings, and how many of them there are.
ACCESS = ("packets_per_access", "accesses_per_s", "failed_share", "data_share")
DUPLICATES = ("duplicates_came", "duplicates_dropped_share", "duplicates_missing_share")


def controllers(n: Numbers) -> str:
    """Whether other controllers need it as well, and why one is slower."""
    shown = (("jain", 3), ("throughput_mbps", 1), ("rtt_mean_ms", 0), ("packets_per_access", 1))
    return f"{_slowest(n)} {_effects(n)} {_rows(n, *shown)}"


def _slowest(n: Numbers) -> str:
    """What the slowest controller does with its accesses, against NewReno."""
    base, mine = "NewReno", "BBRv3"
    if mine not in n.points:
        return ""

    def of(quantity: str, point: str, digits: int = 0, scale: float = 1.0) -> str:
        return f"{scale * n(quantity, point, 'agg').mean:.{digits}f}"

    unpaced = (
        f" It is the pacing: without, BBRv3 has {of('throughput_mbps', UNPACED, 1)} Mbit/s and "
        f"{of('packets_per_access', UNPACED, 1)} packets per access, and with ten packets "
        f"released at a time {of('throughput_mbps', LOTS, 1)} and "
        f"{of('packets_per_access', LOTS, 1)}."
        if UNPACED in n.points and LOTS in n.points
        else ""
    )
    return (
        f"{mine} has {of('throughput_mbps', mine, 1)} Mbit/s where {base} has "
        f"{of('throughput_mbps', base, 1)}: it spreads its packets over time, so a station that "
        f"may send has few. An access brings {of('packets_per_access', mine, 1)} packets instead "
        f"of {of('packets_per_access', base, 1)}; stations have {of('accesses_per_s', mine)} "
        f"accesses per second instead of {of('accesses_per_s', base)}, "
        f"{of('failed_share', mine, 0, 100)} % of which fail instead of "
        f"{of('failed_share', base, 0, 100)} %, and data take {of('data_share', mine, 0, 100)} % "
        f"of the air instead of {of('data_share', base, 0, 100)} %.{unpaced}"
    )


def te(n: Numbers) -> str:
    """How long to wait, with many stations and with one."""
    alone = [p for p in n.points if p.startswith("a station")]
    many = [p for p in n.points if p not in alone]
    # A timer of zero is no filter.
    (without, *timers), (alone_without, *alone_timers) = many, alone
    fair = [p for p in timers if n("jain", p, "agg").mean >= _FAIR]
    counted = many[0].partition(",")[0]

    def mbps(p: str) -> str:
        return f"{n('throughput_mbps', p, 'agg').mean:.1f}"

    base = (
        f"Without a filter (Te 0) {counted} have an index of {n('jain', without, 'agg').mean:.3f}"
    )
    if not fair:
        return f"{base}, and no timer brings it to {_FAIR}. {_timers(n)}"
    short, long = fair[0], timers[-1]
    mine = alone_timers[timers.index(short)]
    return (
        f"{base} at {mbps(without)} Mbit/s. The shortest timer that brings it to {_FAIR} is "
        f"{_ms(short)}: {n('jain', short, 'agg').mean:.3f} at {mbps(short)} Mbit/s; {_ms(long)} "
        f"have {n('jain', long, 'agg').mean:.3f} at {mbps(long)}, so waiting longer is worth "
        f"nothing. A station on its own has {mbps(alone_without)} Mbit/s without, {mbps(mine)} "
        f"with {_ms(short)} and {mbps(alone_timers[-1])} with {_ms(long)}: it waits for the timer "
        f"whenever its window is out. So set Te to {_ms(short)}, and where a station is often on "
        f"its own, take a filter without a timer (CAKE's). {_timers(n)}"
    )


def _ms(point: str) -> str:
    return point.partition("Te ")[2]


def _timers(n: Numbers) -> str:
    return _rows(n, ("jain", 3), ("throughput_mbps", 1), ("rtt_mean_ms", 0))


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
    return (
        f"*{title(scheme)}*: the time from an object's first byte to the answer, mean over "
        f"exchanges, is shorter with {told}."
        if sure
        else ""
    )


def loss(n: Numbers) -> str:
    """What losses of data on the wire do to a filter of duplicates and SACKs."""
    shown = (("jain", 3), ("throughput_mbps", 1), ("rtos", 0), ("duplicates_came", 0))
    return f"{_pass(n)} {_effects(n)} {_rows(n, *shown)}"


def _pass(n: Numbers) -> str:
    """Whether duplicate ACKs pass each filter, counted where most were lost."""
    worst = n.points[-1]

    def told(scheme: str) -> str:
        came, dropped, missing = (n(q, worst, scheme).mean for q in DUPLICATES)
        full = f", and {missing - dropped:.1%} found no room" if missing - dropped > 5e-4 else ""
        return f"{title(scheme)}: {dropped:.1%} of {came:.0f} taken out{full}"

    return (
        f"Do duplicate ACKs pass? With “{worst}”, counted for two of the flows as a sender counts "
        f"them: {'; '.join(told(s) for s in n.schemes)}. CAKE's takes out a duplicate where a "
        "later ACK in the queue says all that it says, by number and SACK, and more: nothing that "
        "it says is lost, but a sender that counts duplicates sees fewer."
    )


_LABELS = {
    "packets_per_access": "packets per access",
    "duplicates_came": "duplicates of two flows",
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
