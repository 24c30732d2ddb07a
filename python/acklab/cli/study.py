"""`acklab study`: write a study, check it, make one of its cells again, see the words of claims."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acklab.cli.guard import kept
from acklab.cli.helping import Command, Group
from acklab.cli.output import printing, quiet, tell_lines
from acklab.errors import AcklabError
from acklab.wording import many

if TYPE_CHECKING:
    from acklab.studies.kit.folder import Folder
    from acklab.studies.kit.make import Made
    from acklab.studies.study import Cell

app = typer.Typer(
    cls=Group,
    help="Write a study of a paper, check it, look at one of its cells.",
    no_args_is_help=True,
)

Place = Annotated[
    str, typer.Argument(metavar="FOLDER", help="The study's folder, or a built-in study's name.")
]


def folder_of(what: str) -> Path | None:
    """The study's folder that `what` names, a path or a built-in study; `None` if it is neither."""
    built_in = Path(__file__).parents[1] / "studies" / what.replace("-", "_")
    for path in (Path(what), built_in):
        if (path / "study.toml").is_file():
            return path
    return None


def loaded(what: str) -> Folder:
    """The study that `what` names, checked as a whole."""
    from acklab.studies.kit.folder import load

    return load(folder_of(what) or Path(what))


@app.command(cls=Command)
@printing
def new(
    name: Annotated[str, typer.Argument(help="The study's name: small letters and hyphens.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write it into.")] = Path(),
) -> None:
    """Write a study that runs, to be changed into your own."""
    from acklab.studies.kit.new import write_new

    path = write_new(name, out)
    tell_lines(
        {"folder": path},
        f"wrote {path}; check it, then run it:",
        f"  acklab study check {path}",
        f"  acklab reproduce {path}",
    )


@app.command(cls=Command)
@printing
def check(folder: Place) -> None:
    """Say whether a study is whole: every expression, key, text, table and figure; runs nothing."""
    from acklab.studies.kit.folder import MOST_RULES, check_texts
    from acklab.studies.kit.runs import how_many

    study = loaded(folder)
    check_texts(study)
    efforts = {"core": study.effort(), "full": study.effort(full=True)}
    efforts["quick"] = study.effort(quick=True)
    measured = list(study.quantities.values())
    runs = {n: how_many(study.run_by(e), measured, e) for n, e in efforts.items()}
    cells = [c for of in study.run_by(efforts["full"]).values() for c in of]
    rules = sum(any(f"{r}(" in c.holds for r in study.rules) for c in study.claims)
    counts = {
        "claim": len(study.claims),
        "cell": len(cells),
        "run": runs["full"],
        "quantity": len(study.quantities),
        "table": len(study.about.table),
        "figure": len(study.about.figure),
    }
    tell_lines(
        {"study": study.about.name, "counts": counts, "runs": runs},
        f"{study.about.name}: {', '.join(many(n, what) for what, n in counts.items())}",
        f"{many(runs['core'], 'run')}, {runs['full']:,} with --full, "
        f"{runs['quick']:,} with --quick",
        "the study is whole",
    )
    if quiet():
        return
    if rules > MOST_RULES * len(study.claims):
        typer.echo(
            f"note: {rules} of {len(study.claims)} claims use rules of rules.py, more than "
            f"{MOST_RULES:.0%}: say more of them in the language of claims",
            err=True,
        )
    for claim in study.claims:
        if not claim.because:
            typer.echo(f"note: {claim.file}:{claim.line}: {claim.id} gives no reason", err=True)


@app.command(cls=Command)
@printing
def words(
    word: Annotated[str | None, typer.Argument(help="Show only this word.")] = None,
) -> None:
    """List the words of the language that claims are written in, each with an example."""
    from acklab.studies.kit.vocabulary import hint
    from acklab.studies.kit.words import EXAMPLES, WORDS

    if word is not None and word not in WORDS:
        raise AcklabError(f"no word {word!r}{hint(word, WORDS)}")
    found = [
        {
            "name": name,
            "about": (inspect.getdoc(of) or "").partition("\n")[0],
            "example": EXAMPLES[name],
        }
        for name, of in WORDS.items()
        if word in (None, name)
    ]
    more = (
        "and: comparisons (<, <=, >, >=, ==, !=), and, or, not, + - * /\n"
        "  a quantity with the keys that are meant; a list of keys keeps the axis\n"
        "  goodput(cc=cubic, ratio=[1, 4])"
    )
    lines = [f"{f['name']}\n  {f['about']}\n  {f['example']}" for f in found]
    tell_lines(found, *lines, *[more] * (word is None))


@app.command(cls=Command)
@printing
def cell(
    folder: Place,
    group: Annotated[str, typer.Argument(help="The group of cells.")],
    keys: Annotated[list[str], typer.Argument(metavar="KEY=VALUE...", help="The cell's keys.")],
    seed: Annotated[int, typer.Option("--seed", min=1, help="The seed of the run.")] = 1,
    quick: Annotated[bool, typer.Option("--quick", help="A shorter run.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Result folder. Default: out/STUDY/cells/CELL.")
    ] = None,
) -> None:
    """Run one cell again with everything recorded: its numbers, and a report over time.

    The report of the study links to it from the proofs of its claims.
    """
    from acklab.cli.run import recording, streams
    from acklab.folder import result_folder
    from acklab.report.paper.again import OUT, folder_of
    from acklab.report.run import write_run_report
    from acklab.saving import save
    from acklab.scenario import load as load_scenario
    from acklab.studies.kit.quantity import shown_of
    from acklab.studies.study import Effort

    study = loaded(folder)
    found = cell_of(study, group, keys, Effort(study.about.seeds, quick))
    plain = load_scenario(found.scenario)
    more = recording(streams("all"), plain.recorded)
    scenario = load_scenario(found.scenario, overrides=more)
    own = folder_of(study, group, found.keys, seed, quick)
    target = out or OUT / study.about.name / own
    with result_folder(target) as into:
        result = scenario.run(seed=seed)
        command = ["acklab", "study", "cell", folder, group, *keys, "--seed", str(seed)]
        save(result, into, command=" ".join([*command, *["--quick"] * quick]))
        write_run_report(result, into / "report.html")
    kept(target)
    ours = [q for q in study.quantities.values() if not q.groups or group in q.groups]
    lines = [shown_of(q, result) for q in ours]
    numbers = [
        {"name": q.name, "unit": q.unit, "value": None if q.expression else q.of(result)}
        for q in ours
    ]
    report = target / "report.html"
    tell_lines({"folder": target, "report": report, "numbers": numbers}, *lines, report)


def cell_of(study: Folder, group: str, keys: list[str], effort: object) -> Cell:
    """The one cell of a group with these keys; an axis with a single key need not be named."""
    from acklab.studies.kit.vocabulary import hint

    if group not in study.groups:
        raise AcklabError(f"no group {group!r}{hint(group, study.groups)}")
    axes = study.vocabulary.grids[group]
    wanted: dict[str, str] = {}
    for word in keys:
        axis, equals, key = word.partition("=")
        if not equals:
            raise AcklabError(f"{word!r} names no key\n  help: write KEY=VALUE, as in cc=cubic")
        if axis not in axes:
            raise AcklabError(f"no axis {axis!r}{hint(axis, axes)}")
        if key not in map(str, axes[axis]):
            there = ", ".join(map(str, axes[axis]))
            raise AcklabError(f"the axis {axis!r} has no key {key!r}; it has: {there}")
        wanted[axis] = key
    every: list[Cell] = list(study.groups[group](effort))  # type: ignore[arg-type]
    found = [c for c in every if all(str(c.keys.get(a)) == k for a, k in wanted.items())]
    if len(found) != 1:
        open_ = ", ".join(a for a in axes if a not in wanted)
        raise AcklabError(
            f"{len(found)} cells have these keys\n  help: name one of each of these, too: {open_}"
            if found
            else "no cell has these keys together"
        )
    return found[0]


@app.command(cls=Command)
@printing
def report(
    folder: Place,
    out: Annotated[Path, typer.Option("--out", help="Folder of the results.")] = Path("out"),
) -> None:
    """Judge the numbers of the last reproduction and write the report anew; runs nothing."""
    from acklab.studies.kit.make import tell_again

    made = tell_again(loaded(folder), out)
    warn_of(made)
    tell_lines({"report": made.report, "left_out": made.unfit}, made.report)


def warn_of(made: Made) -> None:
    """Says which texts and reasons of a study do not fit its verdicts."""
    for where in made.unfit:
        typer.echo(f"warning: {where}", err=True)
