"""The advice with the paper's windows, after that for stations of today; numbers from the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acklab.studies.tac import rivals_today
from acklab.studies.tac.rivals import (
    FEW_STATIONS,
    WHERE,
    Found,
    numbers,
    schemes,
    title,
    to_be_had,
    with_rts,
)
from acklab.studies.tac.schemes import TE
from acklab.studies.tac.stacks import MODERN, SEGMENT, WINDOW

if TYPE_CHECKING:
    import polars as pl

#: As fair as it needs to be, and throughput that is kept within this of the best.
_FAIR, _KEPT = 0.98, 0.95


def text(table: pl.DataFrame) -> str:
    """Stations of today first; then the paper's windows, what RTS/CTS adds, and few stations."""
    parts = (rivals_today.text(table), _windowed(table), _announced(table), _few(table))
    return "\n\n".join(p for p in parts if p)


def _windowed(table: pl.DataFrame) -> str:
    """What is fair with many stations, what it costs who is alone, and what follows."""
    found, counts = numbers(table), table.filter(stack=MODERN)["stations"].unique().sort().to_list()
    alone, many = counts[0], counts[-1]
    names = [n for n in schemes(table, MODERN, many, announced=False) if n != "agg"]

    def at(quantity: str, name: str, n: int = many) -> float:
        return found(quantity, name, n).mean

    fair = [n for n in names if at("jain", n) >= _FAIR]
    best = max(at("throughput_mbps", n) for n in (*fair, "agg"))
    good = [n for n in fair if at("throughput_mbps", n) >= _KEPT * best]
    harmless = [
        n
        for n in good
        if at("throughput_mbps", n, alone) >= _KEPT * at("throughput_mbps", "agg", alone)
    ]
    alike = [n for n in harmless if "+" not in n and WHERE[n] == "AP"]
    simple = [n for n in alike if to_be_had(n)]
    costly = [n for n in good if n not in harmless]
    slow = [n for n in fair if n not in good]
    fastest = max(simple, key=lambda n: at("throughput_mbps", n), default="")
    thriftiest = min(simple, key=lambda n: at("ack_airtime_ms_per_mb", n), default="")
    parts = [
        f"**With windows of {WINDOW} packets**, as in the paper; Linux's TCP, no RTS/CTS. With "
        f"{many} stations doing nothing has an index of "
        f"{at('jain', 'agg'):.2f} at {at('throughput_mbps', 'agg'):.1f} Mbit/s, and loses "
        f"{at('ack_loss_mean', 'agg'):.0%} of the ACKs.",
        f"Fair (an index of {_FAIR} or more) and within 5 % of the fastest: "
        f"{_told(good, found, many)}.",
        f"Fair, but slower: {_told(slow, found, many)}." if slow else "",
        f"Not fair: {_told([n for n in names if n not in fair], found, many)}."
        if len(fair) < len(names)
        else "",
        "Delayed ACKs are the baseline once more, as Linux's receiver delays them anyway."
        if "delayed" in names
        else "",
        _alone(costly, found, alone) if costly else "",
        _choose(fastest, thriftiest, found, many) if simple else "",
        _elsewhere([n for n in alike if n not in simple], found, many),
    ]
    return " ".join(p for p in parts if p)


def _announced(table: pl.DataFrame) -> str:
    """What RTS/CTS does to each: whoever contends more pays with collisions only without it."""
    counts = table.filter(stack=MODERN)["stations"].unique().sort().to_list()
    many, found = counts[-1], numbers(table)
    names = schemes(table, MODERN, many, announced=True)
    if not names:
        return ""
    plain = [s for s in schemes(table, MODERN, many, announced=False) if with_rts(s) in names]
    lines = [f"N = {many}: index, Mbit/s | without | with RTS/CTS", "--- | --: | --:"]
    lines += [
        f"{title(s)} | {_both(found, s, many)} | {_both(found, with_rts(s), many)}" for s in plain
    ]
    shown = "\n".join(f"| {line} |" for line in lines)

    def rate(s: str) -> float:
        return found("throughput_mbps", s, many).mean

    least = min(plain, key=lambda s: rate(with_rts(s)) / rate(s))
    most = max(plain, key=lambda s: rate(with_rts(s)) / rate(s))
    first = max(plain, key=lambda s: rate(with_rts(s)))
    return (
        f"**RTS/CTS** changes the throughput by {_more(rate, least)} ({title(least)}) to "
        f"{_more(rate, most)} ({title(most)}). With it {title(first)} is the fastest, "
        f"{rate(with_rts(first)):.1f} Mbit/s.\n\n{shown}"
    )


def _more(rate: Callable[[str], float], name: str) -> str:
    return f"{rate(with_rts(name)) / rate(name) - 1:+.0%}"


def _both(found: Found, name: str, n: int) -> str:
    return f"{found('jain', name, n).mean:.3f}, {found('throughput_mbps', name, n).mean:.1f}"


def _few(table: pl.DataFrame) -> str:
    """Throughput with few stations, and how TAC lets them take turns."""
    found, of = numbers(table), table.filter(stack=MODERN)
    counts = of.filter(scheme="tac-guarded")["stations"].unique().sort().to_list()
    few = [n for n in FEW_STATIONS if n in counts]
    if not few:
        return ""
    names = of.filter(stations=few[0])["scheme"].unique(maintain_order=True).to_list()
    head = " | ".join(["stations", *(title(s) for s in names)])
    lines = [head, " | ".join(["--:"] * (len(names) + 1))]
    lines += [
        " | ".join([str(n), *(f"{found('throughput_mbps', s, n).mean:.1f}" for s in names)])
        for n in counts
    ]
    shown = "\n".join(f"| {line} |" for line in lines)
    return f"Mbit/s in all, with few stations and with many:\n\n{shown}\n\n{_turns(found, few)}"


def _turns(found: Found, few: Sequence[int]) -> str:
    """What the timer does to stations that wait for it."""
    counts = [1, *few]

    def each(quantity: str, name: str = "tac-guarded", digits: int = 0, scale: float = 1) -> str:
        return " / ".join(f"{scale * found(quantity, name, n).mean:.{digits}f}" for n in counts)

    def turn(n: int) -> float:
        """How long one ACK's packets and the wait for it take a station, ms."""
        mbps, packets = (
            found(q, "tac-guarded", n).mean for q in ("throughput_mbps", "segments_per_ack")
        )
        return n * packets * 8 * SEGMENT / 1e3 / max(mbps, 1e-9)

    return (
        f"**Few stations with TAC**, N = {' / '.join(map(str, counts))}: "
        f"{each('throughput_mbps', digits=1)} Mbit/s. It sends a flow's ACK once none has come for "
        f"{TE}, so one ACK stands for {each('segments_per_ack')} packets, and until it comes a "
        f"station whose window is out is silent: from ACK to ACK it takes "
        f"{' / '.join(f'{turn(n):.0f}' for n in counts)} ms, 4 of them on the wire and 5 of the "
        f"timer. Meanwhile the others send, or nobody does: the air is idle for "
        f"{each('idle_share', scale=100)} % of the time. As long as they take turns nobody "
        f"collides and A-MPDUs are long: {each('failed_share', scale=100)} % of the accesses fail "
        f"(nothing switched on: {each('failed_share', 'agg', scale=100)} %), and an access brings "
        f"{each('packets_per_access', digits=1)} packets "
        f"({each('packets_per_access', 'agg', digits=1)}). What is best is the number of stations "
        "whose windows fill each other's waits and no more: it moves with the window and with Te."
    )


def _choose(fastest: str, thriftiest: str, found: Found, n: int) -> str:
    """What needs the access point alone, is fair with many and free with one."""
    parts = [f"**{title(fastest)}**, the fastest: {_cost(fastest, found, n)}"]
    if thriftiest != fastest:
        parts.append(
            f"**{title(thriftiest)}**, whose ACKs take least air: {_cost(thriftiest, found, n)}"
        )
    return (
        "These need the access point alone, are fair with many and free with one; switch on "
        f"{'; or '.join(parts)}. Nothing switched on: {_cost('agg', found, n)}."
    )


def _elsewhere(names: Sequence[str], found: Found, n: int) -> str:
    """What is as good, and nobody ships for an access point."""
    each = "; ".join(f"{title(s)}: {_cost(s, found, n)}" for s in names)
    return f"As good, but not to be had for an access point: {each}." if names else ""


def _cost(name: str, found: Found, n: int) -> str:
    """Throughput, the air that ACKs take, how long they wait and how many are lost."""
    mbps, air, wait, loss = (
        found(q, name, n).mean
        for q in ("throughput_mbps", "ack_airtime_ms_per_mb", "queue_wait_ms", "ack_loss_mean")
    )
    return (
        f"{mbps:.1f} Mbit/s, ACKs take {air:.1f} ms of air per MB and wait {wait:.0f} ms, "
        f"{loss:.0%} find no room"
    )


def _told(names: Sequence[str], found: Found, n: int) -> str:
    return ", ".join(
        f"{title(s)} ({found('jain', s, n).mean:.3f}, "
        f"{found('throughput_mbps', s, n).mean:.1f} Mbit/s)"
        for s in names
    )


def _alone(names: Sequence[str], found: Found, n: int) -> str:
    """What those cost who are alone, and why: a timer, or accesses that fail or bring less."""
    timed = [s for s in names if "tac" in s]
    early = [s for s in names if s not in timed]

    def each(chosen: Sequence[str], quantity: str) -> str:
        return ", ".join(f"{title(s)} ({found(quantity, s, n).mean:.1f})" for s in chosen)

    alone = found("throughput_mbps", "agg", n).mean
    told = [f"A station on its own has {alone:.1f} Mbit/s without anything."]
    if timed:
        told.append(
            f"It pays with {each(timed, 'throughput_mbps')}: once its window is out, the timer "
            "waits for an ACK that cannot come."
        )
    if early:
        told.append(
            f"It also pays with {each(early, 'throughput_mbps')}: of the accesses "
            + ", ".join(
                f"{found('failed_share', s, n).mean:.0%} fail and one brings "
                f"{found('packets_per_access', s, n).mean:.1f} packets"
                for s in early
            )
            + f", without anything {found('failed_share', 'agg', n).mean:.0%} and "
            f"{found('packets_per_access', 'agg', n).mean:.1f}."
        )
    return " ".join(told)
