"""A figure: small multiples along its axes, with the witnesses' values where they have any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from statistics import median, quantiles

from acklab.report import html
from acklab.report.paper import ellipses
from acklab.report.paper.drawing import Panel, Point, Series, bounds, key, panel, ticks
from acklab.report.paper.sources import (
    NONE,
    Names,
    Source,
    blocks,
    interval,
    keys_of,
    unit,
    written,
)
from acklab.studies.kit.fields import Key, Value, known, reported
from acklab.studies.kit.folder import SETUP, Figure, Folder
from acklab.studies.kit.vocabulary import Quantity

#: What the marks of a kind of figure mean.
_INTERVALS = "Upright lines are 95 % intervals."
_OF_BOXES = "A box ends at the quartiles and has a stroke at the median; whiskers end at "
_MARKS = {
    **dict.fromkeys(("lines", "bars", "dots"), _INTERVALS),
    "boxes": f"{_OF_BOXES}the 5th and the 95th percentile. Each is a mean over the runs.",
    "runs": f"{_OF_BOXES}the least and the largest of the runs.",
}
#: Over time, so many keys or a few more have a label.
_LABELS = 6
#: A figure of more numbers has them in its file only.
MOST_NUMBERS = 400


def rendered(study: Folder, figure: Figure, whose: Sequence[Source], prefix: str = "") -> str:
    """Every panel: a row for each set-up, what decides first; the numbers are folded."""
    if figure.kind == "ellipses":
        return ellipses.rendered(study, figure, whose, prefix)
    quantity = study.vocabulary.quantities[figure.quantity]
    mine = [s for s in whose if s.ours]
    every = {m.id: panels(study, figure, m, _with(m, whose)) for m in mine}
    bottom, top = bounds([p for of in every.values() for p in of])
    rows = ""
    if figure.beside:
        mine = mine[:1]
    mine = [m for m in mine if every[m.id]] or mine[:1]
    for m in mine:
        title = next((s.title for s in study.about.setup if s.name == m.setup), "")
        head = f"<h4>{escape(title)}</h4>" if title and len(mine) > 1 else ""
        charts = _row(study, figure, every[m.id], bottom, top, title)
        if m is mine[0]:
            rows += f"{head}{charts}"
        else:
            rows += f"<details><summary>The same, {escape(title)}</summary>{charts}</details>"
    caption = f"<p>{html.words(figure.caption)}</p>" if figure.caption else ""
    about = f"{Names(study).measured(quantity)}: {quantity.text.rstrip('.')}."
    if figure.beside:
        across = Names(study).axis(figure.x)
        about = f"{across[:1].upper()}{across[1:]} across; {_runs(figure, mine[0])}."
    marks = _MARKS[figure.kind if figure.box or figure.kind != "boxes" else "runs"]
    marks = "" if figure.beside else f" {marks}"
    return (
        f'<div class="of-figure"><h3 id="{prefix}{figure.id}">{escape(figure.title)}</h3>{caption}'
        f'<p class="note">{escape(about)}{marks}</p>'
        f"{_key([p for of in every.values() for p in of])}{rows}"
        f"{_numbers(study, figure, mine[0], whose, prefix)}</div>"
    )


def first(study: Folder, figure: Figure, whose: Sequence[Source], most: int = 2) -> str:
    """The first panels of a figure, for the top of the page."""
    if figure.kind == "ellipses":
        return ""
    # The paper, or the witness that stands first; the whole figure has the others.
    witness = [w.name for w in study.about.witness][:1]
    few = [s for s in whose if s.ours or s.id in witness]
    every = (panels(study, figure, m, _with(m, few)) for m in few if m.ours)
    found = next((of for of in every if of), [])
    if not found:
        return ""
    bottom, top = bounds(found[:most])
    charts = _row(study, figure, found[:most], bottom, top, "")
    more = f" The whole figure has {len(found)} panels." if len(found) > 1 else ""
    return (
        f'<figure class="picture">{charts}{_key(found[:most])}<figcaption>'
        f'<a href="#{figure.id}">{escape(figure.title)}</a>.{more}</figcaption></figure>'
    )


def _with(mine: Source, whose: Sequence[Source]) -> list[Source]:
    """Us in one set-up, and the witnesses of that set-up."""
    return [mine, *(s for s in whose if not s.ours and s.setup == mine.setup)]


def panels(study: Folder, figure: Figure, mine: Source, whose: Sequence[Source]) -> list[Panel]:
    """The charts of a figure in one set-up; those in which nobody has a number are left out."""
    names = Names(study)
    witnesses = [w.name for w in study.about.witness]
    keys = keys_of(study, figure, mine.numbers.get((figure.group, figure.quantity)))
    lines = keys.get(figure.lines, ()) if figure.lines and figure.lines != SETUP else ()
    inner = [a for a in (figure.x, figure.lines) if a]
    limits = study.vocabulary.quantities[figure.quantity].bounds
    found = []
    for at, named in blocks(keys, inner):
        series: list[Series] = []
        for look, name in enumerate([figure.quantity, *figure.beside] if figure.beside else []):
            if points := _points(figure, mine, dict(at), keys[figure.x], limits, name):
                title = names.quantity(study.vocabulary.quantities[name])
                series.append(Series(title, look, points))
        for source in whose if not figure.beside else ():
            for look, line in enumerate(lines or [None]):
                where = {**at, figure.lines: line} if line is not None else dict(at)
                points = _points(figure, source, where, keys[figure.x], limits)
                name = names.key(figure.lines, line) if line is not None else source.title
                if line is not None and not source.ours:
                    name = f"{name}, {source.title}"
                if points:
                    place = look if lines else whose.index(source)
                    theirs = 0 if source.ours else 1 + witnesses.index(source.id)
                    series.append(Series(name, place, points, theirs))
        used = {p.x for s in series for p in s.points}
        xs = [k for k in keys[figure.x] if k in used]
        shown = _labelled(figure, xs)
        labels = [names.key(figure.x, k) if k in shown else "" for k in xs]
        if series:
            title = names.at(named)
            found.append(Panel(title, series, xs, labels, figure.kind, figure.log))
    return found


def _points(
    figure: Figure,
    source: Source,
    where: Mapping[str, Key],
    xs: Sequence[Key],
    limits: tuple[float, float],
    quantity: str = "",
) -> list[Point]:
    found = []
    for x in xs:
        at = {**where, figure.x: x}
        value = source.value(figure.group, quantity or figure.quantity, at)
        if value is None:
            continue
        e = reported(value, limits)
        if figure.kind == "boxes" and source.ours:
            ends = [source.value(figure.group, name, at) for name in figure.box]
            found.append(_box(x, e.mean, value, [known(v).mean for v in ends if v is not None]))
            continue
        found.append(
            Point(x, e.mean, e.low, e.high) if e.n > 1 and e.low == e.low else Point(x, e.mean)
        )
    return found


def _runs(figure: Figure, mine: Source) -> str:
    """Whose values a line over time has: one run's, or means."""
    field = mine.numbers.get((figure.group, figure.quantity))
    seeds = {seed for value in field.cells.values() for seed in value} if field else set()
    return f"one run of seed {seeds.pop()}" if len(seeds) == 1 else "means over the runs"


def _labelled(figure: Figure, keys: Sequence[Key]) -> Sequence[Key]:
    """The keys that have a label along x: over time the round ones, otherwise all."""
    numbers = [k for k in keys if isinstance(k, int | float)]
    if not figure.beside or not numbers:
        return keys
    return [t for t in ticks(min(numbers), max(numbers), _LABELS) if t in numbers] or keys


def _box(x: Key, middle: float, runs: Value, ends: Sequence[float]) -> Point:
    """Of four ends; or, without them, over the runs."""
    if len(ends) == 4:
        low, lower, upper, high = ends
    else:
        of = sorted(runs.values())
        low, high, middle = of[0], of[-1], median(of)
        lower, _, upper = quantiles(of, n=4, method="inclusive") if len(of) > 1 else of * 3
    return Point(x, middle, low, high, (lower, upper))


def _row(
    study: Folder, figure: Figure, of: Sequence[Panel], bottom: float, top: float, setup: str
) -> str:
    quantity = study.vocabulary.quantities[figure.quantity]
    x = Names(study).axis(figure.x)
    y = quantity.unit if figure.beside else Names(study).measured(quantity)
    charts = ""
    for p in of:
        label = f"{figure.title}{f', {setup}' if setup else ''}"
        label += f", {p.title}" if p.title else ""
        label += f": {y} by {x}. {_told(p, quantity, figure.x, Names(study))}"
        head = f"<figcaption>{escape(p.title)}</figcaption>" if p.title else ""
        charts += f"<figure>{head}{panel(p, label, bottom, top, x, y)}</figure>"
    return f'<p class="y-name">{escape(y)}</p><div class="multiples">{charts}</div>'


def _told(of: Panel, quantity: Quantity, x: str, names: Names) -> str:
    """The ends of each line, for who does not see them."""
    ends = []
    for s in of.series[:8]:
        first, last = s.points[0], s.points[-1]
        ends.append(
            f"{s.name}: {written(first.y, quantity)} at {names.key(x, first.x)}, "
            f"{written(last.y, quantity)}{unit(quantity)} at {names.key(x, last.x)}"
        )
    return "; ".join(ends)


def _key(of: Sequence[Panel]) -> str:
    seen: dict[str, tuple[str, int, int]] = {}
    for p in of:
        for s in p.series:
            seen.setdefault(s.name, (s.name, s.look, s.theirs))
    return key(list(seen.values())) if len(seen) > 1 else ""


def _numbers(
    study: Folder, figure: Figure, mine: Source, whose: Sequence[Source], prefix: str
) -> str:
    """The numbers of the figure as a table that is folded; a long one is in the file only."""
    names = Names(study)
    quantity = study.vocabulary.quantities[figure.quantity]
    keys = keys_of(study, figure, mine.numbers.get((figure.group, figure.quantity)))
    axes = [a for a in keys if a != SETUP]
    file = f"numbers/{figure.group}.csv"
    link = f'<p class="note">Every run: <a href="{file}">{file}</a>, beside this page.</p>'
    if figure.beside:
        return link
    rows, used = [], set()
    for combination in product(*(keys[a] for a in axes)):
        at = dict(zip(axes, combination, strict=True))
        values = [s.value(figure.group, figure.quantity, at) for s in whose]
        if any(v is not None for v in values):
            rows.append((at, values))
            used |= {i for i, v in enumerate(values) if v is not None}
    shown = [i for i in range(len(whose)) if i in used]
    if not rows or len(rows) * len(shown) > MOST_NUMBERS:
        return link
    head = "".join(f'<th scope="col">{escape(names.axis(a))}</th>' for a in axes)
    head += "".join(f'<th scope="col" class="number">{escape(whose[i].title)}</th>' for i in shown)
    body = ""
    for at, values in rows:
        body += "<tr>" + "".join(f"<td>{escape(names.key(a, k))}</td>" for a, k in at.items())
        for i in shown:
            value = values[i]
            told = NONE if value is None else written(known(value).mean, quantity)
            more = "" if value is None else f' title="{escape(interval(value, quantity))}"'
            body += f'<td class="number"{more}>{told}</td>'
        body += "</tr>\n"
    title = escape(
        f"Numbers of {figure.title} ({prefix}{figure.id}): {Names(study).measured(quantity)}"
    )
    return (
        f"<details><summary>The numbers of this figure</summary>"
        f'<div class="wide" tabindex="0" role="region" aria-label="{title}"><table>'
        f'<caption class="unseen">{title}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{link}</details>"
    )
