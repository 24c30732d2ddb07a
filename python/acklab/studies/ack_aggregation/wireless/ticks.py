"""Vegas in the inferred set-up, by the instant of its start within a tick of ns-3's clock.

ns-3's RTT samples are whole milliseconds, and its Vegas takes the smallest smoothed RTT ever as
its base. Where the start lies between two ticks decides how the first samples are rounded, hence
the base, hence the window at which Vegas rests: for the whole run.

In ns-3 there is ARP before the handshake, so that the first sample, the SYN's, is 12 ms instead of
8: the smoothed RTT never comes down to the path's, and Vegas rests high whatever its start. With
neighbours known from the start ns-3 has acklab's two levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.studies.ack_aggregation.wireless import references
from acklab.studies.ack_aggregation.wireless.cells import AGGREGATIONS, SETTINGS, scenario
from acklab.studies.ack_aggregation.wireless.figures import AGGREGATION_NAMES
from acklab.studies.study import Cell, Effort, Outcome

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

SECONDS = 10
QUICK_SECONDS = 3
#: Between starts, us.
STEP = 50
QUICK_STEP = 150
#: ns-3's clock of TCP timestamps.
TICK = 1000

#: Columns read from a run's flow, with their labels.
SHOWN = {
    "goodput_mbps": "goodput, Mbit/s",
    "rtt_min_ms": "smallest smoothed RTT, ms",
}


def cells(effort: Effort) -> list[Cell]:
    """Every way of aggregating at every start; one seed, as nothing else is drawn but backoff."""
    setting = SETTINGS["thesis"]
    sharp = replace(setting, stack=replace(setting.stack, start_jitter="0 s"))
    seconds = QUICK_SECONDS if effort.quick else SECONDS
    return [
        Cell(
            {"aggregation": how, "start_us": late},
            scenario(replace(sharp, late_us=late), "vegas", keys, seconds),
            seeds=1,
        )
        for how, keys in AGGREGATIONS.items()
        for late in range(0, TICK, QUICK_STEP if effort.quick else STEP)
    ]


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per start: goodput, smallest RTT and window of the only run."""
    import polars as pl

    columns = (*SHOWN, "cwnd_mean_packets")
    rows = []
    for o in outcomes:
        paper = references.paper("vegas", str(o.keys["aggregation"]))
        flow = o.results[0].flows
        rows.append({**o.keys, "paper": paper, **{c: flow[c][0] for c in columns}})
    return pl.DataFrame(rows)


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Goodput above, the smallest RTT below, against the start."""
    fig, axes = style.figure(len(SHOWN), len(AGGREGATION_NAMES), (11, 4.8))
    for row, column in zip(axes, SHOWN, strict=True):
        for ax, (how, name) in zip(row, AGGREGATION_NAMES.items(), strict=True):
            line = table.filter(aggregation=how)
            look = {"marker": "o", "markersize": 3.5, "label": "acklab", **style.line(0)}
            ax.plot(line["start_us"], line[column], **look)
            if column == "goodput_mbps":
                ax.set_title(name)
                ax.axhline(line["paper"][0], color="black", linewidth=1.2, label="thesis")
                _beside(ax, how)
    axes[0][0].set_ylim(bottom=0)
    style.label_outer(axes, "start after a tick, us", list(SHOWN.values()))
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=4)
    return style.save(fig, stem)


def _beside(ax: Axes, how: str) -> None:
    """What ns-3.44 has."""
    looks = {True: ("x", 1, "ns-3.44"), False: ("s", 2, "ns-3.44, neighbours known (no ARP)")}
    for arp, (marker, colour, label) in looks.items():
        starts, goodputs = zip(*references.vegas_by_start(how, arp=arp), strict=True)
        ax.plot(
            starts,
            goodputs,
            linestyle="none",
            marker=marker,
            markersize=4.5,
            markerfacecolor="none",
            color=style.CATEGORICAL[colour],
            label=label,
        )
