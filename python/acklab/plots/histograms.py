"""How acknowledgements reach the sender: how far apart, and how much each one says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.plots import legend, style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.lines import place
from acklab.plots.order import in_order, places
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

#: Bins of a decade of time.
BINS_PER_DECADE = 10
#: Seconds; closer ACKs came in one burst and share the first bin.
CLOSEST_S = 1e-6
#: Up to so many segments per ACK there is a bar for each number.
SINGLE = 8


def spacing(source: Recorded, choice: Choice) -> Drawn:
    """Times between ACKs that reach the sender; the axis is logarithmic, as ACKs come in bursts."""
    at = places(source)
    acks = in_order(_received(source, "ack-spacing", choice), at)
    data = spacings(acks)
    fig, axes = style.figure(1, 1, (6.8, 3.4))
    ax = axes[0][0]
    for i, ((flow,), rows) in enumerate(data.group_by("flow", maintain_order=True)):
        edges = [v * 1e3 for v in (*rows["from_s"], rows["to_s"][-1])]
        ax.stairs(100 * rows["share"], edges, label=str(flow), **style.line(place(at, flow, i)))
    ax.set(xscale="log", xlabel="time since the ACK before, ms", ylabel="ACKs, %")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(bottom=0)
    _legend(fig, ax, data)
    middle = ", ".join(f"{f} {m * 1e3:.3g} ms" for f, m in _medians(acks))
    return Drawn(fig, data, f"{source.name}: histogram of the time between ACKs; medians: {middle}")


def segments(source: Recorded, choice: Choice) -> Drawn:
    """Segments newly acknowledged by each ACK that reaches the sender; 0 is a duplicate.

    Unlike the column `segments_per_ack` of flows, which counts segments sent, again or not.
    """
    import polars as pl

    at = places(source)
    acks = in_order(_received(source, "segments-per-ack", choice), at)
    data = counts(acks)
    names = [_range(*r) for r in data.select("from", "to").unique(maintain_order=True).iter_rows()]
    flows = data["flow"].unique(maintain_order=True).to_list()
    fig, axes = style.figure(1, 1, (6.8, 3.4))
    ax = axes[0][0]
    width = 0.8 / len(flows)
    for i, flow in enumerate(flows):
        share = 100 * data.filter(pl.col("flow") == flow)["share"]
        x = [k + (i - (len(flows) - 1) / 2) * width for k in range(len(names))]
        n = place(at, flow, i)
        fill = {"color": style.cycle(n + 1)[n], "hatch": style.HATCHES[n % len(style.HATCHES)]}
        ax.bar(x, share, width, label=flow, edgecolor="white", linewidth=0, **fill)
    ax.set_xticks(range(len(names)), names)
    ax.set(xlabel="segments newly acknowledged by an ACK", ylabel="ACKs, %")
    ax.grid(visible=False, axis="x")
    _legend(fig, ax, data)
    means = acks.group_by("flow", maintain_order=True).agg(pl.col("segments").mean()).iter_rows()
    told = ", ".join(f"{f} {m:.2f}" for f, m in means)
    return Drawn(fig, data, f"{source.name}: histogram of segments per ACK; means: {told}")


def counts(acks: pl.DataFrame) -> pl.DataFrame:
    """`flow`, `from`, `to` (both belong to the bin), `acks`, `share`.

    A bin per number up to `SINGLE`, then each twice as wide as the one before: a burst of ACKs that
    was lost makes the next one say very much.
    """
    import polars as pl

    most = int(acks["segments"].to_numpy().max())
    lasts = list(range(min(most, SINGLE) + 1))
    while lasts[-1] < most:
        lasts.append(2 * lasts[-1])
    bins = pl.DataFrame({"from": [0, *(v + 1 for v in lasts[:-1])], "to": lasts})
    flows = acks.select("flow").unique(maintain_order=True)
    at = bins["from"].search_sorted(acks["segments"].cast(pl.Int64), side="right") - 1
    found = acks.select("flow", bins["from"].gather(at)).group_by("flow", "from").len("acks")
    return (
        flows.join(bins, how="cross", maintain_order="left_right")
        .join(found, on=["flow", "from"], how="left", maintain_order="left")
        .with_columns(pl.col("acks").fill_null(0))
        .with_columns((pl.col("acks") / pl.col("acks").sum().over("flow")).alias("share"))
    )


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def spacings(acks: pl.DataFrame) -> pl.DataFrame:
    """`flow`, `from_s`, `to_s`, `acks`, `share` of each bin; the first holds whatever is closer."""
    import numpy as np
    import polars as pl

    gaps = _gaps(acks)
    most = float(gaps["gap_s"].max())  # type: ignore[arg-type]
    least = max(float(gaps["gap_s"].min()), CLOSEST_S)  # type: ignore[arg-type]
    low = np.floor(np.log10(least) * BINS_PER_DECADE)
    high = max(np.floor(np.log10(max(most, CLOSEST_S)) * BINS_PER_DECADE), low) + 1
    edges = 10 ** (np.arange(low, high + 1) / BINS_PER_DECADE)
    parts = []
    for (flow,), rows in gaps.group_by("flow", maintain_order=True):
        counts, _ = np.histogram(np.maximum(rows["gap_s"].to_numpy(), edges[0]), edges)
        columns = {"from_s": edges[:-1], "to_s": edges[1:], "acks": counts}
        share = (pl.col("acks") / pl.col("acks").sum()).alias("share")
        part = pl.DataFrame(columns).with_columns(share, pl.lit(flow).alias("flow"))
        parts.append(part.select("flow", "from_s", "to_s", "acks", "share"))
    return pl.concat(parts)


def _received(source: Recorded, kind: str, choice: Choice) -> pl.DataFrame:
    import polars as pl

    acks = choice.of(required(source, kind, "acks")).filter(pl.col("what") == "received")
    if len(acks) < 2:
        raise AcklabError(
            f"the plot {kind} needs two ACKs that reached the sender, and here are {len(acks)}\n"
            "  help: let the scenario run longer, or choose other times with --from and --to"
        )
    return acks


def _gaps(acks: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    gap = pl.col("time_s").diff().over("flow").alias("gap_s")
    gaps = acks.select("flow", gap).drop_nulls()
    if gaps.is_empty():
        raise AcklabError("no flow received two ACKs\n  help: choose a longer time")
    return gaps


def _medians(acks: pl.DataFrame) -> list[tuple[str, float]]:
    import polars as pl

    gaps = _gaps(acks)
    return list(
        gaps.group_by("flow", maintain_order=True).agg(pl.col("gap_s").median()).iter_rows()
    )


def _legend(fig: Any, ax: Any, data: pl.DataFrame) -> None:
    if data["flow"].n_unique() > 1:
        legend.outside(fig, ax)
