"""Eqs 9-14: BBRv3 as a fluid, after S. Scherrer, M. Legner, A. Perrig, S. Schmid, *Model-Based
Insights on the Performance, Fairness, and Stability of BBR*, IMC 2022, whose BBRv2 the paper takes.

Windows are in packets, times in seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from acklab.fluid.domain import not_negative, positive, probability

#: High gain of the paper; Linux's BBRv3 has a gain of the window of 2.25 in PROBE_UP.
G_HI = 2.25
#: Loss rate of a round above which BBRv2 and BBRv3 give way (BBRLossThresh).
P_TH = 0.02
#: They keep 0.7 of their window then (BBRBeta); Delta is what they give up.
DELTA = 0.3


def activation_printed(x: Any) -> Any:
    """A sigmoid of a bare number. Seconds, packets and probabilities go in, and a sigmoid knows
    nothing of how large each is: it is near 1/2 for all times and loss rates that occur."""
    return 1 / (1 + np.exp(-x))


def activation(x: Any, scale: Any) -> Any:
    """A sigmoid of `x` on a `scale` of the same unit: 0.02 at -4 scales and 0.98 at 4."""
    positive("Eqs 9-11", "the scale of an activation", scale)
    z = x / scale
    return expit(getattr(z, "m_as", lambda _: z)("dimensionless"))


def eq9_printed(base: Any, cruise: Any, lo: Any, hi: Any, g: float = G_HI) -> Any:
    """Window while probing for bandwidth: each half is bounded, their sum is not."""
    return np.minimum(2 * base, cruise * lo) + np.minimum(g * base, (1 - cruise) * hi)


def eq9(base: Any, cruise: Any, lo: Any, hi: Any, g: float = G_HI) -> Any:
    """Window while probing for bandwidth: between the two bounded windows. At `cruise` = 0 and 1 it
    is the printed form; between them that can reach twice the smaller bound."""
    probability("Eq 9", "m_crs", cruise)
    return cruise * np.minimum(2 * base, lo) + (1 - cruise) * np.minimum(g * base, hi)


def eq10_printed(
    hi: Any, v: Any, cruise: Any, t_pbw: Any, tau_min: Any, p: Any, g: float = G_HI
) -> Any:
    """Growth of the high bound, as printed: the first term has no unit, where packets per second
    belong, and `t_pbw` is an RTT."""
    grow = (1 - cruise) * g * t_pbw / tau_min
    grow = grow * activation_printed(t_pbw - tau_min) * activation_printed(v - hi)
    return grow - DELTA / tau_min * activation_printed(p - P_TH) * hi


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
    positive("Eq 10", "tau_min", tau_min)
    of_time, of_window, of_loss = scales or (tau_min / 20, packet / 4, P_TH / 20)
    rounds = since / tau_min
    grow = (
        (1 - cruise)
        * packet
        * np.log(2)
        * 2 ** getattr(rounds, "m_as", lambda _: rounds)("")
        / tau_min
    )
    grow = grow * activation(since - tau_min, of_time) * activation(v - hi + packet, of_window)
    return grow - DELTA / tau_min * activation(p - P_TH, of_loss) * hi


def eq11_printed(lo: Any, base: Any, cruise: Any, tau_min: Any, p: Any) -> Any:
    """Change of the low bound, as printed: without losses a cruising flow still loses half of
    Delta in each round trip, since the sigmoid of -0.02 is 0.495."""
    fall = cruise * DELTA / tau_min * activation_printed(p - P_TH) * lo
    return -(1 - cruise) / tau_min * (lo - base) - fall


def eq11(lo: Any, base: Any, cruise: Any, tau_min: Any, p: Any, scale: float = P_TH / 20) -> Any:
    """Change of the low bound, with an activation that knows what a loss rate is."""
    positive("Eq 11", "tau_min", tau_min)
    fall = cruise * DELTA / tau_min * activation(p - P_TH, scale) * lo
    return -(1 - cruise) / tau_min * (lo - base) - fall


def eq12_printed(w: Any, tau_min: Any) -> Any:
    """Sending rate: a window in each *smallest* round trip, however long the queue makes it."""
    return w / tau_min


def eq12(w: Any, tau: Any, pacing: Any) -> Any:
    """Sending rate: a window in each round trip, and no more than is paced.

    `pacing` is the gain times the bandwidth, for which the paper has no equation.
    """
    positive("Eq 12", "tau", tau)
    not_negative("Eq 12", "w", w)
    return np.minimum(pacing, w / tau)


def bandwidth(b: Any, delivered: Any, tau_min: Any, forgets: Any, listens: bool = True) -> Any:
    """Change of the bandwidth that Eq 12 paces by, for which the paper has no equation: BBR takes
    the largest delivery rate of two cycles. As a fluid: up to a larger rate within a round trip,
    and to a smaller one within the time that it `forgets`; in PROBE_RTT it does not listen."""
    positive("Eq 12", "tau_min", tau_min)
    positive("Eq 12", "the memory of the bandwidth", forgets)
    if not listens:
        return 0 * b / tau_min
    off = delivered - b
    return np.where(off > 0, off / tau_min, off / forgets)


def eq13_printed(base: Any, tau_min: Any) -> tuple[Any, Any]:
    """Window and rate in PROBE_RTT."""
    return base / 2, base / (2 * tau_min)


def eq13(base: Any, tau: Any) -> tuple[Any, Any]:
    """Window and rate in PROBE_RTT: over the round trip as it is. The queue that the phase is to
    drain makes the printed rate too high by tau / tau_min."""
    positive("Eq 13", "tau", tau)
    return base / 2, base / (2 * tau)


def eq14(probing_rtt: Any, x_prt: Any, x_pbw: Any) -> Any:
    """The rate of the phase that a flow is in."""
    return np.where(probing_rtt, x_prt, x_pbw)


def probes_rtt(t: float, every: float = 5.0, length: float = 0.2) -> bool:
    """When Eq 14 has which case, of which the paper says nothing: BBRv3 probes the RTT every 5 s
    for 200 ms (draft-ietf-ccwg-bbr 4.3.4)."""
    positive("Eq 14", "the interval of PROBE_RTT", every)
    return t % every >= every - length
