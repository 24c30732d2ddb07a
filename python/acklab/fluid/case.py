"""A scenario as a case of the coupled model, or why it is none."""

from __future__ import annotations

import re
import tomllib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from acklab.errors import AcklabError
from acklab.fluid.bbr_cycle import Bbr3
from acklab.fluid.coupled import Codel, Fair, Fifo, Path, Pie, Queue, Trace, solve
from acklab.fluid.queues import INTERVAL, TARGET
from acklab.fluid.responses import asymmetry
from acklab.fluid.senders import SENDERS, Sender

#: What the resolved form of a scenario writes.
_UNITS = {
    "bit/s": 1.0,
    "kbit/s": 1e3,
    "Mbit/s": 1e6,
    "Gbit/s": 1e9,
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "KiB": 1024.0,
    "MiB": 1024.0**2,
}
#: Bytes of IP and TCP headers, and of the timestamps that most have.
_HEADERS, _TIMESTAMPS = 40, 12
#: BBRv2 and BBRv3 wait 2 to 3 s between probes, by chance: times of 2.5 s.
WAITS = (1.0, 0.8, 0.9, 1.1, 1.2)
#: Queues that the model knows, by what they are to it.
QUEUES = ("pfifo", "bfifo", "codel", "pie", "fq-codel", "cake")


class NoCaseError(AcklabError):
    """A scenario that the model does not cover; the text says what it covers."""


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


@dataclass(frozen=True)
class Case:
    """What the model needs of a scenario."""

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
    #: What of the scenario the model leaves out.
    notes: Sequence[str] = field(default_factory=tuple)

    def with_factor(self, parameter: str, factor: float) -> Case:
        """The same with one parameter so many times as large."""
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
        rate = self.rate / self.packet
        n = len(self.flows)
        queue: Queue
        if self.queue == "codel":
            queue = Codel(n, self.target, self.interval)
        elif self.queue == "pie":
            queue = Pie(n, self.target)
        elif self.queue in ("fq-codel", "cake"):
            queue = Fair(n, self.hosts, self.target, self.interval)
        else:
            queue = Fifo(n, max(self.limit, 1.0))
        rtts = [f.rtt for f in self.flows]
        return solve(
            Path(rate, min(rtts), self.loss),
            [self._sender(f.cc) for f in self.flows],
            queue,
            self.duration,
            starts=[f.start for f in self.flows],
            rtts=rtts,
        )

    def _sender(self, cc: str) -> Sender:
        of = SENDERS[cc]
        return of(wait=self.wait) if issubclass(of, Bbr3) else of()


def _number(text: str) -> float:
    """A value of the resolved form with its unit, in SI units; bits for rates, bytes for sizes."""
    found = re.fullmatch(r"([0-9.e+-]+) ?([A-Za-z/]+)", text)
    if found is None or found[2] not in _UNITS:
        raise NoCaseError(f"the model does not know the value {text!r}")
    return float(found[1]) * _UNITS[found[2]]


@dataclass(frozen=True)
class _Way:
    """One direction of a link."""

    end: str
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.values["name"])

    @property
    def rate(self) -> float:
        """Bits per second, of the line or of what shapes below it."""
        rate = self.values["rate"]
        if not isinstance(rate, str):
            raise NoCaseError(
                f"link {self.name!r} changes its rate; the model knows links of one rate"
            )
        slowest = float("inf") if rate == "unlimited" else _number(rate)
        for shaper in self._unwrapped()[1]:
            slowest = min(slowest, _number(shaper))
        return slowest

    @property
    def queue(self) -> tuple[str, Mapping[str, Any], str]:
        """Name, parameters and limit of what packets wait in, below the shapers."""
        inner = self._unwrapped()[0]
        if isinstance(inner, str):
            return inner, {}, str(self.values.get("queue", "1000 packets"))
        limit = inner.get("queue", self.values.get("queue", "10240 packets"))
        return inner["name"], inner, str(limit)

    def _unwrapped(self) -> tuple[Any, list[str]]:
        """The innermost discipline, and the rates of those around it and of its own shaper."""
        inner: Any = self.values["qdisc"]
        rates: list[str] = []
        while isinstance(inner, Mapping):
            name = inner["name"]
            if name == "htb" and len(inner["classes"]) == 1:
                inner = inner["classes"][0]
                rates.append(inner["rate"])
                inner = inner.get("child", "pfifo")
            elif name == "tbf" and inner.get("child", "none") != "none":
                rates.append(inner["rate"])
                inner = inner["child"]
            else:
                if inner.get("bandwidth", "none") not in ("none", "unlimited"):
                    rates.append(inner["bandwidth"])
                break
        return inner, rates


def case_of(resolved: str) -> Case:
    """Reads a scenario in its resolved form; the error says what the model covers."""
    of = tomllib.loads(resolved)
    name = of["name"]
    if of.get("wifi"):
        raise NoCaseError(
            f"{name}: the model has no radio channel\n"
            "  help: give it wired links; `acklab validate wifi-models` has closed forms of Wi-Fi"
        )
    ways: dict[str, list[_Way]] = {}
    for link in of["link"]:
        forward = {k: v for k, v in link.items() if k != "reverse"}
        ways.setdefault(link["a"], []).append(_Way(link["b"], forward))
        ways.setdefault(link["b"], []).append(_Way(link["a"], link["reverse"]))
    flows, narrow, notes = [], {}, []
    loss = 0.0
    for flow in of["flow"]:
        _must_be_bulk(flow)
        tcp = flow["tcp"]
        headers = _HEADERS + (_TIMESTAMPS if tcp["timestamps"] else 0)
        size = 8.0 * (tcp["segment"] + headers)
        there = _route(ways, flow["from"], flow["to"])
        back = _route(ways, flow["to"], flow["from"])
        slow = min(there, key=lambda w: w.rate)
        narrow[slow.name] = slow
        rtt = sum(_number(w.values["delay"]) + size / w.rate for w in there)
        rtt += sum(_number(w.values["delay"]) + 8 * headers / w.rate for w in back)
        flows.append(
            Flow(
                name=flow["name"],
                cc=flow["cc"]["name"],
                start=_number(flow["start"]),
                rtt=rtt,
                payload=8.0 * tcp["segment"],
            )
        )
        passed = 1.0
        for w in there:
            passed *= 1 - _chance(w)
        loss = max(loss, 1 - passed)
        if flow["ack"]["name"] != "linux":
            notes.append(f"{flow['name']}: its ACK policy, {flow['ack']['name']}")
        notes += [f"{w.name}: its ACK filter" for w in back if w.values["ack_filter"] != "none"]
        if tcp["ecn"] not in ("off", "passive"):
            notes.append(f"{flow['name']}: ECN; queues drop here")
        k, _ = asymmetry(slow.rate, min(w.rate for w in back), size, 8.0 * headers)
        # Linux's receiver sends an ACK for every second packet.
        if k > 2:
            notes.append(
                f"{flow['name']}: the narrow way back; RFC 3449's k is {k:.1f}, so that ACKs wait"
                " or are lost with more than one for so many packets"
            )
    if len(narrow) > 1:
        raise NoCaseError(
            f"{name}: flows have different bottlenecks ({', '.join(sorted(narrow))});"
            " the model has one"
        )
    (link,) = narrow.values()
    if link.rate == float("inf"):
        raise NoCaseError(f"{name}: no link limits the rate; the model needs a bottleneck")
    packet = size + 8 * _number(link.values["overhead"])
    return Case(
        name=name,
        # Both count from the first start.
        duration=_number(of["start"]) + _number(of["duration"]),
        warmup=_number(of["start"]) + _number(of["warmup"]),
        flows=flows,
        link=link.name,
        rate=link.rate,
        packet=packet,
        loss=loss,
        notes=tuple(dict.fromkeys([*notes, *_unmodelled(link)])),
        hosts=_hosts(link, of["flow"]),
        **_queue(link, packet),
    )


def _hosts(way: _Way, flows: Sequence[Mapping[str, Any]]) -> list[int] | None:
    """The end by which CAKE shares; `None` where it shares between flows."""
    mode = way.queue[1].get("isolation", "")
    end = {"srchost": "from", "dual-srchost": "from", "dsthost": "to", "dual-dsthost": "to"}
    if mode not in end:
        return None
    names = [flow[end[mode]] for flow in flows]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return [numbers[name] for name in names]


def _unmodelled(way: _Way) -> list[str]:
    """What CAKE does and the model does not."""
    (_, given, _), found = way.queue, []
    if given.get("framing", "raw") != "raw" or given.get("overhead", 0):
        found.append(f"{way.name}: the overhead that its shaper counts")
    if given.get("isolation") in ("triple-isolate", "hosts"):
        found.append(f"{way.name}: {given['isolation']}; flows share evenly here")
    return found


def _must_be_bulk(flow: Mapping[str, Any]) -> None:
    what = f"flow {flow['name']!r}"
    if "transport" in flow:
        transport = flow["transport"]["name"]
        raise NoCaseError(
            f"{what} is {transport}, which is not TCP; the model knows TCP's {', '.join(SENDERS)}"
        )
    if flow["cc"]["name"] not in SENDERS:
        raise NoCaseError(f"{what} has {flow['cc']['name']}; the model knows {', '.join(SENDERS)}")
    if flow["app"] != {"kind": "bulk"}:
        raise NoCaseError(f"{what} does not send without end; the model knows bulk flows")


def _route(ways: Mapping[str, Sequence[_Way]], start: str, end: str) -> list[_Way]:
    """The path with the fewest links, as the simulator takes."""
    before: dict[str, tuple[str, _Way] | None] = {start: None}
    queue = deque([start])
    while queue and end not in before:
        at = queue.popleft()
        for way in ways.get(at, ()):
            if way.end not in before:
                before[way.end] = (at, way)
                queue.append(way.end)
    found: list[_Way] = []
    at = end
    while (step := before[at]) is not None:
        at, way = step
        found.append(way)
    return found[::-1]


def _chance(way: _Way) -> float:
    loss = way.values["loss"]
    if loss == "none":
        return 0.0
    if isinstance(loss, float):
        return loss
    if isinstance(loss, Mapping) and loss.get("kind") == "bernoulli":
        return float(loss["p"])
    raise NoCaseError(
        f"link {way.name!r} loses packets by a pattern; the model knows losses by chance"
    )


def _queue(way: _Way, packet: float) -> dict[str, Any]:
    name, given, text = way.queue
    if name not in QUEUES:
        raise NoCaseError(
            f"link {way.name!r} has the queue {name}; the model knows {', '.join(QUEUES)}"
        )
    number, _, unit = text.partition(" ")
    limit = float(number) if unit == "packets" else _number(text) * 8 / packet
    times = {k: _number(given[k]) for k in ("target", "interval") if isinstance(given.get(k), str)}
    return {"queue": name, "limit": limit, **times}
