"""`acklab plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acklab.cli import completing


def plot(
    result: Annotated[
        Path,
        typer.Argument(
            help="The folder that a run or a sweep left.", autocompletion=completing.result
        ),
    ],
    kind: Annotated[
        str,
        typer.Argument(
            help="Which plot; `acklab list plot` says what each shows.",
            autocompletion=completing.plot,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File for the figure. Default: RESULT/plots/KIND.svg."),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="svg, pdf or png. Default: by --out, or svg.")
    ] = None,
    flows: Annotated[
        str | None, typer.Option("--flows", metavar="A,B", help="Only these flows.")
    ] = None,
    start: Annotated[
        float | None, typer.Option("--from", metavar="SECONDS", help="Only from this time on.")
    ] = None,
    end: Annotated[
        float | None, typer.Option("--to", metavar="SECONDS", help="Only up to this time.")
    ] = None,
    window: Annotated[
        float | None,
        typer.Option(
            "--window", metavar="SECONDS", help="Average rates over intervals of this length."
        ),
    ] = None,
    x: Annotated[
        str | None, typer.Option("--x", help="Key of a sweep that runs across a heat map.")
    ] = None,
    y: Annotated[
        str | None, typer.Option("--y", help="Key of a sweep that runs up a heat map.")
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            help="Column that heatmap, cdf or box shows.",
            autocompletion=completing.metric,
        ),
    ] = None,
) -> None:
    """Draw a named plot of a result; its data go into a file beside it."""
    from acklab.errors import AcklabError
    from acklab.plots.drawn import Choice
    from acklab.plots.kinds import named, recorded

    if start is not None and end is not None and not start < end:
        raise AcklabError(
            f"--from {start:g} is not before --to {end:g}\n  help: both are seconds of the run"
        )
    chosen = named(kind)
    stem, form = target(out or result / "plots" / chosen.name, format_)
    source = recorded(result)
    named_flows = [f.strip() for f in flows.split(",")] if flows else None
    choice = Choice(named_flows, start, end, window, x, y, value)
    for path in chosen.draw(source, choice).save(stem, form):
        typer.echo(path)


def target(out: Path, format_: str | None) -> tuple[Path, style.Format]:  # type: ignore[name-defined]  # noqa: F821
    """The file without its suffix, and the format that the suffix or `--format` names."""
    from acklab.errors import AcklabError
    from acklab.plots import style

    suffix = out.suffix.removeprefix(".")
    known = suffix in style.FORMATS
    form = format_ or (suffix if suffix else "svg")
    if form not in style.FORMATS:
        raise AcklabError(
            f"cannot draw as {form!r}\n  help: the formats are {', '.join(style.FORMATS)}"
        )
    return (out.with_suffix("") if known else out), form
