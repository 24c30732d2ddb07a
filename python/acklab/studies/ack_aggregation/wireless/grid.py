"""Segment, ACKs and control frames at once: which of them explain Tables 4, 5 and 1 together.

`readings` changes one thing at a time, and so may miss what two do together. This is every
combination of those that move the tables: the segment, the receiver's ACKs, how control frames are
sent. What else there is (errors, distance, mode, buffers, windows) stays with `readings`.

Each segment with each kind of ACKs is also put into the wired part's inferred set-up, without its
other settings being changed, and held against Table 1: the same author with the same simulator had
either or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.ack_aggregation import cells as wired
from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.wireless import tables
from acklab.studies.ack_aggregation.wireless.cells import SETTINGS, Wireless, scenario, varied
from acklab.studies.ack_aggregation.wireless.readings import changed
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.values import of_flow

if TYPE_CHECKING:
    import polars as pl

SECONDS = 6
QUICK_SECONDS = 3
#: Bytes. 536 is what the wired part had found, 1448 what the text states.
SEGMENTS = (400, 448, 500, 536, 576, 640, 700, 768, 1024, 1448)
QUICK_SEGMENTS = (536, 640)
ACKS = (1, 2)
#: How control frames are sent: keys of `[wifi]`.
CONTROL: Mapping[str, Mapping[str, Any]] = {
    "MAC ACKs at 24 Mbit/s": {},
    "MAC ACKs at 12 Mbit/s": {"control_rate": "12 Mbit/s"},
    "MAC ACKs at 6 Mbit/s": {"control_rate": "6 Mbit/s"},
    "RTS at 24 Mbit/s": {"rts": "always", "rts_rate": "24 Mbit/s"},
    "RTS at 6 Mbit/s": {"rts": "always", "rts_rate": "6 Mbit/s"},
}
QUICK_CONTROL = ("MAC ACKs at 24 Mbit/s",)
WIRED = "Table 1"
ACK_NAMES = {1: "an ACK per segment", 2: "delayed ACKs"}


def setting(segment: int, acks: int, control: str) -> Wireless:
    """The inferred set-up with another segment, other ACKs and other control frames."""
    stack = {"segment": segment, "segments_per_ack": acks}
    return changed(SETTINGS["thesis"], stack, CONTROL[control])


def cells(effort: Effort) -> list[Cell]:
    """Every combination in every cell of Tables 4 and 5, and every segment and ACK in Table 1's."""
    seconds = QUICK_SECONDS if effort.quick else SECONDS
    segments = QUICK_SEGMENTS if effort.quick else SEGMENTS
    found = [
        Cell(
            {"segment": segment, "acks": acks, "control": control, "cc": cc, name: cell},
            scenario(setting(segment, acks, control), cc, keys, seconds),
            seeds=1,
        )
        for segment in segments
        for acks in ACKS
        for control in (QUICK_CONTROL if effort.quick else CONTROL)
        for cc in PAPER_CONTROLLERS
        for name, cell, keys in varied()
    ]
    return found + [
        Cell(
            {"segment": segment, "acks": acks, "control": WIRED, "cc": cc, "ratio": ratio},
            wired.scenario(_wired(segment, acks), (cc,), ratio, effort) | {"sample_every": "off"},
            seeds=1,
        )
        for segment in segments
        for acks in ACKS
        for cc in PAPER_CONTROLLERS
        for ratio in wired.RATIOS
    ]


def _wired(segment: int, acks: int) -> wired.Setup:
    base = wired.SETUPS["thesis"]
    return replace(base, segment=segment, segments_per_ack=acks, start_jitter="0 s")


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per combination: its distance from Tables 4 and 5, and that of its segment and ACKs
    from Table 1, all cells and by controller; the nearest to Tables 4 and 5 first."""
    import polars as pl

    found: dict[tuple[int, int, str], dict[str, list[float]]] = {}
    for o in outcomes:
        key = (int(o.keys["segment"]), int(o.keys["acks"]), str(o.keys["control"]))
        names = {"distance", str(o.keys["cc"])}
        names |= set() if o.keys["cc"] == "vegas" else {"without_vegas"}
        for name in names:
            found.setdefault(key, {}).setdefault(name, []).append(_off(o))
    columns = ("distance", "without_vegas", *PAPER_CONTROLLERS)
    rows = []
    for (segment, acks, control), off in found.items():
        if control == WIRED:
            continue
        of_wire = found[segment, acks, WIRED]
        rows.append(
            {"segment": segment, "acks": acks, "control": control}
            | {c: fmean(off[c]) for c in columns}
            | {f"table1_{c}": fmean(of_wire[c]) for c in columns}
        )
    return pl.DataFrame(rows).sort("distance")


def _off(o: Outcome) -> float:
    """The cell's relative distance from the thesis's."""
    if "ratio" not in o.keys:
        return tables.distance(o)
    paper = references.paper_throughput(str(o.keys["cc"]), int(o.keys["ratio"])) or 0.0
    return abs(float(of_flow(o.results[0], "goodput_mbps")) - paper) / paper


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """The distance from either part by segment: nearest control frames, either kind of ACKs."""
    import polars as pl

    panels = {
        "without_vegas": "Tables 4 and 5, without Vegas",
        "vegas": "Tables 4 and 5, Vegas",
        "table1_distance": "Table 1, all",
    }
    fig, axes = style.figure(1, len(panels), (11, 3.6), share=False)
    for ax, (column, title) in zip(axes[0], panels.items(), strict=True):
        for i, (acks, name) in enumerate(ACK_NAMES.items()):
            best = table.filter(pl.col("acks") == acks).group_by("segment")
            line = best.agg(pl.col(column).min()).sort("segment")
            look = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
            ax.plot(line["segment"], 100 * line[column], label=name, markersize=5, **look)
        ax.set_title(title)
        ax.set_xlabel("segment, B")
        ax.set_ylim(bottom=0)
    axes[0][0].set_ylabel("mean relative distance, %")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(ACK_NAMES))
    return style.save(fig, stem)


def text(table: pl.DataFrame) -> str:
    """The nearest combinations, and what Table 1 says of them."""
    import polars as pl

    rows = [
        "| segment | ACKs | control frames | Tables 4 and 5 | without Vegas | Vegas | Table 1 |",
        "|--:|---|---|--:|--:|--:|--:|",
    ]
    for r in table.head(10).iter_rows(named=True):
        rows.append(_row(r))
    delayed = table.filter(pl.col("acks") == 2).sort("without_vegas")
    rows.extend(_row(r) for r in delayed.head(5).iter_rows(named=True))
    witness = table.sort("table1_distance").row(0, named=True)
    nearest = table.row(0, named=True)
    return (
        "The ten combinations that are nearest to Tables 4 and 5, and the five nearest without "
        "Vegas that have delayed ACKs:\n\n" + "\n".join(rows) + "\n\n"
        f"Of all {table.height}, Tables 4 and 5 pick {nearest['segment']} B with "
        f"{ACK_NAMES[nearest['acks']]} ({nearest['distance']:.1%}), which is "
        f"{nearest['table1_distance']:.0%} away from Table 1 (BBRv3 {nearest['table1_bbr3']:.0%}, "
        f"NewReno {nearest['table1_newreno']:.0%}, Vegas {nearest['table1_vegas']:.0%}). Table 1 "
        f"picks {witness['segment']} B with {ACK_NAMES[witness['acks']]} "
        f"({witness['table1_distance']:.0%}; BBRv3 {witness['table1_bbr3']:.1%}, NewReno "
        f"{witness['table1_newreno']:.1%}, Vegas {witness['table1_vegas']:.1%})."
    )


def _row(r: Mapping[str, Any]) -> str:
    return (
        f"| {r['segment']} B | {ACK_NAMES[r['acks']]} | {r['control']} | {r['distance']:.1%} | "
        f"{r['without_vegas']:.1%} | {r['vegas']:.1%} | {r['table1_distance']:.0%} |"
    )
