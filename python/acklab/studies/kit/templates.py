"""Texts with numbers in them: expressions in braces, worked out when the study ran.

    CUBIC loses {gain(goodput(cc=cubic), along=ratio, since=1, to=16):%} at 16:1.
    {{require F4-vegas-zero = reproduced}}

`{goodput(cc=cubic, ratio=1)}` is written with the quantity's digits and its unit; `:n` leaves the
unit away, `:%` makes a share a percentage, `:±` adds half of the 95 % interval (`:n±` without the
unit), `:split 5` puts the runs below 5 and those from 5 on apart (`9.60 Mbit/s in 3 runs and
1.20 Mbit/s in 2`), and any other format is Python's (`:.1f`). A `require` line shows nothing: the
text is refused unless that claim has that verdict, so that a sentence cannot outlive what it rests
on.
Where an expression makes several numbers, and the paragraph does not say of what, a note does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from statistics import fmean

from acklab.studies.kit.fields import Field, Value, reported
from acklab.studies.kit.language import Scope, number
from acklab.studies.kit.words import Wrong

_REQUIRE = re.compile(r"[ \t]*\{\{\s*require\s+(?P<id>\S+)\s*=\s*(?P<verdict>\w+)\s*\}\}[ \t]*\n?")
_BRACES = re.compile(r"\{(?P<what>[^{}]+)\}")
#: A format at the end of an expression: a colon that no bracket closes.
_FORMAT = re.compile(r"^(?P<expression>.*?)(?::(?P<form>[^()\[\]:\"]*))?$", re.DOTALL)
#: Where there is no number.
NONE = "-"
#: Begins the format that tells runs in different states apart.
SPLIT = "split"
#: At most so many numbers of an expression that has axes stand in a sentence.
MOST = 6


class Unmet(Wrong):
    """A text needs a verdict that a claim does not have."""


def required(text: str) -> list[tuple[str, str]]:
    """The verdicts that a text needs, by claim."""
    return [(m["id"], m["verdict"]) for m in _REQUIRE.finditer(text)]


def filled(text: str, scope: Scope, verdicts: Mapping[str, str] | None = None) -> str:
    """The text with its numbers; with `verdicts` it is refused where one has turned."""
    for claim, verdict in required(text):
        if verdicts is None:
            continue
        if claim not in verdicts:
            raise Wrong(f"require {claim}: there is no such claim")
        if verdicts[claim] != verdict:
            raise Unmet(
                f"this text needs {claim} = {verdict}, which is now {verdicts[claim]}: "
                "write it anew"
            )
    paragraphs = _REQUIRE.sub("", text).split("\n\n")
    return "\n\n".join(
        _BRACES.sub(lambda m: _number(m["what"], scope), p) + _in_a_row(p, scope)
        for p in paragraphs
    )


def _in_a_row(paragraph: str, scope: Scope) -> str:
    """A note that says which number is of what, where expressions list several and no word does."""
    fields = [_field(m["what"], scope)[0] for m in _BRACES.finditer(paragraph)]
    rows = dict.fromkeys(
        (axis, tuple(scope.vocabulary.key(axis, k) for k in field.keys(axis)))
        for field in fields
        for axis in field.axes
        if len(field.keys(axis)) == len(field.cells) > 1
    )
    plain = _BRACES.sub("", paragraph)
    if not plain.strip():
        return ""

    def said(name: str) -> bool:
        return re.search(rf"(?<![\w.:]){re.escape(name)}(?!\w|:\d)", plain) is not None

    notes = [
        f" *In this order: {', '.join(names)} ({scope.vocabulary.axis(axis)}).*"
        for axis, names in rows
        if not all(map(said, names))
        and not (said(names[0]) and said(names[-1]) and " to " in plain)
    ]
    return "".join(notes)


def without_missing(text: str, scope: Scope, judged: Container[str]) -> str:
    """The text without its paragraphs on numbers that were not run, or on claims not judged."""

    def whole(paragraph: str) -> bool:
        if any(claim not in judged for claim, _ in required(paragraph)):
            return False
        plain = _REQUIRE.sub("", paragraph)
        return all(_field(m["what"], scope)[0].cells for m in _BRACES.finditer(plain))

    return "\n\n".join(p for p in text.split("\n\n") if whole(p))


def _field(what: str, scope: Scope) -> tuple[Field, Scope, re.Match[str]]:
    """The numbers that braces ask for, what was asked, and the parts of the text in them."""
    found = _FORMAT.match(what)
    assert found is not None, "every text matches"
    inner = Scope(scope.vocabulary, scope.numbers, scope.where)
    return number(found["expression"], inner), inner, found


def _number(what: str, scope: Scope) -> str:
    field, inner, found = _field(what, scope)
    quantities = {scope.vocabulary.quantities[a.quantity] for a in inner.asked}
    unit, digits, signed = "", 2, True
    if len(quantities) == 1:
        (of,) = quantities
        # What is made of several cells may be a difference.
        plain = field.cells == inner.asked[0].field.cells
        unit, digits, signed = of.unit, of.digits, of.signed or not plain
    shares = any(w in found["expression"] for w in ("gain(", "spread(", "scatter(", "/"))
    form = found["form"] or ""
    if shares and not form:
        raise Wrong(f"{{{what}}}: a ratio has no unit; say how it is written, as in :% or :.2f")
    return shown(field, form, unit, digits, signed)


def shown(field: Field, form: str, unit: str, digits: int, signed: bool = True) -> str:
    """The numbers of a field, with the unit once at the end; a dash where there is none."""
    if len(field.cells) > MOST:
        raise Wrong(f"{len(field.cells)} numbers do not fit into a sentence; name more keys")
    if form.startswith(SPLIT):
        bounds = _bounds(form)
        values = [_states(v, bounds, digits, unit) for v in field.cells.values()] or [NONE]
        return "; ".join(values)
    values = [_one(v, form, digits, signed) for v in field.cells.values()] or [NONE]
    listed = values[0] if len(values) == 1 else ", ".join(values[:-1]) + " and " + values[-1]
    plain = form in ("", "±")
    return f"{listed} {unit}" if unit and plain else listed


def _bounds(form: str) -> list[float]:
    try:
        bounds = sorted(float(word) for word in form.removeprefix(SPLIT).split())
    except ValueError:
        bounds = []
    if not bounds:
        raise Wrong(f":{form} is no format; name bounds, as in :split 2 5")
    return bounds


def _states(value: Value, bounds: Sequence[float], digits: int, unit: str) -> str:
    """The mean of the runs between each two bounds, the highest first, and how many these are."""
    runs = list(value.values()) if isinstance(value, Mapping) else [value]
    parts: dict[int, list[float]] = {}
    for run in sorted(runs, reverse=True):
        parts.setdefault(bisect_right(bounds, run), []).append(run)
    means = [(f"{fmean(part):.{digits}f} {unit}".rstrip(), len(part)) for part in parts.values()]
    if len(means) == 1:
        return f"{means[0][0]} in {f'all {len(runs)} runs' if len(runs) > 1 else 'the one run'}"
    (mean, n), *others = means
    told = [f"{mean} in {n} run{'s' * (n > 1)}", *(f"{m} in {k}" for m, k in others)]
    return ", ".join(told[:-1]) + " and " + told[-1]


def _one(value: Value, form: str, digits: int, signed: bool) -> str:
    e = reported(value, signed)
    if e.n == 0 or e.mean != e.mean:
        return NONE
    if form.endswith("%"):
        spec = form if "." in form else form.replace("%", ".0%")
        return format(e.mean + 0.0, spec).replace("%", " %")
    if "±" in form:
        half = (e.high - e.low) / 2
        told = f"{e.mean:.{digits}f}"
        if half == half and e.n > 1:
            return f"{told} ± {half:.{digits}f}"
        runs = list(value.values()) if isinstance(value, Mapping) and e.n > 1 else []
        return f"{told} ({min(runs):.{digits}f} to {max(runs):.{digits}f})" if runs else told
    spec = form if form not in ("", "n") else f".{digits}f"
    try:
        return format(round(e.mean, 12) + 0.0, spec)
    except ValueError:
        raise Wrong(f":{form} is no format; write :%, :±, :n or one of Python's, :.1f") from None
