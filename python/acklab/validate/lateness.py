"""How late an emulator was, as a schedule of pauses.

A program that emulates a link is late when it does not get its processor. Model: pauses of
exponential length come after exponential gaps, and nothing passes meanwhile. Then a packet that is
due at any time is later than x with probability ``length / (length + gap) * exp(-x / length)``, and
the longest of the ``T / (length + gap)`` pauses of a run of T has the median that solves
``T / (length + gap) * exp(-longest / length) = ln 2``. The 99 % quantile and the maximum that were
measured give the two parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Pauses:
    """Mean length of a pause and mean time between two, us."""

    length: float
    gap: float

    @property
    def p99(self) -> float:
        """The 99 % quantile of a packet's lateness, us; zero if fewer are late."""
        return max(0.0, self.length * math.log(100 * self.length / (self.length + self.gap)))


def pauses(p99: float, longest: float, run: float) -> Pauses:
    """The pauses of an emulator whose packets were late by `p99` (99 % quantile) and `longest`, us.

    Raises:
        ValueError: If no pauses have such quantiles: `longest` must be well above `p99`.
    """
    # The quotient of the two equations has the length alone; its left side grows with it.
    target = math.log(math.log(2) / 0.01)
    low, high = 1e-3, longest - p99

    def excess(length: float) -> float:
        return math.log(run / length) - (longest - p99) / length - target

    impossible = ValueError(f"no pauses are late by {p99} us (99 %) and {longest} us (maximum)")
    if not (0 < p99 < longest < run) or excess(high) < 0:
        raise impossible
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    share = 0.01 * math.exp(p99 / high)
    if share >= 1:
        raise impossible
    return Pauses(high, high * (1 / share - 1))
