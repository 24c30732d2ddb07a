"""Figures that hold all schemes against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.plots.drawn import Drawn
from acklab.plots.heatmap import paint
from acklab.studies.ack_aggregation.beyond.grid import AXES, CONTROLLERS, SCHEMES, THESIS
from acklab.studies.ack_aggregation.beyond.maps import Metric, grid_of, trim
from acklab.studies.ack_aggregation.figures import CC_NAMES

if TYPE_CHECKING:
    import polars as pl

#: How each kind of scheme is drawn and called.
FAMILIES = {
    "thinner": "thinner, N:1 and timer",
    "cake": "CAKE's ack-filter",
    "delayed": "delayed (RFC 5681)",
    "bytes": "byte-counting, L",
    "periodic": "periodic",
}
#: Columns of the map: both ends of each axis.
PATHS = (
    "thesis",
    "1 Mbit/s",
    "100 Mbit/s",
    "1000 Mbit/s",
    "RTT 5 ms",
    "RTT 5 ms, 40 packets",
    "RTT 200 ms",
    "queue 0.25 BDP",
    "queue 4 BDP",
    "200 kbit/s up",
    "100 kbit/s up",
    "50 kbit/s up",
)
#: Of the thinner, these stand for all.
THINNERS = ("2:1, 5 ms", "4:1, 5 ms", "16:1, 1 ms", "16:1, 5 ms", "16:1, 20 ms", "16:1, 50 ms")


def congested_back() -> list[str]:
    """The paths whose way back is narrow: there no thinning is no fair comparison."""
    return [r.name for r in AXES["up"].values() if r != THESIS]


def draw(frame: pl.DataFrame, metric: Metric, footer: str) -> Drawn:
    """A metric of every rival on every kind of path, a panel per controller."""
    data = _selected(frame)
    xs = [p for p in PATHS if p in data["x"]]
    # Rows are drawn from below.
    ys = [n for n in reversed(list(SCHEMES)) if n in data["y"]]
    with style.house():
        size = (2 + 3 * (0.36 * len(xs) + 0.2), 3.4 + 2 * 0.2 * len(ys))
        fig, axes = style.figure(2, 3, size, share=False)
        places = [ax for row in axes for ax in row]
        for i, (ax, cc) in enumerate(zip(places, CONTROLLERS, strict=False)):
            grid = grid_of(data.filter(cc=cc), (xs, ys), metric)
            image = paint(ax, grid, xs, ys, metric.shade)
            trim(ax, first=i % 3 == 0, last=i >= 3)
            ax.tick_params(axis="x", labelrotation=90, labeltop=i < 3)
            ax.set_title(CC_NAMES[cc])
        for ax in places[len(CONTROLLERS) :]:
            ax.set_visible(False)
        bar = fig.colorbar(image, ax=places, aspect=30)
        bar.set_label(f"{metric.label}, held against no thinning on the same path; dark is worse")
        style.footer(fig, footer)
    return Drawn(fig, data, f"Heat maps of {metric.label} by scheme and path")


def _selected(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    rows = [n for n, s in SCHEMES.items() if s.family in FAMILIES and _is_shown(n)]
    data = frame.filter(pl.col("scheme").is_in(rows) & pl.col("path").is_in(PATHS))
    return data.select(
        pl.col("path").alias("x"),
        pl.col("scheme").alias("y"),
        pl.exclude("path", "scheme", "paper"),
    )


def _is_shown(name: str) -> bool:
    return SCHEMES[name].family != "thinner" or name in THINNERS


def tradeoff(frame: pl.DataFrame) -> pl.DataFrame:
    """Per controller and scheme, over paths with room on the way back: medians and the worst."""
    import polars as pl

    open_ = frame.filter(
        ~pl.col("path").is_in(congested_back()) & pl.col("family").is_in(list(FAMILIES))
    )
    worst = pl.col("share").arg_min()
    return open_.group_by("cc", "family", "scheme", maintain_order=True).agg(
        pl.col("acks_saved").median(),
        pl.col("share").median().alias("share_median"),
        pl.col("share").min().alias("share_worst"),
        pl.col("path").get(worst).alias("worst_path"),
        pl.col("rtt_x").max().alias("rtt_worst"),
        pl.len().alias("paths"),
    )


def frontier(data: pl.DataFrame, value: str) -> pl.DataFrame:
    """The rows than which none saves more ACKs and keeps more goodput."""
    import polars as pl

    best = data.sort("acks_saved", value, descending=True)
    # Rows before saved more; what does not beat them all in goodput is beaten by one of them.
    before = pl.col(value).cum_max().shift(1).fill_null(-1)
    return best.filter(pl.col(value) > before)


def draw_tradeoff(frame: pl.DataFrame, footer: str) -> Drawn:
    """ACKs saved against goodput kept: above the median over paths, below the worst path."""
    data = tradeoff(frame)
    rows = {"share_median": "median over paths", "share_worst": "worst path"}
    spans = {c: (min(0.5, float(data[c].min() or 0)) * 100 - 5, 104.0) for c in rows}  # type: ignore[arg-type]
    with style.house():
        fig, axes = style.figure(len(rows), len(CONTROLLERS), (13, 6), share=False)
        for line, (column, label) in zip(axes, rows.items(), strict=True):
            for ax, cc in zip(line, CONTROLLERS, strict=True):
                _scatter(ax, data.filter(cc=cc), column, spans[column])
                if column == "share_median":
                    ax.set_title(CC_NAMES[cc])
                ax.tick_params(labelleft=ax is line[0], labelbottom=column == "share_worst")
            line[0].set_ylabel(f"goodput kept, %, {label}")
        for ax in axes[-1]:
            ax.set_xlabel("ACKs saved, %, median")
        fig.legend(*axes[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=6)
        style.footer(fig, footer)
    return Drawn(fig, data, "ACKs saved against goodput kept, by controller and scheme")


def _scatter(ax: Any, data: pl.DataFrame, column: str, span: tuple[float, float]) -> None:
    bottom, top = span
    for i, (family, label) in enumerate(FAMILIES.items()):
        part = data.filter(family=family)
        looks: dict[str, Any] = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
        ax.scatter(100 * part["acks_saved"], 100 * part[column], s=16, label=label, **looks)
    edge = frontier(data, column)
    ax.plot(100 * edge["acks_saved"], 100 * edge[column], color="#57606a", lw=0.8, zorder=0)
    # Above nearly all are in one line.
    if column == "share_worst":
        _label(ax, edge, column, 0.06 * (top - bottom))
    ax.set(xlim=(-55, 105), ylim=(bottom, top))


def _label(ax: Any, edge: pl.DataFrame, column: str, apart: float) -> None:
    """Names, but for those that would lie on another."""
    labelled: list[tuple[float, float]] = []
    for saved, kept, name in edge.select("acks_saved", column, "scheme").rows():
        x, y = 100 * saved, 100 * kept
        if all(abs(x - a) > 25 or abs(y - b) > apart for a, b in labelled):
            looks: dict[str, Any] = {"fontsize": 6.5, "ha": "right", "va": "top"}
            ax.annotate(name, (x, y), (-3, -2), textcoords="offset points", **looks)
            labelled.append((x, y))
