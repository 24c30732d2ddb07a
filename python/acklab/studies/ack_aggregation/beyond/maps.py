"""Heat maps: what thinning does to each controller over one property of the path, and the rivals.

Dark is worse in every one of them, also in grey.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.plots.drawn import Drawn
from acklab.plots.heatmap import Shade, paint
from acklab.studies.ack_aggregation.beyond.grid import (
    AXES,
    CONTROLLERS,
    HIGHEST,
    RATIOS,
    THESIS,
    THESIS_TIMER,
    TIMERS,
    thinned,
)
from acklab.studies.ack_aggregation.figures import CC_NAMES

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Metric:
    """A column as a row of panels."""

    column: str
    label: str
    shade: Shade
    #: What a cell shows is the column times this.
    scale: float = 1


def _number(digits: int) -> Callable[[float], str]:
    """So many digits after the point, and no minus in front of zero."""
    return lambda v: f"{round(v, digits) + 0.0:.{digits}f}"


METRICS = (
    Metric("share", "goodput, share", Shade(0.5, 1, "cividis", _number(2))),
    Metric("rtt_x", "p95 RTT, times", Shade(1, 2.5, "cividis_r", _number(2))),
    Metric("retrans_plus", "retransm., + %", Shade(0, 5, "cividis_r", _number(1)), 100),
    Metric("acks_saved", "ACKs saved, %", Shade(0, 100, "cividis", _number(0)), 100),
)
AXIS_NAMES = {"rate": "bottleneck", "rtt": "RTT", "buffer": "queue", "up": "rate of the way back"}


@dataclass(frozen=True)
class Map:
    """A figure's layout: which path and scheme each cell is."""

    name: str
    title: str
    x: str
    y: str
    #: Label and path of each row, label and scheme of each column.
    cells: Mapping[tuple[str, str], tuple[str, str]]

    @property
    def steps(self) -> tuple[list[str], list[str]]:
        """Labels of the columns and of the rows."""
        xs, ys = (list(dict.fromkeys(k[i] for k in self.cells)) for i in (0, 1))
        return xs, ys


def maps() -> Iterator[Map]:
    """Timer by ratio on the path of the thesis; each axis by ratio, and by timer."""
    yield Map(
        "timer",
        "path of the thesis (10 Mbit/s, 48 ms, queue of one BDP)",
        "ACKs per release",
        "timer",
        {(f"{r}:1", f"{t} ms"): (THESIS.name, thinned(r, t)) for t in TIMERS for r in RATIOS},
    )
    for axis, steps in AXES.items():
        yield Map(
            axis,
            f"timer {THESIS_TIMER} ms",
            "ACKs per release",
            AXIS_NAMES[axis],
            {
                (f"{r}:1", label): (route.name, thinned(r, THESIS_TIMER))
                for label, route in steps.items()
                for r in RATIOS
            },
        )
        yield Map(
            f"{axis}-timer",
            f"{HIGHEST}:1",
            "timer, ms",
            AXIS_NAMES[axis],
            {
                (str(t), label): (route.name, thinned(HIGHEST, t))
                for label, route in steps.items()
                for t in TIMERS
            },
        )


def draw(
    frame: pl.DataFrame, layout: Map, footer: str, metrics: Sequence[Metric] = METRICS
) -> Drawn:
    """A row of panels per metric, a column per controller; steps that were not run are left out."""
    data = selected(frame, layout)
    xs, ys = (data[k].unique(maintain_order=True).to_list() for k in ("x", "y"))
    with style.house():
        fig, axes = style.figure(
            len(metrics), len(CONTROLLERS), _size(len(xs), len(ys), len(metrics)), share=False
        )
        for row, metric in zip(axes, metrics, strict=True):
            image = _row(row, data, (xs, ys), metric, last=metric is metrics[-1])
            bar = fig.colorbar(image, ax=list(row), aspect=8, pad=0.01)
            bar.set_label(metric.label, fontsize=7.5)
            bar.ax.tick_params(labelsize=7)
        for ax, cc in zip(axes[0], CONTROLLERS, strict=True):
            ax.set_title(CC_NAMES[cc])
        for ax in axes[-1]:
            ax.set_xlabel(layout.x)
        fig.supylabel(layout.y, fontsize=9)
        title = f"{layout.title}; all held against no thinning on the same path; dark is worse"
        fig.suptitle(title, x=0.01, ha="left", fontsize=9)
        style.footer(fig, footer)
    return Drawn(fig, data, _alt(layout, data))


def _size(columns: int, rows: int, metrics: int) -> tuple[float, float]:
    """Inches: numbers of two digits after the point fit into a cell."""
    wide = 1.6 + len(CONTROLLERS) * (0.34 * columns + 0.15)
    return wide, 0.9 + metrics * max(0.24 * rows + 0.32, 1.15)


def _row(
    axes: Sequence[Any],
    data: pl.DataFrame,
    steps: tuple[list[str], list[str]],
    metric: Metric,
    last: bool,
) -> Any:
    for ax, cc in zip(axes, CONTROLLERS, strict=True):
        image = paint(ax, grid_of(data.filter(cc=cc), steps, metric), *steps, metric.shade)
        trim(ax, first=ax is axes[0], last=last)
    return image


def selected(frame: pl.DataFrame, layout: Map) -> pl.DataFrame:
    """The cells of `layout` that were run, with `x` and `y` in front."""
    import polars as pl

    rows = [(x, y, path, scheme) for (x, y), (path, scheme) in layout.cells.items()]
    keys = pl.DataFrame(rows, schema=["x", "y", "path", "scheme"], orient="row")
    return keys.join(frame, on=["path", "scheme"], how="inner", maintain_order="left").drop("paper")


def grid_of(data: pl.DataFrame, steps: tuple[Sequence[str], Sequence[str]], metric: Metric) -> Any:
    """The metric by `y` and `x`; NaN where nothing was run."""
    import numpy as np

    xs, ys = steps
    grid = np.full((len(ys), len(xs)), np.nan)
    for row in data.iter_rows(named=True):
        value = row[metric.column]
        if value is not None:
            grid[ys.index(row["y"]), xs.index(row["x"])] = value * metric.scale
    return grid


def trim(ax: Any, first: bool, last: bool) -> None:
    """Labels at the left and at the bottom only."""
    ax.tick_params(length=0, labelsize=7.5, labelleft=first, labelbottom=last)
    for side in ax.spines.values():
        side.set_visible(False)


def _alt(layout: Map, data: pl.DataFrame) -> str:
    worst = data.sort("share").row(0, named=True)
    return (
        f"Heat maps of goodput, RTT, retransmissions and ACKs saved over {layout.x} and "
        f"{layout.y}, {layout.title}; the least goodput is {worst['share']:.0%} of that without "
        f"thinning, for {CC_NAMES[worst['cc']]} at {worst['y']} and {worst['x']}"
    )
