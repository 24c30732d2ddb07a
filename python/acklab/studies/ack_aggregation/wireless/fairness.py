"""Fairness under MAC aggregation: 2 to 16 stations with an upload each, and as many over one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import acklab.studies.ack_aggregation.wireless.fairness_text as words
from acklab.metrics import jain_index
from acklab.plots import style
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.wireless import wlan
from acklab.studies.ack_aggregation.wireless.wlan import Numbers
from acklab.studies.study import Cell, Effort, Outcome

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from acklab.results import Result

SECONDS = 8
QUICK_SECONDS = 3
COUNTS = (2, 4, 8, 16)
QUICK_COUNTS = (2, 8)
HOWS = ("none", "ampdu", "both")
QUICK_HOWS = ("none", "ampdu")
#: Half of the flows BBRv3, half CUBIC.
MIXED = "mixed"
NAMES = {**{cc: CC_NAMES[cc] for cc in PAPER_CONTROLLERS}, MIXED: "BBRv3 and CUBIC"}
QUICK_CONTROLLERS = ("bbr3", "cubic", MIXED)
LAYOUTS = {"stations": "a station each", "flows": "all from one station"}


def controllers(cc: str, count: int) -> list[str]:
    """Those of `count` flows; mixed ones take turns."""
    return [("bbr3", "cubic")[i % 2] if cc == MIXED else cc for i in range(count)]


def _goodputs(r: Result) -> list[float]:
    return [float(v) for v in r.flows["goodput_mbps"]]


def _of_stations(r: Result, column: str, per: str | None = None) -> float | None:
    """Jain's index over stations of a count, or of one count per another."""
    sent = wlan.senders(r)
    if sent.height < 2:
        return None
    values = sent[column] if per is None else sent[column] / sent[per].clip(1)
    return jain_index([float(v) for v in values])


def _bbr3_share(r: Result) -> float | None:
    """What BBRv3 has of the sum, if there are others."""
    mine = [g for cc, g in zip(r.flows["cc"], _goodputs(r), strict=True) if cc == "bbr3"]
    return None if len(mine) in (0, r.flows.height) else sum(mine) / max(sum(_goodputs(r)), 1e-9)


QUANTITIES: Mapping[str, wlan.Quantity] = {
    "goodput_mbps": lambda r: sum(_goodputs(r)),
    "jain": lambda r: jain_index(_goodputs(r)),
    "worst_mbps": lambda r: min(_goodputs(r)),
    "bbr3_share": _bbr3_share,
    "jain_accesses": partial(_of_stations, column="data_ppdus"),
    "jain_mpdus_per_ppdu": partial(_of_stations, column="mpdus", per="data_ppdus"),
    "mpdus_per_ppdu": wlan.mpdus_per_ppdu,
    "collision_share": partial(wlan.share, use="collision"),
    "retries_share": wlan.retries_share,
    "ack_drops": wlan.ack_drops,
    "queue_drops": lambda r: float(wlan.senders(r)["drops_queue_full"].sum()),
    "retransmitted_share": wlan.retransmitted_share,
    "rtt_p95_ms": lambda r: fmean(r.flows["rtt_p95_ms"].drop_nulls().to_list()),
}


def cells(effort: Effort) -> list[Cell]:
    """Every layout, number of flows, controller and way of aggregating."""
    seconds = QUICK_SECONDS if effort.quick else SECONDS
    return [
        Cell(
            {"layout": layout, "flows": count, "cc": cc, "aggregation": how},
            wlan.scenario(
                controllers(cc, count),
                wlan.CHANNELS[how],
                seconds,
                stations=1 if layout == "flows" else None,
            ),
        )
        for layout in LAYOUTS
        for count in (QUICK_COUNTS if effort.quick else COUNTS)
        for cc in (QUICK_CONTROLLERS if effort.quick else NAMES)
        for how in (QUICK_HOWS if effort.quick else HOWS)
    ]


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per cell and quantity."""
    return wlan.table(outcomes, QUANTITIES)


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Jain's index without aggregation and with A-MPDU, and the sum, by number of flows."""
    found = Numbers(table)
    panels = (
        ("jain", "none", "Jain's index, no aggregation"),
        ("jain", "ampdu", "Jain's index, A-MPDU"),
        ("goodput_mbps", "ampdu", "sum of the goodputs, A-MPDU, Mbit/s"),
    )
    fig, axes = style.figure(len(LAYOUTS), len(panels), (11, 5.6), share=False)
    for line, (layout, name) in zip(axes, LAYOUTS.items(), strict=True):
        for ax, (quantity, how, title) in zip(line, panels, strict=True):
            _lines(ax, found, quantity, layout, how)
            if layout == next(iter(LAYOUTS)):
                ax.set_title(title)
        line[0].set_ylabel(name)
    for ax in axes[-1]:
        ax.set_xlabel("flows")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(NAMES))
    return style.save(fig, stem)


def _lines(ax: Axes, found: Numbers, quantity: str, layout: str, how: str) -> None:
    """A line per controller, with intervals."""
    counts = found.values["flows"]
    for i, cc in enumerate(found.values["cc"]):
        es = [found(quantity, layout, n, cc, how) for n in counts]
        ax.errorbar(
            [p + 0.07 * (i - 2) for p in range(len(counts))],
            [e.mean for e in es],
            yerr=[[_bar(e.mean - e.low) for e in es], [_bar(e.high - e.mean) for e in es]],
            marker=style.MARKERS[i],
            markersize=4,
            capsize=2,
            elinewidth=0.8,
            label=NAMES[cc],
            **style.line(i),
        )
    ax.set_xticks(range(len(counts)), [f"{n}" for n in counts])
    if quantity == "jain":
        ax.set_ylim(0.35, 1.03)
    else:
        ax.set_ylim(0, 57)


def _bar(half: float) -> float:
    """Nothing where one seed gives no interval."""
    return half if half == half else 0.0


text = words.text
