"""Two saturated stations, exactly: no transmission is supposed to be independent of the last.

Behind a success one of them has a backoff just drawn and the other the rest of an earlier one;
behind a collision both have just drawn. That is a Markov chain with one state for each rest, stage
by stage, and one for each pair of stages, and its stationary distribution leaves nothing open. It
tells how far closed forms with independence (Bianchi's and its kin) are off where they are worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from acklab.validate.models.bianchi import Outcome, Slots

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Chain:
    """States: the rests of stage 0, those of stage 1, ...; then the pairs of stages."""

    windows: tuple[int, ...]
    #: Only a slot that was idle to its end counts.
    whole_slots: bool
    #: A failure in the last stage is followed by the first one.
    anew: bool = False

    @property
    def _first(self) -> NDArray[np.int64]:
        """Number of the first state of each stage; the last one is that of the pairs."""
        return np.concatenate([[0], np.cumsum(self.windows)])

    def _after(self, stage: int) -> int:
        last = len(self.windows) - 1
        return stage + 1 if stage < last else (0 if self.anew else last)

    def _collision(self, a: int, b: int) -> int:
        """The state behind a collision of stations in these stages."""
        stages = len(self.windows)
        return int(self._first[-1]) + self._after(a) * stages + self._after(b)

    def transitions(self) -> tuple[Floats, Floats, Floats]:
        """Of each state: where it leads, the chance of a collision, idle slots."""
        first, stages = self._first, len(self.windows)
        size = int(first[-1]) + stages * stages
        step, collides, idle = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        for stage in range(stages):
            for rest in range(self.windows[stage]):
                state = int(first[stage]) + rest
                other = np.zeros(rest + 1)
                other[rest] = 1
                self._fill(
                    state, (0, stage), (_fresh(self.windows[0]), other), step, collides, idle
                )
        for a in range(stages):
            for b in range(stages):
                state = int(first[-1]) + a * stages + b
                draws = (_fresh(self.windows[a]), _fresh(self.windows[b]))
                self._fill(state, (a, b), draws, step, collides, idle)
        return step, collides, idle

    def _fill(
        self,
        state: int,
        stages: tuple[int, int],
        draws: tuple[Floats, Floats],
        step: Floats,
        collides: Floats,
        idle: Floats,
    ) -> None:
        for winner in (0, 1):
            mine, others, stage = draws[winner], draws[1 - winner], stages[1 - winner]
            # By how much the other has drawn more, 1 or more.
            more = np.correlate(others, mine, "full")[len(mine) :]
            ends = np.arange(len(more)) + int(self.whole_slots)
            step[state, int(self._first[stage]) + ends] += more
        length = min(map(len, draws))
        both = float((draws[0][:length] * draws[1][:length]).sum())
        step[state, self._collision(*stages)] += both
        collides[state] = both
        left = [1 - np.cumsum(d) for d in draws]
        idle[state] = float((left[0][:length] * left[1][:length]).sum())


def _fresh(window: int) -> Floats:
    return np.full(window, 1 / window)


@cache
def _stationary(chain: Chain) -> tuple[float, Floats, Floats]:
    """The share of collisions in busy periods; of each state, its share and its idle slots."""
    step, collides, idle = chain.transitions()
    equations = step.T - np.eye(len(step))
    equations[-1] = 1
    share = np.linalg.solve(equations, np.eye(len(step))[-1])
    return float(share @ collides), share, idle


def pair(windows: Sequence[int], slots: Slots, *, anew: bool = False) -> Outcome:
    """The shares of two stations."""
    lost, share, idle = _stationary(Chain(tuple(windows), slots.successful > 0, anew))
    behind_collision = np.arange(len(share)) >= sum(windows)
    space = np.where(behind_collision, slots.own_collision, slots.own_success)
    time = slots.data + float(share @ (space + idle * slots.slot))
    return Outcome((1 - lost) / time, 2 * lost / (1 + lost))
