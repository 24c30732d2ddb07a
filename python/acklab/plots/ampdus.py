"""How many MPDUs were sent at once, by station."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.radio import USES, lanes, named
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

#: Stations up to which each has a panel of its own; of more, only access points have.
MOST_PANELS = 8
#: Inches.
_WIDTH, _PANEL = 6.8, 1.05


def draw(source: Recorded, _: Choice) -> Drawn:
    """A panel per station, or one of all stations but the access points, if they are many."""
    data = sizes(source)
    panels = _panels(source, data)
    fig, axes = style.figure(len(panels), 1, (_WIDTH, _PANEL * len(panels) + 0.9), share=False)
    most = int(data["mpdus"].max())  # type: ignore[arg-type]
    for (ax,), (name, rows) in zip(axes, panels, strict=True):
        _panel(ax, name, rows, most)
        ax.sharex(axes[-1][0])
    for (ax,) in axes[:-1]:
        ax.tick_params(labelbottom=False)
    axes[-1][0].set_xlabel("MPDUs in a PPDU")
    fig.supylabel("PPDUs with data, %", fontsize=style.points(9))
    told = "; ".join(f"{name} {_mean(rows):.2f}" for name, rows in panels)
    return Drawn(fig, data, f"{source.name}: histogram of MPDUs per PPDU; means: {told}")


def sizes(source: Recorded) -> pl.DataFrame:
    """`medium`, `station`, `mpdus`, `ppdus`, `share` of the station's PPDUs with data."""
    import polars as pl

    table = required(source, "ampdu-sizes", "ampdu_sizes")
    share = pl.col("ppdus") / pl.col("ppdus").sum().over("medium", "station")
    return table.select("medium", "station", "mpdus", "ppdus", share.alias("share"))


def _panels(source: Recorded, data: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Name and rows of each panel."""
    parts = dict(data.group_by("medium", "station", maintain_order=True))
    places = lanes(source)
    every = [who for who in places if who in parts]
    channels = len({channel for channel, _ in every})
    if len(every) <= MOST_PANELS:
        return [(named(who, channels), parts[who]) for who in every]
    return _pooled(every, places, data, channels)


def _pooled(
    every: list[tuple[str, str]], places: list[tuple[str, str]], data: pl.DataFrame, channels: int
) -> list[tuple[str, pl.DataFrame]]:
    """Of each channel the access point, and all other stations together."""
    import polars as pl

    points = dict(reversed(places))
    panels = []
    for channel in dict.fromkeys(c for c, _ in every):
        own = data.filter(pl.col("medium") == channel)
        point = own.filter(pl.col("station") == points[channel])
        if len(point):
            panels.append((named((channel, points[channel]), channels), point))
        others = [s for c, s in every if c == channel and s != points[channel]]
        rest = own.filter(pl.col("station").is_in(others))
        rest = rest.group_by("mpdus").agg(pl.col("ppdus").sum()).sort("mpdus")
        rest = rest.with_columns((pl.col("ppdus") / pl.col("ppdus").sum()).alias("share"))
        panels.append((named((channel, f"{len(others)} stations together"), channels), rest))
    return panels


def _panel(ax: Any, name: str, rows: pl.DataFrame, most: int) -> None:
    ax.bar(rows["mpdus"], 100 * rows["share"], 0.85, color=USES["data"].light)
    ax.set_title(f"{name}: {int(rows['ppdus'].sum()):,} PPDUs, {_mean(rows):.1f} MPDUs on average")
    ax.set_xlim(0.3, most + 0.7)
    ax.set_ylim(bottom=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.grid(visible=False, axis="x")


def _mean(rows: pl.DataFrame) -> float:
    return float((rows["mpdus"] * rows["ppdus"]).sum()) / float(rows["ppdus"].sum())
