"""The time of a radio channel by use: of the channel, and of each station."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.plots import legend, style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.radio import SENT, USES, named
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

#: Stations that a figure shows; of more, those that sent longest.
MOST_STATIONS = 40
#: Inches.
_WIDTH, _BAR = 8.0, 0.26


def draw(source: Recorded, _: Choice) -> Drawn:
    """A bar per channel, and below one per station; each is the whole run."""
    data = shares(source)
    channels = data.filter(data["station"].is_null())
    stations = _longest(data.filter(data["station"].is_not_null()))
    names = channels["medium"].unique(maintain_order=True).to_list()
    who = stations.select("medium", "station").unique(maintain_order=True).rows()
    rows = (len(names), max(len(who), 1))
    heights = [_BAR * rows[0] + 0.25, _BAR * rows[1] + 0.25]
    fig, axes = style.figure(2, 1, (_WIDTH, sum(heights) + 1.4), share=False, heights=heights)
    (top,), (below,) = axes
    _stack(top, channels, [(n, None) for n in names], [f"channel {n}" for n in names])
    _stack(below, stations, who, [named(w, len(names)) for w in who])
    below.set_xlabel("part of the run, %")
    for ax in (top, below):
        ax.set_xlim(0, 100)
    left_out = data.select("medium", "station").n_unique() - len(names) - len(who)
    if left_out:
        below.set_title(f"the {len(who)} of {left_out + len(who)} stations that sent longest")
    found: dict[str, Any] = {}
    for ax in (top, below):
        found |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    labels = [look.label for look in USES.values() if look.label in found]
    handles = [found[label] for label in labels]
    legend.place(fig, [legend.Block("", handles, labels)], above=True)
    told = "; ".join(f"{n}: {_told(channels.filter(channels['medium'] == n))}" for n in names)
    return Drawn(fig, data, f"{source.name}: what airtime went to, of the run. {told}")


def shares(source: Recorded) -> pl.DataFrame:
    """`medium`, `station` (null: the channel itself), `use`, `airtime_s`, `share` of the run."""
    import polars as pl

    airtime = required(source, "airtime", "airtime")
    stations = required(source, "airtime", "stations")
    own = [f"{use}_s" for use in USES if f"{use}_s" in stations.columns]
    sent = stations.unpivot(
        on=own, index=["medium", "station"], variable_name="use", value_name="airtime_s"
    ).with_columns(pl.col("use").str.strip_suffix("_s"))
    places = stations.select("medium", "station")
    sent = places.join(sent, on=["medium", "station"], maintain_order="left_right")
    length = airtime.group_by("medium").agg(pl.col("airtime_s").sum().alias("run_s"))
    both = pl.concat(
        [
            airtime.select("medium", pl.lit(None, pl.String).alias("station"), "use", "airtime_s"),
            sent.select("medium", "station", "use", "airtime_s"),
        ]
    )
    return (
        both.join(length, on="medium", maintain_order="left")
        .with_columns((pl.col("airtime_s") / pl.col("run_s")).alias("share"))
        .drop("run_s")
    )


def _longest(stations: pl.DataFrame) -> pl.DataFrame:
    """The rows of the stations that sent longest, in the order of the scenario."""
    import polars as pl

    sent = pl.col("airtime_s").filter(pl.col("use").is_in(SENT))
    total = sent.sum().over("medium", "station")
    ranked = stations.with_columns((-total).rank("dense").alias("rank"))
    if ranked.select("medium", "station").n_unique() <= MOST_STATIONS:
        return stations
    kept = (
        ranked.unique(["medium", "station"], maintain_order=True)
        .sort("rank", maintain_order=True)
        .head(MOST_STATIONS)
    )
    return stations.join(kept, on=["medium", "station"], how="semi", maintain_order="left")


def _stack(ax: Any, rows: pl.DataFrame, who: list[Any], labels: list[str]) -> None:
    """Horizontal bars, one below the other, each use from where the one before ends."""
    found = {(m, s, use): 100 * share for m, s, use, _, share in rows.iter_rows()}
    left = [0.0] * len(who)
    for use, look in USES.items():
        widths = [found.get((m, s, use), 0.0) for m, s in who]
        if any(widths):
            ax.barh(range(len(who)), widths, 0.8, left=left, label=look.label, **look.fill)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    ax.set_yticks(range(len(who)), labels)
    ax.set_ylim(len(who) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")


def _told(rows: pl.DataFrame) -> str:
    shares = dict(rows.select("use", "share").iter_rows())
    # Results of older versions know fewer uses.
    known = {use: look for use, look in USES.items() if use in shares}
    return ", ".join(f"{look.label} {100 * shares[use]:.3g} %" for use, look in known.items())
