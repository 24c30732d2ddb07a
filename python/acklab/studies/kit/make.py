"""Making a study: run what it asks for, judge its claims, write tables and the report."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acklab import code
from acklab.folder import writable_folder, write_atomically
from acklab.spreadsheet import csv
from acklab.studies.kit import made
from acklab.studies.kit.fields import Field, known, reported
from acklab.studies.kit.fit import Unfit, unfit
from acklab.studies.kit.folder import SETUP, Figure, Folder, Table, check_texts
from acklab.studies.kit.judge import Judged, judge_all
from acklab.studies.kit.numbers import Numbers, numbers
from acklab.studies.kit.quantity import with_derived
from acklab.studies.kit.runs import Tell, run
from acklab.studies.study import Effort

if TYPE_CHECKING:
    import polars as pl

#: The journal of finished cells, hidden while a study is made.
JOURNAL = ".unfinished"


@dataclass(frozen=True)
class Made:
    """The files that a study left behind."""

    files: Sequence[Path]
    report: Path
    #: Where a text or a reason does not fit the verdicts: the report leaves it out and says so.
    unfit: Sequence[Unfit] = ()


def make(
    study: Folder, effort: Effort, out: Path, jobs: int | None = None, tell: Tell | None = None
) -> Made:
    """Runs a study and writes everything into `out/NAME`; goes on where it was stopped."""
    # A text that names what does not exist is found before anything runs.
    check_texts(study)
    folder = out / study.about.name
    with writable_folder(folder), _finished(study, effort, folder) as journal:
        wanted = list(study.quantities.values())
        tables = run(study.run_by(effort), wanted, effort, journal, jobs, tell)
        files = [_csv(table, folder / "numbers" / f"{g}.csv") for g, table in tables.items()]
        files.append(made.note(study, effort, folder))
        told = _told(study, tables, effort, folder)
    return Made([*files, *told.files], told.report, told.unfit)


def make_part(
    study: Folder,
    part: str,
    effort: Effort,
    out: Path,
    jobs: int | None = None,
    tell: Tell | None = None,
) -> Made:
    """Runs what one table or figure shows, and writes a page of it alone; judges no claim."""
    from acklab.studies.kit.page import write_part

    of = study.shown(part)
    folder = out / study.about.name
    with writable_folder(folder), _finished(study, effort, folder, part) as journal:
        groups, wanted = study.run_by(effort), [study.quantities[of.quantity]]
        if study.quantities[of.quantity].expression:
            # It may be made of any other quantity, of any group.
            wanted = list(study.quantities.values())
        else:
            groups = {of.group: groups[of.group]}
        tables = run(groups, wanted, effort, journal, jobs, tell)
        ours = with_derived(study.vocabulary, numbers(tables))
        files = [_csv(of_table(study, of, ours), folder / f"{part}.csv")]
        report = write_part(study, of, ours, effort, folder)
    return Made(files, report)


@contextmanager
def _finished(study: Folder, effort: Effort, folder: Path, *words: str) -> Iterator[Path]:
    """The journal of the cells that are finished, which goes once everything is written.

    Another build of acklab, and a study that was changed, never take its numbers for their own.
    """
    words += (str(effort.seeds), *["quick"] * effort.quick, *["full"] * effort.full)
    journal = folder / JOURNAL / "-".join(words)
    yield journal / f"{made.digest(study)}-{code.of_everything()}.jsonl"
    shutil.rmtree(journal)


def tell_again(study: Folder, out: Path) -> Made:
    """Judges the numbers that `make` left in `out/NAME` and writes tables and the report anew."""
    import polars as pl

    folder = out / study.about.name
    effort = made.effort(folder)
    tables = {}
    for group in study.groups:
        path = folder / "numbers" / f"{group}.csv"
        if path.exists():
            texts = dict.fromkeys(_texts(study, group), pl.String)
            tables[group] = pl.read_csv(path, schema_overrides=texts, infer_schema_length=None)
    return _told(study, tables, effort, folder)


def _texts(study: Folder, group: str) -> list[str]:
    """The axes whose keys are texts, also those that look like numbers, such as 1e-5."""
    axes = study.vocabulary.grids[group]
    return [axis for axis, keys in axes.items() if all(isinstance(k, str) for k in keys)]


def _told(study: Folder, tables: Mapping[str, pl.DataFrame], effort: Effort, folder: Path) -> Made:
    """Verdicts, tables and the report."""
    from acklab.studies.kit.page import write_page

    ours = with_derived(study.vocabulary, numbers(tables))
    judged = judge_all(study, ours, strict=False, effort=effort)
    shown = [t for t in study.about.table if (t.group, t.quantity) in ours]
    files = [_csv(of_table(study, t, ours), folder / f"{t.id}.csv") for t in shown]
    files.append(_csv(of_claims(judged), folder / "claims.csv"))
    report = write_page(study, ours, judged, effort, folder)
    return Made(files, report, unfit(study, ours, judged, effort))


def of_table(study: Folder, table: Table | Figure, ours: Numbers) -> pl.DataFrame:
    """A table or figure: a row per cell with ours, its interval and the witnesses' numbers."""
    import polars as pl

    rows: list[dict[str, float | str | None]] = []
    named = (table.group, table.quantity)
    found = ours.get(named, Field((), {}))
    for key, value in found.cells.items():
        e = reported(value, study.vocabulary.quantities[table.quantity].bounds)
        at = dict(zip(found.axes, key, strict=True))
        ours_ = {"acklab": e.mean, "ci_low": e.low, "ci_high": e.high, "seeds": e.n}
        rows.append({**at, **ours_})
        for w in study.about.witness:
            theirs = study.witnesses[w.name].get(named, Field((), {}))
            # A witness stands for the set-up that it ran, beside all of them.
            own = {**at, SETUP: w.setup or at.get(SETUP, "")}
            number = theirs.cells.get(tuple(own.get(a, "") for a in theirs.axes))
            rows[-1][w.name] = None if number is None else known(number).mean
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def of_claims(judged: Sequence[Judged]) -> pl.DataFrame:
    """The verdicts as a table."""
    import polars as pl

    return pl.DataFrame(
        [
            {
                "id": j.claim.id,
                "says": j.claim.says,
                "place": j.claim.place,
                "verdict": j.verdict,
                "how": j.how,
                "holds": j.claim.holds,
                **{f"in {name}": t.value for name, t in j.setups.items() if name},
                **{name: t.value for name, t in j.witnesses.items()},
                "because": j.because,
            }
            for j in judged
        ],
        infer_schema_length=None,
    )


def _csv(table: pl.DataFrame, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Numbers as they are: a verdict may hang on the last digit.
    write_atomically(path, csv(table))
    return path
