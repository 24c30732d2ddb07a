"""A scenario as a case of the coupled model, or why it is none."""

from __future__ import annotations

import tomllib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from acklab.fluid.case import Case, Flow
from acklab.fluid.domain import NoCaseError
from acklab.fluid.radio import Radio
from acklab.fluid.radio_case import Hop, radio_of
from acklab.fluid.responses import asymmetry
from acklab.fluid.senders import SENDERS
from acklab.fluid.triggered import Triggered
from acklab.quantities import UNITS, number

#: Bytes of IP and TCP headers, and of the timestamps that most have.
_HEADERS, _TIMESTAMPS = 40, 12
#: Bytes of the IP packet of a TACK without blocks.
_TACK = 100
#: Queues that the model knows, by what they are to it.
QUEUES = ("pfifo", "bfifo", "codel", "pie", "fq-codel", "cake")


def _number(text: str) -> float:
    """A value of the resolved form with its unit, in SI units; bits for rates, bytes for sizes."""
    try:
        return number(text)
    except ValueError:
        raise NoCaseError(
            f"the model does not know the value {text!r}\n"
            f"  help: a number and one of {', '.join(UNITS)}, for example 10 ms"
        ) from None


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
                f"Eq 16: Theta: link {self.name!r} changes its rate, and Theta is a constant\n"
                "  help: write one rate"
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


@dataclass(frozen=True)
class _Air(_Way):
    """One direction of a station's way over a channel."""

    start: str
    channel: Mapping[str, Any]

    @classmethod
    def of(cls, start: str, end: str, channel: Mapping[str, Any], direction: str) -> _Air:
        """From `start` to `end`."""
        values = {
            "name": f"{start}->{end}",
            "loss": "none",
            "ack_filter": channel[direction]["ack_filter"],
        }
        return cls(end, values, start, channel)


@dataclass(frozen=True)
class _Talk:
    """A flow's transport on the path: bytes of packets and ACKs, bits of payload."""

    packet: int
    ack: int
    payload: float
    #: Packets for an ACK; ACKs in the shortest round trip, at most (TACK, Eq 3).
    every: float
    in_rtt: float
    #: Packets that the receiver lets in flight.
    most: float


def _talk(flow: Mapping[str, Any], notes: list[str]) -> _Talk:
    if "transport" in flow:
        of = flow["transport"]
        # IP, UDP, type, number, time and what it is sealed with (docs/reference/tack-wire.md).
        beside = 20 + 8 + 14 + of["id_len"] + of["tag_len"]
        if of["thin"] != "timer" or of["start_up"] != "per-packet":
            notes.append(f"{flow['name']}: when TACK begins to thin its feedback")
        return _Talk(
            of["mtu"],
            _TACK,
            8.0 * (of["mtu"] - beside),
            float(of["l"]),
            float(of["beta"]),
            of["recv_buffer"] / (of["mtu"] - beside),
        )
    tcp = flow["tcp"]
    headers = _HEADERS + (_TIMESTAMPS if tcp["timestamps"] else 0)
    ack = flow["ack"]
    every = float(ack.get("segments", 2)) if ack["name"] == "delayed" else 2.0
    if ack["name"] not in ("linux", "delayed"):
        notes.append(f"{flow['name']}: its ACK policy, {ack['name']}")
    if tcp["ecn"] not in ("off", "passive"):
        notes.append(f"{flow['name']}: ECN; queues drop here")
    # Linux offers half of a buffer: the rest is for what packets take in memory.
    part = 0.5 if tcp["profile"] == "linux" else 1.0
    most = part * _number(tcp["recv_buffer"]["max"]) / tcp["segment"]
    return _Talk(tcp["segment"] + headers, headers, 8.0 * tcp["segment"], every, inf, most)


def case_of(resolved: str) -> Case:
    """Reads a scenario in its resolved form; the error says what the model covers."""
    of = tomllib.loads(resolved)
    name = of["name"]
    channels = of.get("wifi", [])
    ways: dict[str, list[_Way]] = {}
    for link in of.get("link", []):
        forward = {k: v for k, v in link.items() if k != "reverse"}
        ways.setdefault(link["a"], []).append(_Way(link["b"], forward))
        ways.setdefault(link["b"], []).append(_Way(link["a"], link["reverse"]))
    for channel in channels:
        for station in channel["stations"]:
            for a, b, d in ((station, channel["ap"], "up"), (channel["ap"], station, "down")):
                ways.setdefault(a, []).append(_Air.of(a, b, channel, d))
    flows, narrow, notes = [], {}, list[str]()
    hops: list[Hop] = []
    used: list[Mapping[str, Any]] = []
    before_air: list[bool] = []
    losses: list[float] = []
    packets: list[int] = []
    for flow in of["flow"]:
        _must_be_bulk(flow)
        talk = _talk(flow, notes)
        size, back_size = 8.0 * talk.packet, 8.0 * talk.ack
        there = _route(ways, flow["from"], flow["to"])
        back = _route(ways, flow["to"], flow["from"])
        wires = [w for w in there if not isinstance(w, _Air)]
        on_air = [w for w in there if isinstance(w, _Air)]
        if len(on_air) > 1:
            raise NoCaseError(
                f"{name}: Eq 8: beta_ap: the data of {flow['name']!r} take the air more than once,"
                " so that the access point receives and sends them\n"
                "  help: let the flow end, or begin, behind a wire"
            )
        slow = min(wires, key=lambda w: w.rate) if wires else None
        rtt = sum(_number(w.values["delay"]) + size / w.rate for w in wires)
        rtt += sum(
            _number(w.values["delay"]) + back_size / w.rate for w in back if not isinstance(w, _Air)
        )
        for hop in on_air:
            used.append(hop.channel)
            before_air.append(slow is not None and there.index(slow) < there.index(hop))
            in_rtt = talk.in_rtt / max(rtt, 1e-3)
            hops.append(
                Hop(
                    hop.start,
                    hop.end,
                    talk.packet,
                    talk.ack,
                    talk.payload,
                    talk.every,
                    in_rtt,
                    bursts=not flow["cc"]["name"].startswith("bbr"),
                )
            )
        if slow is not None:
            narrow[slow.name] = slow
        flows.append(
            Flow(
                name=flow["name"],
                cc=flow["cc"]["name"],
                start=_number(flow["start"]),
                rtt=max(rtt, 1e-3) if on_air else rtt,
                payload=talk.payload,
                most=talk.most,
                every=talk.every,
                in_rtt=talk.in_rtt,
            )
        )
        passed = 1.0
        for w in there:
            passed *= 1 - _chance(w)
        losses.append(1 - passed)
        packets.append(talk.packet)
        notes += [f"{w.name}: its ACK filter" for w in back if w.values["ack_filter"] != "none"]
        narrowest = min((w.rate for w in back if not isinstance(w, _Air)), default=inf)
        if slow is not None and narrowest < inf and not on_air:
            # A way without a limit is refused below, with its own words.
            k = asymmetry(slow.rate, narrowest, size, back_size)[0] if slow.rate < inf else 0.0
            # Linux's receiver sends an ACK for every second packet.
            if k > talk.every and "transport" not in flow:
                notes.append(
                    f"{flow['name']}: the narrow way back; RFC 3449's k is {k:.1f}, so that ACKs"
                    " wait or are lost with more than one for so many packets"
                )
    _must_be_one(
        f"{name}: Eq 17: the loss of the flows' ways",
        losses,
        "lose as much on each way, for example at the bottleneck alone",
    )
    common = {
        "name": name,
        # Both count from the first start.
        "duration": _number(of["start"]) + _number(of["duration"]),
        "warmup": _number(of["start"]) + _number(of["warmup"]),
        "flows": flows,
        "loss": losses[0],
    }
    if used:
        if len(hops) < len(flows) or any(u is not used[0] for u in used):
            raise NoCaseError(
                f"{name}: Eq 16: q: flows have different bottlenecks, of which one is"
                f" {used[0]['name']}, and the equation has one queue\n"
                "  help: let the data of all flows cross one channel, or none"
            )
        radio = radio_of(used[0], hops, _number)
        return _over_the_air(common, radio, used[0], narrow, before_air, notes, of["flow"])
    if len(narrow) > 1:
        raise NoCaseError(
            f"{name}: Eq 16: q: flows have different bottlenecks"
            f" ({', '.join(sorted(narrow))}), and the equation has one queue\n"
            "  help: let one link be the slowest of all flows"
        )
    (link,) = narrow.values()
    if link.rate == inf:
        raise NoCaseError(
            f"{name}: Eq 16: Theta: no link limits the rate\n  help: give a link a rate"
        )
    _must_be_one(
        f"{name}: Eq 16: q: the size of the flows' packets in bytes",
        packets,
        "give all flows one segment size (tcp.segment) or mtu",
    )
    packet = 8.0 * packets[0] + 8 * _number(link.values["overhead"])
    for flow in of["flow"]:
        _must_last(flow, link.rate * _number(of["duration"]))
    return Case(
        **common,
        link=link.name,
        rate=link.rate,
        packet=packet,
        notes=tuple(dict.fromkeys([*notes, *_unmodelled(link)])),
        hosts=_hosts(link, of["flow"]),
        **_queue(link, packet),
    )


def _must_be_one(what: str, values: Sequence[float], right: str) -> None:
    """Refuses values of which the equation has one for all flows."""
    least, most = min(values), max(values)
    if most - least > 1e-9 * most:
        raise NoCaseError(
            f"{what} is from {least:.4g} to {most:.4g}, and the equation has one\n  help: {right}"
        )


def _over_the_air(
    common: Mapping[str, Any],
    radio: Radio | Triggered,
    channel: Mapping[str, Any],
    narrow: Mapping[str, _Way],
    before_air: Sequence[bool],
    notes: Sequence[str],
    specs: Sequence[Mapping[str, Any]],
) -> Case:
    """A case whose bottleneck is the channel, or a wire in a row with it."""
    rate = sum(radio.saturated()) * radio.packet
    for flow in specs:
        _must_last(flow, rate * (common["duration"] - common["warmup"]))
    wire = None
    slow = min(narrow.values(), key=lambda w: w.rate, default=None)
    if slow is not None and slow.rate < 1.05 * rate:
        if len(narrow) > 1:
            raise NoCaseError(
                f"{common['name']}: Eq 16: q: flows have different bottlenecks"
                f" ({', '.join(sorted(narrow))}), and the model has one besides the channel\n"
                "  help: let one wire be the slowest of all flows, or let all be faster than the"
                " channel"
            )
        wire = (slow.rate, before_air[0])
    found = []
    if not radio.answers:
        found.append(f"{channel['name']}: the bytes of ACKs in Block Acks")
    if channel["slots"] != "edca" or channel["after_silence"] != "quiet":
        found.append(f"{channel['name']}: slots that only who has just sent may use")
    device = radio.device if isinstance(radio, Triggered) else radio.sources[0].device
    return Case(
        **common,
        link=channel["name"],
        rate=rate,
        packet=radio.packet,
        queue="air",
        limit=device,
        radio=radio,
        wire=wire,
        notes=tuple(dict.fromkeys([*notes, *found])),
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
    """Features of CAKE that the model does not have."""
    (_, given, _), found = way.queue, []
    if given.get("framing", "raw") != "raw" or given.get("overhead", 0):
        found.append(f"{way.name}: the overhead that its shaper counts")
    if given.get("isolation") in ("triple-isolate", "hosts"):
        found.append(f"{way.name}: {given['isolation']}; flows share evenly here")
    return found


def _must_last(flow: Mapping[str, Any], bits: float) -> None:
    """Refuses a flow that may end before the run."""
    size = flow["app"].get("bytes")
    if size is not None and 8 * _number(size) < bits:
        raise NoCaseError(
            f"Eq 12: x: flow {flow['name']!r} does not send without end: {size} may be through"
            " before the run ends, and the equation sends a window in each round trip\n"
            "  help: write no bytes, or a shorter duration"
        )


def _must_be_bulk(flow: Mapping[str, Any]) -> None:
    what = f"flow {flow['name']!r}"
    if "transport" in flow and flow["transport"]["name"] != "tack":
        transport = flow["transport"]["name"]
        raise NoCaseError(
            f"Eq 12: w: {what} is {transport}, which is not TCP\n"
            f"  help: the model knows TCP's {', '.join(SENDERS)}, and TACK with these"
        )
    if flow["cc"]["name"] not in SENDERS:
        raise NoCaseError(
            f"Eq 12: w: {what} has {flow['cc']['name']}, for whose window there is no equation\n"
            f"  help: the model knows {', '.join(SENDERS)}"
        )
    if flow["app"]["kind"] != "bulk" or set(flow["app"]) - {"kind", "bytes"}:
        raise NoCaseError(
            f"Eq 12: x: {what} does not send without end, and the equation sends a window in each"
            " round trip\n  help: the model knows bulk flows (app.kind)"
        )


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
        f"Eq 17: p: link {way.name!r} loses packets by a pattern, and p is a probability\n"
        "  help: write a loss rate, such as 0.01"
    )


def _queue(way: _Way, packet: float) -> dict[str, Any]:
    name, given, text = way.queue
    if name not in QUEUES:
        raise NoCaseError(
            f"Eqs 18 to 24: s_i: link {way.name!r} has the queue {name}\n"
            f"  help: the model knows {', '.join(QUEUES)}"
        )
    number, _, unit = text.partition(" ")
    limit = float(number) if unit.startswith("packet") else _number(text) * 8 / packet
    times = {k: _number(given[k]) for k in ("target", "interval") if isinstance(given.get(k), str)}
    return {"queue": name, "limit": limit, **times}
