"""Whose numbers stand beside each other, and how numbers and keys are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from acklab.studies.kit.fields import Field, Key, Value, reported
from acklab.studies.kit.folder import SETUP, Figure, Folder, Setup, Table
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.vocabulary import Quantity

#: Text in place of a number that does not exist.
NONE = "-"


@dataclass(frozen=True)
class Source:
    """Us in one set-up, or a witness."""

    id: str
    title: str
    #: The set-up whose runs these are; empty where a study has none.
    setup: str
    numbers: Numbers
    ours: bool
    #: Whether numbers of cells without a set-up are shown as its own.
    first: bool = True

    def value(self, group: str, quantity: str, at: Mapping[str, Key]) -> Value | None:
        """Its number at these keys; a table that leaves out an axis has one number for all."""
        field = self.numbers.get((group, quantity))
        if field is None:
            return None
        if at.get(SETUP, self.setup) != self.setup:
            return None
        if not self.first and SETUP not in field.axes:
            return None
        key = tuple(self.setup if a == SETUP else at.get(a) for a in field.axes)
        return field.cells.get(key)  # type: ignore[arg-type]


def sources(study: Folder, ours: Numbers, setups: Sequence[Setup]) -> list[Source]:
    """The witnesses and us; a paper comes first, then what decides, then everybody else."""
    mine = [
        Source(f"acklab-{s.name}", _title(s, i), s.name, ours, True, i == 0)
        for i, s in enumerate(setups)
    ] or [Source("acklab", "acklab", "", ours, True)]
    names = {s.setup for s in mine}
    first = study.about.setup[0].name if study.about.setup else ""
    theirs = [
        Source(w.name, w.title, w.setup or first, study.witnesses[w.name], False)
        for w in study.about.witness
        if (w.setup or first) in names
    ]
    papers = [s for s in theirs if s.id.startswith("paper")]
    return [*papers, *mine, *(s for s in theirs if s not in papers)]


def _title(setup: Setup, place: int) -> str:
    return "acklab" if place == 0 else f"acklab, {setup.title}"


@dataclass(frozen=True)
class Names:
    """Keys, axes and numbers as a reader sees them."""

    study: Folder

    def key(self, axis: str, key: Key) -> str:
        """A key on an axis."""
        return self.study.key(axis, key)

    def axis(self, axis: str) -> str:
        """The name of an axis."""
        return self.study.axis(axis)

    def quantity(self, quantity: Quantity) -> str:
        """The name of a quantity."""
        return self.study.about.quantity.get(quantity.name) or quantity.name.replace("_", " ")

    def at(self, at: Mapping[str, Key]) -> str:
        """Several keys, with commas; a bare number has the name of its axis before it."""
        return ", ".join(self._whole(a, k) for a, k in at.items())

    def _whole(self, axis: str, key: Key) -> str:
        told = self.key(axis, key)
        if told != str(key) or not isinstance(key, int | float):
            return told
        name, _, of = self.axis(axis).partition(", ")
        return f"{name} {told} {of}".rstrip()

    def measured(self, quantity: Quantity) -> str:
        """The name of a quantity, with its unit."""
        name = self.quantity(quantity)
        alone = not quantity.unit or name.endswith(quantity.unit)
        return name if alone else f"{name} {of_unit(quantity)}"


def written(value: float, quantity: Quantity) -> str:
    """A number with the quantity's digits, without its unit; large ones need no digits."""
    if value != value:
        return NONE
    digits = quantity.digits if abs(value) < 10_000 else 0
    return f"{value:.{digits}f}".replace("-0." + "0" * digits, "0." + "0" * digits, 1)


def of_unit(quantity: Quantity) -> str:
    """The unit after a name: "in Mbit/s", but "per minute"."""
    return quantity.unit if quantity.unit.startswith("per ") else f"in {quantity.unit}"


def unit(quantity: Quantity) -> str:
    """The unit after a space, or nothing."""
    return f" {quantity.unit}" if quantity.unit else ""


def interval(value: Value, quantity: Quantity) -> str:
    """A number in words: with its unit, its 95 % interval and how many runs it is of."""
    e = reported(value, quantity.bounds)
    told = f"{written(e.mean, quantity)}{unit(quantity)}"
    if e.n < 2:
        return told
    if e.low != e.low:
        runs = [written(v, quantity) for v in sorted(value.values())]
        return f"{told}, the mean of {e.n} runs: {', '.join(runs)}"
    low, high = written(e.low, quantity), written(e.high, quantity)
    return f"{told}, 95 % interval {low} to {high}, {e.n} runs"


def keys_of(study: Folder, of: Table | Figure, field: Field | None) -> dict[str, Sequence[Key]]:
    """The keys along each axis of a table or figure; those that it names, and their order."""
    grid = dict(study.vocabulary.grids[of.group])
    own = study.vocabulary.quantities[of.quantity].axis
    if own is not None and field is not None and own in field.axes:
        grid[own] = sorted(field.keys(own), key=lambda k: (isinstance(k, str), k))
    for axis, keys in of.keys.items():
        grid[axis] = keys if isinstance(keys, list) else [keys]
    axes = field.axes if field is not None else tuple(grid)
    return {a: k for a, k in grid.items() if a in axes}


def blocks(
    keys: Mapping[str, Sequence[Key]], shown: Sequence[str]
) -> Iterator[tuple[dict[str, Key], dict[str, Key]]]:
    """For each combination of the axes that are not shown: all its keys, and those to name."""
    left = [a for a in keys if a not in shown and a != SETUP]
    several = [a for a in left if len(keys[a]) > 1]
    for combination in product(*(keys[a] for a in left)):
        at = dict(zip(left, combination, strict=True))
        yield at, {a: at[a] for a in several}
