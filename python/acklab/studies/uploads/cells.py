"""The cells: stations of today and the paper's windows, each with one remedy at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acklab.studies.ack_compression.cells import over
from acklab.studies.ack_compression.setup import laid_over, scenario
from acklab.studies.ack_compression.stacks import DELAYED, PAPER, timer
from acklab.studies.study import Effort

#: Of a run, s.
SECONDS = 60
MANY = 30
QUEUES = ("mac80211", "drop-tail")


def _filter(name: str, **parameters: Any) -> dict[str, Any]:
    """Keys of `[wifi]`: an ACK filter in front of the access point's queue."""
    return {"wifi": {"down": {"ack_filter": {"name": name, **parameters}}}}


def _at_servers(ack: Any) -> dict[str, Any]:
    return {"flow": {"ack": ack}}


_CAKE = _filter("cake", mode="conservative")
#: Linux's own limit of 8192 packets goes with it.
_QUEUES = {"wifi": {"down": {"qdisc": "per-station", "queue": None}}}
_RTS = {"wifi": {"rts": "always"}}
#: One change each: keys of `[wifi]` and of the flows. The last rows combine two.
REMEDIES: Mapping[str, Mapping[str, Any]] = {
    "nothing": {},
    "deep": {"wifi": {"down": {"queue": "10000 packets"}}},
    "queues": _QUEUES,
    "diff": {"wifi": PAPER["diff"]},
    "rdg": {"wifi": PAPER["rdg"]},
    "tac": {"wifi": timer("tac", 5)},
    "cake": _CAKE,
    "cake-hard": _filter("cake", mode="aggressive"),
    # The driver's table of four flows is a telephone's, not an access point's.
    "one-of-three": _filter("android-thin", flows=4096),
    "replace": _filter("android-replace", flows=4096),
    "hack": {"wifi": {"up": {"hack": True}}},
    "per-packet": _at_servers("per-packet"),
    "delayed": _at_servers(DELAYED),
    "eighth": _at_servers({"name": "byte-counting", "l": 8}),
    "rts": _RTS,
    "cake-queues": laid_over(_CAKE, _QUEUES),
    "cake-rts": laid_over(_CAKE, _RTS),
    "queues-rts": laid_over(_QUEUES, _RTS),
}
#: With few stations, with BBRv3 and with the paper's windows.
FEW = ("nothing", "tac", "cake", "queues", "rts", "cake-rts")
WINDOWED = ("nothing", "diff", "rdg", "tac", "cake", "queues", "rts", "cake-rts")


def _cell(
    effort: Effort, stack: str, stations: int, queue: str, remedy: str, kilobytes: int = 64
) -> dict[str, Any]:
    """So many uploads; `queue` is the stations' own, `remedy` is changed elsewhere."""
    found = scenario(effort, stack, stations=stations, kilobytes=kilobytes, at_most=SECONDS)
    found["name"] = f"uploads-{stations}"
    change = REMEDIES[remedy]
    found["flow"] = [{**f, **change.get("flow", {})} for f in found["flow"]]
    wifi = laid_over(found["wifi"], change.get("wifi", {}))
    if queue == "mac80211":
        wifi = laid_over(wifi, {"up": {"qdisc": "per-station"}})
        if "qdisc" in wifi["down"]:
            # Where no queue is shared there is nothing to choose of how it counts.
            wifi.pop("queue_counts")
    return {**found, "wifi": wifi}


def _today(effort: Effort, queue: str, remedy: str) -> dict[str, Any]:
    return _cell(effort, "today", MANY, queue, remedy)


def _few(effort: Effort, stations: int, remedy: str) -> dict[str, Any]:
    return _cell(effort, "today", stations, "mac80211", remedy)


def _bbr(effort: Effort, queue: str, remedy: str) -> dict[str, Any]:
    found = _cell(effort, "today", MANY, queue, remedy)
    return {**found, "flow": [{**f, "cc": "bbr3"} for f in found["flow"]]}


def _windows(effort: Effort, stations: int, remedy: str) -> dict[str, Any]:
    """Linux's TCP with the paper's packets of 1024 B, windows of 50 packets and Lmax of 16 KB."""
    return _cell(effort, "linux", stations, "drop-tail", remedy, kilobytes=16)


_ALL: Sequence[str] = tuple(REMEDIES)
GROUPS = {
    "today": over(_today, queue=QUEUES, remedy=_ALL),
    "few": over(_few, stations=(1, 5), remedy=FEW),
    "bbr": over(_bbr, queue=QUEUES, remedy=("nothing", "tac", "cake", "queues", "rts")),
    "windows": over(_windows, stations=(1, MANY), remedy=WINDOWED),
}
