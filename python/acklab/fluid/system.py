"""Eqs 9 to 19 as one system for a flow in a FIFO: as printed, and corrected.

Unknowns are the two bounds of the window and the queue; the corrected system has a third of the
sender, its bandwidth, for which the paper has no equation. What the network tells is one smallest
RTT old (`delays`), or at once as the paper has it. Phases follow the clock: the paper says of none
when it begins; here a cycle probes, drains and cruises, and each 5 s the RTT is probed (Eq 14).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from acklab.fluid import bbr3, queues
from acklab.fluid.delays import Bound, Floats, Solution, solve_delayed
from acklab.fluid.domain import need, positive

#: Round trips of a cycle that fill the path, and that probe above it, and that drain.
REFILL, UP, DOWN = 1.0, 2.0, 1.0
#: Gains of pacing in them (draft-ietf-ccwg-bbr 4.3.3).
UP_GAIN, DOWN_GAIN = 1.25, 0.9


@dataclass(frozen=True)
class Home:
    """A flow on a link with a FIFO: packets, packets per second, seconds."""

    link: float
    tau_min: float
    limit: float
    #: Seconds from one probe to the next.
    wait: float = 2.5

    def __post_init__(self) -> None:
        positive("Eq 16", "Theta", self.link)
        positive("Eq 15", "tau_min", self.tau_min)
        positive("Eq 19", "Q_max", self.limit)
        shortest = (REFILL + UP + DOWN) * self.tau_min
        need(self.wait > shortest, "Eq 9", "the wait", self.wait, f"longer than {shortest:g} s")

    @property
    def bdp(self) -> float:
        """Packets that fill the path."""
        return self.link * self.tau_min

    def phase(self, t: float) -> tuple[str, float]:
        """The phase at a time, and for how long it has been."""
        if bbr3.probes_rtt(t):
            return "PROBE_RTT", t % 5.0 - 4.8
        past = t % self.wait
        for name, rounds in (("REFILL", REFILL), ("UP", UP), ("DOWN", DOWN)):
            if past < rounds * self.tau_min:
                return name, past
            past -= rounds * self.tau_min
        return "CRUISE", past

    def breaks(self, seconds: float) -> list[float]:
        """When phases begin and end."""
        ends = np.cumsum([0.0, REFILL, UP, DOWN]) * self.tau_min
        cycles = (np.arange(0, seconds, self.wait)[:, None] + ends).ravel()
        probes = np.arange(0, seconds + 5, 5.0)
        return sorted({*cycles.tolist(), *probes.tolist(), *(probes - 0.2).tolist()})


Reading = Literal["throughput", "service"]


def printed(
    of: Home, seconds: float, reading: Reading, loss: float = 0.0, cruise: float | None = None
) -> Solution:
    """The system as printed: `w_hi`, `w_lo`, `q`.

    Eq 17 names the throughput Theta_i(t), as Eq 16 names its service. The `reading` says whether
    Eq 16 serves that throughput, or Eq 8's constant. The base window, which has no equation, is the
    BDP. `loss` is p, `cruise` a constant m_crs.
    """

    def right(t: float, y: Floats, then: Floats) -> Floats:
        hi, lo, _ = y
        phase, _ = of.phase(t)
        m = cruise if cruise is not None else float(phase in ("CRUISE", "DOWN"))
        x = _printed_rate(of, m, lo, hi, phase == "PROBE_RTT" and cruise is None)
        tau = queues.eq15_printed(of.tau_min, then[2], of.link)
        served = queues.eq17_printed(loss, x) if reading == "throughput" else of.link
        return np.array(
            [
                bbr3.eq10_printed(hi, x * tau, m, tau, of.tau_min, loss),
                bbr3.eq11_printed(lo, of.bdp, m, of.tau_min, loss),
                queues.eq16_printed(x, served),
            ]
        )

    bounds = [
        Bound(0, "w_hi", "Eq 10", right="a window is 0 or more"),
        Bound(1, "w_lo", "Eq 11", right="a window is 0 or more"),
        Bound(2, "q", "Eq 16", right="a queue is 0 or more; the corrected Eq 16 stops there"),
    ]
    start = [of.bdp, of.bdp, 0.0]
    return solve_delayed(
        right, of.tau_min, start, seconds, breaks=of.breaks(seconds), bounds=bounds
    )


def _printed_rate(of: Home, m: float, lo: float, hi: float, probing: bool) -> float:
    w = bbr3.eq9_printed(of.bdp, m, lo, hi)
    of_rtt = bbr3.eq13_printed(of.bdp, of.tau_min)[1]
    return float(bbr3.eq14(probing, of_rtt, bbr3.eq12_printed(w, of.tau_min)))


@dataclass(frozen=True)
class Run:
    """What came of the corrected system, by sample."""

    time: Floats
    window_high: Floats
    window_low: Floats
    queue: Floats
    bandwidth: Floats
    #: Packets that were sent, served and dropped up to the sample; the queue is what is left.
    sent: Floats
    served: Floats
    dropped: Floats
    rtt: Floats
    phases: list[str]


def corrected(
    of: Home,
    seconds: float,
    delayed: bool = True,
    first: float = 0.5,
    tolerance: float = 1e-5,
) -> Run:
    """The corrected system; the bandwidth begins as so large a part of the link.

    Sent, served and dropped packets are unknowns too, so that the books can be compared.
    """
    link, tau_min = of.link, of.tau_min
    gains = {"UP": UP_GAIN, "DOWN": DOWN_GAIN}

    def flow(t: float, y: Floats) -> tuple[float, float, float, float, float]:
        """Rate, service, drops, RTT, and part of the packets that is dropped."""
        hi, lo, q, b = y[:4]
        phase, _ = of.phase(t)
        q = min(max(q, 0.0), of.limit)
        tau = tau_min + q / link
        base = b * tau_min
        if phase == "PROBE_RTT":
            x = bbr3.eq13(base, tau)[1]
        else:
            m = float(phase in ("CRUISE", "DOWN"))
            x = float(bbr3.eq12(bbr3.eq9(base, m, lo, hi), tau, gains.get(phase, 1.0) * b))
        # Within a hundredth of a packet of empty or full the queue does what it does there: a
        # solver cannot stand on an edge.
        thin = min(q / 0.01, 1.0)
        served = thin * link + (1 - thin) * min(x, link)
        full = min(max((q - of.limit + 0.01) / 0.01, 0.0), 1.0)
        dropped = full * max(x - link, 0.0)
        return x, served, dropped, tau, dropped / x if x > 0 else 0.0

    def right(t: float, y: Floats, then: Floats) -> Floats:
        hi, lo, _, b = y[:4]
        x, served, dropped, tau, _ = flow(t, y)
        phase, since = of.phase(t)
        _, heard, _, _, p = flow(max(t - tau_min, 0.0) if delayed else t, then)
        m = float(phase not in ("UP", "REFILL"))
        rounds_up = since if phase == "UP" else 0.0
        return np.array(
            [
                bbr3.eq10(hi, x * tau, m, rounds_up, tau_min, p),
                bbr3.eq11(lo, b * tau_min, m, tau_min, p),
                x - dropped - served,
                bbr3.bandwidth(b, heard, tau_min, 2 * of.wait, phase != "PROBE_RTT"),
                x,
                served,
                dropped,
            ]
        )

    b = first * link
    start = [2 * b * tau_min, b * tau_min, 0.0, b, 0.0, 0.0, 0.0]
    bounds = [Bound(2, "q", "Eq 16"), Bound(3, "the bandwidth", "Eq 12")]
    solved = solve_delayed(
        right,
        tau_min if delayed else 0.0,
        start,
        seconds,
        breaks=of.breaks(seconds),
        bounds=bounds,
        tolerance=tolerance,
    )
    hi, lo, q, b_, sent, served, dropped = solved.values.T
    return Run(
        solved.time,
        hi,
        lo,
        q,
        b_,
        sent,
        served,
        dropped,
        tau_min + q / link,
        [of.phase(t)[0] for t in solved.time],
    )
