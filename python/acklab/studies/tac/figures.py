"""Figures 2, 3, 5 and 6 of the paper, and Figure 5 with both TCPs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.tac.schemes import SCHEMES
from acklab.studies.tac.stacks import STACKS

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

LABELS = {
    "throughput_mbps": "aggregate throughput, Mbit/s",
    "jain": "Jain's index",
}
AXES = {"stations": "stations", "kilobytes": "Lmax, KB"}


def by_buffer(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 2."""
    names = {200: "B = 200", 10_000: "B = 10,000"}
    return _panels(table, stem, "kilobytes", "buffer", names, ("throughput_mbps", "jain"))


def by_stations(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 5."""
    return _panels(table, stem, "stations", "scheme", _schemes(table), ("jain", "throughput_mbps"))


def by_size(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 6."""
    return _panels(table, stem, "kilobytes", "scheme", _schemes(table), ("jain", "throughput_mbps"))


def modern(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 5 with both TCPs side by side."""
    stacks = table["stack"].unique(maintain_order=True).to_list()
    stacks.sort(key=list(STACKS).index)
    names = {s: SCHEMES[s].title for s in SCHEMES if s in set(table["scheme"])}
    fig, axes = style.figure(2, len(stacks), (9.5, 6))
    for column, stack in enumerate(stacks):
        of = table.filter(stack=stack)
        axes[0][column].set_title(STACKS[stack].title)
        for row, quantity in zip(axes, ("jain", "throughput_mbps"), strict=True):
            lines(row[column], of.filter(quantity=quantity), "stations", "scheme", names)
    _limits(axes[0], axes[1])
    style.label_outer(axes, AXES["stations"], [LABELS["jain"], LABELS["throughput_mbps"]])
    return _with_legend(fig, axes[0][0], stem)


def losses(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 3."""
    fig, axes = style.figure(1, 1, (6.4, 3.8))
    ax = axes[0][0]
    sizes = table["kilobytes"].unique(maintain_order=True).to_list()
    for p, size in enumerate(sizes):
        flows = table.filter(kilobytes=size, quantity="flow")["acklab"].to_list()
        look: Any = {"color": "#57606a", "markersize": 4.5, "linestyle": "none"}
        label = "a flow, seed 1" if p == 0 else None
        ax.plot([p] * len(flows), flows, marker="x", label=label, **look)
    for i, (quantity, label) in enumerate(
        (("ack_loss_mean", "mean of flows"), ("ack_loss_sd", "standard deviation"))
    ):
        rows = table.filter(quantity=quantity)
        at = [p + (0.18 if i else -0.18) for p in range(len(sizes))]
        look = {"color": style.CATEGORICAL[i], "marker": ("s", "o")[i], "markersize": 5}
        error = _error(rows)
        ax.errorbar(at, rows["acklab"], yerr=error, label=label, capsize=2, linewidth=1, **look)
        with_ns3 = [(p, v) for p, v in zip(at, rows["ns3"], strict=True) if v is not None]
        if with_ns3:
            _open(ax, with_ns3, i, ("s", "o")[i])
    ax.plot([], [], "s", color="grey", markerfacecolor="none", label="the same in ns-3.44")
    ax.set_xticks(range(len(sizes)), [f"{s}" for s in sizes])
    ax.set_ylim(bottom=0)
    ax.set_xlabel(AXES["kilobytes"])
    ax.set_ylabel("ACK loss rate")
    handles, labels = ax.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=4, fontsize=8)
    return style.save(fig, stem)


#: As `quantities.USES`.
_USE_NAMES = {
    "data": "TCP data",
    "transport_ack": "TCP ACKs",
    "mac_ack": "block ACKs",
    "control": "block ACK requests",
    "sifs": "SIFS",
    "contention": "contention",
    "collision": "collisions",
    "idle": "idle",
}


def air(table: pl.DataFrame, stem: Path) -> Path:
    """A panel per scheme: stacked shares of the air by number of stations."""
    names = _schemes(table)
    fig, axes = style.figure(1, len(names), (12, 3.8))
    counts = table["stations"].unique().sort().to_list()
    colours = (*style.CATEGORICAL[:4], "#000000", *style.CATEGORICAL[4:6], "#d0d7de")
    for ax, (scheme, name) in zip(axes[0], names.items(), strict=True):
        ax.set_title(name)
        below = [0.0] * len(counts)
        for (use, label), colour in zip(_USE_NAMES.items(), colours, strict=True):
            rows = table.filter(scheme=scheme, quantity=f"{use}_share").sort("stations")
            shares = rows["acklab"].to_list()
            hatch = {"transport_ack": "////", "collision": "xxxx"}.get(use, "")
            look: Any = {"facecolor": colour, "edgecolor": "white", "hatch": hatch, "lw": 0}
            ax.bar(range(len(counts)), shares, 0.8, bottom=below, label=label, **look)
            below = [b + s for b, s in zip(below, shares, strict=True)]
        sent = table.filter(scheme=scheme, quantity="packets_per_access").sort("stations")
        for p, count in enumerate(sent["acklab"]):
            ax.annotate(f"{count:.0f}", (p, 1.01), ha="center", va="bottom", fontsize=7)
        ax.set_ylim(0, 1.08)
        ax.set_xticks(range(len(counts)), [f"{n}" for n in counts], fontsize=7)
    style.label_outer(axes, AXES["stations"], ["share of the air"])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles[::-1], labels[::-1], loc="outside right center", fontsize=8)
    return style.save(fig, stem)


def _schemes(table: pl.DataFrame) -> dict[Any, str]:
    return {s: SCHEMES[s].title for s in table["scheme"].unique(maintain_order=True)}


def _panels(
    table: pl.DataFrame,
    stem: Path,
    x: str,
    by: str,
    names: Mapping[Any, str],
    quantities: Sequence[str],
) -> Path:
    fig, axes = style.figure(1, len(quantities), (9.5, 3.6), share=False)
    for ax, quantity in zip(axes[0], quantities, strict=True):
        lines(ax, table.filter(quantity=quantity), x, by, names)
        ax.set_ylabel(LABELS[quantity])
        ax.set_xlabel(AXES[x])
        _limits(*(([ax], []) if quantity == "jain" else ([], [ax])))
    return _with_legend(fig, axes[0][0], stem)


def _limits(jain: Sequence[Axes], rates: Sequence[Axes]) -> None:
    for ax in jain:
        ax.set_ylim(min(0.45, ax.get_ylim()[0]), 1.02)
    for ax in rates:
        ax.set_ylim(0, max(55.0, ax.get_ylim()[1]))


def lines(ax: Axes, table: pl.DataFrame, x: str, by: str, names: Mapping[Any, str]) -> None:
    """A line per value of `by`, with intervals; what paper and ns-3 state as marks."""
    place = _places(table[x].unique().sort().to_list(), x)
    for i, (value, name) in enumerate(names.items()):
        rows = table.filter(**{by: value}).sort(x)
        if rows.is_empty():
            continue
        at = [place(v) for v in rows[x]]
        ax.errorbar(
            at,
            rows["acklab"],
            yerr=_error(rows),
            marker=style.MARKERS[i],
            markersize=4,
            capsize=2,
            elinewidth=0.8,
            label=name,
            **style.line(i),
        )
        for column, draw in (("paper", _star), ("ns3", _open)):
            known = [(p, v) for p, v in zip(at, rows[column], strict=True) if v is not None]
            exact = column == "ns3" or rows["paper_is"].drop_nulls().to_list() == ["about"] * len(
                known
            )
            if known and exact:
                draw(ax, known, i, style.MARKERS[i], -_ASIDE if x == "stations" else _ASIDE)
    if x == "kilobytes":
        values = table[x].unique().sort().to_list()
        ax.set_xticks([place(v) for v in values], [f"{v}" for v in values])
    if x == "stations":
        # There is no run without stations.
        ax.set_xticks([v for v in table[x].unique().sort() if v == 1 or v % 5 == 0])


def _places(values: Sequence[int], x: str) -> Callable[[int], float]:
    """Where a value stands: Lmax doubles from mark to mark."""
    if x == "kilobytes":
        return lambda v: float(values.index(v))
    return float


def _error(rows: pl.DataFrame) -> Any:
    ends = [rows["acklab"] - rows["ci_low"], rows["ci_high"] - rows["acklab"]]
    return [e.fill_nan(0).fill_null(0) for e in ends]


#: The mark of a number of the paper's text, and how far beside its place it stands, inches: by
#: number of stations to the left, since to the right of one station are two.
_STAR, _ASIDE = "*", 0.13


def _open(
    ax: Axes, points: Sequence[tuple[float, float]], i: int, marker: str, _: float = 0
) -> None:
    """Around the mark of ours, at its place."""
    at, values = zip(*points, strict=True)
    look: Any = {"color": style.CATEGORICAL[i % 7], "markerfacecolor": "none", "markersize": 9}
    ax.plot(at, values, linestyle="none", marker=marker, **look)


def _star(ax: Axes, points: Sequence[tuple[float, float]], i: int, _: str, aside: float) -> None:
    """Above all lines, and so many inches beside the marks that stand at the same place."""
    from matplotlib.transforms import ScaledTranslation

    at, values = zip(*points, strict=True)
    beside = ScaledTranslation(aside, 0, ax.figure.dpi_scale_trans)
    look: Any = {"color": style.CATEGORICAL[i % 7], "markeredgecolor": "black", "zorder": 5}
    look |= {"transform": ax.transData + beside, "clip_on": False}
    ax.plot(at, values, linestyle="none", marker=_STAR, markersize=11, **look)


def _with_legend(fig: Any, ax: Axes, stem: Path) -> Path:
    """What is drawn, and no more, above it all."""
    grey: Any = {"color": "grey", "linestyle": "none"}
    drawn = [line for each in fig.axes for line in each.get_lines()]
    if any(line.get_marker() == _STAR for line in drawn):
        ax.plot([], [], marker=_STAR, markersize=11, label="paper's text", **grey)
    if any(line.get_markerfacecolor() == "none" for line in drawn):
        ax.plot([], [], marker="o", markersize=9, markerfacecolor="none", label="ns-3.44", **grey)
    handles, labels = ax.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return style.save(fig, stem)
