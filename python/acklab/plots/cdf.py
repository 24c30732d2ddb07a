"""Distributions side by side: the share of values that are no larger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from acklab.plots import legend, lines, style
from acklab.plots.lines import place
from acklab.plots.reduce import allowance, m4

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from acklab.plots.looks import Way
    from acklab.plots.order import Places


def draw(
    frame: pl.DataFrame, value: str, by: str, label: str | None = None, at: Places | None = None
) -> tuple[Figure, pl.DataFrame]:
    """The empirical distribution of the column `value`, a line for each value of `by`.

    Returns the figure and what it shows: `by`, `value`, `share`. Nulls do not count. Groups that
    have a place in `at` look as it says.
    """
    data = shares(frame, value, by)
    fig, axes = style.figure(1, 1, (5.6, 3.6))
    ax = axes[0][0]
    groups = list(data.group_by(by, maintain_order=True))
    legend.told_apart(len(groups))
    most = allowance([len(line) for _, line in groups], lines.BUDGET)
    for i, ((group,), line) in enumerate(groups):
        look = style.line(place(at, group, i))
        _steps(ax, line, value, most, label=str(group), **look)
    ax.set(xlabel=label or value, ylabel="share of values no larger", ylim=(0, 1.02))
    legend.outside(fig, ax)
    return fig, data


def line(ax: Any, shares: pl.DataFrame, value: str, way: Way) -> None:
    """One group's line."""
    look = {"color": way.colour, "linestyle": way.dash, "linewidth": style.points(1.3)}
    _steps(ax, shares, value, lines.BUDGET // 10, **look)


def _steps(ax: Any, shares: pl.DataFrame, value: str, most: int, **look: Any) -> None:
    x, share = m4(shares[value].to_numpy(), shares["share"].to_numpy(), most)
    # From zero at the smallest value on: a single value is a step, too.
    ax.plot([x[0], *x], [0.0, *share], drawstyle="steps-post", **look)


def shares_by(frame: pl.DataFrame, value: str, keys: Sequence[str]) -> pl.DataFrame:
    """`shares` of the groups that `keys` tell apart, with a column for each of them."""
    import polars as pl

    if not keys:
        return shares(frame.with_columns(pl.lit(0).alias("_group")), value, "_group").drop("_group")
    names = frame.select(keys).unique(maintain_order=True).with_row_index("_group")
    found = shares(frame.join(names, on=keys, maintain_order="left"), value, "_group")
    joined = found.join(names, on="_group", maintain_order="left")
    return joined.select(*keys, value, "share")


def shares(frame: pl.DataFrame, value: str, by: str) -> pl.DataFrame:
    """For each group the distinct values in order, and the share of values no larger than each."""
    import polars as pl

    counted = (
        frame.select(by, pl.col(value).cast(pl.Float64))
        .drop_nulls(value)
        .group_by(by, value, maintain_order=True)
        .len()
        .with_columns(pl.int_range(pl.len()).alias("_at"))
        .with_columns(pl.col("_at").min().over(by).alias("_first"))
        .sort("_first", value)
    )
    share = pl.col("len").cum_sum().over(by) / pl.col("len").sum().over(by)
    return counted.select(by, value, share.alias("share"))
