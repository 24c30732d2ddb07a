"""The report of one run: how it went on the first screen, whatever was recorded folded below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import acklab
from acklab.plots import style
from acklab.plots.drawn import Choice
from acklab.plots.kinds import KINDS, recorded
from acklab.plots.order import Places, places
from acklab.plots.recorded import Recorded, of_one_run
from acklab.report import radio, ran, top
from acklab.report.build import build, save
from acklab.report.interactive import Bars, Chart, Join, Line
from acklab.report.parts import Section, as_far_as_it_goes

if TYPE_CHECKING:
    import polars as pl

#: Segments, ACKs and blocks of the time-sequence diagram: more than that is a black bar.
MOST_MARKS = 1500


#: Flows or links whose tables are laid on their side.
MOST_TURNED = 12


def run_report(source: Recorded, metrics: Sequence[str] = ()) -> str:
    """The page; the same run gives the same bytes. `metrics` are columns of the first table."""
    of_one_run(source, "the report")
    first = ran.first_screen(source, metrics)
    # Each says in its title what it has; a reader unfolds what they came for.
    sections = [replace(s, folded=True) for s in _sections(source)]
    return build(source.name, sections=sections, top=first)


def write_run_report(source: Any, path: Path, metrics: Sequence[str] = ()) -> Path:
    """Writes the page of a result, or of a result folder, to `path`."""
    return save(run_report(recorded(source), metrics), path)


#: The tables of every run, with the titles of their sections.
_TABLES = {"flows": "Flows", "links": "Links", "stations": "Stations"}


def _sections(source: Recorded) -> Iterator[Section]:
    expected = source.table("expectations")
    if expected is not None:
        yield Section("Expectations", table=expected)
    if source.table("series") is not None:
        yield from as_far_as_it_goes("Over time", _over_time(source))
    yield from _tables(source)
    if source.table("airtime") is not None:
        yield from as_far_as_it_goes("Airtime", radio.airtime(source))
    if source.table("ppdus") is not None:
        yield from as_far_as_it_goes("On the air", radio.timeline(source))
    if source.table("acks") is not None:
        yield from as_far_as_it_goes("ACKs", _histograms(source))
    if source.table("packets") is not None:
        yield from as_far_as_it_goes("Time-sequence", (_sequence(s) for s in [source]))
    events = source.table("events")
    if events is not None:
        told = f"{len(events):,} events of the senders"
        yield Section("Events", table=_headed(events), name="events", note=told)
    yield _words(source)
    yield _made(source)


def _tables(source: Recorded) -> Iterator[Section]:
    for name, title in _TABLES.items():
        frame = _table(source, name)
        if frame is not None:
            told, zero = _told(frame)
            names = ", ".join(style.heading(c) for c in zero)
            text = f"Zero throughout: {names}." if zero else ""
            headed = _headed(told)
            table = _turned(headed)
            # Quantities below each other have no order.
            upright = table is headed
            yield Section(title, text, table=table, name=name, note=_many(frame), sortable=upright)


def _table(source: Recorded, name: str) -> pl.DataFrame | None:
    return radio.stations(source) if name == "stations" else source.table(name)


def _many(frame: pl.DataFrame) -> str:
    return f"{len(frame):,} of them, {frame.width} columns" if len(frame) > 1 else "one"


def _headed(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns called as readers call them, with their units."""
    return frame.rename({c: style.heading(c) for c in frame.columns})


def _words(source: Recorded) -> Section:
    """The definitions of the columns that the page shows."""
    frames = [f for name in _TABLES if (f := _table(source, name)) is not None]
    columns = [c for f in frames for c in _told(f)[0].columns]
    return Section("Words and quantities", top.glossary(columns), name="words")


def _made(source: Recorded) -> Section:
    """The program that made the run, and the page."""
    text = (
        f"{source.provenance}. Again, in the folder of the run: `{source.again}`. "
        f"acklab {acklab.__version__} wrote this page.\n\n"
        f"The scenario with all defaults filled in:\n\n````\n{source.resolved}\n````"
    )
    return Section("How this was made", text, name="made")


def _told(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The columns that say something about this run, and the names of those that are all zero."""
    some = [c for c in frame if c.null_count() < len(c)]
    zero = [c.name for c in some if c.dtype.is_numeric() and (c == 0).all(ignore_nulls=False)]
    return frame.select(c for c in some if c.name not in zero), zero


def _turned(frame: pl.DataFrame) -> pl.DataFrame:
    """A wide table of a few flows or links as a column for each of them, which a page holds."""
    import polars as pl

    if frame.width <= len(frame) or len(frame) > MOST_TURNED:
        return frame
    head, *columns = frame.columns
    values = [pl.Series(head, columns)]
    for row in frame.iter_rows():
        values.append(pl.Series(str(row[0]), row[1:], dtype=pl.Object))
    return pl.DataFrame(values)


def _over_time(source: Recorded) -> Iterator[Section]:
    drawn = KINDS["series"].draw(source, Choice())
    charts = _charts(drawn.data, places(source))
    yield Section("Over time", figure=drawn, series=charts, name="series")
    yield _states(source)
    series = source.table("series")
    if series is not None and series["flow"].n_unique() > 1:
        fairness = KINDS["fairness"].draw(source, Choice())
        chart = Chart.of(
            fairness.data.unique("time_s", maintain_order=True),
            "Jain's index",
            x="time_s",
            y="jain",
            kind="step-before",
        )
        yield Section("Fairness", figure=fairness, series=chart, name="fairness")


def _states(source: Recorded) -> Section:
    """Bars of states, and below them the rates of the flows that are paced."""
    from acklab.plots.phases import colours

    drawn = KINDS["phases"].draw(source, Choice())
    spans = drawn.data.filter(drawn.data["what"] == "state")
    states = spans["state"].unique().to_list()
    bars = Bars("States", "time, s", spans, colours(states), colours(states, dark=True))
    rates = drawn.data.filter(drawn.data["what"] != "state")
    charts = [
        Chart.of(own, str(flow), x="start_s", y="value", by="what", y_label="Mbit/s", kind="step")
        for (flow,), own in rates.group_by("flow", maintain_order=True)
    ]
    return Section("States", figure=drawn, series=[bars, *charts], name="phases")


def _histograms(source: Recorded) -> Iterator[Section]:
    drawn = KINDS["ack-spacing"].draw(source, Choice())
    spacings = drawn.data.with_columns((drawn.data["from_s"] * 1e3).alias("from_ms"))
    at = places(source)
    chart = _histogram(spacings, "from_ms", "time since the ACK before, ms", at, log=True)
    yield Section("ACK spacing", figure=drawn, series=chart, name="ack-spacing")
    drawn = KINDS["segments-per-ack"].draw(source, Choice())
    chart = _histogram(drawn.data, "from", "segments per ACK, from", at, log=False)
    yield Section("Segments per ACK", figure=drawn, series=chart, name="segments-per-ack")


def _histogram(data: pl.DataFrame, x: str, x_label: str, at: Places, log: bool) -> Chart:
    label = "ACKs, %"
    return Chart.of(
        data.with_columns(percent=100 * data["share"]),
        "ACKs",
        x=x,
        y="percent",
        by="flow",
        x_label=x_label,
        y_label=label,
        kind="step",
        log=log,
        at=at,
    )


def _charts(data: pl.DataFrame, at: Places) -> Sequence[Chart]:
    """One per quantity of the stacked figure."""
    from acklab.plots.series import label

    charts = []
    for (quantity,), rows in data.group_by("quantity", maintain_order=True):
        title, _, unit = label(str(quantity)).partition("\n")
        kind: Join = "step-before" if quantity == "goodput" else "step"
        own = at if quantity != "queue" else None
        charts.append(
            Chart.of(rows, title, x="time_s", y="value", by="name", y_label=unit, kind=kind, at=own)
        )
    return charts


def _sequence(source: Recorded) -> Section:
    from acklab.plots.sequence import marks

    flow, data = marks(source, Choice())
    end = float(data["time_s"][MOST_MARKS - 1]) if len(data) > MOST_MARKS else None
    drawn = KINDS["sequence"].draw(source, Choice(flows=[flow], end=end))
    until = f", up to {end:.3g} s; the chart below it has the rest" if end else ""
    text = f"Of the flow `{flow}`{until}."
    return Section("Time-sequence", text, figure=drawn, series=_stream(data), name="sequence")


#: Lines of the interactive diagram: rows, column, how they are joined.
_STREAM: dict[str, tuple[str, str, Join]] = {
    "sent": ("segment", "end", "points"),
    "retransmitted": ("retransmission", "end", "points"),
    "acknowledged": ("ack", "end", "step"),
    "dropped": ("drop", "end", "points"),
    "SACK": ("sack", "end", "points"),
}


def _stream(data: pl.DataFrame) -> Chart:
    lines = []
    for name, (what, column, kind) in _STREAM.items():
        rows = data.filter(data["what"] == what)
        if len(rows):
            y = (rows[column] / 1e6).to_list()
            lines.append(Line(name, rows["time_s"].to_list(), y, kind))
    return Chart("Last byte", "time, s", "stream, MB", lines)
