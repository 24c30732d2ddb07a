"""Mean and confidence interval of a few repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with its confidence interval; the interval is NaN for a single value."""

    mean: float
    low: float
    high: float
    n: int


def estimate(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """Mean and Student-t confidence interval of `values`, taken as independent."""
    n = len(values)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, math.nan, math.nan, 1)
    variance = math.fsum((v - mean) ** 2 for v in values) / (n - 1)
    half = t_quantile(n - 1, confidence) * math.sqrt(variance / n)
    return Estimate(mean, mean - half, mean + half, n)


def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + confidence / 2))
