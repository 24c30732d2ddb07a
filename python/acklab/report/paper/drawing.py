"""Small charts as SVG within the page: they take the page's colours, and no script draws them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from acklab.studies.kit.fields import Key

#: A panel in units of its own; letters of 11 units are read on a phone.
WIDE, HIGH = 300, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 10, 10, 34
#: Colours and shapes that lines have; a further line begins anew.
LOOKS = 7
#: Patterns of gaps that tell witnesses apart.
GAPS = 4
#: More keys along an axis stand at their distances, fewer side by side.
MOST_KEYS = 10
#: Between marks that would cover each other.
_ASIDE = 9.0
#: A line of more points has no marks, and is thinned to so many.
MOST_MARKS, MOST_POINTS = 24, 160


@dataclass(frozen=True)
class Point:
    """A value at a key, with the ends of its interval where it has one."""

    x: Key
    y: float
    low: float | None = None
    high: float | None = None
    #: Of a box: its ends, the quartiles; `low` and `high` are its whiskers.
    box: tuple[float, float] | None = None


@dataclass(frozen=True)
class Series:
    """A line, or the bars or dots of one name."""

    name: str
    look: int
    points: Sequence[Point]
    #: Not ours: the number of the witness, from 1 on. Hollow marks, and gaps of its own.
    theirs: int = 0


@dataclass(frozen=True)
class Panel:
    """One chart."""

    title: str
    series: Sequence[Series]
    #: The keys along x, in order, with their labels.
    keys: Sequence[Key]
    labels: Sequence[str]
    kind: str = "lines"
    log: bool = False


def panel(of: Panel, label: str, bottom: float, top: float, x: str, y: str) -> str:
    """The chart; `label` says to who does not see it what it shows, `bottom` and `top` bound y."""
    at = _places(of)
    scale = _Scale(bottom, top, x, y)
    body = _frame(of, at, scale)
    wide = [s for s in of.series if not s.theirs] if of.kind in ("bars", "boxes") else []
    hidden: list[tuple[float, float]] = []
    for s in of.series:
        own = [p for p in _thinned(s.points) if p.x in at and math.isfinite(p.y)]
        if s in wide:
            draw = _bars if of.kind == "bars" else _boxes
            body += draw(own, s, at, scale, wide.index(s), len(wide))
        elif wide:
            body += _beside(own, s, at, scale, hidden)
        else:
            body += _line(own, s, at, scale, joined=of.kind == "lines")
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH + _deeper(of)}" role="img" '
        f'aria-label="{escape(label, quote=True)}">'
        f"{body}</svg>"
    )


@dataclass(frozen=True)
class _Scale:
    bottom: float
    top: float
    x: str
    y: str

    def __call__(self, y: float) -> float:
        share = (y - self.bottom) / ((self.top - self.bottom) or 1.0)
        return HIGH - _BOTTOM - share * (HIGH - _TOP - _BOTTOM)


def bounds(panels: Sequence[Panel]) -> tuple[float, float]:
    """From where to where y goes: the same for charts side by side, and from zero if near it."""
    ends = [
        e
        for p in panels
        for s in p.series
        for q in s.points
        for e in (q.y, q.low, q.high)
        if e is not None and math.isfinite(e)
    ]
    if not ends:
        return 0.0, 1.0
    low, high = min(ends), max(ends)
    from_zero = any(p.kind in ("bars", "boxes") for p in panels) or 0 <= low <= 0.7 * high
    margin = 0.06 * (high - low or abs(high) or 1.0)
    if low >= 0:
        # A margin never goes below zero where no number does.
        return (0.0 if from_zero else max(low - margin, 0.0)), high + margin
    return low - margin, high + margin


def ticks(low: float, high: float, most: int = 4) -> list[float]:
    """Round numbers within an interval."""
    span = high - low or 1.0
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _places(of: Panel) -> dict[Key, float]:
    """Where the keys stand: side by side if they are few or no numbers."""
    numbers = [k for k in of.keys if isinstance(k, int | float)]
    inner = WIDE - _LEFT - _RIGHT
    if len(numbers) < len(of.keys) or (len(of.keys) <= MOST_KEYS and not of.log):
        edge = inner / max(len(of.keys), 1) / 2
        return {k: _LEFT + edge + i * 2 * edge for i, k in enumerate(of.keys)}
    log = of.log and min(numbers) > 0
    values = {k: math.log(k) if log else float(k) for k in numbers}
    low, high = min(values.values()), max(values.values())
    pad = 8
    return {
        k: _LEFT + pad + (v - low) / ((high - low) or 1.0) * (inner - 2 * pad)
        for k, v in values.items()
    }


def _frame(of: Panel, at: dict[Key, float], scale: _Scale) -> str:
    found = ""
    for t in ticks(scale.bottom, scale.top):
        y = scale(t)
        found += (
            f'<path class="grid" d="M{_LEFT} {y:.1f}H{WIDE - _RIGHT}"/>'
            f'<text x="{_LEFT - 5}" y="{y + 3.5:.1f}" text-anchor="end">{t:.6g}</text>'
        )
    base = HIGH - _BOTTOM
    found += f'<path class="axis" d="M{_LEFT} {base}H{WIDE - _RIGHT}"/>'
    found += _names(of, at, base) if _deeper(of) else _labels(of, at, base)
    middle = (_LEFT + WIDE - _RIGHT) / 2
    return found + (
        f'<text class="name" x="{middle}" y="{HIGH - 5 + _deeper(of)}" text-anchor="middle">'
        f"{escape(scale.x)}</text>"
    )


def _labels(of: Panel, at: dict[Key, float], base: float) -> str:
    """Keys in one row; one that would cover its neighbour is left out."""
    found, reached = "", -math.inf
    for key, label in zip(of.keys, of.labels, strict=True):
        half = len(label) * 3.0
        if not label or at[key] - half < reached:
            continue
        reached = at[key] + half + 5
        found += (
            f'<text x="{at[key]:.1f}" y="{base + 14}" text-anchor="middle">{escape(label)}</text>'
        )
    return found


def _names(of: Panel, at: dict[Key, float], base: float) -> str:
    """Names of bars, a word a line."""
    return "".join(
        f'<text class="small" x="{at[key]:.1f}" y="{base + 11 + 9 * i}" text-anchor="middle">'
        f"{escape(word)}</text>"
        for key, label in zip(of.keys, of.labels, strict=True)
        for i, word in enumerate(label.split())
    )


def _deeper(of: Panel) -> int:
    """How much higher a chart of bars is whose names do not fit into one row."""
    room = (WIDE - _LEFT - _RIGHT) / max(len(of.keys), 1)
    if of.kind not in ("bars", "boxes") or all(6 * len(label) < room for label in of.labels):
        return 0
    return 9 * (max(len(label.split()) for label in of.labels) - 1)


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    """At most so many points; of each stretch the one in its middle."""
    if len(points) <= MOST_POINTS:
        return points
    step = len(points) / MOST_POINTS
    return [points[int((i + 0.5) * step)] for i in range(MOST_POINTS)]


def _line(
    points: Sequence[Point], s: Series, at: dict[Key, float], scale: _Scale, joined: bool
) -> str:
    look = _look(s.look, s.theirs)
    found = ""
    if joined and len(points) > 1:
        path = "L".join(f"{at[p.x]:.1f} {scale(p.y):.1f}" for p in points)
        found += f'<path class="line {look}" d="M{path}"/>'
    if len(points) > MOST_MARKS:
        return found
    for p in points:
        x, y = at[p.x], scale(p.y)
        if p.low is not None and p.high is not None and math.isfinite(p.low):
            ends = f"M{x:.1f} {scale(p.low):.1f}V{scale(p.high):.1f}"
            found += f'<path class="bar {look}" d="{ends}"/>'
        found += mark(s.look, x, y, s.theirs)
    return found


def _room(at: Mapping[Key, float]) -> float:
    """Pixels that all series together have at a place of the x axis."""
    return 0.8 * (WIDE - _LEFT - _RIGHT) / max(len(at), 1)


def _bars(
    points: Sequence[Point], s: Series, at: dict[Key, float], scale: _Scale, i: int, n: int
) -> str:
    room, look = _room(at), f"l{s.look % LOOKS}"
    width = room / n
    found = ""
    for p in points:
        x = at[p.x] - room / 2 + i * width
        y, zero = scale(p.y), scale(max(scale.bottom, 0.0))
        found += (
            f'<rect class="mark {look}" x="{x:.1f}" y="{min(y, zero):.1f}" '
            f'width="{max(width - 1, 0.5):.1f}" height="{abs(zero - y):.1f}"/>'
        )
        if p.low is not None and p.high is not None and math.isfinite(p.low):
            ends = f"M{x + width / 2:.1f} {scale(p.low):.1f}V{scale(p.high):.1f}"
            found += f'<path class="axis" d="{ends}"/>'
    return found


def _boxes(
    points: Sequence[Point], s: Series, at: dict[Key, float], scale: _Scale, i: int, n: int
) -> str:
    """From quartile to quartile, a stroke at the median, whiskers to the ends."""
    room, look = _room(at), f"l{s.look % LOOKS}"
    width = room / n
    found = ""
    for p in points:
        if p.box is None or p.low is None or p.high is None:
            continue
        left = at[p.x] - room / 2 + i * width + width / 6
        across, middle = 2 * width / 3, at[p.x] - room / 2 + (i + 0.5) * width
        low, high = (scale(end) for end in p.box)
        for end, whisker in ((low, scale(p.low)), (high, scale(p.high))):
            found += (
                f'<path class="bar {look}" d="M{middle:.1f} {end:.1f}V{whisker:.1f}'
                f'm{-across / 4:.1f} 0h{across / 2:.1f}"/>'
            )
        found += (
            f'<rect class="mark {look}" fill-opacity=".35" x="{left:.1f}" y="{high:.1f}" '
            f'width="{across:.1f}" height="{max(low - high, 0.5):.1f}"/>'
            f'<path class="axis" d="M{left:.1f} {scale(p.y):.1f}h{across:.1f}"/>'
        )
    return found


def _beside(
    points: Sequence[Point],
    s: Series,
    at: dict[Key, float],
    scale: _Scale,
    taken: list[tuple[float, float]],
) -> str:
    """The marks of a witness between bars; one where another stands moves aside."""
    found = ""
    for p in points:
        x, y = at[p.x], scale(p.y)
        while any(abs(x - a) < _ASIDE and abs(y - b) < _ASIDE for a, b in taken):
            x += _ASIDE
        taken.append((x, y))
        found += mark(s.look, x, y, s.theirs)
    return found


#: Marks about a point, as paths: who does not see colours tells lines apart by these.
_SHAPES = (
    "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
    "m-3 -3h6v6h-6z",
    "m0 -4l3.8 6.6h-7.6z",
    "m0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z",
    "m0 4l3.8 -6.6h-7.6z",
    "m-1.2 -3.6h2.4v2.4h2.4v2.4h-2.4v2.4h-2.4v-2.4h-2.4v-2.4h2.4z",
    "m-3.6 -1.6h7.2v3.2h-7.2z",
)


#: Marks of the witnesses after the first, whose marks are hollow: a cross, a plus, a stroke.
_STROKES = ("m-3 -3l6 6m0 -6l-6 6", "m-3.6 0h7.2m-3.6 -3.6v7.2", "m-3.6 0h7.2")


def _look(look: int, theirs: int) -> str:
    """The classes of a line: its colour, and the gaps of the witness whose it is."""
    return f"l{look % LOOKS}" + (f" theirs w{(theirs - 1) % GAPS}" if theirs else "")


def mark(look: int, x: float, y: float, theirs: int = 0) -> str:
    """The mark of a line at a point."""
    kind = _look(look, theirs)
    shape = _SHAPES[look % LOOKS] if theirs < 2 else _STROKES[(theirs - 2) % len(_STROKES)]
    return f'<path class="mark {kind}" d="M{x:.1f} {y:.1f}{shape}"/>'


def key(series: Sequence[tuple[str, int, int]]) -> str:
    """The legend of lines: name, look, and the number of the witness, 0 for ours."""
    items = ""
    for name, look, theirs in series:
        kind = _look(look, theirs)
        items += (
            '<li><svg class="sample" viewBox="0 0 26 12" aria-hidden="true">'
            f'<path class="line {kind}" d="M1 6H25"/>{mark(look, 13, 6, theirs)}</svg>'
            f"{escape(name)}</li>"
        )
    return f'<ul class="key">{items}</ul>'
