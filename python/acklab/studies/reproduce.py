"""Running a study: cells times seeds, then its artefacts and its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.folder import writable_folder, write_atomically
from acklab.scenario import load, run_many
from acklab.studies.study import Artefact, Cell, Effort, Outcome, Study, Survey

if TYPE_CHECKING:
    import polars as pl

    from acklab.report.parts import Claim
    from acklab.sweeps.results import SweepResult


@dataclass(frozen=True)
class Written:
    """What a study left behind."""

    tables: dict[str, Path]
    plots: dict[str, Path]
    texts: dict[str, Path]
    report: Path | None


def run_cells(
    cells: Sequence[Cell],
    effort: Effort,
    jobs: int | None,
    on_progress: Callable[[int, int], object] | None = None,
) -> list[Outcome]:
    """Runs every cell with the seeds 1, 2, ...; `on_progress` is told runs done and runs in all."""
    counts = [min(effort.seeds, c.seeds or effort.seeds) for c in cells]
    scenarios = [load(c.scenario) for c in cells]
    runs = [(s, seed) for s, k in zip(scenarios, counts, strict=True) for seed in range(1, k + 1)]
    done = 0

    def one_more(_: int) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, len(runs))

    results = iter(run_many(runs, jobs=jobs, on_done=one_more))
    return [
        Outcome(c.keys, [next(results) for _ in range(k)])
        for c, k in zip(cells, counts, strict=True)
    ]


def run_groups(
    study: Study,
    names: Sequence[str],
    effort: Effort,
    folder: Path,
    jobs: int | None,
    on_progress: Callable[[int, int], object] | None = None,
) -> dict[str, list[Outcome] | SweepResult]:
    """The outcomes of these groups: all cells as one batch, then each survey, kept in `folder`."""
    groups = {name: study.groups[name](effort) for name in names}
    cells = {n: g for n, g in groups.items() if not isinstance(g, Survey)}
    batch = [c for group in cells.values() for c in group]
    outcomes = iter(run_cells(batch, effort, jobs, on_progress))
    found: dict[str, list[Outcome] | SweepResult] = {}
    for name, group in groups.items():
        if isinstance(group, Survey):
            out = folder / runs_folder(name, effort)
            found[name] = run_survey(group, out, jobs, on_progress)
        else:
            found[name] = [next(outcomes) for _ in group]
    return found


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


def reproduce(
    study: Study,
    artefacts: Sequence[Artefact],
    effort: Effort,
    out: Path,
    jobs: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> Written:
    """Runs `study` and writes `artefacts`; with all of them, the claims and a report too.

    Each file appears complete or not at all, and none before all runs are done, but for those that
    surveys keep.
    """
    folder = out / study.name
    with writable_folder(folder):
        names = list(dict.fromkeys(a.group for a in artefacts))
        groups = run_groups(study, names, effort, folder, jobs, on_progress)
        frames = {a.name: a.table(groups[a.group]) for a in artefacts}
        tables = {
            name: _csv(_told(frame, effort), folder / f"{name}.csv")
            for name, frame in frames.items()
        }
        plots = {a.name: a.plot(frames[a.name], folder / a.name) for a in artefacts if a.plot}
        for a in artefacts:
            plots |= a.files(frames[a.name], folder) if a.files else {}
        texts = {
            a.name: _text(a.text(frames[a.name]), folder / f"{a.name}.md")
            for a in artefacts
            if a.text
        }
        if any(a.name not in frames for a in study.whole):
            return Written(tables, plots, texts, None)
        from acklab.report.page import write_report

        claims = study.claims(frames) if study.claims else []
        if claims:
            tables["claims"] = _csv(_told(claims_frame(claims), effort), folder / "claims.csv")
        report = write_report(study, frames, plots, effort, folder, claims)
        return Written(tables, plots, texts, report)


def _told(frame: pl.DataFrame, effort: Effort) -> pl.DataFrame:
    """Rows of short runs say so: the paper's and the references' beside them are not short."""
    import polars as pl

    return frame.with_columns(pl.lit(True).alias("quick")) if effort.quick else frame


def claims_frame(claims: Sequence[Claim]) -> pl.DataFrame:
    """The claims as a table."""
    import polars as pl

    return pl.DataFrame(
        [
            {
                "id": c.id,
                "sentence": c.sentence,
                "where": c.where,
                "verdict": c.verdict,
                "numbers": c.ours,
                "mechanism": c.mechanism,
                "figure": c.figure,
            }
            for c in claims
        ]
    )


def _text(text: str, path: Path) -> Path:
    write_atomically(path, text + "\n")
    return path


def _csv(frame: pl.DataFrame, path: Path) -> Path:
    write_atomically(path, frame.write_csv(float_precision=6))
    return path
