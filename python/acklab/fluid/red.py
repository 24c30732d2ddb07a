"""Reno behind RED as a fluid, and when it swings.

V. Misra, W.-B. Gong, D. Towsley, *Fluid-based Analysis of a Network of AQM Routers Supporting TCP
Flows with an Application to RED*, SIGCOMM 2000; C. V. Hollot, V. Misra, D. Towsley, W.-B. Gong, *A
Control Theoretic Analysis of RED*, INFOCOM 2001, whose linearisation this is.

N equal flows share a link of C packets per second. Their window grows by a packet in a round trip R
and halves at losses; RED drops a part p of the packets, linear in the average x of the queue q:

    dW/dt = 1/R(t) - W(t) W(t-R) / (2 R(t-R)) p(t-R)
    dq/dt = N W/R(t) - C
    dx/dt = K (q - x)
    R     = q/C + T_p
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from math import log, pi

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from acklab.fluid.domain import (
    NoSolutionError,
    Symbols,
    above_zero,
    from_zero,
    need,
    probability,
    real,
)

equation = Symbols(
    flows=above_zero("", 60.0, name="N"),
    rate=above_zero("packet/s", 3750.0, name="C"),
    propagation=above_zero("s", 0.2, name="T_p"),
    low=from_zero("packet", 150.0, name="min_th"),
    high=above_zero("packet", 200.0, name="max_th"),
    probability=probability(0.1, above=True, name="p_max"),
    weight=probability(1e-4, above=True, below=True, name="w_q"),
    window=above_zero("packet", 15.0, name="W_0"),
    queue=from_zero("packet", 175.0, name="q_0"),
    rtt=above_zero("s", 0.25, name="R_0"),
    frequency=real("1/s", 0.5, name="the frequency"),
    seconds=above_zero("s", 1.0, name="the length of the run"),
    step=above_zero("s", 0.005, optional=True, name="the step"),
)


@equation("TCP and RED")
@dataclass(frozen=True)
class Red:
    """A link with RED and the flows on it; queues in packets, rates in packets per second."""

    flows: float
    rate: float
    #: Round trip without a queue, s.
    propagation: float
    #: Average queue from which packets are dropped, that from which all are, and the probability
    #: just below that.
    low: float
    high: float
    probability: float
    #: Weight of a packet in the average.
    weight: float

    def __post_init__(self) -> None:
        need(0 <= self.low < self.high, "RED", "min_th", self.low, f"below max_th, {self.high}")

    @property
    def slope(self) -> float:
        """L_red: probability for each packet of the average."""
        return self.probability / (self.high - self.low)

    @property
    def pole(self) -> float:
        """K: how fast the average follows, 1/s, with an average for each packet that arrives."""
        return -log(1 - self.weight) * self.rate


@equation("TCP and RED")
@dataclass(frozen=True)
class Point:
    """An equilibrium: window, probability, queue, round trip."""

    window: float
    probability: float
    queue: float
    rtt: float


def equilibrium(of: Red) -> Point:
    """Where nothing changes: W^2 p = 2 and N W = C R (Hollot, Eq 2), below max_th."""

    def excess(q: float) -> float:
        window = (q / of.rate + of.propagation) * of.rate / of.flows
        return 2 / window**2 - of.slope * (q - of.low)

    if excess(of.high) > 0:
        raise NoSolutionError(
            f"TCP and RED: no equilibrium below max_th = {of.high:g} packets;"
            f" {of.flows:g} flows need a loss rate above p_max = {of.probability:g}\n"
            "  help: raise p_max or max_th, or take fewer flows"
        )
    q = float(brentq(excess, of.low, of.high, xtol=1e-10))
    rtt = q / of.rate + of.propagation
    window = rtt * of.rate / of.flows
    return Point(window, 2 / window**2, q, rtt)


@equation("TCP and RED", None)
def loop(of: Red, at: Point, frequency: float) -> complex:
    """The open loop L(j w) at a frequency in rad/s: RED's low pass, TCP's plant (Eqs 8, 12)."""
    s = 1j * frequency
    rtt, rate, n = at.rtt, of.rate, of.flows
    red = of.slope / (1 + s / of.pole)
    plant = rate**2 / (2 * n) / ((s + 2 * n / (rtt**2 * rate)) * (s + 1 / rtt))
    return red * plant * cmath.exp(-s * rtt)


@dataclass(frozen=True)
class Margin:
    """How far the loop is from swinging."""

    #: Where its gain is one, rad/s; 0 if it is below that everywhere.
    crossover: float
    #: Degrees that are left there; below 0 it swings.
    phase: float
    #: Seconds of delay that could be added.
    delay: float

    @property
    def stable(self) -> bool:
        """Whether a disturbance dies away."""
        return self.phase > 0


def margin(of: Red) -> Margin:
    """Gain falls with frequency, so there is one crossover, and its phase decides (Nyquist)."""
    at = equilibrium(of)

    def gain(log_frequency: float) -> float:
        return abs(loop(of, at, float(np.exp(log_frequency)))) - 1

    low, high = log(1e-6), log(1e6)
    if gain(low) <= 0:
        return Margin(0.0, 180.0, float("inf"))
    w = float(np.exp(brentq(gain, low, high, xtol=1e-12)))
    s = 1j * w
    n, rtt, rate = of.flows, at.rtt, of.rate
    # Each pole turns by less than a quarter: the sum does not wrap as a product's phase can.
    turn = sum(cmath.phase(1 + s / p) for p in (of.pole, 2 * n / (rtt**2 * rate), 1 / rtt))
    left = pi - turn - w * rtt
    return Margin(w, left * 180 / pi, left / w)


@equation("TCP and RED", None)
def run(
    of: Red, seconds: float, start: Point | None = None, step: float | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Solves the equations: times, windows and queues. It starts near the equilibrium, by default
    with a queue 5 % beyond."""
    at = start or equilibrium(of)
    dt = step or min(at.rtt / 50, 0.2 / of.pole, 0.005)
    n = round(seconds / dt)
    # Delays are looked up, so that a round trip may change with the queue.
    t = np.arange(n + 1, dtype=np.float64) * np.float64(dt)
    w, q, x, r, p = (np.empty(n + 1) for _ in range(5))
    w[0], q[0], x[0] = at.window, at.queue * 1.05, at.queue * 1.05
    for i in range(n):
        r[i] = q[i] / of.rate + of.propagation
        p[i] = min(max(of.slope * (x[i] - of.low), 0.0), 1.0)
        then = i - r[i] / dt
        k = max(int(then), 0)
        w_then, r_then, p_then = (w[k], r[k], p[k]) if then > 0 else (w[0], r[0], p[0])
        w[i + 1] = max(w[i] + dt * (1 / r[i] - w[i] * w_then / (2 * r_then) * p_then), 1.0)
        q[i + 1] = max(q[i] + dt * (of.flows * w[i] / r[i] - of.rate), 0.0)
        x[i + 1] = x[i] + dt * of.pole * (q[i] - x[i])
    return t, w, q
