"""Texts with numbers in them: expressions in braces, worked out when the study ran.

    CUBIC loses {gain(goodput(cc=cubic), along=ratio, since=1, to=16):%} at 16:1.
    {{require F4-vegas-zero = reproduced}}

`{goodput(cc=cubic, ratio=1)}` is written with the quantity's digits and its unit; `:n` leaves the
unit away, `:%` makes a share a percentage, `:±` adds half of the 95 % interval (`:n±` without the
unit), `:split 5` puts the runs below 5 and those from 5 on apart (`9.60 Mbit/s in 3 runs and
1.20 Mbit/s in 2`), and any other format is Python's (`:.1f`). A `require` line shows nothing: its
paragraph stands only while that claim has that verdict, so that a sentence cannot outlive what it
rests on. A page leaves the paragraph out (`fit`); `filled` with verdicts refuses the text.
`{model| goodput(cc=cubic)}` is the number of the witness `model`.
Where an expression makes several numbers, and the paragraph does not say of what, a note does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from math import inf
from statistics import fmean

from acklab.studies.kit.fields import Value, reported
from acklab.studies.kit.language import Scope, number
from acklab.studies.kit.words import Wrong

_REQUIRE = re.compile(r"[ \t]*\{\{\s*require\s+(?P<id>\S+)\s*=\s*(?P<verdict>\w+)\s*\}\}[ \t]*\n?")
_BRACES = re.compile(r"\{(?P<what>[^{}]+)\}")
#: A format at the end of an expression: a colon that no bracket closes.
_FORMAT = re.compile(r"^(?P<expression>.*?)(?::(?P<form>[^()\[\]:\"]*))?$", re.DOTALL)
#: A witness whose number it is.
_WITNESS = re.compile(r"^(?P<name>[\w-]+)\|\s*(?P<expression>.*)$", re.DOTALL)
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
        with _within(f"require {claim}"):
            if verdicts is not None and claim not in verdicts:
                raise Wrong(f"require {claim}: there is no such claim")
            if verdicts is not None and verdicts[claim] != verdict:
                raise Unmet(
                    f"this text needs {claim} = {verdict}, which is now {verdicts[claim]}: "
                    "write it anew"
                )
    paragraphs = _REQUIRE.sub("", text).split("\n\n")
    return "\n\n".join(_filled(p, scope) for p in paragraphs)


@contextmanager
def _within(words: str) -> Iterator[None]:
    """Notes in which words of a text something is wrong."""
    try:
        yield
    except Wrong as e:
        e.where = words
        raise


def _filled(paragraph: str, scope: Scope) -> str:
    """A paragraph with its numbers, and a note where several have no word that says of what."""
    every = []

    def written(braces: re.Match[str]) -> str:
        with _within(braces[0]):
            every.append(_Braces(braces["what"], scope))
            return every[-1].written()

    text = _BRACES.sub(written, paragraph)
    rows = dict.fromkeys(
        (axis, tuple(scope.vocabulary.key(axis, k) for k in of.field.keys(axis)))
        for of in every
        for axis in of.field.axes
        if len(of.field.keys(axis)) == len(of.field.cells) > 1
    )
    plain = _BRACES.sub("", paragraph)

    def said(name: str) -> bool:
        return re.search(rf"(?<![\w.:]){re.escape(name)}(?!\w|:\d)", plain) is not None

    for axis, names in rows if plain.strip() else ():
        ends = said(names[0]) and said(names[-1]) and " to " in plain
        if not ends and not all(map(said, names)):
            text += f" *In this order: {', '.join(names)} ({scope.vocabulary.axis(axis)}).*"
    return text


def without_missing(text: str, scope: Scope, judged: Container[str]) -> str:
    """The text without its paragraphs on numbers that were not run, or on claims not judged."""

    def whole(paragraph: str) -> bool:
        if any(claim not in judged for claim, _ in required(paragraph)):
            return False
        plain = _REQUIRE.sub("", paragraph)
        return all(_Braces(m["what"], scope).field.cells for m in _BRACES.finditer(plain))

    return "\n\n".join(p for p in text.split("\n\n") if whole(p))


def without_numbers(text: str) -> str:
    """The text without its paragraphs that have numbers of runs in them, or rest on verdicts."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(p for p in paragraphs if not (_BRACES.search(p) or required(p)))


class _Braces:
    """An expression in braces, worked out, and its format."""

    def __init__(self, what: str, scope: Scope) -> None:
        found = _FORMAT.match(what)
        assert found is not None, "every text matches"
        numbers = scope.numbers
        if called := _WITNESS.match(what):
            what = called["expression"]
            theirs = scope.witnesses()
            if called["name"] not in theirs:
                known = ", ".join(theirs) or "none"
                raise Wrong(f"{called['name']!r} is no witness of this study; it has {known}")
            numbers = theirs[called["name"]]
            found = _FORMAT.match(what)
            assert found is not None, "every text matches"
        inner = Scope(scope.vocabulary, numbers, scope.where)
        self.field = number(found["expression"], inner)
        self.form = found["form"] or ""
        if not self.form and re.search(r"\b(gain|spread|scatter)\(|/", found["expression"]):
            raise Wrong(f"{{{what}}}: a ratio has no unit; say how it is written, as in :% or :.2f")
        quantities = {scope.vocabulary.quantities[a.quantity] for a in inner.asked}
        self.unit, self.digits, self.bounds = "", 2, (-inf, inf)
        if len(quantities) == 1:
            (of,) = quantities
            self.unit, self.digits = of.unit, of.digits
            # A number that is made of several cells may be a difference or a sum.
            if self.field.cells == next(iter(inner.asked.values())).cells:
                self.bounds = of.bounds

    def written(self) -> str:
        """The numbers, with the unit once at the end; a dash where there is none."""
        values = list(self.field.cells.values())
        if len(values) > MOST:
            raise Wrong(f"{len(values)} numbers do not fit into a sentence; name more keys")
        if self.form.startswith(SPLIT):
            return "; ".join(map(self._states, values)) or NONE
        told = _listed([self._one(v) for v in values]) or NONE
        return f"{told} {self.unit}" if self.unit and self.form in ("", "±") else told

    def _states(self, value: Value) -> str:
        """The mean of the runs between each two bounds, the highest first, and their number."""
        words = self.form.removeprefix(SPLIT).split()
        if not words or not all(re.fullmatch(r"-?[\d.]+", word) for word in words):
            raise Wrong(f":{self.form} is no format; name bounds, as in :split 2 5")
        bounds = sorted(map(float, words))
        runs = sorted(value.values(), reverse=True)
        told: list[str] = []
        for _, part in groupby(runs, lambda run: bisect_right(bounds, run)):
            state = list(part)
            mean = f"{self._digits(fmean(state))} {self.unit}".rstrip()
            some = f"{len(state)} run{'s' * (len(state) > 1)}" if not told else f"{len(state)}"
            every = f"all {len(runs)} runs" if len(runs) > 1 else "the one run"
            told.append(f"{mean} in {every if len(state) == len(runs) else some}")
        return _listed(told)

    def _one(self, value: Value) -> str:
        e = reported(value, self.bounds)
        if e.n == 0 or e.mean != e.mean:
            return NONE
        if "±" in self.form:
            if e.n > 1 and e.low == e.low:
                return f"{self._digits(e.mean)} ± {self._digits((e.high - e.low) / 2)}"
            runs = [self._digits(run) for run in (min(value.values()), max(value.values()))]
            return self._digits(e.mean) + (f" ({' to '.join(runs)})" if e.n > 1 else "")
        form = self.form if self.form not in ("", "n") else f".{self.digits}f"
        if form.endswith("%"):
            form = form if "." in form else form.replace("%", ".0%")
            return format(e.mean + 0.0, form).replace("%", " %")
        try:
            return format(round(e.mean, 12) + 0.0, form)
        except ValueError:
            wanted = ":%, :±, :n or one of Python's, :.1f"
            raise Wrong(f":{form} is no format; write {wanted}") from None

    def _digits(self, x: float) -> str:
        return f"{x:.{self.digits}f}"


def _listed(values: Sequence[str]) -> str:
    *first, last = values or [""]
    return f"{', '.join(first)} and {last}" if first else last
