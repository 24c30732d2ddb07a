"""Mean and confidence interval of a few repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with its confidence interval; the interval is NaN for a single value."""

    mean: float
    low: float
    high: float
    n: int


#: Range of a mean of rates, counts and times, and of one of shares or of Jain's index.
AMOUNT = (0.0, math.inf)
SHARE = (0.0, 1.0)
#: Columns and metrics that are shares.
_SHARES = frozenset({"jain", "utilisation"})
#: Range of metrics that are at most 1, and below zero where the change is a gain.
_SIGNED = {"harm": (-math.inf, 1.0)}


def estimate(
    values: Sequence[float],
    confidence: float = CONFIDENCE,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """Mean and Student-t confidence interval of `values`, taken as independent.

    The interval is cut at what the mean can be, `within`; that costs no coverage, since the true
    mean is never in what is cut off.
    """
    n = len(values)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, math.nan, math.nan, 1)
    variance = math.fsum((v - mean) ** 2 for v in values) / (n - 1)
    half = t_quantile(n - 1, confidence) * math.sqrt(variance / n)
    low, high = within
    return Estimate(mean, max(mean - half, low), min(mean + half, high), n)


def estimate_by(frame: pl.DataFrame, groups: Sequence[str], metric: str) -> pl.DataFrame:
    """`estimate` of the column `metric` in each group: `mean`, `ci_low`, `ci_high`, `n`.

    Columns are amounts, none of which is below zero, or shares, which are not above one either.
    Groups stand in the order of their first rows. What there is none of does not count.
    """
    import polars as pl

    check_numeric(frame, metric)
    values = pl.col(metric).cast(pl.Float64).drop_nulls()
    grouped = frame.group_by(groups, maintain_order=True).agg(
        values.mean().alias("mean"),
        values.std(ddof=1).alias("_deviation"),
        values.len().cast(pl.Int64).alias("n"),
    )
    quantiles = {int(n): t_quantile(int(n) - 1) for n in grouped["n"].unique() if n > 1}
    t = pl.col("n").replace_strict(quantiles, default=None, return_dtype=pl.Float64)
    half = t * pl.col("_deviation") / pl.col("n").cast(pl.Float64).sqrt()
    mean = pl.col("mean")
    least, most = _SIGNED.get(metric, SHARE if metric in _SHARES else AMOUNT)
    low, high = (mean - half).clip(least, None), (mean + half).clip(None, most)
    bounds = [low.alias("ci_low"), high.alias("ci_high"), pl.col("n")]
    return grouped.select(*groups, mean, *bounds)


def check_numeric(frame: pl.DataFrame, column: str) -> None:
    """An error if `frame` has no such column, or one of words."""
    dtype = frame.schema.get(column)
    if dtype is not None and (dtype.is_numeric() or dtype.is_temporal()):
        return
    what = f"{column!r} is a column of words" if dtype is not None else f"no column {column!r}"
    numbers = ", ".join(c for c, kind in frame.schema.items() if kind.is_numeric())
    raise AcklabError(f"there is nothing to average: {what}\n  help: the numbers are {numbers}")


@cache
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + confidence / 2))
