"""Goodput, srtt, cwnd, pacing rate and queues over time, one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.plots import lines, rates, style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.order import Places, in_order, places
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

#: Columns of the series, and the labels of their panels.
_PANELS = {
    "srtt_ms": "srtt\nms",
    "cwnd_packets": "cwnd\npackets",
    "pacing_mbps": "pacing\nMbit/s",
}


def draw(source: Recorded, choice: Choice) -> Drawn:
    """A panel per quantity, a line per flow; queues that were ever used, at the bottom."""
    data = tidy(source, choice)
    at = places(source)
    panels = data["quantity"].unique(maintain_order=True).to_list()
    fig, axes = style.figure(len(panels), 1, (8.0, 1.45 * len(panels) + 0.7), share=False)
    for (ax,), name in zip(axes, panels, strict=True):
        ax.sharex(axes[-1][0])
        _panel(ax, data, name, at)
    for (ax,) in axes[:-1]:
        ax.tick_params(labelbottom=False)
    axes[-1][0].set_xlabel("time, s")
    fig.align_ylabels([ax for (ax,) in axes])
    flows = data.filter(data["quantity"] != "queue")["name"].n_unique()
    alt = f"{source.name}: {', '.join(panels)} over time of {flows} flows, one panel each"
    return Drawn(fig, data, alt)


def tidy(source: Recorded, choice: Choice) -> pl.DataFrame:
    """`time_s`, `quantity`, `name` (of the flow or link), `value`: all that the figure shows."""
    import polars as pl

    series = in_order(choice.of(required(source, "series", "series")), places(source), "time_s")
    rate = rates.goodput(series, rates.window_of(series, choice.window))
    rate = in_order(rate, places(source))
    parts = [_part(rate, "goodput", "flow", "mbps")]
    for column in _PANELS:
        if column in series.columns and series[column].is_not_null().any():
            parts.append(_part(series, column.partition("_")[0], "flow", column))
    links = source.table("link_series")
    if links is not None:
        used = choice.of(links).filter(pl.col("queue_packets").max().over("link") > 1)
        if len(used):
            parts.append(_part(used, "queue", "link", "queue_packets"))
    return pl.concat(parts)


def _part(frame: pl.DataFrame, quantity: str, name: str, value: str) -> pl.DataFrame:
    import polars as pl

    return frame.select(
        "time_s",
        pl.lit(quantity).alias("quantity"),
        pl.col(name).cast(pl.String).alias("name"),
        pl.col(value).cast(pl.Float64).alias("value"),
    )


def label(quantity: str) -> str:
    """The label of an axis: the quantity, its unit on a line of its own."""
    own = {"goodput": "goodput\nMbit/s", "queue": "queue\npackets"}
    return own.get(quantity) or next(v for k, v in _PANELS.items() if k.startswith(quantity))


def _panel(ax: Any, data: pl.DataFrame, quantity: str, at: Places) -> None:
    rows = data.filter(data["quantity"] == quantity)
    how = "steps-pre" if quantity == "goodput" else "steps-post"
    lines.draw(ax, rows, "value", "name", how, at if quantity != "queue" else None)
    ax.set_ylabel(label(quantity))
    # Flows look the same in every panel; the queues have names of their own.
    if quantity in ("goodput", "queue"):
        lines.legend(ax)
