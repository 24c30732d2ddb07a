"""The advice for stations of today: what to switch on, and where it can be had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from acklab.studies.tac.rivals import (
    WHERE,
    Found,
    numbers,
    schemes,
    title,
    to_be_had,
    with_rts,
)
from acklab.studies.tac.stacks import TODAY, TODAY_BBR

if TYPE_CHECKING:
    import polars as pl

#: Throughput that is kept within this of doing nothing, and more than which is a gain.
_SEEN = 0.03
_MBPS = "throughput_mbps"

#: Where a remedy is to be had; the paper's own and HACK nowhere.
HAD: Mapping[str, str] = {
    "per-station queues": "mac80211, in every Linux access point with ath9k, ath10k, mt76 and "
    "others: often there already",
    "CAKE's ack-filter": "Linux's `sch_cake` (`ack-filter`, `ack-filter-aggressive`), in the queue "
    "in which ACKs wait: where mac80211 has queues per station none wait in a discipline above "
    "them, unless that is shaped to less than the radio gives",
    "RTS/CTS": "a threshold of every station (`iw phy ... set rts`); of stations with 802.11ax the "
    "access point can ask for it (hostapd's `he_rts_threshold`); `rts_threshold` of the access "
    "point is for its own frames alone, which are not those that collide most here",
    "DIFF": "hostapd: `tx_queue_data2_cwmin` for itself, `wmm_ac_be_cwmin` for stations",
    "RDG": "in 802.11n's standard; both sides must have it",
    "Android's filters": "a driver of telephones, not of access points",
    "HACK, TAC": "nobody ships them",
}


def text(table: pl.DataFrame) -> str:
    """What to switch on, what it does with fewer stations, and what else costs."""
    counts = sorted(table.filter(stack=TODAY)["stations"].unique())
    found, many = numbers(table, TODAY), counts[-1]
    plain = schemes(table, TODAY, many, announced=False)
    announced = schemes(table, TODAY, many, announced=True)
    parts = [
        advice(table),
        _announced(found, counts),
        _costs(found, plain, counts),
        _paced(table),
        _rows(found, plain, announced, counts),
        "Where it can be had:\n\n" + "\n".join(f"* **{k}**: {v}." for k, v in HAD.items()),
    ]
    return "\n\n".join(p for p in parts if p)


def advice(table: pl.DataFrame) -> str:
    """What to switch on, and what is to be had without."""
    counts = sorted(table.filter(stack=TODAY)["stations"].unique())
    found, many = numbers(table, TODAY), counts[-1]
    names = [s for rts in (False, True) for s in schemes(table, TODAY, many, announced=rts)]
    return f"{_pick(found, names, counts)} {_nothing(found, counts)}"


def _pick(found: Found, names: Sequence[str], counts: Sequence[int]) -> str:
    """Of what is as even as the most even, by its interval, the fastest that costs nobody much."""
    many = counts[-1]
    kept = [
        s
        for s in names
        if s != "agg" and all(_gain(found, s, n) > -_SEEN for n in counts) and to_be_had(s)
    ]
    if not kept:
        return "**Advice for stations of today.** Nothing that an access point can have is free."
    best = max(kept, key=lambda s: found("jain", s, many).mean)
    even = [s for s in kept if found("jain", s, many).high >= found("jain", best, many).low]
    pick = max(even, key=lambda s: found(_MBPS, s, many).mean)
    each = "; ".join(
        f"{found(_MBPS, pick, n).mean:.1f} Mbit/s and an index of {found('jain', pick, n).mean:.2f}"
        f" with {_stations(n)}"
        for n in reversed(counts)
    )
    return (
        f"**Advice for stations of today: switch on {title(pick)}.** Over 802.11n at 65 Mbit/s "
        f"that gives {each}."
    )


def _nothing(found: Found, counts: Sequence[int]) -> str:
    each = "; ".join(
        f"{found(_MBPS, 'agg', n).mean:.1f} and {found('jain', 'agg', n).mean:.2f}"
        for n in reversed(counts)
    )
    lost = found("ack_loss_mean", "agg", counts[-1]).mean
    return (
        f"Nothing switched on: {each}, and {lost:.0%} of the ACKs are lost with "
        f"{_stations(counts[-1])}."
    )


def _announced(found: Found, counts: Sequence[int]) -> str:
    """What RTS/CTS does on its own."""
    gains = ", ".join(
        f"{_gain(found, 'rts', n):+.0%} with {_stations(n)}" for n in reversed(counts)
    )
    many = counts[-1]
    a, b = (found("jain", s, many) for s in ("agg", "rts"))
    even = "makes shares more even" if b.low > a.high else "does not make shares more even"
    return (
        f"RTS/CTS before everything changes the throughput by {gains}, and {even} (an index of "
        f"{b.mean:.2f}): what collides are short frames instead of whole A-MPDUs (nothing switched "
        f"on, {found('collision_share', 'agg', many).mean:.0%} of the air with {_stations(many)}; "
        f"with RTS/CTS {found('collision_share', 'rts', many).mean:.0%})."
    )


def _costs(found: Found, names: Sequence[str], counts: Sequence[int]) -> str:
    """What is slower than doing nothing, and what is not more even."""
    told = []
    for n in reversed(counts):
        slow = [s for s in names if s != "agg" and _gain(found, s, n) < -_SEEN]
        if slow:
            each = ", ".join(f"{title(s)} ({_gain(found, s, n):+.0%})" for s in slow)
            told.append(f"with {_stations(n)} {each}")
    many = counts[-1]
    idle = [
        s
        for s in names
        if s != "agg" and found("jain", s, many).low <= found("jain", "agg", many).high
    ]
    slower = f"Slower than nothing by more than {_SEEN:.0%}: {'; '.join(told)}." if told else ""
    uneven = (
        f"Not more even than nothing with {_stations(many)}, as far as the seeds tell: "
        f"{', '.join(map(title, idle))}."
        if idle
        else ""
    )
    return " ".join(p for p in (slower, uneven) if p)


def _paced(table: pl.DataFrame) -> str:
    """What becomes of it with BBRv3."""
    of = table.filter(stack=TODAY_BBR)
    if of.is_empty():
        return ""
    found, many = numbers(table, TODAY_BBR), max(of["stations"])
    names = of.filter(stations=many)["scheme"].unique(maintain_order=True).to_list()
    base = found("jain", "agg", many)
    worse = [s for s in names if found("jain", s, many).high < base.low]
    each = ", ".join(
        f"{'nothing' if s == 'agg' else title(s)} {found('jain', s, many).mean:.2f} at "
        f"{found(_MBPS, s, many).mean:.1f}"
        for s in names
    )
    harm = f" Less even than nothing: {', '.join(map(title, worse))}." if worse else ""
    return f"With BBRv3 instead of CUBIC, {_stations(many)}, index and Mbit/s: {each}.{harm}"


def _rows(
    found: Found, plain: Sequence[str], announced: Sequence[str], counts: Sequence[int]
) -> str:
    """A row per scheme: index and Mbit/s without RTS/CTS and with it."""
    many = counts[-1]
    some = list(counts[1:-1])
    heads = ["", f"N = {many}: index", "Mbit/s", "with RTS/CTS: index", "Mbit/s"]
    heads += [f"N = {n}: {q}" for n in some for q in ("index", "Mbit/s", "Mbit/s, RTS/CTS")]
    heads += ["N = 1: Mbit/s", "ACKs, ms of air per MB", "changed"]
    lines = [heads, ["---", *["--:"] * (len(heads) - 2), "---"]]
    for s in plain:
        rts = with_rts(s)
        has = rts in announced
        row = [
            "nothing" if s == "agg" else title(s),
            f"{found('jain', s, many).mean:.2f}",
            f"{found(_MBPS, s, many).mean:.1f}",
            f"{found('jain', rts, many).mean:.2f}" if has else "",
            f"{found(_MBPS, rts, many).mean:.1f}" if has else "",
        ]
        for n in some:
            row += [f"{found('jain', s, n).mean:.2f}", f"{found(_MBPS, s, n).mean:.1f}"]
            row.append(f"{found(_MBPS, rts, n).mean:.1f}" if has else "")
        row += [
            f"{found(_MBPS, s, counts[0]).mean:.1f}",
            f"{found('ack_airtime_ms_per_mb', s, many).mean:.1f}",
            _where(s),
        ]
        lines.append(row)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _where(name: str) -> str:
    return max((WHERE[s] for s in name.split("+")), key=len)


def _gain(found: Found, name: str, n: int) -> float:
    base = found(_MBPS, "agg", n).mean
    return found(_MBPS, name, n).mean / base - 1 if base else 0.0


def _stations(n: int) -> str:
    return "one station" if n == 1 else f"{n} stations"
