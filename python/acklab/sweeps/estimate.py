"""What a sweep would cost, from runs that are made for it and thrown away."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path

from acklab.results import Result
from acklab.scenario import Scenario, run_many
from acklab.sweeps.packing import pack
from acklab.sweeps.plan import Plan
from acklab.sweeps.shares import Share

#: Cells of which one run each is made: the first, the middle one, the last.
_SAMPLED = 3
#: No more runs are made after so many seconds.
_PATIENCE = 20.0


def told(plan: Plan, target: Path, share: Share | None, jobs: int) -> str:
    """What would run, how long it would take and how much it would write, in lines."""
    runs = plan.runs if share is None else len(share.runs(plan))
    seconds, size, made = sampled(plan)
    of = "" if share is None else f" of {plan.runs:,} (shard {share.place} of {share.of})"
    took = seconds * runs / min(jobs, max(runs, 1))
    return "\n".join(
        (
            f"would run: {plan.grid.cells:,} cells, {len(plan.seeds):,} seeds: {runs:,} runs{of}",
            *(f"  {k.name}: {k.values.count:,} values of {k.key}" for k in plan.grid.keys),
            f"time: about {_time(took)} on {jobs} threads ({seconds:.2g} s a run)",
            f"disk: about {_size(size * runs)}, and as much again while it is at work",
            f"measured on {made} {'run' if made == 1 else 'runs'}; results would go to {target}",
        )
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


def _time(seconds: float) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{max(seconds, 0.1):.1f} s"


def _size(amount: float) -> str:
    for size, unit in ((1e9, "GB"), (1e6, "MB")):
        if amount >= size:
            return f"{amount / size:.1f} {unit}"
    return f"{amount / 1e3:.0f} kB"
