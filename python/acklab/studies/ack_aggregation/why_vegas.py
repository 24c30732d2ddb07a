"""Vegas: which delay it takes for its own queue, and where that stops its growth.

Vegas keeps between two and four packets queued, by its reckoning: window times (1 - base / RTT).
The RTT has more in it than the queue that stands: the handshake's small packet made the base, a
burst of N segments queues behind itself, and what the filter holds comes late.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.ack_aggregation import traces
from acklab.studies.ack_aggregation.cells import RATIOS, START_S
from acklab.studies.ack_aggregation.figures import STACK_NAMES
from acklab.studies.study import Outcome

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from acklab.results import Result

#: From the sender to the bottleneck: 2 ms and a segment's 0.12 ms, s.
BEFORE_S = 0.00212


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """What Vegas knows, what it concludes, and what really waits."""
    quantities = {
        "base_ms": _base,
        "rtt_ms": _now,
        "window_packets": _window,
        "reckoned_packets": _reckoned,
        "standing_packets": _standing,
        "wait_ms": _wait,
        "held_ms": _held,
        "first_srtt_ms": _first_srtt,
        "slow_start_packets": _slow_start,
        "window_changes": _changes,
        "idle_share": _idle,
        "queue_max_packets": lambda r: float(_link(r)["queue_max_packets"]),
    }
    return traces.table([o for o in outcomes if o.keys["cc"] == "vegas"], quantities)


def _link(r: Result) -> dict[str, float]:
    return r.links.filter(link=traces.DATA).row(0, named=True)


def _smoothed(r: Result) -> bool:
    """ns-3 hands the smoothed RTT to Vegas, Linux that of the newest segment."""
    return r.scenario.name.split("-")[2] != "linux"


def newest(r: Result) -> pl.DataFrame:
    """Of the newest segment of each ACK: `rtt`, and `wait` at the bottleneck, ms."""
    import polars as pl

    packets = traces.packets(r)
    queued = packets.filter(pl.col("what") == "queued").select("packet", "end", "at")
    left = packets.filter(pl.col("what") == "left").select("packet", pl.col("at").alias("left"))
    ways = queued.join(left, on="packet").unique("end", keep="last", maintain_order=True)
    acks = r.acks.filter((pl.col("what") == "received") & (pl.col("segments") > 0))
    found = acks.select("time_s", pl.col("ack_bytes").cast(pl.Int64).alias("end")).join(
        ways, on="end"
    )
    return found.select(
        "time_s",
        ((pl.col("time_s") - pl.col("at") + BEFORE_S) * 1e3).alias("rtt"),
        ((pl.col("left") - pl.col("at")) * 1e3).alias("wait"),
    )


def _base(r: Result) -> float | None:
    """The smallest RTT that Vegas was told, ms."""
    told = r.series["srtt_ms"].drop_nulls() if _smoothed(r) else newest(r)["rtt"]
    return None if told.is_empty() else float(told.min())  # type: ignore[arg-type]


def _now(r: Result) -> float | None:
    """The RTT that it is told later: median of the smoothed, or of the newest segments', ms."""
    told = traces.settled_series(r)["srtt_ms"].drop_nulls()
    if not _smoothed(r):
        told = traces.settled(newest(r))["rtt"]
    return None if told.is_empty() else float(told.median())  # type: ignore[arg-type]


def _window(r: Result) -> float:
    return float(traces.settled_series(r)["cwnd_packets"].median())  # type: ignore[arg-type]


def _reckoned(r: Result) -> float | None:
    """Packets that Vegas takes for queued: window times (1 - base / RTT)."""
    base, now = _base(r), _now(r)
    return None if base is None or now is None else _window(r) * (1 - base / now)


def _standing(r: Result) -> float | None:
    """Packets that stand in the bottleneck's queue: its tenth percentile over time."""
    queue = traces.settled(r.link_series.filter(link=traces.DATA))["queue_packets"]
    return float(queue.quantile(0.1) or 0.0)


def _wait(r: Result) -> float | None:
    """What the acknowledged segments waited at the bottleneck, ms."""
    return traces.mean(traces.settled(newest(r))["wait"])


def _held(r: Result) -> float | None:
    import polars as pl

    held = traces.mean(traces.settled(r.acks.filter(pl.col("what") == "released"))["delay_s"])
    return 0.0 if held is None else 1e3 * held


def _first_srtt(r: Result) -> float | None:
    srtt = r.series["srtt_ms"].drop_nulls()
    return None if srtt.is_empty() else float(srtt[0])


def _slow_start(r: Result) -> float | None:
    """The window when slow start was left, packets."""
    import polars as pl

    states = r.events.filter(pl.col("event") == "state")
    left = states.filter(pl.col("cause") == "congestion_avoidance")["value"]
    segment = r.series["cwnd_bytes"][-1] / r.series["cwnd_packets"][-1]
    return None if left.is_empty() else float(left[0]) / segment


def _changes(r: Result) -> float:
    """Changes of the window by half a packet and more per minute, after the start."""
    later = traces.settled_series(r)
    changes = (later["cwnd_packets"].diff().abs() > 0.5).sum()
    return float(changes) * 60 / (traces.seconds(r) + START_S - traces.SETTLED_S)


def _idle(r: Result) -> float:
    since, until = traces.SETTLED_S, START_S + traces.seconds(r)
    return traces.idle(r, since, until) / (until - since)


_LABELS = ["RTT above its\nsmallest, ms", "packets", "packets queued,\nby Vegas and in truth"]
_WINDOWS = {"window_packets": "window", "slow_start_packets": "slow start\nleft at"}
_QUEUED = {"reckoned_packets": "reckoned", "standing_packets": "standing"}
_DELAYS = {"wait_ms": "waited at the\nbottleneck", "held_ms": "held by\nthe filter"}


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Extra delay by origin; the window; packets reckoned and standing."""
    fig, axes = style.figure(3, len(STACK_NAMES), (10, 7.6))
    for col, (stack, name) in enumerate(STACK_NAMES.items()):
        rows = table.filter(stack=stack, seed=1)
        axes[0][col].set_title(name)
        _delays(axes[0][col], rows)
        _lines(axes[1][col], rows, _WINDOWS)
        _lines(axes[2][col], rows, _QUEUED)
        axes[2][col].axhspan(2, 4, color="0.88", zorder=0)
        axes[2][col].set_xticks(range(len(RATIOS)), [f"{r}:1" for r in RATIOS])
    style.label_outer(axes, "ACKs aggregated", _LABELS)
    for row in axes:
        row[0].set_ylim(bottom=0)
        row[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    style.footer(fig, traces.provenance(table.filter(seed=1)))
    return style.save(fig, stem)


def _value(rows: pl.DataFrame, quantity: str, ratio: int) -> float | None:
    of = rows.filter(quantity=quantity, ratio=ratio)["value"]
    return None if of.is_empty() else of[0]


def _delays(ax: Axes, rows: pl.DataFrame) -> None:
    """Stacked: waiting at the bottleneck, held by the filter, the rest of RTT less base."""
    for ratio in rows["ratio"].unique():
        x, below = RATIOS.index(ratio), 0.0
        base, now = _value(rows, "base_ms", ratio), _value(rows, "rtt_ms", ratio)
        if base is None or now is None:
            continue
        top, label = now - base, _once(ax, "RTT less base")
        ax.plot([x - 0.4, x + 0.4], [top, top], "k-", linewidth=1.4, label=label)
        for i, (quantity, name) in enumerate(_DELAYS.items()):
            part = _value(rows, quantity, ratio) or 0.0
            look: dict[str, Any] = {"color": style.CATEGORICAL[i], "hatch": style.HATCHES[i]}
            ax.bar(x, part, 0.6, below, label=_once(ax, name), edgecolor="white", **look)
            below += part


def _once(ax: Axes, label: str) -> str:
    """The label, or none if the axes have it."""
    return "_" if label in ax.get_legend_handles_labels()[1] else label


def _lines(ax: Axes, rows: pl.DataFrame, quantities: dict[str, str]) -> None:
    for i, (quantity, label) in enumerate(quantities.items()):
        of = rows.filter(quantity=quantity).drop_nulls("value").sort("ratio")
        x = [RATIOS.index(r) for r in of["ratio"]]
        ax.plot(x, of["value"], label=label, marker=style.MARKERS[i], **style.line(i))
