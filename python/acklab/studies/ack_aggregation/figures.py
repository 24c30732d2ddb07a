"""Figures 2 to 4: one panel per stack and controller, one line per ratio."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, RATIOS

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

STACK_NAMES = {
    "ns3": "as stated, ns-3 stack",
    "linux": "as stated, Linux stack",
    "thesis": "inferred set-up",
}
CC_NAMES = {
    "bbr1": "BBRv1",
    "bbr3": "BBRv3",
    "cubic": "CUBIC",
    "newreno": "NewReno",
    "linuxreno": "LinuxReno",
    "vegas": "Vegas",
}


def throughput(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 2."""
    return _over_time(table, stem, "acknowledged, Mbit/s", smooth=4)


def window(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 3."""
    return _over_time(table, stem, "cwnd, packets", smooth=1)


def retransmissions(table: pl.DataFrame, stem: Path) -> Path:
    """Figure 4: counts against the ratio, with ns-3's where there are some."""
    import polars as pl

    fig, axes = style.figure(1, len(STACK_NAMES), (11, 3.4))
    for ax, (stack, name) in zip(axes[0], STACK_NAMES.items(), strict=True):
        ax.set_title(name)
        for i, cc in enumerate(PAPER_CONTROLLERS):
            rows = table.filter((pl.col("stack") == stack) & (pl.col("cc") == cc))
            x = range(len(RATIOS))
            low = (rows["acklab"] - rows["ci_low"].fill_nan(0).fill_null(0)).clip(0)
            high = (rows["ci_high"].fill_nan(0).fill_null(0) - rows["acklab"]).clip(0)
            ax.errorbar(
                [v + 0.06 * (i - 1.5) for v in x],
                rows["acklab"],
                yerr=[low, high],
                color=style.CATEGORICAL[i],
                marker=style.MARKERS[i],
                linestyle=style.DASHES[i],
                markersize=4.5,
                capsize=2,
                linewidth=1.2,
                label=CC_NAMES[cc],
            )
            reference = rows["ns3"].to_list()
            if any(v is not None for v in reference):
                ax.plot(
                    x,
                    reference,
                    color=style.CATEGORICAL[i],
                    marker=style.MARKERS[i],
                    markerfacecolor="none",
                    linestyle="none",
                    markersize=8,
                    label=f"{CC_NAMES[cc]}, ns-3 itself",
                )
        ax.set_xticks(range(len(RATIOS)), [f"{r}:1" for r in RATIOS])
    _from_zero(axes[0])
    style.label_outer(axes, "ACKs aggregated", ["segments retransmitted"])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center", fontsize=8)
    return style.save(fig, stem)


#: Above this many times the median, one line would press the others of its row to the ground.
FAR = 100


def _scale(row: Sequence[Axes], values: pl.Series) -> None:
    """Zero at the bottom, or orders of magnitude: ns-3's NewReno lets a window grow unused."""
    top, middle = values.max(), values.median()
    if isinstance(top, float) and isinstance(middle, float) and top > FAR * middle > 0:
        for ax in row:
            ax.set_yscale("log")
    else:
        _from_zero(row)


def _from_zero(row: Sequence[Axes]) -> None:
    """Lets a row that shares y begin at zero. Last of all: setting one limit freezes the other."""
    for ax in row:
        ax.set_ylim(bottom=0)


#: The quantities of the figure on mechanisms, with the labels of their axes.
SHOWN = {
    "first_data_s": "first data\nacknowledged, s",
    "segments_per_ack": "segments per\nACK at the sender",
    "queue_max_packets": "longest queue at\nthe bottleneck, packets",
    "rtt_min_ms": "smallest RTT, ms",
}


def mechanism(table: pl.DataFrame, stem: Path) -> Path:
    """What aggregation does before it does anything to throughput."""
    import polars as pl

    fig, axes = style.figure(len(SHOWN), len(STACK_NAMES), (10, 8.5))
    for row, quantity in zip(axes, SHOWN, strict=True):
        for ax, (stack, name) in zip(row, STACK_NAMES.items(), strict=True):
            if quantity == next(iter(SHOWN)):
                ax.set_title(name)
            for i, cc in enumerate(PAPER_CONTROLLERS):
                line = table.filter(
                    (pl.col("stack") == stack)
                    & (pl.col("cc") == cc)
                    & (pl.col("quantity") == quantity)
                )
                ax.plot(
                    [x + 0.05 * (i - 1.5) for x in range(len(RATIOS))],
                    line["acklab"],
                    color=style.CATEGORICAL[i],
                    marker=style.MARKERS[i],
                    linestyle=style.DASHES[i],
                    markersize=4.5,
                    linewidth=1.1,
                    label=CC_NAMES[cc],
                )
            ax.set_xticks(range(len(RATIOS)), [f"{r}:1" for r in RATIOS])
        _from_zero(row)
    style.label_outer(axes, "ACKs aggregated", list(SHOWN.values()))
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center")
    return style.save(fig, stem)


def fairness(table: pl.DataFrame, stem: Path) -> Path:
    """Tables 2 and 3 as lines: ours in each set-up, and the paper's."""
    import polars as pl

    pairs = list(dict.fromkeys(table["pair"]))
    fig, axes = style.figure(1, len(pairs), (1.9 * len(pairs) + 1.8, 2.9))
    for ax, pair in zip(axes[0], pairs, strict=True):
        ax.set_title(" and ".join(CC_NAMES[cc] for cc in dict.fromkeys(pair.split("-"))))
        for i, (stack, name) in enumerate(STACK_NAMES.items()):
            rows = table.filter((pl.col("pair") == pair) & (pl.col("stack") == stack))
            look = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i], "markersize": 4.5}
            ax.plot(
                range(len(RATIOS)),
                rows["acklab"],
                **look,
                linestyle=style.DASHES[i],
                linewidth=1.1,
                label=name,
            )
        ax.plot(range(len(RATIOS)), rows["paper"], "k_", markersize=11, mew=2, label="thesis")
        ax.set_xticks(range(len(RATIOS)), [f"{r}" for r in RATIOS])
        ax.set_ylim(0.45, 1.03)
    style.label_outer(axes, "ACKs aggregated, N:1", ["Jain's index"])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center")
    return style.save(fig, stem)


def _over_time(table: pl.DataFrame, stem: Path, y: str, smooth: int) -> Path:
    import polars as pl

    fig, axes = style.figure(len(STACK_NAMES), len(PAPER_CONTROLLERS), (11, 7))
    colours = style.ordered(len(RATIOS))
    for row, stack in zip(axes, STACK_NAMES, strict=True):
        for ax, cc in zip(row, PAPER_CONTROLLERS, strict=True):
            if stack == next(iter(STACK_NAMES)):
                ax.set_title(CC_NAMES[cc])
            for i, ratio in enumerate(RATIOS):
                line = table.filter(
                    (pl.col("stack") == stack) & (pl.col("cc") == cc) & (pl.col("ratio") == ratio)
                )
                values = line["acklab"].rolling_mean(smooth, min_samples=1)
                style_ = {"color": colours[i], "linestyle": style.DASHES[i], "linewidth": 1.1}
                ax.plot(line["time_s"], values, label=f"{ratio}:1", **style_)
        _scale(row, table.filter(pl.col("stack") == stack)["acklab"])
    style.label_outer(axes, "time, s", [f"{name}\n{y}" for name in STACK_NAMES.values()])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center", title="ACKs\naggregated")
    return style.save(fig, stem)


def readings(table: pl.DataFrame, stem: Path) -> Path:
    """The readings by distance, one dot per table of the paper."""
    order = table.sort("rank", descending=True)
    fig, axes = style.figure(1, 1, (8.5, 0.21 * table.height + 1.2))
    ax = axes[0][0]
    y = range(order.height)
    for i, name in enumerate(("table1", "table2", "table3")):
        look = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
        ax.plot(order[name], y, linestyle="none", label=f"Table {i + 1}", markersize=5, **look)
    signs = {"alone": "", "step": "+ ", "without": "all but: "}
    ax.set_yticks(y, [signs[r["walk"]] + r["reading"] for r in order.iter_rows(named=True)])
    ax.set_xlim(left=0)
    ax.set_xlabel("distance from the thesis (Table 1: relative; 2 and 3: of Jain's index)")
    fig.legend(loc="outside upper right", ncols=3)
    return style.save(fig, stem)
