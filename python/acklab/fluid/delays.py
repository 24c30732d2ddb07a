"""Differential equations whose feedback is a constant time old, by the method of steps.

Within one delay the old values are known, so that an ordinary, stiff-safe solver does the step
(LSODA, which turns implicit where it must), and its dense output is the next step's past. A step
also ends where a phase ends. What leaves the physical region stops the run, and the error names
the symbol and its equation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from acklab.fluid.domain import NoSolutionError, need, positive

Floats = NDArray[np.float64]
#: Time, values now, and values one delay ago, to the change of values.
Right = Callable[[float, Floats, Floats], Floats]


@dataclass(frozen=True)
class Bound:
    """A value that must not fall below `least`."""

    index: int
    symbol: str
    equation: str
    least: float = 0.0
    #: Less than this below is the solver's error.
    slack: float = 1e-3
    #: What would be right.
    right: str = "it is 0 or more"


@dataclass(frozen=True)
class Solution:
    """Values over time, a row a sample."""

    time: Floats
    values: Floats


class _Past:
    """Dense outputs in order, and what was before the first."""

    def __init__(self, start: Floats) -> None:
        self._start = start
        self._from: list[float] = []
        self._of: list[Callable[[float], Floats]] = []

    def add(self, since: float, of: Callable[[float], Floats]) -> None:
        self._from.append(since)
        self._of.append(of)

    def at(self, t: float) -> Floats:
        if t <= 0 or not self._of:
            return self._start
        return self._of[max(bisect_right(self._from, t) - 1, 0)](t)


def solve_delayed(
    right: Right,
    delay: float,
    start: Sequence[float],
    seconds: float,
    *,
    sample: float = 0.02,
    breaks: Sequence[float] = (),
    bounds: Sequence[Bound] = (),
    scales: Sequence[float] | None = None,
    tolerance: float = 1e-6,
) -> Solution:
    """Solves y' = right(t, y(t), y(t - delay)) from a constant past; without a delay it is an
    ordinary equation. `breaks` are times at which `right` jumps, `scales` the sizes of the values
    against which the solver's `tolerance` counts (default: those of `start`, and at least 1).

    Raises:
        NoSolutionError: Where a value leaves its `bounds` or the solver gives up.
    """
    need(delay >= 0, "the delay equation", "the delay", delay, "0 or more")
    positive("the delay equation", "the sample", sample)
    y = np.asarray(start, np.float64)
    past = _Past(y)
    edges = _edges(delay, seconds, breaks)
    times = np.arange(sample, seconds + sample / 2, sample)
    rows = np.empty((len(times), len(y)))
    atol = tolerance * (np.maximum(np.abs(y), 1.0) if scales is None else np.asarray(scales))
    done = 0

    def now(t: float, values: Floats) -> Floats:
        return right(t, values, past.at(t - delay) if delay > 0 else values)

    for since, until in pairwise(edges):
        # A jump at the beginning of a step belongs to the step.
        step = solve_ivp(
            now,
            (since + 1e-12, until),
            y,
            "LSODA",
            dense_output=True,
            rtol=tolerance,
            atol=atol,
        )
        for of in bounds:
            outside = np.flatnonzero(step.y[of.index] < of.least - of.slack)
            if len(outside):
                raise _left(of, float(step.t[outside[0]]), float(step.y[of.index, outside[0]]))
        if not step.success or not np.isfinite(step.y[:, -1]).all():
            raise NoSolutionError(f"the solver gave up at {step.t[-1]:.4g} s: {step.message}")
        past.add(since, step.sol)
        upto = int(np.searchsorted(times, until, "right"))
        if upto > done:
            rows[done:upto] = step.sol(times[done:upto]).T
            done = upto
        y = step.y[:, -1]
    return Solution(times[:done], rows[:done])


def _edges(delay: float, seconds: float, breaks: Sequence[float]) -> list[float]:
    steps = np.arange(0, seconds, delay) if delay > 0 else np.array([0.0])
    edges = np.unique(np.concatenate([steps, [seconds], [b for b in breaks if 0 < b < seconds]]))
    # Steps shorter than rounding help nobody.
    return [
        float(edges[0]),
        *(float(b) for a, b in pairwise(edges) if b - a > 1e-9),
    ]


def _left(of: Bound, t: float, value: float) -> NoSolutionError:
    return NoSolutionError(
        f"{of.equation}: {of.symbol} leaves the physical region at {t:.4g} s"
        f" ({of.symbol} = {value:.3g}, at least {of.least:g})\n  help: {of.right}"
    )
