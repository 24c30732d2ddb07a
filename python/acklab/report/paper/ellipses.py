"""A figure of two quantities: an ellipse for each line, over the runs of the keys along x.

Each is the contour of one standard deviation of its points, as in K. Winstein et al., NSDI 2013.
Delay lies along x, on a logarithmic scale that runs backwards, so that up and right is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean, median, stdev

from acklab.report import html
from acklab.report.paper.drawing import LOOKS, key, mark, ticks
from acklab.report.paper.placing import Box, Chart, Point, placed
from acklab.report.paper.sources import Names, Source, blocks, keys_of, written
from acklab.studies.kit.fields import Key
from acklab.studies.kit.folder import Figure, Folder

#: A panel in units of its own, as those of lines but higher.
_WIDE, _HIGH = 300, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 12, 12, 34
#: Points that stand for the contour of an ellipse.
_CORNERS = 64
#: Where names may stand.
_INNER = Box(_LEFT + 1, 1, _WIDE - 1, _HIGH - _BOTTOM - 1)


@dataclass(frozen=True)
class Cloud:
    """The runs of a line: (x, y) of each."""

    name: str
    look: int
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Ellipse:
    """Centre, half axes, and the angle of the first of them in degrees, all as drawn."""

    x: float
    y: float
    long: float
    short: float
    angle: float

    @property
    def edge(self) -> list[Point]:
        """Points of its contour."""
        turn = math.radians(self.angle)
        found = []
        for n in range(_CORNERS):
            along = self.long * math.cos(2 * math.pi * n / _CORNERS)
            aside = self.short * math.sin(2 * math.pi * n / _CORNERS)
            x = self.x + along * math.cos(turn) - aside * math.sin(turn)
            found.append((x, self.y + along * math.sin(turn) + aside * math.cos(turn)))
        return found


def ellipse_of(points: Sequence[tuple[float, float]]) -> Ellipse | None:
    """The contour of one standard deviation; none of fewer than three points."""
    n = len(points)
    if n < 3:
        return None
    x, y = (fmean(p[i] for p in points) for i in (0, 1))
    xx = sum((p[0] - x) ** 2 for p in points) / (n - 1)
    yy = sum((p[1] - y) ** 2 for p in points) / (n - 1)
    xy = sum((p[0] - x) * (p[1] - y) for p in points) / (n - 1)
    middle, spread = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    angle = math.degrees(math.atan2(2 * xy, xx - yy) / 2)
    return Ellipse(x, y, math.sqrt(middle + spread), math.sqrt(max(middle - spread, 0.0)), angle)


def clouds(study: Folder, figure: Figure, mine: Source) -> list[tuple[str, list[Cloud]]]:
    """The panels of a set-up: title, and the runs of each line."""
    names = Names(study)
    keys = keys_of(study, figure, mine.numbers.get((figure.group, figure.quantity)))
    found = []
    for at, named in blocks(keys, [figure.x, figure.lines]):
        of = [
            Cloud(names.key(figure.lines, line), look, points)
            for look, line in enumerate(keys[figure.lines])
            if (points := _points(figure, mine, {**at, figure.lines: line}, keys[figure.x]))
        ]
        if of:
            found.append((names.at(named), of))
    return found


def _points(
    figure: Figure, source: Source, where: Mapping[str, Key], along: Sequence[Key]
) -> list[tuple[float, float]]:
    """A point for each key along x and each seed; a delay of nothing has no logarithm."""
    found = []
    for k in along:
        at = {**where, figure.x: k}
        xs = source.value(figure.group, figure.against, at) or {}
        ys = source.value(figure.group, figure.quantity, at) or {}
        found += [(xs[s], ys[s]) for s in xs if s in ys and xs[s] > 0 and math.isfinite(ys[s])]
    return found


def rendered(study: Folder, figure: Figure, whose: Sequence[Source], prefix: str = "") -> str:
    """Every panel of the set-up that decides, with what to read from it."""
    mine = next(s for s in whose if s.ours)
    of = clouds(study, figure, mine)
    caption = f"<p>{html.words(figure.caption)}</p>" if figure.caption else ""
    about = (
        f"A dot is a run of one {Names(study).axis(figure.x)} and seed; an ellipse is the contour "
        "of one standard deviation about the mean of its dots, on the scales as drawn. Up and "
        "right is better. Each chart has scales of its own."
    )
    file = f"numbers/{figure.group}.csv"
    return (
        f'<div class="of-figure"><h3 id="{prefix}{figure.id}">{escape(figure.title)}</h3>{caption}'
        f'<p class="note">{escape(about)} Every run: <a href="{file}">{file}</a>.</p>'
        f"{_key(of)}{row(study, figure, of)}</div>"
    )


def row(study: Folder, figure: Figure, of: Sequence[tuple[str, list[Cloud]]]) -> str:
    """The charts side by side, each on its own scales: what is compared stands in one chart."""
    quantities = study.vocabulary.quantities
    x, y = quantities[figure.against], quantities[figure.quantity]
    units = [f" in {q.unit}" if q.unit else "" for q in (x, y)]
    x_name, y_name = (Names(study).quantity(q) + u for q, u in zip((x, y), units, strict=True))
    charts = ""
    for title, lines in of:
        scale = _Scale.over(lines)
        told = "; ".join(
            f"{c.name}: {written(median(p[1] for p in c.points), y)} at "
            f"{written(median(p[0] for p in c.points), x)} {x.unit}".rstrip()
            for c in lines
        )
        label = (
            f"{figure.title}{f', {title}' if title else ''}: {y_name} by {x_name}. Medians: {told}"
        )
        head = f"<figcaption>{escape(title)}</figcaption>" if title else ""
        body = _frame(scale, f"{x_name} (less to the right)") + _drawn(lines, scale)
        charts += (
            f'<figure>{head}<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" '
            f'aria-label="{escape(label, quote=True)}">{body}</svg></figure>'
        )
    return f'<p class="y-name">{escape(y_name)}</p><div class="multiples large">{charts}</div>'


def _key(of: Sequence[tuple[str, list[Cloud]]]) -> str:
    seen = {c.name: (c.name, c.look, False) for _, lines in of for c in lines}
    return key(list(seen.values()))


@dataclass(frozen=True)
class _Scale:
    """From a delay and a share to a place in the panel; delay is logarithmic and runs backwards."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def over(cls, lines: Sequence[Cloud]) -> _Scale:
        """With room for every dot and every ellipse."""
        xs = _reached([[math.log10(x) for x, _ in c.points] for c in lines])
        ys = _reached([[y for _, y in c.points] for c in lines])
        pad, margin = (0.05 * (max(v) - min(v) or 1.0) for v in (xs, ys))
        return cls(max(xs) + pad, min(xs) - pad, min(ys) - margin, max(ys) + margin)

    def __call__(self, point: tuple[float, float]) -> tuple[float, float]:
        across = (self.left - math.log10(point[0])) / (self.left - self.right)
        up = (point[1] - self.bottom) / (self.top - self.bottom)
        inner = (_WIDE - _LEFT - _RIGHT, _HIGH - _TOP - _BOTTOM)
        return _LEFT + across * inner[0], _HIGH - _BOTTOM - up * inner[1]


def _reached(groups: Sequence[Sequence[float]]) -> list[float]:
    """All values, and as far as the ellipse of each group goes: one deviation from its mean."""
    found = [v for values in groups for v in values]
    for values in groups:
        spread = stdev(values) if len(values) > 2 else 0.0
        found += [fmean(values) - spread, fmean(values) + spread]
    return found


def _frame(scale: _Scale, x_name: str) -> str:
    found = ""
    for t in ticks(scale.bottom, scale.top):
        y = scale((1.0, t))[1]
        found += (
            f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDE - _RIGHT}"/>'
            f'<text x="{_LEFT - 5}" y="{y + 3.5:.1f}" text-anchor="end">{t:.6g}</text>'
        )
    base = _HIGH - _BOTTOM
    for t in _decades(scale):
        x = scale((t, scale.bottom))[0]
        found += (
            f'<path class="grid" d="M{x:.1f} {_TOP}V{base}"/>'
            f'<text x="{x:.1f}" y="{base + 14}" text-anchor="middle">{t:g}</text>'
        )
    return found + (
        f'<path class="axis" d="M{_LEFT} {base}H{_WIDE - _RIGHT}"/>'
        f'<text class="name" x="{(_LEFT + _WIDE - _RIGHT) / 2}" y="{_HIGH - 5}" '
        f'text-anchor="middle">{escape(x_name)}</text>'
    )


def _decades(scale: _Scale) -> list[float]:
    """Powers of ten; where the scale has fewer than three, with 3 (or 2 and 5) between."""
    low, high = scale.right, scale.left
    for steps in ((1,), (1, 3), (1, 2, 5)):
        every = [m * 10.0**e for e in range(math.floor(low), math.ceil(high)) for m in steps]
        found = [t for t in every if low <= math.log10(t) <= high]
        if len(found) >= 3:
            break
    return found


def _drawn(lines: Sequence[Cloud], scale: _Scale) -> str:
    """Dots below, then ellipses, then a mark and a name at each middle."""
    drawn, shapes, edges, middles = "", "", [], []
    dots = [(c, *scale(p)) for c in lines for p in c.points]
    for c, x, y in dots:
        drawn += (
            f'<circle class="mark l{c.look % LOOKS}" cx="{x:.1f}" cy="{y:.1f}" r="1.3" '
            'opacity=".45"/>'
        )
    for c in lines:
        at = [scale(p) for p in c.points]
        e = ellipse_of(at)
        if e is not None:
            edges.append(e.edge)
            shapes += (
                f'<ellipse class="mark l{c.look % LOOKS}" fill-opacity=".14" '
                f'rx="{max(e.long, 0.8):.1f}" ry="{max(e.short, 0.8):.1f}" '
                f'transform="translate({e.x:.1f} {e.y:.1f}) rotate({e.angle:.1f})"/>'
            )
        middles.append((c, (fmean(x for x, _ in at), fmean(y for _, y in at))))
    marks = "".join(mark(c.look, *at) for c, at in middles)
    chart = Chart(_INNER, [(x, y) for _, x, y in dots], edges)
    threads, names = _names(middles, chart)
    return f"{drawn}{shapes}{threads}{marks}{names}"


def _names(middles: Sequence[tuple[Cloud, Point]], chart: Chart) -> tuple[str, str]:
    """The threads, which lie below the marks, and the names."""
    threads, names = "", ""
    every = placed([(c.name, at) for c, at in middles], chart)
    for (c, _), name in zip(middles, every, strict=True):
        look, (x, y) = c.look % LOOKS, name.at
        if name.thread is not None:
            ends = "L".join(f"{a:.1f} {b:.1f}" for a, b in name.thread)
            threads += f'<path class="bar l{look}" fill="none" d="M{ends}"/>'
        names += (
            f'<text class="beside" style="fill: var(--l{look})" x="{x:.1f}" y="{y:.1f}">'
            f"{escape(name.text)}</text>"
        )
    return threads, names
