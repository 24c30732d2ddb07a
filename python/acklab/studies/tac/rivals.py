"""Which of these should I switch on at my access point? The paper's schemes and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acklab.stats import AMOUNT, SHARE, Estimate, estimate
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.tac.quantities import measured
from acklab.studies.tac.schemes import SCHEMES
from acklab.studies.tac.setup import Setting, cell
from acklab.studies.tac.stacks import (
    DEFAULT,
    MODERN,
    SEGMENT,
    STACKS,
    TODAY,
    TODAY_BBR,
    TODAYS_KB,
)

if TYPE_CHECKING:
    import polars as pl

#: With Linux's TCP and the paper's windows; with ns-2's; and as stations are today.
STATIONS = (1, 10, 20, 30)
ENDS = (1, 30)
TODAYS_STATIONS = (1, 5, 30)
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
#: What stations of today are run with, and what of that has RTS/CTS as well.
TODAYS: Sequence[tuple[str, ...]] = (
    *(("agg",), ("deep",), ("diff",), ("rdg",), ("tac-guarded",), ("cake",), ("cake-aggressive",)),
    *(("android-thin",), ("android-replace",), ("per-station",), ("hack",)),
    ("cake", "per-station"),
)
ANNOUNCED: Sequence[tuple[str, ...]] = (
    *(("rts",), ("diff", "rts"), ("rdg", "rts"), ("tac-guarded", "rts"), ("cake", "rts")),
    *(("android-thin", "rts"), ("per-station", "rts"), ("hack", "rts")),
    ("cake", "per-station", "rts"),
)
#: With BBRv3: what an access point can have on its own, and RTS/CTS.
PACED: Sequence[tuple[str, ...]] = (
    *(("agg",), ("tac-guarded",), ("cake",), ("android-thin",), ("per-station",)),
    *(("rts",), ("cake", "rts"), ("per-station", "rts")),
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
QUICK_TODAYS = (("agg",), ("tac-guarded",), ("cake",), ("per-station",), ("rts",))
#: The estimate of a quantity, a scheme and a number of stations.
Found = Callable[[str, str, int], Estimate]
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
    "rts": "AP and stations (a setting)",
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
    "data_share",
    "transport_ack_share",
    "collision_share",
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


def cells(effort: Effort) -> list[Cell]:
    """Every rival with the paper's windows and either TCP, and as stations are today."""

    def of(stack: str, counts: Sequence[int], names: Sequence[tuple[str, ...]]) -> list[Cell]:
        size = TODAYS_KB if stack in (TODAY, TODAY_BBR) else 16
        return [
            cell(Setting(n, stations=k, kilobytes=size, stack=stack), effort)
            for k in counts
            for n in names
        ]

    if effort.quick:
        few = [names for names in FEW if names in QUICK_RIVALS]
        return [
            *of(MODERN, ENDS, QUICK_RIVALS),
            *of(MODERN, FEW_STATIONS, few),
            *of(DEFAULT, ENDS, QUICK_RIVALS),
            *of(TODAY, ENDS, QUICK_TODAYS),
        ]
    return [
        *of(MODERN, STATIONS, RIVALS),
        *of(MODERN, FEW_STATIONS, FEW),
        *of(MODERN, ENDS, ANNOUNCED),
        *of(DEFAULT, ENDS, RIVALS),
        *of(TODAY, TODAYS_STATIONS, (*TODAYS, *ANNOUNCED)),
        *of(TODAY_BBR, TODAYS_STATIONS[-1:], PACED),
    ]


def title(name: str) -> str:
    """Of a scheme, or of several joined by `+`."""
    return " + ".join(SCHEMES[s].title for s in name.split("+"))


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per cell and quantity."""
    import polars as pl

    rows = []
    for o in outcomes:
        # `measured` counts in packets of the paper's size.
        smaller = SEGMENT / STACKS[str(o.keys["stack"])].segment
        for name in QUANTITIES:
            share = name == "jain" or name.endswith("share")
            scale = smaller if name == "packets_per_access" else 1.0
            values = [scale * measured(r)[name] for r in o.results]
            e = estimate(values, within=SHARE if share else AMOUNT)
            row = {**o.keys, "quantity": name, "value": e.mean, "ci_low": e.low}
            rows.append({**row, "ci_high": e.high, "n": e.n})
    return pl.DataFrame(rows, infer_schema_length=None)


def numbers(table: pl.DataFrame, stack: str = MODERN) -> Found:
    """The estimate of a quantity, scheme and number of stations."""
    found = {
        (r["quantity"], r["scheme"], r["stations"]): Estimate(
            r["value"], r["ci_low"], r["ci_high"], r["n"]
        )
        for r in table.filter(stack=stack).iter_rows(named=True)
    }
    return lambda quantity, scheme, stations: found[quantity, scheme, stations]


def schemes(table: pl.DataFrame, stack: str, stations: int, announced: bool) -> list[str]:
    """What was run with so many stations, with RTS/CTS or without."""
    of = table.filter(stack=stack, stations=stations)["scheme"].unique(maintain_order=True)
    return [s for s in of if ("rts" in s.split("+")) == announced]


def with_rts(name: str) -> str:
    """The same with RTS/CTS."""
    return "rts" if name == "agg" else f"{name}+rts"


def to_be_had(name: str) -> bool:
    """Whether somebody ships all of it, for an access point."""
    return not {"tac", "tac-guarded", "hack", "android-thin", "android-replace"} & {
        *name.split("+")
    }
