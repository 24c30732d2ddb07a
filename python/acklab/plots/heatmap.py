"""A metric of a sweep over two of its keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError, UsageError
from acklab.metrics.derived import with_metric
from acklab.plots import look, roles, style, swept
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.panels import outer
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

VALUE = "goodput_mbps"
#: Panels side by side; more are no longer read but searched.
MOST_PANELS = 8
#: Inches of a panel at least, and of a letter, for letters of 9 points.
NARROWEST, LETTER = 1.8, 0.07
#: Cells of a panel up to which each shows its number.
MOST_NUMBERS = 150


@dataclass(frozen=True)
class Shade:
    """How a value becomes a colour and a number."""

    low: float
    high: float
    colours: str = field(default_factory=style.shades)
    text: Callable[[float], str] = "{:.3g}".format

    def ink(self, value: float) -> str:
        """Black or white, whichever can be read on the colour of `value` (Rec. 709's luma)."""
        import matplotlib as mpl

        at = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        red, green, blue, _ = mpl.colormaps[self.colours](min(max(at, 0.0), 1.0))
        return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45 else "#ffffff"


def draw(source: Recorded, choice: Choice) -> Drawn:
    """A panel per value of the remaining keys; a cell is the mean over seeds and flows."""
    runs = swept.chosen(required(source, "heatmap", "runs"), choice)
    grid = swept.of_grid(runs)
    x, y = _axes(grid, choice)
    runs = with_metric(runs, choice.value or VALUE, partial(source.table, "run_series"))
    value = swept.metric(runs, choice.value or VALUE, "value")
    over = [roles.known(k, grid, "over") for k in roles.several(choice.over)]
    rest = _panels(runs, grid, (x, y), over, choice)
    data = means(runs, [*rest, y, x], value)
    panels = list(data.group_by(rest, maintain_order=True)) if rest else [((), data)]
    if len(panels) > MOST_PANELS:
        raise AcklabError(
            f"the keys {', '.join(rest)} would need {len(panels)} panels, more than {MOST_PANELS}\n"
            "  help: choose other axes with --x and --y, values with --where, or sweep fewer"
        )
    figure = _figure(panels, rest, x, y, value, data)
    return Drawn(figure, data, _alt(source, data, x, y, value), _note(data, runs, over))


def _panels(
    runs: pl.DataFrame, grid: list[str], axes: tuple[str, str], over: list[str], choice: Choice
) -> list[str]:
    """The keys that have panels: those named first, then all others but those in `over`."""
    facet = [roles.known(k, grid, "facet") for k in roles.several(choice.facet)]
    roles.once({"--x": axes[:1], "--y": axes[1:], "--facet": facet, "--over": over})
    others = [k for k in grid if k not in (*axes, *facet, *over)]
    return [*facet, *(k for k in others if runs[k].n_unique() > 1)]


def _note(data: pl.DataFrame, runs: pl.DataFrame, over: list[str]) -> str:
    """The meaning of a cell's number."""
    several = runs["flow"].n_unique() > 1
    names = " and ".join([*over, *(["flows"] if several else [])])
    most = int(data["seeds"].max() or 0)  # type: ignore[arg-type]
    seeds = f"{most} seeds" if most > 1 else "one seed"
    return f"Means of {seeds}{f' and over {names}' if names else ''}."


def means(runs: pl.DataFrame, keys: list[str], value: str) -> pl.DataFrame:
    """`keys`, the mean of `value`, and of how many runs and flows, in the sweep's order."""
    import polars as pl

    return runs.group_by(keys, maintain_order=True).agg(
        pl.col(value).cast(pl.Float64).mean(),
        pl.col("seed").n_unique().alias("seeds"),
        pl.len().alias("rows"),
    )


def _axes(keys: list[str], choice: Choice) -> tuple[str, str]:
    x = None if choice.x is None else roles.known(choice.x, keys, "x")
    y = None if choice.y is None else roles.known(choice.y, keys, "y")
    free = [k for k in keys if k not in (x, y)]
    x = x or (free.pop(0) if free else None)
    y = y or (free.pop(0) if free else None)
    if x is not None and x == y:
        raise UsageError(
            f"a heat map has two axes, and both are {x!r}\n"
            f"  help: give one of {', '.join(k for k in keys if k != x) or 'another sweep'} as --y"
        )
    if x is None or y is None:
        raise AcklabError(
            f"a heat map has two swept keys as axes, and here are: {', '.join(keys) or 'none'}\n"
            "  help: acklab sweep FILE --grid KEY=V1,V2 --grid OTHER=V1,V2"
        )
    return x, y


def _figure(
    panels: list[tuple[tuple[Any, ...], pl.DataFrame]],
    rest: list[str],
    x: str,
    y: str,
    value: str,
    data: pl.DataFrame,
) -> Any:
    cols = min(len(panels), 4, max(1, int(look.current().width(12) / style.points(NARROWEST))))
    rows = -(-len(panels) // cols)
    xs, ys = (data[k].unique(maintain_order=True).to_list() for k in (x, y))
    size = (1.8 + cols * max(2.2, 0.55 * len(xs)), 0.9 + rows * max(1.9, 0.4 * len(ys) + 0.7))
    fig, axes = style.figure(rows, cols, size, share=False)
    low, high = bounds(data[value])
    places = [ax for row in axes for ax in row]
    image: Any = None
    for ax, (values, cells) in zip(places, panels, strict=False):
        image = _panel(ax, cells, (xs, ys), (x, y, value), (low, high))
        named = zip(roles.shorts(rest), values, strict=True)
        ax.set_title(", ".join(f"{k} = {v}" for k, v in named))
    outer(places[: len(panels)])
    for ax in places[len(panels) :]:
        ax.set_visible(False)
    fig.colorbar(image, ax=places, label=style.heading(value), fraction=0.05)
    return fig


def _panel(
    ax: Any,
    cells: pl.DataFrame,
    steps: tuple[list[Any], list[Any]],
    names: tuple[str, str, str],
    bounds: tuple[float, float],
) -> Any:
    import numpy as np

    (xs, ys), (x, y, value) = steps, names
    grid = np.full((len(ys), len(xs)), np.nan)
    for row in cells.iter_rows(named=True):
        if row[value] is not None:
            grid[ys.index(row[y]), xs.index(row[x])] = row[value]
    ax.set(xlabel=roles.short(x, [x, y]), ylabel=roles.short(y, [x, y]))
    texts = [str(v) for v in xs], [str(v) for v in ys]
    return paint(ax, grid, *texts, Shade(*bounds), numbers=grid.size <= MOST_NUMBERS)


def paint(
    ax: Any, grid: Any, xs: list[str], ys: list[str], shade: Shade, numbers: bool = True
) -> Any:
    """Cells of `grid`, row by row from below, perhaps with their numbers; NaN stays empty."""
    import numpy as np

    edges = np.arange(len(xs) + 1) - 0.5, np.arange(len(ys) + 1) - 0.5
    colours = {"cmap": shade.colours, "vmin": shade.low, "vmax": shade.high}
    image = ax.pcolormesh(*edges, grid, linewidth=0, **colours)
    room = ax.figure.get_size_inches()[0] * ax.get_position().width / len(xs)
    wide = max(map(len, xs)) * style.points(LETTER)
    ax.set_xticks(range(len(xs)), xs, rotation=45 if len(xs) > 6 or wide > room else 0)
    ax.set_yticks(range(len(ys)), ys)
    ax.grid(visible=False)
    if numbers:
        _numbers(ax, grid, shade)
    return image


def bounds(values: pl.Series) -> tuple[float, float]:
    """The least and the greatest value; zeros if there is none."""
    numbers = values.drop_nulls().cast(float).to_numpy()
    return (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)


def _numbers(ax: Any, grid: Any, shade: Shade) -> None:
    import numpy as np

    for (j, i), v in np.ndenumerate(grid):
        if not np.isnan(v):
            ink = {
                "ha": "center",
                "va": "center",
                "fontsize": style.points(7),
                "color": shade.ink(v),
            }
            ax.text(i, j, shade.text(v), **ink)


def _alt(source: Recorded, data: pl.DataFrame, x: str, y: str, value: str) -> str:
    low, high = bounds(data[value])
    return f"{source.name}: heat map of {value} over {x} and {y}, from {low:.3g} to {high:.3g}"
