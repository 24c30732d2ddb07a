"""Boxes side by side, with every value beside its box.

J. W. Tukey, *Exploratory Data Analysis*, 1977: the box from the first to the third quartile, a line
at the median, whiskers to the last values within 1.5 times the box's height.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.plots import legend, style
from acklab.plots.lines import place

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from acklab.plots.order import Places

#: Reach of the whiskers in heights of the box.
REACH = 1.5
#: More values than this are not drawn one by one.
MOST_POINTS = 200
#: More boxes are searched rather than read.
MOST_BOXES = 60
#: Inches: from box to box, at least; all of them, if their names are to be level; and of a letter.
PITCH, MOST_WIDE, LETTER = 0.75, 9.0, 0.08


def draw(
    frame: pl.DataFrame, value: str, by: str, label: str | None = None, at: Places | None = None
) -> tuple[Figure, pl.DataFrame]:
    """A box of the column `value` for each value of `by`; nulls do not count.

    Groups that have a place in `at` look as it says.

    Returns the figure and what it shows: `by`, `n`, `low`, `q1`, `median`, `q3`, `high`.
    """
    import polars as pl

    data = boxes(frame, value, by)
    legend.told_apart(len(data), MOST_BOXES)
    names = data[by].cast(pl.String).to_list()
    size, upright = _size(names)
    fig, axes = style.figure(1, 1, size)
    ax = axes[0][0]
    terms = {"low": "whislo", "high": "whishi", "median": "med"}
    stats = [{terms.get(k, k): r[k] for k in _SHOWN} for r in data.iter_rows(named=True)]
    drawn = ax.bxp(
        stats,
        positions=list(range(len(data))),
        showfliers=False,
        patch_artist=True,
        widths=0.5,
        medianprops={"color": "#000000", "linewidth": 1.4},
    )
    for i, patch in enumerate(drawn["boxes"]):
        group = data[by][i]
        look = place(at, group, i)
        colour = style.colour(look)
        patch.set(facecolor=colour, alpha=0.45)
        points = frame.filter(pl.col(by) == group)[value].cast(pl.Float64).drop_nulls()
        if len(points) <= MOST_POINTS:
            marker = style.MARKERS[look % len(style.MARKERS)]
            ax.plot([i] * len(points), points, marker, color=colour, markersize=3, alpha=0.8)
    ax.set_xticks(range(len(data)), names, rotation=90 if upright else 0)
    ax.set_ylabel(label or value)
    ax.grid(axis="x", visible=False)
    return fig, data


def _size(names: list[str]) -> tuple[tuple[float, float], bool]:
    """The figure's size, and whether names stand upright: level ones would not fit in a line."""
    longest = LETTER * max((len(line) for name in names for line in name.split("\n")), default=0)
    level = len(names) * max(PITCH, longest + 2 * LETTER)
    upright = level > MOST_WIDE
    width = 1.2 + (len(names) * PITCH if upright else level)
    return (max(3.2, width), 3.6 + (max(0.0, longest - 1.0) if upright else 0.0)), upright


_SHOWN = ("low", "q1", "median", "q3", "high")


def boxes(frame: pl.DataFrame, value: str, by: str) -> pl.DataFrame:
    """Quartiles (linear between values) and the whiskers' ends of each group."""
    import polars as pl

    v = pl.col(value)
    quartiles = [v.quantile(q, "linear").over(by).alias(n) for q, n in _QUARTILES]
    reach = REACH * (pl.col("q3") - pl.col("q1"))
    within = v.filter(v.is_between(pl.col("q1") - reach, pl.col("q3") + reach))
    first = [pl.col(n).first() for _, n in _QUARTILES]
    return (
        frame.select(by, v.cast(pl.Float64))
        .drop_nulls(value)
        .with_columns(quartiles)
        .group_by(by, maintain_order=True)
        .agg(pl.len().alias("n"), within.min().alias("low"), *first, within.max().alias("high"))
        .select(by, "n", *_SHOWN)
    )


_QUARTILES = ((0.25, "q1"), (0.5, "median"), (0.75, "q3"))
