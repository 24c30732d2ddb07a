"""The words of the language that claims are written in.

Each is a function of fields. `along` names an axis that has an order, `over` one or several axes
that a word does away with; without `over` it does away with all. What is compared is compared seed
by seed: the whole 95 % interval of the difference has to lie on one side, or it is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf, isnan
from operator import sub, truediv
from statistics import correlation as pearson
from statistics import fmean, pstdev, stdev
from statistics import median as middle
from typing import Any

from acklab.studies.kit.fields import (
    Field,
    Key,
    Keys,
    Over,
    Value,
    combined,
    constant,
    joined,
    known,
    mapped,
    reduced,
)
from acklab.studies.kit.truth import Truth, every, some

Axes = str | Sequence[str] | None
Numbers = Sequence[float]


class Truths(Over[Truth]):
    """Whether something holds, over axes."""


class Wrong(Exception):
    """A word that is used in a way that it cannot mean anything."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        #: The part of a text in which it stands.
        self.where = where


def compare(a: Field, b: Field, sign: str) -> Truths:
    """`a` beside `b`, cell by cell; `sign` is one of <, <=, >, >=, ==, !=."""
    if sign in (">", ">="):
        return compare(b, a, sign.replace(">", "<"))
    return Truths(*joined(a, b, lambda x, y: _beside(x, y, sign)))


def _beside(a: Value, b: Value, sign: str) -> Truth:
    difference = reduced((a, b), lambda v: v[0] - v[1])
    if difference is None:
        return Truth.MISSING
    e = known(difference)
    if isnan(e.low):
        return Truth.OPEN  # one run decides nothing
    if sign in ("==", "!="):
        same = Truth.of(e.low == e.high == 0)
        return same if sign == "==" else ~same
    if sign == "<":
        return Truth.YES if e.high < 0 else Truth.NO if e.low >= 0 else Truth.OPEN
    return Truth.YES if e.high <= 0 else Truth.NO if e.low > 0 else Truth.OPEN


def _axes(of: Over[Any], over: Axes) -> tuple[str, ...]:
    names = of.axes if over is None else (over,) if isinstance(over, str) else tuple(over)
    for name in names:
        if name not in of.axes:
            left = ", ".join(of.axes) or "none"
            raise Wrong(f"there is no axis {name!r} left; there are: {left}", name)
    return names


def _judged(of: Truths, over: Axes, how: Callable[[Sequence[Truth]], Truth]) -> Truths:
    for axis in _axes(of, over):
        of = Truths(of.without(axis), {key: how(line) for key, line in of.lines(axis).items()})
    return of


def all_(of: Truths, over: Axes = None) -> Truths:
    """Whether it holds everywhere."""
    return _judged(of, over, every)


def any_(of: Truths, over: Axes = None) -> Truths:
    """Whether it holds somewhere."""
    return _judged(of, over, some)


def count(of: Truths, over: Axes = None) -> Field:
    """In how many cells it holds."""
    ones: dict[Keys, Value] = {
        key: {None: float(truth is Truth.YES)} for key, truth in of.cells.items()
    }
    return _folded(Field(of.axes, ones), over, sum)


def _folded(of: Field, over: Axes, how: Callable[[Numbers], float]) -> Field:
    """Each seed's values over some axes as one."""
    for axis in _axes(of, over):
        cells = {key: reduced(line, how) for key, line in of.lines(axis).items()}
        of = Field(of.without(axis), {k: v for k, v in cells.items() if v is not None})
    return of


def _folding(how: Callable[[Numbers], float], doc: str) -> Callable[..., Field]:
    """A word that makes each seed's values over some axes one."""

    def of_(of: Field, over: Axes = None) -> Field:
        return _folded(of, over, how)

    of_.__doc__ = doc
    return of_


least = _folding(min, "The smallest value, seed by seed.")
most = _folding(max, "The largest value, seed by seed.")
average = _folding(fmean, "The mean over axes, seed by seed.")
median = _folding(middle, "The middle value, seed by seed; of two in the middle their mean.")
total = _folding(sum, "The sum over axes, seed by seed.")
gap = _folding(lambda v: max(v) - min(v), "Largest less smallest, seed by seed.")
spread = _folding(
    lambda v: max(v) / min(v) - 1 if min(v) > 0 else inf,
    "Largest over smallest less one, seed by seed: 0.1 is a tenth.",
)


def _over_seeds(of: Field, how: Callable[[Numbers], float]) -> Field:
    return Field(of.axes, {k: {None: how([*v.values()])} for k, v in of.cells.items()})


def mean(of: Field) -> Field:
    """The mean over seeds, as a number that is compared without an interval."""
    return _over_seeds(of, fmean)


def scatter(of: Field) -> Field:
    """The coefficient of variation of single runs; 0 of a single seed."""
    return _over_seeds(of, lambda v: stdev(v) / fmean(v) if len(v) > 1 and fmean(v) > 0 else 0.0)


def seeds_where(of: Field, low: float = -inf, high: float = inf) -> Field:
    """In how many runs the value is at least `low` and at most `high`."""
    return _over_seeds(of, lambda v: float(sum(low <= x <= high for x in v)))


def _at(of: Field, axis: str, key: Key) -> Field:
    _axes(of, axis)
    return of.at(axis, key)


def change(of: Field, along: str, since: Key, to: Key) -> Field:
    """The value at `to` less that at `since`."""
    return combined(_at(of, along, to), _at(of, along, since), sub)


def gain(of: Field, along: str, since: Key, to: Key) -> Field:
    """By which share the value at `to` exceeds that at `since`: 0.1 is a tenth more."""
    grown = combined(_at(of, along, to), _at(of, along, since), truediv)
    return mapped(grown, lambda x: x - 1)


def steps(of: Field, along: str) -> Field:
    """Each value less the one before it, in the order of the axis; the first key has none."""
    _axes(of, along)
    i, after = of.axes.index(along), dict(pairwise(of.keys(along)))
    moved = {(*k[:i], after[k[i]], *k[i + 1 :]): v for k, v in of.cells.items() if k[i] in after}
    return combined(of, Field(of.axes, moved), sub)


def rising(of: Field, along: str, by: float = 0.0) -> Truths:
    """The last exceeds the first by more than the share `by`; no step is a fall."""
    return _monotonous(of, along, by, 1)


def falling(of: Field, along: str, by: float = 0.0) -> Truths:
    """The last is below the first by more than the share `by` of it; no step is a rise."""
    return _monotonous(of, along, by, -1)


def _monotonous(of: Field, along: str, by: float, sign: int) -> Truths:
    def line(values: Sequence[Value]) -> Truth:
        if len(values) < 2:
            return Truth.MISSING
        # A step down, and of what falls a step up.
        if any(_beside(b, a, "<") is Truth.YES for a, b in pairwise(values[::sign])):
            return Truth.NO
        ends = reduced((values[-1], values[0]), lambda v: sign * (v[0] - v[1]) - by * abs(v[1]))
        return Truth.MISSING if ends is None else _beside({None: 0.0}, ends, "<")

    _axes(of, along)
    return Truths(of.without(along), {key: line(v) for key, v in of.lines(along).items()})


def flat(of: Field, over: Axes = None, within: float = 0.1) -> Truths:
    """Largest and smallest are less than the share `within` apart."""
    return compare(spread(of, over), constant(within), "<")


def near(a: Field, b: Field, within: float = 0.1) -> Truths:
    """The mean of `a` over seeds differs from that of `b` by at most the share `within`."""

    def close(x: Value, y: Value) -> Truth:
        ours, theirs = known(x).mean, known(y).mean
        return Truth.of(abs(ours - theirs) <= within * abs(theirs))

    return Truths(*joined(a, b, close))


def more_than(a: Field, b: Field, by: float = 0.0) -> Truths:
    """`a` exceeds `b` by more than the share `by` of `b`."""
    return compare(a, mapped(b, lambda x: (1 + by) * x), ">")


def less_than(a: Field, b: Field, by: float = 0.0) -> Truths:
    """`a` is below `b` by more than the share `by` of `b`."""
    return compare(a, mapped(b, lambda x: (1 - by) * x), "<")


def highest(of: Field, by: float = 0.0, **where: Key) -> Truths:
    """The named key has more than each of the others: `highest(goodput, cc=cubic)`."""
    return _ranked(of, more_than, by, where)


def lowest(of: Field, by: float = 0.0, **where: Key) -> Truths:
    """The named key has less than each of the others."""
    return _ranked(of, less_than, by, where)


def _ranked(of: Field, than: Callable[..., Truths], by: float, where: Mapping[str, Key]) -> Truths:
    if len(where) != 1:
        raise Wrong("it needs one axis and its key, as in highest(goodput, cc=cubic)")
    ((axis, key),) = where.items()
    others = of.where(axis, [k for k in of.keys(axis) if k != key]) if axis in of.axes else of
    return _judged(than(_at(of, axis, key), others, by), axis, every)


def correlation(a: Field, b: Field, over: str) -> Field:
    """Pearson's coefficient over an axis, seed by seed; 0 where one of them does not vary."""
    _axes(a, over), _axes(b, over)
    theirs = b.lines(over)
    cells: dict[Keys, Value] = {}
    for key, line in a.lines(over).items():
        other = theirs.get(key, [])
        if len(line) == len(other) > 1 and (value := reduced([*line, *other], _pearson)):
            cells[key] = value
    return Field(a.without(over), cells)


def _pearson(values: Numbers) -> float:
    """Of the first half of the values and the second."""
    half = len(values) // 2
    a, b = values[:half], values[half:]
    return pearson(a, b) if pstdev(a) and pstdev(b) else 0.0


_WORDS: Mapping[str, tuple[Callable[..., Field | Truths], str]] = {
    "all": (all_, "all(retransmissions(cc=vegas) < 1.5, over=ratio)"),
    "any": (any_, "any(goodput(ratio=16) < 5, over=cc)"),
    "count": (count, "count(goodput(ratio=16) > goodput(ratio=1), over=cc) >= 3"),
    "least": (least, "least(goodput(cc=cubic), over=ratio) > 5"),
    "most": (most, "most(rtt(cc=cubic), over=ratio) < 100"),
    "average": (average, "average(goodput, over=cc) > 9"),
    "median": (median, "median(goodput(cc=cubic), over=ratio) > 9"),
    "total": (total, "total(goodput(ratio=1), over=flow) > 9"),
    "spread": (spread, "spread(goodput(cc=cubic), over=ratio) < 0.1"),
    "gap": (gap, "gap(rtt(cc=cubic), over=ratio) < 5"),
    "mean": (mean, "mean(goodput(cc=cubic, ratio=1)) > 9"),
    "scatter": (scatter, "scatter(goodput(cc=cubic, ratio=1)) < 0.05"),
    "seeds_where": (seeds_where, "seeds_where(goodput(cc=cubic, ratio=1), low=9) >= 4"),
    "change": (change, "change(rtt(cc=cubic), along=ratio, since=1, to=16) > 5"),
    "gain": (gain, "gain(goodput(cc=cubic), along=ratio, since=1, to=16) < -0.1"),
    "steps": (steps, "all(steps(goodput(cc=cubic), along=ratio) < 0, over=ratio)"),
    "rising": (rising, "rising(rtt(cc=cubic), along=ratio, by=0.1)"),
    "falling": (falling, "falling(goodput(cc=cubic), along=ratio, by=0.1)"),
    "flat": (flat, "flat(goodput(cc=cubic), over=ratio, within=0.05)"),
    "near": (near, "near(goodput(cc=cubic, ratio=1), 9.4, within=0.05)"),
    "more_than": (more_than, "more_than(goodput(cc=cubic), goodput(cc=newreno), by=0.1)"),
    "less_than": (less_than, "less_than(rtt(cc=vegas), rtt(cc=cubic), by=0.5)"),
    "highest": (highest, "highest(goodput(ratio=1), cc=cubic)"),
    "lowest": (lowest, "lowest(rtt(ratio=1), cc=vegas)"),
    "correlation": (correlation, "correlation(goodput(cc=cubic), rtt(cc=cubic), over=ratio) > 0.5"),
}
#: Every word by its name in a claim.
WORDS = {name: word for name, (word, _) in _WORDS.items()}
#: An example of each, for `acklab study words`.
EXAMPLES = {name: example for name, (_, example) in _WORDS.items()}
