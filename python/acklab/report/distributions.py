"""Sections on how runs are distributed: shares, boxes, ellipses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.plots.drawn import Drawn
from acklab.report.groups import grouped, pooled_words, told_apart
from acklab.report.interactive import Chart
from acklab.report.parts import Section

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

#: Lines and boxes side by side; more are no longer told apart.
MOST_GROUPS = 12
#: Columns that are drawn of each run, the first of them as a static figure.
VALUES = ("goodput_mbps", "rtt_p95_ms", "retransmissions")
#: Latency and throughput of an ellipse's points.
ELLIPSE = ("rtt_p50_ms", "goodput_mbps")


def distributions(
    frame: pl.DataFrame, keys: Sequence[str], provenance: str, always: Sequence[str] = ()
) -> Iterator[Section]:
    """Shares, boxes and ellipses of the runs in `frame`, by as many of `keys` as can be read."""
    kept, pooled = told_apart(frame, keys, MOST_GROUPS, always)
    rows = grouped(frame, kept)
    values = [v for v in VALUES if v in rows.columns and rows[v].count() > 0]
    if not values:
        return
    of = "run" if rows["flow"].unique().to_list() == ["all"] else "flow of each run"
    text = f"{len(rows):,} values, one per {of}.{pooled_words(pooled)}"
    yield _cdf(rows, values, text, provenance)
    yield _box(rows, values[0], text, provenance)
    if all(c in rows.columns and rows[c].count() > 0 for c in ELLIPSE):
        yield _ellipse(rows, text, provenance)


def _cdf(rows: pl.DataFrame, values: Sequence[str], text: str, provenance: str) -> Section:
    from acklab.plots import cdf

    with style.house():
        figure, data = cdf.draw(rows, values[0], "group", style.heading(values[0]))
    drawn = _signed(figure, data, f"distribution of {values[0]} by group", provenance)
    charts = []
    for value in values:
        shares = cdf.shares(rows, value, "group")
        shares = shares.with_columns(shares["group"].str.replace_all("\n", ", ", literal=True))
        label = style.heading(value)
        charts.append(
            Chart.of(
                shares,
                label,
                x=value,
                y="share",
                by="group",
                x_label=label,
                y_label="share of runs no larger",
                kind="step",
            )
        )
    return Section("Distribution", text, figure=drawn, series=charts, name="cdf")


def _box(rows: pl.DataFrame, value: str, text: str, provenance: str) -> Section:
    from acklab.plots import box

    with style.house():
        figure, data = box.draw(rows, value, "group", style.heading(value))
    drawn = _signed(figure, data, f"boxes of {value} over seeds", provenance)
    more = " The box is from the first to the third quartile, whiskers reach 1.5 times its height."
    return Section(
        "Box over seeds", text + more, figure=drawn, table=_boxes(data, value), name="box"
    )


def _ellipse(rows: pl.DataFrame, text: str, provenance: str) -> Section:
    from acklab.plots import ellipse

    latency, throughput = ELLIPSE
    labels = (style.heading(latency), style.heading(throughput))
    with style.house():
        figure, data = ellipse.draw(rows, latency, throughput, "group", labels=labels)
    drawn = _signed(figure, data, "throughput against latency by group", provenance)
    more = " Up and right is better: one standard deviation around the mean, a mark at the median."
    title = "Throughput and latency"
    return Section(title, text + more, figure=drawn, table=_ellipses(data), name="ellipse")


def _signed(figure: Figure, data: pl.DataFrame, alt: str, provenance: str) -> Drawn:
    style.footer(figure, provenance)
    return Drawn(figure, data, alt)


def _boxes(data: pl.DataFrame, value: str) -> pl.DataFrame:
    """The numbers behind the boxes, with the unit of the value."""
    heads = {"low": "whisker below", "q1": "first quartile", "q3": "third quartile"}
    unit = style.heading(value).rpartition(", ")[2] if ", " in style.heading(value) else ""
    told = {
        c: heads.get(c, "whisker above" if c == "high" else c) + (f", {unit}" if unit else "")
        for c in data.columns
        if c not in ("group", "n")
    }
    return _named(data).rename(told)


def _ellipses(data: pl.DataFrame) -> pl.DataFrame:
    """Means and medians; the axes of an ellipse are seen and need no number."""
    names = dict(zip(("latency", "throughput"), map(style.heading, ELLIPSE), strict=True))
    told = {
        f"{what}_{how}": ", ".join((f"{how} of {name}", unit))
        for what, heading in names.items()
        for how in ("mean", "median")
        for name, _, unit in [heading.partition(", ")]
    }
    return _named(data).select("group", "n", *told).rename(told)


def _named(data: pl.DataFrame) -> pl.DataFrame:
    return data.with_columns(data["group"].str.replace_all("\n", ", ", literal=True))
