"""A table of the paper in the paper's layout, with every source's number in each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from acklab.report import html
from acklab.report.paper.again import command
from acklab.report.paper.sources import (
    NONE,
    Names,
    Source,
    blocks,
    interval,
    keys_of,
    of_unit,
    unit,
    written,
)
from acklab.report.paper.states import states
from acklab.studies.kit.fields import Key, Value, known
from acklab.studies.kit.folder import SETUP, Folder, Table
from acklab.studies.kit.vocabulary import Quantity

#: Distances from the paper, as shares, up to which a cell has each colour.
STEPS = (0.02, 0.1, 0.25, 0.5)
_WORDS = ("up to 2 %", "up to 10 %", "up to 25 %", "up to 50 %", "more")


def rendered(study: Folder, table: Table, whose: Sequence[Source], prefix: str = "") -> str:
    """The table with its caption, the switch between sources and the line that reads a cell."""
    names = Names(study)
    quantity = study.vocabulary.quantities[table.quantity]
    mine = next(s for s in whose if s.ours)
    keys = keys_of(study, table, mine.numbers.get((table.group, table.quantity)))
    found = ""
    used: dict[str, Source] = {}
    for at, named in blocks(keys, (table.rows, table.columns)):
        block = _block(study, table, whose, keys, at, names.at(named), used, prefix)
        found += _chosen(table, at, block)
    layout = escape(_layout(names, table))
    caption = html.words(table.caption) + " " if table.caption else ""
    anchor = f"{prefix}{table.id}"
    head = f'<h3 id="{anchor}">{escape(table.title)}</h3>'
    said = f"{names.quantity(quantity)}{_in(quantity)}: {quantity.text.rstrip('.')}."
    about = f"{caption}{escape(said[:1].upper() + said[1:])}"
    several = any(None not in v for s in whose for v in _values(s, table, quantity))
    alone = " one-source" if len(used) < 2 else ""
    return (
        f'<div class="of-table{alone}">{head}<p class="note">{about} {layout}.</p>'
        f"{_switch(_told_apart(table, used), anchor)}{_choices(names, table, keys)}"
        f"{_key(table, used)}{found}"
        f'<output class="read" for="{anchor}">'
        "Point at a number, or move with the arrow keys, to read "
        f"{'its interval' if several else 'it'}.</output>"
        f"{_hint(several, quantity)}{_beside(table, prefix)}</div>"
    )


def _layout(names: Names, table: Table) -> str:
    """What rows and columns are, as a sentence without its full stop."""
    ways = ((table.rows, "rows"), (table.columns, "columns"))
    told = "; ".join(f"{way}: {names.axis(axis)}" for axis, way in ways if axis)
    return told[:1].upper() + told[1:]


def _in(quantity: Quantity) -> str:
    return f", {of_unit(quantity)}" if quantity.unit else ""


def _values(source: Source, table: Table, quantity: Quantity) -> list[Value]:
    field = source.numbers.get((table.group, quantity.name))
    return list(field.cells.values()) if field is not None else []


def _hint(several: bool, quantity: Quantity) -> str:
    if several:
        return ""
    made = "is made of means over seeds" if quantity.expression else "is of one run"
    return f'<p class="note">Each number {made}.</p>'


def _beside(table: Table, prefix: str) -> str:
    if prefix:
        return ""
    return (
        f'<p class="note">Every number: <a href="{table.id}.csv">{table.id}.csv</a>, '
        "beside this page.</p>"
    )


def _told_apart(table: Table, used: Mapping[str, Source]) -> list[Source]:
    """The sources among which a reader chooses: not our set-ups, if the table has their axis."""
    every = list(used.values())
    ours = SETUP in table.axes and all(s.ours for s in every)
    return [] if ours else every


def _switch(used: Sequence[Source], name: str) -> str:
    if len(used) < 2:
        return ""
    choices = [("", "all"), *((s.id, s.title) for s in used)]
    buttons = "".join(
        f'<button type="button" data-source="{escape(id_)}" aria-pressed="{str(not id_).lower()}">'
        f"{escape(title)}</button>"
        for id_, title in choices
    )
    return f'<div class="switch" role="group" aria-label="Whose numbers">{buttons}</div>'


def _choices(names: Names, table: Table, keys: Mapping[str, Sequence[Key]]) -> str:
    """A list for each axis whose key the reader chooses; the page's script shows it."""
    lists = ""
    for axis, first in table.choose.items():
        options = "".join(
            f'<option value="{escape(str(k))}"{" selected" * (k == first)}>'
            f"{escape(names.at({axis: k}))}</option>"
            for k in keys[axis]
        )
        lists += (
            f"<label>{escape(names.axis(axis))} "
            f'<select data-axis="{escape(axis)}">{options}</select></label>'
        )
    return f'<div class="choices" hidden>{lists}<output></output></div>' if lists else ""


def _chosen(table: Table, at: Mapping[str, Key], block: str) -> str:
    """A block that the script shows where its keys are chosen."""
    if not (table.choose and block):
        return block
    chosen = "".join(f' data-{escape(a)}="{escape(str(at[a]))}"' for a in table.choose)
    return f'<div class="chosen"{chosen}>{block}</div>'


def _key(table: Table, used: Mapping[str, Source]) -> str:
    if not table.shade:
        paper = any(not s.ours for s in list(used.values())[:1])
        return _scale() if paper and len(used) > 1 else ""
    way = "at least" if _falls(table) else "at most"
    items = "".join(
        f'<li><i class="d{i}"></i>{way} {bound:g}</li>' for i, bound in enumerate(table.shade)
    )
    items += f'<li><i class="d{len(table.shade)}"></i>{"less" if _falls(table) else "more"}</li>'
    return f'<ul class="key distance">{items}</ul>'


def _falls(table: Table) -> bool:
    """Whether more is better, in a heat map."""
    return table.shade[0] > table.shade[-1]


def _scale() -> str:
    """The meaning of the colours."""
    items = "".join(f'<li><i class="d{i}"></i>{w}</li>' for i, w in enumerate(_WORDS))
    return f'<ul class="key distance"><li>Distance from the paper:</li>{items}</ul>'


def _block(
    study: Folder,
    table: Table,
    whose: Sequence[Source],
    keys: Mapping[str, Sequence[Key]],
    at: Mapping[str, Key],
    title: str,
    used: dict[str, Source],
    prefix: str,
) -> str:
    """The cells at the keys of the other axes; nothing where nobody has a number."""
    names = Names(study)
    rows = _along(table.rows, keys)
    columns = [
        c
        for c in _along(table.columns, keys)
        if any(
            source.value(table.group, table.quantity, _where(table, at, r, c)) is not None
            for source in whose
            for r in rows
        )
    ]
    body, few = "", SETUP in (table.rows, table.columns)
    for row in rows:
        lines = ""
        for source in whose:
            wheres = [_where(table, at, row, c) for c in columns]
            cells = [_cell(study, table, source, whose, w) for w in wheres]
            if not any(cells):
                continue
            used.setdefault(source.id, source)
            label = escape(_head(study, table, table.rows, row))
            lines += (
                f'<tr data-source="{escape(source.id)}"><th scope="row" class="row">{label}</th>'
                f'<th scope="row" class="of">{escape("acklab" if few else source.title)}</th>'
                + "".join(c or f'<td class="number none">{NONE}</td>' for c in cells)
                + "</tr>\n"
            )
        body += f"<tbody>{lines}</tbody>\n" if lines else ""
    if not body:
        return ""
    head = "".join(
        f'<th scope="col" class="number">{escape(_head(study, table, table.columns, c))}</th>'
        for c in columns
    )
    caption = escape(f"{table.title}, {title}" if title else table.title)
    # Of two parts of the page with one name a screen reader cannot tell which is which.
    label = escape(f"{table.title}, {title or prefix + table.id}")
    label += f" ({prefix})" if title and prefix else ""
    shown = (
        f"<caption>{escape(title)}</caption>"
        if title
        else (f'<caption class="unseen">{caption}</caption>')
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="paper">{shown}<thead><tr><th scope="col">'
        f"{escape(names.axis(table.rows) or 'quantity')}</th>"
        f'<th scope="col">source</th>{head}</tr></thead>\n'
        f"{body}</table></div>"
    )


def _along(axis: str, keys: Mapping[str, Sequence[Key]]) -> Sequence[Key]:
    """The keys of the rows or the columns; a single one where the table has no such axis."""
    return keys.get(axis, ()) if axis else ("",)


def _where(table: Table, at: Mapping[str, Key], row: Key, column: Key) -> dict[str, Key]:
    """The keys of a cell."""
    return {**at, **{a: k for a, k in ((table.rows, row), (table.columns, column)) if a}}


def _head(study: Folder, table: Table, axis: str, key: Key) -> str:
    """The name of a row or a column; of the only one it is the quantity's."""
    names = Names(study)
    if axis:
        return names.key(axis, key)
    return names.measured(study.vocabulary.quantities[table.quantity])


def _cell(
    study: Folder, table: Table, source: Source, whose: Sequence[Source], at: Mapping[str, Key]
) -> str:
    value = source.value(table.group, table.quantity, at)
    if value is None:
        return ""
    quantity = study.vocabulary.quantities[table.quantity]
    names = Names(study)
    two = states(value)
    mean = known(value).mean
    if two:
        shown = "<br>".join(f"{written(m, quantity)} <small>{n} runs</small>" for n, m in two)
        told = "two states: " + ", ".join(
            f"{n} runs at {written(m, quantity)}{unit(quantity)}" for n, m in two
        )
    else:
        shown, told = written(mean, quantity), interval(value, quantity)
    colour, beside = _distance(table, source, whose, at, mean)
    told = f"{names.at(at)}, {source.title}: {told}{beside}"
    again = ""
    keys = {**({SETUP: source.setup} if source.setup else {}), **at}
    # A number over several cells is not of one of them.
    if source.ours and set(study.vocabulary.grids[table.group]) <= set(keys):
        again = f' data-again="{escape(command(study, table.group, keys), quote=True)}"'
    return (
        f'<td class="number{colour}" tabindex="-1" title="{escape(told, quote=True)}"{again}>'
        f"{shown}</td>"
    )


def _distance(
    table: Table, source: Source, whose: Sequence[Source], at: Mapping[str, Key], mean: float
) -> tuple[str, str]:
    """The colour of a number beside the paper's, and the distance in words."""
    if table.shade:
        sign = 1 if _falls(table) else -1
        return f" d{sum(sign * mean < sign * bound for bound in table.shade)}", ""
    paper = whose[0]
    value = None if paper.ours or paper is source else paper.value(table.group, table.quantity, at)
    if value is None or mean != mean:
        return "", ""
    theirs = known(value).mean
    if theirs == 0:
        return (" d0", ", as in the paper") if mean == 0 else ("", "; the paper has 0")
    share = mean / theirs - 1
    step = sum(abs(share) > s for s in STEPS)
    if abs(share) < 0.0005:
        return " d0", ", as in the paper"
    way = "above" if share > 0 else "below"
    return f" d{step}", f", {abs(share) * 100:.1f} % {way} the paper"
