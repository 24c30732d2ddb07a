"""What to do, by the tables beyond the paper: rules pick the sentences, numbers are the tables'.

A difference is told where the intervals over the seeds lie apart; of throughputs where it is more
than three in a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from acklab.studies.tac.rivals import title

if TYPE_CHECKING:
    from acklab.studies.tac.beyond.topic import Numbers

CONTROLLERS = {"newreno": "NewReno", "cubic": "CUBIC", "bbr3": "BBRv3", "vegas": "Vegas"}
#: A difference of throughputs that matters, and an index that is as even as it needs to be.
SEEN, FAIR = 0.03, 0.99
#: What cannot be told from none, of duplicates.
_FEW = 0.01
_MBPS = "throughput_mbps"

#: The same controller without what makes it slow, and with less of it.
UNPACED, LOTS = "BBRv3, not paced", "BBRv3, ten packets at a time"
#: Ends of labels: nothing is lost on the wire; nobody sends beside them.
LOSSLESS, ALONE = ", no loss", " alone"
#: What an access of a station brings, and how many of them there are.
ACCESS = ("packets_per_access", "accesses_per_s", "failed_share", "data_share")
DUPLICATES = ("duplicates_came", "duplicates_dropped_share", "duplicates_missing_share")


def counted(stations: int) -> str:
    """So many stations."""
    return "a station" if stations == 1 else f"{stations} stations"


def controllers(n: Numbers) -> str:
    """What to switch on for each, and why one is slower."""
    return f"{choices(n)} {_slowest(n)}"


def _slowest(n: Numbers) -> str:
    """What BBRv3 does with its accesses, against NewReno, if it is slower."""
    base, mine = "NewReno", "BBRv3"
    if mine not in n.points or base not in n.points:
        return ""
    fastest = max(n(_MBPS, mine, s).mean for s in n.schemes)
    if fastest > (1 - SEEN) * n(_MBPS, base, "agg").mean:
        return ""

    def of(quantity: str, point: str, digits: int = 0, scale: float = 1.0) -> str:
        return f"{scale * n(quantity, point, 'agg').mean:.{digits}f}"

    told = (
        f"None of these makes {mine} fast: it has {of(_MBPS, mine, 1)} Mbit/s where {base} has "
        f"{of(_MBPS, base, 1)}, since it spreads its packets over time, and an access brings "
        f"{of('packets_per_access', mine, 1)} packets instead of "
        f"{of('packets_per_access', base, 1)}; {of('failed_share', mine, 0, 100)} % of the "
        f"accesses fail instead of {of('failed_share', base, 0, 100)} %."
    )
    if not {UNPACED, LOTS} <= set(n.points) or _change(n, _MBPS, LOTS, mine) < SEEN:
        return told
    return (
        f"{told} Let it release ten packets at a time ({of(_MBPS, LOTS, 1)} Mbit/s; not paced at "
        f"all {of(_MBPS, UNPACED, 1)})."
    )


def _change(n: Numbers, quantity: str, point: str, base: str) -> float:
    return n(quantity, point, "agg").mean / n(quantity, base, "agg").mean - 1


def te(n: Numbers) -> str:
    """How long to wait, with many stations and with one."""
    alone = [p for p in n.points if p.startswith("a station")]
    many = [p for p in n.points if p not in alone]
    # A timer of zero is no filter.
    (without, *timers), (alone_without, *alone_timers) = many, alone
    fair = [p for p in timers if n("jain", p, "agg").mean >= FAIR]
    counted = many[0].partition(",")[0]

    def mbps(p: str) -> str:
        return f"{n(_MBPS, p, 'agg').mean:.1f}"

    base = (
        f"Without a filter (Te 0) {counted} have an index of {n('jain', without, 'agg').mean:.3f}"
    )
    if not fair:
        return f"**Do not rely on a timer**: none brings the index to {FAIR}. {base}."
    short, long = fair[0], timers[-1]
    mine = alone_timers[timers.index(short)]
    slower = n(_MBPS, mine, "agg").mean < (1 - SEEN) * n(_MBPS, alone_without, "agg").mean
    other = (
        "; where a station is often on its own, take a filter without a timer (CAKE's)"
        if slower
        else ""
    )
    longer = n("jain", long, "agg").mean > n("jain", short, "agg").high
    worth = "more even" if longer else "so that waiting longer is worth nothing"
    return (
        f"**Set Te to {_ms(short)}{other}.** {base} at {mbps(without)} Mbit/s; {_ms(short)} is the "
        f"shortest timer that brings it to {FAIR}, {n('jain', short, 'agg').mean:.3f} at "
        f"{mbps(short)} Mbit/s, and {_ms(long)} have {n('jain', long, 'agg').mean:.3f} at "
        f"{mbps(long)}, {worth}. A station on its own has {mbps(alone_without)} Mbit/s without, "
        f"{mbps(mine)} with {_ms(short)} and {mbps(alone_timers[-1])} with {_ms(long)}: whenever "
        "its window is out it waits for the timer."
    )


def _ms(point: str) -> str:
    return point.partition("Te ")[2]


def windows(n: Numbers) -> str:
    """What to switch on for each window, and how the need for it grows."""
    first, last = n.points[0], n.points[-1]
    a, b = (n("jain", p, "agg") for p in (first, last))
    grows = (
        f"The need grows with windows: nothing switched on, the index goes from {a.mean:.2f} "
        f"(“{first}”) to {b.mean:.2f} (“{last}”), and "
        f"{n('ack_loss_mean', first, 'agg').mean:.0%} and "
        f"{n('ack_loss_mean', last, 'agg').mean:.0%} of the ACKs are lost."
        if b.high < a.low
        else ""
    )
    waits = ", ".join(
        f"{n('queue_wait_ms', last, s).mean:.0f} ms with {title(s)}"
        for s in n.schemes
        if s != "agg"
    )
    return f"{choices(n)} {grows} What is not lost waits: with “{last}” {waits}."


def downloads(n: Numbers) -> str:
    """What to switch on by all flows' index, and what downloads get."""
    last = n.points[-1]
    got = {s: n("downloads_mbps", last, s) for s in n.schemes}
    most = max(got, key=lambda s: got[s].mean)
    if most == "agg" or got[most].low <= got["agg"].high:
        return choices(n)
    up = {s: n("uploads_mbps", last, s).mean for s in n.schemes}
    return (
        f"{choices(n)} Downloads gain most by {title(most)}: with “{last}” they have "
        f"{got[most].mean:.1f} Mbit/s instead of {got['agg'].mean:.1f}, and uploads "
        f"{up[most]:.1f} instead of {up['agg']:.1f}."
    )


def unequal(n: Numbers) -> str:
    """What to switch on, and where equal bytes and a large sum are two things."""
    traded = [
        (s, p)
        for p in n.points
        for s in n.schemes
        if s != "agg"
        and _gain(n, p, s) > 3 * SEEN
        and n("jain", p, s).high < n("jain", p, "agg").low
    ]
    told = "; ".join(
        f"{title(s)} with “{p}”: {_gain(n, p, s):+.0%}, an index of {n('jain', p, s).mean:.2f} "
        f"instead of {n('jain', p, 'agg').mean:.2f}"
        for s, p in traded
    )
    both = (
        f" Where the sum counts more than equal bytes, there is more to be had: {told}. It shares "
        "the air, not the bytes, so that who is slow has less."
        if traded
        else ""
    )
    return f"{choices(n)}{both}"


def short(n: Numbers) -> str:
    """What brings objects soonest, and what long uploads pay for it."""
    quantity = "exchange_ms"
    first = {p: min(n.schemes, key=lambda s: n(quantity, p, s).mean) for p in n.points}
    sure = {p: s for p, s in first.items() if n(quantity, p, s).high < n(quantity, p, "agg").low}
    if not sure:
        return "**For short uploads switch on nothing**: no object is there sooner." + _later(
            n, quantity
        )
    best = max(set(sure.values()), key=lambda s: (list(sure.values()).count(s), s))
    points = [p for p, s in sure.items() if s == best]
    sooner = ", ".join(
        f"{n(quantity, p, best).mean:.0f} ms instead of {n(quantity, p, 'agg').mean:.0f} for “{p}”"
        for p in points
    )
    beside = [p for p in n.points if ALONE not in p]
    pays = ", ".join(f"{_gain(n, p, best, 'uploads_mbps'):+.0%}" for p in beside)
    others = [
        s
        for s in n.schemes
        if s not in ("agg", best)
        and all(n(quantity, p, s).high < n(quantity, p, "agg").low for p in beside)
    ]
    each = "; ".join(
        f"{title(s)} " + " / ".join(f"{_gain(n, p, s, quantity):+.0%}" for p in beside)
        for s in others
    )
    rest = f" These shorten all of those, too: {each}." if others else ""
    return (
        f"**For short uploads beside long ones switch on {title(best)}**: from its first byte to "
        f"the answer an object takes {sooner}. The throughput of long uploads beside them "
        f"changes by {pays} ({_points(beside)}).{rest}{_later(n, quantity)}"
    )


def _later(n: Numbers, quantity: str) -> str:
    """Where objects come later than with nothing."""
    later = {
        s: [
            p
            for p in n.points
            if n(quantity, p, s).low > n(quantity, p, "agg").high
            and _gain(n, p, s, quantity) > SEEN
        ]
        for s in n.schemes
    }
    told = _gains(n, later, quantity)
    return f" **Later than with nothing** they are with {told}." if told else ""


def loss(n: Numbers) -> str:
    """Which filters a lossy wire speaks against, and whether duplicates pass them."""
    lossy = [p for p in n.points if not p.endswith(LOSSLESS)]
    harmed = {s: [p for p in lossy if _harmed(n, p, s)] for s in n.schemes if s != "agg"}
    free = [s for s, at in harmed.items() if not at]
    parts = [f"**A lossy wire is no reason against {_either(free)}.**"] if free else []
    subject = "It" if free else "A lossy wire"
    if spoken := sorted((s for s in harmed if harmed[s]), key=lambda s: _worst(n, s, harmed[s])):
        each = ", ".join(f"{title(s)} ({_worst(n, s, harmed[s]):+.0%} at worst)" for s in spoken)
        parts.append(f"**{subject} speaks against {each}**, compared with nothing switched on.")
    for s in spoken:
        each = "; ".join(f"“{p}” {_against(n, p, s)}" for p in harmed[s])
        parts.append(f"{title(s)}: {each}.")
    parts.append(
        "That is said where the index is lower than with nothing, or the throughput by more than "
        f"{SEEN:.0%}, and by so much more than without losses."
    )
    return " ".join(p for p in (*parts, _waiting(n, harmed.get("tac-guarded", [])), _pass(n)) if p)


def _worst(n: Numbers, s: str, points: Sequence[str]) -> float:
    return min(_gain(n, p, s) for p in points)


def _lossless(n: Numbers, p: str) -> str | None:
    """The same stations without losses, if that was run."""
    point = p.rpartition(",")[0] + LOSSLESS
    return point if point in n.points else None


def _harmed(n: Numbers, p: str, s: str) -> bool:
    """Less even than nothing, or slower, and more so than it is without losses."""
    mine, nothing = n(_MBPS, p, s), n(_MBPS, p, "agg")
    base = _lossless(n, p)
    before = min(0.0, _gain(n, base, s)) if base else 0.0
    slower = mine.high < nothing.low and _gain(n, p, s) < before - SEEN
    return slower or n("jain", p, s).high < n("jain", p, "agg").low


def _against(n: Numbers, p: str, s: str) -> str:
    base = _lossless(n, p)
    without = f", without losses {_gain(n, base, s):+.0%}" if base else ""
    even = ""
    if n("jain", p, s).high < n("jain", p, "agg").low:
        even = f", an index of {n('jain', p, s).mean:.3f} instead of {n('jain', p, 'agg').mean:.3f}"
    return f"{_gain(n, p, s):+.0%}{even}{without}"


def _waiting(n: Numbers, harmed: Sequence[str]) -> str:
    """What the timer does to windows that losses keep small."""

    def rtt(p: str, s: str) -> float:
        return n("rtt_mean_ms", p, s).mean

    slower = [p for p in harmed if rtt(p, "tac-guarded") > rtt(p, "agg")]
    if not slower:
        return ""
    worst = min(slower, key=lambda p: _gain(n, p, "tac-guarded"))
    return (
        "Losses keep windows small, and a station whose window is out waits for TAC's timer: with "
        f"“{worst}” the RTT is {rtt(worst, 'tac-guarded'):.1f} ms instead of "
        f"{rtt(worst, 'agg'):.1f}."
    )


def _pass(n: Numbers) -> str:
    """Whether duplicate ACKs pass each filter, counted where most were lost."""
    counted_at = [p for p in n.points if n.has("duplicates_came", p)]
    if not counted_at:
        return ""
    worst = counted_at[-1]
    dropped = {s: n("duplicates_dropped_share", worst, s).mean for s in n.schemes if s != "agg"}
    passing = [s for s, share in dropped.items() if share < _FEW]
    holding = [s for s in dropped if s not in passing]
    parts = []
    if passing:
        parts.append(f"With “{worst}” duplicate ACKs pass {_and(passing)}")
    if holding:
        each = ", ".join(f"{title(s)} takes out {dropped[s]:.0%} of them" for s in holding)
        parts.append(
            f"{each}, where a later ACK in the queue says all that they say: a sender that counts "
            "duplicates sees fewer"
        )
    return f"{'; '.join(parts)}."


def choices(n: Numbers, index: str = "jain") -> str:
    """By point: what is even and costs next to nothing, or that nothing is."""
    by: dict[tuple[str, ...], list[str]] = {}
    for p in n.points:
        good = tuple(s for s in n.schemes if n(index, p, s).mean >= FAIR and _gain(n, p, s) > -SEEN)
        by.setdefault(("agg",) if "agg" in good else good, []).append(p)
    terms = f"an index of {FAIR} or more for at most {SEEN:.0%} of the throughput"
    told = []
    for good, points in by.items():
        where = "with all of these" if len(by) == 1 else f"with {_points(points)}"
        if "agg" in good:
            told.append(f"{where} nothing is needed")
        elif good:
            told.append(f"{where} switch on {_either(good)}")
        else:
            told += [
                f"with “{p}” nothing is even and free, and {_nearest(n, p, index)}" for p in points
            ]
    text = "; ".join(told)
    return f"**{text[0].upper()}{text[1:]}.** (Even and free is here {terms}.){_needless(n, by)}"


def _needless(n: Numbers, by: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    """What costs throughput where nothing is needed."""
    costs = {
        s: [p for p in by.get(("agg",), []) if n(_MBPS, p, s).high < (1 - SEEN) * _nothing(n, p)]
        for s in n.schemes
    }
    told = _gains(n, costs)
    return f" **Where nothing is needed** throughput falls by {told}." if told else ""


def _nothing(n: Numbers, p: str) -> float:
    return n(_MBPS, p, "agg").mean


def _nearest(n: Numbers, p: str, index: str) -> str:
    """The most even, with what it costs or gives."""
    s = max(n.schemes, key=lambda s: n(index, p, s).mean)
    name = "nothing switched on" if s == "agg" else title(s)
    return f"the most even is {name} ({n(index, p, s).mean:.3f}, {_gain(n, p, s):+.0%})"


def _gains(n: Numbers, at: Mapping[str, Sequence[str]], quantity: str = _MBPS) -> str:
    """Against nothing, scheme by scheme, at the points given for it."""
    return "; ".join(
        f"{title(s)} " + ", ".join(f"{_gain(n, p, s, quantity):+.0%} with “{p}”" for p in points)
        for s, points in at.items()
        if points
    )


def _gain(n: Numbers, p: str, s: str, quantity: str = _MBPS) -> float:
    base = n(quantity, p, "agg").mean
    return n(quantity, p, s).mean / base - 1 if base else 0.0


def _points(points: Sequence[str]) -> str:
    return _joined([f"“{p}”" for p in points], "and")


def _either(names: Sequence[str]) -> str:
    return _joined([title(s) for s in names], "or")


def _and(names: Sequence[str]) -> str:
    return _joined([title(s) for s in names], "and")


def _joined(words: Sequence[str], by: str) -> str:
    *most, last = words
    return f"{', '.join(most)} {by} {last}" if most else last


Advice = Callable[["Numbers"], str]
