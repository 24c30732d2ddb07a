"""Eqs 9 to 19 as one system for a flow in a FIFO: as printed, and corrected.

Unknowns are the two bounds of the window and the queue; the corrected system has a third of the
sender, its bandwidth, for which the paper has no equation. What the network tells is one smallest
RTT old (`delays`), or at once as the paper has it. Phases follow the clock: the paper says of none
when it begins; here a cycle probes, drains and cruises, and each 5 s the RTT is probed (Eq 14).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from acklab.fluid import bbr3, queues
from acklab.fluid.delays import Bound, Floats, Solution, solve_delayed
from acklab.fluid.domain import Symbols, above_zero, need, probability, unchecked

#: Round trips of a cycle that fill the path, and that probe above it, and that drain.
REFILL, UP, DOWN = 1.0, 2.0, 1.0
#: Gains of pacing in them (draft-ietf-ccwg-bbr 4.3.3).
UP_GAIN, DOWN_GAIN = 1.25, 0.9

equation = Symbols(
    link=above_zero("packet/s", 1000.0, name="Theta", equation="Eq 16"),
    tau_min=above_zero("s", 0.04, equation="Eq 15"),
    limit=above_zero("packet", 50.0, name="Q_max", equation="Eq 19"),
    wait=above_zero("s", 2.5, name="the wait", equation="Eq 9"),
    seconds=above_zero("s", 1.0, name="the length of the run"),
    first=above_zero("", 0.5, name="the first bandwidth", equation="Eq 12"),
    tolerance=probability(1e-5, above=True, below=True, name="the tolerance"),
    loss=probability(0.0, name="p", equation="Eq 17"),
    cruise=probability(1.0, optional=True, name="m_crs", equation="Eq 9"),
)


@equation("Eqs 9 to 19")
@dataclass(frozen=True)
class Home:
    """A flow on a link with a FIFO: packets, packets per second, seconds."""

    link: float
    tau_min: float
    limit: float
    #: Seconds from one probe to the next.
    wait: float = 2.5

    def __post_init__(self) -> None:
        shortest = (REFILL + UP + DOWN) * self.tau_min
        need(self.wait > shortest, "Eq 9", "the wait", self.wait, f"longer than {shortest:g} s")

    @property
    def bdp(self) -> float:
        """Packets that fill the path."""
        return self.link * self.tau_min

    def phase(self, t: float) -> tuple[str, float]:
        """The phase at a time, and for how long it has been."""
        if _PROBES_RTT(t):
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


#: Packets below full and above empty within which a queue turns to what it does there.
EDGE = 0.01
Reading = Literal["throughput", "service"]
READINGS = ("throughput", "service")

#: Equations without their doors: a solver calls them some ten thousand times a minute, and a
#: printed queue goes below 0, which is the solver's to say.
_EQ9, _EQ9_PRINTED = unchecked(bbr3.eq9), unchecked(bbr3.eq9_printed)
_EQ10, _EQ10_PRINTED = unchecked(bbr3.eq10), unchecked(bbr3.eq10_printed)
_EQ11, _EQ11_PRINTED = unchecked(bbr3.eq11), unchecked(bbr3.eq11_printed)
_EQ12, _EQ12_PRINTED = unchecked(bbr3.eq12), unchecked(bbr3.eq12_printed)
_EQ13, _EQ13_PRINTED = unchecked(bbr3.eq13), unchecked(bbr3.eq13_printed)
_EQ14, _BANDWIDTH = unchecked(bbr3.eq14), unchecked(bbr3.bandwidth)
_EQ15_PRINTED, _EQ16_PRINTED = unchecked(queues.eq15_printed), unchecked(queues.eq16_printed)
_EQ17_PRINTED, _PROBES_RTT = unchecked(queues.eq17_printed), unchecked(bbr3.probes_rtt)


@equation("Eqs 9 to 19", None)
def printed(
    of: Home,
    seconds: float,
    reading: Reading,
    loss: float = 0.0,
    cruise: float | None = None,
    beyond: bool = False,
) -> Solution:
    """The system as printed: `w_hi`, `w_lo`, `q`.

    Eq 17 names the throughput Theta_i(t), as Eq 16 names its service. The `reading` says whether
    Eq 16 serves that throughput, or Eq 8's constant. The base window, which has no equation, is the
    BDP. `loss` is p, `cruise` a constant m_crs. A queue `beyond` its limit goes on only where one
    wants to see how far.

    Raises:
        NoSolutionError: Where a bound or the queue leaves the physical region.
    """
    need(reading in READINGS, "Eq 16", "the reading", reading, f"one of {', '.join(READINGS)}")

    def right(t: float, y: list[float], then: list[float]) -> list[float]:
        hi, lo, _ = y
        phase, _ = of.phase(t)
        m = cruise if cruise is not None else float(phase in ("CRUISE", "DOWN"))
        x = _printed_rate(of, m, lo, hi, phase == "PROBE_RTT" and cruise is None)
        tau = _EQ15_PRINTED(of.tau_min, then[2], of.link)
        served = _EQ17_PRINTED(loss, x) if reading == "throughput" else of.link
        return [
            _EQ10_PRINTED(hi, x * tau, m, tau, of.tau_min, loss),
            _EQ11_PRINTED(lo, of.bdp, m, of.tau_min, loss),
            _EQ16_PRINTED(x, served),
        ]

    bounds = [
        Bound(0, "w_hi", "Eq 10", right="a window is 0 or more"),
        Bound(1, "w_lo", "Eq 11", right="a window is 0 or more"),
        Bound(
            2,
            "q",
            "Eq 16",
            right="a queue is from 0 to Q_max; the corrected Eqs 16 and 19 stop there",
            most=inf if beyond else of.limit,
        ),
    ]
    start = [of.bdp, of.bdp, 0.0]
    return solve_delayed(
        right, of.tau_min, start, seconds, breaks=of.breaks(seconds), bounds=bounds, plain=True
    )


def _printed_rate(of: Home, m: float, lo: float, hi: float, probing: bool) -> float:
    w = _EQ9_PRINTED(of.bdp, m, lo, hi)
    of_rtt = _EQ13_PRINTED(of.bdp, of.tau_min)[1]
    return float(_EQ14(probing, of_rtt, _EQ12_PRINTED(w, of.tau_min)))


@dataclass(frozen=True)
class Run:
    """Samples of a run of the corrected system."""

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


@equation("Eqs 9 to 19", None)
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

    def flow(t: float, y: list[float]) -> tuple[float, float, float, float, float]:
        """Rate, service, drops, RTT, and part of the packets that is dropped."""
        hi, lo, q, b = y[:4]
        phase, _ = of.phase(t)
        q = min(max(q, 0.0), of.limit)
        tau = tau_min + q / link
        base = b * tau_min
        if phase == "PROBE_RTT":
            x = _EQ13(base, tau)[1]
        else:
            m = float(phase in ("CRUISE", "DOWN"))
            x = float(_EQ12(_EQ9(base, m, lo, hi), tau, gains.get(phase, 1.0) * b))
        # Within a hundredth of a packet of empty or full the queue does what it does there: a
        # solver cannot stand on an edge.
        thin = min(q / EDGE, 1.0)
        served = thin * link + (1 - thin) * min(x, link)
        full = min(max((q - of.limit + EDGE) / EDGE, 0.0), 1.0)
        dropped = full * max(x - link, 0.0)
        return x, served, dropped, tau, dropped / x if x > 0 else 0.0

    def right(t: float, y: list[float], then: list[float]) -> list[float]:
        hi, lo, _, b = y[:4]
        x, served, dropped, tau, _ = flow(t, y)
        phase, since = of.phase(t)
        _, heard, _, _, p = flow(max(t - tau_min, 0.0) if delayed else t, then)
        m = float(phase not in ("UP", "REFILL"))
        rounds_up = since if phase == "UP" else 0.0
        return [
            _EQ10(hi, x * tau, m, rounds_up, tau_min, p),
            _EQ11(lo, b * tau_min, m, tau_min, p),
            x - dropped - served,
            _BANDWIDTH(b, heard, tau_min, 2 * of.wait, phase != "PROBE_RTT"),
            x,
            served,
            dropped,
        ]

    b = first * link
    start = [2 * b * tau_min, b * tau_min, 0.0, b, 0.0, 0.0, 0.0]
    # The layer in which the queue turns, and the solver's error.
    slack = EDGE + 100 * tolerance * of.limit
    bounds = [
        Bound(0, "w_hi", "Eq 10", right="a window is 0 or more"),
        Bound(1, "w_lo", "Eq 11", right="a window is 0 or more"),
        Bound(2, "q", "Eq 16", slack=slack, right="a queue is from 0 to Q_max", most=of.limit),
        Bound(3, "the bandwidth", "Eq 12", right="a bandwidth is 0 or more"),
        Bound(4, "x", "Eq 12", right="what has been sent is 0 or more"),
        Bound(5, "s", "Eq 18", right="what has been served is 0 or more"),
        Bound(6, "p x", "Eq 19", right="what has been dropped is 0 or more"),
    ]
    solved = solve_delayed(
        right,
        tau_min if delayed else 0.0,
        start,
        seconds,
        breaks=of.breaks(seconds),
        bounds=bounds,
        tolerance=tolerance,
        plain=True,
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
