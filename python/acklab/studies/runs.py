"""Quantities seed by seed, and what may be said of differences between them.

Cells share their seeds, so runs are compared seed by seed: the interval is that of the mean of the
differences (Student's t), whatever two cells have in common. A difference whose interval contains 0
is undecided, and so is any of a single seed. Where all seeds agree, the interval is a point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from acklab.stats import Estimate, estimate

if TYPE_CHECKING:
    import polars as pl

#: A value by seed.
Sample = Mapping[int, float]
#: Quantity, set-up, controller or pair, and ratio; over the air aggregation or limit in KB.
Cell = tuple[str, str, str, int | str]
#: With ten seeds, standard deviations differ (F test, 95 %) if one is twice the other.
APART = 2.0
#: What they vary.
_VARIED = ("ratio", "aggregation", "kilobytes")


@dataclass(frozen=True)
class Runs:
    """Every number of some tables."""

    values: Mapping[Cell, Sample] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Mapping[str, pl.DataFrame], names: Sequence[str]) -> Runs:
        """From those of a study's artefacts that have all seeds of their cells."""
        found: dict[Cell, dict[int, float]] = {}
        for table in (tables[name] for name in names if name in tables):
            key = "pair" if "pair" in table.columns else "cc"
            rows = table.drop_nulls("value")
            varied = next(name for name in _VARIED if name in table.columns)
            columns = ("quantity", "stack", key, varied, "seed", "value")
            for quantity, stack, of, cell, seed, value in rows.select(columns).iter_rows():
                found.setdefault((quantity, stack, of, cell), {})[seed] = value
        return cls(found)

    def at(self, quantity: str, stack: str, key: str, ratio: int | str) -> Sample:
        """The values by seed; none where no run has one."""
        return self.values.get((quantity, stack, key, ratio), {})


def mean(sample: Sample) -> float:
    """Over the seeds; not-a-number without any."""
    return known(sample).mean


def known(sample: Sample) -> Estimate:
    """The mean and its interval."""
    return estimate(list(sample.values()))


def difference(a: Sample, b: Sample) -> Sample:
    """`a` less `b`, of the seeds that both have."""
    return {seed: a[seed] - b[seed] for seed in a if seed in b}


def minus(a: Sample, b: Sample) -> Estimate:
    """What is known of `a` less `b`."""
    return known(difference(a, b))


def share(a: Sample, b: Sample) -> Sample:
    """By what share of `b` is `a` more, of the seeds that both have; not where `b` is nothing."""
    return {seed: a[seed] / b[seed] - 1 for seed in a if b.get(seed)}


def beyond(a: Sample, b: Sample) -> Estimate:
    """What is known of that share."""
    return known(share(a, b))


def total(samples: Iterable[Sample]) -> Sample:
    """The sums over samples, of the seeds that all of them have."""
    return {seed: sum(values) for seed, values in _together(samples)}


def spread(samples: Iterable[Sample]) -> Sample:
    """Largest less smallest over samples, of the seeds that all of them have."""
    return {seed: max(values) - min(values) for seed, values in _together(samples)}


def apart(samples: Iterable[Sample]) -> Estimate:
    """What is known of the largest over the smallest, less one."""
    each = _together(samples)
    return known({seed: max(v) / min(v) - 1 for seed, v in each if min(v) > 0})


def scatter(sample: Sample) -> float:
    """Coefficient of variation of single runs; none (0) of a single seed."""
    values = list(sample.values())
    return stdev(values) / fmean(values) if len(values) > 1 and fmean(values) > 0 else 0.0


def scatters(of: Mapping[str, Sample], cc: str, others: Iterable[str], seen: float) -> bool:
    """Whether single runs of a controller differ visibly, and by far more than those of others."""
    return scatter(of[cc]) > max(seen, APART * max(scatter(of[other]) for other in others))


def _together(samples: Iterable[Sample]) -> list[tuple[int, list[float]]]:
    given = list(samples)
    seeds = [s for s in given[0] if all(s in of for of in given)] if given else []
    return [(s, [of[s] for of in given]) for s in seeds]


def less(difference: Estimate, than: float = 0.0) -> bool:
    """Whether it is less than that with its whole interval; not of a single seed."""
    return difference.high < than


def more(difference: Estimate, than: float = 0.0) -> bool:
    """Whether it is more than that with its whole interval; not of a single seed."""
    return difference.low > than


def said(e: Estimate, digits: int = 2) -> str:
    """A mean with half of its interval, as text."""
    if e.n == 0:
        return "-"
    # Not "-0.00".
    text = f"{round(e.mean, digits) + 0.0:.{digits}f}"
    return f"{text} ± {(e.high - e.low) / 2:.{digits}f}" if e.n > 1 else f"{text} (one seed)"


def percent(e: Estimate, digits: int = 1) -> str:
    """A share as text, and whether its interval leaves it open."""
    if e.n == 0:
        return "-"
    of = Estimate(100 * e.mean, 100 * e.low, 100 * e.high, e.n)
    return f"{changed(of, digits)} %" if e.low != 0 or e.high != 0 else "none"


def changed(e: Estimate, digits: int = 2) -> str:
    """A difference as text, and whether its interval leaves it open."""
    if e.low == e.high == 0:
        return "none"
    return said(e, digits) + (" (undecided)" if e.n > 1 and e.low <= 0 <= e.high else "")
