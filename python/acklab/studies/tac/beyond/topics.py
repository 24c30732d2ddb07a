"""The questions: controllers, timers, windows, downloads, unequal ones, short flows, losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.studies.tac.beyond import figures, words
from acklab.studies.tac.beyond.topic import Point, Told, Topic, jain_of, of_measured, sum_of
from acklab.studies.tac.duplicates import RECORD
from acklab.studies.tac.quantities import measured
from acklab.studies.tac.stacks import DEFAULT, MODERN, STACKS, linux_window

if TYPE_CHECKING:
    from acklab.results import Result

_HALF = 10
#: Te from nothing to the most that the paper's "few tens of milliseconds" allows.
_TE_MS = (0, 1, 2, 5, 10, 20, 50)


def _upload(**more: Any) -> dict[str, Any]:
    return {**STACKS[MODERN].flow(_HALF), **more}


def _te(ms: int, stations: int) -> Point:
    # The filter's bound must leave room for its timer.
    timer = {"name": "tac", "timeout": f"{ms} ms", "max_hold": f"{max(20, 4 * ms)} ms"}
    many = words.counted(stations)
    return Point(f"{many}, Te {ms} ms", stations, {"wifi": {"down": {"ack_filter": timer}}})


def _mixed() -> list[Point]:
    found = []
    for downloads in (0, 1, 5, 10):
        flows = [_upload(name="upload", count=20 - downloads)]
        if downloads:
            first = 20 - downloads
            flows += [
                {"name": f"down{i}", "cc": "newreno", "from": "server", "to": f"sta{i}"}
                for i in range(first, 20)
            ]
        label = f"{downloads} download{'' if downloads == 1 else 's'}"
        found.append(Point(f"{label}, {20 - downloads} uploads", over={"flow": flows}))
    return found


def _unequal() -> list[Point]:
    slow = {f"sta{i}": {"mcs": 1} for i in range(0, 20, 2)}
    wires = [{"rate": "100 Mbit/s", "delay": f"{2 if i % 2 else 50} ms"} for i in range(20)]
    each = {"servers": "each", "wire": wires}
    return [
        Point("all at MCS 7, 2 ms"),
        Point("every other at MCS 1", over={"wifi": {"rate": None, "mcs": 7, "station": slow}}),
        Point("every other behind 50 ms", over={"topology": each}),
        Point(
            "both",
            over={"wifi": {"rate": None, "mcs": 7, "station": slow}, "topology": each},
        ),
    ]


def _short() -> list[Point]:
    """Half of the stations upload all the time, the others objects one after the other; and few
    stations, nobody beside them."""

    def objects(size: str, count: int) -> dict[str, Any]:
        app = {"kind": "request-response", "request": size, "response": "100 B", "think": "200 ms"}
        return {"name": "object", "count": count, "cc": "newreno", "app": app}

    beside = [
        Point(f"objects of {size}", over={"flow": [_upload(), objects(size, _HALF)]})
        for size in ("10 kB", "100 kB", "1 MB")
    ]
    return beside + [
        Point(f"{words.counted(n)}{words.ALONE}, {size}", n, {"flow": [objects(size, n)]})
        for n in (3, 1)
        for size in ("100 kB", "1 MB")
    ]


def _lossy() -> list[Point]:
    """Losses on the wire with many and with few, and with a TCP that has no SACK."""
    runs: list[tuple[str, int, tuple[float, ...]]] = [
        *((MODERN, n, (0, 0.1, 1)) for n in (20, 5, 2, 1)),
        *((DEFAULT, n, (0, 1)) for n in (20, 2)),
    ]
    found = []
    for stack, n, shares in runs:
        who = words.counted(n) + ("" if stack == MODERN else " without SACK")
        for p in shares:
            over: dict[str, Any] = {"topology": {"wire": {"loss": p / 100}}} if p else {}
            if (stack, n) == (MODERN, 20):
                over |= RECORD
            label = f"{who}, loss {p:g} %" if p else f"{who}{words.LOSSLESS}"
            found.append(Point(label, n, over, stack=stack))
    return found


def _exchange(r: Result) -> float | None:
    times = [v for v in r.columns("flows")["exchange_mean_ms"] if v is not None and v == v]
    return float(sum(times) / len(times)) if times else None


def _no_room(r: Result) -> float | None:
    """Of duplicate ACKs the share that found the queue full, where they were recorded."""
    of = measured(r)
    if "duplicates_came" not in of:
        return None
    return of["duplicates_missing_share"] - of["duplicates_dropped_share"]


_WINDOWS = (
    ("50 packets, IW 10", {"tcp": linux_window(50)}),
    ("50 packets, IW 2", {"tcp": {**linux_window(50), "initial_window": 2}}),
    ("200 packets", {"tcp": linux_window(200)}),
    ("1000 packets", {"tcp": linux_window(1000)}),
    ("autotuned (Linux)", {"tcp": {"recv_buffer": None}}),
)

TOPICS = (
    Topic(
        "beyond-controllers",
        "CUBIC, BBRv3 and Vegas instead of NewReno",
        [
            *(Point(name, flow={"cc": cc}) for cc, name in words.CONTROLLERS.items()),
            Point(words.LOTS, over={"tcp": {"pacing_quantum": 10}}, flow={"cc": "bbr3"}),
            Point(words.UNPACED, over={"tcp": {"pacing": "never"}}, flow={"cc": "bbr3"}),
            *(
                Point(f"{words.CONTROLLERS[cc]}, {words.counted(n)}", n, flow={"cc": cc})
                for n in (2, 1)
                for cc in ("cubic", "bbr3")
            ),
        ],
        words.controllers,
        more={name: of_measured(name) for name in words.ACCESS},
        told=(
            Told("jain", "Jain's index", 3),
            Told("throughput_mbps", "Mbit/s", 1),
            Told("rtt_mean_ms", "RTT, ms"),
            Told("packets_per_access", "packets per access", 1),
        ),
    ),
    Topic(
        "beyond-te",
        "Te from 0 to 50 ms",
        [_te(ms, n) for n in (30, 1) for ms in _TE_MS],
        words.te,
        schemes=(("agg",),),
        caption="TAC with guards.",
        draw=figures.by_timer,
    ),
    Topic(
        "beyond-windows",
        "Windows beyond 50 packets, and modern initial windows",
        [Point(label, over=over) for label, over in _WINDOWS],
        words.windows,
        told=(
            Told("jain", "Jain's index", 3),
            Told("throughput_mbps", "Mbit/s", 1),
            Told("ack_loss_mean", "ACKs lost, %", 0, 100),
            Told("queue_wait_ms", "wait in the AP, ms"),
        ),
    ),
    Topic(
        "beyond-downloads",
        "Downloads mixed in",
        _mixed(),
        words.downloads,
        more={
            "uploads_jain": jain_of("upload"),
            "uploads_mbps": sum_of("upload"),
            "downloads_mbps": sum_of("down"),
        },
        shown={
            "jain": "Jain's index of all flows",
            "uploads_mbps": "uploads, Mbit/s",
            "downloads_mbps": "downloads, Mbit/s",
        },
        told=(
            Told("jain", "index of all flows", 3),
            Told("uploads_jain", "of the uploads", 3),
            Told("uploads_mbps", "uploads, Mbit/s", 1),
            Told("downloads_mbps", "downloads, Mbit/s", 1),
        ),
    ),
    Topic(
        "beyond-unequal",
        "Unequal PHY rates and RTTs",
        _unequal(),
        words.unequal,
    ),
    Topic(
        "beyond-short",
        "Short uploads beside long ones",
        _short(),
        words.short,
        more={
            "uploads_jain": jain_of("upload"),
            "uploads_mbps": sum_of("upload"),
            "exchange_ms": _exchange,
        },
        shown={
            "uploads_jain": "Jain's index of long uploads",
            "uploads_mbps": "long uploads, Mbit/s",
            "exchange_ms": "an object's time, ms (logarithmic)",
        },
        told=(
            Told("exchange_ms", "an object, ms"),
            Told("uploads_jain", "index of the long uploads", 3),
            Told("uploads_mbps", "long uploads, Mbit/s", 1),
        ),
        logarithmic=("exchange_ms",),
    ),
    Topic(
        "beyond-loss",
        "A lossy wire",
        _lossy(),
        words.loss,
        more={
            **{name: of_measured(name) for name in words.DUPLICATES},
            "duplicates_no_room_share": _no_room,
        },
        shown={
            "jain": "Jain's index",
            "throughput_mbps": "throughput, Mbit/s",
            "duplicates_dropped_share": "duplicates taken out, share",
        },
        told=(
            Told("jain", "Jain's index", 3),
            Told("throughput_mbps", "Mbit/s", 1),
            Told("rtt_mean_ms", "RTT, ms", 1),
            Told("rtos", "timeouts"),
            Told("duplicates_came", "duplicates of two flows"),
            Told("duplicates_dropped_share", "taken out, %", 0, 100),
            Told("duplicates_no_room_share", "without room, %", 0, 100),
        ),
        caption="Duplicates are counted with 20 stations and SACK, for two of the flows, as a "
        "sender counts them. Without SACK: a TCP like that of ns-2.",
    ),
)
