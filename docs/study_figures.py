"""Draws the figures of docs/studies/bbr-wifi6.md and queue-map.md from the numbers beside them.

`.venv/bin/python docs/study_figures.py [FOLDER]` runs nothing. FOLDER is where `acklab reproduce
queue-map` left its results (`out/queue-map`): what the figure shows is copied from there into
queue-map.csv. `docs/bbr_wifi6.py` does that for bbr-wifi6.csv.
"""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from acklab.plots import style

STUDIES = Path(__file__).parent / "studies"
TREE = Path(__file__).parents[1] / "validation/kernel-virtual/tree/tree.csv"
PAPER = Path(__file__).parents[1] / "python/acklab/studies/bbr_wifi6/paper.csv"
QUEUES = {"pfifo": "FIFO", "fq-codel": "FQ-CoDel", "cake": "CAKE"}
FLOWS = {"cubic": "CUBIC", "bbr": "BBRv3"}
#: Of a router's map: the queues; the controllers, and a shape for each.
MAP = {"pfifo": "FIFO", "codel": "CoDel", "pie": "PIE", "fq-codel": "FQ-CoDel", "cake": "CAKE"}
SENDERS = {
    "newreno": "NewReno",
    "cubic": "CUBIC",
    "vegas": "Vegas",
    "bbr1": "BBRv1",
    "bbr2": "BBRv2",
    "bbr3": "BBRv3",
}
MARKERS = ("o", "s", "^", "D", "v", "P")


def _kept() -> pl.DataFrame:
    """The numbers of the page bbr-wifi6."""
    path = STUDIES / "bbr-wifi6.csv"
    return pl.read_csv(path, comment_prefix="#", infer_schema_length=None)


def _kernel(bottleneck: str, late: int) -> pl.DataFrame:
    """Means of a Linux kernel's starts, by round trip and flow."""
    runs = pl.read_csv(TREE, schema_overrides={"rtt_ms": pl.Float64}, infer_schema_length=None)
    runs = runs.filter(bottleneck=bottleneck, late_us=late)
    means = runs.group_by("rtt_ms", "cc").agg(pl.col("goodput_mbps", "total_retrans").mean())
    return means.sort("rtt_ms")


def _median_rtts(ax: Axes, kept: pl.DataFrame) -> None:
    home = kept.filter(group="home", quantity="rtt", direction="up", flow="bbr")
    for i, (setup, name) in enumerate({"idle": "as described", "far": "with 11 ms added"}.items()):
        rows = {r["queue"]: r["value"] for r in home.filter(setup=setup).iter_rows(named=True)}
        at = [k + 0.36 * (i - 0.5) for k in range(len(QUEUES))]
        ax.bar(at, [rows[q] for q in QUEUES], 0.34, color=style.colour(i), label=name)
    paper = pl.read_csv(PAPER, comment_prefix="#", infer_schema_length=None)
    paper = paper.filter(group="home", quantity="rtt", direction="up", flow="bbr")
    told = dict(paper.select("queue", "value").iter_rows())
    ax.plot(range(len(QUEUES)), [told[q] for q in QUEUES], "D", color="black", ms=5, label="paper")
    ax.set_xticks(range(len(QUEUES)), list(QUEUES.values()))
    ax.set(title="median RTT of BBRv3, ms", ylim=(0, None))


def _beside_kernel(ax: Axes, ours: pl.DataFrame, kernel: pl.DataFrame, column: str) -> None:
    """Both flows by round trip: a line of acklab's, squares of the kernel's `column`."""
    for i, (flow, name) in enumerate(FLOWS.items()):
        mine, theirs = ours.filter(flow=flow).sort("rtt_ms"), kernel.filter(cc=flow)
        ax.plot(mine["rtt_ms"], mine["value"], "o-", ms=4, color=style.colour(i), label=name)
        look = {"color": style.colour(i), "ms": 9, "mfc": "none", "label": f"{name}, Linux kernel"}
        ax.plot(theirs["rtt_ms"], theirs[column], "s", **look)
    ax.set_xlabel("round trip of a wire, ms")


def _retransmissions(ax: Axes, kept: pl.DataFrame) -> None:
    tree = kept.filter(group="tree", quantity="retransmissions", queue="cake", version="bbr3")
    _beside_kernel(ax, tree, _kernel("tree cake", 1200), "total_retrans")
    ax.set(title="retransmissions, CAKE in a tree", ylim=(0, None))


def _phases(ax: Axes, kept: pl.DataFrame) -> None:
    phase = kept.filter(group="phase", quantity="goodput", jitter="none")
    phase = phase.with_columns(rtt_ms=pl.col("rtt_us") / 1000)
    kernel = _kernel("tree pfifo", 0).filter(pl.col("rtt_ms") < 15)
    _beside_kernel(ax, phase, kernel, "goodput_mbps")
    ax.set(title="goodput behind the FIFO, Mbit/s", ylim=(0, 6.5))


def home() -> Figure:
    """Delays by queue, CAKE's retransmissions and the FIFO's phases, by round trip."""
    kept = _kept()
    fig, axes = style.figure(1, 3, (8.8, 3.2), share=False)
    for ax, draw in zip(axes.flat, (_median_rtts, _retransmissions, _phases), strict=True):
        draw(ax, kept)
        ax.title.set_fontsize(9)
        ax.legend(fontsize=6.5)
    return fig


def router() -> Figure:
    """Delay and share of the line behind each queue; a mark for each controller."""
    kept = pl.read_csv(STUDIES / "queue-map.csv", comment_prefix="#")
    rates = kept["rate"].unique(maintain_order=True)
    fig, axes = style.figure(2, len(rates), (8.8, 4.6), share=False)
    for column, rate in zip(axes.T, rates, strict=True):
        for ax, quantity in zip(column, ("delay_p95", "filled"), strict=True):
            for i, (cc, name) in enumerate(SENDERS.items()):
                rows = kept.filter(rate=rate, cc=cc)
                values = dict(rows.select("queue", quantity).iter_rows())
                at = [k + 0.12 * (i - 2.5) for k in range(len(MAP))]
                look = {"color": style.colour(i), "ms": 6, "label": name}
                ax.plot(at, [values[queue] for queue in MAP], MARKERS[i], **look)
            ax.set_xticks(range(len(MAP)), list(MAP.values()), fontsize=6.5)
        column[0].set(title=f"{rate} Mbit/s", yscale="log", ylim=(2, 4000))
        column[0].set_yticks([10, 100, 1000], ["10", "100", "1000"])
        column[1].set_ylim(0, 1.05)
    axes[0][0].set_ylabel("delay added, ms")
    axes[1][0].set_ylabel("share of the line used")
    axes[0][2].legend(fontsize=7, ncols=2, loc="upper right")
    return fig


def keep(results: Path) -> None:
    """Means over the seeds of the map's cells with one host and 20 ms, on an idle channel."""
    cells = pl.read_csv(results / "numbers/map.csv", infer_schema_length=None)
    keys = ["rate", "queue", "cc"]
    cells = cells.filter(hosts="one", air="idle", rtt_ms=20)
    cells = cells.filter(pl.col("quantity").is_in(["filled", "delay_p95"]))
    means = cells.group_by(*keys, "quantity", maintain_order=True).agg(pl.col("value").mean())
    table = means.pivot("quantity", index=keys, values="value")
    table = table.with_columns(pl.col("filled").round(4), pl.col("delay_p95").round(2)).sort("rate")
    head = "# Written by docs/study_figures.py: means over seeds.\n"
    (STUDIES / "queue-map.csv").write_text(head + table.write_csv())


FIGURES: dict[str, Callable[[], Figure]] = {"bbr-wifi6": home, "queue-map": router}


def drawn(name: str) -> str:
    """A figure as SVG, with the same bytes each time."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "acklab", "svg.fonttype": "path"}):
        FIGURES[name]().savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]):
        keep(folder)
    for name in FIGURES:
        (STUDIES / f"{name}.svg").write_text(drawn(name))
