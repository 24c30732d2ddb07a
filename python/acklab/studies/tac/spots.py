"""Cells as mechanisms tell of them: a claim's reason has the numbers of the claim's own cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from acklab.studies.runs import Sample
from acklab.studies.tac.evidence import View, mean
from acklab.studies.tac.schemes import PAPER


@dataclass(frozen=True)
class Spot:
    """A cell with one TCP: its name, and what it has of each quantity."""

    name: str
    of: Callable[[str], Sample]

    def __call__(self, quantity: str) -> float:
        """The mean over seeds."""
        return mean(self.of(quantity))

    def said(self, quantity: str, digits: int = 1, scale: float = 1.0) -> str:
        """The same as text."""
        return f"{scale * self(quantity):.{digits}f}"


def lmax(v: View, kilobytes: int, buffer: int = 200) -> Spot:
    """A cell of Figures 2 and 3."""
    return Spot(f"{kilobytes} KB", lambda q: v.lmax(q, kilobytes, buffer))


def n(v: View, scheme: str, stations: int) -> Spot:
    """A cell of Figure 5."""
    return Spot(f"{scheme.upper()}, N = {stations}", lambda q: v.n(q, scheme, stations))


def ber(v: View, scheme: str, kilobytes: int) -> Spot:
    """A cell of Figure 6."""
    return Spot(f"{scheme.upper()}, {kilobytes} KB", lambda q: v.ber(q, scheme, kilobytes))


def case(v: View, name: str) -> Spot:
    """A case of `robust`."""
    return Spot(name, lambda q: v.robust(q, name))


def each(quantity: str, spots: Sequence[Spot], digits: int = 1, scale: float = 1.0) -> str:
    """Their means, in their order."""
    return " / ".join(s.said(quantity, digits, scale) for s in spots)


def sizes(v: View, buffer: int = 200) -> list[Spot]:
    """The smallest and the largest Lmax of Figure 2."""
    return [lmax(v, k, buffer) for k in (v.sizes[0], v.sizes[-1])]


def counts(v: View, scheme: str) -> list[Spot]:
    """The fewest and the most stations of Figure 5."""
    return [n(v, scheme, k) for k in (v.stations[0], v.stations[-1])]


def errors(v: View, scheme: str) -> list[Spot]:
    """The smallest and the largest Lmax of Figure 6."""
    return [ber(v, scheme, k) for k in (v.sizes[0], v.sizes[-1])]


def schemes_n(v: View, stations: int) -> list[Spot]:
    """The paper's four with so many stations."""
    return [n(v, s, stations) for s in PAPER]


def schemes_ber(v: View, kilobytes: int) -> list[Spot]:
    """The paper's four with this Lmax and bit errors."""
    return [ber(v, s, kilobytes) for s in PAPER]
