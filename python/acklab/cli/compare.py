"""`acklab compare`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acklab.cli import completing
from acklab.cli.output import tell, tell_lines
from acklab.errors import UsageError

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from acklab.plots.style import Format


class Plot(StrEnum):
    """Plots that `acklab compare` can draw."""

    CDF = "cdf"
    BOX = "box"
    ELLIPSE = "ellipse"


def compare(
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="Two result folders or more, all of runs or all of sweeps.",
            autocompletion=completing.result,
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="A column of flows, or jain, rtt_fairness, convergence_time, power or harm "
            "(relative to the first folder). Repeat the option for several.",
            autocompletion=completing.flow_metric,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help="A key of the grids to tell apart. Default: all they share."),
    ] = None,
    plot: Annotated[
        Plot | None,
        typer.Option(
            "--plot",
            help="cdf or box of a metric; ellipse of throughput and latency (reversed: up and "
            "right is better). Of a sweep's runs, or of a run's samples over time.",
        ),
    ] = None,
    report: Annotated[
        bool,
        typer.Option(
            "--report", help="Make an interactive HTML page. Default file: out/compare.html."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="File: .svg, .pdf or .png with --plot, its data beside it; .html with --report; "
            "else .csv.",
        ),
    ] = None,
) -> None:
    """Show results side by side, each metric with its difference from the first folder's."""
    from acklab.comparing import METRICS
    from acklab.comparing import compare as opened
    from acklab.folder import write_atomically
    from acklab.spreadsheet import csv

    comparison = opened(*folders)
    if report:
        from acklab.report.compared import write_comparison_report

        if plot is not None or by is not None:
            raise UsageError("--report has every key and plot\n  help: leave out --plot and --by")
        page = out or Path("out") / "compare.html"
        _tell_files(write_comparison_report(comparison, page, metric or METRICS))
        return
    if plot is None:
        table = comparison.table(metric or METRICS, by)
        if out is not None and out.suffix != ".csv":
            raise UsageError(
                f"the comparison is a table, which does not go into {out}\n"
                "  help: end the name in .csv, or draw it: --plot cdf, box or ellipse"
            )
        if out is not None:
            write_atomically(out, csv(table))
            _tell_files(out)
        else:
            tell(lambda: table, lambda: _show(table, comparison.names))
        return
    stem, form = _target(out or Path("out") / f"compare-{plot.value}.svg")
    if metric is not None and len(metric) > 1:
        raise UsageError(f"--plot {plot.value} shows one metric\n  help: give --metric once")
    figure, data = comparison.plot(plot.value, metric[0] if metric else None, by or [])
    from acklab.plots import style

    drawn = style.save(figure, stem, form)
    beside = stem.with_name(f"{stem.name}.csv")
    write_atomically(beside, csv(data))
    _tell_files(drawn, beside)


def _tell_files(*files: Path) -> None:
    tell_lines({"files": list(files)}, *files)


def _target(out: Path) -> tuple[Path, Format]:
    from acklab.plots.style import FORMATS

    for form in FORMATS:
        if out.suffix == f".{form}":
            return out.with_suffix(""), form
    raise UsageError(
        f"cannot draw into {out}\n  help: end the name in {', '.join('.' + f for f in FORMATS)}"
    )


def _show(table: pl.DataFrame, names: tuple[str, ...]) -> None:
    from acklab.cli.show import console
    from acklab.cli.show_table import fits

    out = console()
    wide = _side_by_side(table, names)
    # A narrow terminal has the results below each other; no value is cut.
    out.print(wide if fits(wide, out) else _below_each_other(table))


def _below_each_other(table: pl.DataFrame) -> Table:
    from rich.table import Table

    groups = table.columns[: table.columns.index("result")]
    shown = Table(*groups, "result")
    shown.add_column("value", justify="right")
    shown.add_column("difference", justify="right")
    for row in table.iter_rows(named=True):
        keys = (str(row[g]) for g in groups)
        shown.add_row(*keys, str(row["result"]), _value(row), _difference(row))
    return shown


def _side_by_side(table: pl.DataFrame, names: tuple[str, ...]) -> Table:
    from rich.table import Table

    groups = table.columns[: table.columns.index("result")]
    shown = Table()
    for head in groups:
        shown.add_column(head)
    shown.add_column(names[0], justify="right")
    for name in names[1:]:
        shown.add_column(name, justify="right")
        shown.add_column("difference", justify="right")
    for keys, rows in table.group_by(groups, maintain_order=True):
        of = {r["result"]: r for r in rows.iter_rows(named=True)}
        cells = [_value(of.get(names[0]))]
        for name in names[1:]:
            cells += [_value(of.get(name)), _difference(of.get(name))]
        shown.add_row(*map(str, keys), *cells)
    return shown


def _value(row: dict[str, Any] | None) -> str:
    if row is None or row["mean"] is None:
        return ""
    if row["ci_high"] is None:
        return f"{row['mean']:.4g}"
    # One side may be cut at what the metric can be.
    half = max(row["ci_high"] - row["mean"], row["mean"] - row["ci_low"])
    return f"{row['mean']:.4g} ± {half:.2g}"


def _difference(row: dict[str, Any] | None) -> str:
    return "" if row is None or row["difference"] is None else f"{100 * row['difference']:+.1f} %"
