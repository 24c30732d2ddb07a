"""`acklab report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acklab.cli import completing
from acklab.cli.output import tell_lines


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
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="A column of flows, or jain, rtt_fairness, convergence_time or power, for the "
            "first table. The page of a sweep also draws the first. Repeat the option for several.",
            autocompletion=completing.flow_metric,
        ),
    ] = None,
) -> None:
    """Make one interactive HTML page of a run or a sweep: the answer first, details folded."""
    import acklab
    from acklab.report.run import write_run_report
    from acklab.report.swept import write_sweep_report
    from acklab.sweeps.results import SweepResult

    path = out or result / "report.html"
    opened = acklab.open(result)
    if isinstance(opened, SweepResult):
        written = write_sweep_report(opened, path, metric or ())
    else:
        written = write_run_report(opened, path, metric or ())
    tell_lines({"file": written}, written)
