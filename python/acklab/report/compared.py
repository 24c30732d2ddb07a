"""The report of results side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.plots import rates, style
from acklab.plots.drawn import Drawn
from acklab.plots.kinds import recorded
from acklab.report.build import build, save
from acklab.report.distributions import distributions
from acklab.report.groups import varying
from acklab.report.interactive import Chart, Join
from acklab.report.parts import Section, as_far_as_it_goes
from acklab.results import Result

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from acklab.comparing import Compared, Comparison

#: Columns of a run's samples that are laid over each other.
_OVER_TIME = ("cwnd_packets", "rtt_ms")


def write_comparison_report(comparison: Comparison, path: Path, metrics: Sequence[str]) -> Path:
    """Writes the page of a comparison, with tables of `metrics`, to `path`."""
    title = " and ".join((", ".join(comparison.names[:-1]), comparison.names[-1]))
    meta = {"measured by": comparison.names[0], "results": f"{len(comparison.names)}"}
    return save(build(title, sections=list(_sections(comparison, metrics)), meta=meta), path)


def _sections(comparison: Comparison, metrics: Sequence[str]) -> Iterator[Section]:
    yield Section("Results", table=_results(comparison), name="results")
    table = comparison.table(metrics)
    for metric in metrics:
        yield _metric(comparison, table, metric)
    if comparison.kind == "runs":
        yield from _over_time(comparison)
        return
    runs = comparison.frame("flows")
    keys = varying(runs, comparison.keys)
    yield from distributions(runs, keys, comparison.provenance, always=["result"])


def _results(comparison: Comparison) -> pl.DataFrame:
    import polars as pl

    rows = [
        {"result": name, "what": recorded(r).provenance, "folder": _folder(r)}
        for name, r in zip(comparison.names, comparison.results, strict=True)
    ]
    return pl.DataFrame(rows)


def _folder(result: Compared) -> str:
    return "" if isinstance(result, Result) else str(result.folder)


def _metric(comparison: Comparison, table: pl.DataFrame, metric: str) -> Section:
    """A row per flow and value of the keys; a column per result, and how far it is off."""
    import polars as pl

    mine = table.filter(pl.col("metric") == metric)
    keys = mine.columns[1 : mine.columns.index("result")]
    wide = mine.select(keys).unique(maintain_order=True)
    half = (pl.col("ci_high") - pl.col("mean")).alias("half")
    for i, name in enumerate(comparison.names):
        own = mine.filter(pl.col("result") == name).select(
            *keys,
            pl.struct("mean", half).alias(name),
            *([(100 * pl.col("difference")).alias(f"{name}: difference, %")] if i else []),
        )
        wide = wide.join(own, on=keys, how="left", nulls_equal=True, maintain_order="left")
    text = f"Differences are relative to `{comparison.names[0]}`."
    return Section(style.heading(metric), text, table=wide, name=f"metric-{metric}")


def _over_time(comparison: Comparison) -> Iterator[Section]:
    frame = comparison.frame("series")
    if frame.is_empty():
        return
    charts = [_chart(_rates(frame), "mbps", "goodput, Mbit/s", "step-before")]
    charts += [
        _chart(frame, column, style.heading(column), "step")
        for column in _OVER_TIME
        if frame[column].count() > 0
    ]
    yield Section("Over time", series=charts, name="series")
    for kind, title in (("cdf", "Distribution"), ("box", "Boxes"), ("ellipse", "Ellipse")):
        yield from as_far_as_it_goes(title, _plotted(comparison, kind, title))


def _plotted(comparison: Comparison, kind: str, title: str) -> Iterator[Section]:
    figure, data = comparison.plot(kind)
    yield Section(title, "Of the samples over time.", figure=_drawn(figure, data, title))


def _chart(frame: pl.DataFrame, column: str, label: str, kind: Join) -> Chart:
    by = ["result", *(["flow"] if frame["flow"].n_unique() > 1 else [])]
    return Chart.of(frame, label, x="time_s", y=column, by=by, y_label=label, kind=kind)


def _rates(frame: pl.DataFrame) -> pl.DataFrame:
    """Goodput over windows, for samples are too short for a rate."""
    import polars as pl

    parts = [
        rates.goodput(own, rates.window_of(own, None)).with_columns(result=pl.lit(name))
        for (name,), own in frame.group_by("result", maintain_order=True)
    ]
    return pl.concat(parts)


def _drawn(figure: Figure, data: pl.DataFrame, title: str) -> Drawn:
    return Drawn(figure, data, f"{title} of the results side by side")
