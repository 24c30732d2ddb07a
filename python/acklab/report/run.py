"""The report of one run: whatever was recorded of it, drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots.drawn import Choice
from acklab.plots.kinds import KINDS, recorded
from acklab.plots.recorded import Recorded
from acklab.report.build import build, save
from acklab.report.parts import Chart, Section

if TYPE_CHECKING:
    import polars as pl

#: Segments, ACKs and blocks of the time-sequence diagram: more than that is a black bar.
MOST_MARKS = 3000


def run_report(source: Recorded) -> str:
    """The page; the same run gives the same bytes."""
    return build(source.name, sections=list(_sections(source)), meta={"run": source.provenance})


def write_run_report(source: Any, path: Path) -> Path:
    """Writes the page of a result, or of a result folder, to `path`."""
    return save(run_report(recorded(source)), path)


def _sections(source: Recorded) -> Iterator[Section]:
    expected = source.table("expectations")
    if expected is not None:
        yield Section("Expectations", table=expected)
    for name, title in (("flows", "Flows"), ("links", "Links")):
        frame = source.table(name)
        if frame is not None:
            yield Section(title, table=_told(frame), name=name)
    if source.table("series") is not None:
        yield from _over_time(source)
    if source.table("acks") is not None:
        for name, title in (
            ("ack-spacing", "ACK spacing"),
            ("segments-per-ack", "Segments per ACK"),
        ):
            yield Section(title, figure=KINDS[name].draw(source, Choice()), name=name)
    if source.table("packets") is not None:
        yield _sequence(source)
    events = source.table("events")
    if events is not None:
        yield Section("Events", table=events, name="events")


def _told(frame: pl.DataFrame) -> pl.DataFrame:
    """Without the columns that say nothing about this run."""
    return frame.select(s for s in frame if s.null_count() < len(s))


def _over_time(source: Recorded) -> Iterator[Section]:
    drawn = KINDS["series"].draw(source, Choice())
    charts = _charts(drawn.data)
    yield Section("Over time", figure=drawn, series=charts, name="series")
    yield Section("States", figure=KINDS["phases"].draw(source, Choice()), name="phases")
    series = source.table("series")
    if series is not None and series["flow"].n_unique() > 1:
        fairness = KINDS["fairness"].draw(source, Choice())
        chart = Chart.of(
            fairness.data.unique("time_s", maintain_order=True),
            "Jain's index",
            x="time_s",
            y="jain",
            kind="step",
        )
        yield Section("Fairness", figure=fairness, series=chart, name="fairness")


def _charts(data: pl.DataFrame) -> Sequence[Chart]:
    """One per quantity of the stacked figure."""
    from acklab.plots.series import label

    charts = []
    for (quantity,), rows in data.group_by("quantity", maintain_order=True):
        title, _, unit = label(str(quantity)).partition("\n")
        charts.append(
            Chart.of(rows, title, x="time_s", y="value", by="name", y_label=unit, kind="step")
        )
    return charts


def _sequence(source: Recorded) -> Section:
    from acklab.plots.sequence import marks

    flow, data = marks(source, Choice())
    end = float(data["time_s"][MOST_MARKS - 1]) if len(data) > MOST_MARKS else None
    drawn = KINDS["sequence"].draw(source, Choice(flows=[flow], end=end))
    text = f"Of the flow `{flow}`"
    text += (
        f", up to {end:.3g} s; `acklab plot RESULT sequence --from --to` shows the rest."
        if end
        else "."
    )
    return Section("Time-sequence", text, figure=drawn, name="sequence")
