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
from math import e

from acklab.fluid.access import eq4, eq5, eq6
from acklab.fluid.domain import NoSolutionError, need, positive, probability
from acklab.fluid.durations import DIFS, SIFS, SLOT, eifs, legacy

#: Exchanges of data that pass, beyond the one after which it came, until an ACK's backoff is the
#: shorter one. What is left of a uniform backoff has the density 2 (1 - x), and k new ones are
#: together below it with probability 2 / (k + 2)!; the sum from k = 1 on is 2 (e - 2) - 1.
RESIDUAL = 2 * (e - 2) - 1


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
    #: What remains of it when the RTS collides.
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


@dataclass(frozen=True)
class Contender:
    """Who contends: windows by failures in a row, CWmin + 1 and so on."""

    windows: Sequence[int]
    #: Part of the PPDUs that the channel spoils: of single MPDUs. An A-MPDU of which some MPDUs
    #: arrive has a Block Ack, so that it does not fail.
    p_phy: float = 0.0

    def __post_init__(self) -> None:
        need(len(self.windows) > 0, "Eq 4", "B_k", list(self.windows), "there is a first stage")
        probability("Eq 6", "p_phy", self.p_phy)

    @property
    def slots(self) -> list[float]:
        """B_k with the slot of the attempt."""
        return [(w + 1) / 2 for w in self.windows]


def fixed_point(of: Sequence[Contender], parts: Sequence[float]) -> list[float]:
    """Eqs 4 to 6 for stations of all kinds: beta of each if it has something to send, where it has
    so for `parts` of the time.

    The other stations are those of Eq 5, each with a beta of its own. Half of the way to what the
    equations ask for at a time; with equal stations it is `access.random_access` with one RU.
    """
    betas = [eq4(c.p_phy, c.slots) for c in of]
    for _ in range(500):
        nobody = 1.0
        for b, part in zip(betas, parts, strict=True):
            nobody *= 1 - b * part
        new = []
        for c, b, part in zip(of, betas, parts, strict=True):
            gamma = 1 - nobody / (1 - b * part) if b * part < 1 else 1.0
            f = float(eq6(min(max(gamma, 0.0), 1.0), c.p_phy))
            new.append((b + eq4(min(f, 1.0), c.slots)) / 2)
        off = max(abs(x - y) for x, y in zip(new, betas, strict=True))
        betas = new
        if off < 1e-12:
            return betas
    raise NoSolutionError(
        f"Eqs 4 and 5: no fixed point of beta and gamma for {len(of)} stations (change {off:.2g})"
    )


def busy_part(arrives: float, serves: float, customers: int) -> tuple[float, float]:
    """Of an ACK sender: the part of the time that it has something to send, and how many receivers
    it has something for, in the mean. `arrives` is of each receiver that has nothing, `serves` for
    whoever is served, both per slot."""
    if arrives <= 0:
        return 0.0, 0.0
    if customers == 1:
        done = arrives * serves / (RESIDUAL * arrives + serves)
        part = min(done / serves, 1.0)
        return part, part
    # Machine repair: P_k / P_0 = n! / (n - k)! (arrives / serves)^k.
    load = arrives / serves
    terms = [1.0]
    for k in range(customers):
        terms.append(terms[-1] * (customers - k) * load)
    total = sum(terms)
    waiting = sum(k * t for k, t in enumerate(terms)) / total
    return 1 - terms[0] / total, waiting


#: An idle slot, and what EIFS is longer than DIFS, s.
_SLOT_S = SLOT * 1e-6
_AFTER_FAILURE = (eifs() - DIFS) * 1e-6


@dataclass(frozen=True)
class Slot:
    """Eq 7 for stations of all kinds."""

    #: E[X], s.
    mean: float
    #: E[X^2] / (2 E[X]): what is left of a slot to who comes by chance, s.
    rest: float
    #: Successes of each station in a slot.
    success: Sequence[float]
    collision: float


def slot(
    betas: Sequence[float], lasts: Sequence[float], spoilt: Sequence[float], aifsn: int = 2
) -> Slot:
    """E[X]: `lasts` and `spoilt` are lengths of a success and of a frame that collides, s.

    A collision lasts as long as its longest frame, and then all wait for EIFS.
    """
    idle = 1.0
    for b in betas:
        idle *= 1 - b
    success = [b * idle / (1 - b) if b < 1 else 0.0 for b in betas]
    gap = (SIFS + aifsn * SLOT) * 1e-6
    failed = _AFTER_FAILURE + gap
    mean = idle * _SLOT_S
    square = mean * _SLOT_S
    for p, t in zip(success, lasts, strict=True):
        length = t + gap
        mean += p * length
        square += p * length * length
    # By the longest frame of a slot: none longer attempts, and this one does.
    shorter, collision = 1.0, 0.0
    order = range(len(betas))
    for i in sorted(order, key=spoilt.__getitem__, reverse=True):
        b = betas[i]
        # Less the case that nobody else attempts.
        p = shorter * b - success[i]
        shorter *= 1 - b
        if p > 0:
            length = spoilt[i] + failed
            mean += p * length
            square += p * length * length
            collision += p
    return Slot(mean, square / (2 * mean), success, collision)


def gives_up(gamma: float, tries: int) -> float:
    """Part of the packets that `tries` attempts in a row do not bring through."""
    probability("Eq 6", "f", gamma)
    return float(gamma**tries)


def collides(betas: Sequence[float], i: int) -> float:
    """Eq 5 for stations of all kinds."""
    alone = 1.0
    for j, b in enumerate(betas):
        if j != i:
            alone *= 1 - b
    return 1 - alone


def station_printed(
    betas: Sequence[float], i: int, p_phy: float, packets: float, payload: float, exchange: float
) -> float:
    """Eqs 2, 5, 6 and 8 as printed, bit/s, with a channel that is one RU of random access: r_A of
    Eq 2 is 1, s_A is 0, and t_s is the `exchange`."""
    positive("Eq 2", "t_s", exchange)
    gamma = float(eq5(betas[i], 1, len(betas)))
    return betas[i] * (1 - float(eq6(gamma, p_phy))) * packets * payload / exchange


def rts_cts(mbps: int) -> tuple[float, float]:
    """RTS, SIFS, CTS and SIFS, s; and the RTS alone."""
    rts, cts = legacy(mbps, 20), legacy(mbps, 14)
    return (rts + cts + 2 * SIFS) * 1e-6, rts * 1e-6
