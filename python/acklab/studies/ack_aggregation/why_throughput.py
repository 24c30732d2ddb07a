"""Where the bottleneck's seconds go: waiting for the handshake, starting, and later.

What a flow does not get of an empty path is the time in which the bottleneck had nothing to send.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.studies.ack_aggregation import traces
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, RATIOS, START_S
from acklab.studies.ack_aggregation.figures import CC_NAMES, STACK_NAMES
from acklab.studies.study import Outcome
from acklab.studies.values import of_flow, once_per_run

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: A flow has started once the bottleneck is busy for so much of so many seconds.
FULL, FULL_S = 0.9, 0.5
#: Below this pacing rate, Mbit/s, a flow is all but standing still.
CRAWL = 1.0


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Idle seconds of the bottleneck by their reason, and how the start went."""
    quantities = {
        "idle_handshake_s": _waiting,
        "idle_start_s": lambda r: traces.idle(r, _first(r), _full(r)),
        "idle_later_s": lambda r: traces.idle(r, max(_first(r), _full(r)), _end(r)),
        "syn_timeouts": _syn_timeouts,
        "first_pacing_mbps": _first_pacing,
        "crawl_s": _crawl,
        "startup_left_s": _startup_left,
        "startup_left_mbps": _startup_left_rate,
        "acked_mbps": lambda r: float(of_flow(r, "acked_mbps")),
    }
    return traces.table(outcomes, quantities)


def _end(r: Result) -> float:
    return START_S + traces.seconds(r)


@once_per_run
def _first(r: Result) -> float:
    """When the first data reached the receiver, s; the end if none did."""
    import polars as pl

    sent = r.acks.filter(pl.col("what") == "sent").head(1)
    if sent.is_empty():
        return _end(r)
    return float(sent["time_s"][0]) - float(sent["delay_s"][0] or 0.0)


@once_per_run
def _full(r: Result) -> float:
    """When the bottleneck was first busy for half a second; the end if it never was."""
    import polars as pl

    bins = (
        traces.busy(r)
        .group_by(((pl.col("time_s") - START_S - 1e-6) / FULL_S).floor().alias("b"))
        .agg(pl.col("busy").sum())
        .filter((pl.col("b") >= 0) & (pl.col("busy") >= FULL * FULL_S))
    )
    return _end(r) if bins.is_empty() else START_S + float(bins["b"].min()) * FULL_S  # type: ignore[arg-type]


def _waiting(r: Result) -> float:
    return min(_first(r), _end(r)) - START_S


def _syn_timeouts(r: Result) -> float:
    import polars as pl

    timeouts = r.events.filter(pl.col("event") == "rto")
    return float((timeouts["time_s"] < _first(r) + 1e-3).sum())


@once_per_run
def _pacing(r: Result) -> pl.DataFrame:
    import polars as pl

    return r.series.filter((pl.col("time_s") > _first(r)) & pl.col("pacing_mbps").is_not_null())


def _first_pacing(r: Result) -> float | None:
    rates = _pacing(r)["pacing_mbps"]
    return None if rates.is_empty() else float(rates[0])


def _crawl(r: Result) -> float:
    """Seconds after the first data in which the flow paced below `CRAWL`."""
    import polars as pl

    paced = _pacing(r)
    step = float(r.series["time_s"].diff().median() or 0.0)  # type: ignore[arg-type]
    return paced.filter(pl.col("pacing_mbps") < CRAWL).height * step


def _left(r: Result) -> float | None:
    """When the flow last left slow start or STARTUP, s."""
    import polars as pl

    states = r.events.filter(pl.col("event") == "state")
    left = states.filter(~pl.col("cause").is_in(["STARTUP", "PROBE_RTT", "slow_start"]))["time_s"]
    return None if left.is_empty() else float(left[0])


def _startup_left(r: Result) -> float | None:
    at = _left(r)
    return None if at is None else at - START_S


def _startup_left_rate(r: Result) -> float | None:
    """The delivery rate that the controller had seen then, Mbit/s."""
    import polars as pl

    at = _left(r)
    if at is None:
        return None
    rates = r.series.filter((pl.col("time_s") <= at) & pl.col("delivery_mbps").is_not_null())
    return None if rates.is_empty() else float(rates["delivery_mbps"][-1])


PARTS = {
    "idle_handshake_s": "until the first data",
    "idle_start_s": "from then until the link is full",
    "idle_later_s": "after that",
}


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Stacked bars: a panel per set-up and controller, a bar per ratio (seed 1)."""
    import polars as pl

    fig, axes = style.figure(len(STACK_NAMES), len(PAPER_CONTROLLERS), (10, 6.6))
    for row, stack in zip(axes, STACK_NAMES, strict=True):
        for ax, cc in zip(row, PAPER_CONTROLLERS, strict=True):
            if stack == next(iter(STACK_NAMES)):
                ax.set_title(CC_NAMES[cc])
            rows = table.filter(stack=stack, cc=cc, seed=1)
            shown = [r for r in RATIOS if r in set(rows["ratio"])]
            below = [0.0] * len(shown)
            for i, (part, label) in enumerate(PARTS.items()):
                of = rows.filter(pl.col("quantity") == part)
                values = dict(zip(of["ratio"], of["value"], strict=True))
                heights = [values[r] for r in shown]
                look = {"color": style.CATEGORICAL[i], "hatch": style.HATCHES[i]}
                x = [RATIOS.index(r) for r in shown]
                ax.bar(x, heights, 0.7, below, label=label, edgecolor="white", **look)
                below = [b + h for b, h in zip(below, heights, strict=True)]
            ax.set_xticks(range(len(RATIOS)), [f"{r}:1" for r in RATIOS])
        row[0].set_ylim(0, 1.06 * max(ax.dataLim.ymax for ax in row))
    names = [f"{name}\nidle, s" for name in STACK_NAMES.values()]
    style.label_outer(axes, "ACKs aggregated", names)
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=3)
    style.footer(fig, traces.provenance(table.filter(seed=1)))
    return style.save(fig, stem)
