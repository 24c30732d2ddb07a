"""Cells of the study: the paper's testbed, and the wired bottleneck that a kernel ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acklab.studies.ack_compression.cells import over
from acklab.studies.study import Effort

SETUPS = ("idle", "busy")
#: Section 4.1, Mbit/s each way.
LIMIT = 10
#: RouterOS's queue types: PFIFO of 50 packets; FQ-CoDel and CAKE with their defaults.
QUEUES: Mapping[str, Mapping[str, Any]] = {
    "pfifo": {"name": "pfifo", "queue": "50 packets"},
    "fq-codel": {"name": "fq-codel"},
    "cake": {"name": "cake"},
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
#: s.
LENGTH, WARMUP = 60, 5
#: RTT of wires, ms: the kernel's, and one with which the paper's delays come out.
WIRES_MS = (12, 20)
ONCE = 1


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
    return _run(
        effort,
        f"home-{direction}",
        node=[{"name": n} for n in ("ap", *LAPTOPS, *near)],
        wifi=[
            {
                "ap": "ap",
                "stations": [*LAPTOPS, *near],
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


def _wire(effort: Effort, rtt_ms: int, queue: str, version: str) -> dict[str, Any]:
    """The kernel's: two flows over a wire, HTB with a child or CAKE's own shaper."""
    if queue == "cake":
        return _over_wire(effort, rtt_ms, version, {"name": "cake", "bandwidth": f"{LIMIT} Mbit/s"})
    return _over_wire(effort, rtt_ms, version, _htb(queue))


def _tree_over_wire(effort: Effort, rtt_ms: int, queue: str) -> dict[str, Any]:
    """The same with every queue below HTB, as in a router's tree: CAKE does not shape there."""
    return _over_wire(effort, rtt_ms, "bbr3", _htb(queue))


def _htb(queue: str) -> dict[str, Any]:
    shaped = {"name": "all", "rate": f"{LIMIT} Mbit/s", "burst": "1500 B", "child": QUEUES[queue]}
    return {"name": "htb", "classes": [shaped]}


def _over_wire(
    effort: Effort, rtt_ms: int, version: str, tree: Mapping[str, Any]
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
GROUPS = {
    "versions": over(_versions, setup=SETUPS, version=(*VERSIONS, "cubic")),
    "home": over(home, setup=SETUPS, direction=DIRECTIONS, queue=_QUEUES),
    "ofdma": over(
        _ofdma, setup=SETUPS, direction=DIRECTIONS[:2], queue=_QUEUES, ofdma=("off", "on")
    ),
    "wire": over(_wire, rtt_ms=WIRES_MS, queue=_QUEUES, version=("bbr1", "bbr2", "bbr3")),
    "tree": over(_tree_over_wire, rtt_ms=WIRES_MS, queue=("cake",)),
}
