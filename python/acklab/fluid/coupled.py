"""The corrected equations joined: senders, a queue, and feedback that is a round trip old.

This is a delay differential equation whose right side has events: a loss, a phase that ends. Steps
of one length solve it. Rates are constant within a step, so the books balance to rounding: what
entered the queue was served, was dropped, or is in it. The queue is at the sender's end of the
path, and the feedback comes `rtt` later; with one bottleneck it does not matter where the delay is.

A FIFO is well mixed here: it serves a part of all that it holds, not the oldest. Its delay and its
losses are those of a FIFO; a flow's part of the service follows its arrivals by one mean delay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from math import ceil, inf, isfinite, sqrt
from operator import add, sub
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from acklab.fluid.domain import (
    NoSolutionError,
    Symbols,
    above_zero,
    count,
    from_zero,
    need,
    probability,
)
from acklab.fluid.queues import INTERVAL, TARGET
from acklab.fluid.senders import Sender

Floats = NDArray[np.float64]

equation = Symbols(
    flows=count(2, name="the number of flows", equation="Eq 16"),
    limit=above_zero("packet", 50.0, name="Q_max", infinite=True),
    target=from_zero("s", TARGET, name="the target"),
    interval=above_zero("s", INTERVAL, name="the interval"),
    hosts=count([0, 1], 0, optional=True, name="the host", equation="Eq 22"),
    rate=above_zero("packet/s", 1000.0, name="Theta", equation="Eq 16"),
    rtt=above_zero("s", 0.04, name="tau_min", equation="Eq 15"),
    loss=probability(0.0, name="p", equation="Eq 17"),
    seconds=from_zero("s", 1.0, name="the length of the run"),
    starts=from_zero("s", [0.0], optional=True, name="the start of a flow"),
    sample=above_zero("s", 0.02, name="the sample"),
    refine=count(1, name="the refinement"),
    rtts=above_zero("s", [0.04], optional=True, name="tau_min", equation="Eq 15"),
    holds=from_zero("s", [0.0], optional=True, name="the wait of feedback"),
    step=above_zero("s", 5e-3, optional=True, name="the step"),
)


class Queue(Protocol):
    """Interface of a queue for the solver."""

    #: Packets of each flow that wait.
    waiting: list[float]

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """Packets of each flow that are served and dropped in a step with `arrivals`."""

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """How long a packet of each flow waits."""


@equation("Eq 19")
class Fifo:
    """A FIFO of `limit` packets (Eqs 15 to 19)."""

    def __init__(self, flows: int, limit: float) -> None:
        self.limit = limit
        self.waiting = [0.0] * flows

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `Queue`."""
        del now
        # Called 13,000 times a minute: no more lists than it takes.
        have = list(map(add, arrivals, self.waiting))
        there = sum(have)
        could = rate * dt
        if there <= could:
            self.waiting = [0.0] * len(have)
            return have, self.waiting[:]
        over = there - could - self.limit
        if over > 0:
            share = over / sum(arrivals)
            dropped = [a * share for a in arrivals]
            have = list(map(sub, have, dropped))
            there -= over
        else:
            dropped = [0.0] * len(have)
        part = could / there
        served = [h * part for h in have]
        self.waiting = list(map(sub, have, served))
        return served, dropped

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """All wait for the whole queue."""
        return [sum(self.waiting) / rate] * len(self.waiting)


@dataclass
class _Law:
    """CoDel's control law for one queue (RFC 8289 5.4 and 5.5)."""

    target: float = TARGET
    interval: float = INTERVAL
    above: float = inf
    dropping: bool = False
    count: int = 0
    before: int = 0
    at: float = -inf

    def drops(self, now: float, delay: float, left: float) -> int:
        """Packets to drop now; less than a packet that waits is no queue."""
        if delay < self.target or left <= 1.0:
            self.above = inf
            self.dropping = False
            return 0
        if self.above == inf:
            self.above = now + self.interval
        if now < self.above:
            return 0
        if not self.dropping:
            self.dropping = True
            new = self.count - self.before
            recent = now - self.at < 16 * self.interval
            self.count = new if new > 1 and recent else 1
            self.before = self.count
            self.at = now + self.interval / sqrt(self.count)
            return 1
        n = 0
        while now >= self.at:
            n += 1
            self.count += 1
            self.at += self.interval / sqrt(self.count)
        return n


@equation("Eq 21")
class Codel:
    """CoDel with one queue for all (Eqs 15 to 18 and 21)."""

    def __init__(self, flows: int, target: float = TARGET, interval: float = INTERVAL) -> None:
        self.waiting = [0.0] * flows
        self._law = _Law(target, interval)

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `Queue`."""
        have = list(map(add, arrivals, self.waiting))
        there = sum(have)
        could = rate * dt
        law = self._law
        if there <= could:
            # Nothing is left, as in most steps.
            law.above = inf
            law.dropping = False
            self.waiting = [0.0] * len(have)
            return have, self.waiting[:]
        part = could / there
        left = there * (1 - part)
        lost = law.drops(now, left / rate, left)
        if lost == 0:
            served = [h * part for h in have]
            self.waiting = list(map(sub, have, served))
            return served, [0.0] * len(have)
        share = min(lost, left) / there
        served = [h * part for h in have]
        dropped = [h * share for h in have]
        self.waiting = [max(h - s - d, 0.0) for h, s, d in zip(have, served, dropped, strict=True)]
        return served, dropped

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """All wait for the whole queue."""
        return [sum(self.waiting) / rate] * len(self.waiting)


@equation("PIE", target=above_zero("s", 15e-3, name="target"))
class Pie:
    """PIE (RFC 8033 4): a drop probability that follows the delay and its change.

    The constants are Linux's (`sch_pie.c`), which are the RFC's.
    """

    update = 15e-3
    alpha, beta = 0.125, 1.25
    burst = 0.15

    def __init__(self, flows: int, target: float = 15e-3) -> None:
        self.waiting = [0.0] * flows
        self.target = target
        self.probability = 0.0
        self._allowance = self.burst
        self._before = 0.0
        self._at = self.update

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `Queue`."""
        waits = sum(self.waiting)
        delay = waits / rate
        while now >= self._at:
            self._at += self.update
            self._follow(delay)
        spared = self._allowance > 0 or (delay < self.target / 2 and self.probability < 0.2)
        p = 0.0 if spared or waits <= 2 else self.probability
        if p > 0:
            dropped = [a * p for a in arrivals]
            have = [q + a - d for q, a, d in zip(self.waiting, arrivals, dropped, strict=True)]
        else:
            dropped = [0.0] * len(arrivals)
            have = list(map(add, arrivals, self.waiting))
        there = sum(have)
        could = rate * dt
        if there <= could:
            self.waiting = [0.0] * len(have)
            return have, dropped
        part = could / there
        served = [h * part for h in have]
        self.waiting = list(map(sub, have, served))
        return served, dropped

    def _follow(self, delay: float) -> None:
        p = self.probability
        # The smaller the probability, the smaller its steps: a half below 10 %, and a quarter of
        # that for each tenth further down to one in a million (4.2).
        scale, below = 1.0, 0.1
        if p < below:
            scale = 0.5
            while below > 1e-6 and p < below / 10:
                scale, below = scale / 4, below / 10
        delta = scale * (self.alpha * (delay - self.target) + self.beta * (delay - self._before))
        if delta > 0.02 and p >= 0.1:
            delta = 0.02
        if delay > 0.25:
            delta += 0.02
        p = min(max(p + delta, 0.0), 1.0)
        if delay == 0 and self._before == 0:
            p *= 1 - 1 / 64
        self.probability = p
        calm = delay < self.target / 2 and self._before < self.target / 2
        self._allowance = max(self._allowance - self.update, 0.0)
        if p == 0 and calm:
            self._allowance = self.burst
        self._before = delay

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """All wait for the whole queue."""
        return [sum(self.waiting) / rate] * len(self.waiting)


@equation("Eq 21")
@dataclass
class Fair:
    """FQ-CoDel or CAKE (Eqs 20 to 24): max-min shares, and CoDel for each flow."""

    flows: int
    #: The host of each flow, where hosts share evenly; else flows do.
    hosts: Sequence[int] | None = None
    target: float = TARGET
    interval: float = INTERVAL
    waiting: list[float] = field(default_factory=list)
    _laws: list[_Law] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.waiting = [0.0] * self.flows
        self._laws = [_Law(self.target, self.interval) for _ in range(self.flows)]

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `Queue`."""
        have = list(map(add, arrivals, self.waiting))
        could, waiting = rate * dt, self.waiting
        if sum(have) <= could:
            # Nobody has to wait, as in most steps: the loops below come to the same.
            for law in self._laws:
                law.above = inf
                law.dropping = False
            self.waiting = [0.0] * self.flows
            return have, self.waiting[:]
        if self.hosts is None and self.flows == 2:
            # Eq 20 for two: half for each, or what the other leaves.
            a, b = have
            half = could / 2
            served = [a, could - a] if a <= half else [could - b, b] if b <= half else [half, half]
        else:
            served = _max_min(have, self._weights(have), could)
        dropped = [0.0] * self.flows
        for i, law in enumerate(self._laws):
            got = served[i]
            left = have[i] - got
            if left <= 1.0 or (got > 0 and left * dt < law.target * got):
                law.above = inf
                law.dropping = False
                waiting[i] = left if left > 0 else 0.0
                continue
            delay = left / (got / dt) if got > 0 else 0.0
            lost = min(law.drops(now, delay, left), left)
            dropped[i] = lost
            waiting[i] = left - lost
        return served, dropped

    def _weights(self, have: Sequence[float]) -> list[float]:
        if self.hosts is None:
            return [1.0] * self.flows
        of = self.hosts
        busy = {h: sum(1 for g, x in zip(of, have, strict=True) if g == h and x > 0) for h in of}
        return [1.0 / max(busy[h], 1) for h in of]

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """Each waits for its own flow."""
        del rate
        return [q * dt / s if q > 0 and s > 0 else 0.0 for q, s in zip(self.waiting, served)]  # noqa: B905


def _max_min(have: Sequence[float], weights: Sequence[float], budget: float) -> list[float]:
    """Eq 20: nobody gets more than he has, and what one leaves the others share."""
    out = [0.0] * len(have)
    open_ = [i for i, x in enumerate(have) if x > 0]
    while open_:
        level = budget / sum(weights[i] for i in open_)
        small = [i for i in open_ if have[i] <= level * weights[i]]
        if not small:
            for i in open_:
                out[i] = level * weights[i]
            break
        for i in small:
            out[i] = have[i]
            budget -= have[i]
        open_ = [i for i in open_ if i not in small]
    return out


@equation("Eqs 15 to 17")
@dataclass(frozen=True)
class Path:
    """A bottleneck: packets per second, and seconds of a round trip without a queue."""

    rate: float
    rtt: float
    #: Part of what is sent that is lost by chance: every so many packets one, as a fluid.
    loss: float = 0.0


@dataclass(frozen=True)
class Trace:
    """Solution over time: one row a sample, one column a flow."""

    time: Floats
    #: Packets per second that arrive at the receiver, over the sample.
    goodput: Floats
    #: Packets lost in the sample.
    lost: Floats
    #: Packets that wait.
    queue: Floats
    rtt: Floats
    window: Floats
    #: Packets per second that it paces at most; infinite where it does not pace.
    pacing: Floats
    #: Packets in flight, at the sender.
    inflight: Floats
    phases: list[tuple[str, ...]]
    #: Packets that were sent, and what became of them; for the books.
    sent: Floats
    served: Floats
    dropped: Floats
    left: Floats

    def columns(self, of: Sequence[int]) -> Trace:
        """The same with these columns: of flows for which others stand."""
        names = [f.name for f in fields(self) if f.name not in ("time", "phases")]
        values = {name: np.take(getattr(self, name), list(of), axis=-1) for name in names}
        return replace(self, phases=[tuple(p[i] for i in of) for p in self.phases], **values)


def _left(i: int, now: float, of: Sender, rtt: float, inflight: float) -> NoSolutionError:
    """A flow that left the physical region: by its round trip, or by its rate."""
    equation, symbol, value = (
        ("Eq 12", f"x_{i}", inflight) if isfinite(rtt) else ("Eq 15", f"tau_{i}", rtt)
    )
    return NoSolutionError(
        f"{equation}: {symbol} leaves the physical region at {now:.3f} s ({value}; a window of"
        f" {of.window:g} packets, {inflight:g} in flight)\n  help: rates and round trips are"
        " finite; a sender's window is, or it paces"
    )


@equation("the step", "s")
def step_of(rtt: float) -> float:
    """Length of a step: at least six in a round trip, and 5 ms at most."""
    return rtt / max(6, ceil(rtt / 5e-3))


@equation("the coupled model", None)
def solve(
    path: Path,
    senders: Sequence[Sender],
    queue: Queue,
    seconds: float,
    starts: Sequence[float] | None = None,
    sample: float = 0.02,
    refine: int = 1,
    rtts: Sequence[float] | None = None,
    holds: Sequence[float] | None = None,
    step: float | None = None,
) -> Trace:
    """Runs the model for `seconds`, with a row of the result for each `sample` seconds.

    `starts` and `rtts` are of each flow, the latter in place of the path's; `refine` makes steps so
    many times shorter. Feedback waits for `holds` seconds that do not count as RTT. A
    `step` is at most so long, by default `step_of` the shortest round trip.

    Raises:
        DomainError: Where there is no flow, or a time or a rate has no sense.
        NoSolutionError: Where a rate, a queue or a window leaves the finite.
    """
    n = len(senders)
    need(n > 0, "the coupled model", "the number of flows", n, "there is at least one")
    ways = len(queue.waiting)
    need(ways == n, "Eq 16", "the flows of the queue", ways, f"{n}, one for each sender")
    for symbol, of in (("the starts", starts), ("tau_min", rtts), ("the waits of feedback", holds)):
        need(
            of is None or len(of) == n, "the coupled model", symbol, of, f"one of each of {n} flows"
        )
    bases = list(rtts) if rtts is not None else [path.rtt] * n
    shortest = min(bases)
    dt = step_of(shortest) if step is None else shortest / max(1, ceil(shortest / step))
    dt /= refine
    held = list(holds) if holds is not None else [0.0] * n
    delays = [round((r + h) / dt) for r, h in zip(bases, held, strict=True)]
    began = list(starts) if starts is not None else [0.0] * n
    # A ring for each flow, one round trip long: packets served and lost in a step, and the RTT.
    then = [[(0.0, 0.0, r)] * d for r, d in zip(bases, delays, strict=True)]
    inflight, rtt = [0.0] * n, list(bases)
    sent_all, served_all, dropped_all = [0.0] * n, [0.0] * n, [0.0] * n
    every = max(1, round(sample / dt))
    rows: list[tuple[list[float], ...]] = []
    times: list[float] = []
    phases: list[tuple[str, ...]] = []
    got, missed = [0.0] * n, [0.0] * n
    lossy = path.loss > 0
    # Called 13,000 times a minute, so that looking a name up counts.
    each = [
        (i, s, s.step, began[i], delays[i], then[i], held[i], bases[i])
        for i, s in enumerate(senders)
    ]
    step_queue, delays_of = queue.step, queue.delays
    # In packets per second, by multiplication.
    per_step, rate_now = 1 / dt, path.rate
    last = round(seconds / dt)
    at_sample = every
    for k in range(last):
        now = k * dt
        arrivals = []
        for i, sender, move, start, length, ring, hold, _ in each:
            if now < start:
                arrivals.append(0.0)
                continue
            told, lost, rtt_told = ring[k % length]
            still = inflight[i] - told - lost
            if still < 0.0:
                still = 0.0
            move(now - start, dt, told * per_step, lost, rtt_told, still)
            by_window, paced = sender.window / (rtt[i] + hold), sender.pacing
            sends = (by_window if by_window < paced else paced) * dt
            arrivals.append(sends)
            inflight[i] = still + sends
            sent_all[i] += sends
        if lossy:
            enters = [a * (1 - path.loss) for a in arrivals]
            served, dropped = step_queue(now, dt, rate_now, enters)
            dropped = [d + a - e for d, a, e in zip(dropped, arrivals, enters, strict=True)]
        else:
            served, dropped = step_queue(now, dt, rate_now, arrivals)
        waits = delays_of(rate_now, served, dt)
        for i, _, _, _, length, ring, _, base in each:
            out, lost = served[i], dropped[i]
            rtt[i] = whole = base + waits[i]
            ring[k % length] = (out, lost, whole)
            got[i] += out
            missed[i] += lost
        if k + 1 == at_sample:
            at_sample += every
            for i in range(n):
                if not isfinite(rtt[i]) or not isfinite(inflight[i]):
                    raise _left(i, now, senders[i], rtt[i], inflight[i])
            times.append((k + 1) * dt)
            span = every * dt
            windows, paces = [s.window for s in senders], [s.pacing for s in senders]
            rate = [g / span for g in got]
            held_now = list(queue.waiting)
            rows.append((rate, missed, held_now, list(rtt), windows, paces, list(inflight)))
            phases.append(tuple(s.phase for s in senders))
            for i in range(n):
                served_all[i] += got[i]
                dropped_all[i] += missed[i]
            got, missed = [0.0] * n, [0.0] * n
    for i in range(n):
        served_all[i] += got[i]
        dropped_all[i] += missed[i]
    goodput, missing, waiting, of_rtt, window, pacing, flying = (
        np.array([r[c] for r in rows], float).reshape(-1, n) for c in range(7)
    )
    return Trace(
        time=np.array(times),
        goodput=goodput,
        lost=missing,
        queue=waiting,
        rtt=of_rtt,
        window=window,
        pacing=pacing,
        inflight=flying,
        phases=phases,
        sent=np.array(sent_all),
        served=np.array(served_all),
        dropped=np.array(dropped_all),
        left=np.array(queue.waiting),
    )
