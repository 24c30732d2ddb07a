"""`acklab plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acklab.cli import completing
from acklab.cli.output import tell_lines
from acklab.errors import UsageError


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
        str | None, typer.Option("--x", metavar="KEY", help="Key of a sweep that runs across.")
    ] = None,
    y: Annotated[
        str | None,
        typer.Option(
            "--y",
            metavar="METRIC",
            help="Metric of line; of heatmap the key that runs up.",
            autocompletion=completing.flow_metric,
        ),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            metavar="METRIC",
            help="Metric of heatmap, cdf, box or ellipse.",
            autocompletion=completing.metric,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="KEY,KEY",
            help="Keys told apart by colour, and by dashes and markers. Keys that no option names "
            "get a free place.",
        ),
    ] = None,
    facet: Annotated[
        str | None,
        typer.Option(
            "--facet", metavar="KEY,KEY", help="Keys with a panel per value: columns, then rows."
        ),
    ] = None,
    over: Annotated[
        str | None,
        typer.Option(
            "--over",
            metavar="KEYS",
            help="Keys not told apart: lines are means over them.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", metavar="KEY=V1,V2", help="Only runs with these values. Repeatable."
        ),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            "--interval",
            metavar="ci|range|none",
            help="Bars of line: ci (95 % of the mean over seeds, the default), range or none.",
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option("--log", metavar="x|y|xy|none", help="Logarithmic axes of line."),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="Title above it.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size",
            metavar="column|page|slide",
            help="Width and letters for a column or a page of a paper, or for a slide.",
        ),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            "--style",
            metavar="NAME",
            help="house, serif, grey, or a style sheet of Matplotlib (FILE.mplstyle).",
        ),
    ] = None,
) -> None:
    """Draw a named plot of a result; its data go into a file beside it."""
    from acklab.plots.drawn import Choice
    from acklab.plots.kinds import named, recorded
    from acklab.plots.swept import where as read_where

    if start is not None and end is not None and not start < end:
        raise UsageError(
            f"--from {start:g} is not before --to {end:g}\n  help: both are seconds of the run"
        )
    chosen = named(kind)
    stem, form = target(out or result / "plots" / chosen.name, format_)
    source = recorded(result)
    choice = Choice(
        flows=_list(flows),
        start=start,
        end=end,
        window=window,
        x=x,
        y=y,
        value=value,
        by=_list(by),
        facet=_list(facet),
        over=_list(over),
        where=read_where(where) if where else None,
        interval=interval,
        log=log,
        title=title,
        size=size,
        style=style,
    )
    files = chosen.draw(source, choice).save(stem, form)
    tell_lines({"plot": chosen.name, "files": list(files)}, *files)


def _list(text: str | None) -> list[str] | None:
    return [t.strip() for t in text.split(",")] if text else None


def target(out: Path, format_: str | None) -> tuple[Path, style.Format]:  # type: ignore[name-defined]  # noqa: F821
    """The file without its suffix, and the format that the suffix or `--format` names."""
    from acklab.plots import style

    suffix = out.suffix.removeprefix(".")
    known = suffix in style.FORMATS
    form = format_ or (suffix if suffix else "svg")
    if form not in style.FORMATS:
        raise UsageError(
            f"cannot draw as {form!r}\n  help: the formats are {', '.join(style.FORMATS)}"
        )
    return (out.with_suffix("") if known else out), form
