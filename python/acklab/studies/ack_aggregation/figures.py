"""Figures 2 to 4: one panel per stack and controller, one line per ratio."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, RATIOS

if TYPE_CHECKING:
    import polars as pl

STACK_NAMES = {"ns3": "ns-3 stack", "linux": "Linux stack"}
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

    fig, axes = style.figure(1, len(STACK_NAMES), (8.2, 3.2))
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
        ax.set_ylim(bottom=0)
    style.label_outer(axes, "ACKs aggregated", ["segments retransmitted"])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center", fontsize=8)
    return style.save(fig, stem)


def _over_time(table: pl.DataFrame, stem: Path, y: str, smooth: int) -> Path:
    import polars as pl

    fig, axes = style.figure(len(STACK_NAMES), len(PAPER_CONTROLLERS), (11, 5))
    colours = style.ordered(len(RATIOS))
    for row, stack in zip(axes, STACK_NAMES, strict=True):
        for ax, cc in zip(row, PAPER_CONTROLLERS, strict=True):
            ax.set_title(CC_NAMES[cc])
            for i, ratio in enumerate(RATIOS):
                line = table.filter(
                    (pl.col("stack") == stack) & (pl.col("cc") == cc) & (pl.col("ratio") == ratio)
                )
                values = line["acklab"].rolling_mean(smooth, min_samples=1)
                style_ = {"color": colours[i], "linestyle": style.DASHES[i], "linewidth": 1.1}
                ax.plot(line["time_s"], values, label=f"{ratio}:1", **style_)
            ax.set_ylim(bottom=0)
    style.label_outer(axes, "time, s", [f"{name}\n{y}" for name in STACK_NAMES.values()])
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center", title="ACKs\naggregated")
    return style.save(fig, stem)
