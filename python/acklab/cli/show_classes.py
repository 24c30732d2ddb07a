"""Counters of the tins and classes of queue disciplines, as tables for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from acklab.results import Result

#: A head, and what stands below it.
_Column = tuple[str, Callable[[dict[str, Any]], str]]

_TIN: tuple[_Column, ...] = (
    ("thresh\nMbit/s", lambda r: _number(r["threshold_mbps"], 3)),
    ("packets", lambda r: str(r["pkts_arrived"])),
    ("av_delay\nms", lambda r: _number(r["av_delay_ms"], 2)),
    ("pk_delay\nms", lambda r: _number(r["pk_delay_ms"], 2)),
    ("drops", lambda r: str(r["drops"])),
    ("marks", lambda r: str(r["ecn_marks"])),
    ("ack_drop", lambda r: str(r["ack_drop"])),
    ("bulk\nflows", lambda r: str(r["bk_flows"])),
)
_CLASS: tuple[_Column, ...] = (
    ("rate\nMbit/s", lambda r: _number(r["rate_mbps"], 3)),
    ("ceil\nMbit/s", lambda r: _number(r["ceil_mbps"], 3)),
    ("sent\npackets", lambda r: str(r["pkts_sent"])),
    ("dropped\npackets", lambda r: str(r["drops"])),
    ("over-\nlimits", lambda r: str(r["overlimits"])),
    ("lended", lambda r: str(r["lended"])),
    ("borrowed", lambda r: str(r["borrowed"])),
)


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def classes(result: Result, most: int) -> Iterator[Table]:
    """A table of tins and one of classes, of the places where more than one took packets."""
    import polars as pl

    used = pl.coalesce("pkts_arrived", "pkts_sent") > 0
    busy = result.queue_classes.filter(used & (pl.col("part") != "qdisc"))
    busy = busy.filter(pl.len().over("place") > 1)
    for part, columns in (("tin", _TIN), ("class", _CLASS)):
        rows = busy.filter(pl.col("part") == part)
        if len(rows):
            yield _table(part, rows, columns, most)


def _table(part: str, rows: pl.DataFrame, columns: tuple[_Column, ...], most: int) -> Table:
    from rich.table import Table

    shown = Table()
    shown.add_column("queue")
    shown.add_column(part)
    for head, _ in columns:
        shown.add_column(head, justify="right")
    for row in rows.head(most).iter_rows(named=True):
        shown.add_row(row["place"], row["class"], *(value(row) for _, value in columns))
    if rows.height > most:
        shown.caption = f"and {rows.height - most} more: `--out FOLDER` keeps all"
        shown.caption_justify = "left"
    return shown
