"""Counters of the tins and classes of queue disciplines, as tables for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from acklab.cli.show_table import MOST_ROWS, close, fits, in_a_line, number

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table

    from acklab.results import Result

#: A head, and what stands below it.
_Column = tuple[str, Callable[[dict[str, Any]], str]]

_TIN: tuple[_Column, ...] = (
    ("thresh\nMbit/s", lambda r: number(r["threshold_mbps"], 3)),
    ("packets", lambda r: str(r["pkts_arrived"])),
    ("av_delay\nms", lambda r: number(r["av_delay_ms"], 2)),
    ("pk_delay\nms", lambda r: number(r["pk_delay_ms"], 2)),
    ("drops", lambda r: str(r["drops"])),
    ("marks", lambda r: str(r["ecn_marks"])),
    ("ack_drop", lambda r: str(r["ack_drop"])),
    ("bulk\nflows", lambda r: str(r["bk_flows"])),
)
_CLASS: tuple[_Column, ...] = (
    ("rate\nMbit/s", lambda r: number(r["rate_mbps"], 3)),
    ("ceil\nMbit/s", lambda r: number(r["ceil_mbps"], 3)),
    ("sent\npackets", lambda r: str(r["pkts_sent"])),
    ("dropped\npackets", lambda r: str(r["drops"])),
    ("over-\nlimits", lambda r: str(r["overlimits"])),
    ("lended", lambda r: str(r["lended"])),
    ("borrowed", lambda r: str(r["borrowed"])),
)


#: Of more queues a table each, with the quantities below each other, would be too long.
_FEW = 4


def classes(result: Result, out: Console) -> Iterator[Table]:
    """A table of tins and one of classes, of the places where more than one took packets.

    Where that is wider than the terminal, there is a table for each place, as `tc -s qdisc` has
    it: the tins across, and their quantities below each other.
    """
    import polars as pl

    used = pl.coalesce("pkts_arrived", "pkts_sent") > 0
    busy = result.queue_classes.filter(used & (pl.col("part") != "qdisc"))
    busy = busy.filter(pl.len().over("place") > 1)
    for part, columns in (("tin", _TIN), ("class", _CLASS)):
        rows = busy.filter(pl.col("part") == part)
        if not len(rows):
            continue
        below = _below_each_other(part, rows, columns)
        places = rows.partition_by("place", maintain_order=True)
        beside = [_beside_each_other(of, columns) for of in places]
        narrow = len(beside) <= _FEW and not fits(below, out) and all(fits(t, out) for t in beside)
        yield from beside if narrow else [below]


def _below_each_other(part: str, rows: pl.DataFrame, columns: tuple[_Column, ...]) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("queue")
    table.add_column(part)
    for head, _ in columns:
        table.add_column(head, justify="right")
    for row in rows.head(MOST_ROWS).iter_rows(named=True):
        table.add_row(row["place"], row["class"], *(value(row) for _, value in columns))
    close(table, rows.height, {"tin": "tins", "class": "classes"}[part])
    return table


def _beside_each_other(rows: pl.DataFrame, columns: tuple[_Column, ...]) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column(rows["place"][0])
    for name in rows["class"]:
        table.add_column(name, justify="right")
    for head, value in columns:
        table.add_row(in_a_line(head), *(value(row) for row in rows.iter_rows(named=True)))
    return table
