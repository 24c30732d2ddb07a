"""What the paper says of TAC without a figure (III.2): losses, downloads, the timer, errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.tac import tables
from acklab.studies.tac.duplicates import RECORD
from acklab.studies.tac.schemes import filtered
from acklab.studies.tac.setup import Setting, duration
from acklab.studies.tac.stacks import DEFAULT, MODERN, STACKS

if TYPE_CHECKING:
    import polars as pl

#: Values of Te, ms; 5 is the paper's.
TE_MS = (0, 1, 5, 20, 50)
_QUICK_TE_MS = (0, 5, 50)
#: Loss of data packets on the wire.
LOSS = 1e-3
_DOWNLOADS = 10


def te(ms: int) -> str:
    """The name of the case with this timer."""
    return f"tac, Te {ms} ms"


def cases(stack: str, quick: bool) -> Mapping[str, Setting]:
    """By name: what is run."""
    lossy = {"topology": {"wire": {"loss": LOSS}}}
    flow = STACKS[stack].flow(_DOWNLOADS)
    names = [f"sta{i}" for i in range(_DOWNLOADS, 2 * _DOWNLOADS)]
    downloads = [
        {**flow, "name": f"download-{name}", "count": 1, "from": "server", "to": name}
        for name in names
    ]
    both = {"flow": [flow, *downloads]}
    found = {
        "agg, lossy wire": Setting(("agg",), stack=stack, over=lossy),
        "tac, lossy wire": Setting(("tac",), stack=stack, over=lossy),
        "agg, downloads": Setting(("agg",), stack=stack, over=both),
        "tac, downloads": Setting(("tac",), stack=stack, over=both),
        "agg": Setting(("agg",), stack=stack),
    }
    for ms in _QUICK_TE_MS if quick else TE_MS:
        timer = {"wifi": filtered("tac-paper", timeout=f"{ms} ms")}
        found[te(ms)] = Setting(("agg",), stack=stack, over=timer)
    if stack == DEFAULT:
        found["one station, bit errors"] = Setting(stations=1, stack=stack, bit_error_rate=1e-5)
    return found


def cells(effort: Effort) -> list[Cell]:
    """Every case with both TCPs, 20 stations, 16 KB; the case stands in the column of schemes."""
    return [
        Cell(
            {
                "stack": stack,
                "scheme": name,
                "stations": s.stations,
                "kilobytes": s.kilobytes,
                "buffer": s.buffer,
            },
            {**s.scenario(duration(effort)), **(RECORD if "lossy" in name else {})},
        )
        for stack in (DEFAULT, MODERN)
        for name, s in cases(stack, effort.quick).items()
    ]


QUANTITIES = (
    *("jain", "throughput_mbps", "uploads_mbps", "downloads_mbps", "uploads_jain"),
    *("ack_loss_mean", "filtered_share", "queue_wait_ms", "rtt_mean_ms", "rtos"),
    *("retries_share", "retries_share_ap"),
)


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per case and quantity."""
    return tables.of("robust", QUANTITIES)(outcomes)


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Cases by fairness of uploads, throughput and RTT, with both TCPs."""
    shown = {
        "uploads_jain": "Jain's index of uploads",
        "throughput_mbps": "throughput, Mbit/s",
        "rtt_mean_ms": "RTT, ms",
    }
    names = [n for n in table["scheme"].unique(maintain_order=True) if "station" not in n]
    fig, axes = style.figure(1, len(shown), (10.5, 0.28 * len(names) + 1.5), share=False)
    y = list(range(len(names)))[::-1]
    for ax, (quantity, label) in zip(axes[0], shown.items(), strict=True):
        for i, stack in enumerate((DEFAULT, MODERN)):
            of = {
                r["scheme"]: r
                for r in table.filter(stack=stack, quantity=quantity).iter_rows(named=True)
            }
            rows = [of[n] for n in names]
            means = [r["acklab"] for r in rows]
            bars = [
                [_bar(r["acklab"], r["ci_low"]) for r in rows],
                [_bar(r["ci_high"], r["acklab"]) for r in rows],
            ]
            look: Any = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
            line = {"linestyle": "none", "markersize": 4.5, "capsize": 2, "elinewidth": 0.8}
            at = [v + 0.14 * (1 - 2 * i) for v in y]
            ax.errorbar(means, at, xerr=bars, label=STACKS[stack].title, **line, **look)
        ax.set_yticks(y, names if ax is axes[0][0] else [], fontsize=8)
        ax.set_xlabel(label)
        if "jain" not in quantity:
            ax.set_xlim(left=0)
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=2)
    return style.save(fig, stem)


def _bar(high: float | None, low: float | None) -> float:
    """Nothing where one seed gives no interval."""
    if high is None or low is None:
        return 0.0
    half = high - low
    return half if half == half else 0.0
