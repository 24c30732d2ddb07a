"""`acklab report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acklab.cli import completing


def report(
    result: Annotated[
        Path,
        typer.Argument(help="The folder that a run left.", autocompletion=completing.result),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="The page. Default: RESULT/report.html.")
    ] = None,
) -> None:
    """Make one interactive HTML page of a run: tables, figures, charts; needs no network."""
    from acklab.report.run import write_run_report

    typer.echo(write_run_report(result, out or result / "report.html"))
