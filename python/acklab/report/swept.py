"""The report of a sweep: what stands out, every cell, and folded below it all the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import acklab
from acklab.errors import AcklabError
from acklab.plots import style
from acklab.plots.recorded import Opened
from acklab.report import cells, changed, headline, top
from acklab.report.build import build, save
from acklab.report.distributions import distributions
from acklab.report.groups import grouped, pooled_words, told_apart, varying
from acklab.report.html import MOST_ROWS
from acklab.report.interactive import HeatMap
from acklab.report.parts import Section
from acklab.report.summed import Summed, summed
from acklab.stats import estimate_by
from acklab.sweeps.agreeing import note as agreeing

if TYPE_CHECKING:
    import polars as pl

    from acklab.sweeps.results import SweepResult

#: Bytes of a page; a phone opens no larger one.
MOST_BYTES = 5_000_000
#: Panels of a heat map.
MOST_PANELS = 8
#: Numbers of a heat map in all its measures: about 10 bytes each.
MOST_NUMBERS = 100_000
#: Values of a key that the grid's table lists, and that the first sentence does.
_LISTED, _NAMED = 24, 5
#: Runs up to which it is looked whether seeds differ.
_LOOKED_AT = 10_000


def sweep_report(result: SweepResult, metrics: Sequence[str] = (), beside: bool = True) -> str:
    """The page; the same sweep gives the same bytes.

    `metrics` are those of the table of cells, the first of them drawn; `beside` is whether the page
    stands in the sweep's folder, from where its links to the pages of cells lead.
    """
    numbers = summed(result, metrics)
    first = _first_screen(result, numbers, bool(metrics)) + cells.rendered(result, numbers, beside)
    sections = [replace(s, folded=True) for s in _sections(result, numbers)]
    return build(result.name, sections=sections, top=first)


def write_sweep_report(result: SweepResult, path: Path, metrics: Sequence[str] = ()) -> Path:
    """Writes the page of a sweep's folder to `path`."""
    page = sweep_report(result, metrics, path.parent.resolve() == result.folder.resolve())
    if (size := len(page.encode())) > MOST_BYTES:
        raise AcklabError(
            f"the report {path} would have {size / 1e6:.1f} MB, more than {MOST_BYTES / 1e6:.0f}\n"
            "  help: choose fewer metrics with -m"
        )
    return save(page, path)


def _first_screen(result: SweepResult, numbers: Summed, asked: bool) -> str:
    """What was varied and what stands out; `asked` is whether somebody chose the metrics."""
    about = result.manifest
    keys = _axes(result, numbers.runs)
    warnings = []
    there = len(numbers.runs)
    if there < about.runs:
        warnings.append(
            f"Not complete: {there:,} runs of {about.runs:,} are here. The command of the sweep "
            "goes on with the rest."
        )
    if there <= _LOOKED_AT and (told := agreeing(result)) is not None:
        warnings.append(told.partition("\n")[0])
    found, drawn = "Nothing was varied but the seed.", ""
    if numbers.metrics and keys:
        found = headline.sentences(numbers.runs, keys, numbers.metrics, asked)
        shown = numbers.metrics[0] if asked else headline.drawn(keys, numbers.metrics)
        drawn = changed.drawn(numbers.runs, list(keys), shown)
    answer = "\n\n".join((_varied(result, numbers.runs), found))
    return top.header(
        f"Sweep of {Opened(result).provenance}", result.name, answer, drawn, "", warnings
    )


def _axes(result: SweepResult, runs: pl.DataFrame) -> headline.Axes:
    """One column per axis with several values, and the keys that change together in it."""
    heads = [(next(iter(axis)), axis) for axis in result.manifest.axes]
    return {
        head: [key["key"] for key in axis.values()]
        for head, axis in heads
        if runs[head].n_unique() > 1
    }


def _varied(result: SweepResult, runs: pl.DataFrame) -> str:
    """The keys that were varied, and how often, in Markdown."""
    about = result.manifest
    axes = [" together with ".join(_key(runs, k) for k in axis) for axis in about.axes]
    told = " and ".join(x for x in (", ".join(axes[:-1]), axes[-1] if axes else "") if x)
    seeds = about.seeds if isinstance(about.seeds, int) else len(about.seeds)
    each = f" with {seeds:,} seeds each" if seeds > 1 else ""
    return f"Varied: {told or 'nothing'}. {about.cells:,} cells{each}, {about.runs:,} runs."


def _key(runs: pl.DataFrame, key: str) -> str:
    values = runs[key].unique(maintain_order=True).to_list()
    if len(values) <= _NAMED:
        return f"**{key}** ({', '.join(map(top.short, values))})"
    return f"**{key}** ({top.short(values[0])} to {top.short(values[-1])}, {len(values):,} values)"


def _sections(result: SweepResult, numbers: Summed) -> Iterator[Section]:
    from acklab.comparing import METRICS

    flows = numbers.flows
    metrics = [m for m in METRICS if m in flows.columns and flows[m].count() > 0]
    keys = varying(flows, result.keys)
    if len([k for k in keys if k != "flow"]) > 1:
        yield from _maps(flows, keys, metrics)
    yield from _metrics(result, numbers, keys, metrics)
    yield from distributions(flows, keys, Opened(result).provenance)
    grid = _grid(result, numbers.runs)
    yield Section("Grid", table=grid, name="grid", note=f"{len(grid) - 1} keys and the seed")
    yield Section("Words and quantities", top.glossary([*numbers.metrics, *metrics]), name="words")
    yield _made(result)


def _grid(result: SweepResult, runs: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    rows = [
        {"column": name, "key": key["key"], **_values(key["values"], runs[name].n_unique())}
        for axis in result.manifest.axes
        for name, key in axis.items()
    ]
    seeds = result.manifest.seeds
    count = seeds if isinstance(seeds, int) else len(seeds)
    listed = f"1 to {count}" if isinstance(seeds, int) else ", ".join(map(str, seeds[:_LISTED]))
    rows.append({"column": "seed", "key": "", "values": listed, "count": count})
    return pl.DataFrame(rows)


def _values(given: str | Sequence[Any], count: int) -> Mapping[str, Any]:
    if isinstance(given, str):
        return {"values": given, "count": count}
    more = " …" * (len(given) > _LISTED)
    return {"values": ", ".join(map(str, given[:_LISTED])) + more, "count": count}


def _metrics(
    result: SweepResult, numbers: Summed, keys: Sequence[str], metrics: Sequence[str]
) -> Iterator[Section]:
    runs = numbers.flows
    text = "Mean over seeds ± half of its 95 % interval (Student's t)."
    if not numbers.apart and numbers.most_flows > 1:
        text += " The flows of a run are taken together, for there are too many to tell apart."
    if len(keys) > 1:
        for key in keys:
            table = _means(_by_seed(runs, key, metrics), [key], metrics)
            also = f"{text} Of each seed first the mean over everything else that was swept."
            yield Section(f"By {key}", also, table=table, name=f"by-{key}")
    if "flow" not in keys:
        return
    table = _means(runs, keys, metrics)
    if len(table) > MOST_ROWS:
        text += (
            f" Here are the first {MOST_ROWS} of {len(table):,} rows; every one is in "
            f'`acklab.open("{result.folder.name}").stats("{metrics[0]}")`.'
        )
    yield Section("Every flow of every cell", text, table=table, name="flows")


def _by_seed(runs: pl.DataFrame, key: str, metrics: Sequence[str]) -> pl.DataFrame:
    """The mean of each seed: seeds are what was repeated, cells are not."""
    import polars as pl

    means = [pl.col(m).cast(pl.Float64).mean() for m in metrics]
    return runs.group_by(key, "seed", maintain_order=True).agg(means)


def _means(frame: pl.DataFrame, keys: Sequence[str], metrics: Sequence[str]) -> pl.DataFrame:
    """One row per value of `keys`, a column of means with intervals for each metric."""
    import polars as pl

    columns: list[pl.DataFrame] = []
    for metric in metrics:
        found = estimate_by(frame, keys, metric)
        half = pl.col("ci_high") - pl.col("mean")
        if not columns:
            columns.append(found.select(keys))
        columns.append(
            found.select(pl.struct("mean", half.alias("half")).alias(style.heading(metric)))
        )
    return pl.concat(columns, how="horizontal")


def _maps(runs: pl.DataFrame, keys: Sequence[str], metrics: Sequence[str]) -> Iterator[Section]:
    """Every metric over the two keys with most values; panels for the rest."""
    import polars as pl

    swept = sorted((k for k in keys if k != "flow"), key=lambda k: -runs[k].n_unique())
    x, y = swept[:2]
    panel, pooled = told_apart(runs, [k for k in keys if k not in (x, y)], MOST_PANELS)
    cells = runs.select(x, y, *panel).n_unique()
    shown = metrics[: MOST_NUMBERS // (2 * cells)]
    if not shown:
        text = f"{cells:,} cells are more than a screen shows; sweep a part of them for a map."
        yield Section("Heat map", text, name="heatmap")
        return
    rows = grouped(runs, panel, ", ").with_columns(panel=pl.col("group") if panel else pl.lit(""))
    half = (pl.col("ci_high") - pl.col("mean")).alias("half")
    tidy = [
        estimate_by(rows, ["panel", y, x], m).select(
            "panel", x, y, pl.lit(style.heading(m)).alias("measure"), "mean",
            # Over what is taken together an interval would be none over seeds.
            pl.lit(None, pl.Float64).alias("half") if pooled else half,
        )
        for m in shown
    ]  # fmt: skip
    about = "A cell is the mean over seeds"
    note = f"{about}." if pooled else f"{about}, ± half of its 95 % interval."
    left = [style.heading(m) for m in metrics if m not in shown]
    note += f" Left out for their size: {', '.join(left)}." if left else ""
    text = f"`{x}` across, `{y}` up.{pooled_words(pooled)}"
    chart = HeatMap("Over the grid", x, y, pl.concat(tidy), note=note)
    yield Section("Heat map", text, series=chart, name="heatmap")


def _made(result: SweepResult) -> Section:
    """The command, and the scenario as it was given."""
    text = (
        f"{Opened(result).provenance}. Again: `{result.manifest.command}`. "
        f"acklab {acklab.__version__} wrote this page."
    )
    for name, given in result.scenarios.items():
        overrides = " ".join(f"--set {k}={v}" for k, v in result.manifest.overrides.items())
        text += f"\n\nThe scenario is [{name}]({name}), beside this page when it was made."
        text += f" Every run had `{overrides}`." if overrides else ""
        text += f"\n\n````\n{given}\n````"
    return Section("How this was made", text, name="scenario")
