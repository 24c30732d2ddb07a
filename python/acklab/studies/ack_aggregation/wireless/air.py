"""Who holds the air, PPDU by PPDU, without aggregation and with A-MPDUs: why aggregation pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acklab.plots import air
from acklab.plots.drawn import Choice
from acklab.plots.recorded import InMemory
from acklab.report.radio import of_senders
from acklab.studies.ack_aggregation.wireless.cells import (
    AGGREGATIONS,
    QUICK_DURATION_S,
    SETTINGS,
    scenario,
)
from acklab.studies.ack_aggregation.wireless.figures import AGGREGATION_NAMES
from acklab.studies.study import Cell, Effort, Outcome

if TYPE_CHECKING:
    import polars as pl

    from acklab.report.interactive import Bars

SHOWN = ("none", "ampdu")
_HOW = {"none": "Without aggregation", "ampdu": "With A-MPDUs"}
#: Of the air, from the first PPDU with data after the middle of each run on: a few A-MPDUs.
WINDOW_S = 0.02


def cells(_: Effort) -> list[Cell]:
    """One short run of each: the same whatever the effort."""
    return [
        Cell(
            {"stack": "linux", "cc": "cubic", "aggregation": how},
            scenario(SETTINGS["linux"], "cubic", AGGREGATIONS[how], QUICK_DURATION_S)
            | {"record": {"ppdus": True}},
            seeds=1,
        )
        for how in SHOWN
    ]


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per PPDU of the window; times since it began."""
    import polars as pl

    frames = []
    for outcome in outcomes:
        ppdus = air.bars(InMemory(outcome.results[0]))
        middle = float(air.window(ppdus, Choice())["time_s"][0])
        data = ppdus.filter(pl.col("time_s") >= middle, pl.col("mpdus") > 0)
        begin = float(data["time_s"][0])
        rows = ppdus.filter(pl.col("time_s").is_between(begin, begin + WINDOW_S, closed="left"))
        since = (pl.col(c) - begin for c in ("time_s", "end_s"))
        keys = (pl.lit(value).alias(key) for key, value in outcome.keys.items())
        frames.append(rows.drop("medium").with_columns(*since).select(*keys, pl.col("*")))
    return pl.concat(frames)


def charts(table: pl.DataFrame) -> list[Bars]:
    """Both one above the other, on one axis of time."""
    import polars as pl

    lane = pl.format("{}: {}", pl.col("aggregation").replace(AGGREGATION_NAMES), "from")
    rows = table.with_columns(lane.alias("lane"))
    order = rows["lane"].unique(maintain_order=True).to_list()
    title = "Who holds the air: Cubic without aggregation, and with A-MPDUs"
    note = (
        f"{len(rows)} PPDUs: each that began in {1e3 * WINDOW_S:.0f} ms from the middle of a run "
        f"of {QUICK_DURATION_S} s. Drag to zoom."
    )
    x = "time since the window began, ms"
    return [of_senders(title, x, rows, rows["lane"].to_list(), order, 0.0, note)]


def text(table: pl.DataFrame) -> str:
    """What became of the same time, in numbers of the table."""
    import polars as pl

    sentences = []
    for how in SHOWN:
        rows = table.filter(pl.col("aggregation") == how)
        data = rows.filter(pl.col("mpdus") > 0)
        held = float((data["end_s"] - data["time_s"]).sum())
        # What began last may end after the window.
        of = max(WINDOW_S, float(rows["end_s"].max()))  # type: ignore[arg-type]
        sentences.append(
            f"{_HOW[how]} {data['mpdus'].sum()} MPDUs of both sides go in {len(data)} PPDUs, which "
            f"hold the air for {100 * held / of:.0f} % of {1e3 * of:.1f} ms."
        )
    return (
        "Each PPDU is waited for (interframe space and backoff), begins with a preamble and is "
        "followed by a SIFS and an answer, however many MPDUs are in it. " + " ".join(sentences)
    )
