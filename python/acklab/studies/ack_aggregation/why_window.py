"""How windows grow and shrink: CUBIC by the clock, NewReno of ns-3 by the ACK."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.ack_aggregation import traces
from acklab.studies.ack_aggregation.cells import RATIOS, START_S
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.study import Outcome
from acklab.studies.values import of_flow

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from acklab.results import Result

CONTROLLERS = ("cubic", "newreno")
#: Only with loss there are cycles.
STACKS = {"ns3": "as stated, ns-3 stack", "linux": "as stated, Linux stack"}
#: The excerpt that is drawn, s, and its ratios.
EXCERPT_S = (10.0, 35.0)
#: ns-3 leaves recovery and enters it again for what else was lost; within so many seconds, though
#: a cycle takes longer.
SAME_S = 1.0
DRAWN = (1, 8)


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Cycles, growth and the lowest window of CUBIC and NewReno."""
    quantities = {
        "cycle_s": _cycle,
        "cuts": _cuts,
        "growth_packets_per_s": _growth,
        "lowest_packets": _lowest,
        "needed_packets": _needed,
        "idle_later_s": lambda r: traces.idle(r, traces.SETTLED_S, START_S + traces.seconds(r)),
        "highest_queue": _queue,
        "reductions": lambda r: float(traces.settled(_reductions(r)).height),
    }
    mine = [o for o in outcomes if o.keys["cc"] in CONTROLLERS]
    numbers = traces.table(mine, quantities)
    drawn = [o for o in mine if o.keys["stack"] in STACKS and o.keys["ratio"] in DRAWN]
    return numbers.vstack(traces.table(drawn, {}, {"cwnd_packets": _excerpt}))


def _reductions(r: Result) -> pl.DataFrame:
    import polars as pl

    return r.events.filter(pl.col("event") == "recovery_enter")


def _overflows(r: Result) -> pl.Series:
    """When the queue overflowed after the start, s: reductions soon after each other are of one."""
    import polars as pl

    at = traces.settled(_reductions(r))
    return at.filter((pl.col("time_s").diff() > SAME_S).fill_null(True))["time_s"]


def _cycle(r: Result) -> float | None:
    """Mean time between overflows, s."""
    return traces.mean(_overflows(r).diff())


def _cuts(r: Result) -> float | None:
    """Reductions per overflow."""
    times = _overflows(r).len()
    return traces.settled(_reductions(r)).height / times if times else None


def _windows(r: Result) -> pl.DataFrame:
    return traces.settled_series(r)


def _growth(r: Result) -> float | None:
    """Packets by which the window grows per second, its reductions left out."""
    import polars as pl

    steps = _windows(r).select(pl.col("cwnd_packets").diff().alias("by"), pl.col("time_s").diff())
    # A reduction and the recovery after it take a few samples, each of which changes much.
    calm = steps.filter(pl.col("by").abs() <= 4)
    time = float(calm["time_s"].sum())
    return float(calm["by"].sum()) / time if time > 0 else None


def _lowest(r: Result) -> float | None:
    """The window's lowest hundredth, packets."""
    w = _windows(r)["cwnd_packets"].quantile(0.01)
    return None if w is None else float(w)


def _needed(r: Result) -> float | None:
    """The window that fills the link without a queue, packets, ACKs held as they are.

    None without an RTT: the flow never got an answer to data.
    """
    import polars as pl

    least = of_flow(r, "rtt_min_ms")
    if least is None:
        return None
    held = traces.settled(r.acks.filter(pl.col("what") == "received"))
    per_ack = traces.mean(held["segments"]) or 1.0
    link = r.links.filter(pl.col("link") == traces.DATA)
    packet_s = float(link["bytes_out"][0]) / float(link["packets_out"][0]) * 8 / traces.RATE
    # The first segment of an ACK waits for the others' way through the bottleneck.
    rtt = float(least) / 1e3 + packet_s * per_ack
    return rtt / packet_s


def _queue(r: Result) -> float:
    import polars as pl

    return float(r.links.filter(pl.col("link") == traces.DATA)["queue_max_packets"][0])


def _excerpt(r: Result) -> list[traces.Line]:
    import polars as pl

    since, until = EXCERPT_S
    at = pl.col("time_s") - START_S
    some = r.series.filter(at.is_between(since, until))
    return list(some.select(at.round(3).alias("t"), "cwnd_packets").iter_rows())


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """An excerpt of windows, then time between reductions and growth against the ratio."""
    fig, axes = style.figure(2, 4, (11, 5.4), share=False)
    for col, (stack, name) in enumerate(STACKS.items()):
        for i, cc in enumerate(CONTROLLERS):
            ax = axes[0][2 * col + i]
            ax.set_title(f"{CC_NAMES[cc]}, {name.removeprefix('as stated, ')}")
            for j, ratio in enumerate(DRAWN):
                of = table.filter(stack=stack, cc=cc, ratio=ratio, quantity="cwnd_packets")
                ax.plot(of["time_s"], of["value"], label=f"{ratio}:1", **style.line(j))
            ax.set_ylim(0, 110)
            ax.set_xlabel("time, s")
    axes[0][0].set_ylabel("cwnd, packets")
    for ax, (quantity, y) in zip(axes[1], SHOWN.items(), strict=True):
        _against_ratio(ax, table, quantity)
        ax.set_title(y)
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right upper", title="ACKs\naggregated")
    handles, labels = axes[1][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right lower")
    style.footer(fig, traces.provenance(table))
    return style.save(fig, stem)


SHOWN = {
    "cycle_s": "time between overflows, s",
    "growth_packets_per_s": "growth, packets/s",
    "lowest_packets": "lowest window, packets",
    "idle_later_s": "bottleneck idle after 8 s, s",
}


def _against_ratio(ax: Axes, table: pl.DataFrame, quantity: str) -> None:
    lines = [(cc, stack) for cc in CONTROLLERS for stack in STACKS]
    for i, (cc, stack) in enumerate(lines):
        of = table.filter(stack=stack, cc=cc, quantity=quantity).drop_nulls("value")
        x = [RATIOS.index(r) for r in of["ratio"]]
        look: dict[str, Any] = {"marker": style.MARKERS[i], "markersize": 4.5}
        label = f"{CC_NAMES[cc]},\n{'ns-3' if stack == 'ns3' else 'Linux'}"
        ax.plot(x, of["value"], label=label, **style.line(i), **look)
    if quantity == "lowest_packets":
        of = table.filter(stack="ns3", cc="newreno", quantity="needed_packets")
        x = [RATIOS.index(r) for r in of["ratio"]]
        ax.plot(x, of["value"], "k:", linewidth=1)
        ax.annotate("needed", (x[0], of["value"][0]), fontsize=7, va="bottom")
    ax.set_xticks(range(4), [f"{r}:1" for r in RATIOS[:4]])
    ax.set_xlabel("ACKs aggregated")
    ax.set_ylim(bottom=0)
