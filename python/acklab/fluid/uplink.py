"""Eqs 1 to 8 joined: uplink that an access point triggers, with random access, saturated.

Eqs 4 and 5 count triggers, Eq 7 counts slots. The slots are those of the access point's own
backoff: it alone contends, and each of its triggers is a success of Eq 7 if it can read at least
one answer. So Eq 7 says how long a cycle is, and Eq 8 what a station gets in that time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acklab.fluid import access
from acklab.fluid.domain import Symbol, Symbols, above_zero, count, need, probability
from acklab.fluid.frames import SIFS, SLOT

#: AIFSN of best effort, which is the access point's too (802.11ax table 9-155).
AIFSN = 3
#: Its windows: CWmin 15, CWmax 1023, by failures in a row.
WINDOWS = (16, 32, 64, 128, 256, 512, 1024)

equation = Symbols(
    stations=count(8, name="n_ra", equation="Eq 5"),
    units=count(4, name="r_A", equation="Eq 5"),
    tf=above_zero("s", 40e-6, name="d_tf", equation="Eq 1"),
    ppdu=above_zero("s", 1e-3, name="d_ppdu", equation="Eq 1"),
    mb=above_zero("s", 32e-6, name="d_mb", equation="Eq 1"),
    stages=Symbol("", [1.5, 2.5], low=1.0, name="B_k", equation="Eq 4"),
    p_phy=probability(0.0, equation="Eq 6"),
    scheduled=count(0, 0, name="s_A", equation="Eq 2"),
)


@equation("Eqs 1 to 8")
@dataclass(frozen=True)
class Setting:
    """Participants of a cycle, and lengths of its frames, s."""

    #: Stations without an RU of their own, and the RUs for them.
    stations: int
    units: int
    #: Trigger, data and block ack; SIFS are between them.
    tf: float
    ppdu: float
    mb: float
    #: Mean numbers of triggers up to an attempt, by failures in a row (`access.uora_stages`).
    stages: Sequence[float]
    #: Part of the PPDUs that the channel spoils.
    p_phy: float = 0.0
    #: Stations with an RU of their own: then a trigger never stays without an answer.
    scheduled: int = 0


@dataclass(frozen=True)
class Uplink:
    """Steady state of random access on the uplink."""

    #: Probability that a station attempts after a trigger, and that an attempt collides.
    beta: float
    gamma: float
    #: Mean number of random-access RUs that carry exactly one station.
    winners: float
    #: Part of the triggers after which the access point reads nothing.
    silent: float
    #: Eq 1, and Eq 7: from one trigger to the next, s.
    t_s: float
    cycle: float
    p_phy: float

    def throughput(self, p_agg: float, s_p: float, own: float = 0.0) -> float:
        """Eq 8, bit/s: a station with `p_agg` packets of `s_p` bits in each PPDU, that has an `own`
        RU in so large a part of the cycles and contends in the others."""
        need(0 <= own <= 1, "Eq 8", "the part with an own RU", own, "from 0 to 1")
        f = access.eq6(self.gamma, self.p_phy)
        between = self.cycle - self.t_s
        wins = (1 - own) * self.beta
        return float(access.eq8(p_agg, own, wins, f, self.p_phy, s_p, self.t_s, between))


@equation("Eqs 4 to 7", None)
def uplink(of: Setting) -> Uplink:
    """Solves Eqs 4, 5 and 7.

    A trigger that nobody answers ends with itself; one whose answers all collide ends with them.
    """
    found = access.random_access(of.stations, of.units, of.stages)
    nobody = (1 - found.beta) ** of.stations
    silent = access.nobody_wins(of.stations, of.units, found.beta)
    # Errors of the channel among several winners: all of them at once are rare, and left out.
    silent = silent if of.scheduled == 0 else 0.0
    t_s = access.eq1(0.0, 0.0, of.tf, of.ppdu, of.mb, 0.0) + 2 * SIFS
    aifs = SIFS + AIFSN * SLOT
    failed = access.eq7_collision(t_s, of.mb, SIFS, 0.0)
    if silent > 0:
        failed = (nobody * of.tf + (silent - nobody) * failed) / silent
    backoff = [(w + 1) / 2 for w in WINDOWS]
    backoff += [backoff[-1]] * 50
    cycle = access.cycle_time(silent, backoff, SLOT, t_s + aifs, failed + aifs)
    return Uplink(found.beta, found.gamma, found.winners, silent, t_s, float(cycle), of.p_phy)
