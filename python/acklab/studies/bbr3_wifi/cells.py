"""The cells: BBRv3 and variants of it, at home, on narrow air, and over wires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acklab.studies.ack_compression.cells import over
from acklab.studies.bbr_wifi6.cells import QUEUES, home
from acklab.studies.study import Effort

_OFF: Mapping[str, Any] = {
    "name": "bbr3-wifi",
    "lump_floor": 0.0,
    "lump_headroom": 0.0,
    "lump_gentle": False,
    "lump_slack": 0.0,
}
#: Google's version 3; each mechanism of `bbr3-wifi` alone; all of them; and lesser gains alone,
#: which section 5.6 of the paper suggests.
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "bbr3": {"name": "bbr3", "source": "google"},
    "floor": {**_OFF, "lump_floor": 1.0},
    "headroom": {**_OFF, "lump_headroom": 1.0},
    "gentle": {**_OFF, "lump_gentle": True},
    "slack": {**_OFF, "lump_slack": 1.0},
    "burst": {**_OFF, "lump_burst": 1.0},
    "all": {"name": "bbr3-wifi"},
    "gains": {
        "name": "bbr3",
        "source": "google",
        "probe_up_pacing_gain": 1.1,
        "probe_up_cwnd_gain": 2.0,
        "cwnd_gain": 1.5,
    },
}
AIRS = ("idle", "busy")
#: Whether the access point uses OFDMA.
OFDMA = ("off", "on")
#: The other flow on the wires: of the same controller, or CUBIC.
BESIDE = ("itself", "cubic")
DIRECTIONS = ("down", "up")
#: Rate that each of two neighbours offers where the channel is narrow, Mbit/s: more than it lets
#: them.
NOISE = 100
#: s, of the testbed by channel: nearly all packets are the neighbours' there.
HOME_LENGTHS: Mapping[str, int] = {"idle": 24, "busy": 12}
#: s, where the air is the bottleneck.
AIR_LENGTH = 8
#: Of the wires: Mbit/s, ms, a FIFO of so many packets (one bandwidth-delay product), s of a run.
WIRES: Mapping[str, tuple[int, int, int, int]] = {
    "slow": (10, 20, 17, 20),
    "fast": (100, 40, 333, 8),
}


def _controlled(spec: dict[str, Any], variant: str) -> dict[str, Any]:
    """Only with this do bursts of the controller count; the pacing of the others is Linux's."""
    if variant == "burst":
        spec["tcp"] = {**spec["tcp"], "pacing_quantum": 0}
    return spec


def _home(effort: Effort, air: str, queue: str, variant: str) -> dict[str, Any]:
    """The paper's testbed, uplink."""
    spec = home(effort, air, "up", queue, VARIANTS[variant])
    length = HOME_LENGTHS[air] // (3 if effort.quick else 1)
    spec |= {"duration": f"{length} s", "warmup": f"{length / 4:g} s"}
    del spec["record"]
    return _controlled(spec, variant)


def _air(
    effort: Effort, air: str, ofdma: str, direction: str, variant: str, beside: str = "itself"
) -> dict[str, Any]:
    """Four stations at an access point: the air is the bottleneck, the queues are mac80211's."""
    stations = [f"sta{i}" for i in range(4)]
    near = ["near0", "near1"] if air == "busy" else []
    load = {"name": "cbr", "rate": f"{NOISE} Mbit/s", "feedback": {"every": 0}}
    flows = []
    for i, station in enumerate(stations):
        cc: Any = "cubic" if beside == "cubic" and i >= 2 else VARIANTS[variant]
        ends = ("server", station) if direction == "down" else (station, "server")
        name = f"{'cubic' if cc == 'cubic' else 'bbr'}{i}"
        flows.append(
            {"name": name, "from": ends[0], "to": ends[1], "cc": cc, "start_jitter": "100 ms"}
        )
    length = AIR_LENGTH // 3 if effort.quick else AIR_LENGTH
    spec: dict[str, Any] = {
        "name": "lumps-air",
        "duration": f"{length} s",
        "warmup": f"{length / 4:g} s",
        "node": [{"name": n} for n in ("server", "ap", *stations, *near)],
        "link": [
            {
                "a": "server",
                "b": "ap",
                "rate": "1 Gbit/s",
                "delay": "10 ms",
                "queue": "1000 packets",
            }
        ],
        "wifi": [
            {
                "ap": "ap",
                "stations": [*stations, *near],
                "standard": "ax",
                "band": "5 GHz",
                "width": "20 MHz",
                "mcs": 7,
                "down": {"qdisc": "per-station"},
                "up": {"qdisc": "per-station"},
                **({"ofdma": True} if ofdma == "on" else {}),
            }
        ],
        "tcp": {"profile": "linux", "segment": 1448},
        "flow": [*flows, *({"name": n, "from": n, "to": "ap", "transport": load} for n in near)],
    }
    return _controlled(spec, variant)


def _wire(effort: Effort, wire: str, queue: str, beside: str, variant: str) -> dict[str, Any]:
    """A wired bottleneck: a shaper with a queue below it, two flows."""
    rate, rtt_ms, packets, whole = WIRES[wire]
    below = {"name": "pfifo", "queue": f"{packets} packets"} if queue == "pfifo" else QUEUES[queue]
    shaped = {"name": "all", "rate": f"{rate} Mbit/s", "burst": "1600 B", "child": below}
    other: Any = "cubic" if beside == "cubic" else VARIANTS[variant]
    length = whole // 4 if effort.quick else whole
    spec: dict[str, Any] = {
        "name": f"lumps-{wire}",
        "duration": f"{length} s",
        "warmup": f"{length / 4:g} s",
        "node": [{"name": n} for n in ("snd", "router", "rcv")],
        "link": [
            {"a": "snd", "b": "router", "rate": "1 Gbit/s", "delay": f"{rtt_ms / 2:g} ms"},
            {
                "a": "router",
                "b": "rcv",
                "rate": "1 Gbit/s",
                "delay": "0 s",
                "qdisc": {"name": "htb", "classes": [shaped]},
                "reverse": {"qdisc": "pfifo", "queue": "1000 packets"},
            },
        ],
        "tcp": {"profile": "linux", "segment": 1448},
        "flow": [
            {"name": name, "from": "snd", "to": "rcv", "cc": cc, "start_jitter": "100 ms"}
            for name, cc in (("bbr0", VARIANTS[variant]), (_other(beside), other))
        ],
    }
    return _controlled(spec, variant)


def _other(beside: str) -> str:
    return "cubic1" if beside == "cubic" else "bbr1"


def _beside_cubic(effort: Effort, ofdma: str, direction: str, variant: str) -> dict[str, Any]:
    return _air(effort, "idle", ofdma, direction, variant, beside="cubic")


_ALL = tuple(VARIANTS)
GROUPS = {
    "home": over(_home, air=AIRS, queue=tuple(QUEUES), variant=_ALL),
    "air": over(_air, air=AIRS, ofdma=OFDMA, direction=DIRECTIONS, variant=_ALL),
    "cubic": over(_beside_cubic, ofdma=OFDMA, direction=DIRECTIONS, variant=_ALL),
    "wire": over(_wire, wire=tuple(WIRES), queue=tuple(QUEUES), beside=BESIDE, variant=_ALL),
}
