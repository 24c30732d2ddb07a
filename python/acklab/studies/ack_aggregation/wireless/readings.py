"""Which setting explains Tables 4 and 5 at once: all their 32 different cells, Vegas included.

The settings are those a user of ns-3 may have or have left: what is announced by RTS, and how fast
(a station manager's `ControlMode`), the rate of MAC ACKs, ACKs per segment, bit errors, a distance
that costs them, the mode, a rate control, the guard interval, socket buffers, the A-MPDU's limits,
the segment. Each is tried alone on what the text states, with the reference's hint (RTS at 6
Mbit/s, an ACK per segment), and on segments of 536 B, which the wired part had found. The distance
of a setting is the mean of |ours - paper| / paper over all cells. One seed, a start at 2 s sharp:
the thesis's row is one run of a deterministic simulator as well.

A setting that comes near is a fit, not a proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.wireless import tables
from acklab.studies.ack_aggregation.wireless.cells import SETTINGS, Wireless, scenario, varied
from acklab.studies.study import Cell, Effort, Outcome

if TYPE_CHECKING:
    import polars as pl

#: Over all cells the mean error of longer runs is within a percentage point of it.
SECONDS = 4
QUICK_SECONDS = 3


@dataclass(frozen=True)
class Reading:
    """A setting under a name; `base` is the segment that it starts from."""

    base: str
    text: str
    setting: Wireless


def changed(setting: Wireless, stack: Mapping[str, Any], channel: Mapping[str, Any]) -> Wireless:
    """With other fields of the stack and more keys of `[wifi]`, and a start at 2 s sharp."""
    other = replace(setting.stack, start_jitter="0 s", **stack)
    return replace(setting, stack=other, channel={**setting.channel, **channel})


#: Instead of the rate that is stated.
_MINSTREL: Mapping[str, Any] = {"rate": None, "rate_control": "minstrel"}
#: One thing changed: fields of the stack, keys of `[wifi]`. With ns-3's path loss and 65 Mbit/s one
#: full packet in ten is lost at 20 m and one in five at 21 m; beyond that A-MSDUs hardly arrive.
_CHANGES: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = (
    ("nothing else", {}, {}),
    ("an ACK per segment", {"segments_per_ack": 1}, {}),
    ("RTS at 24 Mbit/s", {}, {"rts": "always", "rts_rate": "24 Mbit/s"}),
    ("RTS at 6 Mbit/s", {}, {"rts": "always", "rts_rate": "6 Mbit/s"}),
    ("RTS and MAC ACKs at 6 Mbit/s", {}, {"rts": "always", "control_rate": "6 Mbit/s"}),
    ("MAC ACKs at 12 Mbit/s", {}, {"control_rate": "12 Mbit/s"}),
    ("MAC ACKs at 6 Mbit/s", {}, {"control_rate": "6 Mbit/s"}),
    ("bit errors 1e-6", {}, {"bit_error_rate": 1e-6}),
    ("bit errors 1e-5", {}, {"bit_error_rate": 1e-5}),
    ("MCS 6 (64-QAM 3/4, 58.5 Mbit/s)", {}, {"rate": "58.5 Mbit/s"}),
    ("short guard interval (72.2 Mbit/s)", {}, {"rate": "72.2 Mbit/s", "guard_interval": "400 ns"}),
    ("no EIFS", {}, {"eifs": False}),
    ("20 m apart", {}, {"space": {"line": 20}}),
    ("21 m apart", {}, {"space": {"line": 21}}),
    ("Minstrel-HT", {}, _MINSTREL),
    ("21 m apart, Minstrel-HT", {}, {**_MINSTREL, "space": {"line": 21}}),
    ("buffers of 64 KiB", {"buffers": "64 KiB"}, {}),
    ("buffers of 4 MiB", {"buffers": "4 MiB"}, {}),
    ("block ack window of 32", {}, {"block_ack_window": 32}),
    ("the standard's durations", {}, {"durations": "standard", "after_silence": "quiet"}),
)
#: Several at once.
_TOGETHER: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = (
    (
        "an ACK per segment, RTS at 6 Mbit/s",
        {"segments_per_ack": 1},
        {"rts": "always", "rts_rate": "6 Mbit/s"},
    ),
    (
        "an ACK per segment, MAC ACKs at 12 Mbit/s",
        {"segments_per_ack": 1},
        {"control_rate": "12 Mbit/s"},
    ),
)
#: Starts between two ticks of ns-3's clock, us (`ticks.py` has more of them).
_STARTS = (250, 500, 750, 900, 950)
#: In a quick run.
_QUICK = ("nothing else", "RTS at 6 Mbit/s")


def readings(quick: bool) -> list[Reading]:
    """Every setting that is tried."""
    found = []
    for base, setting in (("1448 B", SETTINGS["ns3"]), ("536 B", SETTINGS["thesis"])):
        for text, stack, channel in (*_CHANGES, *_TOGETHER):
            if text in _QUICK or not quick:
                found.append(Reading(base, text, changed(setting, stack, channel)))
        for late in () if quick else _STARTS:
            later = replace(changed(setting, {}, {}), late_us=late)
            found.append(Reading(base, f"start {late / 1000:g} ms after a tick", later))
    return found


def cells(effort: Effort) -> list[Cell]:
    """Every setting in every cell of Tables 4 and 5."""
    seconds = QUICK_SECONDS if effort.quick else SECONDS
    return [
        Cell(
            {"segment": r.base, "reading": r.text, "cc": cc, name: cell},
            scenario(r.setting, cc, keys, seconds),
            seeds=1,
        )
        for r in readings(effort.quick)
        for cc in PAPER_CONTROLLERS
        for name, cell, keys in varied()
    ]


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per setting: its distance from each table, each row and all; the nearest first."""
    import polars as pl

    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for o in outcomes:
        cc, cell = str(o.keys["cc"]), tables.varied(o)
        key = (str(o.keys["segment"]), str(o.keys["reading"]))
        names = {"table5" if isinstance(cell, int) else "table4", cc, "distance"}
        names |= {"table5"} if cell == "ampdu" else set()
        names |= set() if cc == "vegas" else {"without_vegas"}
        for name in names:
            found.setdefault(key, {}).setdefault(name, []).append(tables.distance(o))
    columns = ("distance", "without_vegas", "table4", "table5", *PAPER_CONTROLLERS)
    rows = [
        {"segment": segment, "reading": text, **{c: fmean(off[c]) for c in columns}}
        for (segment, text), off in found.items()
    ]
    rank = pl.col("distance").rank("ordinal").cast(pl.Int64).alias("rank")
    return pl.DataFrame(rows).with_columns(rank).sort("rank")
