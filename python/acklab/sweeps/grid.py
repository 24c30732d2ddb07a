"""A grid: which values go together, and which cell has which number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.source import literal
from acklab.sweeps import values
from acklab.sweeps.values import Range, Values

if TYPE_CHECKING:
    import polars as pl

#: Columns of every table of a sweep beside the keys.
RESERVED = ("run", "cell", "seed", "flow", "link", "cc", "time_s")


@dataclass(frozen=True)
class Key:
    """A scenario key with its values, and the column that shows them."""

    key: str
    name: str
    values: Values


@dataclass(frozen=True)
class Axis:
    """Keys that change together: one of the grid, or several of a zip."""

    keys: tuple[Key, ...]

    @property
    def count(self) -> int:
        """How many steps it has."""
        return self.keys[0].values.count


@dataclass(frozen=True)
class Grid:
    """The product of its axes, the last one fastest. No cell is kept."""

    axes: tuple[Axis, ...]

    @cached_property
    def cells(self) -> int:
        """How many cells there are."""
        return math.prod(a.count for a in self.axes)

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """All keys, in the order of the columns."""
        return tuple(k for a in self.axes for k in a.keys)

    def steps(self, cell: int) -> tuple[int, ...]:
        """Where `cell` is on each axis."""
        at = []
        for axis in reversed(self.axes):
            cell, step = divmod(cell, axis.count)
            at.append(step)
        return tuple(reversed(at))

    def overrides(self, cell: int) -> list[tuple[str, str]]:
        """The keys that `cell` sets in the scenario."""
        return self.at(self.steps(cell))

    def at(self, steps: Sequence[int]) -> list[tuple[str, str]]:
        """The keys that the cell at these steps of the axes sets in the scenario."""
        pairs = zip(self.axes, steps, strict=True)
        return [(k.key, k.values.at(i)) for axis, i in pairs for k in axis.keys]

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """The type of each key's column: whole number, number, truth value or text."""
        return {k.name: _type(k.values) for k in self.keys}

    def columns(self, cells: Sequence[int]) -> pl.DataFrame:
        """The keys' columns, one row for each of `cells`."""
        import polars as pl

        rows = [[values.typed(v) for _, v in self.overrides(c)] for c in cells]
        made = {}
        for i, (name, kind) in enumerate(self.schema.items()):
            column = [r[i] for r in rows]
            texts = kind == pl.String
            made[name] = pl.Series(name, map(_text, column) if texts else column, dtype=kind)
        return pl.DataFrame(made)


def _text(value: object) -> str:
    return value if isinstance(value, str) else literal(value)


def _type(of: Values) -> pl.DataType:
    import polars as pl

    kinds = {type(values.typed(v)) for v in _samples(of)}
    if kinds == {bool}:
        return pl.Boolean()
    if kinds == {int}:
        return pl.Int64()
    return pl.Float64() if kinds <= {int, float} else pl.String()


def _samples(of: Values) -> Iterable[str]:
    """Enough values to know the type: all that are written out, three of each range."""
    for part in of.parts:
        if isinstance(part, values.Literals):
            yield from part.texts
        else:
            yield from (part.at(i) for i in {0, min(1, part.count - 1), part.count - 1})


def build(grid: Mapping[str, Any], zipped: Sequence[Mapping[str, Any]] = ()) -> Grid:
    """The grid of `KEY: values` and of groups whose keys change together.

    A key may be written `NAME:KEY`; then its column is called NAME.
    """
    axes = [Axis((_key(key, given),)) for key, given in grid.items()]
    axes += [_zip(group) for group in zipped if group]
    made = Grid(tuple(axes))
    _check_unique("key", [k.key for k in made.keys])
    _check_unique("column", [k.name for k in made.keys])
    return made


def check_values(grid: Grid) -> None:
    """Refuses values that are there twice: their runs would be."""
    for axis in grid.axes:
        if any(
            len(k.values.parts) == 1 and isinstance(k.values.parts[0], Range) for k in axis.keys
        ):
            # A range has each value once, however many they are.
            continue
        rows = list(zip(*(k.values for k in axis.keys), strict=True))
        if len(set(rows)) < len(rows):
            twice = next(r for r in rows if rows.count(r) > 1)
            names = ", ".join(k.key for k in axis.keys)
            raise AcklabError(
                f"the grid has {', '.join(twice)} twice for {names}\n  help: give each value once"
            )


def _key(text: str, given: object) -> Key:
    name, colon, key = text.strip().partition(":")
    if not colon or '"' in name:
        name = key = text
    name, key = name.strip(), key.strip()
    if not key or not name:
        raise AcklabError(
            f"cannot read the key {text!r} of the grid\n  help: write KEY or NAME:KEY"
        )
    if key == "seed":
        raise AcklabError("seed is no key of a grid\n  help: use --seeds 10 or --seeds 1,5,9")
    if name in RESERVED:
        raise AcklabError(
            f"a column cannot be called {name!r}: the tables have one\n"
            f"  help: the taken names are {', '.join(RESERVED)}"
        )
    return Key(key, name, values.read(key, given))


def _zip(group: Mapping[str, Any]) -> Axis:
    keys = tuple(_key(key, given) for key, given in group.items())
    if len({k.values.count for k in keys}) > 1:
        counts = ", ".join(f"{k.key} has {k.values.count:,}" for k in keys)
        raise AcklabError(
            f"keys that change together need equally many values: {counts}\n"
            "  help: use the grid for keys that are independent"
        )
    return Axis(keys)


def _check_unique(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise AcklabError(
                f"the grid has the {what} {name} twice\n"
                "  help: give a key all its values at once, and columns different names: NAME:KEY"
            )
