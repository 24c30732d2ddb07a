"""Values over axes, seed by seed, and their arithmetic.

A field has a value for each combination of the keys along its axes. A value is a sample, a number
by seed, or a single number where there are no seeds: a constant, or what a mean is made of. Two
samples are combined seed by seed, over the seeds that both have, because runs of one seed share
their random numbers. Two fields are combined where their keys agree; an axis that only one of them
has is carried along.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

from acklab.stats import Estimate, estimate

Key = str | int | float
#: A number by seed, or one without seeds.
Value = Mapping[int, float] | float
T = TypeVar("T")


@dataclass(frozen=True)
class Over(Generic[T]):
    """Something for each combination of keys; `axes` names the parts of a key, in order."""

    axes: tuple[str, ...]
    cells: Mapping[tuple[Key, ...], T]

    def keys(self, axis: str) -> list[Key]:
        """The keys along an axis, in the order of the cells."""
        at = self.axes.index(axis)
        return list(dict.fromkeys(key[at] for key in self.cells))

    def where(self, axis: str, keep: Iterable[Key]) -> Over[T]:
        """Only those keys, in the order given; one that is not there leaves nothing."""
        at, kept = self.axes.index(axis), list(keep)
        cells = {k: v for want in kept for k, v in self.cells.items() if k[at] == want}
        return type(self)(self.axes, cells)

    def at(self, axis: str, key: Key) -> Over[T]:
        """The same without the axis, at one of its keys."""
        i = self.axes.index(axis)
        cells = {k[:i] + k[i + 1 :]: v for k, v in self.cells.items() if k[i] == key}
        return type(self)(self.axes[:i] + self.axes[i + 1 :], cells)

    def lines(self, axis: str) -> Iterator[tuple[tuple[Key, ...], list[T]]]:
        """For each combination of the other keys: what stands along the axis, in order."""
        i = self.axes.index(axis)
        found: dict[tuple[Key, ...], list[T]] = {}
        for key, value in self.cells.items():
            found.setdefault(key[:i] + key[i + 1 :], []).append(value)
        yield from found.items()

    def without(self, axis: str) -> tuple[str, ...]:
        """The other axes."""
        return tuple(a for a in self.axes if a != axis)


class Field(Over[Value]):
    """Numbers over axes."""


def constant(value: float) -> Field:
    """A number without axes."""
    return Field((), {(): value})


def together(
    a: Over[T], b: Over[T], axes: tuple[str, ...] | None = None
) -> Iterator[tuple[tuple[Key, ...], T, T]]:
    """The cells of two fields whose keys agree, by keys along `axes` (`joined` by default)."""
    axes = joined(a, b) if axes is None else axes
    keys = [_keys(a, b, axis) for axis in axes]
    of_a = [axes.index(x) for x in a.axes]
    of_b = [axes.index(x) for x in b.axes]
    for key in product(*keys):
        left = a.cells.get(tuple(key[i] for i in of_a))
        right = b.cells.get(tuple(key[i] for i in of_b))
        if left is not None and right is not None:
            yield key, left, right


def joined(a: Over[T], b: Over[T]) -> tuple[str, ...]:
    """The axes of both."""
    return a.axes + tuple(x for x in b.axes if x not in a.axes)


def _keys(a: Over[T], b: Over[T], axis: str) -> list[Key]:
    own = [f.keys(axis) for f in (a, b) if axis in f.axes]
    return [k for k in own[0] if all(k in other for other in own)]


def combined(a: Field, b: Field, of: Callable[[float, float], float]) -> Field:
    """`of` applied cell by cell and seed by seed; where it cannot be had there is no value."""
    axes = joined(a, b)
    cells = {key: paired(x, y, of) for key, x, y in together(a, b, axes)}
    return Field(axes, {k: v for k, v in cells.items() if v is not None})


def paired(a: Value, b: Value, of: Callable[[float, float], float]) -> Value | None:
    """`of` applied to two values, seed by seed; `None` where no seed has a result."""
    if not isinstance(a, Mapping) and not isinstance(b, Mapping):
        return _finite(of, a, b)
    seeds = [s for v in (a, b) if isinstance(v, Mapping) for s in v]
    found = {}
    for seed in dict.fromkeys(seeds):
        x, y = (v.get(seed) if isinstance(v, Mapping) else v for v in (a, b))
        value = None if x is None or y is None else _finite(of, x, y)
        if value is not None:
            found[seed] = value
    return found or None


def _finite(of: Callable[[float, float], float], a: float, b: float) -> float | None:
    try:
        value = of(a, b)
    except ZeroDivisionError:
        return None
    return None if math.isnan(value) else value


def mapped(a: Field, of: Callable[[float], float]) -> Field:
    """`of` applied to every number."""
    return Field(
        a.axes,
        {
            k: {s: of(x) for s, x in v.items()} if isinstance(v, Mapping) else of(v)
            for k, v in a.cells.items()
        },
    )


def reduced(values: Sequence[Value], of: Callable[[Sequence[float]], float]) -> Value | None:
    """`of` applied to several values at once, seed by seed over the seeds that all of them have."""
    samples = [v for v in values if isinstance(v, Mapping)]
    if not samples:
        return of([float(v) for v in values if not isinstance(v, Mapping)])
    seeds = [s for s in samples[0] if all(s in of_ for of_ in samples)]
    found = {s: of([v[s] if isinstance(v, Mapping) else v for v in values]) for s in seeds}
    return found or None


def known(value: Value) -> Estimate:
    """The mean and its interval; a number without seeds is exact."""
    if isinstance(value, Mapping):
        return estimate(list(value.values()))
    return Estimate(value, value, value, 1)


def reported(value: Value, signed: bool) -> Estimate:
    """The same for a reader: no interval below zero of a quantity that cannot be negative.

    Few runs that scatter much have such an interval; it would say nothing.
    """
    e = known(value)
    if not signed and e.low < 0 <= e.mean:
        return Estimate(e.mean, math.nan, math.nan, e.n)
    return e
