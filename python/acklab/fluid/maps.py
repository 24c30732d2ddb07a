"""Maps: a number of the model at each point of two parameters, on all cores.

`of` may be a function, which computes one point at a time, or `many.Runs`, whose points of the
coupled model advance together, several times as fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

import numpy as np

from acklab.fluid.domain import DomainError, NoSolutionError, Symbols, above_zero, count, need, real
from acklab.fluid.loops import Bbr, Bottleneck, CubicDropTail, DropTail, RenoPie
from acklab.fluid.many import Runs, work
from acklab.fluid.stability import Floats

T = TypeVar("T")
R = TypeVar("R")

equation = Symbols(
    rate=above_zero("packet/s", 1000.0, name="C"),
    limit=above_zero("packet", 50.0, name="Q_max"),
    flows=above_zero("", 2.0, name="N"),
    rtt=above_zero("s", 0.04, name="T"),
    jobs=count(1, optional=True, name="the number of jobs"),
    xs=real("", [1.0], name="x", own=True),
    ys=real("", [1.0], name="y", own=True),
)

#: Loops by name, from a bottleneck and the packets that its queue holds.
LOOPS: Mapping[str, Callable[[Bottleneck, float], DropTail | CubicDropTail | RenoPie | Bbr]] = {
    "reno, drop tail": lambda of, limit: DropTail(of, limit),
    "cubic, drop tail": lambda of, limit: CubicDropTail(of, limit),
    "reno, pie": lambda of, limit: RenoPie(of),
    "bbr1, short buffer": lambda of, limit: Bbr.v1_shallow(of),
    "bbr1, long buffer": lambda of, limit: Bbr.v1_deep(of),
    "bbr2": lambda of, limit: Bbr.v2(of),
}


@equation("the map", "1/s")
def growth(loop: str, rate: float, limit: float, flows: float, rtt: float) -> float:
    """How fast a disturbance grows, 1/s: below 0 it dies away, 0 is not decided."""
    need(loop in LOOPS, "the map", "the loop", loop, f"one of {', '.join(LOOPS)}")
    found = LOOPS[loop](Bottleneck(flows, rate, rtt), limit).stability()
    return 0.0 if found.neutral else found.growth


def _row(of: Callable[[float, float], float], xs: Sequence[float], y: float) -> list[float]:
    found = []
    for x in xs:
        try:
            found.append(of(x, y))
        except NoSolutionError:
            found.append(float("nan"))
        except ArithmeticError as e:
            raise DomainError(
                f"the map: x = {x} and y = {y} are outside the domain of the function ({e})\n"
                "  help: leave that point out, or raise NoSolutionError where there is none"
            ) from e
    return found


#: Points that advance together at most: more take as long each, and more memory.
TOGETHER = 250


def _part(of: Runs, points: Sequence[tuple[float, float]]) -> Floats:
    return of.of([x for x, _ in points], [y for _, y in points])


def _runs(of: Runs, xs: Sequence[float], ys: Sequence[float], jobs: int | None) -> Floats:
    """`of` at each point, those with steps of about the same length together."""
    x, y = [x for _ in ys for x in xs], [y for y in ys for _ in xs]
    order = np.argsort(work(of, x, y), kind="stable")[::-1]
    parts = np.array_split(order, max(1, -(-len(order) // TOGETHER)))
    points = [[(x[i], y[i]) for i in part] for part in parts]
    found = np.empty(len(order))
    for part, values in zip(parts, _each(partial(_part, of), points, jobs), strict=True):
        found[part] = values
    return found.reshape(len(ys), len(xs))


def _each(of: Callable[[T], R], parts: Sequence[T], jobs: int | None) -> list[R]:
    if jobs == 1 or len(parts) < 2:
        return [of(p) for p in parts]
    # A fresh interpreter: this one may have threads.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(of, parts))


@equation("the map", None, gaps=True)
def over(
    of: Callable[[float, float], float] | Runs,
    xs: Sequence[float],
    ys: Sequence[float],
    jobs: int | None = None,
) -> Floats:
    """`of` at each point, a row for each of `ys`; NaN where it has no solution.

    `of` goes to other processes, so a function is one of a module, or a `partial` of one. One job
    stays in this process.
    """
    xs, ys = list(xs), list(ys)
    if isinstance(of, Runs):
        return _runs(of, xs, ys, jobs)
    return np.array(_each(partial(_row, of, xs), ys, jobs))
