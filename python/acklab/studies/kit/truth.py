"""Whether something holds, as far as the numbers can tell."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Truth(Enum):
    """Kleene's three values, and a fourth where there are no numbers at all."""

    YES = "holds"
    NO = "does not hold"
    #: The interval leaves it open.
    OPEN = "undecided"
    #: There is no number to judge by.
    MISSING = "not run"

    @staticmethod
    def of(holds: bool) -> Truth:
        """Of something that is known."""
        return Truth.YES if holds else Truth.NO

    def __invert__(self) -> Truth:
        return {Truth.YES: Truth.NO, Truth.NO: Truth.YES}.get(self, self)


def every(values: Iterable[Truth]) -> Truth:
    """One `NO` decides; otherwise what is missing or open leaves the whole so."""
    found = set(values)
    order = (Truth.NO, Truth.MISSING, Truth.OPEN)
    return next((t for t in order if t in found), Truth.YES)


def some(values: Iterable[Truth]) -> Truth:
    """One `YES` decides; otherwise what is missing or open leaves the whole so."""
    return ~every(~v for v in values)
