"""The air over time: a lane per station, a bar per PPDU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.plots import legend, style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.radio import KINDS, kind_of, lanes, named
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

#: PPDUs of a figure whose times were not chosen: a dozen exchanges or two, which can be told apart.
USUAL_PPDUS = 40
#: Stations up to which also those have a lane that were silent.
MOST_LANES = 12
#: Lanes of a figure; of more stations, those that sent longest.
MOST_SHOWN = 60
#: Bars of an SVG; with more, the bars (not the text) become a picture within it.
MOST_VECTORS = 10_000
#: Inches.
_WIDTH, _LANE = 8.4, 0.42
#: Stations served at once whose bars have room for a label in their lane.
MOST_LABELLED = 4
#: Points that a letter of the bars' labels is wide, and the axes.
_LETTER, _AXES = 4.0, 500.0


#: PPDUs that the receiver could not read: value of the column, label, hatching.
SPOILT = {"garbled": ("not readable", "xxxx"), "lost": ("lost to noise", "||||")}


def draw(source: Recorded, choice: Choice) -> Drawn:
    """A window of time, by default in the middle of what was on the air."""
    data = window(bars(source), choice)
    shown = shown_of(source, data, MOST_SHOWN)
    data = of_lanes(data, shown)
    parts = _sharing(data)
    begin = data["time_s"].to_numpy().min() if choice.start is None else choice.start
    end = data["end_s"].to_numpy().max() if choice.end is None else choice.end
    origin, view = _view(float(begin), float(end))
    fig, axes = style.figure(1, 1, (_WIDTH, _LANE * len(shown) + 1.5))
    ax = axes[0][0]
    for what in KINDS:
        _bars(ax, parts.filter(parts["what"] == what), what, shown, origin)
    _garbled(ax, parts, shown, origin)
    _labels(ax, parts, shown, origin, view)
    channels = len({c for c, _ in lanes(source)})
    ax.set_yticks(range(len(shown)), [named(who, channels) for who in shown])
    ax.set_ylim(len(shown) - 0.45, -0.55)
    margin = 0.01 * (view[1] - view[0])
    ax.set_xlim(view[0] - margin, view[1] + margin)
    ax.set_xlabel(f"time since {origin:.3f} s, ms")
    ax.grid(visible=False, axis="y")
    legend.outside(fig, ax, above=True)
    if len(shown) < len(lanes(source)):
        ax.set_title(_left_out(len(lanes(source)) - len(shown), len(shown)))
    told = ", ".join(f"{n} {what}" for what, n in _counts(data))
    span = f"{view[1] - view[0]:.3g} ms"
    alt = f"{source.name}: PPDUs on the air over {span}, a lane per station: {told}"
    return Drawn(fig, data, alt)


def bars(source: Recorded) -> pl.DataFrame:
    """A row per PPDU: `medium`, `from`, `to`, `what` (of `KINDS`), `mode`, `psdu_bytes`, `mpdus`,
    `garbled`, `lost`, `time_s`, `end_s`, in the order in which they began."""
    import polars as pl

    ppdus = required(source, "air-timeline", "ppdus")
    # Results of older versions do not tell what was lost to noise.
    lost = pl.col("lost") if "lost" in ppdus.columns else pl.lit(value=False).alias("lost")
    columns = ("medium", "from", "to", kind_of(), "mode", "psdu_bytes", "mpdus", "garbled", lost)
    times = ((pl.col("time_ns") / 1e9).alias("time_s"), (pl.col("end_ns") / 1e9).alias("end_s"))
    return ppdus.select(*columns, *times).sort("time_s", maintain_order=True)


def window(ppdus: pl.DataFrame, choice: Choice) -> pl.DataFrame:
    """The PPDUs between the times that were chosen; a few next to the one that was
    chosen, or from the first moment of silence after the middle on."""
    import polars as pl

    start, end = choice.start, choice.end
    if start is None and end is None:
        start = _silence(ppdus)
    rows = ppdus
    if start is not None:
        rows = rows.filter(pl.col("end_s") > start)
    if end is not None:
        rows = rows.filter(pl.col("time_s") < end)
    if rows.is_empty():
        raise AcklabError(
            f"nothing was on the air between {start or 0} s and {end or 'the end'}\n"
            "  help: choose other times with --from and --to"
        )
    if start is None:
        return rows.tail(USUAL_PPDUS)
    return rows.head(USUAL_PPDUS) if end is None else rows


def _silence(ppdus: pl.DataFrame) -> float:
    """When the first PPDU of the second half begins before which all others had ended."""
    import polars as pl

    later = pl.int_range(pl.len()) >= pl.len() // 2
    ended = pl.col("end_s").cum_max().shift(1, fill_value=0) <= pl.col("time_s")
    after = ppdus.filter(later & ended)
    return float(after["time_s"][0] if len(after) else ppdus["time_s"][len(ppdus) // 2])


def shown_of(source: Recorded, data: pl.DataFrame, most: int) -> list[tuple[str, str]]:
    """The stations that get a lane: `most` at most, those that sent longest."""
    import polars as pl

    every = lanes(source)
    if len(every) <= MOST_LANES:
        return every
    sent = data.group_by("medium", "from").agg((pl.col("end_s") - pl.col("time_s")).sum())
    longest = sent.sort("end_s", "medium", "from", descending=True).head(most)
    heard = set(longest.select("medium", "from").rows())
    return [who for who in every if who in heard]


def of_lanes(data: pl.DataFrame, shown: Sequence[tuple[str, str]]) -> pl.DataFrame:
    """The rows of the stations that get a lane."""
    import polars as pl

    kept = pl.DataFrame(shown, schema=["medium", "from"], orient="row")
    return data.join(kept, on=["medium", "from"], how="semi", maintain_order="left")


def _left_out(n: int, shown: int) -> str:
    """Why so many stations have no lane."""
    if shown == MOST_SHOWN:
        return f"the {shown} of {n + shown} stations that sent longest"
    return f"{n} more station{'s were' if n > 1 else ' was'} silent"


def _view(begin: float, end: float) -> tuple[float, tuple[float, float]]:
    """Where the axis counts from, in whole milliseconds as seconds, and both its ends in ms."""
    # A time that rounding puts just below a millisecond counts as that millisecond.
    origin = (begin * 1e3 + 1e-6) // 1 / 1e3
    return origin, (1e3 * (begin - origin), 1e3 * (end - origin))


def _counts(data: pl.DataFrame) -> list[tuple[str, int]]:
    found = dict(data.group_by("what").len().iter_rows())
    told = [(what, found[what]) for what in KINDS if what in found]
    spoilt = [(label, int(data[column].sum())) for column, (label, _) in SPOILT.items()]
    return [*told, *((label, n) for label, n in spoilt if n)]


def _spans(rows: pl.DataFrame, origin: float) -> list[tuple[float, float]]:
    start, end = (1e3 * (rows[c] - origin) for c in ("time_s", "end_s"))
    return list(zip(start, end - start, strict=True))


def _bars(
    ax: Any, rows: pl.DataFrame, what: str, shown: Sequence[tuple[str, str]], origin: float
) -> None:
    """The bars of one kind, one collection per lane and share; each as wide as a line at least."""
    look = KINDS[what]
    label: str | None = look.label
    for low, high, own in _by_share(rows, shown, look.height):
        spans = _spans(own, origin)
        pixels = len(own) > MOST_VECTORS
        ax.broken_barh(spans, (low, high - low), label=label, rasterized=pixels, **look.fill)
        starts = [start for start, _ in spans]
        ax.vlines(starts, low, high, colors=look.light, linewidth=0.9, rasterized=pixels)
        label = None


def _sharing(rows: pl.DataFrame) -> pl.DataFrame:
    """With `part` and `parts`: what a station sends to several at once (OFDMA) shares its lane."""
    import polars as pl

    at_once = ("medium", "from", "time_s")
    part = pl.int_range(pl.len()).over(at_once).alias("part")
    return rows.with_columns(part, pl.len().over(at_once).alias("parts"))


def _by_share(
    rows: pl.DataFrame, shown: Sequence[tuple[str, str]], height: float
) -> list[tuple[float, float, pl.DataFrame]]:
    """The upper and the lower end of bars in the axis, which counts downwards, and their rows."""
    shares = []
    for y, lane in _by_lane(rows, shown):
        for (part, parts), own in lane.group_by("part", "parts", maintain_order=True):
            each = height / float(str(parts))
            low = y - height / 2 + each * float(str(part))
            # A hair between what goes to one station and to the next.
            shares.append((low, low + each * (1 if str(parts) == "1" else 0.94), own))
    return shares


def _by_lane(
    rows: pl.DataFrame, shown: Sequence[tuple[str, str]]
) -> list[tuple[int, pl.DataFrame]]:
    parts = dict(rows.group_by("medium", "from", maintain_order=True))
    return [(y, parts[who]) for y, who in enumerate(shown) if who in parts]


def _garbled(ax: Any, data: pl.DataFrame, shown: Sequence[tuple[str, str]], origin: float) -> None:
    """Those that their receivers could not read are crossed out."""
    for column, (name, hatch) in SPOILT.items():
        label: str | None = name
        for what, look in KINDS.items():
            rows = data.filter(data[column] & (data["what"] == what))
            for low, high, own in _by_share(rows, shown, look.height):
                ax.broken_barh(
                    _spans(own, origin),
                    (low, high - low),
                    facecolor=(1, 1, 1, 0.55),
                    edgecolor="#000000",
                    hatch=hatch,
                    linewidth=0.9,
                    label=label,
                )
                label = None


def _labels(
    ax: Any,
    data: pl.DataFrame,
    shown: Sequence[tuple[str, str]],
    origin: float,
    view: tuple[float, float],
) -> None:
    """For whom data are, and how many MPDUs, where there is room."""
    per_ms = _AXES / max(view[1] - view[0], 1e-9)
    labelled = data.filter((data["mpdus"] > 0) & (data["parts"] <= MOST_LABELLED))
    for what, look in KINDS.items():
        rows = labelled.filter(labelled["what"] == what)
        for low, high, own in _by_share(rows, shown, look.height):
            for row, (start, length) in zip(
                own.iter_rows(named=True), _spans(own, origin), strict=True
            ):
                left, right = max(start, view[0]), min(start + length, view[1])
                room = (right - left) * per_ms / _LETTER
                texts = (f"to {row['to']}: {row['mpdus']}", str(row["mpdus"]))
                text = next((t for t in texts if len(t) <= room), None)
                if text is None or row["garbled"] or row["lost"]:
                    continue
                ink = "#ffffff" if what == "data" else "#000000"
                x, y = (left + right) / 2, (low + high) / 2
                size = 6.5 if row["parts"] < 3 else 5.5
                ax.text(
                    x, y, text, ha="center", va="center", fontsize=style.points(size), color=ink
                )
