"""The controllers' states as bars over time, with rates below."""

from __future__ import annotations

from typing import Any

import polars as pl

from acklab.plots import legend, lines, style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.order import in_order, places
from acklab.plots.recorded import Recorded, required

#: BBR's states in the order of their first visit, so that colours do not hang on the run.
_BBR = (
    "STARTUP",
    "DRAIN",
    "PROBE_BW_CRUISE",
    "PROBE_BW_UP",
    "PROBE_BW_DOWN",
    "PROBE_BW_REFILL",
    "PROBE_RTT",
)


#: Columns of the panels below the bars, with their labels.
_RATES = {"pacing_mbps": "pacing", "delivery_mbps": "delivery"}
#: States of other controllers: greys, for they are few and not compared with BBR's.
_GREYS = ("#bdbdbd", "#8a8a8a", "#5c5c5c", "#d9d9d9")


def draw(source: Recorded, choice: Choice) -> Drawn:
    """A bar per flow; below, pacing and delivery rate of the flows that have them."""
    at = places(source)
    states, rates = in_order(spans(source, choice), at), in_order(_rates(source, choice), at)
    flows = states["flow"].unique(maintain_order=True).to_list()
    paced = rates["flow"].unique(maintain_order=True).to_list()
    heights = [0.5 + 0.42 * len(flows), *(1.7 for _ in paced)]
    size = (8.4, sum(heights) + 1.1)
    fig, axes = style.figure(len(heights), 1, size, share=False, heights=heights)
    _bars(axes[0][0], states, flows)
    for (ax,), flow in zip(axes[1:], paced, strict=True):
        own = rates.filter(rates["flow"] == flow)
        lines.draw(ax, own.rename({"start_s": "time_s"}), "value", "what", "steps-post")
        lines.legend(ax)
        ax.set_ylabel(f"{flow}\nMbit/s")
    for (ax,) in axes[:-1]:
        ax.sharex(axes[-1][0])
        ax.tick_params(labelbottom=False)
    axes[-1][0].set_xlabel("time, s")
    names = states["state"].unique(maintain_order=True)
    alt = f"{source.name}: states of {', '.join(flows)} over time: {', '.join(names)}"
    return Drawn(fig, pl.concat([states, rates], how="diagonal"), alt)


def _rates(source: Recorded, choice: Choice) -> pl.DataFrame:
    """`flow`, `what`, `start_s`, `value` of the flows that are paced."""
    series = choice.of(required(source, "phases", "series"))
    paced = series.filter(pl.col("pacing_mbps").count().over("flow") > 0)
    return (
        paced.rename({"time_s": "start_s", **_RATES})
        .unpivot(on=list(_RATES.values()), index=["flow", "start_s"], variable_name="what")
        .sort("what", "start_s", maintain_order=True)
    )


def spans(source: Recorded, choice: Choice) -> pl.DataFrame:
    """`flow`, `what`, `state`, `start_s`, `end_s`: from recorded changes, else as sampled."""
    series = choice.of(required(source, "phases", "series"))
    seen = series.select("time_s", "flow", "state")
    events = source.table("events")
    if events is not None:
        changes = events.filter(pl.col("event") == "state")
        exact = changes.select("time_s", "flow", pl.col("cause").alias("state"))
        # Samples tell the state before the first change.
        seen = pl.concat(
            [seen.group_by("flow", maintain_order=True).first(), exact], how="diagonal"
        )
        seen = choice.of(seen).sort("time_s", maintain_order=True)
    last = pl.lit(series["time_s"].max())
    changed = pl.col("state").ne_missing(pl.col("state").shift()).over("flow")
    end = pl.col("time_s").shift(-1).over("flow").fill_null(last).alias("end_s")
    return (
        seen.filter(pl.col("state").is_not_null())
        .filter(changed)
        .with_columns(end)
        .select(
            "flow",
            pl.lit("state").alias("what"),
            "state",
            pl.col("time_s").alias("start_s"),
            "end_s",
        )
        .sort("start_s", maintain_order=True)
    )


def _bars(ax: Any, data: pl.DataFrame, flows: list[str]) -> None:
    for state, fill in _fills(data["state"].unique().to_list()).items():
        rows = data.filter(pl.col("state") == state)
        label: str | None = state
        for y, flow in enumerate(flows):
            own = rows.filter(pl.col("flow") == flow)
            pairs = list(zip(own["start_s"], own["end_s"] - own["start_s"], strict=True))
            if pairs:
                ax.broken_barh(pairs, (y - 0.38, 0.76), label=label, **fill)
                label = None
    ax.set_yticks(range(len(flows)), flows)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    legend.outside(ax.figure, ax, above=True)


def colours(states: list[str], dark: bool = False) -> dict[str, str]:
    """Colours that do not hang on the run: BBR's own in their order, then those of others."""
    own = style.CATEGORICAL_DARK if dark else style.CATEGORICAL
    others = sorted(s for s in states if s not in _BBR)
    return {s: own[i] for i, s in enumerate(_BBR) if s in states} | {
        s: _GREYS[i % len(_GREYS)] for i, s in enumerate(others)
    }


def _fills(states: list[str]) -> dict[str, dict[str, Any]]:
    """Colours, and hatches that tell in grey what they tell."""
    hatches = style.HATCHES
    return {
        state: {
            "facecolor": colour,
            "hatch": hatches[_BBR.index(state) if state in _BBR else i % len(hatches)],
            "edgecolor": "#ffffff",
            "linewidth": 0,
        }
        for i, (state, colour) in enumerate(colours(states).items())
    }
