"""Loops of senders and queues as smooth equations, for their steady state and its stability.

N equal flows share a link of C packets per second with T seconds of round trip besides the queue.
Unknowns come in the order that each class names. Feedback is one round trip of the steady state
old, as linearised loops have it (Hollot et al., INFOCOM 2001). Sources:

- Reno: Misra, Gong, Towsley, SIGCOMM 2000;
- CUBIC: G. Vardoyan, C. V. Hollot, D. Towsley, *Towards Stability Analysis of Data Transport
  Mechanisms: a Fluid Model and Its Applications*, INFOCOM 2018: unknowns are W_max and the time s
  since the last loss;
- PIE: RFC 8033 4.2;
- BBR: S. Scherrer, M. Legner, A. Perrig, S. Schmid, IMC 2022, section 5: unknowns are bandwidths
  that senders believe in, which a cycle of probes brings to what they measure.

CoDel has no steady state, so nothing to linearise: while the delay is above the target its drop
rate grows (Eq 21), and below it nothing is dropped. No constant rate of drops agrees with a
constant delay. Nor has the paper's BBRv3 a steady state of its own while it cruises: every
bandwidth below the link's share is one, and only probes move it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acklab.fluid.domain import NoSolutionError, Symbol, Symbols, above_zero, need
from acklab.fluid.stability import Floats, Verdict, steady_state, verdict

#: CUBIC's constants (RFC 9438 4.1): segments per second cubed, and what a loss leaves.
CUBIC_C, CUBIC_BETA = 0.4, 0.7
#: PIE (RFC 8033 4.2): gains per update, and seconds between updates.
PIE_ALPHA, PIE_BETA, PIE_UPDATE = 0.125, 1.25, 15e-3

equation = Symbols(
    flows=above_zero("", 4.0, name="N"),
    rate=above_zero("packet/s", 1000.0, name="C"),
    propagation=above_zero("s", 0.04, name="T"),
    limit=above_zero("packet", 50.0, name="Q_max"),
    target=above_zero("s", 15e-3, name="target"),
    probe=above_zero("", 1.25, name="the gain of a probe"),
    gain=Symbol("", 2.0, low=1.0, name="the gain of the window"),
    cycle=above_zero("s", 1.0, name="the cycle"),
)


@equation("the loop")
@dataclass(frozen=True)
class Bottleneck:
    """N, C and T."""

    flows: float
    rate: float
    propagation: float

    def window(self, rtt: float) -> float:
        """Packets of a flow that fill the link: N W = C R."""
        return self.rate * rtt / self.flows


@dataclass(frozen=True)
class _FullBuffer:
    """A buffer of `limit` packets that is always full: it drops what is above the link's rate."""

    of: Bottleneck
    limit: float

    @property
    def delay(self) -> float:
        """The round trip with the full buffer."""
        return self.of.propagation + self.limit / self.of.rate


@equation("drop tail")
@dataclass(frozen=True)
class DropTail(_FullBuffer):
    """Reno behind a full buffer of `limit` packets: W. It drops what is above the link's rate."""

    def field(self, now: Floats, then: Floats) -> Any:
        """W' = 1/R - W W_then p_then / (2 R), p = 1 - C R / (N W)."""
        rtt = self.delay
        lost = 1 - self.of.rate * rtt / (self.of.flows * then[0])
        return np.array([1 / rtt - now[0] * then[0] * lost / (2 * rtt)])

    def steady(self) -> Floats:
        """W^2 p = 2: slightly more than fills link and buffer."""
        full = self.of.window(self.delay)
        return steady_state(self.field, [full + 2 / full], "Reno and drop tail")

    def stability(self) -> Verdict:
        """The rightmost root."""
        return verdict(self.field, self.steady(), self.delay)


@equation("PIE")
@dataclass(frozen=True)
class RenoPie:
    """Reno behind PIE: W, q, p. PIE's gains are those of a probability near `scale`'s."""

    of: Bottleneck
    target: float = 15e-3

    @property
    def delay(self) -> float:
        """The round trip with the target's delay."""
        return self.of.propagation + self.target

    @staticmethod
    def scale(p: float) -> float:
        """PIE lowers its gains with its probability (4.2), in steps."""
        factor, below = (0.5, 0.1) if p < 0.1 else (1.0, 0.0)
        while below > 1e-6 and p < below / 10:
            factor, below = factor / 4, below / 10
        return factor

    def field(self, now: Floats, then: Floats) -> Any:
        """p' = g (alpha (q/C - target) / u + beta q' / C / u * u); a step each u seconds."""
        window, queue, p = now
        of, rtt = self.of, self.delay
        grows = of.flows * window / rtt * (1 - p) - of.rate
        gain = self.scale(float(self._probability()))
        error = PIE_ALPHA * (queue / of.rate - self.target) / PIE_UPDATE
        return np.array(
            [
                1 / rtt - window * then[0] * then[2] / (2 * rtt),
                grows,
                gain * (error + PIE_BETA * grows / of.rate),
            ]
        )

    def _probability(self) -> float:
        return 2 / max(self.of.window(self.delay), 1.0) ** 2

    def steady(self) -> Floats:
        """The delay is the target."""
        p = self._probability()
        if p >= 0.5:
            raise NoSolutionError(
                f"Reno and PIE: {self.of.flows:g} flows with {self.of.window(self.delay):.2g}"
                " packets"
                f" each need a loss rate of {p:.2g}, where Reno's equations do not hold\n"
                "  help: take fewer flows, or a longer path"
            )
        guess = [self.of.window(self.delay) / (1 - p), self.of.rate * self.target, p]
        return steady_state(self.field, guess, "Reno and PIE")

    def stability(self) -> Verdict:
        """The rightmost root."""
        return verdict(self.field, self.steady(), self.delay)


@equation("drop tail")
@dataclass(frozen=True)
class CubicDropTail(_FullBuffer):
    """CUBIC behind a full buffer: W_max and s."""

    @staticmethod
    def window(y: Floats) -> float:
        """W = C (s - K)^3 + W_max."""
        k = float(np.cbrt(y[0] * (1 - CUBIC_BETA) / CUBIC_C))
        return float(CUBIC_C * (y[1] - k) ** 3 + y[0])

    def field(self, now: Floats, then: Floats) -> Any:
        """W_max' = -(W_max - W) l and s' = 1 - s l with the loss rate l = p_then W_then / R."""
        rtt = self.delay
        before = self.window(then)
        lost = max(1 - self.of.rate * rtt / (self.of.flows * before), 0.0)
        rate = lost * before / rtt
        return np.array([-(now[0] - self.window(now)) * rate, 1 - now[1] * rate])

    def steady(self) -> Floats:
        """s = K and W = W_max: a loss each time that the window is back at its largest."""
        full = self.of.window(self.delay)
        k = float(np.cbrt(full * (1 - CUBIC_BETA) / CUBIC_C))
        # Where losses come once in K: N (W - full) / (N R) = 1 / K.
        most = full + self.delay / k
        k = float(np.cbrt(most * (1 - CUBIC_BETA) / CUBIC_C))
        return np.array([full + self.delay / k, k])

    def stability(self) -> Verdict:
        """Neutral: at s = K the cubic is flat, so that dW/ds is 0 and a root is 0."""
        return verdict(self.field, self.steady(), self.delay)


@equation("BBR")
@dataclass(frozen=True)
class Bbr:
    """N flows of BBRv1 or BBRv2 with equal paths: the bandwidth that each believes in.

    A flow probes while the others send as they do, and believes what arrives. Rates are those of
    pacing where the buffer is `full`, else those of windows, which are `gain` bandwidth-delay
    products: the queue is as long as makes them add up to C.
    """

    of: Bottleneck
    #: Rate of a flow while it probes, relative to its rate otherwise.
    probe: float
    #: Windows in bandwidth-delay products.
    gain: float
    #: Whether the buffer is too short for windows to matter.
    full: bool
    #: Seconds of a cycle of probes.
    cycle: float = 1.0

    def __post_init__(self) -> None:
        need(self.of.flows >= 1, "BBR", "N", self.of.flows, "at least 1")

    @classmethod
    def v1_shallow(cls, of: Bottleneck) -> Bbr:
        """BBRv1, whose pacing fills a short buffer: it probes with 5/4."""
        return cls(of, 1.25, 2.0, full=True)

    @classmethod
    def v1_deep(cls, of: Bottleneck) -> Bbr:
        """BBRv1, whose window of two bandwidth-delay products lets no probe through."""
        return cls(of, 1.0, 2.0, full=False)

    @classmethod
    def v2(cls, of: Bottleneck) -> Bbr:
        """BBRv2 without losses: a window of one while it cruises, of 5/4 while it probes."""
        return cls(of, 1.25, 1.0, full=False)

    def slows(self, b: Floats) -> float:
        """Ratio of the rates to the bandwidths."""
        return 1.0 if self.full else min(self.of.rate / max(float(b.sum()), 1e-9), self.gain)

    def queue(self, b: Floats) -> float:
        """Packets that wait behind the windows: gain T / (T + q / C) is the ratio of the rates."""
        rtt = self.gain * self.of.propagation / self.slows(b)
        return max(rtt - self.of.propagation, 0.0) * self.of.rate

    def field(self, b: Floats, then: Floats) -> Any:
        """b' = (delivered - b) / cycle. A cycle is longer than a round trip: no delay counts."""
        del then
        rates = self.slows(b) * b
        probes = self.probe * rates
        all_ = np.maximum(probes + rates.sum() - rates, self.of.rate)
        return (self.of.rate * probes / all_ - b) / self.cycle

    def steady(self) -> Floats:
        """Equal bandwidths."""
        n = round(self.of.flows)
        return steady_state(self.field, [1.1 * self.of.rate / n] * n, "BBR")

    def loss(self, b: Floats) -> float:
        """Part of what they send that the full buffer drops."""
        return max(1 - self.of.rate / float(b.sum()), 0.0) if self.full else 0.0

    def stability(self) -> Verdict:
        """The rightmost root."""
        return verdict(self.field, self.steady(), 0.0)
