"""A flow's time-sequence diagram, as tcptrace draws it, from the packets at its sender.

Data segments are bars from their first byte to the one after their last; below them runs the
line of what was acknowledged, above them that of the receiver's window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.plots import legend, style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

#: Marks of an SVG; with more, the marks (not the text) become a picture within it.
MOST_VECTORS = 20_000
#: Of what is drawn: colour, and its name in the legend.
_SEGMENT = ("#000000", "segment")
_RETRANSMITTED = ("#D55E00", "retransmitted")
_SACK = ("#CC79A7", "SACK block")
_ACK = ("#009E73", "ACK line")
_WINDOW = ("#E69F00", "receive window")
_DROPPED = ("#D55E00", "dropped on the way")


def draw(source: Recorded, choice: Choice) -> Drawn:
    """The diagram of the first chosen flow."""
    flow, data = marks(source, choice)
    fig, axes = style.figure(1, 1, (8.4, 4.8))
    ax = axes[0][0]
    pixels = len(data) > MOST_VECTORS
    _bars(ax, data, "segment", _SEGMENT, "-", pixels, 0.8)
    _bars(ax, data, "sack", _SACK, (0, (2, 1)), pixels, 0.9)
    _bars(ax, data, "retransmission", _RETRANSMITTED, "-", pixels, 2.2)
    _stairs(ax, data, "end", _ACK, "-", pixels)
    _stairs(ax, data, "window", _WINDOW, (0, (5, 1.2)), pixels)
    _marks(ax, data, "retransmission", ("$R$", None), _RETRANSMITTED, pixels)
    _marks(ax, data, "drop", ("x", _DROPPED[1]), _DROPPED, pixels)
    _frame(ax, data)
    legend.outside(fig, ax, above=True)
    ax.set_title(f"{flow}: everything; --from and --to look closer" if pixels else flow)
    counts = dict(data.group_by("what").len().iter_rows())
    told = ", ".join(f"{n} {what}s" for what, n in sorted(counts.items()))
    return Drawn(fig, data, f"{source.name}, flow {flow}: time-sequence diagram with {told}")


def marks(source: Recorded, choice: Choice) -> tuple[str, pl.DataFrame]:
    """The flow, and `time_s`, `what`, `start`, `end`, `window` in bytes of its stream.

    `what` is `segment`, `retransmission`, `drop`, `ack` (`end` is the byte awaited, `window` what
    may be sent) or `sack` (a block).
    """
    import polars as pl

    packets = required(source, "sequence", "packets")
    flow = str(choice.flows[0] if choice.flows else packets["flow"][0])
    whole = Choice(flows=[flow]).of(packets).sort("time_s", maintain_order=True)
    seen = _data(whole)
    origin = int(seen["seq"][0])
    parts = [_told_apart(seen, origin), _drops(whole, origin)]
    parts += [_acks(whole, origin), _sacks(whole, origin)]
    together = pl.concat([p for p in parts if len(p)], how="diagonal")
    together = together.select("time_s", "what", "start", "end", "window")
    rows = Choice(start=choice.start, end=choice.end).of(together)
    return flow, rows.sort("time_s", maintain_order=True)


def _data(packets: pl.DataFrame) -> pl.DataFrame:
    """Segments with payload as the sender sent them, or as the first link took them."""
    import polars as pl

    forward = packets.filter((pl.col("direction") == "forward") & (pl.col("len") > 0))
    for what in ("sent", "queued", "left", "delivered"):
        seen = forward.filter(pl.col("what") == what)
        if len(seen):
            return seen.filter(pl.col("point") == seen["point"][0])
    if "sent" in packets["what"]:
        raise AcklabError(
            "the plot sequence needs data packets, and the flow sent none\n"
            "  help: see its counters; perhaps the handshake was never answered"
        )
    raise AcklabError(
        "the plot sequence needs the flow's data packets, and none were recorded\n"
        "  help: set `record = { packets = true }`, so that hosts are watched as well"
    )


def _told_apart(seen: pl.DataFrame, origin: int) -> pl.DataFrame:
    """A packet that begins below the highest byte sent so far is a retransmission."""
    import polars as pl

    start = _unwrapped(seen["seq"], origin)
    ends = start + seen["len"].cast(pl.Int64)
    again = start < ends.cum_max().shift(1, fill_value=-(1 << 62))
    names = pl.select(
        pl.when(again).then(pl.lit("retransmission")).otherwise(pl.lit("segment")).alias("what")
    )["what"]
    return pl.DataFrame({"time_s": seen["time_s"], "what": names, "start": start, "end": ends})


def _drops(packets: pl.DataFrame, origin: int) -> pl.DataFrame:
    import polars as pl

    lost = packets.filter(
        (pl.col("direction") == "forward") & (pl.col("len") > 0) & (pl.col("what") == "dropped")
    )
    start = _unwrapped(lost["seq"], origin)
    ends = start + lost["len"].cast(pl.Int64)
    what = pl.Series("what", ["drop"] * len(lost), dtype=pl.String)
    return pl.DataFrame({"time_s": lost["time_s"], "what": what, "start": start, "end": ends})


def _at_sender(packets: pl.DataFrame) -> pl.DataFrame:
    """ACKs where the sender takes them; without that point, where they were seen last."""
    import polars as pl

    back = packets.filter((pl.col("direction") == "reverse") & pl.col("ack").is_not_null())
    taken = back.filter(pl.col("what") == "delivered")
    seen = taken if len(taken) else back.filter(pl.col("what") == "left")
    sources = packets.filter((pl.col("direction") == "forward") & (pl.col("what") == "sent"))
    if len(sources):
        own = seen.filter(pl.col("point") == sources["point"][0])
        seen = own if len(own) else seen
    return seen.filter(pl.col("point") == seen["point"][-1]) if len(seen) else seen


def _acks(packets: pl.DataFrame, origin: int) -> pl.DataFrame:
    import polars as pl

    acks = _at_sender(packets)
    ack = _unwrapped(acks["ack"], origin)
    what = pl.Series("what", ["ack"] * len(acks), dtype=pl.String)
    window = ack + acks["window_bytes"].cast(pl.Int64)
    return pl.DataFrame({"time_s": acks["time_s"], "what": what, "end": ack, "window": window})


def _sacks(packets: pl.DataFrame, origin: int) -> pl.DataFrame:
    """Blocks of each ACK; several rows of one time are blocks of one ACK.

    The column `sack` has first byte and byte after the last of each block, one block after another.
    """
    import polars as pl

    acks = _at_sender(packets)
    edges = acks.select(
        "time_s",
        "sack",
        pl.col("ack").cast(pl.Int64).alias("raw"),
        _unwrapped(acks["ack"], origin).alias("near"),
    ).filter(pl.col("sack").list.len() > 0)
    # A block is within half the number space of the ACK that carries it.
    distance = (pl.col("sack").cast(pl.Int64) - pl.col("raw") + _HALF) % _SPACE - _HALF
    at = pl.col("near") + distance
    flat = edges.explode("sack").with_columns(at.alias("at"))
    return pl.DataFrame(
        {
            "time_s": flat["time_s"].gather_every(2),
            "what": pl.Series(["sack"] * (len(flat) // 2), dtype=pl.String),
            "start": flat["at"].gather_every(2),
            "end": flat["at"].gather_every(2, offset=1),
        }
    )


_SPACE = 1 << 32
_HALF = 1 << 31


def _unwrapped(numbers: pl.Series, origin: int) -> pl.Series:
    """Bytes since `origin` of sequence numbers of 32 bits, without jumps where they start anew."""
    import polars as pl

    wide = numbers.cast(pl.Int64)
    steps = (wide - wide.shift(1, fill_value=origin) + _HALF) % _SPACE - _HALF
    return steps.cum_sum()


def _bars(
    ax: Any,
    data: pl.DataFrame,
    what: str,
    look: tuple[str, str],
    dashes: Any,
    pixels: bool,
    width: float,
) -> None:
    import numpy as np

    rows = data.filter(data["what"] == what)
    if rows.is_empty():
        return
    # One path with gaps: an element for each bar would make files of many megabytes.
    gap = np.full(len(rows), np.nan)
    x = np.column_stack((rows["time_s"], rows["time_s"], gap)).ravel()
    y = np.column_stack((rows["start"], rows["end"], gap)).ravel() / 1e6
    colour, label = look
    ax.plot(
        x,
        y,
        color=colour,
        label=label,
        linewidth=width,
        linestyle=dashes,
        rasterized=pixels,
        solid_capstyle="butt",
    )


def _stairs(
    ax: Any, data: pl.DataFrame, column: str, look: tuple[str, str], dashes: Any, pixels: bool
) -> None:
    acks = data.filter(data["what"] == "ack")
    colour, label = look
    # An ACK that arrives late says nothing new: what is acknowledged stays so.
    line = acks[column].cum_max() / 1e6
    ax.plot(
        acks["time_s"],
        line,
        drawstyle="steps-post",
        color=colour,
        label=label,
        linewidth=1.1,
        linestyle=dashes,
        rasterized=pixels,
    )


def _marks(
    ax: Any,
    data: pl.DataFrame,
    what: str,
    mark: tuple[str, str | None],
    look: tuple[str, str],
    pixels: bool,
) -> None:
    """A sign above each row: bars of one segment are but a dot in a long diagram."""
    rows = data.filter(data["what"] == what)
    if rows.is_empty():
        return
    sign, label = mark
    more = {"color": look[0], "label": label, "markersize": 5, "rasterized": pixels}
    ax.plot(rows["time_s"], rows["end"] / 1e6, linestyle="none", marker=sign, **more)


def _frame(ax: Any, data: pl.DataFrame) -> None:
    """Scales to the data: a window of megabytes above them would press them flat."""
    import polars as pl

    sent = data.filter(pl.col("what") != "ack")
    acks = data.filter(pl.col("what") == "ack")
    low = min(float(v) for v in (sent["start"].min(), acks["end"].min()) if v is not None)  # type: ignore[arg-type]
    high = max(float(v) for v in (sent["end"].max(), acks["end"].max()) if v is not None)  # type: ignore[arg-type]
    room = 0.08 * (high - low)
    ax.set_ylim((low - room) / 1e6, (high + room) / 1e6)
    ax.set(xlabel="time, s", ylabel="stream, MB")
