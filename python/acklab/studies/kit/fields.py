"""Values over axes, seed by seed, and their arithmetic.

A field has a value for each combination of the keys along its axes. A value is a sample: a number
by seed. A number that no seed made (a constant, a mean over seeds, a paper's table) has the seed
`None` and stands for itself. Values are combined seed by seed, over the seeds that all of them
have, because runs of one seed share their random numbers. Fields are combined where their keys
agree; an axis that only one of them has is carried along.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Generic, Self, TypeVar

from acklab.stats import Estimate, estimate

Key = str | int | float
Keys = tuple[Key, ...]
Value = Mapping[int | None, float]
#: A key on an axis, or several that keep it.
Where = Key | list[Key] | tuple[Key, ...]
S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")


def listed(keys: Where) -> Sequence[Key]:
    """Keys as a list, also a single one."""
    return keys if isinstance(keys, list | tuple) else [keys]


@dataclass(frozen=True)
class Over(Generic[T]):
    """Something for each combination of keys; `axes` names the parts of a key, in order."""

    axes: tuple[str, ...]
    cells: Mapping[Keys, T]

    def keys(self, axis: str) -> list[Key]:
        """The keys along an axis, in the order of the cells."""
        at = self.axes.index(axis)
        return list(dict.fromkeys(key[at] for key in self.cells))

    def where(self, axis: str, keep: Iterable[Key]) -> Self:
        """Only those keys, in the order given; one that is not there leaves nothing."""
        at = self.axes.index(axis)
        cells = {k: v for want in keep for k, v in self.cells.items() if k[at] == want}
        return type(self)(self.axes, cells)

    def at(self, axis: str, key: Key) -> Self:
        """The same without the axis, at one of its keys."""
        cells = {key: line[0] for key, line in self.where(axis, [key]).lines(axis).items()}
        return type(self)(self.without(axis), cells)

    def lines(self, axis: str) -> dict[Keys, list[T]]:
        """The values along the axis, in order, by the other keys."""
        i = self.axes.index(axis)
        found: dict[Keys, list[T]] = {}
        for key, value in self.cells.items():
            found.setdefault(key[:i] + key[i + 1 :], []).append(value)
        return found

    def without(self, axis: str) -> tuple[str, ...]:
        """The other axes."""
        return tuple(a for a in self.axes if a != axis)


class Field(Over[Value]):
    """Numbers over axes."""


def constant(value: float) -> Field:
    """A number without axes."""
    return Field((), {(): {None: value}})


def joined(
    a: Over[S], b: Over[T], of: Callable[[S, T], U | None]
) -> tuple[tuple[str, ...], dict[Keys, U]]:
    """The axes of both, and `of` the cells whose keys agree, where it has a result."""
    axes = a.axes + tuple(x for x in b.axes if x not in a.axes)
    there = ([f.keys(axis) for f in (a, b) if axis in f.axes] for axis in axes)
    both = [[k for k in first if all(k in other for other in others)] for first, *others in there]
    of_a, of_b = ([axes.index(x) for x in f.axes] for f in (a, b))
    cells = {}
    for key in product(*both):
        left = a.cells.get(tuple(key[i] for i in of_a))
        right = b.cells.get(tuple(key[i] for i in of_b))
        if left is not None and right is not None and (found := of(left, right)) is not None:
            cells[key] = found
    return axes, cells


def combined(a: Field, b: Field, of: Callable[[float, float], float]) -> Field:
    """`of` applied cell by cell and seed by seed; where it cannot be had there is no value."""
    return Field(*joined(a, b, lambda x, y: reduced((x, y), lambda v: of(*v))))


def mapped(a: Field, of: Callable[[float], float]) -> Field:
    """`of` applied to every number."""
    return Field(a.axes, {k: {s: of(x) for s, x in v.items()} for k, v in a.cells.items()})


def reduced(values: Sequence[Value], of: Callable[[Sequence[float]], float]) -> Value | None:
    """`of` applied to several values at once, seed by seed; `None` where no seed has a result."""
    found: dict[int | None, float] = {}
    for seed in dict.fromkeys(s for v in values for s in v):
        if all(seed in v or None in v for v in values):
            try:
                number = of([v[seed] if seed in v else v[None] for v in values])
            except ZeroDivisionError:
                continue
            if not math.isnan(number):
                found[seed] = number
    return found or None


def known(value: Value) -> Estimate:
    """The mean and its interval; a number without seeds is exact."""
    if None in value:
        return Estimate(value[None], value[None], value[None], 1)
    return estimate(list(value.values()))


def reported(value: Value, bounds: tuple[float, float]) -> Estimate:
    """The same for a reader: no interval that leaves the bounds of the quantity.

    Few runs that scatter much have such an interval; it would say nothing.
    """
    e = known(value)
    if e.low < bounds[0] <= e.mean or e.high > bounds[1] >= e.mean:
        return Estimate(e.mean, math.nan, math.nan, e.n)
    return e
