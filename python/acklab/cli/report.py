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
    from acklab.plots.kinds import recorded
    from acklab.report.build import save
    from acklab.report.run import run_report

    typer.echo(save(run_report(recorded(result)), out or result / "report.html"))
