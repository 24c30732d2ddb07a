"""Running the references' cells here, and judging the difference."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from acklab.scenario import load, run_many
from acklab.validate.criteria import METRICS
from acklab.validate.reference import Reference


@dataclass(frozen=True)
class Metric:
    """One metric of one cell: the reference's median and range, and our median."""

    name: str
    reference: float
    low: float
    high: float
    acklab: float
    #: `None` if the metric does not decide.
    ok: bool | None

    @property
    def error(self) -> float:
        """Relative to the reference; to one if that is zero."""
        return (self.acklab - self.reference) / (abs(self.reference) or 1.0)


@dataclass(frozen=True)
class Comparison:
    """A reference's cell and what came of it here."""

    reference: Reference
    metrics: Sequence[Metric]

    @property
    def ok(self) -> bool:
        """Whether every metric that decides is close enough."""
        return all(m.ok is not False for m in self.metrics)

    def rows(self) -> list[dict[str, Any]]:
        """One row per metric, for the CSV."""
        return [
            {
                "source": self.reference.source,
                "cell": self.reference.name,
                "metric": m.name,
                "unit": METRICS[m.name].rpartition(", ")[2],
                "reference": m.reference,
                "reference_low": m.low,
                "reference_high": m.high,
                "repeats": len(self.reference.values[m.name]),
                "disturbed": self.reference.disturbed,
                "acklab": m.acklab,
                "error": m.error,
                "verdict": {True: "ok", False: "off", None: ""}[m.ok],
            }
            for m in self.metrics
        ]


def compare(
    references: Sequence[Reference],
    seeds: int,
    jobs: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> list[Comparison]:
    """Runs every scenario of every cell with the seeds 1, 2, ... and compares medians."""
    runs = []
    for reference in references:
        loaded = [load(s) for s in reference.scenarios]
        runs.append([(s, seed) for s in loaded for seed in range(1, seeds + 1)])
    total = sum(map(len, runs))
    done = 0

    def one_more(_: int) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, total)

    results = iter(run_many(list(chain.from_iterable(runs)), jobs=jobs, on_done=one_more))
    comparisons = []
    for reference, cell in zip(references, runs, strict=True):
        flows = [r.flows.row(0, named=True) for r in islice(results, len(cell))]
        comparisons.append(Comparison(reference, _metrics(reference, flows)))
    return comparisons


def _metrics(reference: Reference, flows: Sequence[dict[str, Any]]) -> list[Metric]:
    metrics = []
    for name, column in reference.columns.items():
        values = reference.values[name]
        if not values:
            continue
        theirs = statistics.median(values)
        ours = statistics.median(float(f[column]) for f in flows)
        tolerance = reference.criteria.get(name)
        ok = None if tolerance is None else tolerance.holds(ours, theirs)
        metrics.append(Metric(name, theirs, min(values), max(values), ours, ok))
    return metrics
