"""The command line: `acklab`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import acklab
from acklab.cli import (
    catalogue,
    compare,
    doctor,
    explain,
    new,
    plot,
    report,
    reproduce,
    run,
    sweep,
    validate,
)
from acklab.cli.guard import guarded

app = typer.Typer(
    name="acklab",
    help="A laboratory for what acknowledgements do to transports.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("new")(new.new)
app.command("run")(run.run)
app.command("sweep")(sweep.sweep)
app.command("compare")(compare.compare)
app.command("reproduce")(reproduce.reproduce)
app.command("plot")(plot.plot)
app.command("report")(report.report)
app.command("validate")(validate.validate)
app.command("list")(catalogue.list_)
app.command("explain")(explain.explain)
app.command("schema")(catalogue.schema)
app.command("doctor")(doctor.doctor)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"acklab {acklab.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs the command line and exits with 0 (fine), 1 (the input) or 2 (our fault)."""
    sys.exit(guarded(lambda: app(standalone_mode=False)))
