"""`acklab report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    result: Annotated[Path, typer.Argument(help="A result folder.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The page. Default: RESULT/report.html.")
    ] = None,
) -> None:
    """Make one interactive page of a run that needs no network: tables, figures, charts."""
    from acklab.report.run import write_run_report

    typer.echo(write_run_report(result, out or result / "report.html"))
