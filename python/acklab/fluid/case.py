"""What the coupled model runs: flows, and the bottleneck that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf

from acklab.fluid.bbr_cycle import Bbr3
from acklab.fluid.coupled import (
    Codel,
    Fair,
    Fifo,
    Path,
    Pie,
    Queue,
    Trace,
    solve,
    step_of,
)
from acklab.fluid.paths import Printed, Series
from acklab.fluid.queues import INTERVAL, TARGET
from acklab.fluid.radio import Radio
from acklab.fluid.responses import tack
from acklab.fluid.senders import SENDERS, Bounded, Sender
from acklab.fluid.triggered import Triggered

#: BBRv2 and BBRv3 wait 2 to 3 s between probes, by chance: times of 2.5 s.
WAITS = (1.0, 0.8, 0.9, 1.1, 1.2)


@dataclass(frozen=True)
class Flow:
    """A flow of the case."""

    name: str
    cc: str
    #: Seconds.
    start: float
    rtt: float
    #: Bits of a packet that are payload.
    payload: float
    #: Packets that the receiver lets in flight.
    most: float = inf
    #: Packets for an ACK, and ACKs in the shortest round trip at most (TACK, Eq 3).
    every: float = 2.0
    in_rtt: float = inf

    def hold(self, rate: float) -> float:
        """Seconds that feedback waits for TACK's time, at a rate in packets per second: an interval
        of Eq 3. What a TACK releases arrives a round trip later, right behind another TACK, and
        waits for the next (Eq 11). TACK does not count that as RTT. TCP's ACKs for every second
        packet wait so little that the model leaves it out."""
        if self.in_rtt == inf:
            return 0.0
        return 1 / tack(rate, self.rtt, self.every, self.in_rtt)


@dataclass(frozen=True)
class Case:
    """A scenario as the model needs it."""

    name: str
    duration: float
    warmup: float
    flows: Sequence[Flow]
    #: The bottleneck: its name, bits per second, and bits of a packet on it.
    link: str
    rate: float
    packet: float
    #: Part of the packets that the links lose by chance.
    loss: float
    queue: str
    #: Packets.
    limit: float
    target: float = TARGET
    interval: float = INTERVAL
    #: The host of each flow, where CAKE shares between hosts.
    hosts: Sequence[int] | None = None
    #: Seconds between two probes of BBRv2 and BBRv3.
    wait: float = 2.5
    #: The channel, where data cross one; then `rate` is what it carries with full queues.
    radio: Radio | Triggered | None = None
    #: Bits per second of a wire that is narrower than the channel, and whether it comes first.
    wire: tuple[float, bool] | None = None
    #: Seconds of a step at most, where it is not the solver's choice.
    step: float | None = None
    #: Parts of the scenario that the model leaves out.
    notes: Sequence[str] = field(default_factory=tuple)

    def with_factor(self, parameter: str, factor: float) -> Case:
        """The same with one parameter so many times as large."""
        if self.radio is not None and parameter not in ("rtt", "wait", "loss"):
            return replace(self, radio=self.radio.with_factor(parameter, factor))
        if parameter == "rtt":
            return replace(self, flows=[replace(f, rtt=f.rtt * factor) for f in self.flows])
        return replace(self, **{parameter: getattr(self, parameter) * factor})

    def runs(self, most: int = len(WAITS)) -> list[Trace]:
        """The model's runs: one, or one for each of `WAITS` where BBR draws the time of a probe."""
        if not any(issubclass(SENDERS[f.cc], Bbr3) for f in self.flows):
            return [self.run()]
        return [replace(self, wait=self.wait * w).run() for w in WAITS[:most]]

    def run(self) -> Trace:
        """The model's run."""
        kinds = self._kinds()
        if self.radio is None:
            return self._solve(kinds, self._queue(), self.step)
        flows = [self.flows[i] for i in _firsts(kinds)]
        channel = (
            self.radio.queue(len(flows), kinds)
            if isinstance(self.radio, Radio)
            else self.radio.queue(len(flows))
        )
        # A round trip takes the air twice, which is part of it.
        step = step_of(min(f.rtt + a for f, a in zip(flows, channel.accesses, strict=True)))
        queue: Queue = channel
        if self.wire is not None:
            rate, first = self.wire
            queue = Series(Fifo(len(flows), 1000), rate / self.packet, channel, first)
        return self._solve(kinds, queue, step)

    def printed(self) -> Trace | None:
        """The run with Eqs 8, 15 and 16 as printed; `None` without a channel."""
        rates = self.radio.printed() if self.radio is not None else None
        if rates is None:
            return None
        kinds = self._kinds()
        queue = Printed([rates[i] for i in _firsts(kinds)], max(self.limit, 1.0))
        return self._solve(kinds, queue, None)

    def _kinds(self) -> list[int]:
        """Of each flow the number of its kind: flows of a kind do the same, and one is solved."""
        if isinstance(self.radio, Radio) and self.wire is None:
            return self.radio.kinds([replace(f, name="") for f in self.flows])
        return list(range(len(self.flows)))

    def _solve(self, kinds: Sequence[int], queue: Queue, step: float | None) -> Trace:
        flows = [self.flows[i] for i in _firsts(kinds)]
        rtts = [f.rtt for f in flows]
        share = self.rate / self.packet / len(self.flows)
        trace = solve(
            Path(self.rate / self.packet, min(rtts), self.loss),
            [self._sender(f) for f in flows],
            queue,
            self.duration,
            starts=[f.start for f in flows],
            rtts=rtts,
            holds=[f.hold(share) for f in flows],
            step=step,
        )
        return trace.columns(kinds)

    def _queue(self) -> Queue:
        n = len(self.flows)
        if self.queue == "codel":
            return Codel(n, self.target, self.interval)
        if self.queue == "pie":
            return Pie(n, self.target)
        if self.queue in ("fq-codel", "cake"):
            return Fair(n, self.hosts, self.target, self.interval)
        return Fifo(n, max(self.limit, 1.0))

    def _sender(self, flow: Flow) -> Sender:
        of = SENDERS[flow.cc]
        sender = of(wait=self.wait) if issubclass(of, Bbr3) else of()
        return Bounded(sender, flow.most) if flow.most < inf else sender


def _firsts(kinds: Sequence[int]) -> list[int]:
    """The first flow of each kind, by the kind's number."""
    firsts: dict[int, int] = {}
    for i, kind in enumerate(kinds):
        firsts.setdefault(kind, i)
    return [firsts[k] for k in sorted(firsts)]
