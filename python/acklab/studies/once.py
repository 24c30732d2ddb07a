"""Cells that several groups of a study have: run once, and used by each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from acklab.results import Result
from acklab.studies.study import Cell, Effort, Outcome


class Once:
    """What is run of groups that come one after the other; keeps what a later one needs."""

    def __init__(self, groups: Iterable[Sequence[Cell]]) -> None:
        cells = [c for group in groups for c in group]
        self._times = Counter(_identity(c) for c in cells)
        self._seeds = {_identity(c): c.seeds for c in cells}
        self._kept: dict[str, Sequence[Result]] = {}

    def runs(self, effort: Effort) -> int:
        """How many runs that is; of a survey it is known only when it begins."""
        return sum(min(effort.seeds, n or effort.seeds) for n in self._seeds.values())

    def outcomes(
        self, cells: Sequence[Cell], run: Callable[[Sequence[Cell]], Sequence[Outcome]]
    ) -> list[Outcome]:
        """A group's outcomes, in its order; `run` gets the cells that are new."""
        new = {of: c for c in cells if (of := _identity(c)) not in self._kept}
        for of, outcome in zip(new, run(list(new.values())), strict=True):
            self._kept[of] = outcome.results
        found = [Outcome(c.keys, self._kept[_identity(c)]) for c in cells]
        self._times -= Counter(_identity(c) for c in cells)
        self._kept = {of: results for of, results in self._kept.items() if self._times[of]}
        return found


def _identity(cell: Cell) -> str:
    """Cells with the same scenario and seeds are the same runs, whatever their keys."""
    return json.dumps([cell.scenario, cell.seeds], default=str)
