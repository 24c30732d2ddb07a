"""Sections of a run's report on its radio channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from acklab.plots.drawn import Choice
from acklab.plots.kinds import KINDS
from acklab.plots.radio import KINDS as PPDUS
from acklab.plots.radio import USES, lanes, named
from acklab.plots.recorded import Recorded
from acklab.report.interactive import Bars
from acklab.report.parts import Section

if TYPE_CHECKING:
    import polars as pl

#: PPDUs of a timeline that can be zoomed: some 60 bytes of the page each.
MOST_BARS = 3000
#: Timelines if there are more PPDUs: at the beginning, in the middle, at the end.
WINDOWS = 3
#: Lanes of such a timeline; of more stations, those that sent longest.
MOST_SHOWN = 100
#: Colours of PPDUs that could not be read, on light and on dark ground.
_GARBLED = (USES["collision"].light, USES["collision"].dark)
_LOST = (USES["noise"].light, USES["noise"].dark)


def stations(source: Recorded) -> pl.DataFrame | None:
    """The table of stations, each with one name."""
    import polars as pl

    frame = source.table("stations")
    if frame is None:
        return None
    channels = frame["medium"].n_unique()
    names = [named(who, channels) for who in lanes(source)]
    return frame.with_columns(pl.Series("station", names)).drop("medium")


def airtime(source: Recorded) -> Iterator[Section]:
    """The facts that every run has of its channels."""
    drawn = KINDS["airtime"].draw(source, Choice())
    text = (
        "In percent of the run, which all uses sum to. `channel` is the channel itself. A station "
        "sends, hears others or keeps to what they have reserved, is in a SIFS of its exchange, "
        "waits for its turn (contention: interframe spaces, backoff, timeouts) or has nothing to "
        "contend for."
    )
    yield Section("Airtime", text, _percent(drawn.data), drawn, name="airtime")
    if source.table("ampdu_sizes") is not None:
        drawn = KINDS["ampdu-sizes"].draw(source, Choice())
        yield Section("A-MPDU sizes", "", figure=drawn, name="ampdu-sizes")


def _percent(data: pl.DataFrame) -> pl.DataFrame:
    """A row per channel and station, a column per use."""
    import polars as pl

    rows = data.with_columns(
        pl.col("station").fill_null("channel"), (100 * pl.col("share")).alias("percent")
    )
    keys = ["medium", "station"] if data["medium"].n_unique() > 1 else ["station"]
    table = rows.pivot("use", index=keys, values="percent", maintain_order=True)
    uses = {use: look for use, look in USES.items() if use in table.columns}
    return table.select(
        *keys, *(pl.col(use).alias(f"{look.label}, %") for use, look in uses.items())
    )


def timeline(source: Recorded) -> Iterator[Section]:
    """The air over time: as a figure, and as windows that can be zoomed."""
    from acklab.plots.air import bars

    drawn = KINDS["air-timeline"].draw(source, Choice())
    ppdus = bars(source)
    charts = [_window(source, rows, len(ppdus)) for rows in _windows(ppdus)]
    begin, end = drawn.data["time_s"].to_numpy().min(), drawn.data["end_s"].to_numpy().max()
    text = (
        f"{len(drawn.data)} PPDUs in the middle of the run, from {1e3 * begin:.3f} ms to "
        f"{1e3 * end:.3f} ms. Numbers are of MPDUs; what is crossed out its receiver could not "
        "read: because somebody else sent as well, or, with other hatching, for bit errors."
    )
    yield Section("On the air", text, figure=drawn, series=charts, name="air-timeline")


def _windows(ppdus: pl.DataFrame) -> Sequence[pl.DataFrame]:
    """Everything, or equally many PPDUs at the beginning, in the middle and at the end."""
    if len(ppdus) <= WINDOWS * MOST_BARS:
        return [ppdus]
    last = len(ppdus) - MOST_BARS
    return [ppdus.slice(i * last // (WINDOWS - 1), MOST_BARS) for i in range(WINDOWS)]


def _window(source: Recorded, rows: pl.DataFrame, of: int) -> Bars:
    """The PPDUs in `rows`, which follow each other without a gap."""
    from acklab.plots.air import of_lanes, shown_of

    origin, end = float(rows["time_s"][0]), float(rows["end_s"].max())  # type: ignore[arg-type]
    kept = f"{len(rows):,} of {of:,}" if len(rows) < of else f"All {of:,}"
    note = f"{kept} PPDUs: every one from {origin:.6f} s to {end:.6f} s. Drag to zoom."
    places = shown_of(source, rows, MOST_SHOWN)
    heard = rows.select("medium", "from").n_unique()
    if len(places) < heard:
        note += f" Of {heard} stations the {len(places)} that sent longest have a row."
        rows = of_lanes(rows, places)
    channels = len({c for c, _ in lanes(source)})
    names = {who: named(who, channels) for who in places}
    senders = [names[who] for who in rows.select("medium", "from").rows()]
    label = f"time since {origin:.6f} s, ms"
    title = f"{origin:.3f} s to {end:.3f} s"
    return of_senders(title, label, rows, senders, list(names.values()), origin, note)


def of_senders(
    title: str,
    x: str,
    rows: pl.DataFrame,
    senders: Sequence[str],
    order: Sequence[str],
    origin: float,
    note: str,
) -> Bars:
    """PPDUs as `acklab.plots.air.bars` has them, in lanes called after who sent each; times in ms
    since `origin`."""
    import polars as pl

    places = {name: i for i, name in enumerate(order)}
    state = (
        pl.when("garbled")
        .then(pl.col("what") + ", not readable")
        .when("lost")
        .then(pl.col("what") + ", lost to noise")
        .otherwise("what")
    )
    mpdus = pl.format(", MPDUs: {}", "mpdus")
    spans = rows.select(
        pl.Series("flow", senders, dtype=pl.String),
        state.alias("state"),
        *((1e3 * (pl.col(c) - origin)).alias(n) for c, n in _TIMES.items()),
        pl.format(
            "to {}, {}{}",
            "to",
            "mode",
            pl.when(pl.col("mpdus") > 0).then(mpdus).otherwise(pl.lit("")),
        ).alias("about"),
    ).sort(pl.col("flow").replace_strict(places), maintain_order=True)
    light, dark = (_colours(i) for i in range(2))
    ends = ("", ", not readable", ", lost to noise")
    heights = {f"{k}{end}": look.height for k, look in PPDUS.items() for end in ends}
    return Bars(title, x, spans, light, dark, "ms", note, heights)


_TIMES = {"time_s": "start_s", "end_s": "end_s"}


def _colours(ground: int) -> dict[str, str]:
    """Of every kind of PPDU, readable or not."""
    own = {kind: (look.light, look.dark)[ground] for kind, look in PPDUS.items()}
    spoilt = {f"{kind}, not readable": _GARBLED[ground] for kind in PPDUS}
    return own | spoilt | {f"{kind}, lost to noise": _LOST[ground] for kind in PPDUS}
