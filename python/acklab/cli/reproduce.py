"""`acklab reproduce`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acklab.cli import completing
from acklab.cli.guard import finished_is_kept, kept
from acklab.cli.output import quiet, tell_lines
from acklab.cli.run import Jobs
from acklab.cli.study import folder_of, warn_of
from acklab.errors import AcklabError

if TYPE_CHECKING:
    from acklab.studies.kit.folder import Folder
    from acklab.studies.kit.make import Made
    from acklab.studies.kit.runs import Tell
    from acklab.studies.study import Effort


def reproduce(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY[/PART]",
            help="A study of `acklab list study`, a study's folder (`acklab study new`), or one "
            "table or figure of a study (aggregation/table1). Default: the studies of the four "
            "papers, `aggregation`, `ack-compression`, `bbr-wifi6` and `tack`.",
            autocompletion=completing.study,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer seeds and shorter runs.")] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Also the runs outside the study's core, and more seeds where they matter.",
        ),
    ] = False,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="Seeds per cell. Default: the study's.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path("out"),
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a text does not fit the verdicts.")
    ] = False,
    jobs: Jobs = None,
) -> int:
    """Run a study: a paper's experiments or acklab's own; write tables, figures and a report.

    If you stop the command, it keeps the finished cells, and the same command resumes.

    A text of a study is written for some verdicts. If your runs turn one of them, the report leaves
    the text out and says so.

    A table or figure alone runs as in the whole study, and with --full if only that has it.

    `bbr-wifi6` also makes its companion map, `queue-map`, unless you say --quick.
    """
    from acklab.folder import writable_folder
    from acklab.studies.kit.make import make, make_part

    studies, part = choose(what)
    if what is not None and not (part or quick):
        studies += _also(studies[0])
    done: list[Made] = []
    with writable_folder(out):
        for study in studies:
            effort = _effort(study, part, quick, full, seeds)
            with _shown(study) as advance:
                if part:
                    made = make_part(study, part, effort, out, jobs, advance)
                else:
                    made = make(study, effort, out, jobs, advance)
            kept(out / study.about.name)
            warn_of(made)
            done.append(made)
    overview = None
    if what is None:
        from acklab.studies.kit.overview import write_overview

        overview = write_overview(studies, out)
    # Before the paths: the last line is that of the report.
    if what is None and not full:
        _note("`acklab reproduce --full` has more cells, and more seeds for some")
    files = [path for made in done for path in (*made.files, made.report)]
    tell_lines(
        {
            "studies": [
                {
                    "study": s.about.name,
                    "report": m.report,
                    "files": list(m.files),
                    "left_out": m.unfit,
                }
                for s, m in zip(studies, done, strict=True)
            ],
            "report": overview,
        },
        *files,
        *([] if overview is None else [overview]),
    )
    return int(strict and any(made.unfit for made in done))


def _effort(study: Folder, part: str, quick: bool, full: bool, seeds: int | None) -> Effort:
    """How much is run: for a part as much as in the whole study, so that its numbers are those.

    Only of a part that the whole study has no numbers of, everything.
    """
    if full or not part:
        return study.effort(quick, full, seeds)
    of = study.shown(part)
    if study.outside(of):
        effort = study.effort(quick, full=True, seeds=seeds)
        _note(f"only --full has `{part}`: it runs as with --full, seeds per cell: {effort.seeds}")
        return effort
    effort = study.effort(quick, seeds=seeds)
    some, every = (len(study.run_by(e)[of.group]) for e in (effort, replace(effort, full=True)))
    if some < every:
        _note(f"`{part}` has {some} of its {every} cells; --full runs all")
    return effort


def _note(text: str) -> None:
    if not quiet():
        typer.echo(f"note: {text}", err=True)


@contextmanager
def _shown(study: Folder) -> Iterator[Tell]:
    from acklab.cli.show import progress

    with finished_is_kept("cells"), progress(study.about.name) as advance:
        yield advance


def _also(study: Folder) -> list[Folder]:
    """The studies that belong to `study`.

    Raises:
        AcklabError: if it names a study that does not come with acklab.
    """
    from acklab.studies import built_in
    from acklab.studies.kit.folder import load

    known = built_in()
    for i, name in enumerate(study.about.also):
        if name not in known:
            raise AcklabError(
                f"{study.path / 'study.toml'}: also[{i}] = {name!r} is no study of acklab\n"
                f"  help: the studies are {', '.join(known)}"
            )
    return [load(known[name]) for name in study.about.also]


def choose(what: str | None) -> tuple[list[Folder], str]:
    """The studies that `what` names, and the part of one; without `what`, those of papers."""
    from acklab.studies import built_in
    from acklab.studies.kit.folder import load

    if what is None:
        every = [load(path) for path in built_in().values()]
        return [s for s in every if not s.about.on_request], ""
    if (folder := folder_of(what)) is not None:
        return [load(folder)], ""
    name, _, part = what.rpartition("/")
    if name and (folder := folder_of(name)) is not None:
        study = load(folder)
        study.shown(part)
        return [study], part
    known = ", ".join(built_in())
    raise AcklabError(
        f"there is no study called {what!r}, and no folder {what} with a study.toml\n"
        f"  help: the studies are {known}; `acklab study new NAME` writes one"
    )
