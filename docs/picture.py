"""Draws docs/picture.svg, the picture of the README: `make picture`."""

import io
from pathlib import Path

import matplotlib as mpl
import polars as pl

import acklab
from acklab.plots import style
from acklab.validate import compare, kernel_rows, ns3_rows

RATIOS = (1, 4, 16)
#: What a router lets pass.
PASSED = {1: "every ACK", 4: "one ACK in 4", 16: "one ACK in 16"}
OUT = Path(__file__).with_suffix(".svg")


def windows(columns):
    """Congestion windows of one flow while a router thins its acknowledgements.

    A column for each controller, a panel for each ratio: the lines of BBRv3 would hide each other.
    """
    most = 0
    for column, (cc, name) in zip(
        columns, {"newreno": "NewReno", "bbr3": "BBRv3"}.items(), strict=True
    ):
        for ax, ratio, colour in zip(column, RATIOS, style.ordered(len(RATIOS)), strict=True):
            scenario = acklab.load(
                Path(__file__).parents[1] / "scenarios" / "ack-aggregation.toml",
                overrides={
                    "flow.0.cc": {"name": cc, "growth": "ns3"} if cc == "newreno" else cc,
                    "flow.0.ack": "per-packet",
                    "topology.bottleneck.reverse.ack_filter.ratio": ratio,
                    "sample_every": "100 ms",
                    "duration": "30 s",
                },
            )
            series = scenario.run().series
            time = series["time_s"] - series["time_s"][0]
            ax.plot(time, series["cwnd_packets"], color=colour, lw=1.2)
            ax.text(
                1, 1, PASSED[ratio], transform=ax.transAxes, ha="right", va="bottom", fontsize=8
            )
            most = max(most, series["cwnd_packets"].max())
        column[0].set_title(name, fontsize=9, loc="left")
        column[-1].set_xlabel("time, s")
    for ax in columns.flat:
        ax.set_ylim(0, 1.05 * most)
        ax.label_outer()
    columns[0][1].set_ylabel("congestion window, packets")


def against_references(ax):
    """Goodput here against goodput there, as a share of the link."""
    sources = {
        "Linux kernel": (kernel_rows(), "#0072B2", "o"),
        "ns-3": (ns3_rows(), "#D55E00", "s"),
    }
    for name, (references, colour, marker) in sources.items():
        rows = pl.DataFrame(
            [
                {"x": c.metrics[0].reference, "y": c.metrics[0].acklab}
                for c in compare(references, seeds=3)
            ]
        )
        ax.plot(
            rows["x"],
            rows["y"],
            marker,
            color=colour,
            ms=5,
            mfc="none",
            label=f"{name}, {len(rows)} cells",
        )
    ax.plot([3, 40], [3, 40], color="#888888", lw=0.8, zorder=0)
    ax.set(xscale="log", yscale="log", xlabel="reference", ylabel="acklab")
    ticks = [3, 5, 10, 20, 40]
    ax.set_xticks(ticks, map(str, ticks))
    ax.set_yticks(ticks, map(str, ticks))
    ax.minorticks_off()
    ax.set_title("goodput, Mbit/s", fontsize=9)
    ax.legend(fontsize=8)


def main():
    """Draws it."""
    fig, axes = style.figure(len(RATIOS), 3, (10.5, 3.8), share=False)
    windows(axes.T[:2])
    grid = axes[0][2].get_gridspec()
    for ax in axes.T[2]:
        ax.remove()
    with style.house():
        against_references(fig.add_subplot(grid[:, 2]))
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "acklab", "svg.fonttype": "path"}):
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    OUT.write_text("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n")


if __name__ == "__main__":
    main()
