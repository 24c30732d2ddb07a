"""Cells of the study: downloads through a shaped line and a home's Wi-Fi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from acklab.studies.ack_compression.cells import over
from acklab.studies.study import Cell, Effort

CONTROLLERS = ("newreno", "cubic", "vegas", "bbr1", "bbr2", "bbr3")
#: Queue disciplines below the shaper; the FIFO is as long as Linux makes it.
QUEUES: Mapping[str, Mapping[str, Any]] = {
    "pfifo": {"name": "pfifo", "queue": "1000 packets"},
    "codel": {"name": "codel"},
    "pie": {"name": "pie"},
    "fq-codel": {"name": "fq-codel"},
    "cake": {"name": "cake"},
    "cake-hosts": {"name": "cake", "isolation": "dual-dsthost"},
}
#: It differs from CAKE where there are several hosts.
FOR_MANY = "cake-hosts"
#: Mbit/s.
RATES = (5, 50, 500)
#: ms, without the air.
RTTS = (5, 20, 200)
AIRS = ("idle", "busy")
#: Flows to each host.
HOSTS: Mapping[str, tuple[int, ...]] = {"one": (1,), "many": (4, 1, 1, 1)}
#: A run lasts so long at each rate, s, and longer where the round trip is long.
LENGTHS: Mapping[int, int] = {5: 30, 50: 12, 500: 6}
#: Where a neighbour always sends, a run is no longer than this, s: at 5 Mbit/s 98 % of its packets
#: are the neighbour's, and they took two fifths of the time of the whole map.
BUSY_LENGTH = 12
#: A fast line has so many seeds at most: a run has 250,000 packets.
FAST, FAST_SEEDS = 500, 2
LONG_MS, LONGER = 200, 2
#: Where the window of a BDP takes CUBIC 8.5 s to grow back (RFC 9438, Eq. 2), a run has several
#: such cycles, s; not on a busy channel, where it would take minutes of the map's ten.
SLOW: Mapping[tuple[str, int], int] = {("idle", 50): 60}
#: Rate that the neighbour offers, Mbit/s: more than the channel lets it.
NOISE = 400


def seconds(effort: Effort, air: str, rate: int, rtt_ms: int) -> int:
    """Of a run."""
    most = BUSY_LENGTH if air == "busy" else LENGTHS[rate]
    whole = min(LENGTHS[rate], most)
    if rtt_ms >= LONG_MS:
        whole = SLOW.get((air, rate), whole * LONGER)
    return max(whole // 5, 3) if effort.quick else whole


def _cell(
    effort: Effort, air: str, hosts: str, cc: str, queue: str, rate: int, rtt_ms: int
) -> dict[str, Any]:
    stations = [f"host{i}" for i in range(len(HOSTS[hosts]))]
    near = ["near"] if air == "busy" else []
    length = seconds(effort, air, rate, rtt_ms)
    shaped = {"name": "all", "rate": f"{rate} Mbit/s", "child": QUEUES[queue]}
    load = {"name": "cbr", "rate": f"{NOISE} Mbit/s", "feedback": {"every": 0}}
    return {
        "name": f"map-{rate}-{rtt_ms}",
        "duration": f"{length} s",
        "warmup": f"{length / 3:g} s",
        "node": [{"name": n} for n in ("server", "router", *stations, *near)],
        "link": [
            {
                "a": "server",
                "b": "router",
                "rate": "10 Gbit/s",
                "delay": f"{rtt_ms / 2:g} ms",
                "qdisc": {"name": "htb", "classes": [shaped]},
                "reverse": {"qdisc": "pfifo", "queue": "1000 packets"},
            }
        ],
        "wifi": [
            {
                "ap": "router",
                "stations": [*stations, *near],
                "standard": "ax",
                "band": "5 GHz",
                "width": "80 MHz",
                "mcs": 9,
                "streams": 2,
                "down": {"qdisc": "per-station"},
                "up": {"qdisc": "per-station"},
            }
        ],
        "tcp": {"profile": "linux", "segment": 1448},
        "flow": [
            *(
                {"name": h, "from": "server", "to": h, "cc": cc, "count": n, "start_jitter": "1 s"}
                for h, n in zip(stations, HOSTS[hosts], strict=True)
            ),
            *({"name": n, "from": n, "to": "router", "transport": load} for n in near),
        ],
        "record": {"delays": True},
    }


def _map(effort: Effort) -> list[Cell]:
    """Every combination that can differ; a quick run has one round trip."""
    every = over(
        _cell,
        air=AIRS,
        hosts=tuple(HOSTS),
        cc=CONTROLLERS,
        queue=tuple(QUEUES),
        rate=RATES,
        rtt_ms=RTTS[1:2] if effort.quick else RTTS,
    )(effort)
    return [
        replace(cell, seeds=FAST_SEEDS if cell.keys["rate"] == FAST else None)
        for cell in every
        if cell.keys["hosts"] == "many" or cell.keys["queue"] != FOR_MANY
    ]


#: Ways to shape with CAKE: below an HTB, as in a router's queue tree and in the map; by itself; by
#: itself and with a longer `rtt` (tc-cake(8)), 1.5 times the round trip of the long path.
WAYS = ("tree", "own", "long")
_LONG_RTT = "300 ms"


def _cake(effort: Effort, kind: str, cc: str, rate: int, rtt_ms: int) -> dict[str, Any]:
    """CAKE to one host on an idle channel."""
    spec = _cell(effort, "idle", "one", cc, "cake", rate, rtt_ms)
    if kind != "tree":
        more = {"rtt": _LONG_RTT} if kind == "long" else {}
        spec["link"][0]["qdisc"] = {"name": "cake", "bandwidth": f"{rate} Mbit/s", **more}
    return spec


def _cakes(effort: Effort) -> list[Cell]:
    """Every way over 20 ms; over 200 ms on 50 Mbit/s, where CAKE costs most."""
    near = over(_cake, kind=WAYS[:2], cc=CONTROLLERS, rate=RATES[:2], rtt_ms=(_MIDDLE,))
    far = over(_cake, kind=WAYS, cc=CONTROLLERS, rate=(50,), rtt_ms=(LONG_MS,))
    return [*near(effort), *([] if effort.quick else far(effort))]


#: Rates of a shaper, % of the line's.
SHARES = ("none", "110", "100", "98", "95", "90", "80")
#: Bulk flows beside a call.
BULK: Mapping[str, int] = {"one": 1, "eight": 8}
#: The flow of a call.
CALL = "call"
#: Round trip of the line, ms.
_MIDDLE = 20
_LONG_FIFO = {"qdisc": "pfifo", "queue": "1000 packets"}


def _below(
    effort: Effort, way: str, queue: str, cc: str, rate: int, flows: str, share: str
) -> dict[str, Any]:
    """A call beside bulk flows over a line with a long FIFO. The router's shaper stands before it
    for uploads and behind it for downloads."""
    length = seconds(effort, "idle", rate, _MIDDLE)
    ends = {"from": "host", "to": "server"} if way == "up" else {"from": "server", "to": "host"}
    voice = {
        "name": "cbr",
        "rate": "80 kbit/s",
        "size": 200,
        "frame": "ip",
        "feedback": {"every": 0},
    }
    inner = {"a": "router", "b": "modem", "rate": "1 Gbit/s", "delay": "0 ms"}
    if way == "down":
        inner |= {"a": "modem", "b": "router"}
    line = {"a": "modem", "b": "server", "rate": f"{rate} Mbit/s", "delay": f"{_MIDDLE / 2:g} ms"}
    return {
        "name": f"below-{rate}-{_MIDDLE}",
        "duration": f"{length} s",
        "warmup": f"{length / 3:g} s",
        "node": [{"name": n} for n in ("host", "router", "modem", "server")],
        "link": [
            {"a": "host", "b": "router", "rate": "1 Gbit/s", "delay": "0 ms", **_LONG_FIFO},
            {**inner, **_shaper(way, queue, rate, share), "reverse": _LONG_FIFO},
            {**line, **_LONG_FIFO},
        ],
        "tcp": {"profile": "linux", "segment": 1448},
        "flow": [
            {"name": "bulk", **ends, "cc": cc, "count": BULK[flows], "start_jitter": "1 s"},
            {"name": CALL, **ends, "transport": voice},
        ],
        "record": {"delays": True},
    }


def _shaper(way: str, queue: str, rate: int, share: str) -> Mapping[str, Any]:
    """At that share of the line's rate: CAKE's own, or HTB's."""
    if share == "none":
        return _LONG_FIFO
    shaped = f"{rate * int(share) / 100:g} Mbit/s"
    if queue == "cake":
        # Behind the line what it drops has used the line, too.
        return {"qdisc": {"name": "cake", "bandwidth": shaped, "ingress": way == "down"}}
    return {"qdisc": {"name": "htb", "classes": [{"name": "all", "rate": shaped, "child": queue}]}}


GROUPS = {
    "map": _map,
    "cakes": _cakes,
    "below": over(
        _below,
        way=("up", "down"),
        queue=("fq-codel", "cake"),
        cc=("cubic", "bbr3"),
        rate=RATES[:2],
        flows=tuple(BULK),
        share=SHARES,
    ),
}
