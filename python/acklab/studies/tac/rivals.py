"""Which of these should I switch on at my access point? The paper's schemes and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.stats import AMOUNT, SHARE, Estimate, estimate
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.tac.quantities import measured
from acklab.studies.tac.schemes import SCHEMES
from acklab.studies.tac.setup import Setting, cell
from acklab.studies.tac.stacks import DEFAULT, MODERN

if TYPE_CHECKING:
    import polars as pl

STATIONS = (1, 10, 20, 30)
QUICK_STATIONS = (1, 30)
STACKS = (MODERN, DEFAULT)
#: One by one, and the pairs that make sense together.
RIVALS: Sequence[tuple[str, ...]] = (
    ("agg",),
    ("deep",),
    ("diff",),
    ("rdg",),
    ("tac",),
    ("tac-guarded",),
    ("cake",),
    ("cake-aggressive",),
    ("android-thin",),
    ("android-replace",),
    ("per-station",),
    ("hack",),
    ("delayed",),
    ("byte-counting",),
    ("tac-guarded", "diff"),
    ("tac-guarded", "rdg"),
    ("tac-guarded", "per-station"),
    ("cake", "per-station"),
)
#: With few stations, of those that an access point can have on its own; Linux's TCP.
FEW_STATIONS = (2, 3, 5)
FEW: Sequence[tuple[str, ...]] = (
    ("agg",),
    ("tac-guarded",),
    ("cake",),
    ("per-station",),
    ("cake", "per-station"),
)
QUICK_RIVALS = (("agg",), ("tac-guarded",), ("android-replace",), ("per-station",))
#: What must be changed for it: the access point, the stations as well, or the servers.
WHERE = {
    "agg": "nothing",
    "deep": "AP",
    "diff": "AP",
    "rdg": "AP and stations (MAC)",
    "tac": "AP",
    "tac-guarded": "AP",
    "cake": "AP",
    "cake-aggressive": "AP",
    "android-thin": "AP",
    "android-replace": "AP",
    "per-station": "AP",
    "hack": "AP and stations (MAC)",
    "delayed": "every server",
    "byte-counting": "every server",
}
QUANTITIES = (
    "jain",
    "worst_share",
    "throughput_mbps",
    "ack_airtime_ms_per_mb",
    "queue_wait_ms",
    "rtt_mean_ms",
    "ack_loss_mean",
    "filtered_share",
    "failed_share",
    "idle_share",
    "packets_per_access",
    "mpdus_per_ppdu",
    "segments_per_ack",
    "accesses_per_s",
    "accesses_per_s_ap",
    "rtos",
    "retransmissions",
    "duplicate_share",
)
_SHOWN: Mapping[str, str] = {
    "jain": "Jain's index",
    "throughput_mbps": "throughput, Mbit/s",
    "ack_airtime_ms_per_mb": "airtime of ACKs, ms per MB",
    "queue_wait_ms": "wait in the AP, ms",
}


def cells(effort: Effort) -> list[Cell]:
    """Every rival, with both TCPs, and some of them with few stations."""
    found = [
        cell(Setting(names, stations=n, stack=stack), effort)
        for stack in STACKS
        for n in (QUICK_STATIONS if effort.quick else STATIONS)
        for names in (QUICK_RIVALS if effort.quick else RIVALS)
    ]
    return found + [
        cell(Setting(names, stations=n, stack=MODERN), effort)
        for n in FEW_STATIONS
        for names in FEW
        if not effort.quick or names in QUICK_RIVALS
    ]


def title(name: str) -> str:
    """Of a scheme, or of several joined by `+`."""
    return " + ".join(SCHEMES[s].title for s in name.split("+"))


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per cell and quantity."""
    import polars as pl

    rows = []
    for o in outcomes:
        for name in QUANTITIES:
            share = name == "jain" or name.endswith("share")
            e = estimate([measured(r)[name] for r in o.results], within=SHARE if share else AMOUNT)
            row = {**o.keys, "quantity": name, "value": e.mean, "ci_low": e.low}
            rows.append({**row, "ci_high": e.high, "n": e.n})
    return pl.DataFrame(rows, infer_schema_length=None)


def numbers(table: pl.DataFrame, stack: str = MODERN) -> Callable[[str, str, int], Estimate]:
    """The estimate of a quantity, scheme and number of stations."""
    found = {
        (r["quantity"], r["scheme"], r["stations"]): Estimate(
            r["value"], r["ci_low"], r["ci_high"], r["n"]
        )
        for r in table.filter(stack=stack).iter_rows(named=True)
    }
    return lambda quantity, scheme, stations: found[quantity, scheme, stations]


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """A row per scheme, a panel per quantity, a mark per number of stations; Linux's TCP."""
    of = table.filter(stack=MODERN)
    names = of["scheme"].unique(maintain_order=True).to_list()
    counts = [n for n in of["stations"].unique(maintain_order=True) if n not in FEW_STATIONS]
    found = numbers(table)
    fig, axes = style.figure(1, len(_SHOWN), (12.5, 0.3 * len(names) + 1.4), share=False)
    y = list(range(len(names)))[::-1]
    for ax, (quantity, label) in zip(axes[0], _SHOWN.items(), strict=True):
        for i, n in enumerate(counts):
            es = [found(quantity, name, n) for name in names]
            bars = [[_bar(e.mean - e.low) for e in es], [_bar(e.high - e.mean) for e in es]]
            look: Any = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
            at = [v + 0.18 * ((len(counts) - 1) / 2 - i) for v in y]
            line = {"linestyle": "none", "markersize": 4.5, "capsize": 2, "elinewidth": 0.8}
            means = [e.mean for e in es]
            ax.errorbar(
                means, at, xerr=bars, label=f"{n} station{'s' if n > 1 else ''}", **line, **look
            )
        ax.set_yticks(y, [title(n) for n in names] if ax is axes[0][0] else [], fontsize=8)
        ax.set_xlabel(label)
        if quantity != "jain":
            ax.set_xlim(left=0)
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(counts))
    return style.save(fig, stem)


def _bar(half: float) -> float:
    return half if half == half else 0.0
