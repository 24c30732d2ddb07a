"""How questions beyond the paper are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.tac.rivals import title

if TYPE_CHECKING:
    from acklab.studies.tac.beyond.topic import Numbers, Topic

_LINE: Any = {"markersize": 4.5, "capsize": 2, "elinewidth": 0.8}


def by_point(topic: Topic, found: Numbers, stem: Path) -> Path:
    """A row per point, a panel per quantity, a mark per scheme."""
    names = [n for n in topic.shown if any(found.has(n, p) for p in found.points)]
    size = (3.2 * len(names) + 1.6, 0.34 * len(found.points) + 1.5)
    fig, axes = style.figure(1, len(names), size, share=False)
    y = list(range(len(found.points)))[::-1]
    for ax, quantity in zip(axes[0], names, strict=True):
        for i, scheme in enumerate(found.schemes):
            middle = (len(found.schemes) - 1) / 2
            at = [v + 0.18 * (middle - i) for v in y]
            es = [found(quantity, p, scheme) for p in found.points]
            bars = [[_bar(e.mean - e.low) for e in es], [_bar(e.high - e.mean) for e in es]]
            look: Any = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
            means = [e.mean for e in es]
            look |= {"linestyle": "none", "label": title(scheme), **_LINE}
            ax.errorbar(means, at, xerr=bars, **look)
        ax.set_yticks(y, found.points if ax is axes[0][0] else [], fontsize=8)
        # Rows stand side by side, even where a panel has nothing in some.
        ax.set_ylim(-0.7, len(y) - 0.3)
        ax.set_xlabel(topic.shown[quantity])
        if quantity in topic.logarithmic:
            ax.set_xscale("log")
            continue
        ax.locator_params(axis="x", nbins=6)
        if "jain" not in quantity:
            ax.set_xlim(left=-0.03 * ax.get_xlim()[1])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return style.save(fig, stem)


def by_timer(topic: Topic, found: Numbers, stem: Path) -> Path:
    """Te along the axis, a panel per quantity, a line per number of stations."""
    lines: dict[str, list[tuple[float, str]]] = {}
    for p in found.points:
        who, _, timer = p.partition(", Te ")
        lines.setdefault(who, []).append((float(timer.removesuffix(" ms")), p))
    fig, axes = style.figure(1, len(topic.shown), (3.4 * len(topic.shown), 3.4), share=False)
    for ax, (quantity, label) in zip(axes[0], topic.shown.items(), strict=True):
        for i, (who, points) in enumerate(lines.items()):
            es = [found(quantity, p, found.schemes[0]) for _, p in points]
            bars = [[_bar(e.mean - e.low) for e in es], [_bar(e.high - e.mean) for e in es]]
            look = {**style.line(i), "marker": style.MARKERS[i], "label": who, **_LINE}
            ax.errorbar([ms for ms, _ in points], [e.mean for e in es], yerr=bars, **look)
        timers = [ms for ms, _ in next(iter(lines.values()))]
        # From 0 on, and every value apart from its neighbour.
        ax.set_xscale("symlog", linthresh=1, linscale=0.6)
        ax.set_xticks(timers, [f"{ms:g}" for ms in timers])
        ax.minorticks_off()
        ax.set_xlim(left=-0.25)
        ax.set_xlabel("Te of TAC with guards, ms (0: no filter)")
        ax.set_ylabel(label)
        if quantity != "jain":
            ax.set_ylim(bottom=-0.03 * ax.get_ylim()[1])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return style.save(fig, stem)


def _bar(half: float) -> float:
    return half if half == half else 0.0
