"""Eqs 4 to 8 for stations that contend, with A-MPDUs of any length: who gets the air how often.

Without triggers a channel is one RU, and a slot of Eq 7 is idle, a success or a collision. Those
who have data always attempt with the probability of Eq 4. Those who send only ACKs have something
to send after data has arrived, and attempt for that part of the time.

An ACK sender is the server of a closed queue: each of its receivers is a customer that comes with
the ACKs of an exchange of data, and all ACKs that wait for it go in one A-MPDU. With one receiver
this has a closed form that knows backoffs (`RESIDUAL`); with more it is the machine repair model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import e, inf
from operator import mul
from typing import NamedTuple

from scipy.optimize import brentq

from acklab.fluid.access import eq5, eq6
from acklab.fluid.domain import (
    NoSolutionError,
    Symbol,
    Symbols,
    above_zero,
    count,
    from_zero,
    need,
    probability,
    unchecked,
)
from acklab.fluid.durations import DIFS, SIFS, SLOT, eifs, legacy

#: Exchanges of data that pass, beyond the one after which it came, until an ACK's backoff is the
#: shorter one. The rest of a uniform backoff has the density 2 (1 - x), and k new ones are
#: together below it with probability 2 / (k + 2)!; the sum from k = 1 on is 2 (e - 2) - 1.
RESIDUAL = 2 * (e - 2) - 1
#: Points of gamma at which a curve without a proof is looked at.
_LOOKS = 1000

#: The length of an exchange or of a part of it.
_TIME = from_zero("s", 100e-6)
equation = Symbols(
    slots=Symbol("", [8.5, 16.5], low=1.0, name="B_k"),
    f=probability(0.1),
    gamma=probability(0.1, name="f"),
    p_phy=probability(0.0, equation="Eq 6"),
    parts=probability([1.0, 1.0], name="the part of the time with something to send"),
    betas=probability([0.1, 0.2], name="beta"),
    i=count(0, 0, name="the number of a station"),
    tries=count(8, 0, name="the number of attempts"),
    arrives=from_zero("1/s", 0.1, name="the rate of arrivals"),
    serves=above_zero("1/s", 0.2, name="the rate of service"),
    customers=count(2, name="the number of receivers"),
    lasts=_TIME.like([2e-3, 1e-3], name="T_s"),
    spoilt=_TIME.like([2e-3, 1e-3], name="T_c"),
    aifsn=count(2, 0, name="AIFSN"),
    packets=from_zero("", 10.0, name="p_agg"),
    payload=above_zero("bit", 12e3, name="s_p"),
    exchange=above_zero("s", 2e-3, name="t_s"),
    mbps=above_zero("", 24, name="the basic rate"),
    fixed=_TIME.like(200e-6, name="d_ppdu"),
    each=_TIME.like(180e-6, name="d_ppdu for each MPDU"),
    most=count(20, name="P_Agg^Max"),
    answer=_TIME.like(48e-6, name="d_mb"),
    rts=_TIME.like(90e-6, optional=True, name="d_rts"),
    rts_alone=_TIME.like(30e-6, name="d_rts"),
    windows=count([16, 32], name="B_k", equation="Eq 4"),
)


@equation("Eq 1")
@dataclass(frozen=True)
class Exchange:
    """A PPDU and its answer, by number of MPDUs; seconds."""

    #: Whatever is sent, and for each MPDU.
    fixed: float
    each: float
    #: Most MPDUs.
    most: int
    #: SIFS and answer, which a collision does not have.
    answer: float
    #: RTS, CTS and their gaps; `None` without.
    rts: float | None = None
    #: Length of the RTS alone, when it collides.
    rts_alone: float = 0.0

    def lasts(self, n: float) -> float:
        """A success with `n` MPDUs."""
        return self.fixed + self.each * n + (self.rts or 0.0)

    def spoilt(self, n: float) -> float:
        """A collision, up to the end of the longer frame."""
        if self.rts is not None:
            return self.rts_alone
        return self.fixed + self.each * n - self.answer

    def scaled(self, factor: float) -> Exchange:
        """With a PHY rate so many times as high."""
        return replace(self, each=self.each / factor)


@equation("Eqs 4 and 6")
@dataclass(frozen=True)
class Contender:
    """A contending station: windows by failures in a row, CWmin + 1 and so on."""

    windows: Sequence[int]
    #: Part of the PPDUs that the channel spoils: of single MPDUs. An A-MPDU of which some MPDUs
    #: arrive has a Block Ack, so that it does not fail.
    p_phy: float = 0.0

    def __post_init__(self) -> None:
        need(len(self.windows) > 0, "Eq 4", "B_k", list(self.windows), "there is a first stage")
        falls = any(b < a for a, b in pairwise(self.windows))
        need(not falls, "Eq 4", "B_k", list(self.windows), "windows do not shrink with failures")

    @property
    def slots(self) -> list[float]:
        """B_k with the slot of the attempt."""
        return [(w + 1) / 2 for w in self.windows]


@equation("Eq 4", "")
def has_one_point(slots: Sequence[float]) -> bool:
    """Whether these B_k can have only one fixed point beside any other stations.

    That is so if (1 - gamma) (1 - beta) falls with gamma (V. Ramaiyan, A. Kumar, E. Altman, *Fixed
    Point Analysis of Single Cell IEEE 802.11e WLANs: Uniqueness and Multistability*, ToN 16(5),
    2008). Its derivative has the sign of polynomials in gamma whose coefficients can be compared
    one by one: enough is that sum over i of B_i B_(m-i) is at least (m + 1) B_(m+1) for every m
    below the last stage. Windows that double from 4 slots on (CWmin 3) fulfil it.
    """
    b = list(slots)
    if b == [1.0] * len(b):
        return True
    return all(
        sum(b[i] * b[m - i] for i in range(m + 1)) >= (m + 1) * b[m + 1] for m in range(len(b) - 1)
    )


@equation("Eq 4", "")
def attempts(f: float, slots: Sequence[float]) -> float:
    """Eq 4 by Horner's scheme, for the many times that a solver asks."""
    top = bottom = 0.0
    for b in reversed(slots):
        top = top * f + 1.0
        bottom = bottom * f + b
    return top / bottom


_attempts = unchecked(attempts)


@dataclass(frozen=True)
class _Kind:
    """Stations that are alike: their B_k, errors, part of the time, and how many they are."""

    slots: Sequence[float]
    p_phy: float
    part: float
    stations: int

    def quiet(self, gamma: float) -> float:
        """(1 - gamma) times the probability that this station is silent: what Eq 5 makes of it is
        that all are silent."""
        f = 1 - (1 - gamma) * (1 - self.p_phy)
        return (1 - gamma) * (1 - self.part * _attempts(f, self.slots))

    def beta(self, nobody: float) -> float:
        """Its beta where all are silent in `nobody` of the slots: `quiet` falls from its value at
        0 to 0, so that one gamma has it."""
        if nobody <= 0:
            return _attempts(1.0, self.slots)
        if nobody >= self.quiet(0.0):
            gamma = 0.0
        else:
            gamma = float(brentq(lambda g: self.quiet(g) - nobody, 0.0, 1.0, xtol=1e-15))
        return _attempts(1 - (1 - gamma) * (1 - self.p_phy), self.slots)


@equation("Eq 5", "")
def fixed_point(of: Sequence[Contender], parts: Sequence[float]) -> list[float]:
    """Eqs 4 to 6 for stations of all kinds: beta of each if it has something to send, where it has
    so for `parts` of the time.

    The other stations are those of Eq 5, each with a beta of its own. With equal stations it is
    `access.random_access` with one RU. Two nested bisections with Brent's steps find it. Let P be
    the part of the slots in which all are silent. By Eq 5 a station's (1 - gamma) (1 - beta part)
    is P. Where that falls with gamma (`has_one_point`), P decides gamma and beta of every station,
    and beta grows with P. So the product of all (1 - beta part) falls with P, and it is P once. It
    is above P at 0, and below it at the smallest (1 - beta part) with gamma = 0.

    Raises:
        NoSolutionError: Where windows are so small that there may be several fixed points.
    """
    tally: dict[tuple[tuple[float, ...], float, float], int] = {}
    keys = []
    need(
        len(of) == len(parts) > 0,
        "Eq 5",
        "the part of the time with something to send",
        list(parts),
        f"one for each of the stations, of which there are {len(of)}, and at least one",
    )
    for c, part in zip(of, parts, strict=True):
        key = (tuple(c.slots), c.p_phy, part)
        keys.append(key)
        tally[key] = tally.get(key, 0) + 1
    kinds = {k: _Kind(*k, n) for k, n in tally.items()}
    if len(of) == 1:
        # Nobody else, so gamma is 0.
        return [_attempts(of[0].p_phy, of[0].slots)]
    for kind in kinds.values():
        _must_have_one(kind)
    most = min(k.quiet(0.0) for k in kinds.values())

    def excess(nobody: float) -> float:
        product = 1.0
        for k in kinds.values():
            product *= (1 - k.part * k.beta(nobody)) ** k.stations
        return product - nobody

    if excess(0.0) <= 0:
        found = 0.0
    elif excess(most) >= 0:
        # All others never have anything to send.
        found = most
    else:
        found = float(brentq(excess, 0.0, most, xtol=1e-15))
    betas = {key: kind.beta(found) for key, kind in kinds.items()}
    return [betas[key] for key in keys]


def _must_have_one(of: _Kind) -> None:
    """Refuses what may have several fixed points: the sufficient rule for any part of the time and
    any errors first, and where it fails the curve itself."""
    if has_one_point(of.slots):
        return
    last = of.quiet(0.0)
    for i in range(1, _LOOKS + 1):
        now = of.quiet(i / _LOOKS)
        if now >= last:
            windows = [round(2 * b - 1) for b in of.slots[:3]]
            raise NoSolutionError(
                f"Eqs 4 and 5: beta and gamma may have several fixed points: with windows"
                f" {windows[0]}, {windows[1]}, ... slots (1 - gamma) (1 - beta) does not fall at"
                f" gamma = {i / _LOOKS:.3g}, and who succeeds goes on to succeed\n"
                "  help: windows that double from 4 slots on (cw_min = 3) have one"
            )
        last = now


@equation("Eq 4", ("", ""))
def busy_part(arrives: float, serves: float, customers: int) -> tuple[float, float]:
    """Of an ACK sender: the part of the time that it has something to send, and how many receivers
    it has something for, in the mean. `arrives` is of each receiver that has nothing, `serves` for
    whoever is served, both per slot."""
    if arrives == 0:
        return 0.0, 0.0
    if customers == 1:
        done = arrives * serves / (RESIDUAL * arrives + serves)
        part = min(done / serves, 1.0)
        return part, part
    # Machine repair: P_k / P_0 = n! / (n - k)! (arrives / serves)^k.
    load = arrives / serves
    terms, term = [1.0], 1.0
    for others in range(customers, 0, -1):
        term = term * others * load
        terms.append(term)
    if terms[-1] == inf:
        # More than a float holds. From the other end: P_k / P_n = 1 / ((n - k)! load^(n - k)).
        terms, term = [1.0], 1.0
        for others in range(1, customers + 1):
            term = term / (others * load)
            terms.append(term)
        terms.reverse()
    total = sum(terms)
    waiting = sum(map(mul, range(customers + 1), terms)) / total
    return 1 - terms[0] / total, waiting


#: An idle slot, and what EIFS is longer than DIFS, s.
_SLOT_S = SLOT * 1e-6
_AFTER_FAILURE = (eifs() - DIFS) * 1e-6


class Slot(NamedTuple):
    """Eq 7 for stations of all kinds."""

    #: E[X], s.
    mean: float
    #: E[X^2] / (2 E[X]): what is left of a slot to who comes by chance, s.
    rest: float
    #: Successes of each station in a slot.
    success: Sequence[float]
    collision: float
    #: Part of the slots in which nobody sends.
    idle: float


@equation("Eq 7", {"mean": "s", "rest": "s", "collision": "", "idle": ""})
def slot(
    betas: Sequence[float], lasts: Sequence[float], spoilt: Sequence[float], aifsn: int = 2
) -> Slot:
    """E[X]: `lasts` and `spoilt` are lengths of a success and of a frame that collides, s.

    A collision lasts as long as its longest frame, and then all wait for EIFS.
    """
    return _slot_of(betas, lasts, spoilt, aifsn, [(i, 1) for i in range(len(betas))])


def _slot_of(
    betas: Sequence[float],
    lasts: Sequence[float],
    spoilt: Sequence[float],
    aifsn: int,
    runs: Sequence[tuple[int, int]],
) -> Slot:
    """See `slot`; stations may be alike: `runs` are which of these comes, and how often in a row.

    They count one after the other, so that products and sums are those of single stations, to the
    bit.
    """
    silent = [1 - b for b in betas]
    idle = 1.0
    for i, n in runs:
        quiet = silent[i]
        for _ in range(n):
            idle *= quiet
    success = [b * idle / (1 - b) if b < 1 else 0.0 for b in betas]
    gap = (SIFS + aifsn * SLOT) * 1e-6
    mean = idle * _SLOT_S
    square = mean * _SLOT_S
    for i, n in runs:
        length = lasts[i] + gap
        part = success[i] * length
        more = part * length
        for _ in range(n):
            mean += part
            square += more
    # By the longest frame of a slot: none longer attempts, and this one does.
    failed = _AFTER_FAILURE + gap
    shorter, collision = 1.0, 0.0
    for i, n in sorted(runs, key=lambda run: spoilt[run[0]], reverse=True):
        b, alone, quiet, length = betas[i], success[i], silent[i], spoilt[i] + failed
        for _ in range(n):
            # Less the case that nobody else attempts.
            p = shorter * b - alone
            shorter *= quiet
            if p > 0:
                mean += p * length
                square += p * length * length
                collision += p
    return Slot(mean, square / (2 * mean), success, collision, idle)


@equation("Eq 6", "")
def gives_up(gamma: float, tries: int) -> float:
    """Part of the packets that `tries` attempts in a row do not bring through."""
    return float(gamma**tries)


@equation("Eq 5", "")
def collides(betas: Sequence[float], i: int) -> float:
    """Eq 5 for stations of all kinds."""
    need(i < len(betas), "Eq 5", "the number of a station", i, f"below {len(betas)}")
    alone = 1.0
    for j, b in enumerate(betas):
        if j != i:
            alone *= 1 - b
    return 1 - alone


@equation("Eq 8", "bit/s")
def station_printed(
    betas: Sequence[float], i: int, p_phy: float, packets: float, payload: float, exchange: float
) -> float:
    """Eqs 2, 5, 6 and 8 as printed, bit/s, with a channel that is one RU of random access: r_A of
    Eq 2 is 1, s_A is 0, and t_s is the `exchange`."""
    need(i < len(betas), "Eq 5", "the number of a station", i, f"below {len(betas)}")
    gamma = float(eq5(betas[i], 1, len(betas)))
    return betas[i] * (1 - float(eq6(gamma, p_phy))) * packets * payload / exchange


@equation("Eq 7", ("s", "s"))
def rts_cts(mbps: int) -> tuple[float, float]:
    """RTS, SIFS, CTS and SIFS, s; and the RTS alone."""
    rts, cts = legacy(mbps, 20), legacy(mbps, 14)
    return (rts + cts + 2 * SIFS) * 1e-6, rts * 1e-6
