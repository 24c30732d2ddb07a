"""The cost of a sweep, from runs that are made for it and thrown away."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from acklab.results import Result
from acklab.scenario import Scenario, run_many
from acklab.sweeps.packing import pack
from acklab.sweeps.plan import Plan
from acklab.sweeps.shares import Share
from acklab.wording import many

#: Cells of which one run each is made: the first, the middle one, the last.
_SAMPLED = 3
#: No more runs are made after so many seconds.
_PATIENCE = 20.0


@dataclass(frozen=True)
class Estimate:
    """Estimate of a sweep: its runs, its time, and the size of its files."""

    folder: Path
    cells: int
    seeds: int
    #: Of the whole sweep.
    of_runs: int
    #: To do: all of them, or those of a shard.
    runs: int
    shard: str | None
    #: How many values each column of the grid has, and of which key.
    grid: dict[str, tuple[str, int]]
    jobs: int
    seconds: float
    seconds_per_run: float
    bytes: float
    #: So many runs were made to measure.
    measured: int

    def told(self) -> str:
        """All of it in lines."""
        of = "" if self.shard is None else f" of {self.of_runs:,} (shard {self.shard})"
        runs = f"{many(self.runs, 'run')}{of}"
        made = many(self.measured, "run")
        each = f"{self.seconds_per_run:.2g} s a run"
        return "\n".join(
            (
                f"would run: {many(self.cells, 'cell')}, {many(self.seeds, 'seed')}: {runs}",
                *(f"  {n}: {count:,} values of {key}" for n, (key, count) in self.grid.items()),
                f"time: about {span(self.seconds)} on {self.jobs} threads ({each})",
                f"disk: about {size(self.bytes)}, and as much again while it is at work",
                f"measured on {made}; results would go to {self.folder}",
            )
        )


def of(plan: Plan, target: Path, share: Share | None, jobs: int) -> Estimate:
    """Estimate for `plan`, or for a share of it, on so many threads."""
    runs = plan.runs if share is None else len(share.runs(plan))
    seconds, each, made = sampled(plan)
    return Estimate(
        folder=target,
        cells=plan.grid.cells,
        seeds=len(plan.seeds),
        of_runs=plan.runs,
        runs=runs,
        shard=None if share is None else f"{share.place} of {share.of}",
        grid={k.name: (k.key, k.values.count) for k in plan.grid.keys},
        jobs=jobs,
        seconds=seconds * runs / min(jobs, max(runs, 1)),
        seconds_per_run=seconds,
        bytes=each * runs,
        measured=made,
    )


def sampled(plan: Plan) -> tuple[float, float, int]:
    """Seconds and bytes of a run: the means of the runs that were made, and their number."""
    cells = sorted({0, plan.grid.cells // 2, plan.grid.cells - 1})
    seconds, sizes = [], []
    for cell in islice(cells, _SAMPLED):
        began = time.monotonic()
        [result] = run_many([(Scenario(plan.load(cell)), plan.seeds[0])], jobs=1)
        sizes.append(_packed(result))
        seconds.append(time.monotonic() - began)
        if sum(seconds) > _PATIENCE:
            break
    return sum(seconds) / len(seconds), sum(sizes) / len(sizes), len(seconds)


def _packed(result: Result) -> int:
    _, packed = pack(result)
    return len(packed)


def span(seconds: float) -> str:
    """A duration in words."""
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{max(seconds, 0.1):.1f} s"


def size(amount: float) -> str:
    """A number of bytes in words."""
    for large, unit in ((1e9, "GB"), (1e6, "MB")):
        if amount >= large:
            return f"{amount / large:.1f} {unit}"
    return f"{amount / 1e3:.0f} kB"
