"""The mechanism at work: who fills the access point's queue, who loses ACKs, whose window falls.

First how unfairness rises with the number of stations, then what each scheme does to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.metrics import jain_index
from acklab.plots import style
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.tac.quantities import ack_losses
from acklab.studies.tac.schemes import PAPER, SCHEMES
from acklab.studies.tac.setup import START_S, Setting, duration
from acklab.studies.tac.stacks import WINDOW

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

STATIONS = 20
#: AGG with few stations to many, and with a queue that holds all windows; the paper's others.
_RISE = (5, STATIONS, 30)
_POINTS: Sequence[tuple[str, int, int]] = (
    *(("agg", 200, n) for n in _RISE),
    *((s, 200, STATIONS) for s in PAPER[1:]),
    ("agg", 10_000, STATIONS),
)
#: A queue with so much of its room taken is called full: a frame of ACKs more, and some are lost.
_FULL = 0.95
_SECONDS = 20
#: Between samples; windows are drawn as means of this many of them.
_EVERY_S = 0.1
_TOGETHER = 5


def cells(effort: Effort) -> list[Cell]:
    """16 KB, one seed, with samples."""
    seconds = min(duration(effort), _SECONDS)
    found = []
    for scheme, buffer, n in _POINTS:
        record = {
            "every": f"{_EVERY_S * 1000:g} ms",
            "packets": [f"ap->sta{i}" for i in range(n)],
        }
        setting = Setting((scheme,), stations=n, buffer=buffer)
        scenario = {**setting.scenario(seconds), "record": record}
        found.append(Cell({"scheme": scheme, "buffer": buffer, "stations": n}, scenario, 1))
    return found


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Rows of the queue and of two windows over time, and of each flow's loss and goodput.

    `quantity` is `queue_packets`, `cwnd_richest`, `cwnd_poorest` with a time, or `ack_loss` and
    `goodput_mbps` with a flow.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    for o in outcomes:
        r, keys = o.results[0], o.keys
        rows += [
            {**keys, "quantity": name, "time_s": t, "flow": None, "value": v}
            for name, points in _over_time(r).items()
            for t, v in points
        ]
        each = {"ack_loss": ack_losses(r), "goodput_mbps": r.flows["goodput_mbps"].to_list()}
        rows += [
            {**keys, "quantity": name, "time_s": None, "flow": i, "value": float(v)}
            for name, values in each.items()
            for i, v in enumerate(values)
        ]
    schema: Any = {"time_s": pl.Float64, "flow": pl.Int64, "value": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def _over_time(r: Result) -> dict[str, list[tuple[float, float]]]:
    import polars as pl

    order = r.flows.sort("goodput_mbps")["flow"].to_list()
    found = {"queue_packets": _queue(r)}
    for name, flow in (("cwnd_richest", order[-1]), ("cwnd_poorest", order[0])):
        series = r.series.filter(pl.col("flow") == flow).select(
            "time_s", pl.col("cwnd_packets").clip(None, WINDOW)
        )
        found[name] = _thinned(list(series.iter_rows()))
    return {
        name: [(t - START_S, float(v)) for t, v in points if t >= START_S]
        for name, points in found.items()
    }


def _queue(r: Result) -> list[tuple[float, float]]:
    """Packets that wait in the access point, at the ends of the samples' intervals.

    Who finds no room was told to have come as well.
    """
    import polars as pl

    what = pl.col("what")
    gone = (what == "left") | (pl.col("reason") == "queue_full")
    step = (what == "queued").cast(pl.Int32) - gone.fill_null(False).cast(pl.Int32)
    at = (pl.col("time_ns") // int(_EVERY_S * 1e9) + 1).cast(pl.Float64) * _EVERY_S
    steps = r.packets.group_by(at.alias("time_s")).agg(step.sum().alias("step")).sort("time_s")
    return list(steps.select("time_s", pl.col("step").cum_sum()).iter_rows())


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Means of some samples at a time."""
    chunks = [points[i : i + _TOGETHER] for i in range(0, len(points), _TOGETHER)]
    return [(c[-1][0], sum(v for _, v in c) / len(c)) for c in chunks]


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """A column per run: queue, windows of the best and the worst flow, loss against goodput."""
    fig, axes = style.figure(3, len(_POINTS), (15, 7), share=False)
    for column, (scheme, buffer, n) in enumerate(_POINTS):
        of = table.filter(scheme=scheme, buffer=buffer, stations=n)
        top, middle, bottom = (axes[i][column] for i in range(3))
        top.set_title(_name(scheme, buffer, n))
        queue = of.filter(quantity="queue_packets")
        top.plot(queue["time_s"], queue["value"], linewidth=0.7, color=style.CATEGORICAL[0])
        top.set_ylim(0, 1.08 * max(buffer if buffer == 200 else 0, *queue["value"].to_list(), 1))
        for i, (name, label) in enumerate((("cwnd_richest", "best"), ("cwnd_poorest", "worst"))):
            line = of.filter(quantity=name)
            middle.plot(line["time_s"], line["value"], label=f"{label} flow", **style.line(i))
        middle.set_ylim(0, WINDOW + 3)
        lost, got = (of.filter(quantity=q)["value"].to_list() for q in ("ack_loss", "goodput_mbps"))
        even = sum(got) / len(got)
        bottom.axhline(1, color="grey", linewidth=0.8, linestyle=":")
        relative = [g / even for g in got]
        bottom.plot(
            [100 * v for v in lost], relative, "o", markersize=3.5, color=style.CATEGORICAL[2]
        )
        bottom.set_ylim(0, max(4.0, 1.05 * max(relative)))
        bottom.set_xlim(-2, max(45.0, 105 * max(lost)))
        bottom.set_xlabel("ACKs lost, %")
        middle.set_xlabel("time, s")
        top.set_xlabel("time, s")
    for row, label in zip(
        axes, ("packets in the AP", "window, packets", "flow, of an even share"), strict=True
    ):
        row[0].set_ylabel(label)
    fig.legend(*axes[1][0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return style.save(fig, stem)


def _name(scheme: str, buffer: int, stations: int) -> str:
    queue = "" if buffer == 200 else f", B = {buffer:,}"
    return f"{SCHEMES[scheme].title}, N = {stations}{queue}"


def text(table: pl.DataFrame) -> str:
    """How full each queue is, how many ACKs that costs, and how uneven shares are."""
    lines = [
        "run | index | samples with a full queue | packets that wait | ACKs lost | "
        "window, best / worst flow",
        "--- | --: | --: | --: | --: | --:",
    ]
    lines += [" | ".join(_row(table, *point)) for point in _POINTS]
    shown = "\n".join(f"| {line} |" for line in lines)
    few, many = (_read(table, "agg", 200, n) for n in (_RISE[0], _RISE[-1]))
    return (
        f"**The rise of unfairness.** AGG's index goes from {few['jain']:.2f} with {_RISE[0]} "
        f"stations to {many['jain']:.2f} with {_RISE[-1]}, while the share of the samples in which "
        f"its queue is full (at {_FULL:.0%} of its room or above) goes from {few['full']:.0%} to "
        f"{many['full']:.0%}, and the ACKs lost from {few['lost']:.0%} to {many['lost']:.0%}.\n\n"
        f"{shown}"
    )


def _row(table: pl.DataFrame, scheme: str, buffer: int, stations: int) -> list[str]:
    of = _read(table, scheme, buffer, stations)
    return [
        _name(scheme, buffer, stations),
        f"{of['jain']:.3f}",
        f"{of['full']:.0%}",
        f"{of['waits']:.0f}",
        f"{of['lost']:.1%}",
        f"{of['best']:.0f} / {of['worst']:.0f}",
    ]


def _read(table: pl.DataFrame, scheme: str, buffer: int, stations: int) -> dict[str, float]:
    """A run's numbers: of time series the means over it."""
    of = table.filter(scheme=scheme, buffer=buffer, stations=stations)

    def values(quantity: str) -> list[float]:
        return of.filter(quantity=quantity)["value"].to_list()

    queue = values("queue_packets")
    return {
        "jain": jain_index(values("goodput_mbps")) or 0.0,
        "full": sum(v >= _FULL * buffer for v in queue) / max(len(queue), 1),
        "waits": _mean(queue),
        "lost": _mean(values("ack_loss")),
        "best": _mean(values("cwnd_richest")),
        "worst": _mean(values("cwnd_poorest")),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
