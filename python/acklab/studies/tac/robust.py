"""What the paper says without a figure (II to IV.1): losses, downloads, the timer, errors, bursts.

The cases of section III.2 are runs as those of the figures. Others are watched closely: they record
PPDUs, ACKs or windows, for 20 s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.tac import delays, gaps, growth, on_air, tables
from acklab.studies.tac.duplicates import RECORD
from acklab.studies.tac.quantities import measured
from acklab.studies.tac.schemes import filtered
from acklab.studies.tac.setup import Setting, duration
from acklab.studies.tac.stacks import DEFAULT, MODERN, STACKS

if TYPE_CHECKING:
    import polars as pl

#: Values of Te, ms; 5 is the paper's.
TE_MS = (0, 1, 5, 20, 50)
_QUICK_TE_MS = (0, 5, 50)
#: Section IV.3.
BIT_ERROR_RATE = 1e-5
#: Loss of data packets on the wire.
LOSS = 1e-3
_DOWNLOADS = 10
#: Of the cases that are watched.
WATCHED_SECONDS = 20
#: Values of Te with which the delay of RACKs is measured, ms: the paper's, and a large one.
DELAYED_TE_MS = (5, 50)
ERRORS, GRANTS, GAPS, WINDOWS = (
    "one station, bit errors",
    "rdg, reverse opportunities",
    "agg, gaps between ACKs",
    "agg, windows in slow start",
)
#: Section II: instead of A-MPDUs the longest A-MSDU of 802.11n.
AMSDU = "agg, A-MSDU, bit errors"


def te(ms: int) -> str:
    """The name of the case with this timer."""
    return f"tac, Te {ms} ms"


def alone(ms: int) -> str:
    """The same with a single station."""
    return f"one station, {te(ms)}"


def delayed(ms: int) -> str:
    """The name of the case in which the delay of RACKs is measured."""
    return f"delay of RACKs, {te(ms)}"


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
        timer = _timer(ms)
        found[te(ms)] = Setting(("agg",), stack=stack, over=timer)
        found[alone(ms)] = Setting(("agg",), stations=1, stack=stack, over=timer)
    msdu = {"wifi": {"ampdu": "off", "amsdu": "7935 B"}}
    found[AMSDU] = Setting(("agg",), stack=stack, bit_error_rate=BIT_ERROR_RATE, over=msdu)
    return found


def _timer(ms: int) -> dict[str, Any]:
    return {"wifi": filtered("tac-paper", timeout=f"{ms} ms")}


def watched(stack: str) -> list[tuple[str, Setting, Mapping[str, Any]]]:
    """What is watched closely: the case, how it is run, and what it records."""
    counts = [Setting(("agg",), stations=n, stack=stack) for n in (5, 20, 30)]
    sizes = [Setting(("agg",), kilobytes=k, stack=stack) for k in (1, 32)]
    grants = [Setting(("rdg",), stations=n, stack=stack) for n in (1, 5, 20)]
    single = Setting(stations=1, stack=stack, bit_error_rate=BIT_ERROR_RATE)
    held = [
        (delayed(ms), Setting(("agg",), stations=n, stack=stack, over=_timer(ms)))
        for ms in DELAYED_TE_MS
        for n in (1, 5, 20)
    ]
    return [
        *((GAPS, s, gaps.record(s.stations)) for s in counts),
        *((WINDOWS, s, growth.RECORD) for s in sizes),
        *((GRANTS, s, on_air.RECORD) for s in grants),
        *((name, s, delays.record(s.stations)) for name, s in held),
        *([(ERRORS, single, on_air.RECORD)] if stack == DEFAULT else []),
    ]


def cells(effort: Effort) -> list[Cell]:
    """Every case with both TCPs; the case stands in the column of schemes."""
    seconds, found = duration(effort), []
    for stack in (DEFAULT, MODERN):
        found += [
            Cell(_keys(name, s), {**s.scenario(seconds), **(RECORD if "lossy" in name else {})})
            for name, s in cases(stack, effort.quick).items()
        ]
        found += [
            Cell(_keys(name, s), {**s.scenario(min(seconds, WATCHED_SECONDS)), **record})
            for name, s, record in watched(stack)
        ]
    return found


def _keys(name: str, s: Setting) -> dict[str, str | int]:
    return {
        "stack": s.stack,
        "scheme": name,
        "stations": s.stations,
        "kilobytes": s.kilobytes,
        "buffer": s.buffer,
    }


QUANTITIES = (
    *("jain", "throughput_mbps", "uploads_mbps", "downloads_mbps", "uploads_jain"),
    *("ack_loss_mean", "filtered_share", "queue_wait_ms", "rtt_mean_ms", "rtos"),
    *("retries_share", "retries_share_ap"),
)
#: What the watched cases tell, each of its own.
SEEN = (
    *("errors_share", "errors_share_ap", "collided_share_ap", "reverse_wasted_share"),
    *("gap_mean_ms", "gap_least_ms", "gaps_below_link_share", "gaps_beyond_rtt_share"),
    *("gaps_within_te_share", "gaps_between_beyond_rtt_share", "growth_per_ack_few"),
    *("growth_per_ack_many", "growth_packets_per_s", "rack_delay_ms"),
)


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per case and quantity."""
    import polars as pl

    found = [tables.of("robust", QUANTITIES)(outcomes)]
    for o in outcomes:
        told = [q for q in SEEN if all(q in measured(r) for r in o.results)]
        if told:
            found.append(tables.of("robust", told)([o]))
    return pl.concat(found)


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Cases by fairness of uploads, throughput and RTT, with both TCPs."""
    shown = {
        "uploads_jain": "Jain's index of uploads",
        "throughput_mbps": "throughput, Mbit/s",
        "rtt_mean_ms": "RTT, ms",
    }
    apart = (ERRORS, GRANTS, GAPS, WINDOWS, *map(delayed, DELAYED_TE_MS))
    names = [n for n in table["scheme"].unique(maintain_order=True) if n not in apart]
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
