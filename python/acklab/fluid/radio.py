"""A radio channel and its stations, as Eqs 2 to 8 need them.

All data goes one way, from stations to the access point or back, and ACKs go the other. `air` has
the channel as a queue of the coupled model.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from acklab.fluid import contention
from acklab.fluid.contention import Contender, Exchange
from acklab.fluid.coupled import Codel, Fair, Fifo, Pie, Queue
from acklab.fluid.domain import (
    Symbols,
    above_zero,
    count,
    from_zero,
    need,
    probability,
)

if TYPE_CHECKING:
    from acklab.fluid.air import Air

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

    def kinds(self, flows: Sequence[Hashable]) -> list[int]:
        """Of each flow the number of its kind. Flows of a kind have the same numbers for ever,
        since they, their stations, and whom those meet are alike. `flows` is of each what tells it
        from others elsewhere."""
        known = sum(len(lane.flows) for s in self.sources for lane in s.lanes)
        need(
            isinstance(flows, Sequence) and len(flows) == known,
            "Eq 16",
            "what tells flows apart",
            flows,
            f"one hashable value for each of {known} flows",
        )
        answer = {lane: a for a, (_, own) in enumerate(self.answers) for lane in own}
        lanes = {(i, j): x for i, s in enumerate(self.sources) for j, x in enumerate(s.lanes)}
        looks: dict[tuple[int, int], Hashable] = {
            (i, j): (
                replace(self.sources[i], name="", lanes=()),
                replace(lane, flows=(0,)),
                tuple(flows[f] for f in lane.flows),
                self.answers[answer[i, j]][0] if (i, j) in answer else None,
            )
            for (i, j), lane in lanes.items()
        }
        alike, before = _numbered(looks), 0
        # Until lanes of a kind share senders, and are answered, with the same kinds.
        while len(set(alike.values())) > before:
            before = len(set(alike.values()))
            sent, answered = {}, {}
            for i, s in enumerate(self.sources):
                sent[i] = tuple(alike[i, j] for j in range(len(s.lanes)))
            for a, (_, own) in enumerate(self.answers):
                answered[a] = tuple(alike[lane] for lane in own)
            sends, answers = _numbered(sent), _numbered(answered)
            alike = _numbered(
                {x: (n, sends[x[0]], answers.get(answer.get(x))) for x, n in alike.items()}
            )
        of = {f: (alike[x], flows[f]) for x, lane in lanes.items() for f in lane.flows}
        numbers = _numbered({f: of[f] for f in sorted(of)})
        return list(numbers.values())

    def queue(self, flows: int, kinds: Sequence[int] | None = None) -> Air:
        """The channel as a queue of the coupled model."""
        from acklab.fluid.air import Air

        return Air(self, flows, kinds)

    def saturated(self) -> list[float]:
        """Eq 8, corrected, for each flow with full queues, packets per second."""
        air = self.queue(sum(len(x.flows) for s in self.sources for x in s.lanes))
        full = [1e6] * air.flows
        return air.service(full)


def _numbered(of: Mapping[Any, Hashable]) -> dict[Any, int]:
    """A number for each value, the same for equal ones."""
    numbers: dict[Hashable, int] = {}
    return {key: numbers.setdefault(value, len(numbers)) for key, value in of.items()}
