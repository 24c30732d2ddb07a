"""Eqs 9-14: BBRv3 as a fluid, after S. Scherrer, M. Legner, A. Perrig, S. Schmid, *Model-Based
Insights on the Performance, Fairness, and Stability of BBR*, IMC 2022, whose BBRv2 the paper takes.

Windows are in packets, times in seconds.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np
from scipy.special import expit

from acklab.fluid.domain import Symbols, above_zero, from_zero, probability, real, unchecked

#: High gain of the paper; Linux's BBRv3 has a gain of the window of 2.25 in PROBE_UP.
G_HI = 2.25
#: Loss rate of a round above which BBRv2 and BBRv3 give way (BBRLossThresh).
P_TH = 0.02
#: They keep 0.7 of their window then (BBRBeta); Delta is what they give up.
DELTA = 0.3

#: A bound of a window, which may not exist yet.
_BOUND = from_zero("packet", 100.0, infinite=True)
equation = Symbols(
    base=from_zero("packet", 100.0, name="the base window"),
    cruise=probability(0.5, name="m_crs"),
    lo=_BOUND.like(100.0, name="w_lo"),
    hi=_BOUND.like(100.0, name="w_hi"),
    v=from_zero("packet", 100.0),
    w=from_zero("packet", 100.0),
    g=above_zero("", G_HI, name="the high gain"),
    p=probability(0.1),
    since=from_zero("s", 0.06, name="the time since the phase began"),
    t_pbw=from_zero("s", 0.06),
    tau=above_zero("s", 0.04),
    tau_min=above_zero("s", 0.04),
    scale=above_zero("", P_TH / 20, name="the scale of an activation"),
    packet=above_zero("packet", 1, name="a packet"),
    b=from_zero("packet/s", 900.0, name="the bandwidth"),
    delivered=from_zero("packet/s", 1000.0, name="the delivery rate"),
    forgets=above_zero("s", 5.0, name="the memory of the bandwidth"),
    pacing=from_zero("packet/s", 1000.0, infinite=True, name="the pacing rate"),
    x_prt=from_zero("packet/s", 500.0),
    x_pbw=from_zero("packet/s", 1000.0),
)


@equation("Eqs 10 and 11", "", x=real("", 0.3, name="the argument of the sigmoid"))
def activation_printed(x: Any) -> Any:
    """A sigmoid of a bare number. Seconds, packets and probabilities go in, and a sigmoid knows
    nothing of how large each is: it is near 1/2 for all times and loss rates that occur."""
    return _logistic(x) if type(x) is float else 1 / (1 + np.exp(-x))


@equation(
    "Eqs 10 and 11",
    "",
    x=real("s", 0.3, infinite=True, name="the argument of the sigmoid"),
    scale=above_zero("s", 0.1, name="the scale of an activation"),
)
def activation(x: Any, scale: Any) -> Any:
    """A sigmoid of `x` on a `scale` of the same unit: 0.02 at -4 scales and 0.98 at 4."""
    z = x / scale
    if type(z) is float:
        return _logistic(z)
    return expit(getattr(z, "m_as", lambda _: z)("dimensionless"))


_sigmoid_printed, _sigmoid = unchecked(activation_printed), unchecked(activation)


# Plain numbers do not pay for arrays: a solver has some hundred thousand of them in a minute.
def _logistic(z: float) -> float:
    small = exp(-abs(z))
    return 1 / (1 + small) if z >= 0 else small / (1 + small)


def _least(a: Any, b: Any) -> Any:
    return min(a, b) if type(a) is float and type(b) is float else np.minimum(a, b)


def _where(ok: Any, yes: Any, no: Any) -> Any:
    if type(yes) is float and type(no) is float and type(ok) is bool:
        return yes if ok else no
    return np.where(ok, yes, no)


@equation("Eq 9", "packet")
def eq9_printed(base: Any, cruise: Any, lo: Any, hi: Any, g: float = G_HI) -> Any:
    """Window while probing for bandwidth: each half is bounded, their sum is not."""
    return _least(2 * base, cruise * lo) + _least(g * base, (1 - cruise) * hi)


@equation("Eq 9", "packet")
def eq9(base: Any, cruise: Any, lo: Any, hi: Any, g: float = G_HI) -> Any:
    """Window while probing for bandwidth: between the two bounded windows. At `cruise` = 0 and 1 it
    is the printed form; between them that can reach twice the smaller bound."""
    return cruise * _least(2 * base, lo) + (1 - cruise) * _least(g * base, hi)


@equation("Eq 10", None)
def eq10_printed(
    hi: Any, v: Any, cruise: Any, t_pbw: Any, tau_min: Any, p: Any, g: float = G_HI
) -> Any:
    """Growth of the high bound, as printed: the first term has no unit, where packets per second
    belong, and `t_pbw` is an RTT."""
    grow = (1 - cruise) * g * t_pbw / tau_min
    grow = grow * _sigmoid_printed(t_pbw - tau_min) * _sigmoid_printed(v - hi)
    return grow - DELTA / tau_min * _sigmoid_printed(p - P_TH) * hi


@equation("Eq 10", "packet/s")
def eq10(
    hi: Any,
    v: Any,
    cruise: Any,
    since: Any,
    tau_min: Any,
    p: Any,
    packet: Any = 1,
    scales: tuple[Any, Any, float] | None = None,
) -> Any:
    """Growth of the high bound in packets per second: 1, 2, 4, ... packets in each round trip
    `since` the phase began (BBRRaiseInflightHiSlope), while the window is in use; and it falls by
    Delta in a round trip with losses above the threshold.

    Scherrer et al. have 2^(t / tau_min) packets in a round trip. Its integral is 1 / ln 2 as much
    as what doubles with each whole round trip, so that a factor of ln 2 belongs to it.

    `scales` are those of time, window and loss rate.
    """
    of_time, of_window, of_loss = scales or (tau_min / 20, packet / 4, P_TH / 20)
    rounds = since / tau_min
    if type(rounds) is not float:
        rounds = getattr(rounds, "m_as", lambda _: rounds)("")
    grow = (1 - cruise) * packet * log(2) * 2**rounds / tau_min
    grow = grow * _sigmoid(since - tau_min, of_time) * _sigmoid(v - hi + packet, of_window)
    return grow - DELTA / tau_min * _sigmoid(p - P_TH, of_loss) * hi


@equation("Eq 11", "packet/s")
def eq11_printed(lo: Any, base: Any, cruise: Any, tau_min: Any, p: Any) -> Any:
    """Change of the low bound, as printed: without losses a cruising flow still loses half of
    Delta in each round trip, since the sigmoid of -0.02 is 0.495."""
    fall = cruise * DELTA / tau_min * _sigmoid_printed(p - P_TH) * lo
    return -(1 - cruise) / tau_min * (lo - base) - fall


@equation("Eq 11", "packet/s")
def eq11(lo: Any, base: Any, cruise: Any, tau_min: Any, p: Any, scale: float = P_TH / 20) -> Any:
    """Change of the low bound, with an activation that knows what a loss rate is."""
    fall = cruise * DELTA / tau_min * _sigmoid(p - P_TH, scale) * lo
    return -(1 - cruise) / tau_min * (lo - base) - fall


@equation("Eq 12", "packet/s")
def eq12_printed(w: Any, tau_min: Any) -> Any:
    """Sending rate: a window in each *smallest* round trip, however long the queue makes it."""
    return w / tau_min


@equation("Eq 12", "packet/s")
def eq12(w: Any, tau: Any, pacing: Any) -> Any:
    """Sending rate: a window in each round trip, and no more than is paced.

    `pacing` is the gain times the bandwidth, for which the paper has no equation.
    """
    return _least(pacing, w / tau)


@equation("Eq 12", "packet/s**2")
def bandwidth(b: Any, delivered: Any, tau_min: Any, forgets: Any, listens: bool = True) -> Any:
    """Change of the bandwidth that Eq 12 paces by, for which the paper has no equation: BBR takes
    the largest delivery rate of two cycles. As a fluid: up to a larger rate within a round trip,
    and to a smaller one within the time that it `forgets`; in PROBE_RTT it does not listen."""
    if not listens:
        return 0 * b / tau_min
    off = delivered - b
    return _where(off > 0, off / tau_min, off / forgets)


@equation("Eq 13", ("packet", "packet/s"))
def eq13_printed(base: Any, tau_min: Any) -> tuple[Any, Any]:
    """Window and rate in PROBE_RTT."""
    return base / 2, base / (2 * tau_min)


@equation("Eq 13", ("packet", "packet/s"))
def eq13(base: Any, tau: Any) -> tuple[Any, Any]:
    """Window and rate in PROBE_RTT: over the round trip as it is. The queue that the phase is to
    drain makes the printed rate too high by tau / tau_min."""
    return base / 2, base / (2 * tau)


@equation("Eq 14", "packet/s")
def eq14(probing_rtt: Any, x_prt: Any, x_pbw: Any) -> Any:
    """The rate of the phase that a flow is in."""
    return _where(probing_rtt, x_prt, x_pbw)


@equation(
    "Eq 14",
    "",
    t=from_zero("s", 4.9),
    every=above_zero("s", 5.0, name="the interval of PROBE_RTT"),
    length=from_zero("s", 0.2, name="the length of PROBE_RTT"),
)
def probes_rtt(t: float, every: float = 5.0, length: float = 0.2) -> bool:
    """When Eq 14 has which case, of which the paper says nothing: BBRv3 probes the RTT every 5 s
    for 200 ms (draft-ietf-ccwg-bbr 4.3.4)."""
    return t % every >= every - length
