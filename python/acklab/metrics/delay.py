"""Percentiles and power."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from acklab import arguments
from acklab.errors import AcklabError
from acklab.metrics.derived import with_metric
from acklab.stats import check_numeric

if TYPE_CHECKING:
    import polars as pl

    from acklab.opening import SavedRun
    from acklab.results import Result


#: Tables of a run.
TABLES = ("flows", "links", "series", "link_series", "events", "acks", "packets")


def percentile(result: Result | SavedRun, table: str, column: str, percent: float) -> float | None:
    """The nearest-rank percentile of a column; nulls do not count, `None` if nothing is left."""
    if not 0 <= percent <= 100:
        raise AcklabError(f"there is no {percent} % percentile\n  help: write 0 to 100")
    if table not in TABLES:
        raise AcklabError(f"there is no table {table!r}\n  help: there are {', '.join(TABLES)}")
    arguments.run("percentile()", result)
    frame: pl.DataFrame = getattr(result, table)
    check_numeric(frame, column)
    return nearest_rank(frame[column], percent)


def nearest_rank(values: pl.Series, percent: float) -> float | None:
    """The smallest of `values` that at least `percent` per cent of them do not exceed."""
    known = values.drop_nulls().sort()
    rank = max(1, math.ceil(known.len() * percent / 100))
    return None if known.is_empty() else float(known[rank - 1])


def power(result: Result | SavedRun) -> pl.DataFrame:
    """Each flow's goodput in Mbit/s by its mean RTT in seconds, after the warm-up; null without."""
    arguments.run("power()", result)
    return with_metric(result.flows, "power").select("flow", "power")
