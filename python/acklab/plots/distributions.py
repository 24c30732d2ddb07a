"""Distributions of one result: over a sweep's runs, or over a run's samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.metrics.derived import once_per_run, with_metric
from acklab.plots import legend, roles, style, swept
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.looks import Looks, Marks
from acklab.plots.order import in_order, places
from acklab.plots.panels import Panels
from acklab.plots.recorded import Recorded, required
from acklab.plots.roles import Roles

if TYPE_CHECKING:
    import polars as pl


#: Note of the plot of ellipses: how to read them.
_ELLIPSES = (
    "Up and right is better: latency runs from right to left. Ellipses: one standard deviation "
    "around the mean of the runs; marks: medians."
)


def cdf(source: Recorded, choice: Choice) -> Drawn:
    """The share of values that are no larger, a line per cell or flow."""
    from acklab.plots import cdf

    if source.table("runs") is not None:
        return _cdf_of_a_sweep(source, choice)
    rows = _samples(source, "cdf", choice)
    value = _column(rows, choice.value or "rtt_ms")
    figure, data = cdf.draw(rows, value, "group", style.heading(value), places(source))
    return Drawn(figure, data, f"{source.name}: distribution of {value} {_by(rows)}")


def box(source: Recorded, choice: Choice) -> Drawn:
    """Quartiles, whiskers and every value, a box per cell or flow."""
    from acklab.plots import box

    if source.table("runs") is None:
        rows = _samples(source, "box", choice)
        value = _column(rows, choice.value or "rtt_ms")
    else:
        value = choice.value or "goodput_mbps"
        rows, keys = _runs(source, choice, value)
        rows, value = _in_words(rows, keys), _column(rows, value)
    figure, data = box.draw(rows, value, "group", style.heading(value), places(source))
    return Drawn(figure, data, f"{source.name}: boxes of {value} {_by(rows)}")


def ellipse(source: Recorded, choice: Choice) -> Drawn:
    """Throughput against latency, an ellipse per cell or flow: up and right is better."""
    from acklab.plots import ellipse

    if source.table("runs") is not None:
        return _ellipse_of_a_sweep(source, choice)
    rows = _samples(source, "ellipse", choice)
    latency, throughput = (_column(rows, c) for c in ("rtt_ms", choice.value or "delivery_mbps"))
    labels = (style.heading(latency), style.heading(throughput))
    at = places(source)
    figure, data = ellipse.draw(rows, latency, throughput, "group", labels=labels, at=at)
    return Drawn(figure, data, f"{source.name}: {throughput} against {latency} {_by(rows)}")


def _cdf_of_a_sweep(source: Recorded, choice: Choice) -> Drawn:
    from acklab.plots import cdf

    value = choice.value or "goodput_mbps"
    rows, keys = _runs(source, choice, value)
    value = _column(rows, value)
    told = roles.of(rows, keys, choice, across=False, crowded=True)
    looks, panels = Looks.of(rows, told, keys), Panels.of(rows, told, keys)
    data = []
    for ax, part in panels.parts:
        shares = cdf.shares_by(part, value, told.groups)
        for values, line in _groups(shares, told.by):
            cdf.line(ax, line, value, looks.of_group(values))
        ax.set(xlabel=style.heading(value), ylim=(0, 1.02))
        data.append(shares)
    panels.finish("share of runs no larger")
    return _finished(source, panels, looks, data, f"distribution of {value}", told, marks="line")


def _ellipse_of_a_sweep(source: Recorded, choice: Choice) -> Drawn:
    from acklab.plots import ellipse

    throughput = choice.value or "goodput_mbps"
    rows, keys = _runs(source, choice, throughput)
    latency, throughput = _column(rows, "rtt_p50_ms"), _column(rows, throughput)
    told = roles.of(rows, keys, choice, across=False)
    looks, panels = Looks.of(rows, told, keys), Panels.of(rows, told, keys)
    data = []
    for ax, part in panels.parts:
        shapes = ellipse.shapes(part, latency, throughput, told.groups)
        for values, shape in _groups(shapes, told.by):
            way = looks.of_group(values)
            ellipse.one(ax, shape.row(0, named=True), way.colour, way.marker, len(shapes))
        ellipse.frame_of(ax, style.heading(latency), "")
        data.append(shapes)
    # Shared axes are turned once.
    panels.parts[0][0].invert_xaxis()
    panels.finish(style.heading(throughput))
    about = f"{throughput} against {latency}"
    return _finished(source, panels, looks, data, about, told, marks="mark", note=_ELLIPSES)


def _groups(rows: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    groups = rows.group_by(by, maintain_order=True) if by else [((), rows)]
    return ((dict(zip(by, values, strict=True)), part) for values, part in groups)


def _finished(
    source: Recorded,
    panels: Panels,
    looks: Looks,
    data: Sequence[pl.DataFrame],
    about: str,
    told: Roles,
    marks: Marks,
    note: str = "",
) -> Drawn:
    import polars as pl

    legend.place(panels.figure, looks.legend(marks))
    names = ", ".join(told.groups)
    alt = f"{source.name}: {about}{f' by {names}' if names else ''}"
    return Drawn(panels.figure, pl.concat(data), alt, note)


def _samples(source: Recorded, kind: str, choice: Choice) -> pl.DataFrame:
    """The samples of a run, with a column `group`: the flow."""
    import polars as pl

    series = in_order(choice.of(required(source, kind, "series")), places(source))
    return series.with_columns(pl.col("flow").alias("group"))


def _runs(source: Recorded, choice: Choice, value: str) -> tuple[pl.DataFrame, list[str]]:
    """The runs of a sweep with the metric, and the keys that tell them apart."""
    runs = required(source, "distribution", "runs")
    rows = with_metric(swept.chosen(runs, choice), value, partial(source.table, "run_series"))
    return once_per_run(rows, value), swept.keys(rows, value)


def _in_words(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The rows with a column `group` that names the values of the keys."""
    import polars as pl

    varied = [k for k in keys if rows[k].n_unique() > 1] or keys[:1]
    words = [
        pl.concat_str(pl.lit(f"{name} = "), pl.col(k).cast(pl.String))
        for k, name in zip(varied, roles.shorts(varied), strict=True)
    ]
    return rows.with_columns(
        pl.concat_str(words or [pl.lit("all runs")], separator="\n").alias("group")
    )


def _column(rows: pl.DataFrame, value: str) -> str:
    numbers = [c for c in rows.columns if rows[c].dtype.is_numeric()]
    if value in numbers:
        if rows[value].count() == 0:
            raise AcklabError(
                f"there is no value of {value} to draw: nothing was ever measured\n"
                "  help: choose another column with --value, or other times"
            )
        return value
    raise AcklabError(
        f"there is no metric called {value!r}\n  help: the metrics are {', '.join(numbers)}"
    )


def _by(rows: pl.DataFrame) -> str:
    names = rows["group"].unique(maintain_order=True).str.replace_all("\n", ", ", literal=True)
    return "of " + "; ".join(names)
