"""Paths times schemes times controllers.

The base path has 10 Mbit/s, 48 ms and a queue of one BDP. Every other path differs from it in one
thing: rate, RTT, queue, or the rate back. All runs use the Linux stack.

The fast cells needed two corrections. Linux's socket buffers of 6 MB stop a flow at 290 Mbit/s
over 48 ms, so here they grow to 256 MiB. (A fixed buffer of that size will not do: while the
receiver's window grows, a Linux receiver acknowledges every segment, and it would grow throughout.)
And single flows are so regular that all seeds agree while neighbours in the grid differ, so each
packet is late by a random part of a packet's time at the bottleneck (Floyd and Jacobson, On Traffic
Phase Effects in Packet-Switched Gateways, 1992).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.stacks import LINUX, thinner
from acklab.studies.study import Cell, Effort

CONTROLLERS = ("newreno", "cubic", "vegas", "bbr1", "bbr3")
RATIOS = (2, 4, 8, 16)
#: ms
TIMERS = (1, 2, 5, 10, 20, 50)
#: Those of the essence, and those of a quick run.
FEW_RATIOS, FEW_TIMERS, QUICK_TIMERS = (4, 16), (1, 5, 20, 50), (1, 5, 50)
#: A run lasts so many RTTs and at least so many seconds: five visits of BBRv3 to PROBE_RTT, ten
#: sawteeth of NewReno at 10 Mbit/s.
RTTS, SECONDS = 200, 30
#: A run that would carry more bits is shorter, but lasts so many seconds. At 1000 Mbit/s neither
#: CUBIC (18 s) nor NewReno (5 min) completes a cycle within any length that can be run this often.
BITS, SHORTEST = 5e9, 10
#: RTTs and windows count after so many RTTs, and so many seconds at least.
WARMUP_RTTS, WARMUP_S = 20, 2
#: A quick run is this much shorter.
QUICK = 5
#: From this rate on, Mbit/s, a cell has so many seeds at most.
FAST, FAST_SEEDS = 1000, 3
#: Delay of each of the two access links, ms; an RTT of 5 ms must leave room for them.
ACCESS_MS = 0.5
#: A full packet, bits.
PACKET = 1500 * 8


@dataclass(frozen=True)
class Path:
    """A way from sender to receiver and back."""

    #: Mbit/s.
    rate: float = 10
    #: ms; all but the queue.
    rtt: float = 48
    queue: str = "1 BDP"
    #: The rate back; that of the way there if it is not given.
    back: str | None = None

    def seconds(self, effort: Effort) -> float:
        """How long a run is measured."""
        whole = max(RTTS * self.rtt / 1e3, SECONDS)
        whole = min(whole, max(BITS / (self.rate * 1e6), SHORTEST))
        return round(whole / QUICK if effort.quick else whole, 1)

    @property
    def places(self) -> float:
        """How many full packets the queue holds."""
        number, unit = self.queue.split()
        if unit == "packets":
            return float(number)
        return max(float(number) * self.rate * 1e3 * self.rtt / PACKET, 1.0)


BASE = "base"
RATES = {r: BASE if r == 10 else f"{r} Mbit/s" for r in (1, 3, 10, 30, 100, 300, 1000)}
DELAYS = {t: BASE if t == 48 else f"RTT {t} ms" for t in (5, 10, 20, 48, 100, 200)}
QUEUES = {q: BASE if q == 1 else f"queue {q} BDP" for q in (0.25, 0.5, 1, 2, 4)}
#: Where ACKs have room on their way back.
OPEN: Mapping[str, Path] = {
    **{name: Path(rate=r) for r, name in RATES.items()},
    **{name: Path(rtt=t) for t, name in DELAYS.items()},
    **{name: Path(queue=f"{q} BDP") for q, name in QUEUES.items()},
    # One BDP is four packets here; these queues have room for a burst.
    "1 Mbit/s, 40 packets": Path(rate=1, queue="40 packets"),
    "RTT 5 ms, 40 packets": Path(rtt=5, queue="40 packets"),
}
#: Where ACKs fill the way back, which makes no thinning the harm.
NARROW: Mapping[str, Path] = {f"{u} kbit/s back": Path(back=f"{u} kbit/s") for u in (50, 100, 200)}
PATHS: Mapping[str, Path] = {**OPEN, **NARROW}
_ESSENCE = (
    *(*DELAYS.values(), "1 Mbit/s", "100 Mbit/s", "1000 Mbit/s", "queue 0.25 BDP"),
    *("queue 4 BDP", "RTT 5 ms, 40 packets", "50 kbit/s back"),
)
_QUICK = (BASE, "RTT 5 ms", "RTT 200 ms", "100 Mbit/s", "queue 0.25 BDP", "50 kbit/s back")


@dataclass(frozen=True)
class Scheme:
    """A way to have fewer ACKs: a filter on the way back, a receiver, or neither."""

    ack_filter: Mapping[str, Any] | str = "none"
    ack: Mapping[str, Any] | str = LINUX.profile
    pacing: str = "auto"
    #: The scenario's name, which tells a quantity how the thinner was set.
    name: str = "thinning"


def _thinned(ratio: int, timer: int, pacing: str = "auto", **changes: str) -> Scheme:
    held = {**(thinner(ratio, f"{timer} ms") or {}), **changes}
    return Scheme(held, pacing=pacing, name=f"thinning-{ratio}-{timer}")


RIVALS: Mapping[str, Scheme] = {
    "CAKE": Scheme({"name": "cake", "mode": "conservative"}),
    "CAKE, aggressive": Scheme({"name": "cake", "mode": "aggressive"}),
    "delayed": Scheme(ack={"name": "delayed"}),
    **{f"L = {n}": Scheme(ack={"name": "byte-counting", "l": n}) for n in (4, 8, 16, 32)},
    **{
        f"every {t} ms": Scheme(ack={"name": "periodic", "alpha": f"{t} ms"})
        for t in (5, 10, 20, 50)
    },
    **{f"{b} per RTT": Scheme(ack={"name": "periodic", "beta": b}) for b in (2, 4, 8, 16)},
}
_FEW_RIVALS = (
    *("CAKE", "CAKE, aggressive", "delayed", "L = 4", "L = 16", "every 10 ms"),
    *("4 per RTT", "8 per RTT", "16 per RTT"),
)
#: 16:1 with one thing changed that it may hurt by.
CHANGES: Mapping[str, Callable[[int], Scheme]] = {
    "as it is": lambda timer: _thinned(16, timer),
    "paced": lambda timer: _thinned(16, timer, pacing="always"),
    "SACK passes": lambda timer: _thinned(16, timer, sack="pass"),
    "burst": lambda timer: _thinned(16, timer, release="burst"),
}


def scenario(effort: Effort, name: str, scheme: Scheme, cc: str) -> dict[str, Any]:
    """A run on the path `name`; the flow is called as the path is, so that a quantity knows it."""
    path = PATHS[name]
    warmup = min(max(WARMUP_RTTS * path.rtt / 1e3, WARMUP_S), path.seconds(effort) / 2)
    return dumbbell(
        scheme.name,
        start="1 s",
        duration=f"{path.seconds(effort):g} s",
        warmup=f"{warmup:g} s",
        access=Link(
            rate=f"{10 * path.rate:g} Mbit/s",
            delay=f"{ACCESS_MS} ms",
            # A host does not drop what it sends itself: TCP Small Queues hold it back.
            queue="1000000 packets",
            overhead=LINUX.overhead,
            jitter=f"{PACKET / path.rate:g} us",
        ),
        bottleneck=Link(
            rate=f"{path.rate:g} Mbit/s",
            delay=f"{path.rtt / 2 - 2 * ACCESS_MS:g} ms",
            queue=path.queue,
            overhead=LINUX.overhead,
            reverse={
                "rate": path.back or f"{path.rate:g} Mbit/s",
                "queue": "100 packets",
                "ack_filter": scheme.ack_filter,
            },
        ),
        flows=[Flow(cc=cc, name=name, ack=scheme.ack, app={"kind": "bulk"}, start_jitter="100 ms")],
        tcp={
            "profile": LINUX.profile,
            "segment": 1448,
            "pacing": scheme.pacing,
            "send_buffer": {"initial": "85 KiB", "max": "256 MiB"},
            "recv_buffer": {"initial": "128 KiB", "max": "256 MiB"},
        },
    )


Keyed = Iterable[tuple[Mapping[str, Any], Scheme]]


def _is_run(effort: Effort, path: str) -> bool:
    return _whole(effort) or path in (_QUICK if effort.quick else _ESSENCE)


def _seeds(path: str) -> int | None:
    """A run of a gigabyte takes as long as ten others."""
    return FAST_SEEDS if PATHS[path].rate >= FAST else None


def _cells(effort: Effort, paths: Mapping[Any, str], axis: str, schemes: Keyed) -> list[Cell]:
    """A cell for each path, scheme and controller; `paths` are the keys on `axis`."""
    return [
        Cell({axis: key, **keys, "cc": cc}, scenario(effort, path, scheme, cc), _seeds(path))
        for key, path in paths.items()
        if _is_run(effort, path)
        for keys, scheme in list(schemes)
        for cc in CONTROLLERS
    ]


def _whole(effort: Effort) -> bool:
    return effort.full and not effort.quick


def _ratios(effort: Effort) -> tuple[int, ...]:
    return RATIOS if _whole(effort) else FEW_RATIOS


def _timers(effort: Effort) -> tuple[int, ...]:
    return TIMERS if _whole(effort) else QUICK_TIMERS if effort.quick else FEW_TIMERS


def _settings(effort: Effort) -> list[tuple[int, int]]:
    """Ratios and timers of the thinner."""
    return [(r, t) for r in _ratios(effort) for t in _timers(effort)]


def _all(effort: Effort) -> Keyed:
    """Everything that may be switched on."""
    found = {f"{r}:1, {t} ms": _thinned(r, t) for r, t in _settings(effort)}
    found |= {name: RIVALS[name] for name in (RIVALS if _whole(effort) else _FEW_RIVALS)}
    return [({"scheme": name}, scheme) for name, scheme in found.items()]


def _on(paths: Iterable[str], of: Callable[[Effort], Keyed]) -> Callable[[Effort], list[Cell]]:
    named = {p: p for p in paths}
    return lambda effort: _cells(effort, named, "path", of(effort))


def _thinner(effort: Effort) -> Keyed:
    return [({"ratio": r, "timer": t}, _thinned(r, t)) for r, t in _settings(effort)]


def _variant(effort: Effort) -> Keyed:
    timers = (50,) if effort.quick else (5, 50)
    return [({"timer": t, "change": c}, of(t)) for t in timers for c, of in CHANGES.items()]


def _by(axis: str, paths: Mapping[Any, str]) -> Callable[[Effort], list[Cell]]:
    """16:1 by one property of the path and by timer; a timer of zero is no thinning."""

    def cells(effort: Effort) -> list[Cell]:
        held = [({"timer": t}, _thinned(16, t)) for t in _timers(effort)]
        return _cells(effort, paths, axis, [({"timer": 0}, Scheme()), *held])

    return cells


#: Cells that are in several groups are run once.
GROUPS: Mapping[str, Callable[[Effort], list[Cell]]] = {
    "plain": _on(PATHS, lambda _: [({}, Scheme())]),
    "thinner": _on(OPEN, _thinner),
    "open": _on(OPEN, _all),
    "back": _on(NARROW, _all),
    "variant": _on(OPEN, _variant),
    "by_rtt": _by("rtt_ms", DELAYS),
    "by_rate": _by("rate", RATES),
    "by_queue": _by("bdp", QUEUES),
}
