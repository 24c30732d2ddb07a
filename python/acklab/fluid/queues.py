"""Eqs 15-24: round-trip times, queues, and what FIFO, FQ-CoDel and CAKE serve and drop.

Queues are in packets, rates in packets per second. Arrays have one element a flow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acklab.fluid.domain import need, not_negative, positive, probability

#: CoDel's constants (RFC 8289 4.2 and 4.3).
TARGET, INTERVAL = 5e-3, 100e-3
#: Riemann's zeta at 1/2.
_ZETA_HALF = -1.4603545088095868


def eq15_printed(tau_min: Any, q: Any, service: Any) -> Any:
    """Round-trip time: a flow's own queue over its own service, under a FIFO too."""
    positive("Eq 15", "Theta_i", service)
    return tau_min + q / service


def eq15(tau_min: Any, q: Any, service: Any, shared: bool) -> Any:
    """Round-trip time: in a FIFO a packet waits for all that is before it."""
    positive("Eq 15", "Theta_i", service)
    not_negative("Eq 15", "tau_min", tau_min)
    not_negative("Eq 15", "q", q)
    if shared:
        return tau_min + q.sum() / service.sum()
    return tau_min + q / service


def eq16_printed(x: Any, service: Any) -> Any:
    """Growth of a queue: below zero it goes on."""
    return x - service


def eq16(x: Any, service: Any, q: Any) -> Any:
    """Growth of a queue that is never below 0."""
    need(q >= 0, "Eq 16", "q", q, "a queue is 0 or more")
    return np.where(q > 0, x - service, np.maximum(x - service, 0 * x))


def eq17_printed(p: Any, x: Any) -> Any:
    """Throughput after drops, as printed. As the service of Eq 16 it makes a queue grow by what is
    dropped and by nothing else, and never fall: x - (1 - p) x = p x."""
    probability("Eq 17", "p", p)
    return (1 - p) * x


def eq17(p: Any, x: Any, service: Any, q: Any) -> Any:
    """Growth of a queue that drops: what is let in, less what is served."""
    probability("Eq 17", "p", p)
    return eq16((1 - p) * x, service, q)


def eq18_printed(theta: Any, q: Any, q_max: Any) -> Any:
    """What a FIFO serves, as printed: packets, where packets per second belong."""
    return theta / theta.sum() * np.minimum(q.sum(), q_max)


def eq18(link: Any, q: Any, x: Any) -> Any:
    """What a FIFO serves: in order, so each flow by its part of the queue; all that comes, where
    nothing waits."""
    need(q >= 0, "Eq 18", "q", q, "a queue is 0 or more")
    positive("Eq 18", "Theta", link)
    total = q.sum()
    if total > 0:
        return link * q / total
    return x * np.minimum(1, link / np.maximum(x.sum(), link))


def eq19_printed(q_total: Any, q_max: Any, x: Any) -> Any:
    """What a full FIFO drops, as printed with an indicator: all that comes, though it serves."""
    return np.where(q_total >= q_max, x, 0 * x)


def eq19(q_total: Any, q_max: Any, x: Any, link: Any) -> Any:
    """What a full FIFO drops: what comes beyond what it serves."""
    positive("Eq 19", "Q_max", q_max)
    positive("Eq 19", "Theta", link)
    not_negative("Eq 19", "x_i", x)
    total = x.sum()
    over = np.maximum(total - link, 0 * link)
    return np.where(q_total >= q_max, x * (over / np.maximum(total, link)), 0 * x)


def eq20_printed(weights: Any, theta: Any) -> Any:
    """What fair queues serve, as printed: a flow that sends less leaves its part to nobody."""
    return weights / weights.sum() * theta


def eq20(weights: Any, link: Any, q: Any, x: Any) -> Any:
    """What fair queues serve: weighted max-min shares. A flow without a queue takes what it sends,
    if that is below its share, and the others share the rest."""
    need(weights > 0, "Eq 20", "w_i", weights, "a weight is above 0")
    positive("Eq 20", "Theta", link)
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


def eq21_sojourn(q: Any, service: Any) -> Any:
    """Time that a packet waits: its queue over its service."""
    positive("Eq 21", "s_i", service)
    return q / service


def eq21_printed(sojourn: Any, kappa: Any, target: Any = TARGET) -> Any:
    """What CoDel drops, as printed: a constant without a unit as soon as the delay is above the
    target. No interval, no square root."""
    return np.where(sojourn > target, kappa, 0 * kappa)


def eq21(above: Any, interval: Any = INTERVAL) -> Any:
    """Drops per second of CoDel whose delay has been above the target for `above` seconds.

    None in the first interval. Then drop n + 1 comes interval / sqrt(n) after drop n (RFC 8289
    4.3). The sum of 1 / sqrt(k) below n is 2 sqrt(n) + zeta(1/2) for large n, so that 2 sqrt(n) is
    t / interval - zeta(1/2), and the rate grows linearly with t.
    """
    need(above >= 0, "Eq 21", "the time above the target", above, "0 or more")
    t = np.maximum(above - interval, 0 * interval)
    rate = (t / interval - _ZETA_HALF) / (2 * interval)
    return np.where(above >= interval, rate, 0 / interval)


def eq22(hosts: Sequence[int], active: Sequence[bool], per_host: bool = True) -> Any:
    """CAKE's weights: a flow's part of its host's part. The paper leaves phi_host open; here it is
    one over the flows of the host that have something to send."""
    flows = np.asarray(active, bool)
    of = np.asarray(hosts)
    if not per_host:
        return np.ones(len(of))
    busy = np.array([max(int(flows[of == h].sum()), 1) for h in of])
    return 1 / busy


def eq23(x: Any, above: Any, blue: Any = 0.0, interval: Any = INTERVAL) -> Any:
    """Part of a flow that CAKE drops or marks. The paper's F_cake is not defined; CAKE's COBALT
    drops as CoDel does (Eq 21), and by chance with BLUE's probability, which rises when the queue
    overflows."""
    positive("Eq 23", "x_i", x)
    probability("Eq 23", "BLUE's probability", blue)
    codel = np.minimum(eq21(above, interval) / x, 1)
    return 1 - (1 - codel) * (1 - blue)


def eq24_printed(x: Any, m: Any, service: Any) -> Any:
    """Growth of CAKE's queue, as printed: right, unlike Eqs 16 and 17 together, down to zero."""
    return x * (1 - m) - service


def eq24(x: Any, m: Any, service: Any, q: Any) -> Any:
    """Growth of CAKE's queue, never below zero."""
    return eq17(m, x, service, q)
