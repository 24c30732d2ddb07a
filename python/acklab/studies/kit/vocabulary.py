"""The names that expressions of a study may use: its quantities, their axes and keys on these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any

from acklab.studies.kit.fields import Field, Key, Value, Where, listed
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.words import WORDS, Wrong

if TYPE_CHECKING:
    from acklab.results import Result

#: The axes of a group of cells, and their keys in order.
Grid = Mapping[str, Sequence[Key]]


@dataclass(frozen=True)
class Quantity:
    """A number that is measured of a run."""

    name: str
    unit: str
    #: Its definition, in a sentence.
    text: str
    #: From a run to a number, to nothing, or, with `axis`, to a number by key.
    of: Callable[[Result], Any]
    #: The groups whose runs it is measured of; none for all of them.
    groups: tuple[str, ...] = ()
    #: Digits after the point where it is shown.
    digits: int = 2
    #: The axis that it adds, as `time` does for a series.
    axis: str | None = None
    #: Whether it can be below zero, as a difference can.
    signed: bool = False
    #: The largest value that it can have, as 1 for an index or a share.
    most: float = inf
    #: Of a quantity that is made of others once all runs have ended; see `quantity.derived`.
    expression: str = ""

    @property
    def bounds(self) -> tuple[float, float]:
        """Its smallest and its largest possible value."""
        return (-inf if self.signed else 0.0, self.most)


@dataclass(frozen=True)
class Vocabulary:
    """Everything that an expression may name."""

    quantities: Mapping[str, Quantity]
    grids: Mapping[str, Grid]
    rules: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    #: The group that is meant where none is named.
    home: str = ""
    #: An axis and a key on it, as a reader sees them.
    axis: Callable[[str], str] = str
    key: Callable[[str, Key], str] = lambda _, key: str(key)

    @property
    def words(self) -> Mapping[str, Callable[..., Any]]:
        """The words of the language and the study's own rules."""
        return {**WORDS, **self.rules}

    def groups_of(self, quantity: str) -> Sequence[str]:
        """The groups that a quantity is measured of."""
        if quantity not in self.quantities:
            known = [*self.quantities, *self.words]
            raise Wrong(f"no quantity or word {quantity!r}{hint(quantity, known)}", quantity)
        return self.quantities[quantity].groups or tuple(self.grids)

    def meant(
        self, quantity: str, group: str | None = None, keys: Mapping[str, Where] | None = None
    ) -> str:
        """The group of `quantity`; an error where it has none, or not these axes and keys."""
        groups = self.groups_of(quantity)
        if group is None:
            group = self.home if self.home in groups else groups[0]
            if len(groups) > 1 and group != self.home:
                forms = ", ".join(f"{g}.{quantity}" for g in groups)
                raise Wrong(f"{quantity!r} is measured of several groups; write one of: {forms}")
        if group not in groups:
            of = ", ".join(groups)
            raise Wrong(f"{quantity!r} is not measured of {group!r}; of: {of}", group)
        axes, own = self.grids[group], self.quantities[quantity].axis
        for axis, wanted in (keys or {}).items():
            if axis != own and axis not in axes:
                raise Wrong(f"{quantity!r} has no axis {axis!r}; it has: {', '.join(axes)}", axis)
            for key in listed(wanted) if axis != own else ():
                if key not in axes[axis]:
                    there = ", ".join(map(str, axes[axis]))
                    raise Wrong(f"the axis {axis!r} has no key {key!r}; it has: {there}", str(key))
        return group

    def axes_of(self, group: str, quantity: str) -> tuple[str, ...]:
        """The axes of a group, and that of the quantity's own."""
        own = self.quantities[quantity].axis
        return (*self.grids[group], *([own] if own else []))

    @cached_property
    def shapes(self) -> Numbers:
        """Numbers of all quantities that mean nothing: to try an expression before anything ran."""
        from acklab.studies.kit.quantity import with_derived

        found: Numbers = {}
        for name, of in self.quantities.items():
            for group in self.groups_of(name) if not of.expression else ():
                keys = product(*self.grids[group].values(), *([(1, 2, 3)] if of.axis else []))
                one: Value = {None: 1.0}
                found[group, name] = Field(self.axes_of(group, name), dict.fromkeys(keys, one))
        return with_derived(self, found)


def hint(word: str, known: Iterable[str]) -> str:
    """The nearest word that would have been right, or all that there are."""
    near = get_close_matches(word, list(known), 1)
    return f": did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"
