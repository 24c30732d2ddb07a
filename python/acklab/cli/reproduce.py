"""`acklab reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acklab.cli import completing
from acklab.cli.guard import finished_is_kept, kept
from acklab.cli.run import Jobs
from acklab.cli.study import folder_of
from acklab.errors import AcklabError

if TYPE_CHECKING:
    from acklab.studies.study import Artefact, Study


def reproduce(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY[/ARTEFACT]",
            help="A study or a part of one (`acklab list study`), or the folder of a study "
            "(`acklab study new`). Default: every study, with its report.",
            autocompletion=completing.study,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer seeds and shorter runs.")] = False,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="Seeds per cell. Default: the study's.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path("out"),
    jobs: Jobs = None,
) -> None:
    """Run a paper's experiments again: tables, figures, and a report with the paper's numbers.

    If you stop the command, it keeps the finished parts, and the same command resumes. Artefacts on
    request (`ack-aggregation/beyond`) keep each run.
    """
    from acklab.cli.show import progress
    from acklab.folder import writable_folder
    from acklab.studies.reproduce import reproduce as run_study
    from acklab.studies.study import Effort

    if what is not None and (folder := folder_of(what)) is not None:
        make_folder(folder, quick, seeds, out, jobs)
        return
    chosen = choose(what)
    with writable_folder(out):
        for study, artefacts in chosen:
            default = study.quick_seeds if quick else study.default_seeds
            effort = Effort(seeds or default, quick)
            with finished_is_kept("parts"), progress(study.name) as advance:
                written = run_study(study, artefacts, effort, out, jobs, advance)
            kept(out / study.name)
            for path in (
                *written.tables.values(),
                *written.plots.values(),
                *written.texts.values(),
            ):
                typer.echo(path)
            if written.report is not None:
                typer.echo(written.report)
            else:
                typer.echo(in_part(study, artefacts, quick), err=True)
            for said in written.notes:
                typer.echo(f"note: {said}", err=True)
            for path in written.stale:
                typer.echo(
                    f"note: {path} is of an earlier reproduction; `acklab reproduce {study.name}` "
                    "makes it anew",
                    err=True,
                )


def make_folder(folder: Path, quick: bool, seeds: int | None, out: Path, jobs: int | None) -> None:
    """Makes the study of a folder."""
    from acklab.cli.show import progress
    from acklab.studies.kit.folder import load
    from acklab.studies.kit.make import make
    from acklab.studies.study import Effort

    study = load(folder)
    default = study.about.quick_seeds if quick else study.about.seeds
    effort = Effort(seeds or default, quick)
    with finished_is_kept("cells"), progress(study.about.name) as advance:
        made = make(study, effort, out, jobs, advance)
    kept(out / study.about.name)
    for path in (*made.files, made.report):
        typer.echo(path)


def in_part(study: Study, artefacts: Sequence[Artefact], quick: bool) -> str:
    """Why there are neither claims nor a report, and how to get them."""
    what = f"{len(artefacts)} of the study's artefacts" if artefacts[1:] else artefacts[0].name
    whole = {a.name for a in study.whole}
    if not any(a.name in whole for a in artefacts):
        return f"note: made on request only: {what}; no claim and no report is about it"
    command = f"acklab reproduce {study.name}{' --quick' if quick else ''}"
    return (
        f"note: made in part: {what} ({len(whole)} in all); claims and the report need all of them"
        f": `{command}`"
    )


def choose(what: str | None) -> list[tuple[Study, Sequence[Artefact]]]:
    """The studies and artefacts that `what` names."""
    from acklab.studies import STUDIES

    if what is None:
        return [(s, s.whole) for s in STUDIES.values()]
    name, _, part = what.partition("/")
    study = STUDIES.get(name)
    if study is None:
        raise AcklabError(
            f"there is no study called {name!r}\n  help: the studies are {', '.join(STUDIES)}"
        )
    if not part:
        return [(study, study.whole)]
    found = [a for a in study.artefacts if a.name in study.parts.get(part, (part,))]
    if not found:
        names = ", ".join((*study.parts, *(a.name for a in study.artefacts)))
        raise AcklabError(
            f"the study {name} has no artefact called {part!r}\n  help: its artefacts are {names}"
        )
    return [(study, found)]
