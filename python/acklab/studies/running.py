"""The runs of a study: cells times seeds, and surveys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.scenario import load, run_many
from acklab.studies.study import Cell, Effort, Outcome, Survey

if TYPE_CHECKING:
    from acklab.results import Result
    from acklab.sweeps.results import SweepResult

#: While a thread is used otherwise each of the others is given so many runs at a time, for that one
#: may be free afterwards.
LOT = 4


def run_cells(
    cells: Sequence[Cell],
    effort: Effort,
    jobs: int,
    on_progress: Callable[[int, int], object] | None = None,
    busy: Callable[[], bool] = lambda: False,
) -> list[Outcome]:
    """Runs every cell with the seeds 1, 2, ...; `on_progress` is told runs done and runs in all.

    `busy` says whether one of the `jobs` threads is to be left alone. Nothing but time can change
    that, so it is asked again only while it is so: at the end of a lot threads wait for the last.
    """
    counts = [min(effort.seeds, c.seeds or effort.seeds) for c in cells]
    scenarios = [load(c.scenario) for c in cells]
    runs = [(s, seed) for s, k in zip(scenarios, counts, strict=True) for seed in range(1, k + 1)]
    done = 0

    def one_more(_: int) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, len(runs))

    def lots() -> Iterator[Result]:
        begun = 0
        while begun < len(runs) and busy():
            others = max(1, jobs - 1)
            lot = runs[begun : begun + LOT * others]
            yield from run_many(lot, jobs=others, on_done=one_more)
            begun += len(lot)
        yield from run_many(runs[begun:], jobs=jobs, on_done=one_more)

    results = lots()
    return [
        Outcome(c.keys, [next(results) for _ in range(k)])
        for c, k in zip(cells, counts, strict=True)
    ]


class Progress:
    """Runs done over all groups."""

    def __init__(self, total: int, tell: Callable[[int, int], object] | None) -> None:
        self._total, self._tell, self._before = total, tell, 0

    def of_group(self) -> Callable[[int, int], object]:
        """What the next group tells."""
        before = self._before

        def told(done: int, group: int) -> None:
            self._before = before + done
            if self._tell is not None:
                self._tell(self._before, max(self._total, before + group))

        return told


def runs_folder(group: str, effort: Effort) -> str:
    """Where a survey keeps its runs: those of another effort are another sweep."""
    return f"{group}-runs-{effort.seeds}" + ("-quick" if effort.quick else "")


def run_survey(
    survey: Survey,
    out: Path,
    jobs: int | None,
    on_progress: Callable[[int, int], object] | None = None,
) -> SweepResult:
    """Does the runs that `out` does not have yet."""
    from acklab.sweeps.api import sweep

    return sweep(
        survey.scenario,
        out=out,
        grid=survey.grid,
        zip=survey.zipped,
        seeds=survey.seeds,
        jobs=jobs,
        on_progress=on_progress,
    )
