"""The cells that are compared, and the model of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acklab.fluid import durations as air
from acklab.fluid.durations import DIFS, SIFS, SLOT, Mode
from acklab.validate.models import slots
from acklab.validate.models.bianchi import Outcome, windows
from acklab.validate.models.pair import pair
from acklab.validate.models.settings import (
    DRAWS,
    MODE,
    PACKET,
    SETTINGS,
    SINGLE,
    Setting,
    by_slots,
    closed,
    data,
)
from acklab.validate.models.zones import Category, zones
from acklab.validate.wifi_models import Cell, Part

#: Saturated stations of a cell.
STATIONS = (1, 2, 5, 10, 20, 50)
#: Access categories: stations, AIFSN, CWmin, CWmax of each. All contend for one frame at a time.
PRIORITIES: Sequence[Sequence[tuple[int, int, int, int]]] = (
    ((1, 2, 15, 1023), (1, 2, 31, 1023)),
    ((5, 2, 15, 1023), (5, 2, 63, 1023)),
    ((2, 2, 15, 1023), (2, 3, 15, 1023)),
    ((5, 2, 15, 1023), (5, 4, 15, 1023)),
    ((10, 2, 31, 1023), (10, 3, 31, 1023)),
    ((1, 2, 7, 15), (3, 3, 15, 1023)),
    ((5, 2, 15, 1023), (5, 7, 15, 1023)),
    ((2, 2, 7, 15), (2, 2, 15, 31), (2, 3, 15, 1023)),
)
#: The categories that stand for them, the most urgent first.
_CATEGORIES = ("voice", "video", "best-effort", "background")
#: Longest A-MPDUs, and their packets.
SIZES, UDP_PACKET, UDP_PAYLOAD = (4096, 8192, 16_384, 32_768, 65_535), 1500, 1472
#: Modes: highest MCS, widths, guard intervals.
MODES = {
    "n": (7, (20, 40), (400, 800)),
    "ac": (9, (20, 40, 80, 160), (400, 800)),
    "ax": (11, (20, 40, 80, 160), (800, 1600, 3200)),
}
#: One station in 4 s sends so often that its backoffs are within 0.1 % of their mean. Two collide
#: so seldom that it takes longer to count that within half a per cent.
_SECONDS = {"pair": 240, "contention": 40, "priorities": 120, "modes": 4}
#: A station with a small share gets it in clusters: such cells run longer, there and here, by this.
_LONGER = 5
_STARVING_AIFSN = 7


def _scenario(
    name: str, stations: int, seconds: int, wifi: Mapping[str, Any], flows: Sequence[Any] = ()
) -> dict[str, Any]:
    """Stations that send to a server; all of them if no `flows` say who."""
    every = [{"from": f"sta{i}", "to": "server"} for i in range(stations)]
    return {
        "name": name,
        "start": "1 s",
        "duration": f"{seconds} s",
        "topology": {"preset": "wlan", "stations": stations},
        "wifi": dict(wifi),
        "flow": list(flows) or every,
    }


def _mbps(rate: float, payload: int) -> float:
    return rate * 8 * payload


def contention() -> Iterator[Cell]:
    """Saturated stations with equal rights, for every way of counting slots."""
    for setting in SETTINGS:
        for n in STATIONS:
            parts = [_part(setting, n, closed(setting, n))]
            if n == 2:
                exact = pair(setting.windows, setting.timing, anew=setting.failures is not None)
                parts.append(_part(setting, n, exact, "two stations"))
            if n > 2:
                parts.append(_part(setting, n, by_slots(setting, n), "slot by slot"))
            seconds = _SECONDS["pair" if n == 2 else "contention"]
            yield Cell(
                _scenario("contention", n, seconds, setting.keys),
                PACKET,
                PACKET,
                parts,
            )


def _part(setting: Setting, n: int, outcome: Outcome, model: str | None = None) -> Part:
    if model is None:
        model = "bianchi" if setting.is_uniform else "anomalous slots"
    expected = {"throughput": _mbps(outcome.rate, PACKET), "collisions": outcome.collision}
    return Part(model, f"{n} stations {setting.name}", range(n), expected)


def priorities() -> Iterator[Cell]:
    """Access categories against each other."""
    for classes in PRIORITIES:
        categories = [Category(n, aifsn, windows(a + 1, b + 1)) for n, aifsn, a, b in classes]
        aifs = SIFS + SLOT * min(c.aifsn for c in categories)
        ack = SIFS + air.legacy(MODE.control_rate, air.ACK)
        success, collision = data() + ack + aifs, data() + air.eifs() - DIFS + aifs
        by_zones = zones(categories, SLOT, success, collision)
        longer = _LONGER if max(c.aifsn for c in categories) >= _STARVING_AIFSN else 1
        counted = _priorities_by_slots(categories, ack, DRAWS * longer)
        parts: list[Part] = []
        flows: list[dict[str, str]] = []
        keys: dict[str, Any] = {}
        for i, (n, aifsn, cw_min, cw_max) in enumerate(classes):
            own = range(len(flows), len(flows) + n)
            word = _CATEGORIES[i]
            flows += [{"from": f"sta{s}", "to": "server", "category": word} for s in own]
            edca = {"aifsn": aifsn, "cw_min": cw_min, "cw_max": cw_max, "txop": "0 s"}
            keys[word] = edca
            who = " + ".join(f"{c[0]}x({c[1]},{c[2]},{c[3]})" for c in classes)
            for model, outcome in (("zones", by_zones[i]), ("slot by slot", counted[i])):
                expected = {
                    "throughput": _mbps(outcome.rate, PACKET),
                    "collisions": outcome.collision,
                }
                parts.append(Part(model, f"{who}: {word}", own, expected))
        wifi = {**SINGLE, "after_silence": "everybody", "retry_limit": 255, "edca": keys}
        yield Cell(
            _scenario("priorities", len(flows), _SECONDS["priorities"] * longer, wifi, flows),
            PACKET,
            PACKET,
            parts,
        )


def _priorities_by_slots(
    categories: Sequence[Category], ack: float, transmissions: int
) -> list[Outcome]:
    ns = 1000
    classes = [
        slots.Class(c.stations, int((SIFS + SLOT * c.aifsn) * ns), c.windows) for c in categories
    ]
    rules = slots.Rules(
        slot=int(SLOT * ns),
        success=int((data() + ack) * ns),
        collision=int(data() * ns),
        extra=int((air.eifs() - DIFS) * ns),
    )
    count = slots.simulate(classes, rules, transmissions, cells=100)
    pairs = zip(count.rates, count.collided, strict=True)
    return [Outcome(rate / 1e6, collided) for rate, collided in pairs]


def sizes() -> Iterator[Cell]:
    """One station, 65 Mbit/s, by its longest A-MPDU."""
    for limit in SIZES:
        keys = {"ampdu": f"{limit} B"}
        yield _alone("A-MPDU", f"{limit} B", MODE, keys, limit)


def modes() -> Iterator[Cell]:
    """One station with UDP in every mode of one stream; some with two."""
    for standard, (highest, widths, guards) in MODES.items():
        for streams in (1, 2):
            for width in widths:
                for guard in guards if streams == 1 else guards[:1]:
                    for mcs in range(highest + 1):
                        mode = Mode(standard, mcs, width, guard, streams)
                        if mode.exists:
                            name = f"{standard} MCS {mcs} {width} MHz {guard} ns {streams}x"
                            yield _alone("modes", name, mode, {}, None)


def _alone(model: str, name: str, mode: Mode, keys: Mapping[str, Any], limit: int | None) -> Cell:
    exchange = air.longest_exchange(mode, UDP_PACKET, limit)
    # AIFS of best effort; a backoff is drawn from 0 to 15.
    cycle = SIFS + 3 * SLOT + 7.5 * SLOT + exchange.airtime
    wifi = {
        "standard": mode.standard,
        "mcs": mode.mcs,
        "streams": mode.streams,
        "width": f"{mode.width} MHz",
        "guard_interval": f"{mode.guard} ns",
        "queue": "2000 packets",
        "lifetime": "none",
        **keys,
    }
    expected = {"throughput": _mbps(exchange.mpdus / cycle, UDP_PAYLOAD)}
    return Cell(
        _scenario("alone", 1, _SECONDS["modes"], wifi),
        UDP_PACKET,
        UDP_PAYLOAD,
        [Part(model, name, range(1), expected)],
    )
