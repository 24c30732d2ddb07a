"""Draws docs/picture.svg, the picture of the README: `make picture`."""

import io
from pathlib import Path

import matplotlib as mpl
import polars as pl

import acklab
from acklab.plots import style
from acklab.validate import compare, kernel_rows, ns3_rows

RATIOS = (1, 4, 16)
OUT = Path(__file__).with_suffix(".svg")


def windows(axes):
    """Congestion windows of one flow while a router thins its acknowledgements."""
    for ax, (cc, name) in zip(axes, {"newreno": "NewReno", "bbr3": "BBRv3"}.items(), strict=True):
        for ratio, colour in zip(RATIOS, style.ordered(len(RATIOS)), strict=True):
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
            ax.plot(time, series["cwnd_packets"], color=colour, lw=1.2, label=f"{ratio}:1")
        ax.set_title(f"{name}, ACKs thinned", fontsize=9)
        ax.set_xlabel("time, s")
        ax.set_ylim(0, 105)
    axes[0].set_ylabel("congestion window, packets")
    axes[0].legend(ncols=3, loc="lower right", fontsize=8)


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
    fig, axes = style.figure(1, 3, (10.5, 3.1), share=False)
    windows(axes[0][:2])
    against_references(axes[0][2])
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "acklab", "svg.fonttype": "path"}):
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    OUT.write_text("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n")


if __name__ == "__main__":
    main()
