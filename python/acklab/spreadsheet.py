"""Tables as CSV that a spreadsheet shows and does not run.

A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula. Names of flows and
keys come from scenarios that may be another person's. Such a cell gets an apostrophe in front,
which a spreadsheet reads as "this is text" (OWASP, *CSV Injection*). Numbers stay, also with a
unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: Cells that a spreadsheet would run: not a number with a sign, perhaps with a unit behind it.
_RUN = r"^[=@\t\r]|^[+-]"
_NUMBER = r"^[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:\s*[A-Za-zµ%][\w/%]*)?$"


def csv(frame: pl.DataFrame, digits: int | None = None) -> str:
    """The frame as CSV; numbers with so many `digits` behind the point, or exactly."""
    import polars as pl
    import polars.selectors as cs

    texts = frame.select(cs.string() | cs.categorical() | cs.enum()).columns
    return frame.with_columns(_quoted(pl.col(c)) for c in texts).write_csv(float_precision=digits)


def _quoted(column: pl.Expr) -> pl.Expr:
    """The column's words, with an apostrophe in front of those that would be run."""
    import polars as pl

    words = column.cast(pl.String)
    run = words.str.contains(_RUN) & ~words.str.contains(_NUMBER)
    return pl.when(run).then("'" + words).otherwise(words).alias(column.meta.output_name())
