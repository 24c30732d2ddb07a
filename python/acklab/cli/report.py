"""`acklab report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acklab.cli import completing


def report(
    result: Annotated[
        Path,
        typer.Argument(
            help="The folder that a run or a sweep left.", autocompletion=completing.result
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="The page. Default: RESULT/report.html.")
    ] = None,
) -> None:
    """Make one interactive HTML page of a result: tables, figures, charts; needs no network."""
    import acklab
    from acklab.report.run import write_run_report
    from acklab.report.swept import write_sweep_report
    from acklab.sweeps.results import SweepResult

    path = out or result / "report.html"
    opened = acklab.open(result)
    if isinstance(opened, SweepResult):
        typer.echo(write_sweep_report(opened, path))
    else:
        typer.echo(write_run_report(opened, path))
