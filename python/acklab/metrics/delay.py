"""Percentiles and power."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result


def percentile(result: Result, table: str, column: str, percent: float) -> float | None:
    """The nearest-rank percentile of a column; nulls do not count, `None` if nothing is left."""
    if not 0 <= percent <= 100:
        raise AcklabError(f"there is no {percent} % percentile\n  help: write 0 to 100")
    frame: pl.DataFrame = getattr(result, table)
    return nearest_rank(frame[column], percent)


def nearest_rank(values: pl.Series, percent: float) -> float | None:
    """The smallest of `values` that at least `percent` per cent of them do not exceed."""
    known = values.drop_nulls().sort()
    rank = max(1, math.ceil(known.len() * percent / 100))
    return None if known.is_empty() else float(known[rank - 1])


def power(result: Result) -> pl.DataFrame:
    """Each flow's goodput in Mbit/s divided by its mean RTT in seconds; null without an RTT."""
    import polars as pl

    rtt = pl.col("rtt_mean_ms") / 1e3
    ratio = pl.when(rtt > 0).then(pl.col("goodput_mbps") / rtt)
    return result.flows.select("flow", ratio.alias("power"))
