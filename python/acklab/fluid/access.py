"""Eqs 1-8: what triggered uplink OFDMA with random access gives to a station.

The time base is the cycle of trigger frames. In a cycle a station with an RU of its own sends for
certain, and a station without one takes part in random access (UORA, 802.11ax 26.5.4): it draws a
backoff from 0 to OCW, lowers it by the number of random-access RUs with each trigger, and sends on
one of them, by chance, when the backoff is no larger than their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import brentq

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

#: Smallest and largest OCW where the access point says nothing (802.11ax 9.4.2.254).
OCW = (7, 31)
#: A probability may miss 0 or 1 by so much when it is computed.
ROUNDING = 1e-9
#: Values of gamma at which a curve without a proof of one root is looked at.
_LOOKS = 2000

#: A length of a frame or of a gap.
_TIME = from_zero("s", 1e-3)
equation = Symbols(
    tfr=_TIME.like(40e-6, name="d_tfr"),
    bsr=_TIME.like(90e-6, name="d_bsr"),
    tf=_TIME.like(40e-6, name="d_tf"),
    ppdu=_TIME.like(3e-3, name="d_ppdu"),
    mb=_TIME.like(40e-6, name="d_mb"),
    sifs=_TIME.like(16e-6, name="d_sifs"),
    slot=_TIME.like(9e-6, name="sigma"),
    ack=_TIME.like(44e-6, name="the ACK"),
    d=_TIME.like(34e-6, name="DIFS"),
    t_s=above_zero("s", 3e-3),
    between=_TIME.like(100e-6, name="the time between cycles"),
    success=_TIME.like(3e-3, name="T_s"),
    collision=_TIME.like(2e-3, name="T_c"),
    failure=_TIME.like(2e-3, name="T_c"),
    p_agg=from_zero("", 10.0),
    s_a=from_zero("", 4.0, name="s_A"),
    random=from_zero("", 1.5, name="the mean number of winners"),
    s_p=above_zero("bit", 12e3),
    t_r=above_zero("bit/s", 47e6, name="T_r"),
    t_d=above_zero("s", 3e-3),
    phy=_TIME.like(60e-6, name="the PHY's overhead"),
    s_t=from_zero("bit", 160.0),
    s_h=from_zero("bit", 160.0),
    headers=from_zero("bit", 416.0),
    word=above_zero("bit", 32.0),
    most=count(64, name="P_Agg^Max"),
    slots=Symbol("", [8.5, 16.5], low=1.0, name="B_k"),
    r_a=count(4, name="r_A"),
    n_ra=count(8),
    ocw=count(7, 0, name="OCW"),
    smallest=count(7, 0, name="OCWmin"),
    largest=count(31, 0, name="OCWmax"),
    more=count(0, 0, name="the number of further stages"),
    gamma=probability(0.1),
    beta=probability(0.1),
    beta_ap=probability(0.1),
    p_phy=probability(0.1),
    f=probability(0.1, name="f_i"),
    fails=probability(0.1, name="the part of triggers without an answer"),
    own=probability(1.0, name="the part with an own RU"),
    theta=from_zero("bit/s", 3e8, name="Theta"),
    classes=from_zero("", [(2, 0.1)], name="n_j and beta_j", empty=True),
)


@equation("Eq 1", "s")
def eq1(tfr: Any, bsr: Any, tf: Any, ppdu: Any, mb: Any, sifs: Any) -> Any:
    """Length of a cycle: five frames and the four gaps between them."""
    return tfr + bsr + tf + ppdu + mb + 4 * sifs


@equation("Eq 2", "bit/s", r_a=from_zero("", 4.0, name="r_A"))
def eq2_printed(p_agg: Any, s_a: Any, r_a: Any, s_p: Any, t_s: Any) -> Any:
    """Throughput of all stations: each RU succeeds in each cycle.

    `r_a` is the number of random-access RUs here, as in Eq 5, where the text calls it the number of
    transmissions that succeed.
    """
    return p_agg * (s_a + r_a) * s_p / t_s


@equation("Eq 2", "bit/s")
def eq2(p_agg: Any, s_a: Any, random: Any, s_p: Any, t_s: Any, p_phy: Any, between: Any) -> Any:
    """Throughput of all stations: `random` is the mean number of random-access RUs that succeed.

    `between` is the time between two cycles, in which the access point contends. The paper leaves
    it out; `cycle_time` less `t_s` is it.
    """
    return p_agg * (s_a * (1 - p_phy) + random) * s_p / (t_s + between)


@equation("Eq 3", "")
def eq3_printed(t_r: Any, t_d: Any, phy: Any, s_t: Any, s_h: Any, s_p: Any, most: int) -> Any:
    """Packets that fit into a PPDU. `s_t` is a trailer in the paper's table, and a transport header
    in its text."""
    need(t_d >= phy, "Eq 3", "t_d", t_d, f"a TXOP is longer than the PHY's overhead, {phy}")
    return np.minimum(most, np.floor(t_r * (t_d - phy) / (s_t + s_h + s_p)))


@equation("Eq 3", "")
def eq3(t_r: Any, t_d: Any, phy: Any, headers: Any, s_p: Any, word: Any, most: int) -> Any:
    """Packets that fit into a PPDU, with the frame around each: a delimiter of 32 bits, a header of
    26 bytes, LLC of 8, FCS of 4, and padding to whole `word`s of 32 bits (802.11ax 9.7).

    `headers` are the bits of IP and TCP.
    """
    need(t_d >= phy, "Eq 3", "t_d", t_d, f"a TXOP is longer than the PHY's overhead, {phy}")
    frame = word * (1 + np.ceil(((26 + 8 + 4) * word / 4 + headers + s_p) / word))
    return np.minimum(most, np.floor(t_r * (t_d - phy) / frame))


@equation(
    "Eq 4", "", gamma=probability(0.1, below=True), slots=above_zero("", [8.0, 16.0], name="B_k")
)
def eq4_printed(gamma: float, slots: Sequence[float]) -> float:
    """Probability to attempt in a slot; 0/0 at `gamma` = 1, and above 1 if `slots` are below 1.

    `slots` are the paper's B_k, the mean backoff in stage k, of mbo + fbo + 1 stages. fbo is a
    number of slots in its table, and counts stages here.
    """
    need(len(slots) > 0, "Eq 4", "B_k", list(slots), "there is a first stage")
    m = len(slots) - 1
    return float(
        (1 - gamma ** (m + 1)) / ((1 - gamma) * sum(b * gamma**k for k, b in enumerate(slots)))
    )


@equation("Eq 4", "")
def eq4(gamma: float, slots: Sequence[float]) -> float:
    """Probability to attempt in a slot: attempts for each slot that passes, over one packet.

    `slots` are the mean numbers of slots in stage k *with* that of the attempt, so none is below 1
    and neither is the result above: (W + 1) / 2 for a backoff below W (Bianchi), `uora_slots` for
    random access. As sums, numerator and denominator have no gap at 1.
    """
    need(len(slots) > 0, "Eq 4", "B_k", list(slots), "there is a first stage")
    q = np.power(float(gamma), np.arange(len(slots)))
    # By a power of two, which rounds nothing: the sum of large ones would have no number.
    scale = 2.0 ** (int(np.frexp(np.max(slots))[1]) - 1)
    return float(q.sum() / (q * (np.asarray(slots) / scale)).sum() / scale)


@equation("Eq 4", "")
def uora_slots(ocw: int, r_a: int) -> float:
    """Mean number of triggers up to and with the attempt, for a backoff from 0 to `ocw`."""
    return float(np.maximum(1, np.ceil(np.arange(ocw + 1) / r_a)).mean())


@equation("Eq 4", "")
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


@equation("Eq 5", "")
def eq5(beta: Any, r_a: Any, n_ra: Any) -> Any:
    """Probability that another station takes the same RU: each of the others attempts with
    probability `beta` and chooses among `r_a` RUs."""
    return 1 - (1 - beta / r_a) ** (n_ra - 1)


@equation("Eq 6", "")
def eq6(gamma: Any, p_phy: Any) -> Any:
    """Probability that an attempt fails, by collision or by the channel."""
    return 1 - (1 - gamma) * (1 - p_phy)


@dataclass(frozen=True)
class Slots:
    """How likely a slot is idle, has a success or a failure."""

    idle: Any
    success: Any
    failure: Any


def _pairs(classes: Sequence[tuple[int, float]]) -> None:
    for of in classes:
        need(
            np.shape(of) == (2,),
            "Eq 7",
            "n_j and beta_j",
            of,
            "a number of stations and their probability, for example (2, 0.1)",
        )
        n, b = of
        need(n == np.floor(n), "Eq 7", "n_j", n, "a whole number of stations, for example 2")
        need(0 <= b <= 1, "Eq 7", "beta_j", b, f"from 0 to 1, of each of {n} stations")


@equation("Eq 7", {"idle": "", "success": "", "failure": ""})
def eq7_probabilities_printed(
    beta_ap: float, classes: Sequence[tuple[int, float]], p_phy: float
) -> Slots:
    """As printed: `failure` is -(1 - beta_ap) p_phy P(nobody) + beta_ap, so below 0 whenever the
    access point does not contend, and more errors make more successes."""
    _pairs(classes)
    nobody = float(np.prod([(1 - b) ** n for n, b in classes]))
    idle = (1 - beta_ap) * nobody
    success = (1 - beta_ap) * (1 - nobody * (1 - p_phy))
    return Slots(idle, success, 1 - idle - success)


@equation("Eq 7", {"idle": "", "success": "", "failure": ""})
def eq7_probabilities(beta_ap: float, classes: Sequence[tuple[int, float]], p_phy: float) -> Slots:
    """A slot succeeds if exactly one attempts, the access point or a station, and the channel
    spares it. `classes` are pairs of a number of stations and their attempt probability."""
    _pairs(classes)
    everybody = [(1, beta_ap), *classes]
    idle = float(np.prod([(1 - b) ** n for n, b in everybody]))
    one = 0.0
    for i, (n, b) in enumerate(everybody):
        if n > 0:
            others = [(k - (j == i), c) for j, (k, c) in enumerate(everybody)]
            one += n * b * float(np.prod([(1 - c) ** k for k, c in others]))
    success = one * (1 - p_phy)
    return Slots(idle, success, max(1 - idle - success, 0.0))


@equation("Eq 7", "s")
def difs(sifs: Any, slot: Any) -> Any:
    """SIFS and two slots."""
    return sifs + 2 * slot


@equation("Eq 7", "s")
def eq7_success(t_s: Any, d: Any) -> Any:
    """T_s: a cycle and the DIFS `d` before it."""
    return t_s + d


@equation("Eq 7", "s")
def eq7_collision_printed(t_s: Any, mb: Any, d: Any) -> Any:
    """T_c: no block ack. The gap before it stays."""
    return t_s - mb + d


@equation("Eq 7", "s")
def eq7_collision(t_s: Any, mb: Any, sifs: Any, d: Any) -> Any:
    """T_c: no block ack, and no gap before it. `d` is DIFS for who knows that nothing comes, and
    EIFS for who has heard frames that it could not decode."""
    return t_s - mb - sifs + d


@equation("Eq 7", "s")
def eifs(sifs: Any, ack: Any, d: Any) -> Any:
    """Wait of stations after frames that they could not decode: a SIFS and an `ack` at the lowest
    rate before the DIFS (10.3.2.3.7)."""
    return sifs + ack + d


@equation("Eq 7", "s", slots=None)
def eq7(slots: Slots, slot: Any, success: Any, collision: Any) -> Any:
    """Mean length of a slot, E[X]. The paper defines it and uses it nowhere; `cycle_time` does."""
    for symbol, of in (("P_0", slots.idle), ("P_s", slots.success), ("P_f", slots.failure)):
        need((of >= 0) & (of <= 1), "Eq 7", symbol, of, "from 0 to 1, as eq7_probabilities has it")
    return slots.idle * slot + slots.success * success + slots.failure * collision


@equation("Eq 7", "", n_ra=count(8, 0))
def nobody_wins(n_ra: int, r_a: int, beta: float) -> float:
    """Probability that no random-access RU carries exactly one station.

    Stations spread over the RUs, and over "does not attempt", as numbers of Poisson do of which the
    sum is known to be `n_ra`: the RUs' numbers are convolved without their ones. Every term is
    positive, so nothing cancels for many stations or RUs.
    """
    # They take a third of a second to import, and few need them.
    from scipy.signal import convolve
    from scipy.stats import poisson

    each = np.arange(n_ra + 1)
    of_one = poisson.pmf(each, n_ra * beta / r_a)
    of_one[1:2] = 0.0
    found = poisson.pmf(each, n_ra * (1 - beta))
    # As powers of two: there may be many RUs.
    while r_a:
        if r_a & 1:
            found = convolve(found, of_one)[: n_ra + 1]
        r_a >>= 1
        of_one = convolve(of_one, of_one)[: n_ra + 1] if r_a else of_one
    silent = float(found[n_ra] / poisson.pmf(n_ra, n_ra))
    need(-ROUNDING <= silent <= 1 + ROUNDING, "Eq 7", "P(nobody wins)", silent, "from 0 to 1")
    return min(max(silent, 0.0), 1.0)


@equation("Eq 7", "s")
def cycle_time(fails: float, slots: Sequence[float], slot: Any, success: Any, failure: Any) -> Any:
    """Time from one trigger to the next, by Eq 7, where the access point alone contends.

    It sends a trigger in a slot with probability Eq 4, for its own `slots` and a probability
    `fails` that nobody answers so that it can read it; E[X] is the mean slot then, and E[X] over
    that probability the mean cycle. `success` and `failure` are T_s and T_c, with what it waits
    before its backoff.
    """
    attempts = eq4(fails, slots)
    of = Slots(1 - attempts, attempts * (1 - fails), attempts * fails)
    return eq7(of, slot, success, failure) / attempts


@equation("Eq 8", "bit/s", beta=probability(0.1, name="beta_i"))
def eq8_printed(beta: Any, f: Any, theta: Any) -> Any:
    """A station's part of `theta`. Eq 2 counts successes already, so they count twice; the parts do
    not add up to the whole, and can exceed it."""
    return beta * (1 - f) * theta


@equation("Eq 8", "bit/s", beta=probability(0.1, name="beta_i"))
def eq8(
    p_agg: Any, own: Any, beta: Any, f: Any, p_phy: Any, s_p: Any, t_s: Any, between: Any
) -> Any:
    """Throughput of a station: an `own` RU (0 or 1) that the channel spares, and its wins by random
    access. Over all stations it adds up to Eq 2."""
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


@equation("Eqs 4 and 5", {"beta": "", "gamma": "", "winners": ""})
def random_access(n_ra: int, r_a: int, slots: Sequence[float]) -> RandomAccess:
    """Solves Eqs 4 and 5 by bisection with Brent's steps, for `n_ra` stations on `r_a` RUs, whose
    mean numbers of triggers up to an attempt are `slots` (`uora_stages`), by failures in a row.

    The difference between both sides is 0 or more at gamma = 0 and 0 or less at gamma = 1 and
    continuous, so there is a root; `slots` that do not fall make beta fall with gamma, so it is the
    only one. Where stages have falling `slots` there may be more, and then none is the result.

    Raises:
        NoSolutionError: Where there is no fixed point, or more than one.
    """

    need(len(slots) > 0, "Eq 4", "B_k", list(slots), "there is a first stage")
    attempt, collide = unchecked(eq4), unchecked(eq5)

    def excess(gamma: float) -> float:
        return float(collide(attempt(gamma, slots), r_a, n_ra)) - gamma

    low, high = excess(0.0), excess(1.0)
    if low < 0 or high > 0:
        raise NoSolutionError(
            f"Eqs 4 and 5: beta and gamma have no fixed point for n_ra = {n_ra} and r_A = {r_a}"
            f" (Eq 5 less gamma is {low:.3g} at gamma = 0 and {high:.3g} at 1)\n"
            "  help: B_k of 1 or more that do not fall have one, for example uora_stages(r_A)"
        )
    if any(b < a for a, b in pairwise(slots)):
        # Between two looks a pair of roots may hide, but then they are that close.
        curve = [excess(float(g)) for g in np.linspace(0, 1, _LOOKS + 1)]
        signs = [c > 0 for c in curve if c != 0]
        solutions = sum(a != b for a, b in pairwise(signs)) + curve.count(0.0)
        if solutions > 1:
            raise NoSolutionError(
                f"Eqs 4 and 5: beta and gamma have {solutions} fixed points for n_ra = {n_ra},"
                f" r_A = {r_a} and B_k that fall with failures\n"
                "  help: B_k that do not fall have one, for example uora_stages(r_A)"
            )
    gamma = 0.0 if low == 0 else 1.0 if high == 0 else float(brentq(excess, 0, 1, xtol=1e-14))
    beta = eq4(gamma, slots)
    return RandomAccess(beta, gamma, n_ra * beta * (1 - gamma))
