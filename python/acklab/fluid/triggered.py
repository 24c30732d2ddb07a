"""Triggered uplink as the bottleneck of the coupled model: Eqs 1 to 8 in Eqs 15 and 16.

The access point alone contends. It sends a trigger in one access, and in the next the ACKs of one
station: so a cycle is Eq 1, an exchange of ACKs, and two waits for the medium. A station has an RU
of its own in some of the cycles, and in the others it takes part in random access (Eqs 4 to 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from acklab.fluid import access, frames
from acklab.fluid.contention import Exchange
from acklab.fluid.domain import Symbol, Symbols, above_zero, count, from_zero, need, probability

#: The length of a frame.
_TIME = from_zero("s", 40e-6, equation="Eq 1")
equation = Symbols(
    users=count(4, name="the RUs of a trigger", equation="Eq 2"),
    units=count(2, 0, name="r_A", equation="Eq 2"),
    stages=Symbol("", [1.5, 2.5], low=1.0, name="B_k", empty=True, equation="Eq 4"),
    tfr=_TIME.like(30e-6, name="d_tfr"),
    bsr=_TIME.like(90e-6, name="d_bsr"),
    tf=_TIME.like(40e-6, name="d_tf"),
    mb=_TIME.like(32e-6, name="d_mb"),
    fixed=_TIME.like(80e-6, name="d_ppdu"),
    each=_TIME.like(90e-6, name="d_ppdu for each packet"),
    most=count(50, name="P_Agg^Trf", equation="Eq 3"),
    waits=_TIME.like(100e-6, name="the wait for the medium"),
    device=above_zero("", 500.0, name="the packets that a station holds", infinite=True),
    packet=above_zero("bit", 12e3, name="s_p", equation="Eq 2"),
    payload=above_zero("bit", 11e3, name="s_p", equation="Eq 2"),
    p_phy=probability(0.0, equation="Eq 6"),
    every=above_zero("", 2.0, name="the packets for an ACK"),
    life=above_zero("s", 0.5, name="the lifetime of a packet", infinite=True),
    flows=count(1, name="the number of flows", equation="Eq 16"),
)


@equation("Eqs 1 to 8")
@dataclass(frozen=True)
class Triggered:
    """A cell of stations that upload; seconds, and packets of `payload` bits."""

    #: Numbers of the flows of each station.
    stations: Sequence[Sequence[int]]
    #: RUs of a trigger, and how many of them are for random access.
    users: int
    units: int
    #: Mean numbers of triggers up to an attempt (`access.uora_stages`); empty without.
    stages: Sequence[float]
    #: Frames of Eq 1: without those for reports `tfr` and `bsr` are 0.
    tfr: float
    bsr: float
    tf: float
    mb: float
    #: A station's PPDU: whatever is sent, each packet, and the most packets (Eq 3).
    fixed: float
    each: float
    most: int
    acks: Exchange
    #: Wait of the access point for the medium, s.
    waits: float
    #: Packets that a station holds.
    device: float
    packet: float
    payload: float
    p_phy: float = 0.0
    every: float = 2.0
    #: Seconds until a packet is given up.
    life: float = float("inf")
    #: No ACK contends.
    answers: Sequence[object] = (None,)

    def __post_init__(self) -> None:
        need(
            0 <= self.units <= self.users,
            "Eq 2",
            "r_A",
            self.units,
            f"at most the {self.users} RUs of a trigger",
        )

    @property
    def scheduled(self) -> int:
        """s_A: stations with an RU of their own in a cycle."""
        return min(self.users - self.units, len(self.stations))

    @cached_property
    def random(self) -> access.RandomAccess | None:
        """Eqs 4 and 5 for those without one."""
        n = len(self.stations) - self.scheduled
        if n < 1 or self.units < 1:
            return None
        return access.random_access(n, self.units, self.stages)

    @cached_property
    def part(self) -> float:
        """Successes of a station in a cycle, before the channel's errors: Eq 8's own RU and
        beta (1 - gamma)."""
        own = self.scheduled / len(self.stations)
        found = self.random
        return own + ((1 - own) * found.beta * (1 - found.gamma) if found else 0.0)

    def t_s(self, n: float) -> float:
        """Eq 1 with `n` packets in a PPDU."""
        gaps = frames.SIFS * (2 if self.tfr == 0 else 4)
        return self.tfr + self.bsr + self.tf + self.fixed + self.each * n + self.mb + gaps

    def cycle(self, n: float) -> float:
        """From one trigger to the next."""
        m = max(self.part * len(self.stations) * n / self.every, 1.0)
        ack = self.acks.lasts(min(m, float(self.acks.most)))
        return self.t_s(n) + ack + 2 * self.waits

    def with_factor(self, parameter: str, factor: float) -> Triggered:
        """The same with one parameter so many times as large."""
        if parameter == "rate":
            return replace(self, each=self.each / factor)
        if parameter == "access":
            return replace(self, waits=self.waits * factor, tf=self.tf * factor)
        if parameter == "aggregate":
            return replace(self, most=max(round(self.most * factor), 1))
        if parameter == "limit":
            return replace(self, device=self.device * factor)
        if parameter == "every":
            return replace(self, every=self.every * factor)
        return self

    def saturated(self) -> list[float]:
        """Eq 8, corrected, for each flow with full queues, packets per second."""
        n = sum(len(own) for own in self.stations)
        return Cell(self, n).service([1e6] * n)

    def printed(self) -> list[float] | None:
        """Eq 8 as printed for each flow, packets per second; `None` where nobody contends, for
        Eqs 4 and 5 have no beta then."""
        found = self.random
        if found is None:
            return None
        theta = access.eq2_printed(
            self.most, self.scheduled, self.units, self.payload, self.t_s(self.most)
        )
        f = access.eq6(found.gamma, self.p_phy)
        bits = access.eq8_printed(found.beta, f, theta)
        rates = {i: bits / self.payload / len(own) for own in self.stations for i in own}
        return [rates[i] for i in sorted(rates)]

    def queue(self, flows: int) -> Cell:
        """The cell as a queue of the coupled model."""
        return Cell(self, flows)


@equation("Eqs 1 to 8")
class Cell:
    """The stations' queues, each a FIFO."""

    def __init__(self, of: Triggered, flows: int) -> None:
        known = 1 + max(f for own in of.stations for f in own)
        need(flows >= known, "Eq 16", "the number of flows", flows, f"the stations have {known}")
        self.of, self.flows = of, flows
        self.waiting = [0.0] * flows
        self._waits = [0.0] * flows
        self._part = of.part
        #: Time that an access of each flow's data and one of its ACKs take, s.
        self.accesses = [0.0] * flows
        self._until, self._rates = 0.0, [0.0] * flows
        self.service([1e6] * flows)

    def service(self, held: Sequence[float]) -> list[float]:
        """Eq 8: packets per second of each flow if stations hold so many."""
        of = self.of
        queues = [sum(held[f] for f in own) for own in of.stations]
        sizes = [min(max(q, 1.0), float(of.most)) for q in queues]
        # A PPDU is as long as the longest that a trigger calls for.
        cycle = of.cycle(max(sizes))
        self._cycle = cycle
        rates = [0.0] * self.flows
        turn = cycle / self._part
        # Its ACKs wait until it is this station's turn.
        ack = 0.5 * len(of.stations) * cycle
        for own, q, n in zip(of.stations, queues, sizes, strict=True):
            speed = n / turn * (1 - of.p_phy)
            wait = (q / n + 0.5 * (1 + 1 / n)) * turn / (1 - of.p_phy) + ack
            for f in own:
                rates[f] = speed * (held[f] / q if q > 0 else 1 / len(own))
                self._waits[f] = wait
                self.accesses[f] = turn + ack
        return rates

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `coupled.Queue`; the cell has its own rate."""
        del rate
        waiting = self.waiting
        for f, a in enumerate(arrivals):
            waiting[f] += a
        if now >= self._until:
            self._rates = self.service(waiting)
            self._until = now + 0.5 * self._cycle - 0.5 * dt
        served, dropped = [0.0] * self.flows, [0.0] * self.flows
        for own in self.of.stations:
            total = comes = 0.0
            for f in own:
                served[f] = min(waiting[f], self._rates[f] * dt)
                waiting[f] -= served[f]
                total += waiting[f]
                comes += arrivals[f]
            # Packets that wait longer than their lifetime are given up.
            able = sum(self._rates[f] for f in own)
            # Those of the PPDU under way are in the device until it ends (`radio`).
            under_way = min(max(total, 1.0), float(self.of.most))
            holds = min(self.of.device, max(self.of.life * able, self.of.most))
            over = total - max(holds - under_way, 1.0)
            if over > 0 and comes > 0:
                for f in own:
                    dropped[f] = min(over * arrivals[f] / comes, waiting[f])
                    waiting[f] -= dropped[f]
        return served, dropped

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """Waiting times of data and of their ACKs, added, of each flow, s."""
        del rate, served, dt
        return list(self._waits)
