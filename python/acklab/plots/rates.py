"""Rates of flows over windows of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl

#: Default number of windows across a plot: as many steps as the eye follows.
WINDOWS = 200


def window_of(series: pl.DataFrame, asked: float | None = None) -> float:
    """A window of at least one sample: the one asked for, or a 200th of the plot. Seconds."""
    times = series["time_s"].unique().sort()
    step = float(times.diff().median() or 0.0)  # type: ignore[arg-type]
    span = float(times[-1] - times[0])
    if asked is not None and not 0 < asked <= max(span, step):
        raise AcklabError(
            f"there is no window of {asked:g} s in {span:g} s\n"
            f"  help: give --window a time above zero and at most that"
        )
    return max(step, asked if asked is not None else span / WINDOWS)


def goodput(series: pl.DataFrame, window: float) -> pl.DataFrame:
    """`time_s` (end of the window), `flow`, `mbps`, of each flow that was there.

    Bytes read by the receiving application if they were recorded, else bytes acknowledged.
    """
    import polars as pl

    bits = (
        pl.col("goodput_mbps") * 1e6 * _steps()
        if "goodput_mbps" in series.columns
        else pl.col("acked_bytes").cast(pl.Float64).diff().over("flow") * 8
    )
    first = float(series["time_s"].min())  # type: ignore[arg-type]
    # A sample speaks for what was before it; a thousandth keeps bounds clear of rounding.
    index = ((pl.col("time_s") - first) / window - 1e-3).floor().cast(pl.Int64)
    return (
        series.sort("time_s", maintain_order=True)
        .with_columns(bits.alias("bits"), _steps().alias("seconds"), index.alias("bin"))
        .filter(pl.col("bits").is_not_null())
        .group_by("flow", "bin", maintain_order=True)
        .agg(pl.col("bits").sum(), pl.col("seconds").sum(), pl.col("time_s").last())
        .filter(pl.col("seconds") > 0)
        .select("time_s", "flow", (pl.col("bits") / pl.col("seconds") / 1e6).alias("mbps"), "bin")
    )


def _steps() -> pl.Expr:
    import polars as pl

    return pl.col("time_s").diff().over("flow")
