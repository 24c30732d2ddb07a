"""Running the references' cells here, and judging the difference."""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from acklab.scenario import load, run_many
from acklab.validate.criteria import METRICS
from acklab.validate.reference import Reference

if TYPE_CHECKING:
    from acklab.scenario import Scenario

#: A scenario as it is resolved, and a seed.
_Run = tuple[str, int]
#: Runs whose results are held at one time, each of about a megabyte.
_AT_ONCE = 200
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
    #: The medians are too far apart, but a rank test does not tell the samples apart.
    drawn: bool = False
    #: The medians are too far apart, and the reference has too few runs for a rank test; they are
    #: within the range of ours.
    untested: bool = False

    @property
    def verdict(self) -> str:
        """In one word; empty if the metric does not decide."""
        if self.untested:
            return "untested"
        return "alike" if self.drawn else _VERDICTS[self.ok]

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
    def verdict(self) -> str:
        """That of the metric that agrees least: `ok`, `alike` (a rank test passed), `untested` (too
        few runs for one) or `off`.
        """
        found = {m.verdict for m in self.metrics}
        return next((v for v in ("off", "untested", "alike") if v in found), "ok")

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
                "verdict": m.verdict,
                "acklab_late": m.late,
                "error_late": m.late_error,
                "verdict_late": _VERDICTS[m.late_ok],
            }
            for m in self.metrics
        ]


def compare(
    references: Sequence[Reference],
    seeds: int | None = None,
    jobs: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> list[Comparison]:
    """Runs every scenario of every cell with the seeds 1, 2, ... and compares medians.

    Without `seeds` it takes as many as each reference asks for. Cells that have a scenario in
    common, as the flows of a pair do, share its runs.
    """
    made: dict[_Run, tuple[Scenario, int]] = {}
    parts: list[list[list[_Run]]] = []
    for reference in references:
        upto = (reference.seeds if seeds is None else seeds) + 1
        parts.append([])
        for scenarios in (reference.scenarios, reference.late_scenarios):
            pairs = [(s, seed) for s in map(load, scenarios) for seed in range(1, upto)]
            keyed = [((s.resolved, seed), (s, seed)) for s, seed in pairs]
            made |= keyed
            parts[-1].append([key for key, _ in keyed])
    users: dict[_Run, list[int]] = {key: [] for key in made}
    for i, own in enumerate(parts):
        for key in set(chain.from_iterable(own)):
            users[key].append(i)
    done = 0

    def one_more(_: int) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, len(made))

    # Of each reference what its measures say of its runs.
    said: list[dict[_Run, dict[str, float]]] = [{} for _ in references]
    keys = list(made)
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        results = run_many([made[key] for key in some], jobs=jobs, on_done=one_more)
        for key, result in zip(some, results, strict=True):
            for i in users[key]:
                said[i][key] = {m: of(result) for m, of in references[i].measures.items()}
    return [
        Comparison(reference, _metrics(reference, *([found[key] for key in part] for part in own)))
        for reference, found, own in zip(references, said, parts, strict=True)
    ]


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
        drawn = untested = False
        if ok is False and reference.draws:
            sample = [r[name] for r in ideal]
            if tells_apart(len(values), len(sample)):
                drawn = rank_test(values, sample) >= _SURE
            else:
                untested = all(min(sample) <= x <= max(sample) for x in values)
        ok = drawn or untested or ok
        span = (min(values), max(values))
        metrics.append(Metric(name, theirs, *span, ours, ours_late, ok, late_ok, drawn, untested))
    return metrics


def tells_apart(theirs: int, ours: int) -> bool:
    """Whether samples of these sizes can be told apart at all: if they do not overlap."""
    return 2 / math.comb(theirs + ours, ours) < _SURE


def rank_test(theirs: Sequence[float], ours: Sequence[float]) -> float:
    """How likely two samples of the same thing have rank sums as far apart as these, to either side
    (Mann and Whitney).

    Exact, also with ties, which share the mean of their ranks: every way to split all values into
    samples of these sizes counts. Ranks are doubled, so that sums are integers.
    """
    every = sorted([*theirs, *ours])
    ranks = [bisect_left(every, x) + bisect_right(every, x) + 1 for x in (*theirs, *ours)]
    # Of each number of values, in how many ways they have each sum.
    ways: list[Counter[int]] = [Counter({0: 1}), *(Counter[int]() for _ in theirs)]
    for rank in ranks:
        for k in range(len(theirs), 0, -1):
            for total, n in ways[k - 1].items():
                ways[k][total + rank] += n
    found = sum(ranks[: len(theirs)])
    low, high = (
        sum(n for total, n in ways[-1].items() if side * total <= side * found) for side in (1, -1)
    )
    return min(1.0, 2 * min(low, high) / math.comb(len(ranks), len(theirs)))
