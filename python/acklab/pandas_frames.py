"""Tables as pandas frames, for who works with pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl


def to_pandas(frame: pl.DataFrame) -> Any:
    """The frame as one of pandas; whole numbers that some rows lack become its `Int64`."""
    try:
        import pandas as pd
    except ImportError:
        raise AcklabError(
            "to_pandas() needs pandas, which is not installed\n"
            "  help: pip install 'acklab[pandas]'; tables are Polars frames without it"
        ) from None
    return pd.DataFrame({name: _column(pd, frame[name]) for name in frame.columns})


def _column(pd: Any, column: pl.Series) -> Any:
    import polars as pl

    if column.dtype.is_integer() and column.null_count():
        kind = "UInt64" if column.dtype.is_unsigned_integer() else "Int64"
        return pd.array(column.to_list(), dtype=kind)
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        return column.to_numpy() if not column.null_count() else _floats(column)
    return column.to_list()


def _floats(column: pl.Series) -> Any:
    """As pandas has missing numbers: not-a-number; missing truth values stay `None`."""
    import polars as pl

    if column.dtype == pl.Boolean:
        return column.to_list()
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
