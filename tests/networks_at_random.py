"""The shapes of random networks: nodes, ways between them, flows both ways, and their names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

TRACES = sorted((Path(__file__).resolve().parents[1] / "scenarios" / "traces").iterdir())

RATES = ("500 kbit/s", "2 Mbit/s", "8 Mbit/s", "30 Mbit/s")
DELAYS = ("0 s", "1 ms", "8 ms", "40 ms")
#: Rates of 802.11 b, and of a and g; the loader says which others a standard has.
RADIO_RATES = ("1", "2", "5.5", "11", "6", "12", "24", "54")


@dataclass
class Network:
    """A scenario with nothing but its shape, and what names can stand where."""

    scenario: dict
    #: Where flows can begin and end.
    ends: list[str]
    #: Directions of links.
    ways: list[str]
    stations: list[str] = field(default_factory=list)
    ap: str = "ap"
    #: How many entries a list has that has one for each pair, hop or server.
    lengths: dict[str, int] = field(default_factory=dict)

    def value(self, key: str, kind: str, draw: Random) -> object:
        """Value of a key that refers to something, names it or says how many there are.

        `kind` is the type of the value, or the schema's name of it. Nothing at other keys.
        """
        match key:
            case "count" if kind == "integer":
                return draw.choice((1, 2, 3))
            case "from" | "to":
                # Between two ends of one side there may be nothing that limits the rate.
                side = "s" if key == "from" else "d"
                known = [e for e in self.ends if re.fullmatch(rf"{side}\d+", e)]
                return draw.choice(known or self.ends)
            case "flow" if kind != "object" and kind != "FlowExpects":
                return draw.choice(self.flows())
            case "ap":
                return self.ap
            case "stations":
                return self.stations or None
            case "hidden":
                return [draw.sample(self.stations, 2)] if len(self.stations) > 1 else [["x", "y"]]
            case "name" | "description":
                return f"drawn-{draw.randrange(1 << 30):x}"
            case "trace":
                return f"traces/{draw.choice(TRACES).name}"
            case "packets" if kind == "Taps":
                some = draw.sample(self.ends, 1) + draw.sample(self.ways, 1)
                return draw.choice((True, False, some))
            case "position" | "velocity":
                return [draw.randrange(-20, 20) for _ in range(draw.choice((2, 3)))]
            case "slot_time":
                return draw.choice(("9 us", "20 us"))
            case "control_rate" | "rts_rate" | "protection_rate":
                return f"{draw.choice(RADIO_RATES)} Mbit/s"
            case "basic_rates":
                return [f"{rate} Mbit/s" for rate in draw.choice((("1", "11"), ("6", "24")))]
        return None

    def flows(self) -> list[str]:
        """The names of the flows."""
        return [flow.get("name", f"f{i}") for i, flow in enumerate(self.scenario["flow"])]

    def names(self, key: str, draw: Random) -> list[str]:
        """Names that can be the keys of a table that is called `key`."""
        known = {
            "flow": self.flows(),
            "link": self.ways,
            "station": self.stations,
            "place": [self.ap, *self.stations],
        }.get(key)
        return [draw.choice(known)] if known else []


def network(draw: Random, number: int) -> Network:
    """A network; the shapes take turns."""
    return SHAPES[number % len(SHAPES)](draw)


def _line(draw: Random) -> dict:
    return {"rate": draw.choice(RATES), "delay": draw.choice(DELAYS)}


def _flows(draw: Random, ends: list[tuple[str, str]] | None = None) -> list[dict]:
    """One to four; in a preset the first ones have the pairs' ends in turn."""
    flows: list[dict] = [{} for _ in range(draw.randrange(1, 5))]
    for flow in flows if ends else []:
        flow["from"], flow["to"] = draw.choice(ends)[:: draw.choice((1, -1))]
    return flows


def _scenario(draw: Random, **shape) -> dict:
    """The most of it that a run of a moment needs; recording more often than a key by chance."""
    record: dict = {"every": "20 ms"} if draw.random() < 0.5 else {}
    for stream in ("events", "acks", "packets", "queues", "delays", "ppdus"):
        if draw.random() < 0.4:
            record[stream] = True
    some = {"record": record} if record else {}
    return {"duration": draw.choice(("300 ms", "700 ms", "1100 ms")), **shape, **some}


def _dumbbell(draw: Random) -> Network:
    pairs = draw.randrange(1, 4)
    topology = {"preset": "dumbbell", "pairs": pairs, "bottleneck": _line(draw)}
    ends = [(f"s{i}", f"d{i}") for i in range(pairs)]
    flows = _flows(draw, ends if draw.random() < 0.5 else None)
    return Network(
        _scenario(draw, topology=topology, flow=flows),
        [e for pair in ends for e in pair],
        ["left->right", "right->left"],
        lengths={"access": pairs, "receiver_access": pairs, "bottleneck": 1},
    )


def _parking_lot(draw: Random) -> Network:
    hops = draw.randrange(1, 4)
    lines = [_line(draw) for _ in range(hops)] if draw.random() < 0.5 else _line(draw)
    topology = {"preset": "parking-lot", "hops": hops, "bottleneck": lines}
    ends = [(f"s{i}", f"d{i}") for i in range(hops + 1)]
    return Network(
        _scenario(draw, topology=topology, flow=_flows(draw)),
        [e for pair in ends for e in pair],
        [f"r{i}->r{i + 1}" for i in range(hops)],
        lengths={"access": hops + 1, "receiver_access": hops + 1, "bottleneck": hops},
    )


def _chain(draw: Random) -> Network:
    names = [f"n{i}" for i in range(draw.randrange(2, 5))]
    links = [{"a": a, "b": b, **_line(draw)} for a, b in pairwise(names)]
    if draw.random() < 0.3:
        links.append({"a": names[0], "b": names[-1], **_line(draw)})
    return Network(
        _scenario(
            draw,
            node=[{"name": n} for n in names],
            link=links,
            flow=_flows(draw, [(names[0], names[-1]), *pairwise(names)]),
        ),
        names,
        [f"{a}->{b}" for a, b in pairwise(names)],
    )


def _wlan(draw: Random) -> Network:
    stations = [f"sta{i}" for i in range(draw.randrange(1, 5))]
    servers = draw.choice(("one", "each"))
    topology = {"preset": "wlan", "stations": len(stations), "servers": servers}
    scenario = _scenario(draw, topology=topology, flow=_flows(draw), wifi=_radio(draw))
    ways = [way for s in stations for way in (f"{s}->ap", f"ap->{s}")]
    wires = len(stations) if servers == "each" else 1
    return Network(scenario, stations, ways, stations, lengths={"wire": wires})


def _wifi_dumbbell(draw: Random) -> Network:
    pairs = draw.randrange(1, 3)
    topology = {"preset": "wifi-dumbbell", "pairs": pairs}
    scenario = _scenario(draw, topology=topology, flow=_flows(draw), wifi=_radio(draw))
    ends = [f"{side}{i}" for side in "sd" for i in range(pairs)]
    lengths = {"access": pairs, "receiver_access": pairs}
    return Network(scenario, ends, ["sta->ap", "ap->sta"], ["sta"], lengths=lengths)


def _radio(draw: Random) -> dict | list[dict]:
    """A channel of some standard; signals matter in half of them."""
    channel: dict = {"standard": draw.choice(("b", "g", "a", "n", "n", "ac", "ax"))}
    if draw.random() < 0.5:
        channel["space"] = {"ring": draw.choice((2, 8, 25))}
    return channel if draw.random() < 0.8 else [channel]


def _own_radio(draw: Random) -> Network:
    """An access point with a wire and stations on one channel or two, piece by piece."""
    stations = [f"x{i}" for i in range(draw.randrange(1, 4))]
    channels = [{"ap": "base", "stations": stations, **_one(_radio(draw))}]
    ends = ["server", *stations]
    if draw.random() < 0.3:
        channels.append({"ap": "base", "stations": ["far"], **_one(_radio(draw))})
        ends.append("far")
    scenario = _scenario(
        draw,
        node=[{"name": n} for n in (*ends, "base")],
        link=[{"a": "base", "b": "server", **_line(draw)}],
        wifi=channels,
        flow=_flows(draw, [("server", end) for end in ends[1:]]),
    )
    return Network(scenario, ends, [f"{stations[0]}->base", "base->server"], stations, "base")


def _one(channel: dict | list[dict]) -> dict:
    return channel[0] if isinstance(channel, list) else channel


def _extended(draw: Random) -> Network:
    """A dumbbell with a node more."""
    made = _dumbbell(draw)
    made.scenario["node"] = [{"name": "extra"}]
    made.scenario["link"] = [{"a": "extra", "b": draw.choice(("left", "right")), **_line(draw)}]
    made.scenario["flow"].append({"from": "extra", "to": draw.choice(made.ends)})
    return made


SHAPES = (_dumbbell, _wlan, _chain, _wifi_dumbbell, _parking_lot, _own_radio, _wlan, _extended)
