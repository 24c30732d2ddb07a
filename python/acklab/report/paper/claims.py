"""The claims of a paper: what it says, the verdict, one sentence, a chart or a few numbers."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from html import escape
from itertools import groupby

from acklab.report import html
from acklab.report.paper.again import Results, told
from acklab.report.paper.drawing import Panel, Point, Series, bounds, key, panel
from acklab.report.paper.sources import NONE, Names, interval, unit, written
from acklab.studies.kit.claims import VERDICTS
from acklab.studies.kit.fields import Field, Key, Value, known, reported
from acklab.studies.kit.folder import SETUP, Folder
from acklab.studies.kit.judge import Judged, Shown
from acklab.studies.kit.truth import Truth

#: So many numbers stand beside a claim; of more the ends are shown, or a chart.
MOST_NUMBERS = 4
#: So many lines a small chart has, and so many points at least.
MOST_LINES, FEWEST_POINTS = 6, 3
#: So many claims stand open; of more the topics are folded, so that the results are near.
MOST_OPEN = 12
#: Rows of the folded table.
MOST_ROWS = 120
#: Before the number of a section that stands alone: "II, Fig. 2; 5.1".
_NUMBERED = re.compile(r"(?:(?<=^)|(?<=; ))(?=(?:[IVX]+|\d+)(?:[. ,;]|$))")
_MARKS = {"reproduced": "✓", "partly": "◐", "undecided": "?", "not": "✗"}
#: As a reader sees them; the second where no paper is reproduced.
_PAPER = {"not": "not reproduced"}
_OWN = {"reproduced": "holds", "not": "does not hold"}
_TRUTHS = {Truth.YES: "holds", Truth.NO: "does not hold", Truth.OPEN: "undecided"}
#: Role of a set-up in a verdict, in words.
_ROLES = {
    "decides": "which decides",
    "supports": "which supports",
    "explains": "which only explains",
}


def anchor(id_: str) -> str:
    """Where a claim stands on the page."""
    return "claim-" + re.sub(r"[^A-Za-z0-9._-]", "-", id_)


def verdict(name: str, own: bool) -> str:
    """A verdict as a reader sees it; `own` for a study's own statements."""
    return (_OWN if own else _PAPER).get(name, name)


def tally(judged: Sequence[Judged], own: bool = False) -> str:
    """How many claims have each verdict; each leads to these."""
    design = sum(j.claim.by_design for j in judged)
    follows = "follows" if design == 1 else "follow"
    note = f'<p class="note">{design} of these {follows} from the set-up.</p>' if design else ""
    return tally_of([j.verdict for j in judged], "", note, own)


def tally_of(verdicts: Sequence[str], page: str = "", note: str = "", own: bool = False) -> str:
    """How many verdicts there are of each kind; each leads to the claims of `page`."""
    items = "".join(
        f'<li><a class="verdict {v}" href="{page}#claims" data-verdict="{v}"><b>{n}</b> '
        f'<span aria-hidden="true">{_MARKS[v]}</span> {verdict(v, own)}</a></li>'
        for v in VERDICTS
        if (n := verdicts.count(v))
    )
    label = f"Verdicts on {len(verdicts)} claims"
    return f'<div class="tally"><ul aria-label="{label}">{items}</ul>{note}</div>'


def rendered(
    study: Folder,
    judged: Sequence[Judged],
    results: Results,
    drawn: Container[str],
    note: str = "",
) -> str:
    """All claims, with the filter; `drawn` are the tables and figures that the page has."""
    counts = {v: sum(j.verdict == v for j in judged) for v in VERDICTS}
    own = study.about.own
    choices = [("", "all", len(judged))]
    choices += [(v, verdict(v, own), n) for v, n in counts.items() if n]
    buttons = "".join(
        f'<button type="button" data-verdict="{v}" aria-pressed="{str(not v).lower()}">'
        f"{name} <span>{n}</span></button>"
        for v, name, n in choices
    )
    parts = _parts(judged)
    several = len(parts) > 1
    folded = several and len(judged) > MOST_OPEN
    each = enumerate(parts, 1)
    every = "\n".join(_part(study, p, results, drawn, i, folded) for i, p in each)
    topics = _topics(parts, own) if several else ""
    return (
        f'<section id="claims"><h2>Claims</h2>{html.prose(note) if note else ""}{topics}'
        '<div class="claim-filter" role="group" aria-label="Which claims">'
        f'{buttons}<input type="search" aria-label="Search the claims" '
        'placeholder="words of a claim"><output></output></div>'
        f"{every}</section>"
    )


def _parts(judged: Sequence[Judged]) -> list[list[Judged]]:
    """The claims of each file of claims, which is about one topic."""
    return [list(own) for _, own in groupby(judged, lambda j: j.claim.part)]


def _part(
    study: Folder,
    judged: Sequence[Judged],
    results: Results,
    drawn: Container[str],
    number: int,
    folded: bool,
) -> str:
    """The claims of a topic, open or folded."""
    every = "\n".join(_claim(study, j, results, drawn) for j in judged)
    title = escape(judged[0].claim.part)
    id_ = f"claims-{number}"
    if not folded:
        head = f"<h3>{title}</h3>" if title else ""
        return f'<div class="claims-of" id="{id_}">{head}{every}</div>'
    many = f"{len(judged)} claims" if len(judged) > 1 else "1 claim"
    head = f'<h3>{title or "Other claims"}</h3> <span class="half">{many}</span>'
    return f'<details class="claims-of" id="{id_}"><summary>{head}</summary>{every}</details>'


def _topics(parts: Sequence[Sequence[Judged]], own: bool) -> str:
    """How many claims of each topic have each verdict."""
    used = [v for v in VERDICTS if any(j.verdict == v for part in parts for j in part)]
    head = "".join(
        f'<th scope="col" class="number">{_marked(v)} '
        f'<span class="word">{verdict(v, own)}</span></th>'
        for v in used
    )
    rows = ""
    for i, part in enumerate(parts, 1):
        counts = [sum(j.verdict == v for j in part) for v in used]
        cells = "".join(f'<td class="number">{f"<b>{n}</b>" if n else 0}</td>' for n in counts)
        title = escape(part[0].claim.part or "Other claims")
        rows += f'<tr><th scope="row"><a href="#claims-{i}">{title}</a></th>{cells}</tr>'
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="Claims by topic">'
        '<table class="topics"><caption class="unseen">Claims by topic</caption><thead><tr>'
        f'<th scope="col">topic</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _marked(name: str) -> str:
    return f'<span aria-hidden="true">{_MARKS[name]}</span>'


def _claim(study: Folder, j: Judged, results: Results, drawn: Container[str]) -> str:
    id_ = anchor(j.claim.id)
    how = f' <span class="how">{escape(j.how)}</span>' if j.how else ""
    design = '<span class="design">follows from the set-up</span>' if j.claim.by_design else ""
    place = f"<cite>{escape(_NUMBERED.sub('section ', j.claim.place))}</cite>"
    place = place if j.claim.place else ""
    because = f'<div class="because">{html.prose(j.because)}</div>' if j.because else ""
    return (
        f'<article class="claim" id="{id_}" data-verdict="{j.verdict}">'
        f'<header><span class="verdict {j.verdict}">{_marked(j.verdict)} '
        f"{verdict(j.verdict, study.about.own)}</span>{how} {design}"
        f'<a class="link" href="#{id_}" aria-label="Link to claim {escape(j.claim.id)}">'
        f"{escape(j.claim.id)}</a></header>"
        f'<div class="said">{_said(study, j)}{place}{because}</div>'
        f'<div class="seen">{_seen(study, j)}</div>{_folded(study, j, results, drawn)}</article>'
    )


def _said(study: Folder, j: Judged) -> str:
    """The paper's words as a quotation, the study's own as a statement."""
    says = escape(j.claim.says)
    if study.about.own:
        return f'<p class="statement">{says}</p>'
    return f"<blockquote>{says}</blockquote>"


def _ordered(shown: Shown) -> str | None:
    """The axis whose keys are numbers, if the field has one that goes on long enough."""
    field = shown.field
    for axis in field.axes:
        keys = field.keys(axis)
        if len(keys) > 1 and all(isinstance(k, int | float) for k in keys):
            return axis
    return None


def _seen(study: Folder, j: Judged) -> str:
    """A chart of the first quantity that has an order, or at most four numbers."""
    for shown in j.shown:
        axis = _ordered(shown)
        if axis is None or len(shown.field.keys(axis)) < FEWEST_POINTS:
            continue
        if len(list(shown.field.lines(axis))) <= MOST_LINES:
            return _chart(study, shown, axis)
    found: list[str] = []
    for shown in j.shown:
        found += _few(study, shown, MOST_NUMBERS - len(found))
    return f"<dl>{''.join(found)}</dl>" if found else ""


def _few(study: Folder, shown: Shown, most: int) -> list[str]:
    """So many numbers at most: the ends of an axis that has an order, or least and most."""
    cells = [(k, v) for k, v in shown.field.cells.items() if known(v).n]
    if not cells or most < 1:
        return []
    if len(cells) > most:
        axis = _ordered(shown)
        if axis is not None:
            at = shown.field.axes.index(axis)
            keys = shown.field.keys(axis)
            cells = [(k, v) for k, v in cells if k[at] in (keys[0], keys[-1])]
        if len(cells) > most:
            ranked = sorted(cells, key=lambda c: known(c[1]).mean)
            cells = [ranked[0], ranked[-1]] if most > 1 else []
    names = Names(study)
    fixed = _fixed(names, shown)
    found = []
    for key_, value in cells:
        at_ = dict(zip(shown.field.axes, key_, strict=True))
        told = ", ".join(x for x in (names.at(at_), fixed) if x)
        theirs = ", ".join(
            f"{escape(_title(study, w))}: {_mean(f.cells[key_], shown)}"
            for w, f in shown.witnesses.items()
            if f.axes == shown.field.axes and key_ in f.cells
        )
        theirs = f' <span class="half">({theirs})</span>' if theirs else ""
        label = f"{names.quantity(shown.quantity)}{f', {told}' if told else ''}"
        number = f"{written(known(value).mean, shown.quantity)}{unit(shown.quantity)}"
        more = escape(interval(value, shown.quantity), quote=True)
        found.append(
            f'<div><dt>{escape(label)}</dt><dd title="{more}">{escape(number)}{theirs}</dd></div>'
        )
    return found


def _mean(value: Value, shown: Shown) -> str:
    return written(known(value).mean, shown.quantity)


def _title(study: Folder, witness: str) -> str:
    return next(w.title for w in study.about.witness if w.name == witness)


def _fixed(names: Names, shown: Shown) -> str:
    """The keys that the claim names and that are not along an axis any more."""
    single = {a: k[0] for a, k in shown.keys.items() if len(k) == 1 and a not in shown.field.axes}
    return names.at(single)


def _chart(study: Folder, shown: Shown, axis: str) -> str:
    names = Names(study)
    series: list[Series] = []
    rest = shown.field.without(axis)
    keys = shown.field.keys(axis)
    looks: dict[tuple[Key, ...], int] = {}
    fields: list[tuple[str, int, Field]] = [("", 0, shown.field)]
    fields += [
        (w.title, i, shown.witnesses[w.name])
        for i, w in enumerate(study.about.witness, 1)
        if w.name in shown.witnesses and shown.witnesses[w.name].axes == shown.field.axes
    ]
    for whose, theirs, field in fields:
        for line in dict.fromkeys(_less(k, field, axis) for k in field.cells):
            # Of a single line each source has a colour and a shape of its own.
            look = looks.setdefault(line, len(looks)) if rest else theirs
            name = names.at(dict(zip(rest, line, strict=True))) or "acklab"
            name = f"{name}, {whose}" if whose and rest else whose or name
            at = field.axes.index(axis)
            points = [
                _point(k[at], v, shown.quantity.bounds)
                for k, v in field.cells.items()
                if _less(k, field, axis) == line
            ]
            series.append(Series(name, look, points, theirs))
    kept = [s for s in series if s.points]
    of = Panel("", kept, keys, [names.key(axis, k) for k in keys])
    bottom, top = bounds([of])
    fixed = _fixed(names, shown)
    y = names.measured(shown.quantity) + (f", {fixed}" if fixed else "")
    x = names.axis(axis)
    drawn = panel(of, f"{y} by {x}", bottom, top, x, y)
    legend = key([(s.name, s.look, s.theirs) for s in kept]) if len(kept) > 1 else ""
    return f'<p class="y-name">{escape(y)}</p>{drawn}{legend}'


def _less(key_: tuple[Key, ...], field: Field, axis: str) -> tuple[Key, ...]:
    at = field.axes.index(axis)
    return key_[:at] + key_[at + 1 :]


def _point(x: Key, value: Value, limits: tuple[float, float]) -> Point:
    e = reported(value, limits)
    return Point(x, e.mean, e.low, e.high) if e.n > 1 and e.low == e.low else Point(x, e.mean)


def _folded(study: Folder, j: Judged, results: Results, drawn: Container[str]) -> str:
    """The proof: the condition, the verdict of each set-up and witness, every number."""
    conditions = f"<p>The claim holds if <code>{escape(j.claim.holds)}</code>.</p>"
    if j.claim.keys:
        at = escape(", ".join(f"{a}={k}" for a, k in j.claim.keys.items()))
        conditions += f"<p>All numbers in this condition are those at <code>{at}</code>.</p>"
    for name, text in (("A part of it holds", j.claim.weaker), ("Its opposite", j.claim.opposite)):
        if text:
            says = f" ({escape(j.claim.weaker_says)})" if text == j.claim.weaker else ""
            conditions += f"<p>{name}{says} if <code>{escape(text)}</code>.</p>"
    link = ""
    if j.claim.shown in drawn:
        title = escape(_shown_title(study, j.claim.shown))
        link = f'<p>Shown in: <a href="#{j.claim.shown}">{title}</a>.</p>'
    tables = "".join(_numbers(study, j, s, results) for s in j.shown)
    return (
        f'<details><summary><span class="unseen">Claim {escape(j.claim.id)}: </span>Proof: '
        f"condition, set-ups, witnesses, all numbers</summary>{conditions}"
        f"{_truths(study, j)}{link}{tables}</details>"
    )


def _truths(study: Folder, j: Judged) -> str:
    """Whether the condition holds in each set-up, and by the numbers of each witness."""
    rows = [
        (f"In the set-up “{s.title}”, {_ROLES[s.role]}", j.setups[s.name])
        for s in study.about.setup
        if s.name in j.setups
    ]
    rows += [
        (f"By the numbers of “{_title(study, w)}”", t)
        for w, t in j.witnesses.items()
        if w not in j.asked
    ]
    told = [(name, _TRUTHS[t]) for name, t in rows if t in _TRUTHS]
    items = "".join(f"<li>{escape(name)}: <b>{truth}</b></li>" for name, truth in told)
    for w, ours in j.asked.items():
        theirs = j.witnesses[w]
        of_both = "; ".join(
            f"by {whose} numbers: <b>{_TRUTHS.get(t, t.value)}</b>"
            for whose, t in (("its", theirs), ("acklab's", ours))
        )
        asked = escape(j.claim.asks[w])
        items += (
            f"<li>“{escape(_title(study, w))}” ran other cells and is asked whether "
            f"<code>{asked}</code>; {of_both}</li>"
        )
    mute = [_title(study, w) for w, t in j.witnesses.items() if t is Truth.MISSING]
    if mute:
        items += f"<li>No numbers for this condition: {escape('; '.join(mute))}</li>"
    return f"<ul>{items}</ul>"


def _shown_title(study: Folder, id_: str) -> str:
    titles = {t.id: t.title for t in study.about.table} | {
        f.id: f.title for f in study.about.figure
    }
    return titles[id_]


def _numbers(study: Folder, j: Judged, shown: Shown, results: Results) -> str:
    names = Names(study)
    axes = shown.field.axes
    titles = {w: _title(study, w) for w, f in shown.witnesses.items() if f.axes == axes}
    head = "".join(f'<th scope="col">{escape(names.axis(a))}</th>' for a in axes)
    head += '<th scope="col" class="number">acklab</th>'
    head += "".join(f'<th scope="col" class="number">{escape(t)}</th>' for t in titles.values())
    body, cells = "", list(shown.field.cells.items())
    for key_, value in cells[:MOST_ROWS]:
        body += "<tr>"
        body += "".join(
            f"<td>{escape(names.key(a, k))}</td>" for a, k in zip(axes, key_, strict=True)
        )
        told = escape(interval(value, shown.quantity))
        body += f'<td class="number">{told}</td>'
        for w in titles:
            theirs = shown.witnesses[w].cells.get(key_)
            told = NONE if theirs is None else written(known(theirs).mean, shown.quantity)
            body += f'<td class="number">{told}</td>'
        body += "</tr>"
    fixed = _fixed(names, shown)
    title = escape(f"{names.quantity(shown.quantity)}{f', {fixed}' if fixed else ''}")
    cut = (
        f'<p class="note">The first {MOST_ROWS} of {len(cells)} cells.</p>'
        if len(cells) > MOST_ROWS
        else ""
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(j.claim.id)}: {title}">'
        f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        f"</table></div>{cut}{_again(study, j, shown, results)}"
    )


def _again(study: Folder, j: Judged, shown: Shown, results: Results) -> str:
    """The commands for the first and the last of the cells; the others differ in their keys."""
    cells = list(shown.field.cells)
    ends = {"the first of these cells": cells[:1], "the last": cells[1:][-1:]}
    if len(cells) == 1:
        ends = {"this cell": cells}
    found = ""
    for which, cell in ends.items():
        for key_ in cell:
            at = dict(zip(shown.field.axes, key_, strict=True))
            found += _one_again(study, j, shown, at, which, results)
    return found


def _one_again(
    study: Folder, j: Judged, shown: Shown, at: Mapping[str, Key], which: str, results: Results
) -> str:
    fixed = {a: k[0] for a, k in shown.keys.items()}
    # The numbers are those of the set-up that decides the claim.
    keys: Mapping[str, Key] = {SETUP: study.deciding(j.claim)[0], **fixed, **at}
    axes = study.vocabulary.grids[shown.group]
    if not all(a in keys and keys[a] in there for a, there in axes.items()):
        return ""
    return told(study, shown.group, {a: keys[a] for a in axes}, which, results)
