"""Saturated access categories of EDCA: contention zones.

J. W. Robinson, T. S. Randhawa, "Saturation throughput analysis of IEEE 802.11e enhanced distributed
coordination function", IEEE JSAC 22(5), 2004: a category with a longer AIFS has no part in the
first slots behind a busy period, so that the probability to collide depends on the slot's number.
Within a zone it is Bianchi's model: everybody transmits in each slot that is theirs with a
probability that does not depend on the past.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

from acklab.validate.models.bianchi import Outcome, transmits

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Category:
    """Stations that contend alike."""

    stations: int
    aifsn: int
    windows: Sequence[int]


def zones(
    categories: Sequence[Category], slot: float, success: float, collision: float
) -> list[Outcome]:
    """The share of each category; times in microseconds, with the shortest AIFS behind both."""
    cycle = _Cycle(categories)

    def rest(p: Floats) -> Floats:
        return cycle.collisions(p) - p

    found = root(rest, np.full(len(categories), 0.2), method="hybr", tol=1e-12)
    if not found.success:
        raise ArithmeticError(f"no fixed point: {found.message}")
    ones, idle = cycle.successes(found.x)
    time = idle * slot + ones.sum() * success + (1 - ones.sum()) * collision
    return [Outcome(float(one / time), float(p)) for one, p in zip(ones, found.x, strict=True)]


class _Cycle:
    """From one busy period to the next."""

    def __init__(self, categories: Sequence[Category]) -> None:
        self.categories = categories
        self.stations = np.array([c.stations for c in categories], float)
        least = min(c.aifsn for c in categories)
        #: Number of each category's first slot.
        self.first = np.array([c.aifsn - least for c in categories])
        #: The last slot repeats.
        self.numbers = np.arange(self.first.max() + 1)
        #: By category and slot.
        self.takes_part = self.numbers[None, :] >= self.first[:, None]

    def _slots(self, p: Floats) -> tuple[Floats, Floats, Floats]:
        """tau by category; by slot, how often it comes, and the probability that it stays idle."""
        pairs = zip(self.categories, np.clip(p, 0, 1 - 1e-9), strict=True)
        tau = np.array([transmits(float(x), c.windows) for c, x in pairs])
        quiet = np.prod(np.where(self.takes_part, ((1 - tau) ** self.stations)[:, None], 1), axis=0)
        visits = np.concatenate([[1.0], np.cumprod(quiet[:-1])])
        visits[-1] /= 1 - quiet[-1]
        return tau, visits, quiet

    def collisions(self, p: Floats) -> Floats:
        """Probability that a transmission collides, by category, if it were `p`."""
        tau, visits, quiet = self._slots(p)
        own = self.takes_part * visits
        alone = (own * quiet).sum(axis=1) / (1 - tau)
        return np.asarray(1 - alone / own.sum(axis=1))

    def successes(self, p: Floats) -> tuple[Floats, float]:
        """Successes of each category in a cycle, and idle slots."""
        tau, visits, quiet = self._slots(p)
        each = (self.takes_part * visits * quiet).sum(axis=1) / (1 - tau) * tau
        return self.stations * each, float((visits * quiet).sum())
