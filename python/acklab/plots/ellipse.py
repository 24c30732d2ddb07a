"""Throughput against latency, an ellipse for each group: up and right is better.

So in K. Winstein et al., *Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular
Networks*, NSDI 2013, and in K. Winstein and H. Balakrishnan's paper on Remy, SIGCOMM 2013: the
contour of one standard deviation of the normal distribution with the points' mean and covariance.
The axes are those of Flent's `ellipsis` plots: latency along x, reversed (`--invert-latency-y`
there), throughput along y, a dot at the median. Flent draws two standard deviations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from acklab.plots import legend, style
from acklab.plots.lines import place

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from acklab.plots.order import Places


#: Ellipses up to which areas are filled well.
_FEW = 8


def draw(
    frame: pl.DataFrame,
    latency: str,
    throughput: str,
    by: str,
    *,
    labels: tuple[str, str] | None = None,
    sigmas: float = 1.0,
    at: Places | None = None,
) -> tuple[Figure, pl.DataFrame]:
    """An ellipse of the columns `latency` and `throughput` for each value of `by`.

    Returns the figure and what it shows: `by`, `n`, means, medians, and the ellipse's `width`,
    `height` (whole, not half) and `angle` in degrees. A group of one point has none. Groups that
    have a place in `at` look as it says.
    """
    data = ellipses(frame, latency, throughput, by, sigmas)
    legend.told_apart(len(data))
    fig, axes = style.figure(1, 1, (5.6, 4.0))
    ax = axes[0][0]
    for n, row in enumerate(data.iter_rows(named=True)):
        i = place(at, row[by], n)
        marker = style.MARKERS[(i + i // len(style.CATEGORICAL)) % len(style.MARKERS)]
        one(ax, row, style.colour(i), marker, len(data), label=str(row[by]))
    x, y = labels or (latency, throughput)
    frame_of(ax, f"{x} (reversed: up and right is better)", y)
    ax.invert_xaxis()
    legend.outside(fig, ax)
    return fig, data


def one(
    ax: Any, row: dict[str, Any], colour: str, marker: str, beside: int, label: str = ""
) -> None:
    """One group's ellipse and dot; among many its area is paler, so that others show through."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Ellipse

    if row["width"] is not None:
        centre = (row["latency_mean"], row["throughput_mean"])
        ellipse = Ellipse(centre, row["width"], row["height"], angle=row["angle"])
        ellipse.set_facecolor(to_rgba(colour, 0.25 if beside <= _FEW else 0.08))
        ellipse.set_edgecolor(to_rgba(colour, 0.9))
        ellipse.set_linewidth(style.points(0.8))
        ax.add_patch(ellipse)
    ax.plot(
        row["latency_median"],
        row["throughput_median"],
        linestyle="none",
        marker=marker,
        markersize=style.points(5 if beside <= _FEW else 4),
        color=colour,
        label=label or "_",
    )


def frame_of(ax: Any, latency: str, throughput: str) -> None:
    """The labels of the axes, and room for all ellipses."""
    ax.autoscale_view()
    ax.set(xlabel=latency, ylabel=throughput)


def shapes(
    frame: pl.DataFrame, latency: str, throughput: str, keys: Sequence[str], sigmas: float = 1.0
) -> pl.DataFrame:
    """`ellipses` of the groups that `keys` tell apart, with a column for each of them."""
    import polars as pl

    if not keys:
        rows = frame.with_columns(pl.lit(0).alias("_group"))
        return ellipses(rows, latency, throughput, "_group", sigmas).drop("_group")
    names = frame.select(keys).unique(maintain_order=True).with_row_index("_group")
    rows = frame.join(names, on=keys, maintain_order="left")
    found = ellipses(rows, latency, throughput, "_group", sigmas)
    joined = found.join(names, on="_group", maintain_order="left")
    return joined.select(*keys, pl.exclude(*keys, "_group"))


def ellipses(
    frame: pl.DataFrame, latency: str, throughput: str, by: str, sigmas: float
) -> pl.DataFrame:
    """Centre and shape of each group's ellipse; points without both values do not count."""
    import polars as pl

    points = frame.select(by, pl.col(latency, throughput).cast(pl.Float64)).drop_nulls()
    x, y = pl.col(latency), pl.col(throughput)
    moments = points.group_by(by, maintain_order=True).agg(
        pl.len().alias("n"),
        x.mean().alias("latency_mean"),
        y.mean().alias("throughput_mean"),
        x.median().alias("latency_median"),
        y.median().alias("throughput_median"),
        x.var().alias("xx"),
        y.var().alias("yy"),
        pl.cov(x, y, ddof=1).alias("xy"),
    )
    shapes = [_shape(r, sigmas) for r in moments.iter_rows(named=True)]
    schema = dict.fromkeys(("width", "height", "angle"), pl.Float64)
    shaped = pl.DataFrame(shapes, schema=schema, orient="row")
    return pl.concat([moments.drop("xx", "yy", "xy"), shaped], how="horizontal")


def _shape(m: dict[str, Any], sigmas: float) -> tuple[float | None, float | None, float | None]:
    """Axes of the covariance's ellipse: roots of its eigenvalues along its eigenvectors."""
    if m["n"] < 2:
        return None, None, None
    xx, yy, xy = m["xx"], m["yy"], m["xy"]
    middle, spread = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    large, small = middle + spread, max(middle - spread, 0.0)
    angle = math.degrees(math.atan2(2 * xy, xx - yy) / 2)
    return 2 * sigmas * math.sqrt(large), 2 * sigmas * math.sqrt(small), angle
