"""Throughput against latency, an ellipse for each group: up and right is better.

So in K. Winstein et al., *Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular
Networks*, NSDI 2013, and in K. Winstein and H. Balakrishnan's paper on Remy, SIGCOMM 2013: the
contour of one standard deviation of the normal distribution with the points' mean and covariance.
The axes are those of Flent's `ellipsis` plots: latency along x, reversed (`--invert-latency-y`
there), throughput along y, a dot at the median. Flent draws two standard deviations.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from acklab.plots import legend, style
from acklab.plots.lines import place

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from acklab.plots.order import Places


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
    from matplotlib.patches import Ellipse

    data = ellipses(frame, latency, throughput, by, sigmas)
    legend.told_apart(len(data))
    fig, axes = style.figure(1, 1, (5.6, 4.0))
    ax = axes[0][0]
    for n, row in enumerate(data.iter_rows(named=True)):
        i = place(at, row[by], n)
        colour = style.CATEGORICAL[i % len(style.CATEGORICAL)]
        if row["width"] is not None:
            centre = (row["latency_mean"], row["throughput_mean"])
            shape = (row["width"], row["height"])
            ellipse = Ellipse(centre, *shape, angle=row["angle"], facecolor=colour, alpha=0.3)
            ax.add_patch(ellipse)
        ax.plot(
            row["latency_median"],
            row["throughput_median"],
            linestyle="none",
            marker=style.MARKERS[(i + i // len(style.CATEGORICAL)) % len(style.MARKERS)],
            color=colour,
            label=str(row[by]),
        )
    x, y = labels or (latency, throughput)
    ax.autoscale_view()
    ax.invert_xaxis()
    ax.set(xlabel=f"{x}, reversed: up and right is better", ylabel=y)
    legend.outside(fig, ax)
    return fig, data


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
