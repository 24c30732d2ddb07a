"""The figure of the rivals: as stations are today, and with the paper's windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.stats import Estimate
from acklab.studies.tac.rivals import Found, numbers, schemes, title, with_rts
from acklab.studies.tac.stacks import MODERN, TODAY

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

#: Quantities with their labels.
SHOWN: Mapping[str, str] = {
    "jain": "Jain's index",
    "throughput_mbps": "throughput, Mbit/s",
    "ack_airtime_ms_per_mb": "airtime of ACKs, ms per MB",
    "queue_wait_ms": "wait in the AP, ms",
}
#: Set-ups from above, with the numbers of stations that are drawn.
_SETUPS: Mapping[str, tuple[str, Sequence[int]]] = {
    TODAY: ("stations of today: CUBIC, windows by Linux, 1448 B, 64 KB", (1, 5, 30)),
    MODERN: ("the paper's windows of 50 packets: NewReno, 1024 B, 16 KB", (1, 10, 30)),
}
_ROW_INCHES = 0.34


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """A row per scheme, a panel per quantity, a mark per number of stations, open with RTS/CTS."""
    rows = {of: schemes(table, of, 30, announced=False) for of in _SETUPS}
    heights = [len(names) + 1 for names in rows.values()]
    size = (12.5, _ROW_INCHES * sum(heights) + 1.2)
    fig, axes = style.figure(len(_SETUPS), len(SHOWN), size, share=False, heights=heights)
    for line, (stack, names) in zip(axes, rows.items(), strict=True):
        told, counts = _SETUPS[stack]
        have = [n for n in counts if schemes(table, stack, n, announced=False)]
        for ax, (quantity, label) in zip(line, SHOWN.items(), strict=True):
            found = numbers(table, stack)
            _panel(ax, found, quantity, names, have)
            there = [*range(len(names))][::-1]
            ax.set_yticks(there, [title(n) for n in names] if ax is line[0] else [], fontsize=8)
            ax.set_ylim(-0.6, len(names) - 0.4)
            ax.set_xlabel(label)
            if quantity != "jain":
                ax.set_xlim(left=-0.02 * ax.get_xlim()[1])
        line[0].set_title(told)
    _legend(fig)
    return style.save(fig, stem)


def _panel(
    ax: Axes, found: Found, quantity: str, names: Sequence[str], counts: Sequence[int]
) -> None:
    for i, n in enumerate(counts):
        aside = 0.22 * ((len(counts) - 1) / 2 - i)
        look: Any = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i], "markersize": 4.5}
        for announced in (False, True):
            points = [
                (e, len(names) - 1 - k + aside)
                for k, name in enumerate(names)
                if (e := _known(found, quantity, with_rts(name) if announced else name, n))
            ]
            told = "" if announced else f"{n} station{'s' if n > 1 else ''}"
            _marks(ax, points, told, look | ({"markerfacecolor": "white"} if announced else {}))


def _legend(fig: Any) -> None:
    """Marks of both set-ups: the second number of stations is not the same."""
    from matplotlib.lines import Line2D

    some = " or ".join(f"{counts[1]}" for _, counts in _SETUPS.values())
    names = ("1 station", f"{some} stations", "30 stations")
    handles: list[Any] = [
        Line2D([], [], linestyle="none", color=style.CATEGORICAL[i], marker=style.MARKERS[i])
        for i in range(len(names))
    ]
    handles.append(Line2D([], [], linestyle="none", color="grey", marker="o", mfc="white"))
    labels = [*names, "open: with RTS/CTS"]
    fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))


def _marks(ax: Axes, points: Sequence[tuple[Estimate, float]], label: str, look: Any) -> None:
    bars = [
        [_bar(e.mean - e.low) for e, _ in points],
        [_bar(e.high - e.mean) for e, _ in points],
    ]
    line: Any = {"linestyle": "none", "capsize": 2, "elinewidth": 0.8}
    at = [y for _, y in points]
    ax.errorbar([e.mean for e, _ in points], at, xerr=bars, label=label or None, **line, **look)


def _known(found: Found, quantity: str, name: str, stations: int) -> Estimate | None:
    try:
        return found(quantity, name, stations)
    except KeyError:
        return None


def _bar(half: float) -> float:
    return half if half == half else 0.0
