"""Cells of the study: the paper's figures, each as a group of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from acklab.studies.ack_compression.cells import over
from acklab.studies.study import Cell, Effort
from acklab.studies.tack import laws
from acklab.studies.tack.networks import (
    NOISE,
    ONE_HOP,
    SETUPS,
    STANDARDS,
    STOCK,
    path,
    radio,
    seconds,
    tack,
    tcp,
    udp,
)

#: Data packets for an ACK.
EVERY = (1, 2, 4, 8, 16)
#: ms; Figure 8b.
RTTS = (10, 80, 200)
#: Figure 7's baselines, Mbit/s.
BASELINES: Mapping[str, float] = {"b": 7, "b-short": 7, "g": 26, "n": 210, "ac": 590}
#: Figure 5b.
ACK_LOSSES = (0.2, 1, 5, 10)
#: A single draw, or one run a cell where nothing is random, has one seed.
ONCE = 1

# --- Wi-Fi ---------------------------------------------------------------------------------------


def _wlan(effort: Effort, setup: str, standard: str, rtt_ms: int, way: str) -> dict[str, Any]:
    """Figures 1 and 10a: a flow with BBR."""
    return radio(effort, tack() if way == "tack" else tcp(), standard, setup, rtt_ms, 20)


def _tool(effort: Effort, setup: str, standard: str, way: str) -> dict[str, Any]:
    """Figures 7 and 9: the UDP tool in saturation; TACK's feedback as Eq. 3 says."""
    every = 0
    if way.startswith("l"):
        every = int(way[1:])
    elif way.startswith("tack"):
        bw = BASELINES[standard] * 1e6
        every = round(laws.byte_counting(bw, 1) / laws.tack(bw, int(way[4:]) / 1e3))
    return radio(effort, udp(standard, every), standard, setup, length=5)


def _contention(effort: Effort, setup: str, every: int) -> dict[str, Any]:
    """Figure 3: 100 Mbit/s for 802.11n."""
    return radio(effort, udp("n", every, 100), "n", setup, length=5)


def _thinned(effort: Effort, fixes: str, way: str) -> dict[str, Any]:
    """Figure 10b: a loss of 0.1 %, RTT of 80 ms, 802.11n."""
    flow = tack() if way == "tack" else tcp(every=int(way[1:]))
    found = radio(effort, flow, "n", "ampdu", 80, 20, {"loss": 0, "reverse": {"loss": 0.001}})
    if fixes == "without":
        found["tcp"] |= STOCK
    return found


#: Rate of the WLAN, RTT and loss each way of Figure 13's cases.
CASES: Mapping[int, tuple[str, int, float]] = {
    1: ("g", 20, 0),
    2: ("g", 20, 0.01),
    3: ("n", 200, 0),
    4: ("n", 200, 0.01),
}


def _wan(effort: Effort, case: int, way: str) -> dict[str, Any]:
    """Figure 13: Wi-Fi behind a WAN of 100 or 500 Mbit/s, for 130 s."""
    standard, rtt_ms, loss = CASES[case]
    rate = "100 Mbit/s" if standard == "g" else "500 Mbit/s"
    wire = {"rate": rate, "loss": loss, "reverse": {"loss": loss}}
    flow = tack() if way == "tack" else tcp()
    found = radio(effort, flow, standard, "ampdu", rtt_ms, 130, wire, record={"acks": True})
    return found


def _noisy(effort: Effort, case: int, way: str) -> dict[str, Any]:
    """The same over a radio that carries as much UDP as the paper's."""
    found = _wan(effort, case, way)
    found["wifi"]["bit_error_rate"] = NOISE[CASES[case][0]]
    return found


def _baseline(effort: Effort, standard: str) -> dict[str, Any]:
    """UDP alone over that radio: its capacity."""
    found = radio(effort, udp(standard), standard, length=5)
    found["wifi"]["bit_error_rate"] = NOISE[standard]
    return found


#: The slot of 802.11g where stations of b are near, or may be.
LONG_SLOT = "20 us"


def _slots(effort: Effort, case: int, way: str) -> dict[str, Any]:
    """Cases 1 and 2 over a radio with long slots, and UDP over it."""
    standard = CASES[case][0]
    found = (
        radio(effort, udp(standard), standard, length=5)
        if way == "udp"
        else _wan(effort, case, way)
    )
    found["wifi"]["slot_time"] = LONG_SLOT
    return found


#: A flow that probes for bandwidth and RTT, and one that leaves the links idle.
LOADS = ("bbr1", "100 Mbit/s")
TIMINGS = ("advanced", "newest", "legacy")


def _timing(effort: Effort, load: str, timing: str) -> dict[str, Any]:
    """Figure 6a: two Wi-Fi hosts and an emulator of 100 ms between them; 25 s."""
    cc = "bbr1" if load == "bbr1" else {"name": "rate", "rate": load}
    every = {"every": "5 ms"}
    found = radio(effort, tack(cc, timing=timing), "n", "ampdu", 100, 25, record=every)
    first = {**found["wifi"], "name": "near", "ap": "ap0", "stations": ["host0"]}
    last = {**found["wifi"], "name": "far", "ap": "ap1", "stations": ["host1"]}
    wire = found.pop("topology")["wire"]
    found["node"] = [{"name": n} for n in ("host0", "ap0", "ap1", "host1")]
    found["link"] = [{"a": "ap0", "b": "ap1", **wire}]
    found["wifi"] = [first, last]
    found["flow"] = [{**f, "from": "host0", "to": "host1"} for f in found["flow"]]
    return found


#: Rate of each of two other stations to the TV, Mbit/s: the video fits, hardly fits
#: or does not fit.
BUSY: Mapping[str, Mapping[str, float]] = {
    "ampdu": {"fits": 14, "hardly": 16, "full": 18},
    "single": {"fits": 2, "hardly": 3, "full": 4},
}
#: Figure 11: the transports of a video.
CASTS: Mapping[str, Mapping[str, Any]] = {
    "rtp": {"transport": "rtp"},
    "cubic": {"cc": "cubic"},
    "bbr1": {"cc": "bbr1"},
    "tack": {"transport": "tack", "cc": "bbr1"},
}


def _cast(effort: Effort, setup: str, busy: str, way: str) -> dict[str, Any]:
    """Figure 11: a phone shows its screen on a TV while two stations load the channel."""
    others = ["other0", "other1"]
    load = {"name": "cbr", "rate": f"{BUSY[setup][busy]:g} Mbit/s", "feedback": {"every": 0}}
    video = {"kind": "video", "rate": "20 Mbit/s", "fps": 60}
    single = {"ampdu": "off", "amsdu": "off"} if setup == "single" else {}
    return {
        "name": "tack-cast",
        "start": "1 s",
        "duration": f"{seconds(effort, 30)} s",
        "node": [{"name": n} for n in ("tv", "phone", *others)],
        "wifi": [{"ap": "tv", "stations": ["phone", *others], "mcs": 7, **single}],
        "flow": [
            {"name": "cast", "from": "phone", "to": "tv", "app": video, **CASTS[way]},
            *({"name": n, "from": n, "to": "tv", "transport": load} for n in others),
        ],
    }


# --- wires ---------------------------------------------------------------------------------------


#: The bottleneck of a flow whose feedback is counted has this many times its rate.
SPARE = 2


def _frequency(effort: Effort, mbits: float, rtt_ms: int) -> dict[str, Any]:
    """Figures 8b and 17: how often a receiver of TACK acknowledges."""
    flow = tack({"name": "rate", "rate": f"{mbits:g} Mbit/s"}, start_up="tamed")
    return path(effort, [flow], SPARE * mbits, rtt_ms, length=12)


def _window(effort: Effort, beta: int, bdp: float) -> dict[str, Any]:
    """Eq. 11 and Figure 16: a window of so many bandwidth-delay products, 24 Mbit/s, 100 ms."""
    window = round(bdp * 24e6 * 0.1 / 8 / 1500)
    flow = tack({"name": "fixed", "window": window}, beta=beta, start_up="tamed")
    return path(effort, [flow], 24, 100, 4, length=20)


def _lossy(effort: Effort, mbits: int, ack_loss: float, way: str) -> dict[str, Any]:
    """Figure 5b: RTT 200 ms, a data loss of 1 %."""
    flow = tcp() if way == "tcp" else tack(blocks=way)
    return path(effort, [flow], mbits, 200, 1, 0.01, ack_loss / 100, 60)


def _draws(name: str, count: int, **ranges: tuple[float, float]) -> list[dict[str, Any]]:
    """So many points, drawn evenly from ranges; those of a quick run are the first."""
    draw = Random(name)
    return [{k: draw.uniform(*r) for k, r in ranges.items()} for _ in range(count)]


BLOCKED = _draws("blocked", 40, loss=(0, 0.03), rtt_ms=(1, 200))
#: Figure 15.
FRIENDS = _draws("friends", 100, mbits=(1, 100), rtt_ms=(1, 200), bdp=(0.5, 5))
#: Figures 6b and 14: the paths that stand for the Internet.
WIDE = _draws("wide", 30, mbits=(5, 100), rtt_ms=(10, 200), bdp=(0.5, 3), loss=(0, 0.005))
PAIRS = {
    "bbr-cubic": ("bbr1", "cubic"),
    "tack-cubic": ("tack", "cubic"),
    "tack-bbr": ("tack", "bbr1"),
    # TACK with the rate that the sender measures, over a round trip.
    "sender-cubic": ("sender", "cubic"),
    "sender-bbr": ("sender", "bbr1"),
    # TACK with the BBR that was designed with it (journal version).
    "designed-cubic": ("designed", "cubic"),
    "designed-bbr": ("designed", "bbr1"),
}
RIVALS = ("tack", "designed", "bbr1", "bbr2", "bbr3", "cubic", "newreno", "vegas")


def _of(draws: Sequence[Any], effort: Effort, quick: int) -> range:
    return range(1, (quick if effort.quick else len(draws)) + 1)


def _blocked(effort: Effort) -> list[Cell]:
    """Figure 5a: with and without IACKs, 100 Mbit/s, a buffer of one BDP."""
    return [
        Cell(
            {"draw": n, "iack": word},
            path(
                effort,
                [tack(iack=word == "with")],
                100,
                length=10,
                record={"acks": True},
                **BLOCKED[n - 1],
            ),
            ONCE,
        )
        for n in _of(BLOCKED, effort, 4)
        for word in ("with", "without")
    ]


def _named(way: str) -> dict[str, Any]:
    if way == "sender":
        return tack(rate_samples="sender")
    if way == "designed":
        return tack("bbr-tack")
    return tack() if way == "tack" else tcp(way)


def _rank(effort: Effort) -> list[Cell]:
    """Figure 14: every controller beside TACK, one at a time, over the same random paths."""
    delays = {"delays": True}
    return [
        Cell(
            {"draw": n, "way": way},
            path(effort, [_named(way)], record=delays, **WIDE[n - 1]),
            ONCE,
        )
        for n in _of(WIDE, effort, 3)
        for way in RIVALS
    ]


def _wild(effort: Effort) -> list[Cell]:
    """Figure 6b: timing of one kind and the other on the same paths; a queue of five BDPs."""
    return [
        Cell(
            {"draw": n, "timing": timing},
            path(
                effort,
                [tack(timing=timing)],
                record={"delays": True},
                **WIDE[n - 1],
            ),
            ONCE,
        )
        for n in _of(WIDE, effort, 3)
        for timing in TIMINGS
    ]


def _friends(effort: Effort) -> list[Cell]:
    """Figure 15: two flows at once, 60 s."""
    return [
        Cell(
            {"draw": n, "pair": pair},
            path(
                effort,
                [{**_named(way), "name": way} for way in ways],
                length=60,
                **FRIENDS[n - 1],
            ),
            ONCE,
        )
        for n in _of(FRIENDS, effort, 4)
        for pair, ways in PAIRS.items()
    ]


_STANDARDS = tuple(s for s in STANDARDS if s != "b-short")
_WAYS = tuple(f"l{n}" for n in EVERY)
GROUPS = {
    "wlan": over(_wlan, setup=ONE_HOP, standard=_STANDARDS, rtt_ms=RTTS, way=("tcp", "tack")),
    "tool": over(
        _tool,
        setup=ONE_HOP,
        standard=tuple(STANDARDS),
        way=("udp", *_WAYS, *(f"tack{r}" for r in RTTS)),
    ),
    "contention": over(_contention, setup=SETUPS, every=EVERY),
    "thinned": over(_thinned, fixes=("with", "without"), way=(*_WAYS, "tack")),
    "noisy": over(_noisy, case=tuple(CASES), way=("tcp", "tack")),
    "baseline": over(_baseline, standard=tuple(NOISE)),
    "slots": over(_slots, case=(1, 2), way=("udp", "tcp", "tack")),
    "wan": over(_wan, case=tuple(CASES), way=("tcp", "tack")),
    "cast": over(_cast, setup=tuple(BUSY), busy=tuple(BUSY["ampdu"]), way=tuple(CASTS)),
    "timing": over(_timing, load=LOADS, timing=TIMINGS),
    "frequency": over(_frequency, ONCE, mbits=(1, 7, 24, 26, 48, 200, 210, 590), rtt_ms=RTTS),
    "window": over(_window, ONCE, beta=(2, 4, 8), bdp=(1, 1.15, 1.34, 2)),
    "lossy": over(_lossy, mbits=(20, 100), ack_loss=ACK_LOSSES, way=("rich", "poor", "tcp")),
    "blocked": _blocked,
    "wild": _wild,
    "rank": _rank,
    "friends": _friends,
}
