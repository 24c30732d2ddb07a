"""Running a study: cells times seeds, then its artefacts and its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.folder import writable_folder, write_atomically
from acklab.scenario import load, run_many
from acklab.studies.study import Artefact, Effort, Outcome, Study

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Written:
    """What a study left behind."""

    tables: dict[str, Path]
    plots: dict[str, Path]
    report: Path | None


def run_cells(
    study: Study,
    effort: Effort,
    jobs: int | None,
    on_progress: Callable[[int, int], object] | None = None,
) -> list[Outcome]:
    """Runs every cell with the seeds 1, 2, ...; `on_progress` is told runs done and runs in all."""
    cells = study.cells(effort)
    seeds = range(1, effort.seeds + 1)
    runs = [(s, seed) for s in (load(c.scenario) for c in cells) for seed in seeds]
    done = 0

    def one_more(_: int) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, len(runs))

    results = run_many(runs, jobs=jobs, on_done=one_more)
    k = effort.seeds
    return [Outcome(c.keys, results[i * k : (i + 1) * k]) for i, c in enumerate(cells)]


def reproduce(
    study: Study,
    artefacts: Sequence[Artefact],
    effort: Effort,
    out: Path,
    jobs: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> Written:
    """Runs `study` and writes `artefacts`; with all of them, a report too."""
    folder = out / study.name
    with writable_folder(folder):
        outcomes = run_cells(study, effort, jobs, on_progress)
        frames = {a.name: a.table(outcomes) for a in artefacts}
        tables = {name: _csv(frame, folder / f"{name}.csv") for name, frame in frames.items()}
        plots = {a.name: a.plot(frames[a.name], folder / a.name) for a in artefacts if a.plot}
        if len(artefacts) < len(study.artefacts):
            return Written(tables, plots, None)
        from acklab.report.page import write_report

        return Written(tables, plots, write_report(study, frames, plots, effort, folder))


def _csv(frame: pl.DataFrame, path: Path) -> Path:
    write_atomically(path, frame.write_csv(float_precision=6))
    return path
