"""A metric of a sweep over one of its keys: means over seeds, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError, UsageError
from acklab.metrics.derived import once_per_run, with_metric
from acklab.plots import legend, roles, style, swept
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.looks import Looks, Way
from acklab.plots.panels import Panels
from acklab.plots.recorded import Recorded, required
from acklab.plots.roles import Roles
from acklab.plots.scale import Scale

if TYPE_CHECKING:
    import polars as pl

VALUE = "goodput_mbps"
#: Statistics that bars and bands can show.
INTERVALS = {
    "ci": "95 % confidence interval of the mean (Student's t)",
    "range": "least and greatest",
    "none": "",
}
#: Points from line to line between bars at one place, and at most from the first to the last.
ASIDE, MOST_ASIDE = 2.4, 14.0
#: Empty share of a panel's height, below the lines, from which on the scale need not begin at zero.
_EMPTY = 0.6
LOGS = ("x", "y", "xy", "none")


def draw(source: Recorded, choice: Choice) -> Drawn:
    """A line for each value of the keys in `by`, a panel for each of those in `facet`."""
    runs = required(source, "line", "runs")
    metric = choice.y or VALUE
    runs = with_metric(swept.chosen(runs, choice), metric, partial(source.table, "run_series"))
    metric = swept.metric(runs, metric, "y")
    keys = swept.keys(runs, metric)
    told = roles.of(runs, keys, choice, across=True)
    data = means(once_per_run(runs, metric), told, metric, choice.interval or "ci")
    assert told.across is not None
    scale = Scale.of(
        roles.short(told.across, keys), data[told.across].unique(maintain_order=True).to_list()
    )
    looks = Looks.of(data, told, keys)
    panels = Panels.of(data, told, keys)
    logs = _logs(choice, scale)
    for ax, rows in panels.parts:
        _lines(ax, rows, told, scale, looks)
        scale.apply(ax, "x" in logs)
    _heights(panels, data, "y" in logs)
    panels.finish(style.heading(metric))
    legend.place(panels.figure, looks.legend("mark" if scale.numbers is None else "marked line"))
    note = caption(data, scale, told, keys, choice.interval or "ci")
    alt = f"{source.name}: {metric} over {told.across}{_told(told, keys)}. {note}"
    return Drawn(panels.figure, data, alt, note)


def means(runs: pl.DataFrame, told: Roles, metric: str, interval: str) -> pl.DataFrame:
    """`mean`, `low`, `high` and `n` of the metric for each group and value of the key across.

    Of each seed first the mean over all that is not told apart; then over seeds, which are what
    was repeated.
    """
    import polars as pl

    from acklab.stats import estimate_by

    if interval not in INTERVALS:
        raise UsageError(
            f"there is no interval {interval!r}\n  help: --interval takes {', '.join(INTERVALS)}"
        )
    groups = [*told.groups, *([told.across] if told.across else [])]
    value = pl.col(metric).cast(pl.Float64).mean()
    by_seed = runs.group_by(*groups, "seed", maintain_order=True).agg(value)
    bounds = {"low": "ci_low", "high": "ci_high"}
    found = estimate_by(by_seed, groups, metric)
    if interval != "ci":
        found = by_seed.group_by(groups, maintain_order=True).agg(
            pl.col(metric).mean().alias("mean"),
            pl.col(metric).min().alias("ci_low"),
            pl.col(metric).max().alias("ci_high"),
            pl.col(metric).count().cast(pl.Int64).alias("n"),
        )
    if interval == "none":
        found = found.with_columns(ci_low=None, ci_high=None)
    kept = [pl.col(c).alias(n) for n, c in bounds.items()]
    data = found.select(*groups, pl.lit(metric).alias("metric"), "mean", *kept, "n")
    if data["mean"].count() == 0:
        raise AcklabError(
            f"there is no value of {metric} to draw: nothing was ever measured\n"
            "  help: choose another metric with --y"
        )
    return data


def caption(
    data: pl.DataFrame, scale: Scale, told: Roles, keys: Sequence[str], interval: str
) -> str:
    """The meaning of points and bars, for the figure and its caption."""
    least, most = int(data["n"].min() or 0), int(data["n"].max() or 0)  # type: ignore[arg-type]
    if most <= 1:
        return f"One seed, so there is no interval.{_over(told, keys)}"
    seeds = f"{most} seeds" if least == most else f"{least} to {most} seeds"
    what = "Bands" if scale.dense else "Bars"
    bars = f" {what}: {INTERVALS[interval]} of these seeds." if interval != "none" else ""
    return f"Means of {seeds}.{bars}{_over(told, keys)}"


def _over(told: Roles, keys: Sequence[str]) -> str:
    names = " and ".join(roles.short(k, keys) for k in told.over)
    return f" Of each seed first the mean over {names}." if names else ""


def _lines(ax: Any, rows: pl.DataFrame, told: Roles, scale: Scale, looks: Looks) -> None:
    import polars as pl

    groups = list(rows.group_by(told.by, maintain_order=True)) if told.by else [((), rows)]
    dense = scale.dense
    # Bars of several lines at one place stand a little beside each other.
    step = 0.0 if dense else min(ASIDE, MOST_ASIDE / len(groups))
    for i, (values, group) in enumerate(groups):
        own = group.with_columns(
            pl.Series("_at", [scale.at(v) for v in group[told.across or ""]], dtype=pl.Float64)
        ).sort("_at")
        way = looks.of_group(dict(zip(told.by, values, strict=True)))
        if scale.numbers is None:
            # There is nothing between words.
            way = replace(way, dash="none")
        _line(ax, own, way, dense, step * (i - (len(groups) - 1) / 2))


def _line(ax: Any, own: pl.DataFrame, way: Way, dense: bool, aside: float) -> None:
    """One line with its bars or its band, moved by points `aside`."""
    from matplotlib.transforms import ScaledTranslation

    x, mean, low, high = (
        own[c].cast(float).fill_null(float("nan")).to_numpy()
        for c in ("_at", "mean", "low", "high")
    )
    if dense:
        ax.fill_between(x, low, high, color=way.colour, alpha=0.2, linewidth=0)
    inches = style.points(aside) / 72
    moved = ax.transData + ScaledTranslation(inches, 0, ax.figure.dpi_scale_trans)
    wide = style.points(0.9)
    drawn = ax.errorbar(
        x,
        mean,
        None if dense else [mean - low, high - mean],
        color=way.colour,
        linestyle=way.dash,
        linewidth=style.points(1.2),
        marker="" if dense else way.marker,
        markersize=style.points(4),
        capsize=style.points(2),
        elinewidth=wide,
        capthick=wide,
    )
    for artist in drawn.get_children() if not dense else ():
        artist.set_transform(moved)


def _logs(choice: Choice, scale: Scale) -> str:
    if choice.log is None:
        return "x" if scale.logarithmic else ""
    if choice.log not in LOGS:
        raise UsageError(
            f"there is no axis {choice.log!r} to be logarithmic\n"
            f"  help: --log takes {', '.join(LOGS)}"
        )
    logs = "" if choice.log == "none" else choice.log
    if "x" in logs and (scale.numbers is None or min(scale.numbers) <= 0):
        raise AcklabError(
            f"--log {choice.log}: the values of {scale.name} are not all numbers above zero\n"
            "  help: leave it out, or choose another key with --x"
        )
    return logs


def _heights(panels: Panels, data: pl.DataFrame, logarithmic: bool) -> None:
    """From zero, unless that would press the lines flat."""
    from matplotlib.ticker import MaxNLocator

    (ax, _), *_ = panels.parts
    if logarithmic:
        if float(data["mean"].min() or 0) <= 0:  # type: ignore[arg-type]
            raise AcklabError(
                "--log y: some values are not above zero\n  help: leave it out, or take --log x"
            )
        ax.set_yscale("log")
        return
    ax.yaxis.set_major_locator(MaxNLocator(nbins="auto", min_n_ticks=3))
    _, high = ax.get_ylim()
    least = float(data.select(data["low"].fill_null(data["mean"]).min()).item())
    if least >= 0 and least < _EMPTY * high:
        ax.set_ylim(0, high)


def _told(told: Roles, keys: Sequence[str]) -> str:
    by = ", a line for each value of " + " and ".join(told.by) if told.by else ""
    return by + (", a panel for each of " + " and ".join(told.facet) if told.facet else "")
