"""Doing the runs of a sweep on the threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from acklab import _core
from acklab.arrays import ready
from acklab.holding import all_held
from acklab.results import Result
from acklab.scenario import Scenario
from acklab.sweeps.packing import pack
from acklab.sweeps.plan import Plan

#: Told the number of a finished run, its rows and its packed tables.
Keep = Callable[[int, int, bytes], object]


def run_here(plan: Plan, todo: Iterable[int], jobs: int, keep: Keep) -> None:
    """Does the runs `todo` on `jobs` threads. Ctrl-C interrupts within a moment."""
    running: dict[int, tuple[int, _core.Scenario]] = {}

    def jobs_to_do() -> Iterator[tuple[_core.Scenario, int]]:
        cell, scenario = -1, None
        for i, run in enumerate(todo):
            if scenario is None or plan.cell(run) != cell:
                cell = plan.cell(run)
                scenario = plan.load(cell)
            running[i] = (run, scenario)
            yield scenario, plan.seed(run)

    def on_run(i: int, core: _core.Run) -> None:
        run, scenario = running.pop(i)
        result = Result(Scenario(scenario), plan.seed(run), core)
        # A run that has ended is kept, whatever is heard meanwhile.
        with all_held():
            keep(run, *pack(result))

    ready()
    _core.run_stream(jobs_to_do(), jobs, on_run)
