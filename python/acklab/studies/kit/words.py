"""The words of the language that claims are written in.

Each is a function of fields. `along` names an axis that has an order, `over` one or several axes
that a word does away with; without `over` it does away with all. What is compared is compared seed
by seed: the whole 95 % interval of the difference has to lie on one side, or it is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import inf, nan
from operator import sub, truediv
from statistics import correlation as pearson
from statistics import fmean, pstdev, stdev
from statistics import median as middle
from typing import Any

from acklab.studies.kit.fields import (
    Field,
    Key,
    Over,
    Value,
    combined,
    joined,
    known,
    mapped,
    paired,
    reduced,
    together,
)
from acklab.studies.kit.truth import Truth, every, some

Axes = str | Sequence[str] | None


class Truths(Over[Truth]):
    """Whether something holds, over axes."""


class Wrong(Exception):
    """A word that is used in a way that it cannot mean anything."""


@dataclass(frozen=True)
class Bench:
    """How numbers are judged."""

    #: Whether a single number stands for itself.
    exact: bool = False


def compare(bench: Bench, a: Field, b: Field, sign: str) -> Truths:
    """`a` beside `b`, cell by cell; `sign` is one of <, <=, >, >=, ==, !=."""
    if sign in (">", ">="):
        return compare(bench, b, a, sign.replace(">", "<"))
    axes = joined(a, b)
    cells = {key: _beside(bench, x, y, sign) for key, x, y in together(a, b, axes)}
    return Truths(axes, cells)


def _beside(bench: Bench, a: Value, b: Value, sign: str) -> Truth:
    difference = paired(a, b, sub)
    if difference is None:
        return Truth.MISSING
    e = known(difference)
    single = isinstance(difference, Mapping) and e.n == 1
    if single and not bench.exact:
        return Truth.OPEN
    low, high = (e.mean, e.mean) if single else (e.low, e.high)
    if sign in ("==", "!="):
        same = Truth.of(low == high == 0)
        return same if sign == "==" else ~same
    if sign == "<":
        return Truth.YES if high < 0 else Truth.NO if low >= 0 else Truth.OPEN
    return Truth.YES if high <= 0 else Truth.NO if low > 0 else Truth.OPEN


def _axes(of: Over[Any], over: Axes) -> tuple[str, ...]:
    names = of.axes if over is None else (over,) if isinstance(over, str) else tuple(over)
    for name in names:
        if name not in of.axes:
            raise Wrong(f"there is no axis {name!r} left; there are: {_listed(of.axes)}")
    return names


def _listed(names: Sequence[object]) -> str:
    return ", ".join(str(n) for n in names) or "none"


def _folded(of: Field, over: Axes, how: Callable[[Sequence[float]], float]) -> Field:
    """Each seed's values over some axes as one."""
    for axis in _axes(of, over):
        cells = {key: reduced(line, how) for key, line in of.lines(axis)}
        of = Field(of.without(axis), {k: v for k, v in cells.items() if v is not None})
    return of


def _judged(of: Truths, over: Axes, how: Callable[[Sequence[Truth]], Truth]) -> Truths:
    for axis in _axes(of, over):
        of = Truths(of.without(axis), {key: how(line) for key, line in of.lines(axis)})
    if not of.cells and not of.axes:
        return Truths((), {(): Truth.MISSING})
    return of


def all_(bench: Bench, of: Truths, over: Axes = None) -> Truths:
    """Whether it holds everywhere."""
    return _judged(of, over, every)


def any_(bench: Bench, of: Truths, over: Axes = None) -> Truths:
    """Whether it holds somewhere."""
    return _judged(of, over, some)


def count(bench: Bench, of: Truths, over: Axes = None) -> Field:
    """In how many cells it holds."""
    axes = _axes(of, over)
    kept = tuple(a for a in of.axes if a not in axes)
    cells: dict[tuple[Key, ...], float] = {}
    for key, truth in of.cells.items():
        at = tuple(k for k, a in zip(key, of.axes, strict=True) if a in kept)
        cells[at] = cells.get(at, 0.0) + (truth is Truth.YES)
    return Field(kept, cells)


def _folding(doc: str, how: Callable[[Sequence[float]], float]) -> Callable[..., Field]:
    """A word that makes each seed's values over some axes one."""

    def of_(bench: Bench, of: Field, over: Axes = None) -> Field:
        return _folded(of, over, how)

    of_.__doc__ = doc
    return of_


least = _folding("The smallest value, seed by seed.", min)
most = _folding("The largest value, seed by seed.", max)
average = _folding("The mean over axes, seed by seed.", fmean)
median = _folding("The middle value, seed by seed; of two in the middle their mean.", middle)
total = _folding("The sum over axes, seed by seed.", sum)
gap = _folding("Largest less smallest, seed by seed.", lambda v: max(v) - min(v))
spread = _folding(
    "Largest over smallest less one, seed by seed: 0.1 is a tenth.",
    lambda v: max(v) / min(v) - 1 if min(v) > 0 else inf,
)


def mean(bench: Bench, of: Field) -> Field:
    """The mean over seeds, as a number that is compared without an interval."""
    return _over_seeds(of, lambda v: fmean(v))


def scatter(bench: Bench, of: Field) -> Field:
    """The coefficient of variation of single runs; 0 of a single seed."""

    def cv(v: Sequence[float]) -> float:
        return stdev(v) / fmean(v) if len(v) > 1 and fmean(v) > 0 else 0.0

    return _over_seeds(of, cv)


def seeds_where(bench: Bench, of: Field, low: float = -inf, high: float = inf) -> Field:
    """In how many runs the value is at least `low` and at most `high`."""
    return _over_seeds(of, lambda v: float(sum(low <= x <= high for x in v)))


def _over_seeds(of: Field, how: Callable[[Sequence[float]], float]) -> Field:
    return Field(
        of.axes,
        {
            k: how(list(v.values())) if isinstance(v, Mapping) else how([v])
            for k, v in of.cells.items()
            if not isinstance(v, Mapping) or v
        },
    )


def change(bench: Bench, of: Field, along: str, since: Key, to: Key) -> Field:
    """The value at `to` less that at `since`."""
    return combined(_at(of, along, to), _at(of, along, since), sub)


def gain(bench: Bench, of: Field, along: str, since: Key, to: Key) -> Field:
    """By which share the value at `to` exceeds that at `since`: 0.1 is a tenth more."""
    grown = combined(_at(of, along, to), _at(of, along, since), truediv)
    return mapped(grown, lambda x: x - 1)


def steps(bench: Bench, of: Field, along: str) -> Field:
    """Each value less the one before it, in the order of the axis; the first key has none."""
    _axes(of, along)
    i, keys = of.axes.index(along), of.keys(along)
    before = dict(zip(keys[1:], keys, strict=False))
    cells: dict[tuple[Key, ...], Value] = {}
    for key, value in of.cells.items():
        earlier = of.cells.get((*key[:i], before.get(key[i], ""), *key[i + 1 :]))
        step = None if earlier is None else paired(value, earlier, sub)
        if step is not None:
            cells[key] = step
    return Field(of.axes, cells)


def _at(of: Field, axis: str, key: Key) -> Field:
    _axes(of, axis)
    found = of.at(axis, key)
    return Field(found.axes, found.cells)


def rising(bench: Bench, of: Field, along: str, by: float = 0.0) -> Truths:
    """The last exceeds the first by more than the share `by`; no step is a fall."""
    return _monotonous(bench, of, along, by, 1)


def falling(bench: Bench, of: Field, along: str, by: float = 0.0) -> Truths:
    """The last is below the first by more than the share `by` of it; no step is a rise."""
    return _monotonous(bench, of, along, by, -1)


def _monotonous(bench: Bench, of: Field, along: str, by: float, sign: int) -> Truths:
    _axes(of, along)

    def line(values: Sequence[Value]) -> Truth:
        if len(values) < 2:
            return Truth.MISSING
        steps = pairwise(values if sign > 0 else values[::-1])
        # A step down, and of what falls a step up.
        contrary = [_beside(bench, b, a, "<") for a, b in steps]
        if Truth.YES in contrary:
            return Truth.NO
        ends = paired(values[-1], values[0], lambda b, a: sign * (b - a) - by * abs(a))
        return Truth.MISSING if ends is None else _beside(bench, 0.0, ends, "<")

    return Truths(of.without(along), {key: line(values) for key, values in of.lines(along)})


def flat(bench: Bench, of: Field, over: Axes = None, within: float = 0.1) -> Truths:
    """Largest and smallest are less than the share `within` apart."""
    return compare(bench, spread(bench, of, over), Field((), {(): within}), "<")


def near(bench: Bench, a: Field, b: Field, within: float = 0.1) -> Truths:
    """The mean of `a` over seeds differs from that of `b` by at most the share `within`."""
    axes = joined(a, b)
    cells = {}
    for key, x, y in together(a, b, axes):
        ours, theirs = known(x).mean, known(y).mean
        cells[key] = Truth.of(abs(ours - theirs) <= within * abs(theirs))
    return Truths(axes, cells)


def more_than(bench: Bench, a: Field, b: Field, by: float = 0.0) -> Truths:
    """`a` exceeds `b` by more than the share `by` of `b`."""
    return compare(bench, a, mapped(b, lambda x: (1 + by) * x), ">")


def less_than(bench: Bench, a: Field, b: Field, by: float = 0.0) -> Truths:
    """`a` is below `b` by more than the share `by` of `b`."""
    return compare(bench, a, mapped(b, lambda x: (1 - by) * x), "<")


def highest(bench: Bench, of: Field, by: float = 0.0, **where: Key) -> Truths:
    """The named key has more than each of the others: `highest(goodput, cc=cubic)`."""
    return _ranked(bench, of, more_than, by, where)


def lowest(bench: Bench, of: Field, by: float = 0.0, **where: Key) -> Truths:
    """The named key has less than each of the others."""
    return _ranked(bench, of, less_than, by, where)


def _ranked(
    bench: Bench,
    of: Field,
    than: Callable[..., Truths],
    by: float,
    where: Mapping[str, Key],
) -> Truths:
    if len(where) != 1:
        raise Wrong("it needs one axis and its key, as in highest(goodput, cc=cubic)")
    ((axis, key),) = where.items()
    mine = _at(of, axis, key)
    others = Field(of.axes, of.where(axis, [k for k in of.keys(axis) if k != key]).cells)
    return _judged(than(bench, mine, others, by), axis, every)


def correlation(bench: Bench, a: Field, b: Field, over: str) -> Field:
    """Pearson's coefficient over an axis, seed by seed; 0 where one of them does not vary."""
    _axes(a, over), _axes(b, over)
    cells: dict[tuple[Key, ...], Value] = {}
    theirs = dict(b.lines(over))
    for key, line in a.lines(over):
        value = reduced([*line, *theirs.get(key, [])], partial(_halves, len(line)))
        if value is not None:
            cells[key] = value
    return Field(a.without(over), cells)


def _halves(n: int, values: Sequence[float]) -> float:
    """Of the first `n` values and the others."""
    return _pearson(values[:n], values[n:])


def _pearson(a: Sequence[float], b: Sequence[float]) -> float:
    if len(a) != len(b) or len(a) < 2:
        return nan
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
