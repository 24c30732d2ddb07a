"""The coupled model (`coupled.solve`) for many points of a map at once.

A step of one point is some microseconds of Python, whatever it computes; a step of 250 points as
arrays takes about twenty-five times as long. The points advance step by step together, each with a
step of its own length. All flows begin at once, and behind a wire.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from acklab.fluid.coupled import step_of
from acklab.fluid.domain import Symbols, above_zero, from_zero, need, probability, real
from acklab.fluid.many_queues import KINDS, queues
from acklab.fluid.many_senders import SENDERS
from acklab.fluid.queues import INTERVAL

equation = Symbols(
    rate=above_zero("packet/s", 1000.0, name="Theta", equation="Eq 16"),
    rtt=above_zero("s", 0.04, name="tau_min", equation="Eq 15"),
    limit=above_zero("packet", 50.0, name="Q_max", equation="Eq 19", infinite=True),
    loss=probability(0.0, name="p", equation="Eq 17"),
    target=from_zero("s", 5e-3, optional=True, name="the target", equation="Eq 21"),
    interval=above_zero("s", INTERVAL, name="the interval", equation="Eq 21"),
    seconds=above_zero("s", 60.0, name="seconds"),
    warmup=from_zero("s", 0.0, name="warmup"),
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Totals:
    """What came of the runs: a row for each flow, a column for each point."""

    #: Packets that were sent, and what became of them.
    sent: Floats
    served: Floats
    dropped: Floats
    left: Floats
    #: Means after the warm-up: packets per second that arrive, packets that wait, s.
    goodput: Floats
    queue: Floats
    rtt: Floats

    def share(self) -> Floats:
        """The last flow's part of all that was served, of each point."""
        part: Floats = self.served[-1] / self.served.sum(0)
        return part


def shares(of: Totals) -> Floats:
    """See `Totals.share`; a function of a module, for `Runs`."""
    return of.share()


@equation("the map")
@dataclass(frozen=True)
class Runs:
    """Runs of flows with `senders`, whose measure is a function of two parameters.

    `x` and `y` name the parameters, of which the others are as given here: `rate` in packets per
    second, `rtt` in seconds without a queue, `limit` of a FIFO in packets, the part `loss` of the
    packets that is lost by chance, `target` and `interval` of the queue in seconds.
    """

    senders: Sequence[str]
    #: One of `many_queues.KINDS`.
    queue: str
    rate: float
    rtt: float = 0.04
    limit: float = 50.0
    loss: float = 0.0
    target: float | None = None
    interval: float = INTERVAL
    seconds: float = 60.0
    warmup: float = 0.0
    x: str = "limit"
    y: str = "rtt"
    measure: Callable[[Totals], Floats] = field(default=shares)

    def __post_init__(self) -> None:
        for name in self.senders:
            need(name in SENDERS, "Eq 12", "the sender", name, f"one of {', '.join(SENDERS)}")
        need(len(self.senders) > 0, "Eq 16", "the number of flows", 0, "there is at least one")
        need(
            self.queue in KINDS,
            "Eqs 18 to 21",
            "the queue",
            self.queue,
            f"one of {', '.join(KINDS)}",
        )
        for name in (self.x, self.y):
            need(name in _AXES, "the map", "the parameter", name, f"one of {', '.join(_AXES)}")
        need(self.x != self.y, "the map", "the parameter", self.x, "x and y are different ones")
        need(
            0 <= self.warmup < self.seconds,
            "the map",
            "warmup",
            self.warmup,
            f"from 0 to below {self.seconds} s",
        )

    def of(self, x: Sequence[float], y: Sequence[float]) -> Floats:
        """The measure at each pair of `x` and `y`; NaN where a run has no numbers."""
        return self.measure(self.totals(x, y))

    def totals(self, x: Sequence[float], y: Sequence[float]) -> Totals:
        """The runs at each pair of `x` and `y`."""
        given = {name: np.full(len(x), self._value(name)) for name in _AXES}
        given[self.x], given[self.y] = np.array(x, float), np.array(y, float)
        return _solve(self, **given)

    def _value(self, name: str) -> float:
        own = KINDS[self.queue] if name == "target" and self.target is None else None
        return own if own is not None else float(getattr(self, name))


#: Parameters that a map may vary.
_AXES = ("rate", "rtt", "limit", "loss", "target", "interval")


@equation("the map")
def _solve(
    of: Runs,
    rate: Floats,
    rtt: Floats,
    limit: Floats,
    loss: Floats,
    target: Floats,
    interval: Floats,
) -> Totals:
    """`coupled.solve` in its order of operations."""
    n, points = len(of.senders), len(rate)
    dt = np.array([step_of(r) for r in rtt.tolist()])
    # Steps until feedback comes, and until the run is over.
    length = np.array([round(r / d) for r, d in zip(rtt.tolist(), dt.tolist(), strict=True)])
    last = np.array([round(of.seconds / d) for d in dt.tolist()])
    steps = int(last.max())
    ends: dict[int, list[int]] = {}
    for point, k in enumerate(last.tolist()):
        ends.setdefault(k, []).append(point)
    senders = [SENDERS[name](points, steps) for name in of.senders]
    queue = queues(of.queue, n, limit, target, interval)
    # What a round trip ago was served and lost, and its RTT; a row for each step.
    ring = np.zeros((int(length.max()), 3 * n, points))
    ring[:, 2 * n :] = rtt
    columns, flight = np.arange(points), np.zeros((n, points))
    whole = np.repeat(rtt[None, :], n, axis=0)
    sums = Totals(*(np.zeros((n, points)) for _ in range(7)))
    found = Totals(*(np.full((n, points), np.nan) for _ in range(7)))
    per_step, keeps, lossy = 1 / dt, 1 - loss, bool((loss > 0).any())
    # The first step after the warm-up.
    warm = np.ceil(of.warmup / dt - 1e-9)
    news = np.empty((3 * n, points))
    # A point whose run is over goes on with the others; its numbers are taken before.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for k in range(steps):
            now = k * dt
            row = k % length
            told = ring[row, :, columns].T
            flight = np.maximum(flight - told[:n] - told[n : 2 * n], 0.0)
            arrivals = np.empty((n, points))
            for i, sender in enumerate(senders):
                delivered, lost, age = told[i] * per_step, told[n + i].copy(), told[2 * n + i]
                sender.step(now, dt, delivered, lost, age, flight[i])
                np.minimum(sender.window / whole[i], sender.pacing, out=arrivals[i])
            arrivals *= dt
            flight += arrivals
            enters = arrivals * keeps if lossy else arrivals
            served, dropped = queue.step(now, dt, rate, enters)
            if lossy:
                dropped = np.where(loss > 0, dropped + arrivals - enters, dropped)
            whole = rtt + np.broadcast_to(queue.delays(rate, served, dt), (n, points))
            news[:n], news[n : 2 * n], news[2 * n :] = served, dropped, whole
            ring[row, :, columns] = news.T
            np.add(sums.sent, arrivals, out=sums.sent)
            np.add(sums.served, served, out=sums.served)
            np.add(sums.dropped, dropped, out=sums.dropped)
            late = k >= warm
            if late.any():
                np.add(sums.goodput, served, out=sums.goodput, where=late)
                np.add(sums.queue, queue.waiting, out=sums.queue, where=late)
                np.add(sums.rtt, whole, out=sums.rtt, where=late)
            if k + 1 in ends:
                of_now = ends[k + 1]
                span = last[of_now] - warm[of_now]
                for name in ("sent", "served", "dropped"):
                    getattr(found, name)[:, of_now] = getattr(sums, name)[:, of_now]
                found.left[:, of_now] = queue.waiting[:, of_now]
                found.goodput[:, of_now] = sums.goodput[:, of_now] / (span * dt[of_now])
                found.queue[:, of_now] = sums.queue[:, of_now] / span
                found.rtt[:, of_now] = sums.rtt[:, of_now] / span
    for each in fields(found):
        values = getattr(found, each.name)
        # As `solve`, which refuses such a run: it has no numbers.
        values[:, ~np.isfinite(found.rtt + found.sent).all(0)] = np.nan
    return found


@equation("the map", None, x=real("", [50.0]), y=real("", [0.04]))
def work(of: Runs, x: Sequence[float], y: Sequence[float]) -> list[float]:
    """How many steps each point takes, so that those with as many go together."""
    rtts = x if of.x == "rtt" else y if of.y == "rtt" else [of.rtt] * len(x)
    return [1 / step_of(r) if isfinite(r) and r > 0 else 0.0 for r in rtts]
