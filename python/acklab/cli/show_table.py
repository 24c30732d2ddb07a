"""How a table for the terminal gets as wide as that is: with fewer columns, or in lines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

#: Of more flows or links the first so many are shown: nobody reads on, and drawing a table of ten
#: thousand rows takes longer than the run.
MOST_ROWS = 100

#: Heads that a narrow terminal goes without, the first of them first.
_SPARED = (
    "complete\ns", "segments\nper ACK", "cwnd mean\npackets", "timeouts", "one-way\ndelay\np50 ms",
    "RTT p95\nms", "transport", "ACKs dropped", "ACKs seen", "con-\ntrol", "SIFS", "noise",
    "colli-\nsion", "others\nsend", "conten-\ntion", "ACKs\nper RTT", "data packets", "ack_drop",
    "bulk\nflows", "marks", "over-\nlimits", "lended", "pk_delay\nms",
)  # fmt: skip


def number(value: float | None, digits: int) -> str:
    """Nothing where there is no value."""
    return "" if value is None else f"{value:.{digits}f}"


def in_a_line(head: object) -> str:
    """A head of a column that has several lines, in one."""
    return " ".join(str(head).replace("-\n", "").split())


def close(table: Table, rows: int, what: str) -> None:
    """Says what a table does not show."""
    if rows > MOST_ROWS:
        table.caption = f"and {rows - MOST_ROWS} more {what}: `--out FOLDER` keeps all"
        table.caption_justify = "left"


def fits(table: Table, out: Console) -> bool:
    """Whether the terminal is wide enough for the table as it is."""
    from rich.measure import Measurement

    unlimited = out.options.update(max_width=10_000)
    return Measurement.get(out, unlimited, table).maximum <= out.width


def shown(table: Table, out: Console) -> None:
    """Prints a table with as many columns as fit; no value is cut. Left-out columns are named.

    A column in which no row has a value does not appear.
    """
    table.columns = [c for c in table.columns if any(c.cells) or not table.row_count]
    whole, left = list(table.columns), list[str]()
    for head in _SPARED:
        if fits(table, out):
            break
        for column in [c for c in table.columns if c.header == head]:
            table.columns.remove(column)
            left.append(in_a_line(head))
    if not fits(table, out):
        table.columns = whole
        _in_lines(table, out)
        return
    out.print(table)
    if left:
        print(
            f"not shown, the terminal is too narrow: {', '.join(left)}; --json prints everything",
            file=sys.stderr,
        )


def _in_lines(table: Table, out: Console) -> None:
    """The rows as lines that break at words, each value after its column's head."""
    heads = [in_a_line(c.header) for c in table.columns]
    if table.title:
        out.print(table.title)
    for row in zip(*(c.cells for c in table.columns), strict=True):
        out.print(", ".join(f"{h}: {v}" for h, v in zip(heads, row, strict=True) if v))
    if table.caption:
        out.print(table.caption)
