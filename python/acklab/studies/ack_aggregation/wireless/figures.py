"""Figures of the wireless part: tables as marks, series as lines, airtime as stacked bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.figures import CC_NAMES, STACK_NAMES
from acklab.studies.ack_aggregation.wireless.cells import SIZES
from acklab.studies.ack_aggregation.wireless.tables import USES

if TYPE_CHECKING:
    import polars as pl

AGGREGATION_NAMES = {
    "none": "none",
    "amsdu": "A-MSDU",
    "ampdu": "A-MPDU",
    "both": "both",
}
#: As `tables.USES`.
USE_NAMES = {
    "data": "TCP data",
    "transport_ack": "TCP ACKs",
    "mac_ack": "MAC ACKs",
    "sifs": "SIFS",
    "control": "block ack requests",
    "contention": "contention",
    "collision": "collisions",
    "idle": "idle",
}


def by_aggregation(table: pl.DataFrame, stem: Path) -> Path:
    """Table 4."""
    return _against_paper(table, stem, "aggregation", AGGREGATION_NAMES, "aggregation at the MAC")


def by_size(table: pl.DataFrame, stem: Path) -> Path:
    """Table 5."""
    return _against_paper(table, stem, "kilobytes", {s: f"{s}" for s in SIZES}, "A-MPDU limit, KB")


def _against_paper(
    table: pl.DataFrame, stem: Path, key: str, names: Mapping[Any, str], x: str
) -> Path:
    """A panel per controller: three set-ups, the thesis, and ns-3 where it was run."""
    import polars as pl

    fig, axes = style.figure(1, len(PAPER_CONTROLLERS), (11, 3.6))
    places = range(len(names))
    for ax, cc in zip(axes[0], PAPER_CONTROLLERS, strict=True):
        ax.set_title(CC_NAMES[cc])
        for i, (stack, name) in enumerate(STACK_NAMES.items()):
            rows = _picked(table, stack, cc)
            look = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i], "markersize": 4.5}
            ends = [(rows["acklab"] - rows["ci_low"]), (rows["ci_high"] - rows["acklab"])]
            ax.errorbar(
                [p + 0.1 * (i - 1) for p in places],
                rows["acklab"],
                yerr=[e.fill_nan(0).fill_null(0) for e in ends],
                linestyle=style.DASHES[i],
                linewidth=1.1,
                capsize=2,
                label=name,
                **look,
            )
            shown = rows.filter(pl.col("ns3").is_not_null())
            if shown.height:
                order = list(names)
                ax.plot(
                    [order.index(k) + 0.1 * (i - 1) for k in shown[key]],
                    shown["ns3"],
                    linestyle="none",
                    marker=style.MARKERS[i],
                    markerfacecolor="none",
                    markersize=9,
                    color=style.CATEGORICAL[i],
                )
        paper = _picked(table, "ns3", cc)["paper"]
        ax.plot(places, paper, "k_", markersize=16, mew=2.2, label="thesis")
        ax.plot([], [], "o", color="grey", markerfacecolor="none", markersize=9, label="ns-3.44")
        ax.set_xticks(places, list(names.values()), fontsize=8)
        ax.set_xlim(-0.4, len(names) - 0.6)
    # Intervals of two seeds may be longer than the panel is high.
    highest = max(v for c in ("acklab", "paper", "ns3") for v in table[c].drop_nulls())
    axes[0][0].set_ylim(0, 1.12 * highest)
    style.label_outer(axes, x, ["goodput, Mbit/s"])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center", fontsize=8)
    return style.save(fig, stem)


def throughput(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 5."""
    return _over_time(table, stem, "acknowledged, Mbit/s")


def window(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 6; logarithmic, since ns-3's NewReno lets a window grow that a buffer limits."""
    return _over_time(table, stem, "cwnd, packets", log=True)


def _over_time(table: pl.DataFrame, stem: Path, y: str, log: bool = False) -> Path:
    fig, axes = style.figure(len(STACK_NAMES), len(PAPER_CONTROLLERS), (11, 7))
    for row, stack in zip(axes, STACK_NAMES, strict=True):
        for ax, cc in zip(row, PAPER_CONTROLLERS, strict=True):
            if stack == next(iter(STACK_NAMES)):
                ax.set_title(CC_NAMES[cc])
            for i, (how, name) in enumerate(AGGREGATION_NAMES.items()):
                line = _picked(table, stack, cc, aggregation=how)
                ax.plot(line["time_s"], line["acklab"], label=name, **style.line(i))
            if log:
                ax.set_yscale("log")
                ax.yaxis.set_major_formatter(lambda packets, _: f"{packets:,.0f}")
        if not log:
            row[0].set_ylim(bottom=0)
    style.label_outer(axes, "time, s", [f"{name}\n{y}" for name in STACK_NAMES.values()])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center", title="aggregation")
    return style.save(fig, stem)


def airtime(table: pl.DataFrame, stem: Path) -> Path:
    """What the air is used for, by aggregation."""
    return _airtime(table, stem, "aggregation", AGGREGATION_NAMES, "aggregation at the MAC")


def airtime_by_size(table: pl.DataFrame, stem: Path) -> Path:
    """What the air is used for, by the A-MPDU's limit."""
    return _airtime(table, stem, "kilobytes", {s: f"{s}" for s in SIZES}, "A-MPDU limit, KB")


def _airtime(table: pl.DataFrame, stem: Path, key: str, names: Mapping[Any, str], x: str) -> Path:
    """Stacked bars; on each the MPDUs that the station sent at once."""
    fig, axes = style.figure(len(STACK_NAMES), len(PAPER_CONTROLLERS), (11, 7.6))
    colours = (*style.CATEGORICAL[:6], "#000000", "#d0d7de")
    for row, (stack, stack_name) in zip(axes, STACK_NAMES.items(), strict=True):
        for ax, cc in zip(row, PAPER_CONTROLLERS, strict=True):
            if stack == next(iter(STACK_NAMES)):
                ax.set_title(CC_NAMES[cc])
            below = [0.0] * len(names)
            for use, colour in zip(USES, colours, strict=True):
                shares = _ordered(_picked(table, stack, cc, quantity=f"{use}_share"), key, names)
                ax.bar(range(len(names)), shares, 0.74, bottom=below, **_look(use, colour))
                below = [b + s for b, s in zip(below, shares, strict=True)]
            at_once = _picked(table, stack, cc, quantity="segments_per_access")
            for p, count in enumerate(_ordered(at_once, key, names)):
                ax.annotate(f"{count:.1f}", (p, 1.01), ha="center", va="bottom", fontsize=7.5)
            ax.set_ylim(0, 1.1)
            ax.set_xticks(range(len(names)), list(names.values()), fontsize=8)
        row[0].set_ylabel(f"{stack_name}\nshare of the air")
    for ax in axes[-1]:
        ax.set_xlabel(x)
    handles = [_patch(u, c) for u, c in zip(USES, colours, strict=True)]
    fig.legend(handles=handles[::-1], loc="outside right center", fontsize=8)
    return style.save(fig, stem)


#: What grey would not tell from its neighbours.
USE_HATCHES = {"transport_ack": "////", "mac_ack": "....", "contention": "\\\\\\\\"}


def _look(use: str, colour: str) -> dict[str, Any]:
    hatch = USE_HATCHES.get(use, "")
    return {"facecolor": colour, "edgecolor": "white", "hatch": hatch, "lw": 0}


def _patch(use: str, colour: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(label=USE_NAMES[use], **_look(use, colour))


def readings(table: pl.DataFrame, stem: Path) -> Path:
    """The settings by distance: all cells, without Vegas, and Vegas alone."""
    order = table.sort("rank", descending=True)
    fig, axes = style.figure(1, 1, (8.5, 0.21 * table.height + 1.4))
    ax = axes[0][0]
    y = range(order.height)
    shown = {"distance": "all", "without_vegas": "BBRv3, CUBIC, NewReno", "vegas": "Vegas"}
    for i, (name, label) in enumerate(shown.items()):
        look = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
        ax.plot(order[name], y, linestyle="none", label=label, markersize=5, **look)
    ax.set_yticks(y, [f"{r['segment']}: {r['reading']}" for r in order.iter_rows(named=True)])
    ax.set_ylim(-1, order.height)
    ax.set_xlim(left=0)
    ax.set_xlabel("mean relative distance from Tables 4 and 5")
    fig.legend(loc="outside upper right", ncols=3)
    return style.save(fig, stem)


def _picked(table: pl.DataFrame, stack: str, cc: str, **keys: str) -> pl.DataFrame:
    return table.filter(stack=stack, cc=cc, **keys)


def _ordered(rows: pl.DataFrame, key: str, names: Mapping[Any, str]) -> Sequence[float]:
    found = dict(zip(rows[key], rows["acklab"], strict=True))
    return [found[name] for name in names]
