"""Interference: a second station that sends all it can, within hearing or hidden; RTS or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.metrics import jain_index
from acklab.plots import style
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.wireless import interference_text, wlan
from acklab.studies.ack_aggregation.wireless.wlan import Numbers
from acklab.studies.study import Cell, Effort, Outcome

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from acklab.results import Result

SECONDS = 5
QUICK_SECONDS = 3
QUICK_CONTROLLERS = ("cubic",)
#: Of these the figure has a row each, if they were run.
DRAWN = ("cubic", "bbr3")

SIZES = {
    "none": ({"ampdu": "off", "amsdu": "off"}, "none"),
    "amsdu": (wlan.CHANNELS["amsdu"], "A-MSDU"),
    "ampdu-8k": ({"ampdu": "8192 B", "amsdu": "off"}, "A-MPDU\n8 KB"),
    "ampdu": (wlan.CHANNELS["ampdu"], "A-MPDU\n64 KB"),
}
#: Stations, and more keys of `[wifi]`.
NEIGHBOURS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "alone": (1, {}),
    "heard": (2, {}),
    "hidden": (2, {"hidden": [["sta0", "sta1"]]}),
}
NEIGHBOUR_NAMES = {
    "alone": "one station",
    "heard": "two that hear each other",
    "hidden": "two hidden from each other",
}
RTS = ("off", "always")


def _rates(r: Result) -> list[float]:
    return [float(v) for v in r.flows["goodput_mbps"]]


QUANTITIES: Mapping[str, wlan.Quantity] = {
    "goodput_mbps": lambda r: sum(_rates(r)),
    "worse_mbps": lambda r: min(_rates(r)),
    "jain": lambda r: jain_index(_rates(r)) if len(_rates(r)) > 1 else None,
    "retries_share": wlan.retries_share,
    "collision_share": partial(wlan.share, use="collision"),
    "control_share": partial(wlan.share, use="control"),
    "given_up_share": wlan.given_up_share,
    "retransmitted_share": wlan.retransmitted_share,
    "timeouts": lambda r: float(r.flows["rtos"].sum()),
    "mpdus_per_ppdu": wlan.mpdus_per_ppdu,
    "rtt_p95_ms": lambda r: max(r.flows["rtt_p95_ms"].drop_nulls(), default=None),
}


def cells(effort: Effort) -> list[Cell]:
    """Every controller, way of aggregating and neighbour, with RTS and without."""
    seconds = QUICK_SECONDS if effort.quick else SECONDS
    return [
        Cell(
            {"cc": cc, "aggregation": how, "neighbour": neighbour, "rts": rts},
            wlan.scenario([cc] * stations, {**keys, **more, "rts": rts}, seconds),
        )
        for cc in (QUICK_CONTROLLERS if effort.quick else PAPER_CONTROLLERS)
        for how, (keys, _) in SIZES.items()
        for neighbour, (stations, more) in NEIGHBOURS.items()
        for rts in RTS
    ]


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per cell and quantity."""
    return wlan.table(outcomes, QUANTITIES)


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Goodput of the worse station on that of the better, without RTS and with it."""
    found = Numbers(table)
    controllers = [cc for cc in DRAWN if cc in found.values["cc"]]
    size = (10, 1.3 + 2.5 * len(controllers))
    fig, axes = style.figure(len(controllers), len(NEIGHBOURS), size)
    for line, cc in zip(axes, controllers, strict=True):
        for ax, (neighbour, name) in zip(line, NEIGHBOUR_NAMES.items(), strict=True):
            _bars(ax, found, cc, neighbour)
            if cc == controllers[0]:
                ax.set_title(name)
        line[0].set_ylim(0, 60)
        line[0].set_ylabel(f"{CC_NAMES[cc]}\ngoodput, Mbit/s")
    fig.legend(handles=_handles(), loc="outside upper center", ncols=4, fontsize=8)
    return style.save(fig, stem)


def _bars(ax: Axes, found: Numbers, cc: str, neighbour: str) -> None:
    """Two bars by way of aggregating; on each the sum."""
    for i, rts in enumerate(RTS):
        at = [p + 0.4 * (i - 0.5) for p in range(len(SIZES))]
        total = [found("goodput_mbps", cc, how, neighbour, rts) for how in SIZES]
        worse = [found.mean("worse_mbps", cc, how, neighbour, rts) for how in SIZES]
        if neighbour == "alone":
            worse = [0.0] * len(SIZES)
        better = [t.mean - w for t, w in zip(total, worse, strict=True)]
        for part, below, alpha in ((worse, None, 1.0), (better, worse, 0.45)):
            ax.bar(at, part, 0.36, bottom=below, alpha=alpha, **_look(i))
        marked = total
        if neighbour != "alone":
            marked = total + [found("worse_mbps", cc, how, neighbour, rts) for how in SIZES]
        for x, e in zip(at * 2, marked, strict=False):
            ax.plot([x, x], [max(e.low, 0), e.high], color="black", linewidth=0.9)
        for x, t in zip(at, total, strict=True):
            ax.annotate(f"{t.mean:.0f}", (x, max(t.high, t.mean) + 0.8), ha="center", fontsize=7.5)
    ax.set_xticks(range(len(SIZES)), [name for _, name in SIZES.values()], fontsize=8)
    ax.grid(visible=False, axis="x")


def _look(rts: int) -> dict[str, Any]:
    """Bars with RTS are hatched, too, for readers in grey."""
    hatch = style.HATCHES[rts]
    return {"facecolor": style.CATEGORICAL[rts], "hatch": hatch, "edgecolor": "white", "lw": 0}


def _handles() -> list[Any]:
    from matplotlib.patches import Patch

    return [
        Patch(alpha=alpha, label=f"{rts}, {station} station", **_look(i))
        for i, rts in enumerate(("no RTS", "RTS/CTS"))
        for alpha, station in ((0.45, "better or only"), (1.0, "worse"))
    ]


text = interference_text.text
