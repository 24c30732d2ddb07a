"""The cells: the paper's figures with both TCPs, its words without a figure, and readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

from acklab.studies.ack_compression.setup import laid_over, scenario, uploads
from acklab.studies.ack_compression.stacks import DELAYED, PAPER, REMEDIES, SETUPS, timer
from acklab.studies.study import Cell, Effort

KILOBYTES = (1, 2, 4, 8, 16, 32)
STATIONS = (1, 2, 3, 5, 8, 10, 15, 20, 25, 30)
#: Of these, the ones in the study's essence.
FEWER = (1, 5, 10, 20, 30)
#: Values of TAC's timer, ms; 5 is the paper's.
TE_MS = (0, 1, 5, 20, 50)
#: Of the runs that are watched closely, s.
_WATCHED = 20
#: Uploads beside as many downloads.
_HALF = 10
#: Segments that a sender of UDP always has more of than the radio takes.
_UDP = {"name": "cbr", "rate": "15 Mbit/s", "size": 1052, "frame": "ip", "feedback": {"every": 0}}


def over(
    build: Callable[..., dict[str, Any]], seeds: int | None = None, **axes: Sequence[Any]
) -> Callable[[Effort], list[Cell]]:
    """A group: `build(effort, **keys)` for each combination of keys."""

    def cells(effort: Effort) -> list[Cell]:
        keys = [dict(zip(axes, point, strict=True)) for point in product(*axes.values())]
        return [Cell(k, build(effort, **k), seeds) for k in keys]

    return cells


def _fig2(effort: Effort, setup: str, kilobytes: int, buffer: int) -> dict[str, Any]:
    return scenario(effort, setup, kilobytes=kilobytes, buffer=buffer)


def _fig5(effort: Effort, setup: str, scheme: str, stations: int) -> dict[str, Any]:
    return scenario(effort, setup, PAPER[scheme], stations)


def _by_stations(effort: Effort) -> list[Cell]:
    """Figure 5, with fewer numbers of stations in the essence."""
    stations = STATIONS if effort.full else FEWER
    return over(_fig5, setup=SETUPS, scheme=tuple(PAPER), stations=stations)(effort)


def _timers(effort: Effort) -> list[Cell]:
    """Values of TAC's timer, with two seeds in the essence."""
    return over(_timer, None if effort.full else 2, setup=SETUPS, stations=(1, 20), te=TE_MS)(
        effort
    )


def _fig6(effort: Effort, setup: str, scheme: str, kilobytes: int) -> dict[str, Any]:
    return scenario(effort, setup, PAPER[scheme], kilobytes=kilobytes, errors=True)


def _lossy(effort: Effort, setup: str, scheme: str) -> dict[str, Any]:
    """One data packet in a thousand is lost on the wire; the ACKs of two flows are recorded."""
    lossy = {"topology": {"wire": {"loss": 1e-3}}, "record": {"packets": ways(2)}}
    return scenario(effort, setup, PAPER[scheme], over=lossy)


def _mixed(effort: Effort, setup: str, scheme: str) -> dict[str, Any]:
    """Ten stations upload and ten download."""
    flow = uploads(setup, _HALF)
    downs = [
        {**flow, "name": f"download-sta{i}", "count": 1, "from": "server", "to": f"sta{i}"}
        for i in range(_HALF, 2 * _HALF)
    ]
    return scenario(effort, setup, PAPER[scheme], over={"flow": [flow, *downs]})


def _timer(effort: Effort, setup: str, stations: int, te: int) -> dict[str, Any]:
    return scenario(effort, setup, timer("tac-paper", te), stations)


def _amsdu(effort: Effort, setup: str) -> dict[str, Any]:
    """Instead of A-MPDUs the longest A-MSDU of 802.11n."""
    whole = {"wifi": {"ampdu": "off", "amsdu": "7935 B"}}
    return scenario(effort, setup, errors=True, over=whole)


def ways(stations: int, *more: str) -> list[str]:
    """The ways from the access point to so many stations."""
    return [*more, *(f"ap->sta{i}" for i in range(stations))]


def _gaps(effort: Effort, setup: str, stations: int, links: int) -> dict[str, Any]:
    """ACKs are recorded as they come to the access point, over one wire or several in a row."""
    found = scenario(
        effort,
        setup,
        stations=stations,
        at_most=_WATCHED,
        over={"record": {"packets": ways(stations)}},
    )
    if links == 1:
        return found
    ends = ["server", *(f"hop{i}" for i in range(1, links))]
    wire = {"rate": "100 Mbit/s", "delay": "2 ms"}
    flow = {**uploads(setup, 1), "to": ends[-1]}
    longer = {
        "node": [{"name": name} for name in ends[1:]],
        "link": [{"a": a, "b": b, **wire} for a, b in pairwise(ends)],
        "flow": [{**flow, "name": f"upload-{i}", "from": f"sta{i}"} for i in range(stations)],
    }
    return laid_over(found, longer)


def _growth(effort: Effort, setup: str, kilobytes: int) -> dict[str, Any]:
    """Windows are sampled every millisecond, and senders' ACKs recorded."""
    watched = {"record": {"every": "1 ms", "acks": True}}
    return scenario(effort, setup, kilobytes=kilobytes, at_most=_WATCHED, over=watched)


def _grants(effort: Effort, setup: str, stations: int) -> dict[str, Any]:
    frames = {"record": {"ppdus": True}}
    return scenario(effort, setup, PAPER["rdg"], stations, at_most=_WATCHED, over=frames)


def _held(effort: Effort, setup: str, stations: int, te: int) -> dict[str, Any]:
    """ACKs are recorded on the wire and on the ways to stations."""
    way = {"record": {"packets": ways(stations, "server->ap")}}
    return scenario(effort, setup, timer("tac-paper", te), stations, at_most=_WATCHED, over=way)


def _errors(effort: Effort) -> dict[str, Any]:
    frames = {"record": {"ppdus": True}}
    return scenario(effort, stations=1, errors=True, at_most=_WATCHED, over=frames)


def _udp(effort: Effort, stations: int) -> dict[str, Any]:
    """Each station always has a packet of UDP to send, of the size of TCP's."""
    flow = {"name": "upload", "count": stations, "start_jitter": "100 ms", "transport": _UDP}
    return scenario(effort, stations=stations, at_most=_WATCHED, over={"flow": [flow], "tcp": None})


#: One setting that the paper leaves open, changed: tables of the scenario, keys of flows, the TCP.
READINGS: Mapping[str, Mapping[str, Any]] = {
    "as chosen": {},
    "no wire delay": {"over": {"topology": {"wire": {"delay": "0 s"}}}},
    "wire of 50 ms": {"over": {"topology": {"wire": {"delay": "50 ms"}}}},
    "SACK": {"over": {"tcp": {"sack": True}}},
    "delayed ACKs": {"flow": {"ack": DELAYED}},
    "timeouts of 1 s at least": {"over": {"tcp": {"min_rto": "1 s"}}},
    "exact clock": {"over": {"tcp": {"rtt_granularity": "0 s"}}},
    "ns-3's TCP": {"stack": "ns3"},
    "Linux's TCP": {"stack": "linux"},
    "packets expire after 500 ms": {"over": {"wifi": {"lifetime": "500 ms"}}},
    "B counts MPDUs in flight": {"over": {"wifi": {"queue_counts": "mpdus"}}},
    "Lmax in bytes on the air": {"over": {"wifi": {"ampdu": "16384 B"}}},
    "RTS before everything": {"over": {"wifi": {"rts": "always"}}},
    "RTS and timeouts of 1 s": {"over": {"wifi": {"rts": "always"}, "tcp": {"min_rto": "1 s"}}},
}


def _readings(effort: Effort, reading: str, scheme: str) -> dict[str, Any]:
    return scenario(effort, scheme=PAPER[scheme], stations=30, **READINGS[reading])


def _small(effort: Effort, reading: str) -> dict[str, Any]:
    """The same with 20 stations at 1 KB, where the paper loses hardly any ACK."""
    return scenario(effort, kilobytes=1, **READINGS[reading])


def _today(effort: Effort, queue: str, remedy: str) -> dict[str, Any]:
    """30 stations of today; `queue` is theirs: drop-tail, or mac80211's."""
    own: dict[str, Any] = {}
    if queue == "mac80211":
        # Where no queue is shared there is nothing to choose of how it counts.
        shared = {"queue_counts": None} if "queues" in remedy else {}
        own = {"up": {"qdisc": "per-station"}, **shared}
    # `None` takes a key away only where it is laid over the whole.
    wifi = {**REMEDIES[remedy], **own}
    return scenario(effort, "today", None, 30, kilobytes=64, over={"wifi": wifi})


GROUPS = {
    "fig2": over(_fig2, setup=SETUPS, kilobytes=KILOBYTES, buffer=(200, 10_000)),
    "fig5": _by_stations,
    "fig6": over(_fig6, setup=SETUPS, scheme=tuple(PAPER), kilobytes=KILOBYTES),
    "lossy": over(_lossy, setup=SETUPS, scheme=("agg", "tac")),
    "mixed": over(_mixed, setup=SETUPS, scheme=("agg", "tac")),
    "timer": _timers,
    "amsdu": over(_amsdu, setup=SETUPS),
    "gaps": over(_gaps, setup=SETUPS, stations=(5, 20, 30), links=(1, 4)),
    "growth": over(_growth, setup=SETUPS, kilobytes=(1, 32)),
    "grants": over(_grants, setup=SETUPS, stations=(1, 5, 20)),
    "held": over(_held, setup=SETUPS, stations=(1, 5, 20), te=(5, 50)),
    "errors": over(_errors),
    "udp": over(_udp, stations=(5, 30)),
    "readings": over(_readings, 3, reading=tuple(READINGS), scheme=tuple(PAPER)),
    # An Lmax in bytes is one of 16 KB.
    "small": over(_small, 3, reading=tuple(r for r in READINGS if "Lmax" not in r)),
    "today": over(_today, queue=("drop-tail", "mac80211"), remedy=tuple(REMEDIES)),
}
