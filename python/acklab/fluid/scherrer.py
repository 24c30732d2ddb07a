"""BBRv1 and BBRv2 as the whole systems of differential equations of S. Scherrer, M. Legner, A.
Perrig, S. Schmid, *Model-Based Insights on the Performance, Fairness, and Stability of BBR*, IMC
2022, with one bottleneck that drops its tail.

A flow has a smallest RTT, the largest delivery rate of a period, the bandwidth that it believes in,
the volume in flight, the time since its period began, whether it probes the RTT, and with BBRv2
whether it cruises or drains and the bounds of its window. Constants that the paper leaves to its
evaluation (sharpness, rates of adaption) are those of the authors' published simulator. Both of
the paper's sigmoids take numbers, so that units matter: here as there they are packets and
milliseconds.

Three readings are ours. The high bound grows by 2^(t / tau_min) packets in a *round trip*, as in
BBRv2's code; the simulator has that in a millisecond. BBRv2 probes the RTT each 5 s. Reno and CUBIC
of that model are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from acklab.fluid.bbr3 import DELTA, P_TH
from acklab.fluid.domain import NoSolutionError, Symbols, above_zero, need, real, unchecked

Floats = NDArray[np.float64]
Version = Literal["bbr1", "bbr2"]
#: Sharpness of a sigmoid that stands for a condition, and of one that stands for a slope.
SHARP, SMOOTH = 500.0, 5.0
#: How abruptly a buffer that fills begins to drop: the exponent of q / B.
ABRUPT = 100
#: Milliseconds at the beginning and the end of a period in which the largest delivery rate is
#: forgotten and believed, and how fast a larger one is taken over.
EDGE, TAKES = 10.0, 5.0
#: Reduction of BBRv2's low bound in a round trip with losses; headroom below the high bound.
LO_LOSS, HEADROOM = -log(0.9), 0.15

equation = Symbols(
    x=real("", 0.01, infinite=True, name="the argument of the sigmoid"),
    sharp=above_zero("", SHARP, name="the sharpness"),
    rate=above_zero("packet/s", 1000.0, name="C"),
    rtts=above_zero("s", [0.04], name="d_i", empty=True),
    limit=above_zero("packet", 40.0, name="B"),
    seconds=above_zero("s", 0.1, name="the length of the run"),
    step=above_zero("s", 1e-3, optional=True, name="the step"),
)


@equation("Scherrer et al.", "")
def sigmoid(x: float, sharp: float = SHARP) -> float:
    """From 0 to 1 around `x` = 0."""
    z = sharp * x
    if z > 40:
        return 1.0
    return exp(z) if z < -40 else 1 / (1 + exp(-z))


_sigmoid = unchecked(sigmoid)


def _relaxed(dt: float, speed: float) -> float:
    """Part of the way to where a value goes at `speed` per millisecond, without Euler's overshoot:
    some of these are faster than a step."""
    return 1 - exp(-speed * dt)


@equation("Scherrer et al.")
@dataclass(frozen=True)
class Dumbbell:
    """One bottleneck: packets per second, seconds of a round trip of each flow without its queue,
    and the packets that the queue holds."""

    rate: float
    rtts: Sequence[float]
    limit: float

    def __post_init__(self) -> None:
        need(len(self.rtts) > 0, "Scherrer et al.", "N", 0, "at least one flow")


@dataclass(frozen=True)
class Run:
    """By sample: seconds, packets per second that each flow sends and that arrive of it, packets
    that wait, and the part of what is sent that is dropped."""

    time: Floats
    rate: Floats
    delivered: Floats
    queue: Floats
    lost: Floats

    def after(self, seconds: float) -> Run:
        """Without the beginning."""
        on = self.time > seconds
        return Run(self.time[on], *(x[on] for x in self._rest))

    @property
    def _rest(self) -> tuple[Floats, ...]:
        return self.rate, self.delivered, self.queue, self.lost


class _Flow:
    """A flow's unknowns; packets and milliseconds."""

    def __init__(self, i: int, n: int, version: Version, d: float, share: float) -> None:
        self.i, self.n, self.version, self.d = i, n, version, d
        self.tau_min = d
        self.best = self.bandwidth = share
        self.inflight = share * d
        self.rate = share
        self.probing_rtt = False
        self.left = self.every
        self.high = 1.25 * share * d
        self.low = share * d
        #: Of BBRv2; periods begin at different times.
        self.cruises, self.drains = version == "bbr2", False
        self.since = (i + 1) / n * 1e3 if version == "bbr2" else 0.0
        #: Largest delivery rate of the period before.
        self.before = share

    @property
    def every(self) -> float:
        """From one PROBE_RTT to the next."""
        return 10e3 if self.version == "bbr1" else 5e3

    @property
    def period(self) -> float:
        """T_pbw: eight round trips, or 2 to 3 s and at most 63 round trips."""
        if self.version == "bbr1":
            return 8 * self.tau_min
        return min(2e3 + self.i / self.n * 1e3, 63 * self.tau_min)

    def step(self, dt: float, delivered: float, tau: float, loss: float, tau_now: float) -> None:
        """Moves on by `dt`: the rate that arrives as its ACKs tell, the RTT and the loss rate a
        round trip ago, and the RTT as it is."""
        self._probe_rtt(dt, tau)
        base = self.bandwidth * self.tau_min
        if self.version == "bbr1":
            bound, least = 2 * base, 4.0
        else:
            high = (1 - HEADROOM * self.cruises) * self.high
            bound, least = min(2 * base, self.low, high), base / 2
        window = least if self.probing_rtt else bound
        if not self.probing_rtt:
            off = delivered - self.best
            self.best += off * _relaxed(dt, TAKES * _sigmoid(off))
            self.best -= self.best * _relaxed(dt, _sigmoid(EDGE - self.since))
            if self.version == "bbr1":
                ends = _relaxed(dt, _sigmoid(self.since - self.period + EDGE))
                self.bandwidth += ends * (self.best - self.bandwidth)
            elif self.drains:
                self.bandwidth = max(self.before, self.best)
        self._carry(dt, delivered, window, base)
        gain = self._gain(base, loss)
        paced = min(window / tau, gain * self.bandwidth)
        self.rate = self.inflight / tau_now if self.probing_rtt else paced
        if self.version == "bbr2":
            self._bounds(dt, loss, base)
        off = self.tau_min - tau
        self.tau_min -= off * _relaxed(dt, _sigmoid(off))
        self.since += dt
        if self.since >= self.period:
            self.since, self.cruises, self.before = 0.0, False, self.best

    def _probe_rtt(self, dt: float, tau: float) -> None:
        """A timer: when it is through the phase begins, or ends. A shorter RTT begins it anew."""
        self.left -= dt
        if not self.probing_rtt and tau < self.tau_min - 1e-3:
            self.left = self.every
        if self.left <= 0:
            self.probing_rtt = not self.probing_rtt
            self.left = 200.0 if self.probing_rtt else self.every

    def _carry(self, dt: float, delivered: float, window: float, base: float) -> None:
        """Updates the packets in flight: sent and not yet arrived; a phase that drains to a target
        comes to it within a millisecond."""
        if self.probing_rtt:
            self.inflight += (window - self.inflight) * _relaxed(dt, 1.0)
        elif self.cruises:
            target = min(base, (1 - HEADROOM) * self.high)
            self.inflight += (target - self.inflight) * _relaxed(dt, 1.0)
        else:
            self.inflight = max(self.inflight + dt * (self.rate - delivered), 0.0)

    def _gain(self, base: float, loss: float) -> float:
        if self.version == "bbr1":
            at = self.i % 6
            up, down = (
                _sigmoid(self.since - k * self.tau_min, SMOOTH)
                * _sigmoid((k + 1) * self.tau_min - self.since, SMOOTH)
                for k in (at, at + 1)
            )
            return 1 + 0.25 * (up - down)
        past = self.since >= self.tau_min
        if self.drains:
            target = min(base, (1 - HEADROOM) * self.high)
            if self.inflight <= target or self.since >= 10 * self.tau_min:
                self.drains, self.cruises = False, True
        elif not self.cruises and past and (self.inflight >= 1.2475 * base or loss >= P_TH):
            self.drains = True
        if self.drains:
            return 0.75
        return 1.25 if past and not self.cruises else 1.0

    def _bounds(self, dt: float, loss: float, base: float) -> None:
        """Both bounds of BBRv2's window."""
        if self.cruises:
            if loss >= P_TH:
                self.low -= dt * LO_LOSS / self.d * self.low
        else:
            if self.since >= self.tau_min:
                part = _sigmoid(self.inflight - self.high, SMOOTH)
                self.high += dt * part * 2 ** (self.since / self.tau_min) / self.tau_min
            if loss >= P_TH:
                self.high -= dt * DELTA / self.d * self.high
            self.low = self.high
        self.high = max(self.high, (1 + HEADROOM) * base)


@equation("Scherrer et al.", None)
def run(
    of: Dumbbell, versions: Sequence[Version], seconds: float, step: float | None = None
) -> Run:
    """Solves the system by Euler's method (what relaxes, exactly), with rates and queues of the
    past as they were at each step. A `step` is by default 1/40 of the shortest round trip.

    Raises:
        NoSolutionError: Where a rate leaves the finite.
    """
    n = len(of.rtts)
    need(len(versions) == n, "Scherrer et al.", "N", len(versions), f"a version for each of {n}")
    step = min(of.rtts) / 40 if step is None else step
    need(
        step <= min(of.rtts),
        "Scherrer et al.",
        "the step",
        step,
        f"at most the shortest round trip, {min(of.rtts)} s",
    )
    need(
        seconds >= max(0.02, step),
        "Scherrer et al.",
        "the length of the run",
        seconds,
        "at least the time between two samples, 0.02 s",
    )
    dt, link, limit = step * 1e3, of.rate / 1e3, float(of.limit)
    flows = [_Flow(i, n, v, of.rtts[i] * 1e3, link / n) for i, v in enumerate(versions)]
    last = round(seconds / step)
    back = ceil((max(of.rtts) + limit / of.rate) / step) + 2
    # Before the first step all was as it begins.
    rates = [[link / n] * back for _ in range(n)]
    sums, queues, losses = [link] * back, [0.0] * back, [0.0] * back
    every = max(1, round(0.02 / step))
    rows: list[list[float]] = []
    got, sent, dropped = [0.0] * n, [0.0] * n, 0.0
    queue = 0.0
    for k in range(last):
        y = sum(f.rate for f in flows)
        over = queue + (y - link) * dt - limit
        queue = min(max(queue + (y - link) * dt, 0.0), limit)
        dropped += max(over, 0.0)
        sums.append(y)
        queues.append(queue)
        losses.append((1 - link / y) * (queue / limit) ** ABRUPT if y > link else 0.0)
        now = len(queues) - 1
        for i, f in enumerate(flows):
            rates[i].append(f.rate)
            ago = now - round(f.d / dt)
            tau = f.d + queues[ago] / link
            then = max(now - round(tau / dt), 0)
            x, y_then = rates[i][then], sums[then]
            busy = y_then >= link or queues[ago] > 0
            delivered = x / y_then * link if busy and y_then > 0 else x
            got[i] += delivered * dt
            sent[i] += f.rate * dt
            f.step(dt, delivered, tau, losses[then], f.d + queue / link)
        if (k + 1) % every == 0:
            if not all(np.isfinite(f.rate) for f in flows):
                raise NoSolutionError(
                    f"Scherrer et al.: x_i leaves the finite at {k * step:.3g} s"
                    "\n  help: take shorter steps, at most 1/40 of the shortest round trip"
                )
            span = every * dt / 1e3
            total = sum(sent)
            rows.append(
                [
                    (k + 1) * step,
                    *(s / span for s in sent),
                    *(g / span for g in got),
                    queue,
                    dropped / total if total > 0 else 0.0,
                ]
            )
            got, sent, dropped = [0.0] * n, [0.0] * n, 0.0
            # Older values are never looked up.
            cut = len(queues) - back
            for of_past in (*rates, sums, queues, losses):
                del of_past[:cut]
    table = np.array(rows)
    return Run(
        table[:, 0], table[:, 1 : 1 + n], table[:, 1 + n : 1 + 2 * n], table[:, -2], table[:, -1]
    )
