"""The queues of `coupled`, for many points of a map at once.

Each does for arrays what its namesake does for numbers, in the same order, so that both give the
same to the last digit. Packets are arrays with a row for each flow and a column for each point;
rates (packets per second), times (seconds) and limits (packets) have a number for each point.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from acklab.fluid.coupled import Pie
from acklab.fluid.domain import Symbols, above_zero, count, from_zero, need
from acklab.fluid.queues import TARGET

equation = Symbols(
    flows=count(2, name="the number of flows", equation="Eq 16"),
    limit=above_zero("packet", np.array([50.0]), name="Q_max", equation="Eq 19", infinite=True),
    target=from_zero("s", np.array([5e-3]), name="the target"),
    interval=above_zero("s", np.array([0.1]), name="the interval"),
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Queues(Protocol):
    """A queue of each point (`coupled.Queue`)."""

    waiting: Floats

    def step(
        self, now: Floats, dt: Floats, rate: Floats, arrivals: Floats
    ) -> tuple[Floats, Floats]:
        """Packets that are served and dropped."""

    def delays(self, rate: Floats, served: Floats, dt: Floats) -> Floats:
        """How long a packet waits, of each flow, or one row for all."""


@equation("Eq 19")
class Fifos:
    """See `coupled.Fifo`."""

    def __init__(self, flows: int, limit: Floats) -> None:
        self.limit = limit
        self.waiting = np.zeros((flows, len(limit)))

    def step(
        self, now: Floats, dt: Floats, rate: Floats, arrivals: Floats
    ) -> tuple[Floats, Floats]:
        """See `Queues`."""
        del now
        have = arrivals + self.waiting
        there = have.sum(0)
        could = rate * dt
        over = np.maximum(there - could - self.limit, 0.0)
        dropped = np.zeros_like(have)
        if over.any():
            full = over > 0
            dropped[:, full] = arrivals[:, full] * (over[full] / arrivals[:, full].sum(0))
            have -= dropped
            there = there - over
        served = have * _part(could, there)
        self.waiting = have - served
        return served, dropped

    def delays(self, rate: Floats, served: Floats, dt: Floats) -> Floats:
        """All wait for the whole queue."""
        del served, dt
        waits: Floats = self.waiting.sum(0) / rate
        return waits


class _Laws:
    """CoDel's control law (`coupled._Law`) for the queue of each point."""

    def __init__(self, points: int, target: Floats, interval: Floats) -> None:
        self.target, self.interval = target, interval
        self.above = np.full(points, np.inf)
        self.dropping = np.zeros(points, bool)
        self.count = np.zeros(points)
        self.before = np.zeros(points)
        self.at = np.full(points, -np.inf)

    def drops(self, now: Floats, delay: Floats, calm: Bools) -> Floats:
        """Packets to drop now; none where the queue is `calm`."""
        lost = np.zeros_like(now)
        calm = calm | (delay < self.target)
        self.above[calm] = np.inf
        self.dropping[calm] = False
        if calm.all():
            return lost
        new = ~calm & np.isinf(self.above)
        self.above[new] = now[new] + self.interval[new]
        late = np.flatnonzero(~calm & (now >= self.above))
        begins = late[~self.dropping[late]]
        goes_on = late[self.dropping[late]]
        if begins.size:
            i = begins
            self.dropping[i] = True
            fresh = self.count[i] - self.before[i]
            recent = now[i] - self.at[i] < 16 * self.interval[i]
            self.count[i] = np.where((fresh > 1) & recent, fresh, 1)
            self.before[i] = self.count[i]
            self.at[i] = now[i] + self.interval[i] / np.sqrt(self.count[i])
            lost[i] = 1
        while True:
            goes_on = goes_on[now[goes_on] >= self.at[goes_on]]
            if not goes_on.size:
                return lost
            lost[goes_on] += 1
            self.count[goes_on] += 1
            self.at[goes_on] += self.interval[goes_on] / np.sqrt(self.count[goes_on])


@equation("Eq 21")
class Codels:
    """See `coupled.Codel`."""

    def __init__(self, flows: int, target: Floats, interval: Floats) -> None:
        self.waiting = np.zeros((flows, len(target)))
        self._laws = _Laws(len(target), target, interval)

    def step(
        self, now: Floats, dt: Floats, rate: Floats, arrivals: Floats
    ) -> tuple[Floats, Floats]:
        """See `Queues`."""
        have = arrivals + self.waiting
        there = have.sum(0)
        part = _part(rate * dt, there)
        left = there * (1 - part)
        lost = self._laws.drops(now, left / rate, left <= 1.0)
        served = have * part
        if not lost.any():
            self.waiting = have - served
            return served, np.zeros_like(have)
        dropped = have * np.divide(
            np.minimum(lost, left), there, out=np.zeros_like(there), where=lost > 0
        )
        self.waiting = np.maximum(have - served - dropped, 0.0)
        return served, dropped

    def delays(self, rate: Floats, served: Floats, dt: Floats) -> Floats:
        """All wait for the whole queue."""
        del served, dt
        waits: Floats = self.waiting.sum(0) / rate
        return waits


@equation("PIE", target=above_zero("s", np.array([15e-3]), name="target"))
class Pies:
    """See `coupled.Pie`."""

    def __init__(self, flows: int, target: Floats) -> None:
        points = len(target)
        self.waiting = np.zeros((flows, points))
        self.target = target
        self.probability = np.zeros(points)
        self._allowance = np.full(points, Pie.burst)
        self._before = np.zeros(points)
        self._at = np.full(points, Pie.update)
        below, steps = 0.1, []
        while below > 1e-6:
            below /= 10
            steps.append(below)
        #: Probabilities below which the steps are a quarter as long.
        self._smaller = np.array(steps[::-1])

    def step(
        self, now: Floats, dt: Floats, rate: Floats, arrivals: Floats
    ) -> tuple[Floats, Floats]:
        """See `Queues`."""
        waits = self.waiting.sum(0)
        delay = waits / rate
        while (due := np.flatnonzero(now >= self._at)).size:
            self._at[due] += Pie.update
            self._follow(due, delay[due])
        p = self.probability
        spared = (self._allowance > 0) | ((delay < self.target / 2) & (p < 0.2)) | (waits <= 2)
        dropped = arrivals * np.where(spared, 0.0, p)
        have = self.waiting + arrivals - dropped
        served = have * _part(rate * dt, have.sum(0))
        self.waiting = have - served
        return served, dropped

    def _follow(self, i: NDArray[np.intp], delay: Floats) -> None:
        p, before, target = self.probability[i], self._before[i], self.target[i]
        fewer = len(self._smaller) - np.searchsorted(self._smaller, p, side="right")
        scale = np.where(p < 0.1, 0.5 * 0.25**fewer, 1.0)
        delta = scale * (Pie.alpha * (delay - target) + Pie.beta * (delay - before))
        delta[(delta > 0.02) & (p >= 0.1)] = 0.02
        delta[delay > 0.25] += 0.02
        p = np.minimum(np.maximum(p + delta, 0.0), 1.0)
        p[(delay == 0) & (before == 0)] *= 1 - 1 / 64
        self.probability[i] = p
        calm = (p == 0) & (delay < target / 2) & (before < target / 2)
        left = np.maximum(self._allowance[i] - Pie.update, 0.0)
        self._allowance[i] = np.where(calm, Pie.burst, left)
        self._before[i] = delay

    def delays(self, rate: Floats, served: Floats, dt: Floats) -> Floats:
        """All wait for the whole queue."""
        del served, dt
        waits: Floats = self.waiting.sum(0) / rate
        return waits


@equation("Eq 21")
class Fairs:
    """See `coupled.Fair`; flows share, not hosts."""

    def __init__(self, flows: int, target: Floats, interval: Floats) -> None:
        self.waiting = np.zeros((flows, len(target)))
        self._laws = [_Laws(len(target), target, interval) for _ in range(flows)]

    def step(
        self, now: Floats, dt: Floats, rate: Floats, arrivals: Floats
    ) -> tuple[Floats, Floats]:
        """See `Queues`."""
        have = arrivals + self.waiting
        could = rate * dt
        served = _max_min(have, could)
        dropped = np.zeros_like(have)
        self.waiting = np.zeros_like(have)
        idle = have.sum(0) <= could
        served[:, idle] = have[:, idle]
        for i, law in enumerate(self._laws):
            got = served[i]
            left = have[i] - got
            calm = (left <= 1.0) | (got <= 0) | (left * dt < law.target * got)
            delay = np.divide(left, got / dt, out=np.zeros_like(left), where=~calm)
            dropped[i] = np.minimum(law.drops(now, delay, calm), np.maximum(left, 0.0))
            self.waiting[i] = np.maximum(left, 0.0) - dropped[i]
        return served, dropped

    def delays(self, rate: Floats, served: Floats, dt: Floats) -> Floats:
        """Each waits for its own flow."""
        del rate
        waits = (self.waiting > 0) & (served > 0)
        return np.divide(self.waiting * dt, served, out=np.zeros_like(served), where=waits)


def _part(could: Floats, there: Floats) -> Floats:
    """The part that is served of what is there."""
    return np.divide(could, there, out=np.ones_like(there), where=there > could)


def _max_min(have: Floats, budget: Floats) -> Floats:
    """Eq 20, of flows with equal weights, as `coupled._max_min`."""
    served = np.zeros_like(have)
    open_ = have > 0
    budget = budget.copy()
    for _ in range(len(have)):
        level = budget / np.maximum(open_.sum(0), 1)
        small = open_ & (have <= level)
        if not small.any():
            break
        for i, own in enumerate(small):
            served[i, own] = have[i, own]
            budget[own] -= have[i, own]
        open_ &= ~small
    return np.where(open_, budget / np.maximum(open_.sum(0), 1), served)


#: Kinds that `queues` knows, with the target that each has by itself, s.
KINDS = {"pfifo": TARGET, "codel": TARGET, "pie": 15e-3, "fq-codel": TARGET}


@equation("Eqs 18 to 21", None)
def queues(kind: str, flows: int, limit: Floats, target: Floats, interval: Floats) -> Queues:
    """Fresh queues of a kind, one for each point."""
    need(kind in KINDS, "Eqs 18 to 21", "the queue", kind, f"one of {', '.join(KINDS)}")
    if kind == "codel":
        return Codels(flows, target, interval)
    if kind == "pie":
        return Pies(flows, target)
    if kind == "fq-codel":
        return Fairs(flows, target, interval)
    return Fifos(flows, limit)
