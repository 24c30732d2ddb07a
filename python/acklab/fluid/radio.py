"""A radio channel as the bottleneck of the coupled model: Eq 8's service in Eqs 15 and 16.

All data goes one way, from stations to the access point or back, and ACKs go the other. Eqs 4 to 8
(`contention`) say how often each sender of data gets the air, and with `n` packets of a receiver in
a PPDU it serves n times as many packets. By Eq 2 n is what waits, up to Eq 3's limit, so that the
service depends on the queue: a short queue is served slowly.

A packet finds a PPDU under way, waits for those before it, and goes in one of its own. PPDUs of n
packets end each T seconds. Let q packets be left when one ends, and the next come evenly, n of them
in T. Who comes at the part u of T finds q + u n before it, and is through at the end of the PPDU
number ceil((q + u n + 1) / n), after T (ceil(...) - u); the mean over u is q T / n and
T (1 + 1/n) / 2: Eq 15 with what an access takes. The ACK waits for an access of its sender.

So q is what a PPDU leaves behind, and the device holds up to q + n before the next one ends: those
under way count against its limit (`_under_way`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acklab.fluid import contention
from acklab.fluid.access import eq4, eq6
from acklab.fluid.contention import Contender, Exchange
from acklab.fluid.coupled import Codel, Fair, Fifo, Pie, Queue
from acklab.fluid.domain import (
    NoSolutionError,
    Symbols,
    above_zero,
    count,
    from_zero,
    need,
    probability,
    unchecked,
)

#: Eqs 4 and 7 without their doors: `Air` calls them 13,000 times a minute.
_slot, _busy_part = unchecked(contention.slot), unchecked(contention.busy_part)

equation = Symbols(
    limit=from_zero("packet", 50.0, name="Q_max", equation="Eq 19", infinite=True),
    target=from_zero("s", 5e-3, name="the target", equation="Eq 21"),
    interval=above_zero("s", 0.1, name="the interval", equation="Eq 21"),
    every=above_zero("", 2.0, name="the packets for an ACK"),
    at_most=above_zero("1/s", 100.0, name="the ACKs in a second", infinite=True),
    p_phy=probability(0.0, equation="Eq 6"),
    device=above_zero("packet", 500.0, name="the packets that a device holds", infinite=True),
    aifsn=count(2, 0, name="AIFSN", equation="Eq 7"),
    packet=above_zero("bit", 12e3, name="s_p", equation="Eq 2"),
    payload=above_zero("bit", 11e3, name="s_p", equation="Eq 2"),
    tries=count(8, name="the number of attempts", equation="Eq 6"),
    life=above_zero("s", 0.5, name="the lifetime of a packet", infinite=True),
    holds=above_zero("", 500.0, name="the ACKs that a device holds", infinite=True),
    flows=count(1, name="the number of flows", equation="Eq 16"),
)


@equation("Eqs 18 to 24")
@dataclass(frozen=True)
class Above:
    """A discipline above the device's queue."""

    name: str
    #: Packets, of a FIFO.
    limit: float
    target: float
    interval: float

    def queue(self, flows: int) -> Queue:
        """A fresh one."""
        if self.name == "codel":
            return Codel(flows, self.target, self.interval)
        if self.name == "pie":
            return Pie(flows, self.target)
        if self.name in ("fq-codel", "cake"):
            return Fair(flows, None, self.target, self.interval)
        return Fifo(flows, max(self.limit, 1.0))


@equation("Eqs 2 to 6", flows=count([0], 0, name="the number of a flow"))
@dataclass(frozen=True)
class Lane:
    """Data from one sender to one receiver, and what comes back."""

    #: Numbers of the flows.
    flows: Sequence[int]
    data: Exchange
    acks: Exchange
    #: Packets that an ACK acknowledges, at least; and ACKs per second at most (TACK, Eq 3).
    every: float = 2.0
    at_most: float = float("inf")
    #: Part of the MPDUs that the channel spoils.
    p_phy: float = 0.0
    #: Whether its senders answer ACKs at once, so that ACKs that come together release packets
    #: that come together; paced packets do not.
    bursts: bool = True
    #: Packets that the device holds of it, where each lane has its own limit.
    device: float = float("inf")


@equation("Eqs 2 to 6")
@dataclass(frozen=True)
class Source:
    """A sender of data."""

    name: str
    contender: Contender
    lanes: Sequence[Lane]
    #: Packets that the device holds, of all lanes together; or whether each lane has its limit.
    device: float
    per_lane: bool = False
    above: Above | None = None
    #: Whether lanes have the air for equally long (airtime fairness), not equally often.
    airtime: bool = False


@equation("Eqs 2 to 8")
@dataclass(frozen=True)
class Radio:
    """A channel: who sends data, and who answers with ACKs, each by the lanes that it serves."""

    sources: Sequence[Source]
    #: Senders of ACKs; pairs of a source and one of its lanes. Empty where answers carry them.
    answers: Sequence[tuple[Contender, Sequence[tuple[int, int]]]]
    aifsn: int
    #: Bits of a packet on the channel, and of those what is payload.
    packet: float
    payload: float
    #: PPDU attempts until a packet is given up.
    tries: int = 8
    #: ACKs go in A-MPDUs.
    merges: bool = True
    #: Seconds until a packet in a queue is given up.
    life: float = float("inf")
    #: ACKs that a device holds.
    holds: float = 500.0

    def __post_init__(self) -> None:
        need(len(self.sources) > 0, "Eq 5", "n_ra", 0, "there is at least one station")

    def with_factor(self, parameter: str, factor: float) -> Radio:
        """The same with one parameter so many times as large."""

        def exchange(of: Exchange) -> Exchange:
            if parameter == "rate":
                return replace(of, each=of.each / factor)
            if parameter == "access":
                return replace(of, fixed=of.fixed * factor)
            if parameter == "aggregate":
                return replace(of, most=max(round(of.most * factor), 1))
            return of

        def lane(of: Lane) -> Lane:
            every = of.every * factor if parameter == "every" else of.every
            acks = of.acks if parameter == "aggregate" else exchange(of.acks)
            return replace(of, data=exchange(of.data), acks=acks, every=every)

        def source(of: Source) -> Source:
            long = factor if parameter == "limit" else 1.0
            above = of.above
            if above is not None:
                above = replace(
                    above,
                    limit=above.limit * long,
                    target=above.target * (factor if parameter == "target" else 1.0),
                    interval=above.interval * (factor if parameter == "interval" else 1.0),
                )
            device = of.device * (long if above is None else 1.0)
            return replace(of, lanes=[lane(x) for x in of.lanes], device=device, above=above)

        return replace(self, sources=[source(s) for s in self.sources])

    def printed(self) -> list[float] | None:
        """Eq 8 as printed for each flow, packets per second: with as many contenders as there are
        senders, all of which always attempt."""
        all_ = [s.contender for s in self.sources] + [c for c, _ in self.answers]
        betas = contention.fixed_point(all_, [1.0] * len(all_))
        found: dict[int, float] = {}
        for i, source in enumerate(self.sources):
            for lane in source.lanes:
                n = lane.data.most
                bits = contention.station_printed(
                    betas, i, lane.p_phy, n, self.payload, lane.data.lasts(n)
                )
                for flow in lane.flows:
                    share = len(lane.flows) * len(source.lanes)
                    found[flow] = bits / self.payload / share
        return [found[i] for i in sorted(found)]

    def queue(self, flows: int) -> Air:
        """The channel as a queue of the coupled model."""
        return Air(self, flows)

    def saturated(self) -> list[float]:
        """Eq 8, corrected, for each flow with full queues, packets per second."""
        air = Air(self, sum(len(x.flows) for s in self.sources for x in s.lanes))
        full = [1e6] * air.flows
        return air.service(full)


class _Turn:
    """A lane and what it has to send. `Air.service` runs 13,000 times a minute: numbers that do not
    change are worked out once."""

    __slots__ = (
        "ack",
        "ack_wait",
        "active",
        "at_most",
        "at_once",
        "burst",
        "bursts",
        "every",
        "flows",
        "held",
        "most",
        "refilled",
        "shape",
        "share",
        "through",
    )

    def __init__(self, lane: Lane) -> None:
        self.flows = tuple(lane.flows)
        self.most, self.every, self.at_most = float(lane.data.most), lane.every, lane.at_most
        self.bursts, self.through = lane.bursts, 1 - lane.p_phy
        self.shape, self.ack = _shape(lane.data), _shape(lane.acks)
        #: Packets in the device, and those that go at once; part of the time in which it has
        #: something, and its part of its sender's accesses.
        self.held, self.at_once, self.active, self.share = 0.0, 1.0, 0.0, 1.0
        #: Packets that an access for ACKs releases, and what an ACK waits.
        self.burst = self.ack_wait = 0.0
        #: Packets that a discipline above has put behind those that a PPDU left.
        self.refilled = 0.0


#: Length of an exchange with none, for each MPDU, of what a collision leaves, for each MPDU of
#: that, and the most MPDUs.
_Shape = tuple[float, float, float, float, float]


def _shape(of: Exchange) -> _Shape:
    grows = of.each if of.rts is None else 0.0
    return of.lasts(0), of.each, of.spoilt(0), grows, float(of.most)


_FOREVER = float("inf")
#: Points of gamma at which Eq 4 is known; between them it is a line.
_GRID = 500


@equation("Eqs 2 to 8")
class Air:
    """The channel as a queue of the coupled model."""

    def __init__(self, of: Radio, flows: int) -> None:
        known = 1 + max(f for s in of.sources for x in s.lanes for f in x.flows)
        need(flows >= known, "Eq 16", "the number of flows", flows, f"the senders have {known}")
        self.of, self.flows = of, flows
        self.waiting = [0.0] * flows
        #: Packets of each flow in the devices.
        self._held = [0.0] * flows
        #: Devices: their flows, their limit, and the discipline above.
        self._devices: list[tuple[list[int], float, Queue | None]] = []
        for s in of.sources:
            groups = [(list(x.flows), x.device) for x in s.lanes]
            if not s.per_lane:
                groups = [([f for own, _ in groups for f in own], s.device)]
            for own, limit in groups:
                above = s.above.queue(len(own)) if s.above else None
                self._devices.append((own, max(limit, 1.0), above))
        self._contenders = [s.contender for s in of.sources] + [c for c, _ in of.answers]
        #: Part of the time in which ACK senders have something, and accesses for data for each of
        #: theirs.
        self._parts = [1.0] * len(of.answers)
        self._ratios = [1.0] * len(of.answers)
        #: ACKs that wait where each takes an access of its own, and the time since Eq 8 was last
        #: solved, s.
        self._piles = [0.0] * len(of.answers)
        self._elapsed = 0.0
        self._turns = [[_Turn(x) for x in s.lanes] for s in of.sources]
        #: The turns that each ACK sender answers.
        self._answered = [[self._turns[i][j] for i, j in lanes] for _, lanes in of.answers]
        #: The turns of a device, by its first flow.
        self._sizes = {
            own[0]: [t for turns in self._turns for t in turns if set(t.flows) <= set(own)]
            for own, _, _ in self._devices
        }
        self._waits = [0.0] * flows
        #: Time that an access of each flow's data and one of its ACKs take, s.
        self.accesses = [0.0] * flows
        self._rates = [0.0] * flows
        self._until = self._since = 0.0
        self._mean = 0.0
        self._upper = [0.0] * flows
        #: Eq 4 by gamma; the same for all with the same windows.
        tables: dict[Contender, list[float]] = {}
        for c in self._contenders:
            if c not in tables:
                tables[c] = [
                    eq4(min(float(eq6(g / _GRID, c.p_phy)), 1.0), c.slots) for g in range(_GRID + 1)
                ]
        self._tables = [tables[c] for c in self._contenders]
        self._betas = self._settle()
        #: From one success on the channel to the next with full queues, s.
        self._exchange = self._mean

    @property
    def gamma(self) -> list[float]:
        """Of each sender of data the probability that an attempt collides, with full queues."""
        parts = [1.0] * len(self.of.sources) + self._settled
        effective = [b * p for b, p in zip(self._betas, parts, strict=True)]
        return [contention.collides(effective, i) for i in range(len(self.of.sources))]

    def _settle(self) -> list[float]:
        """Eqs 4 to 6 with full queues: ACK senders have something to send as often as follows."""
        full = [1e6] * self.flows
        for _ in range(100):
            before = list(self._parts)
            parts = [1.0] * len(self.of.sources) + self._parts
            self._betas = contention.fixed_point(self._contenders, parts)
            self.service(full)
            # Half of the way: a part that is too large makes the next one too small.
            self._parts = [(a + b) / 2 for a, b in zip(before, self._parts, strict=True)]
            off = max((abs(a - b) for a, b in zip(before, self._parts, strict=True)), default=0.0)
            if off < 1e-9:
                break
        else:
            raise NoSolutionError(
                f"Eqs 4 to 8: beta has no fixed point: how often {len(self._parts)} ACK senders"
                f" have something to send does not settle (change {off:.2g} after 100 rounds)\n"
                "  help: fewer ACKs have one: A-MPDUs for them, or more packets for an ACK"
            )
        self._settled = list(self._parts)
        return self._betas

    def service(self, held: Sequence[float]) -> list[float]:
        """Eq 8: packets per second of each flow if devices hold so many."""
        of, betas, k = self.of, self._betas, len(self.of.sources)
        lasts, spoilt, active, effective = [], [], [], []
        for source, own in zip(of.sources, self._turns, strict=True):
            _fill(own, held, source.airtime)
            long = short = busy = 0.0
            for t in own:
                base, each, left, grows, _ = t.shape
                long += t.share * (base + each * t.at_once)
                short += t.share * (left + grows * t.at_once)
                busy += t.active
            lasts.append(long)
            spoilt.append(short)
            active.append(busy if busy < 1 else 1.0)
        for ratio, turns in zip(self._ratios, self._answered, strict=True):
            # ACKs since the last access, of a lane in its turn.
            long = short = 0.0
            for t in turns:
                base, each, left, grows, most = t.ack
                m = ratio * t.at_once / t.every if of.merges else 1.0
                m = 1.0 if m < 1 else m if m < most else most
                long += base + each * m
                short += left + grows * m
            lasts.append(long / len(turns))
            spoilt.append(short / len(turns))
        for b, part in zip(betas, (*active, *self._parts), strict=True):
            effective.append(b * part)
        slot = _slot(effective, lasts, spoilt, of.aifsn)
        success, length = slot.success, slot.mean
        total = sum(success)
        self._mean = length / total if total > 0 else 0.0
        self._follow(effective)
        for a in range(len(of.answers)):
            self._answer(a, slot, lasts[k + a])
        rates, waits, accesses = [0.0] * self.flows, self._waits, self.accesses
        for i, own in enumerate(self._turns):
            # Successes of a slot if it has something to send, and what a slot lasts then.
            often = success[i] / active[i] if active[i] > 0 else betas[i]
            mean = length + (1 - active[i]) * often * lasts[i]
            least = 1 / len(own)
            for t in own:
                n, ack = t.at_once, t.ack_wait
                speed = success[i] / length * t.share * n * t.through
                turn = mean / (often * (t.share if t.share > least else least))
                wait = (t.held / n + 0.5 * (1 + 1 / n)) * turn / t.through + ack
                for f in t.flows:
                    part = held[f] / t.held if t.held > 0 else 1 / len(t.flows)
                    rates[f] = speed * part
                    waits[f] = wait
                    accesses[f] = turn + ack
        return rates

    def _follow(self, effective: Sequence[float]) -> None:
        """Half a step of Eqs 4 and 5: who has nothing to send does not collide either."""
        nobody = 1.0
        for b in effective:
            nobody *= 1 - b
        betas = self._betas
        for i, b in enumerate(effective):
            gamma = 1 - nobody / (1 - b) if b < 1 else 1.0
            at = gamma * _GRID
            low = min(int(at), _GRID - 1)
            table = self._tables[i]
            beta = table[low] + (at - low) * (table[low + 1] - table[low])
            betas[i] += 0.5 * (beta - betas[i])

    def _answer(self, a: int, slot: contention.Slot, lasts: float) -> None:
        """Updates an ACK sender: ACKs to send, rate of attempts, and waiting time of an ACK."""
        of, k = self.of, len(self.of.sources)
        turns, lanes = self._answered[a], of.answers[a][1]
        beta, part = self._betas[k + a], self._parts[a]
        serves = slot.success[k + a] / part if part > 0 else beta
        comes = data = 0.0
        for t, (i, _) in zip(turns, lanes, strict=True):
            accesses = slot.success[i] * t.share
            data += accesses
            # An ACK for `every` packets, and no more than TACK's frequency.
            batches = accesses * t.at_once / t.every if t.at_once < t.every else accesses
            most = t.at_most * slot.mean
            comes += batches if batches < most else most
        n = len(lanes)
        if of.merges:
            part, pending = _busy_part(comes / n, serves, n)
            done = part * serves
            waits = pending / done if done > 0 else 1 / serves
        else:
            # One at a time: more than it serves pile up, as many as a device holds.
            load = comes / serves
            pile = self._piles[a] + (comes - serves) / slot.mean * self._elapsed
            self._piles[a] = pile = min(max(pile, 0.0), of.holds)
            part = 1.0 if pile > 0 else min(load, 1.0)
            waits = (1 + pile) / serves
        done = part * serves
        self._parts[a] = part
        self._ratios[a] = data / done if done > 0 else 1.0
        wait = slot.rest + max(waits - 1, 0.0) * (slot.mean - done * lasts) + lasts
        for t, (i, _) in zip(turns, lanes, strict=True):
            t.ack_wait = wait
            if t.bursts and done > 0:
                t.burst = slot.success[i] * t.share * t.at_once * n / done

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `coupled.Queue`; the channel has its own rate."""
        del rate
        held, waiting = self._held, self.waiting
        dropped = [0.0] * self.flows
        for own, limit, above in self._devices:
            if above is None:
                for f in own:
                    held[f] += arrivals[f]
                continue
            room = limit - self._under_way(own, above=True)
            able = 0.0
            for f in own:
                room -= held[f]
                able += self._rates[f]
            # As PPDUs grow, what may wait besides them shrinks: the device comes down to it while
            # it takes half of what it serves.
            speed = max(room / dt, 0.5 * able, 1e-6 / dt)
            passed, lost = above.step(now, dt, speed, [arrivals[f] for f in own])
            full = sum(above.waiting) > 0
            for t in self._sizes[own[0]]:
                t.refilled = (t.at_once * t.active + 1) / 2 if full else 0.0
            waits = above.delays(speed, passed, dt)
            for g, f in enumerate(own):
                held[f] += passed[g]
                dropped[f], self._upper[f] = lost[g], waits[g]
        # Changes within an exchange do not matter to Eq 8.
        if now >= self._until:
            self._elapsed = now - self._since
            self._since = now
            self._rates = self.service(held)
            self._until = now + 0.5 * self._exchange - 0.5 * dt
        rates, life = self._rates, self.of.life
        served = [0.0] * self.flows
        for own, limit, above in self._devices:
            total = comes = able = 0.0
            for f in own:
                has, out = held[f], rates[f] * dt
                if out > has:
                    out = has
                served[f] = out
                held[f] = has = has - out
                total += has
                comes += arrivals[f]
                able += rates[f]
            if life < _FOREVER:
                # Packets that would wait for longer than their lifetime are given up.
                lives = life * able
                lives = lives if lives > 64.0 else 64.0
                limit = limit if limit < lives else lives
            over = total - max(limit - self._under_way(own, above is not None), 1.0)
            if above is None and over > 0 and comes > 0:
                for f in own:
                    dropped[f] = min(over * arrivals[f] / comes, held[f])
                    held[f] -= dropped[f]
            if above is None:
                for f in own:
                    waiting[f] = held[f]
            else:
                for f, more in zip(own, above.waiting, strict=True):
                    waiting[f] = held[f] + more
        return served, dropped

    def _under_way(self, own: Sequence[int], above: bool) -> float:
        """Packets of a device beyond those that PPDUs leave behind.

        A lane has u n of them, where u is the part of the time between two of its PPDUs that has
        passed. Packets that come are lost where the most of these do not find room: just before one
        of K lanes that take turns ends its PPDU, their parts are 1/K, 2/K, ... 1, which add up to
        (K + 1) / 2. A discipline `above` fills the device up as soon as a PPDU ends, so that it
        always holds its limit, of which q is what Little's law leaves: a packet is there for
        q T / n and T (1 + 1/n) / 2, so that there are (n + 1) / 2 more.
        """
        turns = self._sizes[own[0]]
        if above:
            return sum(t.at_once * t.active + 1 for t in turns) / 2
        return sum(t.at_once * t.active for t in turns) * (len(turns) + 1) / (2 * len(turns))

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """Waiting times of data and of their ACKs, added, of each flow, s."""
        del rate, served, dt
        return [a + b for a, b in zip(self._waits, self._upper, strict=True)]


def _fill(turns: Sequence[_Turn], held: Sequence[float], airtime: bool) -> None:
    """Fills a source's lanes: by Eq 2 waiting packets go at once, and so do new arrivals,
    up to Eq 3's limit."""
    total = 0.0
    for t in turns:
        q = 0.0
        for f in t.flows:
            q += held[f]
        there = q + t.refilled
        n = t.burst if t.burst > there else there
        n = 1.0 if n < 1 else n if n < t.most else t.most
        active = there / n if there < n else 1.0
        t.held, t.at_once, t.active = q, n, active
        t.share = active / (t.shape[0] + t.shape[1] * n) if airtime else active
        total += t.share
    if len(turns) == 1:
        turns[0].share = 1.0
        return
    for t in turns:
        t.share = t.share / total if total > 0 else 1 / len(turns)
