"""Running a study: cells times seeds, then its artefacts and its report."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from threading import Event
from typing import TYPE_CHECKING

from acklab.folder import unfinished, writable_folder, write_atomically
from acklab.plots import style
from acklab.plots.style import signed
from acklab.studies import provenance
from acklab.studies.kept import Kept, Made
from acklab.studies.once import Once
from acklab.studies.running import Progress, run_cells, run_survey, runs_folder
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
    #: Files of an earlier, whole reproduction that were not made anew.
    stale: Sequence[Path] = ()
    #: What had to be mended.
    notes: Sequence[str] = ()


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Within it the garbage collector looks less often, and not at what is there already.

    A figure is made of tens of thousands of objects that all live until it is written. Looking at
    them again and again, for cycles that cannot be there yet, is a fifth of what drawing takes.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def make(
    artefacts: Sequence[Artefact],
    outcomes: Sequence[Outcome] | SweepResult,
    scratch: Path,
    stop: Event,
    keep: Callable[[Made], None] | None = None,
    footer: str = "",
) -> Made:
    """Tables and plots of one group, given to `keep`; no more of them once `stop` is set."""
    made: Made = {}
    for a in artefacts:
        if stop.is_set():
            return made
        table = a.table(outcomes)
        with style.house(), signed(footer):
            made[a.name] = (table, a.plot(table, scratch / a.name) if a.plot else None)
    if keep is not None:
        keep(made)
    return made


def run_and_make(
    study: Study,
    artefacts: Sequence[Artefact],
    effort: Effort,
    scratch: Path,
    folder: Path,
    kept: Kept,
    jobs: int | None,
    on_progress: Callable[[int, int], object] | None,
) -> Made:
    """Runs the groups one after the other, and makes each one's artefacts while the next runs.

    The runs need no interpreter, tables and plots do; only the calling thread hears Ctrl-C, so
    it is the one that runs. A survey's runs are kept in `folder`, of other groups what was made.
    """
    made: Made = {}
    groups: dict[str, Sequence[Cell] | Survey] = {}
    for name, of in study.groups.items():
        mine = [a for a in artefacts if a.group == name]
        group = of(effort) if mine else []
        found = None if isinstance(group, Survey) else kept.load(name, group, mine)
        if mine and found is None:
            groups[name] = group
        else:
            made |= found or {}
    once = Once(g for g in groups.values() if not isinstance(g, Survey))
    progress = Progress(once.runs(effort), on_progress)
    stop = Event()
    threads = jobs or os.cpu_count() or 1
    futures: list[Future[Made]] = []

    def busy() -> bool:
        """Whether there is something to make."""
        return any(not f.done() for f in futures)

    with ThreadPoolExecutor(1) as maker:
        try:
            for name, group in groups.items():
                outcomes: Sequence[Outcome] | SweepResult
                mine = [a for a in artefacts if a.group == name]
                keep = None
                if isinstance(group, Survey):
                    runs = folder / runs_folder(name, effort)
                    outcomes = run_survey(group, runs, jobs, progress.of_group())
                else:
                    told = progress.of_group()
                    run = partial(
                        run_cells, effort=effort, jobs=threads, on_progress=told, busy=busy
                    )
                    outcomes = once.outcomes(group, run)
                    keep = partial(kept.save, name, group, mine)
                footer = provenance.line(study, replace(effort, seeds=_seeds(group, effort)))
                futures.append(maker.submit(make, mine, outcomes, scratch, stop, keep, footer))
            for future in futures:
                made |= future.result()
        except BaseException:
            stop.set()
            raise
    return {a.name: made[a.name] for a in artefacts}


def _seeds(group: Sequence[Cell] | Survey, effort: Effort) -> int:
    """How many seeds a group's cells have, those with the most."""
    if isinstance(group, Survey):
        return group.seeds
    return max(min(effort.seeds, cell.seeds or effort.seeds) for cell in group)


def reproduce(
    study: Study,
    artefacts: Sequence[Artefact],
    effort: Effort,
    out: Path,
    jobs: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> Written:
    """Runs `study` and writes `artefacts`; with all of them, the claims and a report too.

    Each file appears complete or not at all, and none before all runs are done, but for what is
    kept so that the same call can go on when this one is stopped.
    """
    folder = out / study.name
    sign = signed(provenance.line(study, effort))
    scratch = Path(mkdtemp())
    with unfinished(scratch), writable_folder(folder), sign, seldom_collected():
        kept = Kept(folder, effort)
        made = run_and_make(study, artefacts, effort, scratch, folder, kept, jobs, on_progress)
        frames = {name: frame for name, (frame, _) in made.items()}
        tables = {
            name: _csv(_told(frame, effort), folder / f"{name}.csv")
            for name, frame in frames.items()
        }
        plots = {name: _moved(plot, folder) for name, (_, plot) in made.items() if plot}
        for a in artefacts:
            plots |= a.files(frames[a.name], folder) if a.files else {}
        texts = {
            a.name: _text(a.text(frames[a.name]), folder / f"{a.name}.md")
            for a in artefacts
            if a.text
        }
        notes = [*kept.notes, *provenance.save(study, artefacts, effort, folder)]
        if any(a.name not in frames for a in study.whole):
            stale = [p for p in (folder / "report.html", folder / "claims.csv") if p.exists()]
            kept.drop()
            return Written(tables, plots, texts, None, stale, notes)
        from acklab.report.page import write_report

        claims = study.claims(frames) if study.claims else []
        if claims:
            tables["claims"] = _csv(_told(claims_frame(claims), effort), folder / "claims.csv")
        report = write_report(study, frames, plots, effort, folder, claims)
        kept.drop()
        return Written(tables, plots, texts, report, notes=notes)


def _moved(plot: Path, folder: Path) -> Path:
    write_atomically(folder / plot.name, plot.read_bytes())
    return folder / plot.name


def _told(frame: pl.DataFrame, effort: Effort) -> pl.DataFrame:
    """Rows of short runs say so: the paper's and the references' beside them are not short."""
    import polars as pl

    return frame.with_columns(pl.lit(True).alias("quick")) if effort.quick else frame


def claims_frame(claims: Sequence[Claim]) -> pl.DataFrame:
    """The claims as a table, with a column for every witness that has something to say."""
    import polars as pl

    from acklab.report.parts import WITNESSES, shown

    named = [w for w in WITNESSES if any(c.evidence.get(w) is not None for c in claims)]
    return pl.DataFrame(
        [
            {
                "id": c.id,
                "sentence": c.sentence,
                "where": c.where,
                "verdict": c.verdict,
                **{w: shown(c.evidence.get(w)) for w in named},
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
