"""The values of one key of a grid: lists and ranges, counted before any is made.

    1,2,4                 a list
    1..10                 whole numbers
    0.1..0.5+0.1          steps: 0.1, 0.2, 0.3, 0.4, 0.5
    1..64*2               factors: 1, 2, 4, ..., 64
    5..20+5 ms            with a unit: 5 ms, 10 ms, ...
    1,2,10..50+10         both

The end belongs to a range if a step meets it. Commas within brackets, braces and quotes do not
separate, and a text in quotes is never a range.
"""

from __future__ import annotations

import math
import operator
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate

from acklab.errors import AcklabError
from acklab.source import literal

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,8})?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:([+*])({_NUMBER}))?(\s*[A-Za-zµ%][\w/]*)?")
_LOOKS_LIKE_RANGE = re.compile(r"[+-]?\d[^\s]*\.\.")
#: Numbers in ranges are exact decimals of 28 digits, and so must their quotients be.
_MOST_DIGITS = 13

_HELP = "write 1..10, 0.1..0.5+0.1 or 1..64*2, with a unit at the end if there is one"


@dataclass(frozen=True)
class Literals:
    """Values one by one, as the scenario language writes them."""

    texts: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.texts)

    def at(self, i: int) -> str:
        """The value number `i`."""
        return self.texts[i]


@dataclass(frozen=True)
class Range:
    """Values with a step or a factor between them."""

    start: Decimal
    step: Decimal
    factor: bool
    count: int
    unit: str

    def at(self, i: int) -> str:
        """The value number `i`."""
        value = self.start * self.step**i if self.factor else self.start + self.step * i
        text = format(value, "f")
        return (text.rstrip("0").rstrip(".") if "." in text else text) + self.unit


@dataclass(frozen=True)
class Values:
    """All values of one key."""

    #: As the user wrote them; `None` for a list that came as a list.
    text: str | None
    parts: tuple[Literals | Range, ...]

    @cached_property
    def count(self) -> int:
        """How many there are; may be larger than any list."""
        return sum(p.count for p in self.parts)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(p.count for p in self.parts))

    def at(self, i: int) -> str:
        """The value number `i`, as the scenario language writes it."""
        for part, end in zip(self.parts, self._ends, strict=True):
            if i < end:
                return part.at(i - end + part.count)
        raise IndexError(i)

    def __iter__(self) -> Iterator[str]:
        return (part.at(i) for part in self.parts for i in range(part.count))

    def saved(self) -> str | list[str]:
        """The text that a manifest keeps; `read` understands it."""
        return self.text if self.text is not None else list(self)


def read(key: str, given: object) -> Values:
    """The values of `key`: a text in the syntax above, one value, or a list of values."""
    if isinstance(given, str):
        return _parse(key, given)
    if isinstance(given, Sequence | range) and not isinstance(given, bytes):
        if not given:
            raise AcklabError(f"the grid has no value for {key}\n  help: give at least one")
        return Values(None, (Literals(tuple(_literal(key, v) for v in given)),))
    return Values(None, (Literals((_literal(key, given),)),))


def _literal(key: str, value: object) -> str:
    try:
        return literal(value)
    except TypeError:
        raise AcklabError(
            f"a value of the type {type(value).__name__} is not allowed in a grid\n"
            f"  in the grid: {key}\n"
            "  help: give texts, numbers, booleans, lists and mappings only"
        ) from None


def typed(text: str) -> str | int | float | bool:
    """A value as a column shows it: a number, a truth value, or the text."""
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return value if isinstance(value, str | int | float | bool) else text


def _parse(key: str, text: str) -> Values:
    parts: list[Literals | Range] = []
    for item in _split(key, text):
        part = _range(key, item) if _LOOKS_LIKE_RANGE.match(item) else Literals((item,))
        if parts and isinstance(part, Literals) and isinstance(parts[-1], Literals):
            part = Literals(parts.pop().texts + part.texts)  # type: ignore[union-attr]
        parts.append(part)
    return Values(text, tuple(parts))


def _split(key: str, text: str) -> list[str]:
    items, depth, quote, start = [], 0, "", 0
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "[{":
            depth += 1
        elif c in "]}":
            depth -= 1
        elif c == "," and depth == 0:
            items.append(text[start:i].strip())
            start = i + 1
    items.append(text[start:].strip())
    if quote or depth:
        raise AcklabError(
            f"cannot read the values of {key}: {text!r} has an open bracket or quote\n"
            "  help: in a shell, put single quotes around the whole argument"
        )
    if not all(items):
        raise AcklabError(
            f"cannot read the values of {key}: {text!r} has an empty value\n"
            '  help: write KEY=V1,V2,...; an empty text is ""'
        )
    return items


def _range(key: str, text: str) -> Range:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise AcklabError(f"cannot read the range {text!r} of {key}\n  help: {_HELP}")
    first, last, sign, step_text, unit = match.groups()
    start, stop, step = Decimal(first), Decimal(last), Decimal(step_text or 1)
    for number in (start, stop, step):
        if abs(number.adjusted()) > _MOST_DIGITS:
            raise AcklabError(
                f"the range {text!r} of {key} has a number out of bounds\n"
                f"  help: numbers go from 1e-{_MOST_DIGITS} to 1e{_MOST_DIGITS}"
            )
    if step_text is None and (start % 1 or stop % 1):
        raise AcklabError(
            f"the range {text!r} of {key} does not say its step\n"
            f"  help: write {first}..{last}+0.1, for example"
        )
    factor = sign == "*"
    count = _factors(start, stop, step) if factor else _steps(start, stop, step)
    if count < 1:
        raise AcklabError(
            f"the range {text!r} of {key} is empty or never ends\n"
            f"  help: {_HELP}; the step must lead from the first number to the last"
        )
    return Range(start, step, factor, count, unit or "")


def _steps(start: Decimal, stop: Decimal, step: Decimal) -> int:
    return int((stop - start) // step) + 1 if step and (stop - start) / step >= 0 else 0


def _factors(start: Decimal, stop: Decimal, factor: Decimal) -> int:
    grows = stop >= start
    if start <= 0 or stop <= 0 or factor <= 0 or factor == 1 or (factor > 1) != grows:
        return 1 if start == stop else 0
    beyond = operator.gt if grows else operator.lt
    count = int(math.log(stop / start) / math.log(factor)) + 1
    # Logarithms round; the powers are exact to 28 digits.
    while not beyond(start * factor**count, stop):
        count += 1
    while beyond(start * factor ** (count - 1), stop):
        count -= 1
    return count
