"""Cells of the study: the paper's testbed, and the wired bottleneck that a kernel ran."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from acklab.studies.ack_compression.cells import over
from acklab.studies.study import Cell, Effort

SETUPS = ("idle", "far", "busy")
#: What the laptops add to the round trip in the set-up `far`, ms. The paper's medians behind
#: FQ-CoDel and CAKE need a round trip of about 12 ms without load, of which the air has 1.
FAR_MS = 11
#: The station of the third laptop, where that is behind a wire.
CARD = "card"
#: Section 4.1, Mbit/s each way.
LIMIT = 10
#: RouterOS's queue types: PFIFO of 50 packets; FQ-CoDel and CAKE with their defaults.
QUEUES: Mapping[str, Mapping[str, Any]] = {
    "pfifo": {"name": "pfifo", "queue": "50 packets"},
    "fq-codel": {"name": "fq-codel"},
    "cake": {"name": "cake"},
}
#: The same where a packet and the queue's share of a turn both count their Ethernet header, as in
#: Linux: 1514 and 1514 bytes, or 1500 and 1500. acklab's default is Linux's quantum of 1514 bytes,
#: and its packets count IP bytes, 1500: 14 bytes are left over, which let a second packet go.
ETHERNET: Mapping[str, Mapping[str, Any]] = {
    "fq-codel": {"name": "fq-codel", "quantum": 1500},
    "cake": {"name": "cake", "overhead": 14},
}
#: Bit errors of the air. A station tries a frame for 500 ms by default, and hardly ever loses one.
ERRORS: Mapping[str, Mapping[str, Any]] = {
    "few": {"bit_error_rate": 1e-5},
    "many": {"bit_error_rate": 3e-5, "block_ack_retry_limit": 4},
}
#: The testbed's kernels are Google's.
VERSIONS: Mapping[str, Any] = {
    "bbr1": "bbr1",
    "bbr2": "bbr2",
    "bbr3": {"name": "bbr3", "source": "google"},
}
DIRECTIONS = ("up", "down", "both")
LAPTOPS = ("cubic", "bbr", "peer")
#: Two neighbours on the channel, and the rate that each offers, Mbit/s: more than it lets them.
NEIGHBOURS = ("near0", "near1")
NOISE = 400
#: The flow of a call.
CALL = "call"
#: A video over TCP, Mbit/s: less than half of the link, so that a fair queue need not drop it.
VIDEO = 4
#: Losses of a wire, which no queue makes.
LOSSES = ("0.1 %", "1 %")
#: s at which CUBIC comes, beside a BBR that is always there, and those at which it goes. At one
#: time BBRv1 is in the same phase of its cycle in most seeds.
CAME, WENT = 10, (30, 33, 35)
#: s.
LENGTH, WARMUP = 60, 5
#: Seeds of what is drawn over time.
ONCE = 1
#: RTT of the wire that a kernel ran, too, ms.
WIRES_MS = (20,)
#: RTT of the wires with the router's tree, ms: that of the air, one with which the paper's delays
#: come out, and the kernel's; for BBRv3 also some between.
TREES_MS = (1, 12, 20)
BETWEEN_MS = (2, 5, 8)
#: The time of a packet of 1500 B at 10 Mbit/s, microseconds.
PACKET_US = 1200
#: RTT of the wires on which a FIFO shows in which part of a packet's time packets arrive,
#: microseconds: 12 ms is ten packets' times.
PHASES_US = (12000, 12200, 12400, 12600, 12800, 13000, 13200)
#: Gains of BBRv3 that section 5.6 would tune, below Google's 1.25, 2.25 and 2.
GAINS: Mapping[str, Any] = {
    "google": VERSIONS["bbr3"],
    "smaller": {
        **VERSIONS["bbr3"],
        "probe_up_pacing_gain": 1.1,
        "probe_up_cwnd_gain": 2.0,
        "cwnd_gain": 1.5,
    },
}


def _tree(queue: str) -> dict[str, Any]:
    """A class for each direction; the last takes what the first leaves."""

    def of(name: str, **which: Any) -> dict[str, Any]:
        return {"name": name, **which, "max_limit": f"{LIMIT} Mbit/s", "child": QUEUES[queue]}

    return {"name": "queue-tree", "queues": [of("up", to=["peer"]), of("down")]}


def _flows(direction: str, version: Any) -> list[dict[str, Any]]:
    """One of CUBIC and one of BBR in each direction; `up` is to the third laptop."""
    found = []
    for way in ("up", "down") if direction == "both" else (direction,):
        bbr = VERSIONS.get(version, version) if isinstance(version, str) else version
        for laptop, cc in (("cubic", "cubic"), ("bbr", bbr)):
            ends = (laptop, "peer") if way == "up" else ("peer", laptop)
            name = f"{laptop}-{way}" if direction == "both" else laptop
            found.append({"name": name, "from": ends[0], "to": ends[1], "cc": cc})
    return [{**f, "start_jitter": "100 ms"} for f in found]


def _run(effort: Effort, name: str, **more: Any) -> dict[str, Any]:
    length = LENGTH // 6 if effort.quick else LENGTH
    return {
        "name": name,
        "duration": f"{length} s",
        "warmup": f"{min(WARMUP, length / 2):g} s",
        "tcp": {"profile": "linux", "segment": 1448},
        "record": {"every": "100 ms"},
        **more,
    }


def home(
    effort: Effort, setup: str, direction: str, queue: str, version: Any = "bbr3"
) -> dict[str, Any]:
    """Three laptops at an access point that shapes: each flow takes the air twice.

    `version` is a name of `VERSIONS`, or any controller as a scenario writes it.
    """
    near = NEIGHBOURS if setup == "busy" else ()
    load = {"name": "cbr", "rate": f"{NOISE} Mbit/s", "feedback": {"every": 0}}
    behind: dict[str, Any] = {}
    stations = [*LAPTOPS, *near]
    if setup == "far":
        stations = [CARD if n == "peer" else n for n in stations]
        wire = {"rate": "unlimited", "queue": "100000 packets", "delay": f"{FAR_MS / 2:g} ms"}
        behind["link"] = [{"a": CARD, "b": "peer", **wire}]
    return _run(
        effort,
        f"home-{direction}",
        node=[{"name": n} for n in dict.fromkeys(("ap", *LAPTOPS, *stations))],
        **behind,
        wifi=[
            {
                "ap": "ap",
                "stations": stations,
                "standard": "ax",
                "band": "5 GHz",
                "width": "80 MHz",
                "mcs": 9,
                "streams": 2,
                "down": {"qdisc": _tree(queue)},
                "up": {"qdisc": "per-station"},
            }
        ],
        flow=[
            *_flows(direction, version),
            *({"name": n, "from": n, "to": "ap", "transport": load} for n in near),
        ],
    )


def _versions(effort: Effort, setup: str, version: str) -> dict[str, Any]:
    """Figure 5."""
    return home(effort, setup, "up", "pfifo", version)


def _ofdma(effort: Effort, setup: str, direction: str, queue: str, ofdma: str) -> dict[str, Any]:
    """The testbed, its access point with and without OFDMA."""
    spec = home(effort, setup, direction, queue)
    if ofdma == "on":
        spec["wifi"][0]["ofdma"] = True
    return spec


def _apart(effort: Effort, setup: str, queue: str) -> dict[str, Any]:
    """Section 4.1 read to the letter: disciplines "applied per flow". Each flow has a class, and so
    a queue, of its own, below one shaper for the direction."""
    spec = home(effort, setup, "up", queue)

    def of(name: str, **which: Any) -> dict[str, Any]:
        return {"name": name, **which, "max_limit": f"{LIMIT} Mbit/s"}

    flows = [
        {**of(name, parent="up", flow=name, to=["peer"]), "child": QUEUES[queue]}
        for name in ("cubic", "bbr")
    ]
    rest = {**of("down"), "child": QUEUES[queue]}
    spec["wifi"][0]["down"] = {"qdisc": {"name": "queue-tree", "queues": [of("up"), *flows, rest]}}
    return spec


def _ether(effort: Effort, setup: str, queue: str) -> dict[str, Any]:
    """The testbed, its fair queues counting as on Ethernet."""
    spec = home(effort, setup, "up", queue)
    for of in spec["wifi"][0]["down"]["qdisc"]["queues"]:
        of["child"] = ETHERNET[queue]
    return spec


def _ether_over_wire(effort: Effort, rtt_ms: int, queue: str) -> dict[str, Any]:
    """The router's tree over a wire, its fair queues counting as on Ethernet."""
    tree = {"name": "all", "max_limit": f"{LIMIT} Mbit/s", "child": ETHERNET[queue]}
    return _late(_over_wire(effort, rtt_ms, "bbr3", {"name": "queue-tree", "queues": [tree]}))


def _errors(effort: Effort, errors: str, queue: str, version: str) -> dict[str, Any]:
    """An air with bit errors, which the testbed may have and `home` has not."""
    spec = home(effort, "idle", "up", queue, version)
    spec["wifi"][0] |= ERRORS[errors]
    return spec


def _call(effort: Effort, setup: str, queue: str) -> dict[str, Any]:
    """A call beside the two flows: G.711, a packet of 200 B every 20 ms, from CUBIC's laptop."""
    spec = home(effort, setup, "up", queue)
    voice = {"name": "cbr", "rate": "80 kbit/s", "size": 200, "feedback": {"every": 0}}
    spec["flow"].append({"name": CALL, "from": "cubic", "to": "peer", "transport": voice})
    spec["record"] = {**spec["record"], "delays": True}
    return spec


def _stream(effort: Effort, setup: str, queue: str, ecn: str) -> dict[str, Any]:
    """BBRv3 carries a live video instead of a bulk of data.

    With ECN a fair queue marks what it would drop, so that the same video goes without losses.
    """
    spec = home(effort, setup, "up", queue)
    (bbr,) = (f for f in spec["flow"] if f["name"] == "bbr")
    bbr["app"] = {"kind": "video", "rate": f"{VIDEO} Mbit/s", "fps": 30}
    spec["tcp"] = {**spec["tcp"], "ecn": ecn}
    return spec


def _same(effort: Effort, setup: str, queue: str, version: str) -> dict[str, Any]:
    """Everybody has changed to one version of BBR."""
    spec = home(effort, setup, "up", queue)
    for flow in spec["flow"]:
        flow["cc"] = VERSIONS[version]
    return spec


def _leaves(effort: Effort, setup: str, version: str, went: int) -> dict[str, Any]:
    """CUBIC comes and goes. The quick run is too short for that, so it is as long."""
    spec = home(Effort(effort.seeds), setup, "up", "pfifo", version)
    (cubic,) = (f for f in spec["flow"] if f["name"] == "cubic")
    cubic |= {"start": f"{CAME} s", "app": {"kind": "bulk", "until": f"{went} s"}}
    return spec


def _wire(effort: Effort, rtt_ms: int, queue: str, version: str) -> dict[str, Any]:
    """The kernel's: two flows over a wire, HTB with a child or CAKE's own shaper."""
    if queue == "cake":
        return _over_wire(effort, rtt_ms, version, {"name": "cake", "bandwidth": f"{LIMIT} Mbit/s"})
    return _over_wire(effort, rtt_ms, version, _htb(queue))


def _below(queue: str) -> dict[str, Any]:
    """The router's queue tree, as `home` has it: CAKE does not shape there."""
    all_ = {"name": "all", "max_limit": f"{LIMIT} Mbit/s", "child": QUEUES[queue]}
    return {"name": "queue-tree", "queues": [all_]}


def _tree_over_wire(effort: Effort, rtt_ms: int, queue: str, version: str) -> dict[str, Any]:
    """The same without Wi-Fi. Each packet is late by up to the time of one, so that none meets the
    queue in the same part of that time again and again; see `_phase`."""
    return _late(_over_wire(effort, rtt_ms, version, _below(queue)))


def _phase(effort: Effort, rtt_us: int, jitter: str) -> dict[str, Any]:
    """A FIFO over a wire on which all times are whole, or whose packets are late by chance."""
    spec = _over_wire(effort, rtt_us / 1000, "bbr3", _below("pfifo"))
    return spec if jitter == "none" else _late(spec)


def _late(spec: dict[str, Any]) -> dict[str, Any]:
    spec["link"][0]["jitter"] = f"{PACKET_US} us"
    return spec


def _lossy(effort: Effort, loss: str, version: str) -> dict[str, Any]:
    """A FIFO over a wire with the air's round trip, which loses packets by chance before the FIFO.

    A station repeats a frame until it arrives, so TCP sees none of the losses in the air.
    """
    spec = _tree_over_wire(effort, 1, "pfifo", version)
    spec["link"][0]["loss"] = float(loss.removesuffix(" %")) / 100
    return spec


def _marked(effort: Effort, setup: str, queue: str) -> dict[str, Any]:
    """Both directions at once, and senders and receivers that speak ECN."""
    spec = home(effort, setup, "both", queue)
    spec["tcp"] = {**spec["tcp"], "ecn": "on"}
    return spec


def _tuned(effort: Effort, setup: str, queue: str, gains: str) -> dict[str, Any]:
    """Section 5.6: the testbed with other gains."""
    return home(effort, setup, "up", queue, GAINS[gains])


def _htb(queue: str) -> dict[str, Any]:
    shaped = {"name": "all", "rate": f"{LIMIT} Mbit/s", "burst": "1500 B", "child": QUEUES[queue]}
    return {"name": "htb", "classes": [shaped]}


def _over_wire(
    effort: Effort, rtt_ms: float, version: str, tree: Mapping[str, Any]
) -> dict[str, Any]:
    ends = {"rate": "unlimited", "queue": "100000 packets"}
    delay = f"{rtt_ms / 2:g} ms"
    return _run(
        effort,
        "home-wire",
        start="0 s",
        node=[{"name": n} for n in ("snd", "r1", "r2", "rcv")],
        link=[
            {"a": "snd", "b": "r1", "delay": "0 s", **ends, "reverse": {"delay": delay}},
            {
                "a": "r1",
                "b": "r2",
                "rate": "unlimited",
                "delay": "0 s",
                "qdisc": tree,
                "reverse": {"qdisc": "pfifo", "queue": "1000 packets"},
            },
            {"a": "r2", "b": "rcv", "delay": delay, **ends, "reverse": {"delay": "0 s"}},
        ],
        flow=[
            {"name": name, "from": "snd", "to": "rcv", "cc": cc, "start_jitter": "100 ms"}
            for name, cc in (("cubic", "cubic"), ("bbr", VERSIONS[version]))
        ],
    )


_QUEUES = tuple(QUEUES)


def _trees(effort: Effort) -> list[Cell]:
    """BBRv3 behind each queue, the older versions behind the FIFO only."""
    wires = (*TREES_MS, *BETWEEN_MS)
    three = over(_tree_over_wire, rtt_ms=sorted(wires), queue=_QUEUES, version=("bbr3",))
    older = over(_tree_over_wire, rtt_ms=TREES_MS, queue=("pfifo",), version=("bbr1", "bbr2"))
    return [*three(effort), *older(effort)]


def _noisy(effort: Effort) -> list[Cell]:
    """Each version behind the FIFO, BBRv3 behind CAKE."""
    fifo = over(_errors, errors=tuple(ERRORS), queue=("pfifo",), version=tuple(VERSIONS))
    fair = over(_errors, errors=tuple(ERRORS), queue=("cake",), version=("bbr3",))
    return [*fifo(effort), *fair(effort)]


GROUPS = {
    "versions": over(_versions, setup=SETUPS, version=(*VERSIONS, "cubic")),
    "home": over(home, setup=SETUPS, direction=DIRECTIONS, queue=_QUEUES),
    "ofdma": over(
        _ofdma, setup=("idle", "busy"), direction=DIRECTIONS[:2], queue=_QUEUES, ofdma=("off", "on")
    ),
    "apart": over(_apart, setup=SETUPS[:2], queue=_QUEUES),
    "ether": over(_ether, setup=SETUPS[:2], queue=tuple(ETHERNET)),
    "ethertree": over(_ether_over_wire, rtt_ms=TREES_MS[1:], queue=tuple(ETHERNET)),
    "errors": _noisy,
    "call": over(_call, setup=SETUPS[:2], queue=_QUEUES),
    "stream": over(_stream, setup=SETUPS[:2], queue=_QUEUES, ecn=("off", "on")),
    "same": over(_same, setup=SETUPS[:2], queue=_QUEUES, version=tuple(VERSIONS)),
    "leaves": over(_leaves, setup=SETUPS[:2], version=tuple(VERSIONS), went=WENT),
    "lossy": over(_lossy, loss=LOSSES, version=tuple(VERSIONS)),
    "marked": over(_marked, setup=SETUPS[:2], queue=("cake",)),
    "tuned": over(_tuned, setup=SETUPS[:1], queue=("pfifo", "cake"), gains=tuple(GAINS)),
    "wire": over(_wire, rtt_ms=WIRES_MS, queue=_QUEUES, version=("bbr1", "bbr2", "bbr3")),
    "tree": _trees,
    "phase": over(_phase, rtt_us=PHASES_US, jitter=("none", "a packet")),
    # One seed over time: figures 6, 7, 9 and 11, and figure 5.
    "times": over(partial(home, setup="idle"), ONCE, direction=DIRECTIONS, queue=_QUEUES),
    "times5": over(partial(_versions, setup="idle"), ONCE, version=tuple(VERSIONS)),
}
