"""Eqs 1-8: what triggered uplink OFDMA with random access gives to a station.

The time base is the cycle of trigger frames. In a cycle a station with an RU of its own sends for
certain, and a station without one takes part in random access (UORA, 802.11ax 26.5.4): it draws a
backoff from 0 to OCW, lowers it by the number of random-access RUs with each trigger, and sends on
one of them, by chance, when the backoff is no larger than their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial
from typing import Any

import numpy as np
from scipy.optimize import brentq

from acklab.fluid.domain import NoSolutionError, need, not_negative, positive, probability

#: Smallest and largest OCW where the access point says nothing (802.11ax 9.4.2.254).
OCW = (7, 31)


def eq1(tfr: Any, bsr: Any, tf: Any, ppdu: Any, mb: Any, sifs: Any) -> Any:
    """Length of a cycle: five frames and the four gaps between them."""
    lengths = {"d_tfr": tfr, "d_bsr": bsr, "d_tf": tf, "d_ppdu": ppdu, "d_mb": mb, "d_sifs": sifs}
    for symbol, length in lengths.items():
        not_negative("Eq 1", symbol, length)
    return tfr + bsr + tf + ppdu + mb + 4 * sifs


def eq2_printed(p_agg: Any, s_a: Any, r_a: Any, s_p: Any, t_s: Any) -> Any:
    """Throughput of all stations: each RU succeeds in each cycle.

    `r_a` is the number of random-access RUs here, as in Eq 5, where the text calls it the number of
    transmissions that succeed.
    """
    positive("Eq 2", "t_s", t_s)
    return p_agg * (s_a + r_a) * s_p / t_s


def eq2(p_agg: Any, s_a: Any, random: Any, s_p: Any, t_s: Any, p_phy: Any, between: Any) -> Any:
    """Throughput of all stations: `random` is the mean number of random-access RUs that succeed.

    `between` is the time between two cycles, in which the access point contends. The paper leaves
    it out; `cycle_time` less `t_s` is it.
    """
    positive("Eq 2", "t_s", t_s)
    probability("Eq 2", "p_phy", p_phy)
    for symbol, value in (("p_agg", p_agg), ("s_A", s_a), ("the mean number of winners", random)):
        not_negative("Eq 2", symbol, value)
    positive("Eq 2", "s_p", s_p)
    not_negative("Eq 2", "the time between cycles", between)
    return p_agg * (s_a * (1 - p_phy) + random) * s_p / (t_s + between)


def eq3_printed(t_r: Any, t_d: Any, phy: Any, s_t: Any, s_h: Any, s_p: Any, most: int) -> Any:
    """Packets that fit into a PPDU. `s_t` is a trailer in the paper's table, and a transport header
    in its text."""
    need(t_d >= phy, "Eq 3", "t_d", t_d, f"a TXOP is longer than the PHY's overhead, {phy}")
    return np.minimum(most, np.floor(t_r * (t_d - phy) / (s_t + s_h + s_p)))


def eq3(t_r: Any, t_d: Any, phy: Any, headers: Any, s_p: Any, word: Any, most: int) -> Any:
    """Packets that fit into a PPDU, with the frame around each: a delimiter of 32 bits, a header of
    26 bytes, LLC of 8, FCS of 4, and padding to whole `word`s of 32 bits (802.11ax 9.7).

    `headers` are the bits of IP and TCP.
    """
    need(t_d >= phy, "Eq 3", "t_d", t_d, f"a TXOP is longer than the PHY's overhead, {phy}")
    for symbol, value in (("T_r", t_r), ("s_p", s_p), ("P_Agg^Max", most)):
        positive("Eq 3", symbol, value)
    frame = word * (1 + np.ceil(((26 + 8 + 4) * word / 4 + headers + s_p) / word))
    return np.minimum(most, np.floor(t_r * (t_d - phy) / frame))


def eq4_printed(gamma: float, slots: Sequence[float]) -> float:
    """Probability to attempt in a slot; 0/0 at `gamma` = 1, and above 1 if `slots` are below 1.

    `slots` are the paper's B_k, the mean backoff in stage k, of mbo + fbo + 1 stages. fbo is a
    number of slots in its table, and counts stages here.
    """
    m = len(slots) - 1
    return float(
        (1 - gamma ** (m + 1)) / ((1 - gamma) * sum(b * gamma**k for k, b in enumerate(slots)))
    )


def eq4(gamma: float, slots: Sequence[float]) -> float:
    """Probability to attempt in a slot: attempts for each slot that passes, over one packet.

    `slots` are the mean numbers of slots in stage k *with* that of the attempt, so none is below 1
    and neither is the result above: (W + 1) / 2 for a backoff below W (Bianchi), `uora_slots` for
    random access. As sums, numerator and denominator have no gap at 1.
    """
    probability("Eq 4", "gamma", gamma)
    need(
        all(b >= 1 for b in slots) and len(slots) > 0,
        "Eq 4",
        "B_k",
        list(slots),
        "the slot of the attempt counts, so each B_k is at least 1",
    )
    q = np.power(float(gamma), np.arange(len(slots)))
    return float(q.sum() / (q * np.asarray(slots)).sum())


def uora_slots(ocw: int, r_a: int) -> float:
    """Mean number of triggers up to and with the attempt, for a backoff from 0 to `ocw`."""
    need(ocw >= 0, "Eq 4", "OCW", ocw, "OCW is 0 or more")
    need(r_a >= 1, "Eq 4", "r_A", r_a, "there is at least one random-access RU")
    return float(np.maximum(1, np.ceil(np.arange(ocw + 1) / r_a)).mean())


def uora_stages(
    r_a: int, smallest: int = OCW[0], largest: int = OCW[1], more: int = 0
) -> list[float]:
    """B_k of random access: OCW doubles and adds one after each failure, up to `largest`; then
    there are `more` stages with that."""
    need(smallest <= largest, "Eq 4", "OCWmin", smallest, f"it is at most OCWmax, {largest}")
    found = [smallest]
    while found[-1] < largest:
        found.append(min(2 * found[-1] + 1, largest))
    return [uora_slots(w, r_a) for w in found + [largest] * more]


def eq5(beta: Any, r_a: Any, n_ra: Any) -> Any:
    """Probability that another station takes the same RU: each of the others attempts with
    probability `beta` and chooses among `r_a` RUs."""
    need(r_a >= 1, "Eq 5", "r_A", r_a, "there is at least one random-access RU")
    need(n_ra >= 1, "Eq 5", "n_ra", n_ra, "there is at least one station")
    probability("Eq 5", "beta", beta)
    return 1 - (1 - beta / r_a) ** (n_ra - 1)


def eq6(gamma: Any, p_phy: Any) -> Any:
    """Probability that an attempt fails, by collision or by the channel."""
    probability("Eq 6", "gamma", gamma)
    probability("Eq 6", "p_phy", p_phy)
    return 1 - (1 - gamma) * (1 - p_phy)


@dataclass(frozen=True)
class Slots:
    """How likely a slot is idle, has a success or a failure."""

    idle: Any
    success: Any
    failure: Any


def eq7_probabilities_printed(
    beta_ap: float, classes: Sequence[tuple[int, float]], p_phy: float
) -> Slots:
    """As printed: `failure` is -(1 - beta_ap) p_phy P(nobody) + beta_ap, so below 0 whenever the
    access point does not contend, and more errors make more successes."""
    nobody = float(np.prod([(1 - b) ** n for n, b in classes]))
    idle = (1 - beta_ap) * nobody
    success = (1 - beta_ap) * (1 - nobody * (1 - p_phy))
    return Slots(idle, success, 1 - idle - success)


def eq7_probabilities(beta_ap: float, classes: Sequence[tuple[int, float]], p_phy: float) -> Slots:
    """A slot succeeds if exactly one attempts, the access point or a station, and the channel
    spares it. `classes` are pairs of a number of stations and their attempt probability."""
    probability("Eq 7", "beta_ap", beta_ap)
    probability("Eq 7", "p_phy", p_phy)
    for n, b in classes:
        probability("Eq 7", "beta_j", b)
        need(n >= 0, "Eq 7", "n_j", n, "a number of stations is 0 or more")
    everybody = [(1, beta_ap), *classes]
    idle = float(np.prod([(1 - b) ** n for n, b in everybody]))
    one = 0.0
    for i, (n, b) in enumerate(everybody):
        if n > 0:
            others = [(k - (j == i), c) for j, (k, c) in enumerate(everybody)]
            one += n * b * float(np.prod([(1 - c) ** k for k, c in others]))
    success = one * (1 - p_phy)
    return Slots(idle, success, max(1 - idle - success, 0.0))


def difs(sifs: Any, slot: Any) -> Any:
    """SIFS and two slots."""
    return sifs + 2 * slot


def eq7_success(t_s: Any, d: Any) -> Any:
    """T_s: a cycle and the DIFS `d` before it."""
    return t_s + d


def eq7_collision_printed(t_s: Any, mb: Any, d: Any) -> Any:
    """T_c: no block ack. The gap before it stays."""
    return t_s - mb + d


def eq7_collision(t_s: Any, mb: Any, sifs: Any, d: Any) -> Any:
    """T_c: no block ack, and no gap before it. `d` is DIFS for who knows that nothing comes, and
    EIFS for who has heard frames that it could not decode."""
    return t_s - mb - sifs + d


def eifs(sifs: Any, ack: Any, d: Any) -> Any:
    """What stations wait after frames that they could not decode: a SIFS and an `ack` at the lowest
    rate before the DIFS (10.3.2.3.7)."""
    return sifs + ack + d


def eq7(slots: Slots, slot: Any, success: Any, collision: Any) -> Any:
    """Mean length of a slot, E[X]. The paper defines it and uses it nowhere; `cycle_time` does."""
    return slots.idle * slot + slots.success * success + slots.failure * collision


def nobody_wins(n_ra: int, r_a: int, beta: float) -> float:
    """Probability that no random-access RU carries exactly one station.

    Of j that attempt none is alone with probability sum over k of (-1)^k C(r, k) C(j, k) k!
    (r - k)^(j - k) / r^j: whichever k RUs have one station each, and the others have the rest.
    """
    need(n_ra >= 0, "Eq 7", "n_ra", n_ra, "a number of stations is 0 or more")
    need(r_a >= 1, "Eq 7", "r_A", r_a, "there is at least one random-access RU")
    probability("Eq 7", "beta", beta)
    found = 0.0
    for j in range(n_ra + 1):
        # As integers: the sum alternates.
        ways = sum(
            (-1) ** k * comb(r_a, k) * comb(j, k) * factorial(k) * (r_a - k) ** (j - k)
            for k in range(min(r_a, j) + 1)
        )
        found += comb(n_ra, j) * beta**j * (1 - beta) ** (n_ra - j) * (ways / r_a**j)
    return found


def cycle_time(fails: float, slots: Sequence[float], slot: Any, success: Any, failure: Any) -> Any:
    """Time from one trigger to the next, by Eq 7, where the access point alone contends.

    It sends a trigger in a slot with probability Eq 4, for its own `slots` and a probability
    `fails` that nobody answers so that it can read it; E[X] is the mean slot then, and E[X] over
    that probability the mean cycle. `success` and `failure` are T_s and T_c, with what it waits
    before its backoff.
    """
    for symbol, value in (("sigma", slot), ("T_s", success), ("T_c", failure)):
        not_negative("Eq 7", symbol, value)
    attempts = eq4(fails, slots)
    of = Slots(1 - attempts, attempts * (1 - fails), attempts * fails)
    return eq7(of, slot, success, failure) / attempts


def eq8_printed(beta: Any, f: Any, theta: Any) -> Any:
    """A station's part of `theta`. Eq 2 counts successes already, so they count twice; the parts do
    not add up to the whole, and can exceed it."""
    return beta * (1 - f) * theta


def eq8(
    p_agg: Any, own: Any, beta: Any, f: Any, p_phy: Any, s_p: Any, t_s: Any, between: Any
) -> Any:
    """What a station gets: an `own` RU (0 or 1) that the channel spares, and what it wins by random
    access. Over all stations it adds up to Eq 2."""
    positive("Eq 8", "t_s", t_s)
    for symbol, value in (("beta_i", beta), ("f_i", f), ("p_phy", p_phy)):
        probability("Eq 8", symbol, value)
    for symbol, value in (("p_agg", p_agg), ("the time between cycles", between)):
        not_negative("Eq 8", symbol, value)
    return p_agg * (own * (1 - p_phy) + beta * (1 - f)) * s_p / (t_s + between)


@dataclass(frozen=True)
class RandomAccess:
    """Fixed point of Eqs 4 and 5."""

    #: Probability to attempt after a trigger.
    beta: float
    #: Probability that an attempt collides.
    gamma: float
    #: Mean number of random-access RUs that carry exactly one station.
    winners: float


def random_access(n_ra: int, r_a: int, slots: Sequence[float]) -> RandomAccess:
    """Solves Eqs 4 and 5 by bisection with Brent's steps.

    The difference between both sides is 0 or more at gamma = 0 and 0 or less at gamma = 1 and
    continuous, so there is a root; `slots` that do not fall make beta fall with gamma, so it is the
    only one. Where stages have falling `slots` there may be more, and the result is one of them.
    """

    def excess(gamma: float) -> float:
        return float(eq5(eq4(gamma, slots), r_a, n_ra)) - gamma

    low, high = excess(0.0), excess(1.0)
    if low < 0 or high > 0:
        raise NoSolutionError(
            f"Eqs 4 and 5: no fixed point for {n_ra} stations and {r_a} RUs"
            f" (excess {low:.3g} at gamma = 0 and {high:.3g} at 1)"
        )
    gamma = 0.0 if low == 0 else 1.0 if high == 0 else float(brentq(excess, 0, 1, xtol=1e-14))
    beta = eq4(gamma, slots)
    return RandomAccess(beta, gamma, n_ra * beta * (1 - gamma))
