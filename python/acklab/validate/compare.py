"""Running the references' cells here, and judging the difference."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from acklab.scenario import load, run_many
from acklab.validate.criteria import METRICS
from acklab.validate.reference import Reference

if TYPE_CHECKING:
    from acklab.results import Result

#: Level of the rank test.
_SURE = 0.01
_VERDICTS = {True: "ok", False: "off", None: ""}


@dataclass(frozen=True)
class Metric:
    """One metric of one cell: the reference's median and range, and our medians."""

    name: str
    reference: float
    low: float
    high: float
    acklab: float
    #: The same with the emulator's lateness; `None` if the reference has none.
    late: float | None
    #: `None` if the metric does not decide.
    ok: bool | None
    #: The verdict on `late`.
    late_ok: bool | None
    #: The medians are too far apart, but the samples are `alike`.
    drawn: bool = False

    @property
    def error(self) -> float:
        """Relative to the reference; to one if that is zero."""
        return self._off(self.acklab)

    @property
    def late_error(self) -> float | None:
        """The same with the emulator's lateness."""
        return None if self.late is None else self._off(self.late)

    def _off(self, ours: float) -> float:
        return (ours - self.reference) / (abs(self.reference) or 1.0)


@dataclass(frozen=True)
class Comparison:
    """A reference's cell and what came of it here."""

    reference: Reference
    metrics: Sequence[Metric]

    @property
    def ok(self) -> bool:
        """Whether every metric that decides is close enough."""
        return all(m.ok is not False for m in self.metrics)

    @property
    def drawn(self) -> bool:
        """Whether medians are too far apart and a rank test had to speak."""
        return any(m.drawn for m in self.metrics)

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
                "verdict": "alike" if m.drawn else _VERDICTS[m.ok],
                "acklab_late": m.late,
                "error_late": m.late_error,
                "verdict_late": _VERDICTS[m.late_ok],
            }
            for m in self.metrics
        ]


def compare(
    references: Sequence[Reference],
    seeds: int,
    jobs: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> list[Comparison]:
    """Runs every scenario of every cell with the seeds 1, 2, ... and compares medians.

    Cells that have a scenario in common, as the flows of a pair do, share its runs.
    """
    runs = []
    for reference in references:
        for scenarios in (reference.scenarios, reference.late_scenarios):
            loaded = [load(s) for s in scenarios]
            runs.append([(s, seed) for s in loaded for seed in range(1, seeds + 1)])
    made = {(s.resolved, seed): (s, seed) for s, seed in chain.from_iterable(runs)}
    done = 0

    def one_more(_: int) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, len(made))

    results = run_many(list(made.values()), jobs=jobs, on_done=one_more)
    found = dict(zip(made, results, strict=True))
    comparisons = []
    for reference, ideal, late in zip(references, runs[::2], runs[1::2], strict=True):
        cell, cell_late = (
            _measured(reference, (found[s.resolved, seed] for s, seed in part))
            for part in (ideal, late)
        )
        comparisons.append(Comparison(reference, _metrics(reference, cell, cell_late)))
    return comparisons


def _measured(reference: Reference, results: Iterable[Result]) -> list[dict[str, float]]:
    return [{m: measure(r) for m, measure in reference.measures.items()} for r in results]


def _metrics(
    reference: Reference,
    ideal: Sequence[dict[str, float]],
    late: Sequence[dict[str, float]],
) -> list[Metric]:
    metrics = []
    for name in reference.measures:
        values = reference.values[name]
        if not values:
            continue
        theirs = statistics.median(values)
        ours, ours_late = (
            statistics.median(r[name] for r in runs) if runs else None for runs in (ideal, late)
        )
        assert ours is not None, "a reference has a scenario"
        tolerance = reference.criteria.get(name)
        ok, late_ok = (
            None if tolerance is None or x is None else tolerance.holds(x, theirs)
            for x in (ours, ours_late)
        )
        drawn = ok is False and reference.draws and alike(values, [r[name] for r in ideal])
        span = (min(values), max(values))
        metrics.append(Metric(name, theirs, *span, ours, ours_late, drawn or ok, late_ok, drawn))
    return metrics


def alike(theirs: Sequence[float], ours: Sequence[float]) -> bool:
    """Whether two samples may be draws of the same thing: a rank test (Mann and Whitney) does not
    tell them apart at 1 %. Of samples so small that it never could, each value of theirs has to be
    within the range of ours.
    """
    from scipy.stats import mannwhitneyu

    if 2 / math.comb(len(theirs) + len(ours), len(ours)) > _SURE:
        return all(min(ours) <= x <= max(ours) for x in theirs)
    return bool(mannwhitneyu(theirs, ours).pvalue >= _SURE)
