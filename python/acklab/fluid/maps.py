"""Maps: a number of the model at each point of two parameters, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np

from acklab.fluid.domain import NoSolutionError, need
from acklab.fluid.loops import Bbr, Bottleneck, CubicDropTail, DropTail, RenoPie
from acklab.fluid.stability import Floats

#: Loops by name, from a bottleneck and the packets that its queue holds.
LOOPS: Mapping[str, Callable[[Bottleneck, float], DropTail | CubicDropTail | RenoPie | Bbr]] = {
    "reno, drop tail": lambda of, limit: DropTail(of, limit),
    "cubic, drop tail": lambda of, limit: CubicDropTail(of, limit),
    "reno, pie": lambda of, limit: RenoPie(of),
    "bbr1, short buffer": lambda of, limit: Bbr.v1_shallow(of),
    "bbr1, long buffer": lambda of, limit: Bbr.v1_deep(of),
    "bbr2": lambda of, limit: Bbr.v2(of),
}


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
    return found


def over(
    of: Callable[[float, float], float],
    xs: Sequence[float],
    ys: Sequence[float],
    jobs: int | None = None,
) -> Floats:
    """`of` at each point, a row for each of `ys`; NaN where it has no solution.

    `of` goes to other processes, so it is a function of a module, or a `partial` of one. One job
    stays in this process.
    """
    rows = partial(_row, of, list(xs))
    if jobs == 1:
        return np.array([rows(y) for y in ys])
    # A fresh interpreter: this one may have threads.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return np.array(list(pool.map(rows, ys)))
