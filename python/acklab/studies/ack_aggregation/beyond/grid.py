"""What is run: paths times schemes times controllers.

The path of the thesis (10 Mbit/s, 48 ms, a queue of one BDP, the same rate back), and paths that
differ from it in one thing: rate, RTT, queue or the rate back. On each of them the thinner with
every ratio and timer, its rivals, and three variants that tell why the thinner hurts.

Everything in the Linux stack, whose sender and receiver are those that people run, but for the
largest socket buffers: Linux's 6 MB would limit a flow to 290 Mbit/s at 48 ms, and the grid would
then show a sysctl. They grow as Linux lets them grow. (A fixed buffer of that size is no way out:
while the window that a Linux receiver offers grows, it acknowledges every segment, and it would
grow throughout.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.stacks import LINUX, thinner
from acklab.studies.study import Effort, Survey

CONTROLLERS = ("newreno", "cubic", "vegas", "bbr1", "bbr3")
RATIOS = (2, 4, 8, 16)
#: ms
TIMERS = (1, 2, 5, 10, 20, 50)
#: The timer of the thesis, ms, and the ratio that leaves the timer the most to do.
THESIS_TIMER, HIGHEST = 5, 16
NONE = "no thinning"

#: A run lasts so many RTTs, but at least so many seconds: five visits of BBRv3 to PROBE_RTT, ten
#: sawteeth of NewReno at 10 Mbit/s.
RTTS, SECONDS = 200, 30
#: ... unless it would carry more than so many bits: then it is shortened, to no less than so many
#: seconds. At 1000 Mbit/s neither CUBIC (18 s) nor NewReno (5 min) comes around within any length
#: that can be swept, so that such a run is what it is to a user: a transfer of a gigabyte.
BITS, SHORTEST = 5e9, 10
#: Before RTTs and windows count.
WARMUP_RTTS, WARMUP_S = 20, 2
#: A quick run is this much shorter.
QUICK = 3
#: Delay of each of the two access links, ms; an RTT of 5 ms must leave room for them.
ACCESS_MS = 0.5
#: A full packet, bits.
PACKET = 1500 * 8
BUFFERS = {
    "send_buffer": {"initial": "85 KiB", "max": "256 MiB"},
    "recv_buffer": {"initial": "128 KiB", "max": "256 MiB"},
}


@dataclass(frozen=True)
class Route:
    """A path from sender to receiver and back."""

    #: What differs from the path of the thesis.
    name: str
    #: Mbit/s.
    rate: float = 10
    #: ms.
    rtt: float = 48
    queue: str = "1 BDP"
    #: The rate back; that of the way there if it is not given.
    up: str | None = None

    def seconds(self, effort: Effort) -> float:
        """How long a run is measured."""
        whole = max(RTTS * self.rtt / 1e3, SECONDS)
        whole = min(whole, max(BITS / (self.rate * 1e6), SHORTEST))
        return round(whole / QUICK if effort.quick else whole, 1)

    @property
    def warmup(self) -> float:
        """Seconds before RTTs and windows count."""
        return round(max(WARMUP_RTTS * self.rtt / 1e3, WARMUP_S), 1)


THESIS = Route("thesis")
#: By axis: the step as a heat map labels it, and the path.
AXES: Mapping[str, Mapping[str, Route]] = {
    "rate": {
        f"{r} Mbit/s": THESIS if r == THESIS.rate else Route(f"{r} Mbit/s", rate=r)
        for r in (1, 3, 10, 30, 100, 300, 1000)
    },
    "rtt": {
        f"{t} ms": THESIS if t == THESIS.rtt else Route(f"RTT {t} ms", rtt=t)
        for t in (5, 10, 20, 48, 100, 200)
    },
    "buffer": {
        q: THESIS if q == THESIS.queue else Route(f"queue {q}", queue=q)
        for q in ("0.25 BDP", "0.5 BDP", "1 BDP", "2 BDP", "4 BDP")
    },
    "up": {
        **{f"{u} kbit/s": Route(f"{u} kbit/s up", up=f"{u} kbit/s") for u in (50, 100, 200)},
        "10 Mbit/s": THESIS,
    },
}
#: Where one BDP is four packets: with a queue that has room for a burst.
DEEP: Mapping[str, Route] = {
    "1 Mbit/s": Route("1 Mbit/s, 40 packets", rate=1, queue="40 packets"),
    "RTT 5 ms": Route("RTT 5 ms, 40 packets", rtt=5, queue="40 packets"),
}
_QUICK_ROUTES = (
    "thesis",
    "1 Mbit/s",
    "100 Mbit/s",
    "1000 Mbit/s",
    "RTT 5 ms",
    "RTT 200 ms",
    "queue 0.25 BDP",
    "queue 4 BDP",
    "100 kbit/s up",
    "RTT 5 ms, 40 packets",
)


@dataclass(frozen=True)
class Scheme:
    """A way to have fewer ACKs."""

    name: str
    #: Which kind it is: "none", "thinner", "cake", "delayed", "bytes", "periodic", "variant".
    family: str
    ack_filter: Mapping[str, Any] | str = "none"
    ack: Mapping[str, Any] | str = LINUX.profile
    pacing: str = "auto"
    ratio: int | None = None
    #: ms
    timer: int | None = None


def thinned(ratio: int, timer: int) -> str:
    """The name of the thinner with this ratio and timer (ms)."""
    return f"{ratio}:1, {timer} ms"


def _thinner(ratio: int, timer: int, **changes: str) -> dict[str, Any]:
    return {**(thinner(ratio, f"{timer} ms") or {}), **changes}


#: What a variant's name ends in.
PACED, SACK_PASSES, BURST = ", paced", ", SACK passes", ", burst"


def _variants(timer: int) -> tuple[Scheme, ...]:
    """The highest ratio with one thing changed that it may hurt by."""

    def variant(ending: str, pacing: str = "auto", **changes: str) -> Scheme:
        held = _thinner(HIGHEST, timer, **changes)
        name = thinned(HIGHEST, timer) + ending
        return Scheme(name, "variant", held, pacing=pacing, ratio=HIGHEST, timer=timer)

    return (
        variant(PACED, pacing="always"),
        variant(SACK_PASSES, sack="pass"),
        variant(BURST, release="burst"),
    )


#: Timers (ms) whose variants are run.
VARIANT_TIMERS = (5, 50)
SCHEMES: Mapping[str, Scheme] = {
    s.name: s
    for s in (
        Scheme(NONE, "none"),
        *(
            Scheme(thinned(r, t), "thinner", _thinner(r, t), ratio=r, timer=t)
            for t in TIMERS
            for r in RATIOS
        ),
        Scheme("CAKE", "cake", {"name": "cake", "mode": "conservative"}),
        Scheme("CAKE, aggressive", "cake", {"name": "cake", "mode": "aggressive"}),
        Scheme("delayed", "delayed", ack={"name": "delayed"}),
        *(
            Scheme(f"L = {n}", "bytes", ack={"name": "byte-counting", "l": n})
            for n in (4, 8, 16, 32)
        ),
        *(
            Scheme(f"every {a} ms", "periodic", ack={"name": "periodic", "alpha": f"{a} ms"})
            for a in (5, 10, 20, 50)
        ),
        *(
            Scheme(f"{b} per RTT", "periodic", ack={"name": "periodic", "beta": b})
            for b in (2, 4, 8, 16)
        ),
        *(v for t in VARIANT_TIMERS for v in _variants(t)),
    )
}
_QUICK_SCHEMES = (
    NONE,
    *(thinned(r, t) for t in (1, 5, 50) for r in (2, 4, 16)),
    "CAKE",
    "CAKE, aggressive",
    "delayed",
    "L = 4",
    "L = 16",
    "every 10 ms",
    "4 per RTT",
    "16 per RTT",
    *(v.name for v in _variants(50)),
)


def routes(effort: Effort) -> list[Route]:
    """The paths, each once."""
    found = {r.name: r for axis in AXES.values() for r in axis.values()}
    found |= {r.name: r for r in DEEP.values()}
    return [r for r in found.values() if not effort.quick or r.name in _QUICK_ROUTES]


def schemes(effort: Effort) -> list[Scheme]:
    """The schemes, the one that does nothing first."""
    return [SCHEMES[n] for n in _QUICK_SCHEMES] if effort.quick else list(SCHEMES.values())


def survey(effort: Effort) -> Survey:
    """The sweep."""
    return Survey(
        scenario=_scenario(),
        grid={"controller:flow.0.cc": list(CONTROLLERS)},
        zipped=[_routes_axis(routes(effort), effort), _schemes_axis(schemes(effort))],
        seeds=effort.seeds,
    )


def _scenario() -> dict[str, Any]:
    return dumbbell(
        "ack-thinning",
        start="1 s",
        duration="30 s",
        warmup="2 s",
        pairs=1,
        access=Link(
            rate="100 Mbit/s",
            delay=f"{ACCESS_MS} ms",
            # A host does not drop what it sends itself: TCP Small Queues hold it back.
            queue="1000000 packets",
            overhead=LINUX.overhead,
        ),
        bottleneck=Link(
            rate="10 Mbit/s",
            delay="23 ms",
            queue=THESIS.queue,
            overhead=LINUX.overhead,
            # Of ACKs, where they are in each other's way.
            reverse={"queue": "100 packets"},
        ),
        flows=[Flow(cc="cubic", app={"kind": "bulk"}, start_jitter="100 ms")],
        tcp={"profile": LINUX.profile, "segment": 1448, **BUFFERS},
    )


def _routes_axis(given: Sequence[Route], effort: Effort) -> dict[str, list[str]]:
    """The path's name, and what it sets; access links ten times as fast, as in the thesis."""
    line = "topology.bottleneck"
    return {
        # A flow may be called anything, a scenario may not.
        "path:flow.0.name": [r.name for r in given],
        f"path_rate:{line}.rate": [f"{r.rate:g} Mbit/s" for r in given],
        "path_access:topology.access.rate": [f"{10 * r.rate:g} Mbit/s" for r in given],
        # Against phase effects, from 0 to a packet's time at the bottleneck: Floyd and Jacobson,
        # "On Traffic Phase Effects in Packet-Switched Gateways", 1992.
        "path_jitter:topology.access.jitter": [f"{PACKET / r.rate:g} us" for r in given],
        f"path_delay:{line}.delay": [f"{r.rtt / 2 - 2 * ACCESS_MS:g} ms" for r in given],
        f"path_queue:{line}.queue": [r.queue for r in given],
        f"path_up:{line}.reverse.rate": [r.up or f"{r.rate:g} Mbit/s" for r in given],
        "path_duration:duration": [f"{r.seconds(effort):g} s" for r in given],
        "path_warmup:warmup": [f"{r.warmup:g} s" for r in given],
    }


def _schemes_axis(given: Sequence[Scheme]) -> dict[str, list[Any]]:
    return {
        "scheme:description": [s.name for s in given],
        "scheme_filter:topology.bottleneck.reverse.ack_filter": [s.ack_filter for s in given],
        "scheme_receiver:flow.0.ack": [s.ack for s in given],
        "scheme_pacing:tcp.pacing": [s.pacing for s in given],
    }
