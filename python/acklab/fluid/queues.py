"""Eqs 15-24: round-trip times, queues, and what FIFO, FQ-CoDel and CAKE serve and drop.

Queues are in packets, rates in packets per second. Arrays have one element a flow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acklab.fluid.domain import Symbols, above_zero, count, from_zero, need, probability

#: CoDel's constants (RFC 8289 4.2 and 4.3).
TARGET, INTERVAL = 5e-3, 100e-3
#: Riemann's zeta at 1/2.
_ZETA_HALF = -1.4603545088095868

#: Eq 15 divides by a service, which elsewhere may be none; the printed Theta of Eq 20 is the
#: link's.
_THETA = above_zero("packet/s", np.array([500.0, 500.0]), name="Theta_i")
_IDLE = from_zero("packet/s", np.array([500.0, 500.0]), name="s_i")
#: What an equation adds up over the flows.
_QUEUES = from_zero("packet", np.array([9.0, 1.0]), name="q_i", flows=True)
_SENT = from_zero("packet/s", np.array([500.0, 700.0]), name="x_i", flows=True)
_SHARES = above_zero("", np.array([0.5, 0.5]), name="w_i", flows=True)
_LINK = above_zero("packet/s", 1000.0, name="Theta")
equation = Symbols(
    tau_min=from_zero("s", 0.04, name="tau_min"),
    q=from_zero("packet", np.array([9.0, 1.0]), name="q_i"),
    q_max=above_zero("packet", 50.0, name="Q_max", infinite=True),
    q_total=from_zero("packet", 50.0, name="the sum of q_i"),
    x=from_zero("packet/s", np.array([500.0, 700.0]), name="x_i"),
    service=above_zero("packet/s", np.array([500.0, 500.0]), name="s_i"),
    theta=from_zero("packet/s", np.array([500.0, 500.0]), name="Theta_i"),
    link=above_zero("packet/s", 1000.0, name="Theta"),
    p=probability(0.1),
    m=probability(0.1, name="m_i"),
    weights=above_zero("", np.array([0.5, 0.5]), name="w_i"),
    sojourn=from_zero("s", 0.006, name="d_i"),
    kappa=from_zero("", 0.1),
    target=from_zero("s", TARGET, name="the target"),
    interval=above_zero("s", INTERVAL, name="the interval"),
    above=from_zero("s", 0.5, name="the time above the target"),
    blue=probability(0.0, name="BLUE's probability"),
    hosts=count([0, 0, 1], 0, name="the host"),
    active=probability([True, True, False], whole=True, name="whether a flow is active"),
)


@equation("Eq 15", "s", service=_THETA)
def eq15_printed(tau_min: Any, q: Any, service: Any) -> Any:
    """Round-trip time: a flow's own queue over its own service, under a FIFO too."""
    return tau_min + q / service


@equation("Eq 15", "s", service=_THETA)
def eq15(tau_min: Any, q: Any, service: Any, shared: bool) -> Any:
    """Round-trip time: in a FIFO a packet waits for all that is before it."""
    if shared:
        need(
            np.ndim(q) < 2 and np.shape(q) == np.shape(service),
            "Eq 15",
            "q_i",
            f"of the shape {np.shape(q)}, with Theta_i of {np.shape(service)},",
            "one queue and one service for each flow",
        )
        return tau_min + q.sum() / service.sum()
    return tau_min + q / service


@equation("Eq 16", "packet/s", service=_IDLE)
def eq16_printed(x: Any, service: Any) -> Any:
    """Growth of a queue: below zero it goes on."""
    return x - service


@equation("Eq 16", "packet/s", service=_IDLE)
def eq16(x: Any, service: Any, q: Any) -> Any:
    """Growth of a queue that is never below 0."""
    return np.where(q > 0, x - service, np.maximum(x - service, 0 * x))


@equation("Eq 17", "packet/s")
def eq17_printed(p: Any, x: Any) -> Any:
    """Throughput after drops, as printed. As the service of Eq 16 it makes a queue grow by what is
    dropped and by nothing else, and never fall: x - (1 - p) x = p x."""
    return (1 - p) * x


@equation("Eq 17", "packet/s", service=_IDLE)
def eq17(p: Any, x: Any, service: Any, q: Any) -> Any:
    """Growth of a queue that drops: what is let in, less what is served."""
    return eq16((1 - p) * x, service, q)


@equation(
    "Eq 18",
    "packet",
    theta=from_zero("packet/s", np.array([500.0, 500.0]), name="Theta_i", flows=True),
    q=_QUEUES,
)
def eq18_printed(theta: Any, q: Any, q_max: Any) -> Any:
    """Service of a FIFO, as printed: packets, where packets per second belong."""
    return theta / theta.sum() * np.minimum(q.sum(), q_max)


@equation("Eq 18", "packet/s", q=_QUEUES, x=_SENT)
def eq18(link: Any, q: Any, x: Any) -> Any:
    """Service of a FIFO: in order, so each flow by its part of the queue; all that comes, where
    nothing waits."""
    total = q.sum()
    if total > 0:
        return link * q / total
    return x * np.minimum(1, link / np.maximum(x.sum(), link))


@equation("Eq 19", "packet/s")
def eq19_printed(q_total: Any, q_max: Any, x: Any) -> Any:
    """Drops of a full FIFO, as printed with an indicator: all that comes, though it serves."""
    return np.where(q_total >= q_max, x, 0 * x)


@equation("Eq 19", "packet/s", x=_SENT)
def eq19(q_total: Any, q_max: Any, x: Any, link: Any) -> Any:
    """Drops of a full FIFO: arrivals beyond its service."""
    total = x.sum()
    over = np.maximum(total - link, 0 * link)
    return np.where(q_total >= q_max, x * (over / np.maximum(total, link)), 0 * x)


@equation("Eq 20", "packet/s", theta=_LINK, weights=_SHARES)
def eq20_printed(weights: Any, theta: Any) -> Any:
    """Service of fair queues, as printed: a flow that sends less leaves its part to nobody."""
    return weights / weights.sum() * theta


@equation("Eq 20", "packet/s", weights=_SHARES, q=_QUEUES, x=_SENT)
def eq20(weights: Any, link: Any, q: Any, x: Any) -> Any:
    """Service of fair queues: weighted max-min shares. A flow without a queue takes what it sends,
    if that is below its share, and the others share the rest."""
    served, open_ = 0 * x, np.ones(len(x), bool)
    left = link
    while open_.any():
        share = np.where(open_, weights, 0) / weights[open_].sum() * left
        small = open_ & (q <= 0) & (x <= share)
        if not small.any():
            return np.where(open_, share, served)
        served = np.where(small, x, served)
        left = link - served.sum()
        open_ = open_ & ~small
    return served


@equation("Eq 21", "s")
def eq21_sojourn(q: Any, service: Any) -> Any:
    """Time that a packet waits: its queue over its service."""
    return q / service


@equation("Eq 21", "")
def eq21_printed(sojourn: Any, kappa: Any, target: Any = TARGET) -> Any:
    """Drops of CoDel, as printed: a constant without a unit as soon as the delay is above the
    target. No interval, no square root."""
    return np.where(sojourn > target, kappa, 0 * kappa)


@equation("Eq 21", "1/s")
def eq21(above: Any, interval: Any = INTERVAL) -> Any:
    """Drops per second of CoDel whose delay has been above the target for `above` seconds.

    None in the first interval. Then drop n + 1 comes interval / sqrt(n) after drop n (RFC 8289
    4.3). The sum of 1 / sqrt(k) below n is 2 sqrt(n) + zeta(1/2) for large n, so that 2 sqrt(n) is
    t / interval - zeta(1/2), and the rate grows linearly with t.
    """
    t = np.maximum(above - interval, 0 * interval)
    rate = (t / interval - _ZETA_HALF) / (2 * interval)
    return np.where(above >= interval, rate, 0 / interval)


@equation("Eq 22", "")
def eq22(hosts: Sequence[int], active: Sequence[bool], per_host: bool = True) -> Any:
    """CAKE's weights: a flow's part of its host's part. The paper leaves phi_host open; here it is
    one over the flows of the host that have something to send."""
    flows = np.asarray(active, bool)
    of = np.asarray(hosts)
    if not per_host:
        return np.ones(len(of))
    busy = np.array([max(int(flows[of == h].sum()), 1) for h in of])
    return 1 / busy


@equation("Eq 23", "", x=above_zero("1/s", np.array([500.0, 700.0]), name="x_i"))
def eq23(x: Any, above: Any, blue: Any = 0.0, interval: Any = INTERVAL) -> Any:
    """Part of a flow that CAKE drops or marks. The paper's F_cake is not defined; CAKE's COBALT
    drops as CoDel does (Eq 21), and by chance with BLUE's probability, which rises when the queue
    overflows."""
    codel = np.minimum(eq21(above, interval) / x, 1)
    return 1 - (1 - codel) * (1 - blue)


@equation("Eq 24", "packet/s", service=_IDLE)
def eq24_printed(x: Any, m: Any, service: Any) -> Any:
    """Growth of CAKE's queue, as printed: right, unlike Eqs 16 and 17 together, down to zero."""
    return x * (1 - m) - service


@equation("Eq 24", "packet/s", service=_IDLE)
def eq24(x: Any, m: Any, service: Any, q: Any) -> Any:
    """Growth of CAKE's queue, never below zero."""
    return eq17(m, x, service, q)
