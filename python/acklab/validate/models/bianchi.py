"""Saturated stations with equal rights: Bianchi's model, and what follows when slots are not alike.

G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC
18(3), 2000: each transmission collides with the same probability p, whatever happened before (Eqs
7, 9, 13).

I. Tinnirello, G. Bianchi, Y. Xiao, "Refinements on IEEE 802.11 distributed coordination function
modeling approaches", IEEE TVT 59(3), 2010: the slots behind a busy period are *anomalous*. Where
only whole idle slots count, the first of them is open only to who has just transmitted. That paper
lets nobody use the slots behind a collision, as if EIFS and ACK timeout ended together; by the
numbers of 802.11a and later those who collided are back several slots before the others, so
`anomalous` has as many slots as there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binom

Floats = NDArray[np.float64]
#: Each halves the distance to the fixed point, or does better.
_ITERATIONS = 1000


@dataclass(frozen=True)
class Outcome:
    """Successes in a microsecond, and the probability that a transmission collides."""

    rate: float
    collision: float


def windows(smallest: int, largest: int, failures: int | None = None) -> list[int]:
    """Backoffs are drawn below these, by number of failures in a row; CWmin + 1 to CWmax + 1.

    After `failures` of them in a row a station begins anew. `None` is never: then the last one
    stays.
    """
    found = [smallest]
    while found[-1] < largest:
        found.append(min(2 * found[-1], largest))
    if failures is None:
        return found
    return [found[min(i, len(found) - 1)] for i in range(failures + 1)]


def visits(p: float, stages: int, endless: bool) -> Floats:
    """How often a station transmits in each stage for each first attempt."""
    q: Floats = np.power(p, np.arange(stages, dtype=np.float64))
    if endless:
        q[-1] /= 1 - p
    return q


def transmits(p: float, of: Sequence[int], endless: bool = True) -> float:
    """Probability to transmit in a slot; Eq 7, as a sum that p = 1/2 does not trouble."""
    q = visits(p, len(of), endless)
    return float(q.sum() / (q * (np.array(of) + 1) / 2).sum())


def bianchi(
    n: int,
    of: Sequence[int],
    slot: float,
    success: float,
    collision: float,
    *,
    endless: bool = True,
) -> Outcome:
    """`n` stations with windows `of`; lengths of slots in microseconds."""

    def excess(p: float) -> float:
        return float(1 - (1 - transmits(p, of, endless)) ** (n - 1) - p)

    p = 0.0 if n == 1 else float(brentq(excess, 0, 1 - 1e-9))
    tau = transmits(p, of, endless)
    some = 1 - (1 - tau) ** n
    one = n * tau * (1 - tau) ** (n - 1)
    mean = (1 - some) * slot + one * success + (some - one) * collision
    return Outcome(one / mean, p)


@dataclass(frozen=True)
class Slots:
    """Lengths in microseconds, counted from the end of the data of a busy period."""

    slot: float
    #: Length of the data.
    data: float
    #: To the first slot that is open to all, after a success and after a collision.
    after_success: float
    after_collision: float
    #: To the first slot of who has just succeeded; to that of those who have just collided.
    own_success: float
    own_collision: float

    @property
    def successful(self) -> int:
        """Slots of who has just succeeded alone."""
        return _slots(self.after_success - self.own_success, self.slot)

    @property
    def collided(self) -> int:
        """Slots of those who have just collided alone."""
        return _slots(self.after_collision - self.own_collision, self.slot)

    @property
    def aligned(self) -> bool:
        """Whether those who collided go on with the same slots as all others."""
        return abs(self.own_collision + self.collided * self.slot - self.after_collision) < 1e-9


def _slots(span: float, slot: float) -> int:
    return max(0, int(np.ceil(span / slot - 1e-9)))


def anomalous(n: int, of: Sequence[int], slots: Slots) -> Outcome:
    """`n` > 1 stations, with slots behind busy periods that are open to their transmitters only.

    As in Bianchi's model a station transmits in each slot that is open to all with the same
    probability tau; there are as many unknowns more as there are kinds of busy periods (a success,
    k that collide).
    """
    system = _Contention(n, of, slots, min(n, 12))
    x = np.array([transmits(0.3, of), 1 / of[min(1, len(of) - 1)]])
    for _ in range(_ITERATIONS):
        before, x = x, (x + system.follows(x)) / 2
        if np.abs(x - before).max() < 1e-13:
            return system.outcome(x)
    raise ArithmeticError(f"no fixed point for {n} stations")


class _Contention:
    """Busy periods as a Markov chain: number 0 is a success, number k - 1 a collision of k."""

    def __init__(self, n: int, of: Sequence[int], slots: Slots, most: int) -> None:
        self.n, self.of, self.slots, self.most = n, np.array(of, float), slots, most

    def follows(self, x: Floats) -> Floats:
        """The tau and h with which collisions would be as `x` makes them."""
        tau, fresh = x
        common, _, _ = self._flows(tau, fresh)
        ks = np.arange(1, self.most + 1)
        attempts = ks * common
        p = attempts[1:].sum() / attempts.sum()
        others = attempts[1:] / attempts[1:].sum()

        def mean(z: float) -> float:
            """Expectation of z to the number of the others in a collision."""
            return float((others * z ** ks[:-1]).sum())

        s, s0 = self.slots.collided, self.slots.successful
        js = range(s)
        early = sum(mean(1 - fresh * j) for j in js) / self.of
        alone = sum(mean(1 - fresh * (j + 1)) for j in js) / self.of
        used = sum((1 - j / self.of) * mean(1 - fresh * j) for j in js) + 0 * self.of
        early[0], alone[0], used[0] = s0 / self.of[0], s0 / self.of[0], s0
        fails = (1 - early) * p + early - alone
        # The last stage repeats.
        q = np.concatenate([[1.0], np.cumprod(fails[:-1])])
        q[-1] /= 1 - fails[-1]
        follow = np.append(self.of[1:], self.of[-1])
        open_slots = (q * ((self.of + 1) / 2 - used)).sum()
        return np.array([(q * (1 - early)).sum() / open_slots, _weighted(1 / follow, q * fails)])

    def outcome(self, x: Floats) -> Outcome:
        """Throughput and collisions at the fixed point."""
        _, busy, time = self._flows(*x)
        attempts = np.arange(1, self.most + 1) * busy
        return Outcome(busy[0] / time, float(attempts[1:].sum() / attempts.sum()))

    def _flows(self, tau: float, fresh: float) -> tuple[Floats, Floats, float]:
        """Per busy period, by number of transmitters: those in open slots, all; and its time."""
        m, slots = self.most, self.slots
        ks = np.arange(1, m + 1)
        open_to_all = np.zeros((m, m))
        own = np.zeros((m, m))
        spent = np.zeros(m)
        for k in ks:
            early, waited = self._early(int(k), fresh)
            rest = 1 - early.sum()
            hits, idle = self._open(int(k), tau)
            own[k - 1], open_to_all[k - 1] = early, rest * hits
            after = slots.after_success if k == 1 else slots.after_collision
            spent[k - 1] = slots.data + waited + rest * (after + idle * slots.slot)
        step = open_to_all + own
        step /= step.sum(axis=1, keepdims=True)
        lhs = np.vstack([step.T - np.eye(m), np.ones(m)])
        busy = np.linalg.lstsq(lhs, np.append(np.zeros(m), 1.0), rcond=None)[0]
        return busy @ open_to_all, busy, float(busy @ spent)

    def _early(self, k: int, fresh: float) -> tuple[Floats, float]:
        """Probabilities of 1, 2, … of `k` transmitters in own slots; the mean time until then."""
        slots, found, waited = self.slots, np.zeros(self.most), 0.0
        if k == 1:
            found[0] = slots.successful / self.of[0]
            return found, found[0] * slots.own_success
        for j in range(slots.collided):
            for of in range(1, k + 1):
                chance = comb(k, of) * fresh**of * max(0.0, 1 - fresh * (j + 1)) ** (k - of)
                found[of - 1] += chance
                waited += chance * (slots.own_collision + j * slots.slot)
        return found, waited

    def _open(self, k: int, tau: float) -> tuple[Floats, float]:
        """Probabilities of 1, 2, … transmitters in the first open busy slot; idle slots before."""
        ks = np.arange(1, self.most + 1)
        if k == 1 or self.slots.aligned:
            hits, idle = binom.pmf(ks, self.n, tau), (1 - tau) ** self.n
        else:
            # The others are a little ahead in each slot.
            others = self.n - k
            quiet = (1 - tau) ** others
            hits = binom.pmf(ks, others, tau) + quiet * binom.pmf(ks, k, tau)
            idle = quiet * (1 - tau) ** k
        return hits / hits.sum(), idle / (1 - idle)


def _weighted(values: Floats, weights: Floats) -> float:
    return float((values * weights).sum() / weights.sum())
