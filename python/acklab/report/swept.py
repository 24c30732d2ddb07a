"""The report of a sweep: its grid, each metric over the grid, and how the runs are distributed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.plots.recorded import Opened
from acklab.report.build import build, save
from acklab.report.distributions import distributions
from acklab.report.groups import grouped, pooled_words, told_apart, varying
from acklab.report.html import MOST_ROWS
from acklab.report.interactive import HeatMap
from acklab.report.parts import Section
from acklab.stats import estimate_by

if TYPE_CHECKING:
    import polars as pl

    from acklab.sweeps.results import SweepResult

#: Panels of a heat map.
MOST_PANELS = 8
#: Numbers of a heat map in all its measures: about 10 bytes each.
MOST_NUMBERS = 250_000
#: Values of a key that the grid's table lists.
_LISTED = 24


def sweep_report(result: SweepResult) -> str:
    """The page; the same sweep gives the same bytes."""
    return build(result.name, sections=list(_sections(result)), meta=_meta(result))


def write_sweep_report(result: SweepResult, path: Path) -> Path:
    """Writes the page of a sweep's folder to `path`."""
    return save(sweep_report(result), path)


def _meta(result: SweepResult) -> dict[str, str]:
    about = result.manifest
    there = result.flows["run"].n_unique()
    meta = {
        "sweep": Opened(result).provenance,
        "runs": f"{about.runs:,} of {about.cells:,} cells",
        "again": f"`{about.command}`",
    }
    if there < about.runs:
        meta["not complete"] = f"{there:,} runs are here; the command goes on with the rest"
    return meta


def _sections(result: SweepResult) -> Iterator[Section]:
    from acklab.comparing import METRICS

    provenance = Opened(result).provenance
    runs = Opened(result).table("runs")
    assert runs is not None, "a sweep's flows have rows, or reading them is an error"
    metrics = [m for m in METRICS if runs[m].count() > 0]
    keys = varying(runs, result.keys)
    yield Section("Grid", table=_grid(result), name="grid")
    yield from _metrics(result, runs, keys, metrics)
    if len([k for k in keys if k != "flow"]) > 1:
        yield from _maps(runs, keys, metrics)
    yield from distributions(runs, keys, provenance)
    yield from _scenario(result)


def _grid(result: SweepResult) -> pl.DataFrame:
    import polars as pl

    rows = [
        {"column": name, "key": key["key"], **_values(key["values"], result.cells[name].n_unique())}
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
    result: SweepResult, runs: pl.DataFrame, keys: Sequence[str], metrics: Sequence[str]
) -> Iterator[Section]:
    text = "Mean over seeds ± half of its 95 % interval (Student's t)."
    if len(keys) > 1:
        for key in keys:
            table = _means(_by_seed(runs, key, metrics), [key], metrics)
            also = f"{text} Of each seed first the mean over everything else that was swept."
            yield Section(f"By {key}", also, table=table, name=f"by-{key}")
    table = _means(runs, keys or ["flow"], metrics)
    if len(table) > MOST_ROWS:
        text += (
            f" Here are the first {MOST_ROWS} of {len(table):,} cells; every row is in "
            f'`acklab.open("{result.folder.name}").stats("{metrics[0]}")`.'
        )
    yield Section("Every cell", text, table=table, name="cells")


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


def _scenario(result: SweepResult) -> Iterator[Section]:
    """The scenario as it was given, and where it is."""
    for name, given in result.scenarios.items():
        overrides = " ".join(f"--set {k}={v}" for k, v in result.manifest.overrides.items())
        text = f"[{name}]({name}) beside this page, when it was made."
        text += f" Every run had `{overrides}`." if overrides else ""
        yield Section("Scenario", f"{text}\n\n````\n{given}\n````", name="scenario")
