"""Differential equations whose feedback is a constant time old, by the method of steps.

A step is no longer than the delay, so that the old values are known, and an ordinary, stiff-safe
solver does it (LSODA, which turns implicit where it must). Cubics through the values and slopes of
its steps are the past. The solver begins anew where a phase ends, and a delay later, where the
feedback jumps; elsewhere it goes on. A value that leaves the physical region stops the run, and the
error names the symbol and its equation.

A minute has tens of thousands of delays of a millisecond. A step may be longer where hardly
anything happens: the values of its own past are foretold, along the last slope. What came is
compared with what was foretold, and a step that foretold wrongly is taken again in short ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import LSODA

from acklab.fluid.domain import (
    NoSolutionError,
    Symbols,
    above_zero,
    count,
    from_zero,
    need,
    probability,
    real,
)

Floats = NDArray[np.float64]

equation = Symbols(
    index=count(0, 0, name="the index of an unknown"),
    least=real("", 0.0, infinite=True, name="the lower bound"),
    most=real("", 50.0, infinite=True, name="the upper bound"),
    slack=from_zero("", 1e-3, name="the slack"),
    delay=from_zero("s", 0.04, name="the delay"),
    start=real("", [1.0], name="the start"),
    seconds=above_zero("s", 1.0, name="the length of the run"),
    sample=above_zero("s", 0.02, name="the sample"),
    breaks=real("s", [0.5], name="the breaks", empty=True, own=True),
    scales=above_zero("", [1.0], optional=True, name="the scales"),
    tolerance=probability(1e-6, above=True, below=True, name="the tolerance"),
)
#: A value so many times its scale has blown up.
BLOWN_UP = 1e12
#: So many delays are a longer step at most, and so many calm steps in a row come before the first.
LONG_STEP, CALM_STEPS = 50, 6
#: Steps of the solver up to the next phase; a hundred thousand times as many as a phase takes.
MOST_STEPS = 1_000_000
#: Time, values now, and values one delay ago, to the change of values.
Right = Callable[[float, Any, Any], Any]


@equation("the physical region")
@dataclass(frozen=True)
class Bound:
    """An unknown with its name, and the values between which it must stay."""

    index: int
    symbol: str
    equation: str
    least: float = 0.0
    #: More than this outside is not the solver's error any more.
    slack: float = 1e-3
    #: Help: the values that would be right.
    right: str = "it is 0 or more"
    most: float = inf

    def holds(self, value: float) -> bool:
        """Whether a value is between the ends."""
        return self.least - self.slack <= value <= self.most + self.slack


@dataclass(frozen=True)
class Solution:
    """Values over time, a row a sample."""

    time: Floats
    values: Floats


class _Past:
    """Times of steps with values and slopes there, as plain numbers: it is asked at each of the
    solver's evaluations."""

    def __init__(self, start: list[float]) -> None:
        self._start = start
        self._from: list[float] = []
        self._of: list[tuple[float, list[float], list[float], list[float], list[float]]] = []
        self._at = 0
        self._end = 0.0
        self._last: tuple[list[float], list[float]] = (start, [0.0] * len(start))

    def add(
        self,
        since: float,
        length: float,
        values: list[float],
        slopes: list[float],
        ends: list[float],
        end_slopes: list[float],
    ) -> None:
        """A step."""
        self._from.append(since)
        self._end, self._last = since + length, (ends, end_slopes)
        # Coefficients of Hermite's cubic, by powers of the part of the step.
        second, third = [], []
        for a, s, b, e in zip(values, slopes, ends, end_slopes, strict=True):
            rise, s, e = b - a, s * length, e * length
            second.append(3 * rise - 2 * s - e)
            third.append(s + e - 2 * rise)
        self._of.append((length, values, [s * length for s in slopes], second, third))

    def at(self, t: float) -> list[float]:
        """Values at a time that has passed; after that, what is foretold."""
        if t <= 0 or not self._of:
            return self._start
        # What is a rounding error ahead is the last step's.
        if (ahead := t - self._end) > 1e-9:
            return [v + ahead * s for v, s in zip(*self._last, strict=True)]
        # Mostly the same step as before, or the next.
        i, since = self._at, self._from
        if not (since[i] <= t and (i + 1 == len(since) or t < since[i + 1])):
            i += 1
            if not (i < len(since) and since[i] <= t and (i + 1 == len(since) or t < since[i + 1])):
                i = max(bisect_right(since, t) - 1, 0)
            self._at = i
        length, a, b, c, d = self._of[i]
        u = (t - since[i]) / length
        return [p + u * (q + u * (r + u * s)) for p, q, r, s in zip(a, b, c, d, strict=True)]


def _foretold(
    length: float,
    values: list[float],
    slopes: list[float],
    ends: list[float],
    allowed: list[float],
) -> bool:
    """Whether the slopes at the beginning of a step lead to its end, but for an allowed error."""
    return all(
        abs(v + length * s - e) <= a
        for v, s, e, a in zip(values, slopes, ends, allowed, strict=True)
    )


@equation("the delay equation", None)
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
    plain: bool = False,
) -> Solution:
    """Solves y' = right(t, y(t), y(t - delay)) from a constant past; without a delay it is an
    ordinary equation. `right` gets arrays, or where it is `plain` lists of numbers, which are
    faster for few unknowns. `breaks` are times at which it jumps, `bounds` names and ends of the
    unknowns, `scales` the sizes of the values against which the solver's `tolerance` counts
    (default: those of `start`, and at least 1).

    Raises:
        NoSolutionError: Where a value leaves its `bounds`, grows without end, or is no number, and
            where the solver gives up.
    """
    y = np.asarray(start, np.float64)
    need(
        sample <= seconds,
        "the delay equation",
        "the time between samples",
        sample,
        f"at most the {seconds} s that it is solved for",
    )
    names = {of.index: of for of in bounds}
    need(
        all(of.index < len(y) for of in bounds),
        "the delay equation",
        "the index of an unknown",
        max(names, default=0),
        f"below {len(y)}, the number of unknowns",
    )
    past = _Past(y.tolist())
    edges = _edges(delay, seconds, breaks)
    times = np.arange(sample, seconds + sample / 2, sample)
    rows = np.empty((len(times), len(y)))
    sizes = np.maximum(np.abs(y), 1.0) if scales is None else np.asarray(scales, np.float64)
    blown = (BLOWN_UP * sizes).tolist()
    done = 0

    def slopes(t: float, values: list[float]) -> list[float]:
        then = past.at(t - delay) if delay > 0 else values
        found = right(t, values, then) if plain else right(t, np.array(values), np.array(then))
        if isnan(sum(found)):
            index = int(np.flatnonzero(np.isnan(found))[0])
            raise _no_number(names.get(index), index, t)
        return list(map(float, found))

    def now(t: float, values: Floats) -> Sequence[float]:
        return slopes(t, values.tolist())

    def begin(t: float, y: Floats, until: float, longest: float) -> LSODA:
        return LSODA(now, t, y, until, rtol=tolerance, atol=tolerance * sizes, max_step=longest)

    for since, until in pairwise(edges):
        # A jump at the beginning of a step belongs to the step.
        t = since + 1e-12
        solver = begin(t, y, until, delay or inf)
        values, slope = y.tolist(), slopes(t, y.tolist())
        long, calm, enough = False, 0, CALM_STEPS
        for step in range(MOST_STEPS + 1):
            message = solver.step()
            ends, end = solver.y.tolist(), float(solver.t)
            if delay > 0:
                allowed = [tolerance * (abs(v) + s) for v, s in zip(values, sizes, strict=True)]
                if _foretold(end - t, values, slope, ends, allowed):
                    calm += end - t > delay / 2
                elif long:
                    # What it took for its past was wrong: once more, in short steps.
                    long, calm, enough = False, 0, 2 * enough
                    solver = begin(t, np.array(values), until, delay)
                    continue
                else:
                    calm = 0
            y = solver.y
            for i, value in enumerate(ends):
                if not abs(value) <= blown[i]:
                    raise _blown_up(names.get(i), i, end, value)
            for of in bounds:
                if not of.holds(ends[of.index]):
                    raise _left(of, end, ends[of.index])
            if message is not None or step == MOST_STEPS:
                raise _gave_up(names, solver, y / sizes, message or f"{MOST_STEPS} steps")
            # A jump at its end does not.
            end_slope = slopes(min(end, until - 1e-12), ends)
            past.add(t, end - t, values, slope, ends, end_slope)
            while done < len(times) and times[done] <= end:
                rows[done] = past.at(float(times[done]))
                done += 1
            t, values, slope = end, ends, end_slope
            if solver.status != "running":
                break
            if delay > 0 and not long and calm >= enough:
                long = True
                solver = begin(t, y, until, LONG_STEP * delay)
    return Solution(times[:done], rows[:done])


def _edges(delay: float, seconds: float, breaks: Sequence[float]) -> list[float]:
    # The past of before the beginning is constant, so that the feedback has an edge a delay later,
    # and so it has behind each jump. Edges of edges are smoother: the solver finds its way.
    jumps = {0.0, *breaks}
    jumps |= {b + delay for b in jumps}
    edges = sorted({0.0, seconds, *(b for b in jumps if 0 < b < seconds)})
    # Steps shorter than rounding help nobody.
    return [
        float(edges[0]),
        *(float(b) for a, b in pairwise(edges) if b - a > 1e-9),
    ]


def _named(of: Bound | None, index: int) -> tuple[str, str]:
    """Equation and symbol of an unknown."""
    return (of.equation, of.symbol) if of else ("the delay equation", f"y[{index}]")


def _left(of: Bound, t: float, value: float) -> NoSolutionError:
    ends = f"at least {of.least:g}" if of.most == inf else f"from {of.least:g} to {of.most:g}"
    return NoSolutionError(
        f"{of.equation}: {of.symbol} leaves the physical region at {t:.4g} s"
        f" ({of.symbol} = {value:.6g}, {ends})\n  help: {of.right}"
    )


def _blown_up(of: Bound | None, index: int, t: float, value: float) -> NoSolutionError:
    equation, symbol = _named(of, index)
    return NoSolutionError(
        f"{equation}: {symbol} grows without end: it is {value:.3g} at {t:.4g} s\n"
        f"  help: {of.right if of else 'it is finite up to the end of the run'}"
    )


def _no_number(of: Bound | None, index: int, t: float) -> NoSolutionError:
    equation, symbol = _named(of, index)
    return NoSolutionError(
        f"{equation}: the change of {symbol} is no number at {t:.4g} s\n"
        f"  help: {of.right if of else 'no division of zero by zero, no infinity less another'}"
    )


def _gave_up(names: dict[int, Bound], solver: LSODA, sizes: Floats, why: str) -> NoSolutionError:
    """The solver itself: the unknown that is largest by its scale is named."""
    index = int(np.argmax(np.abs(sizes)))
    equation, symbol = _named(names.get(index), index)
    why = " ".join(why.split()).rstrip(".")
    return NoSolutionError(
        f"{equation}: no solution beyond {solver.t:.4g} s, where {symbol} = {solver.y[index]:.3g}"
        f" ({why})\n  help: a run that ends before, or a larger tolerance than {solver.rtol:g}"
    )
