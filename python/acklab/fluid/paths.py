"""Queues of a whole path: a wire and a channel in series, and the paper's printed queues.

Both have the interface of `coupled.Queue`, so that the solver takes them as one bottleneck.
"""

from __future__ import annotations

from collections.abc import Sequence

from acklab.fluid.air import Air
from acklab.fluid.coupled import Queue
from acklab.fluid.domain import Symbols, above_zero, from_zero
from acklab.fluid.triggered import Cell

equation = Symbols(
    limit=from_zero("packet", 50.0, name="Q_max", equation="Eq 19", infinite=True),
    rates=above_zero("packet/s", [500.0], name="Theta_i", equation="Eq 15"),
    rate=above_zero("packet/s", 1000.0, name="Theta", equation="Eq 16"),
)


@equation("Eq 16")
class Series:
    """A wire before or behind the channel that is narrower than it."""

    def __init__(self, wire: Queue, rate: float, channel: Air | Cell, first: bool) -> None:
        self._wire, self._rate, self._channel, self._first = wire, rate, channel, first
        self._waits: list[float] = []
        self.waiting = [0.0] * channel.flows

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `coupled.Queue`: what one serves the other gets."""
        del rate
        wire, channel = self._wire, self._channel
        first, second = (wire, channel) if self._first else (channel, wire)
        passed, lost = first.step(now, dt, self._rate, arrivals)
        served, lost_later = second.step(now, dt, self._rate, passed)
        on_wire = wire.delays(self._rate, passed if self._first else served, dt)
        on_air = channel.delays(self._rate, served, dt)
        self._waits = [a + b for a, b in zip(on_wire, on_air, strict=True)]
        self.waiting = [a + b for a, b in zip(wire.waiting, channel.waiting, strict=True)]
        return served, [a + b for a, b in zip(lost, lost_later, strict=True)]

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """Both together."""
        del rate, served, dt
        return self._waits


@equation("Eqs 15 and 16")
class Printed:
    """Eqs 15 and 16 as printed, each flow with a constant Theta_i and a queue of its own. Below
    zero, where the printed queue goes on, it stops, since there is no such queue."""

    def __init__(self, rates: Sequence[float], limit: float) -> None:
        self._rates, self._limit = rates, limit
        self.waiting = [0.0] * len(rates)

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `coupled.Queue`."""
        del now, rate
        served, dropped = [], []
        for i, (comes, theta) in enumerate(zip(arrivals, self._rates, strict=True)):
            have = self.waiting[i] + comes
            out = min(have, theta * dt)
            lost = max(have - out - self._limit, 0.0)
            self.waiting[i] = have - out - lost
            served.append(out)
            dropped.append(lost)
        return served, dropped

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """Eq 15: q_i / Theta_i."""
        del rate, served, dt
        return [q / t for q, t in zip(self.waiting, self._rates, strict=True)]
