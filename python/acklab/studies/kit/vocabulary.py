"""What the expressions of a study may ask for: its quantities, their axes and the keys on these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

from acklab.studies.kit.fields import Field, Key
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.words import WORDS, Wrong

if TYPE_CHECKING:
    from acklab.results import Result


@dataclass(frozen=True)
class Quantity:
    """What is measured of a run."""

    name: str
    unit: str
    #: What it is, in a sentence.
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
    #: Of a quantity that is made of others once all runs have ended; see `quantity.derived`.
    expression: str = ""


@dataclass(frozen=True)
class Grid:
    """The axes of a group of cells, and their keys in order."""

    axes: Mapping[str, Sequence[Key]]


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

    def group_of(self, quantity: str, group: str | None) -> str:
        """The group that is meant by `quantity`, or by `group.quantity`."""
        found = self.quantities.get(quantity)
        if found is None:
            raise Wrong(f"no quantity {quantity!r}{hint(quantity, self.quantities)}")
        groups = found.groups or tuple(self.grids)
        if group is None:
            if self.home in groups:
                return self.home
            if len(groups) > 1:
                forms = ", ".join(f"{g}.{quantity}" for g in groups)
                raise Wrong(f"{quantity!r} is measured of several groups; write one of: {forms}")
            return groups[0]
        if group not in groups:
            raise Wrong(f"{quantity!r} is not measured of {group!r}; of: {', '.join(groups)}")
        return group

    def checked(self, group: str, quantity: str, keys: Mapping[str, Sequence[Key]]) -> None:
        """An error where there is no such axis or no such key on it."""
        axes, own = self.grids[group].axes, self.quantities[quantity].axis
        for axis, wanted in keys.items():
            if axis == own:
                continue
            if axis not in axes:
                raise Wrong(f"{quantity!r} has no axis {axis!r}; it has: {', '.join(axes)}")
            for key in wanted:
                if key not in axes[axis]:
                    there = ", ".join(str(k) for k in axes[axis])
                    raise Wrong(f"the axis {axis!r} has no key {key!r}; it has: {there}")

    def shape(self, group: str, quantity: str) -> Field:
        """Numbers that mean nothing, over all keys: to try an expression before anything ran."""
        from itertools import product

        axes = dict(self.grids[group].axes)
        own = self.quantities[quantity].axis
        if own is not None:
            axes[own] = (1, 2, 3)
        keys = product(*axes.values())
        sample = {1: 1.0, 2: 2.0, 3: 4.0}
        return Field(tuple(axes), dict.fromkeys(keys, sample))

    def shapes(self) -> Numbers:
        """The same of every quantity."""
        return self._shapes

    @cached_property
    def _shapes(self) -> Numbers:
        from acklab.studies.kit.quantity import with_derived

        measured = Numbers(
            {
                (group, name): self.shape(group, name)
                for name, q in self.quantities.items()
                if not q.expression
                for group in (q.groups or tuple(self.grids))
            }
        )
        return with_derived(self, measured)


def hint(word: str, known: Any) -> str:
    """The nearest word that would have been right, and how to see the others."""
    near = get_close_matches(word, list(known), 1)
    return f": did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"
