"""Two questions that the runs of the rivals answer: one queue or many, and air spent on ACKs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.study import Artefact, Outcome
from acklab.studies.tac import rivals
from acklab.studies.tac.beyond.words import SEEN
from acklab.studies.tac.rivals import Found, numbers, schemes, title, with_rts
from acklab.studies.tac.stacks import MODERN, TODAY

if TYPE_CHECKING:
    import polars as pl

_MBPS, _AIR = "throughput_mbps", "ack_airtime_ms_per_mb"
#: Set-ups, with what they are called.
_SETUPS: Mapping[str, str] = {TODAY: "stations of today", MODERN: "windows of 50 packets"}
#: One queue of 200, a large one, and queues per station; the latter with a filter in them.
_QUEUES = ("agg", "deep", "per-station", "cake+per-station")
_SHOWN: Mapping[str, str] = {
    "jain": "Jain's index",
    _MBPS: "throughput, Mbit/s",
    "queue_wait_ms": "wait in the AP, ms",
    "rtt_mean_ms": "RTT, ms",
}


def _table(quantities: Sequence[str], names: Sequence[str] = ()) -> Callable[..., pl.DataFrame]:
    """Of the rivals' rows those of these quantities, and of these schemes."""

    def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
        mine = [o for o in outcomes if o.keys["stack"] in _SETUPS]
        wanted = [o for o in mine if not names or o.keys["scheme"] in names]
        found = rivals.table(wanted)
        return found.filter(found["quantity"].is_in(list(quantities)))

    return table


def _have(table: pl.DataFrame) -> dict[str, tuple[Found, list[int]]]:
    """Of each set-up that was run its numbers, and of how many stations."""
    of = {s: sorted(table.filter(stack=s)["stations"].unique()) for s in _SETUPS}
    return {s: (numbers(table, s), counts) for s, counts in of.items() if counts}


def _lines(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def queues(table: pl.DataFrame) -> str:
    """Whether to leave one queue for queues per station."""
    have, told = _have(table), []
    for stack, (found, counts) in have.items():
        n = counts[-1]
        one, many = (found("jain", s, n) for s in ("agg", "per-station"))
        rate = found(_MBPS, "per-station", n).mean / found(_MBPS, "agg", n).mean - 1
        wait, rtt = (
            [found(q, s, n).mean for s in ("agg", "per-station")]
            for q in ("queue_wait_ms", "rtt_mean_ms")
        )
        verdict = (
            "are more even" if many.low > one.high else "are not more even, as far as seeds tell"
        )
        price = f"with {rate:+.0%} throughput" if abs(rate) > SEEN else "at the same throughput"
        told.append(
            f"With {_SETUPS[stack]} and N = {n} they {verdict} ({many.mean:.2f} instead of "
            f"{one.mean:.2f}) {price}; ACKs wait for {wait[1]:.0f} ms instead of {wait[0]:.0f}, "
            f"and the RTT is {rtt[1]:.0f} ms instead of {rtt[0]:.0f}"
        )
    sure = [
        f("jain", "per-station", c[-1]).low > f("jain", "agg", c[-1]).high for f, c in have.values()
    ]
    todo = "Have" if all(sure) else "Have, where it helps,"
    rows = [["", *_SHOWN.values()], ["---", *["--:"] * len(_SHOWN)]]
    for stack, (found, counts) in have.items():
        whole = [n for n in counts if _run(table, stack, n, "deep", announced=False)] or counts
        for n in (whole[0], *whole[1:-1][:1], whole[-1]):
            names = [s for s in _QUEUES if _run(table, stack, n, s, announced=False)]
            cells = [" / ".join(_told(found, q, s, n) for s in names) for q in _SHOWN]
            rows.append([f"{_SETUPS[stack]}, N = {n}", *cells])
    order = " / ".join(title(s) for s in names)
    return (
        f"**Advice.** **{todo} a queue for each station, as mac80211 has, rather than one for "
        f"all.** {'. '.join(told)}.\n\n{order}:\n\n{_lines(rows)}"
    )


def _told(found: Found, quantity: str, name: str, n: int) -> str:
    digits = {"jain": 2, _MBPS: 1}.get(quantity, 0)
    return f"{found(quantity, name, n).mean:.{digits}f}"


def airtime(table: pl.DataFrame) -> str:
    """What ACKs cost in air, and whether less of it is more throughput."""
    have, told = _have(table), []
    rows = [["", *(f"{_SETUPS[s]}, N = {c[-1]}" for s, (_, c) in have.items())]]
    rows.append(["---", *["--:"] * len(have)])
    names = dict.fromkeys(
        s for stack, (_, c) in have.items() for s in schemes(table, stack, c[-1], announced=False)
    )
    for s in names:
        rows.append(
            [title(s), *(_air(table, stack, found, s, c[-1]) for stack, (found, c) in have.items())]
        )
    for stack, (found, counts) in have.items():
        n = counts[-1]
        mine = schemes(table, stack, n, announced=False)
        least = min(mine, key=lambda s: found(_AIR, s, n).mean)
        share = found("transport_ack_share", "agg", n).mean
        saved = share - found("transport_ack_share", least, n).mean
        gain = found(_MBPS, least, n).mean / found(_MBPS, "agg", n).mean - 1
        told.append(
            f"with {_SETUPS[stack]} and N = {n} a delivered megabyte costs "
            f"{found(_AIR, 'agg', n).mean:.1f} ms of air for ACKs, {share:.0%} of all air; "
            f"{title(least)} needs least, {found(_AIR, least, n).mean:.1f} ms, saves {saved:.1%} "
            f"of the air and has {gain:+.0%} throughput, while collisions take "
            f"{found('collision_share', 'agg', n).mean:.0%}"
        )
    worth = [
        found("collision_share", "agg", c[-1]).mean
        > found("transport_ack_share", "agg", c[-1]).mean
        for found, c in have.values()
    ]
    todo = (
        "Do not choose by the air that ACKs take: with many stations collisions take more"
        if all(worth)
        else "Choose by the air that ACKs take: collisions take no more everywhere"
    )
    text = "; ".join(told)
    return (
        f"**Advice.** **{todo}.** {text[0].upper()}{text[1:]}.\n\n"
        f"ms per MB (with RTS/CTS):\n\n{_lines(rows)}"
    )


def _air(table: pl.DataFrame, stack: str, found: Found, name: str, n: int) -> str:
    if name not in schemes(table, stack, n, announced=False):
        return ""
    rts = with_rts(name)
    has = rts in schemes(table, stack, n, announced=True)
    also = f" ({found(_AIR, rts, n).mean:.1f})" if has else ""
    return f"{found(_AIR, name, n).mean:.1f}{also}"


def draw_queues(table: pl.DataFrame, stem: Path) -> Path:
    """A column per quantity, a row per set-up, a line per kind of queue, by stations."""
    have = _have(table)
    fig, axes = style.figure(len(have), len(_SHOWN), (12.5, 2.7 * len(have) + 0.5), share=False)
    for line, (stack, (found, counts)) in zip(axes, have.items(), strict=True):
        for ax, (quantity, label) in zip(line, _SHOWN.items(), strict=True):
            for i, name in enumerate(_QUEUES):
                at = [n for n in counts if name in schemes(table, stack, n, announced=False)]
                if at:
                    es = [found(quantity, name, n) for n in at]
                    bars = [[_bar(e.mean - e.low) for e in es], [_bar(e.high - e.mean) for e in es]]
                    look: Any = {**style.line(i), "marker": style.MARKERS[i], "markersize": 4}
                    label_of = "AGG: one queue of 200" if name == "agg" else title(name)
                    ax.errorbar(
                        at, [e.mean for e in es], yerr=bars, capsize=2, label=label_of, **look
                    )
            ax.set_ylabel(label)
            ax.set_xlabel("stations")
            if quantity != "jain":
                ax.set_ylim(bottom=0)
        line[0].set_title(_SETUPS[stack])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return style.save(fig, stem)


def draw_airtime(table: pl.DataFrame, stem: Path) -> Path:
    """A panel per set-up, a bar per scheme: where the air of a delivered megabyte goes."""
    have = _have(table)
    rows = [
        (with_rts(s) if announced else s)
        for s in _BARS
        for announced in (False, True)
        if any(_run(table, stack, c[-1], s, announced) for stack, (_, c) in have.items())
    ]
    fig, axes = style.figure(1, len(have), (5.4 * len(have), 0.24 * len(rows) + 1.4), share=False)
    for ax, (stack, (found, counts)) in zip(axes[0], have.items(), strict=True):
        n = counts[-1]
        there = [
            (len(rows) - 1 - k, s)
            for k, s in enumerate(rows)
            if s in table.filter(stack=stack, stations=n)["scheme"]
        ]
        below = [0.0] * len(there)
        for i, (label, read) in enumerate(_PARTS.items()):
            parts = [read(found, s, n) for _, s in there]
            look: Any = {"color": _COLOURS[i], "label": label, "left": below}
            ax.barh([y for y, _ in there], parts, 0.75, **look)
            below = [b + v for b, v in zip(below, parts, strict=True)]
        for y, s in there:
            told = f"{found(_AIR, s, n).mean:.1f}"
            ax.annotate(told, (0, y), (3, 0), textcoords="offset points", va="center", fontsize=6.5)
        ax.set_yticks(
            range(len(rows)), [title(s) for s in rows][::-1] if ax is axes[0][0] else [], fontsize=8
        )
        ax.set_ylim(-0.6, len(rows) - 0.4)
        ax.set_title(f"{_SETUPS[stack]}, N = {n}")
        ax.set_xlabel("ms of air for each delivered MB; the numbers: for ACKs")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return style.save(fig, stem)


def _run(table: pl.DataFrame, stack: str, n: int, name: str, announced: bool) -> bool:
    return (with_rts(name) if announced else name) in schemes(table, stack, n, announced=announced)


def _per_mb(quantity: str) -> Callable[[Found, str, int], float]:
    """A share of the air as ms for each delivered megabyte."""
    return lambda found, s, n: found(quantity, s, n).mean * _whole(found, s, n)


def _whole(found: Found, name: str, n: int) -> float:
    """All the air of a megabyte, ms."""
    return 8e3 / max(found(_MBPS, name, n).mean, 1e-9)


def _rest(found: Found, name: str, n: int) -> float:
    used = sum(found(q, name, n).mean for q in _SHARES)
    return max(0.0, 1 - used) * _whole(found, name, n)


_SHARES = ("transport_ack_share", "data_share", "collision_share")
#: Of the bars, from the left.
_PARTS: Mapping[str, Callable[[Found, str, int], float]] = {
    "ACKs": _per_mb("transport_ack_share"),
    "data": _per_mb("data_share"),
    "collisions": _per_mb("collision_share"),
    "the rest: contention, block ACKs, RTS, idle": _rest,
}
_COLOURS = ("#E69F00", "#56B4E9", "#D55E00", "#d0d7de")
#: What is drawn, with RTS/CTS and without.
_BARS = (
    *("agg", "diff", "rdg", "tac-guarded", "cake", "android-thin", "per-station"),
    *("hack", "cake+per-station"),
)


def _bar(half: float) -> float:
    return half if half == half else 0.0


ARTEFACTS = (
    Artefact(
        "beyond-queues",
        "Beyond the paper: one queue for all against mac80211's queues per station",
        _table([*_SHOWN], _QUEUES),
        draw_queues,
        queues,
        group="rivals",
        caption="Means with 95 % intervals. Queues per station have mac80211's limits and CoDel.",
    ),
    Artefact(
        "beyond-airtime",
        "Beyond the paper: airtime spent on ACKs for each delivered megabyte",
        _table([_AIR, _MBPS, *_SHARES]),
        draw_airtime,
        airtime,
        group="rivals",
        caption="Means. Airtime of ACKs counts PPDUs with nothing but transport ACKs.",
    ),
)
