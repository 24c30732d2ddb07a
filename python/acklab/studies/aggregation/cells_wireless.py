"""The cells over the air: Tables 4 and 5, ACKs thinned there, and the thesis's future work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from acklab.studies.study import Cell, Effort

from .setups_wireless import (
    AGGREGATIONS,
    CHANNEL,
    CONTROLLERS,
    SAMPLED,
    SETUPS,
    SIZES,
    START_S,
    dumbbell,
    uploads,
)

#: As stated.
STATED = {name: SETUPS[name] for name in ("ns3", "linux")}
#: Seeds of runs that hardly differ, outside the papers' own tables; Vegas has one more.
FEW = 2
#: Seeds at most of a set-up that explains and turns no verdict.
EXPLAINS = {"thesis": 5}


def _ran(effort: Effort) -> Mapping[str, Any]:
    """The set-ups of Tables 4 and 5: the one that explains is outside the essence."""
    return SETUPS if effort.full else STATED


#: Half of the flows BBRv3, half CUBIC.
MIXED = "mixed"


def air(effort: Effort) -> list[Cell]:
    """Table 4: every set-up, controller and way of aggregating."""
    seconds = 4 if effort.quick else 60
    return [
        Cell(
            {"setup": name, "cc": cc, "aggregation": how},
            dumbbell(setup, cc, keys, seconds) | SAMPLED,
            EXPLAINS.get(name),
        )
        for name, setup in _ran(effort).items()
        for cc in CONTROLLERS
        for how, keys in AGGREGATIONS.items()
    ]


def sizes(effort: Effort) -> list[Cell]:
    """Table 5: every set-up, controller and limit of the A-MPDU; 64 KB are Table 4's runs."""
    seconds = 4 if effort.quick else 60
    return [
        Cell(
            {"setup": name, "cc": cc, "kilobytes": kb},
            dumbbell(setup, cc, keys, seconds) | SAMPLED,
            EXPLAINS.get(name),
        )
        for name, setup in _ran(effort).items()
        for cc in CONTROLLERS
        for kb, keys in SIZES.items()
    ]


def thinned(effort: Effort) -> list[Cell]:
    """The thesis's ACK queue at the access point, before the ACKs go to the station.

    On a clean channel, and on one where every ninth packet of 1500 B is damaged.
    """
    seconds = 4 if effort.quick else 20
    return [
        Cell(
            {"setup": name, "cc": cc, "aggregation": how, "channel": channel, "ratio": ratio},
            dumbbell(setup, cc, {**AGGREGATIONS[how], **errors, **thinner(ratio)}, seconds),
            None if effort.full else FEW + (cc == "vegas"),
        )
        for name, setup in STATED.items()
        for cc in CONTROLLERS
        for how in ("none", "ampdu")
        for channel, errors in {"clean": {}, "lossy": {"bit_error_rate": 1e-5}}.items()
        for ratio in (1, 2, 4, 8, 16)
    ]


def thinner(ratio: int, release: str = "last") -> dict[str, Any]:
    """The queue at the access point: of N ACKs the last goes on, or all at once."""
    if ratio == 1:
        return {}
    return {"down": {"ack_filter": {"name": "aggregate", "ratio": ratio, "release": release}}}


def released(effort: Effort) -> list[Cell]:
    """The same queue at 8:1, whose ACKs go on as one or as a burst."""
    seconds = 4 if effort.quick else 20
    return [
        Cell(
            {"setup": name, "cc": cc, "aggregation": how, "release": release},
            dumbbell(setup, cc, {**AGGREGATIONS[how], **thinner(8, release)}, seconds),
        )
        for name, setup in STATED.items()
        for cc in CONTROLLERS
        for how in ("none", "ampdu")
        for release in ("last", "burst")
    ]


def jittered(effort: Effort) -> list[Cell]:
    """A wire to the station whose delay varies; order is kept."""
    seconds = 4 if effort.quick else 20
    return [
        Cell(
            {"setup": name, "cc": cc, "jitter": ms},
            dumbbell(setup, cc, AGGREGATIONS["ampdu"], seconds, **_jitter(ms)) | SAMPLED,
        )
        for name, setup in STATED.items()
        for cc in CONTROLLERS
        for ms in (0, 2, 10)
    ]


def _jitter(ms: int) -> dict[str, Any]:
    return {"jitter": f"{ms} ms"} if ms else {}


def block_acks(effort: Effort) -> list[Cell]:
    """How many MPDUs a Block Ack may answer; with 0 there is none, and each has an ACK."""
    seconds = 4 if effort.quick else 20
    return [
        Cell(
            {"setup": name, "cc": cc, "window": window},
            dumbbell(setup, cc, _answered(window), seconds),
        )
        for name, setup in STATED.items()
        for cc in CONTROLLERS
        for window in (0, 1, 8, 32, 64)
    ]


def _answered(window: int) -> Mapping[str, Any]:
    """A-MPDUs as long as the Block Ack's window allows."""
    return {"block_ack_window": window, "amsdu": "off"} if window else AGGREGATIONS["none"]


def starts(effort: Effort) -> list[Cell]:
    """Vegas of the inferred set-up, by the instant of its start within a tick of ns-3's clock.

    ns-3's RTT samples are whole milliseconds, and its Vegas takes the smallest smoothed RTT ever
    as its base. ARP before the handshake makes the first sample longer.
    """
    sharp = replace(SETUPS["thesis"], start_jitter="0 s")
    return [
        Cell(
            {"arp": asks, "aggregation": how, "start_us": late},
            dumbbell(
                replace(sharp, late_us=late, channel={"arp": asks == "asked"}),
                "vegas",
                AGGREGATIONS[how],
                3 if effort.quick else 10,
            ),
            seeds=1,
        )
        for asks in ("asked", "known")
        for how in AGGREGATIONS
        for late in range(0, 1000, 150 if effort.quick else 50)
    ]


#: One thing changed: fields of the set-up, keys of `[wifi]`. With ns-3's path loss and 65 Mbit/s
#: one full packet in fifty is lost at 20 m and one in six at 21 m.
CHANGES: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "nothing else": ({}, {}),
    "an ACK per segment": ({"segments_per_ack": 1}, {}),
    "RTS at 24 Mbit/s": ({}, {"rts": "always", "rts_rate": "24 Mbit/s"}),
    "RTS at 6 Mbit/s": ({}, {"rts": "always", "rts_rate": "6 Mbit/s"}),
    "RTS and MAC ACKs at 6 Mbit/s": ({}, {"rts": "always", "control_rate": "6 Mbit/s"}),
    "an ACK per segment, RTS at 6 Mbit/s": (
        {"segments_per_ack": 1},
        {"rts": "always", "rts_rate": "6 Mbit/s"},
    ),
    "MAC ACKs at 12 Mbit/s": ({}, {"control_rate": "12 Mbit/s"}),
    "MAC ACKs at 6 Mbit/s": ({}, {"control_rate": "6 Mbit/s"}),
    "bit errors 1e-6": ({}, {"bit_error_rate": 1e-6}),
    "bit errors 1e-5": ({}, {"bit_error_rate": 1e-5}),
    "58.5 Mbit/s": ({}, {"rate": "58.5 Mbit/s"}),
    "72.2 Mbit/s": ({}, {"rate": "72.2 Mbit/s", "guard_interval": "400 ns"}),
    "20 m apart": ({}, {"space": {"line": 20}}),
    "21 m apart": ({}, {"space": {"line": 21}}),
    "Minstrel": ({}, {"rate": None, "rate_control": "minstrel"}),
    "buffers of 64 KiB": ({"buffers": "64 KiB"}, {}),
    "buffers of 4 MiB": ({"buffers": "4 MiB"}, {}),
    "Block Ack window of 32": ({}, {"block_ack_window": 32}),
    "the standard's durations": ({}, {"durations": "standard", "after_silence": "quiet"}),
    "no ARP": ({}, {"arp": False}),
}


def readings(effort: Effort) -> list[Cell]:
    """Which setting explains Tables 4 and 5 at once: one thing changed, in all their cells.

    One seed and a start at 2 s sharp: the thesis's row is one run of a deterministic simulator as
    well. A setting that comes near is a fit, not a proof.
    """
    cells: dict[str, Mapping[str, str]] = {**AGGREGATIONS}
    cells |= {f"{kb} KB": keys for kb, keys in SIZES.items() if kb != 64}
    found = []
    for segment, name in ((1448, "ns3"), (536, "thesis")):
        for reading, (stack, channel) in CHANGES.items():
            setup = replace(SETUPS[name], start_jitter="0 s", channel=channel, **stack)
            for cc in CONTROLLERS:
                for cell, keys in cells.items():
                    where: dict[str, str | int] = {
                        "segment": segment,
                        "reading": reading,
                        "cc": cc,
                        "cell": cell,
                    }
                    described = dumbbell(setup, cc, keys, 3 if effort.quick else 4)
                    # Its place in the thesis's tables, from which its distance is measured.
                    found.append(Cell(where, {**described, "name": f"{cc} {cell}"}, seeds=1))
    return found


#: Ways to aggregate, by the amount that is sent at once.
AT_ONCE: Mapping[str, Mapping[str, str]] = {
    "one": AGGREGATIONS["none"],
    "A-MSDU 3.8 KB": {"ampdu": "off", "amsdu": "3839 B"},
    "A-MSDU 7.9 KB": AGGREGATIONS["amsdu"],
    "A-MPDU 8 KB": SIZES[8],
    "A-MPDU 64 KB": SIZES[64],
    "both": AGGREGATIONS["both"],
}


def errors(effort: Effort) -> list[Cell]:
    """One upload by bit error rate and by what is sent at once."""
    return [
        Cell(
            {"cc": cc, "at_once": how, "errors": rate},
            uploads([cc], {**keys, "bit_error_rate": float(rate)}, 3 if effort.quick else 5),
        )
        for cc in CONTROLLERS
        for how, keys in AT_ONCE.items()
        for rate in ("0", "1e-6", "1e-5", "3e-5", "1e-4")
    ]


def stations(effort: Effort) -> list[Cell]:
    """2 to 16 uploads, from a station each or all from one station."""
    return [
        Cell(
            {"layout": layout, "flows": count, "cc": cc, "aggregation": how},
            uploads(
                [("bbr3", "cubic")[i % 2] if cc == MIXED else cc for i in range(count)],
                AGGREGATIONS[how],
                3 if effort.quick else 8,
                stations=1 if layout == "flows" else None,
            ),
        )
        for layout in ("stations", "flows")
        for count in (2, 4, 8, 16)
        for cc in (*CONTROLLERS, MIXED)
        for how in ("none", "ampdu")
    ]


#: Stations, and more keys of `[wifi]`.
NEIGHBOURS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "alone": (1, {}),
    "heard": (2, {}),
    "hidden": (2, {"hidden": [["sta0", "sta1"]]}),
}


def neighbours(effort: Effort) -> list[Cell]:
    """A second station that sends all it can, heard or hidden, with RTS/CTS and without."""
    return [
        Cell(
            {"cc": cc, "at_once": how, "neighbour": neighbour, "rts": rts},
            uploads([cc] * count, {**AT_ONCE[how], **more, "rts": rts}, 3 if effort.quick else 5),
        )
        for cc in CONTROLLERS
        for how in ("one", "A-MSDU 7.9 KB", "A-MPDU 8 KB", "A-MPDU 64 KB")
        for neighbour, (count, more) in NEIGHBOURS.items()
        for rts in ("off", "always")
    ]


def walks(effort: Effort) -> list[Cell]:
    """A station that walks from 5 m to 45 m and back, by how the mode is chosen."""
    pace = 2 if effort.quick else 1
    steps = ((2, 5), (10, 45), (18, 5))
    points = [{"at": f"{at / pace:g} s", "position": [m, 0]} for at, m in steps]
    space = {"place": {"ap": [0, 0], "sta0": {"waypoints": points}}}
    modes: Mapping[str, Mapping[str, Any]] = {
        "fixed": {},
        "minstrel": {"rate": None, "rate_control": "minstrel"},
        "ideal": {"rate": None, "rate_control": "ideal"},
    }
    found = []
    for cc in CONTROLLERS:
        for how in ("none", "ampdu"):
            for mode, keys in modes.items():
                channel = {**CHANNEL, **AGGREGATIONS[how], **keys, "space": space}
                described = uploads([cc], AGGREGATIONS[how], 24 / pace - START_S, sampled=True)
                described["wifi"] = {k: v for k, v in channel.items() if v is not None}
                found.append(Cell({"cc": cc, "aggregation": how, "mode": mode}, described))
    return found


GROUPS: Mapping[str, Callable[[Effort], list[Cell]]] = {
    "air": air,
    "sizes": sizes,
    "thinned": thinned,
    "released": released,
    "jittered": jittered,
    "block_acks": block_acks,
    "starts": starts,
    "air_readings": readings,
    "errors": errors,
    "stations": stations,
    "neighbours": neighbours,
    "walks": walks,
}
