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

from collections.abc import Hashable, Sequence
from itertools import groupby
from operator import add

from acklab.fluid import contention
from acklab.fluid.access import eq4, eq6
from acklab.fluid.contention import Contender, Exchange
from acklab.fluid.domain import NoSolutionError, Symbols, count, need, unchecked
from acklab.fluid.radio import Above, Lane, Radio, Source

#: Without its door: `Air` calls it 13,000 times a minute.
_busy_part = unchecked(contention.busy_part)

equation = Symbols(
    flows=count(1, name="the number of flows", equation="Eq 16"),
    kinds=count([0], 0, optional=True, name="the kind of a flow"),
)


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
        "sender",
        "shape",
        "share",
        "through",
    )

    sender: _Sender

    def __init__(self, lane: Lane, flows: tuple[int, ...]) -> None:
        self.flows = flows
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


class _Sender:
    """Senders that are alike, of data with their lanes or of ACKs with those that they answer."""

    __slots__ = (
        "airtime",
        "beta",
        "contender",
        "lanes",
        "lasts",
        "order",
        "part",
        "pile",
        "ratio",
        "spoilt",
        "table",
        "turns",
        "won",
    )

    def __init__(self, contender: Contender, turns: Sequence[_Turn], airtime: bool = False) -> None:
        self.contender, self.airtime = contender, airtime
        #: The lanes of one of them that differ; for each of its lanes which of these it is.
        self.turns, self.lanes = list(dict.fromkeys(turns)), len(turns)
        self.order = [self.turns.index(t) for t in turns]
        #: Part of the time in which it has something to send, and its successes in a slot.
        self.part, self.won = 1.0, 0.0
        #: Lengths of a success and of a frame that collides, s.
        self.lasts = self.spoilt = 0.0
        #: Of a sender of ACKs: accesses for data for each of its own, and ACKs that wait where each
        #: takes an access of its own.
        self.ratio, self.pile = 1.0, 0.0
        #: Eq 4, and its table by gamma.
        self.beta = 0.0
        self.table: list[float] = []


class _Device:
    """The queue of a sender or of one of its lanes, and the discipline above."""

    __slots__ = ("above", "each", "flows", "limit", "turns", "under_way")

    def __init__(self, turns: Sequence[_Turn], limit: float, above: Above | None) -> None:
        #: Its flows, of which those of a kind have one number; each number, and where it is first.
        self.flows = [f for t in turns for f in t.flows]
        self.each = [(f, self.flows.index(f)) for f in dict.fromkeys(self.flows)]
        self.turns, self.limit = turns, max(limit, 1.0)
        self.above = above.queue(len(self.flows)) if above else None
        #: Packets of it that are under way.
        self.under_way = 0.0


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
    """The channel as a queue of the coupled model.

    With `kinds` of flows (`Radio.kinds`) the solver has one flow of each kind, and those that are
    alike are computed once. They count one after the other, so that sums are the same to the bit.
    """

    def __init__(self, of: Radio, flows: int, kinds: Sequence[int] | None = None) -> None:
        known = 1 + max(f for s in of.sources for x in s.lanes for f in x.flows)
        kind = range(known) if kinds is None else kinds
        need(len(kind) >= known, "Eq 16", "the kinds", kinds, f"one for each of {known} flows")
        known = 1 + max(kind)
        need(flows >= known, "Eq 16", "the number of flows", flows, f"the senders have {known}")
        self.of, self.flows = of, flows
        #: Packets of each flow in the devices.
        self._held = [0.0] * flows
        self._devices: list[_Device] = []
        #: Those that contend: first the senders of data, then those of ACKs.
        everyone: list[_Sender] = []
        sources: dict[Hashable, _Sender] = {}
        turns: dict[tuple[int, int], _Turn] = {}
        for i, s in enumerate(of.sources):
            lanes = [tuple(kind[f] for f in x.flows) for x in s.lanes]
            if tuple(lanes) not in sources:
                sources[tuple(lanes)] = self._source(s, lanes)
            sender = sources[tuple(lanes)]
            everyone.append(sender)
            turns |= {(i, j): sender.turns[k] for j, k in enumerate(sender.order)}
        answers: dict[Hashable, _Sender] = {}
        for contender, served in of.answers:
            own = tuple(turns[lane] for lane in served)
            everyone.append(answers.setdefault((contender, own), _Sender(contender, own)))
        self._sources, self._answers = list(sources.values()), list(answers.values())
        self._senders = self._sources + self._answers
        #: For each that contends which of these it is.
        places = {s: i for i, s in enumerate(self._senders)}
        self._order = [places[s] for s in everyone]
        self._runs = [(i, len(list(own))) for i, own in groupby(self._order)]
        #: Whether a discipline is above a device; without one what waits is what devices hold.
        self._disciplines = any(d.above is not None for d in self._devices)
        self.waiting = [0.0] * flows if self._disciplines else self._held
        #: The time since Eq 8 was last solved, s.
        self._elapsed = 0.0
        self._waits = [0.0] * flows
        #: Time that an access of each flow's data and one of its ACKs take, s.
        self.accesses = [0.0] * flows
        self._rates = [0.0] * flows
        self._until = self._since = 0.0
        #: A slot, and from one success to the next, s; what they follow from, when last solved.
        self._length = self._mean = 0.0
        self._state: list[float] = []
        self._upper = [0.0] * flows
        #: Eq 4 by gamma; the same for all with the same windows.
        tables: dict[Contender, list[float]] = {}
        for sender in self._senders:
            c = sender.contender
            if c not in tables:
                tables[c] = [
                    eq4(min(float(eq6(g / _GRID, c.p_phy)), 1.0), c.slots) for g in range(_GRID + 1)
                ]
            sender.table = tables[c]
        self._settle()
        #: From one success on the channel to the next with full queues, s.
        self._exchange = self._mean

    def _source(self, of: Source, lanes: Sequence[tuple[int, ...]]) -> _Sender:
        """A sender of data with the flows of its lanes, and its devices."""
        differ = {own: (_Turn(x, own), x.device) for own, x in zip(lanes, of.lanes, strict=True)}
        turns = [differ[own][0] for own in lanes]
        sender = _Sender(of.contender, turns, of.airtime)
        for t, device in differ.values():
            t.sender = sender
            if of.per_lane:
                self._devices.append(_Device([t], device, of.above))
        if not of.per_lane:
            self._devices.append(_Device(turns, of.device, of.above))
        return sender

    def _settle(self) -> None:
        """Eqs 4 to 6 with full queues: ACK senders have something to send as often as follows."""
        full, answers = [1e6] * self.flows, self._answers
        everyone = [self._senders[i] for i in self._order]
        for _ in range(100):
            before = [s.part for s in answers]
            for s in self._sources:
                s.part = 1.0
            betas = contention.fixed_point(
                [s.contender for s in everyone], [s.part for s in everyone]
            )
            for s, beta in zip(everyone, betas, strict=True):
                s.beta = beta
            self.service(full)
            # Half of the way: a part that is too large makes the next one too small.
            off = 0.0
            for s, part in zip(answers, before, strict=True):
                s.part = (part + s.part) / 2
                off = max(off, abs(part - s.part))
            if off < 1e-9:
                return
        raise NoSolutionError(
            f"Eqs 4 to 8: beta has no fixed point: how often {len(self.of.answers)} ACK"
            f" senders have something to send does not settle (change {off:.2g} after 100 rounds)\n"
            "  help: fewer ACKs have one: A-MPDUs for them, or more packets for an ACK"
        )

    def service(self, held: Sequence[float]) -> list[float]:
        """Eq 8: packets per second of each flow if devices hold so many."""
        # A pile that time has not changed is empty or full, and stays so.
        state: list[float] = [self._elapsed > 0]
        for s in self._sources:
            _fill(s, held, state)
        for s in self._senders:
            state += (s.beta, s.part, s.ratio, s.pile)
        # Most of the time queues are so full that nothing changes.
        if state != self._state:
            self._state = state
            self._contend()
        rates, waits, accesses = [0.0] * self.flows, self._waits, self.accesses
        length = self._length
        for s in self._sources:
            # Successes of a slot if it has something to send, and what a slot lasts then.
            won, part = s.won, s.part
            often = won / part if part > 0 else s.beta
            mean = length + (1 - part) * often * s.lasts
            least = 1 / s.lanes
            for t in s.turns:
                n, ack, share, q, through = t.at_once, t.ack_wait, t.share, t.held, t.through
                speed = won / length * share * n * through
                turn = mean / (often * (share if share > least else least))
                wait = (q / n + 0.5 * (1 + 1 / n)) * turn / through + ack
                for f in t.flows:
                    rates[f] = speed * (held[f] / q if q > 0 else 1 / len(t.flows))
                    waits[f] = wait
                    accesses[f] = turn + ack
        return rates

    def _contend(self) -> None:
        """Eqs 4 to 7: how often each has the air, and how long a slot is."""
        merges = self.of.merges
        for s in self._answers:
            # ACKs since the last access, of a lane in its turn.
            longs, shorts, ratio = [], [], s.ratio
            for t in s.turns:
                base, each, left, grows, most = t.ack
                m = ratio * t.at_once / t.every if merges else 1.0
                m = 1.0 if m < 1 else m if m < most else most
                longs.append(base + each * m)
                shorts.append(left + grows * m)
            s.lasts = _sum(longs, s.order) / s.lanes
            s.spoilt = _sum(shorts, s.order) / s.lanes
        effective = [s.beta * s.part for s in self._senders]
        lasts = [s.lasts for s in self._senders]
        spoilt = [s.spoilt for s in self._senders]
        slot = contention._slot_of(effective, lasts, spoilt, self.of.aifsn, self._runs)
        length, _, success, _, idle = slot
        total = sum([success[i] for i in self._order])
        self._length, self._mean = length, length / total if total > 0 else 0.0
        for s, b, won in zip(self._senders, effective, success):  # noqa: B905
            s.won = won
            # Half a step of Eqs 4 and 5: who has nothing to send does not collide either.
            at = (1 - idle / (1 - b) if b < 1 else 1.0) * _GRID
            low = int(at)
            if low >= _GRID:
                low = _GRID - 1
            table, beta = s.table, s.beta
            here = table[low]
            s.beta = beta + 0.5 * (here + (at - low) * (table[low + 1] - here) - beta)
        for s in self._answers:
            self._answer(s, slot, s.lasts)
        for d in self._devices:
            d.under_way = self._under_way(d)

    def _answer(self, of: _Sender, slot: contention.Slot, lasts: float) -> None:
        """Updates an ACK sender: ACKs to send, rate of attempts, and waiting time of an ACK."""
        won, part, n = of.won, of.part, of.lanes
        serves = won / part if part > 0 else of.beta
        each, accesses = [], [t.sender.won * t.share for t in of.turns]
        for t, often in zip(of.turns, accesses):  # noqa: B905
            # An ACK for `every` packets, and no more than TACK's frequency.
            batches = often * t.at_once / t.every if t.at_once < t.every else often
            most = t.at_most * slot.mean
            each.append(batches if batches < most else most)
        comes, data = _sum(each, of.order), _sum(accesses, of.order)
        if self.of.merges:
            part, pending = _busy_part(comes / n, serves, n)
            done = part * serves
            waits = pending / done if done > 0 else 1 / serves
        else:
            # One at a time: more than it serves pile up, as many as a device holds.
            load = comes / serves
            pile = of.pile + (comes - serves) / slot.mean * self._elapsed
            of.pile = pile = min(max(pile, 0.0), self.of.holds)
            part = 1.0 if pile > 0 else min(load, 1.0)
            waits = (1 + pile) / serves
        done = part * serves
        of.part = part
        of.ratio = data / done if done > 0 else 1.0
        wait = slot.rest + max(waits - 1, 0.0) * (slot.mean - done * lasts) + lasts
        for t, often in zip(of.turns, accesses):  # noqa: B905
            t.ack_wait = wait
            if t.bursts and done > 0:
                t.burst = often * t.at_once * n / done

    def step(
        self, now: float, dt: float, rate: float, arrivals: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """See `coupled.Queue`; the channel has its own rate."""
        del rate
        held = self._held
        dropped = [0.0] * self.flows
        for d in self._devices:
            above = d.above
            if above is None:
                for f, _ in d.each:
                    held[f] += arrivals[f]
                continue
            room = d.limit - d.under_way
            able = 0.0
            for f in d.flows:
                room -= held[f]
                able += self._rates[f]
            # As PPDUs grow, what may wait besides them shrinks: the device comes down to it while
            # it takes half of what it serves.
            speed = max(room / dt, 0.5 * able, 1e-6 / dt)
            passed, lost = above.step(now, dt, speed, [arrivals[f] for f in d.flows])
            full = sum(above.waiting) > 0
            for t in d.turns:
                t.refilled = (t.at_once * t.active + 1) / 2 if full else 0.0
            waits = above.delays(speed, passed, dt)
            for f, g in d.each:
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
        for d in self._devices:
            for f, _ in d.each:
                has, out = held[f], rates[f] * dt
                if out > has:
                    out = has
                served[f] = out
                held[f] = has - out
            if d.above is not None:
                for f, g in d.each:
                    self.waiting[f] = held[f] + d.above.waiting[g]
                continue
            total = _sum(held, d.flows)
            limit = d.limit
            if life < _FOREVER:
                # Packets that would wait for longer than their lifetime are given up.
                lives = max(life * _sum(rates, d.flows), 64.0)
                limit = limit if limit < lives else lives
            limit -= d.under_way
            over = total - (limit if limit > 1.0 else 1.0)
            if over > 0 and (comes := _sum(arrivals, d.flows)) > 0:
                for f, _ in d.each:
                    dropped[f] = lost_now = min(over * arrivals[f] / comes, held[f])
                    held[f] -= lost_now
        return served, dropped

    def _under_way(self, of: _Device) -> float:
        """Packets of a device beyond those that PPDUs leave behind.

        A lane has u n of them, where u is the part of the time between two of its PPDUs that has
        passed. Packets that come are lost where the most of these do not find room: just before one
        of K lanes that take turns ends its PPDU, their parts are 1/K, 2/K, ... 1, which add up to
        (K + 1) / 2. A discipline above fills the device up as soon as a PPDU ends, so that it
        always holds its limit, of which q is what Little's law leaves: a packet is there for
        q T / n and T (1 + 1/n) / 2, so that there are (n + 1) / 2 more.
        """
        turns = of.turns
        if of.above is not None:
            return sum([t.at_once * t.active + 1 for t in turns]) / 2
        return sum([t.at_once * t.active for t in turns]) * (len(turns) + 1) / (2 * len(turns))

    def delays(self, rate: float, served: Sequence[float], dt: float) -> list[float]:
        """Waiting times of data and of their ACKs, added, of each flow, s."""
        del rate, served, dt
        if not self._disciplines:
            return self._waits
        return list(map(add, self._waits, self._upper))


def _sum(values: Sequence[float], order: Sequence[int]) -> float:
    """One after the other, as often as they come."""
    total = 0.0
    for i in order:
        total += values[i]
    return total


def _fill(of: _Sender, held: Sequence[float], state: list[float]) -> None:
    """Fills a source's lanes: by Eq 2 waiting packets go at once, and so do new arrivals, up to
    Eq 3's limit. Says in `state` how full they are."""
    for t in of.turns:
        q = 0.0
        for f in t.flows:
            q += held[f]
        there = q + t.refilled
        n = t.burst if t.burst > there else there
        n = 1.0 if n < 1 else n if n < t.most else t.most
        active = there / n if there < n else 1.0
        t.held, t.at_once, t.active = q, n, active
        state += (n, active)
    if of.lanes == 1:
        base, each, left, grows, _ = t.shape
        t.share, of.part = 1.0, active if active < 1 else 1.0
        of.lasts, of.spoilt = base + each * n, left + grows * n
        return
    order = of.order
    shares, longs, shorts = [], [], []
    for t in of.turns:
        base, each, left, grows, _ = t.shape
        n = t.at_once
        longs.append(base + each * n)
        shorts.append(left + grows * n)
        shares.append(t.active / longs[-1] if of.airtime else t.active)
    total = _sum(shares, order)
    for k, t in enumerate(of.turns):
        t.share = share = shares[k] / total if total > 0 else 1 / of.lanes
        longs[k] *= share
        shorts[k] *= share
    busy = _sum([t.active for t in of.turns], order)
    of.part = busy if busy < 1 else 1.0
    of.lasts, of.spoilt = _sum(longs, order), _sum(shorts, order)
