"""The runs of a sweep in few columns, read shard by shard: what a page of 100,000 runs needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from acklab.comparing import METRICS as TOLD
from acklab.errors import AcklabError
from acklab.metrics import DEFINITIONS
from acklab.metrics.derived import DERIVED_COLUMNS, OF_A_RUN, with_metric
from acklab.report.distributions import ELLIPSE, VALUES

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from acklab.sweeps.results import SweepResult

#: Columns of the table of cells, if they have numbers and nobody chose others.
METRICS = (
    *("goodput_mbps", "jain", "rtt_p50_ms", "rtt_p95_ms", "retransmissions"),
    "segments_per_ack",
)
#: Rows of `flows` up to which flows are told apart; of more, a run is one row.
MOST_FLOWS = 100_000


@dataclass(frozen=True)
class Summed:
    """Numbers of a sweep: a row per run, and one per flow of each where there is room."""

    #: Columns `run`, `cell`, the keys, `seed`, then the metrics of all its flows together.
    runs: pl.DataFrame
    #: The same with `flow`; with the flow "all" if there are too many rows.
    flows: pl.DataFrame
    metrics: Sequence[str]
    #: Flows of a run at most.
    most_flows: int
    #: Metrics that are summed over the flows of a run; of the others it is the mean.
    sums: Sequence[str]
    apart: bool


def summed(result: SweepResult, metrics: Sequence[str] = ()) -> Summed:
    """Reads what the page shows, one shard at a time, so that memory has a shard at most."""
    import polars as pl

    files = result.shards("flows")
    schema = pl.read_parquet_schema(files[0])
    _check(metrics, list(schema))
    wanted = [*metrics] or list(METRICS)
    columns = _needed([*wanted, *TOLD, *VALUES, *ELLIPSE], list(schema))
    rows = sum(pl.scan_parquet(f).select(pl.len()).collect().item() for f in files)
    of_flow = [m for m in dict.fromkeys([*columns, *wanted]) if m in schema]
    sums = [m for m in of_flow if _adds_up(m, schema[m])]
    parts, apart = [], []
    for file in files:
        frame = _read(file, result, columns)
        parts.append(_per_run(frame, [*columns, *wanted], sums))
        if rows <= MOST_FLOWS:
            apart.append(frame)
    runs = pl.concat(parts)
    if "convergence_time" in wanted:
        runs = runs.join(_converged(result), on="run", how="left", maintain_order="left")
    flows = pl.concat(apart) if apart else runs.with_columns(pl.lit("all").alias("flow"))
    most = max(runs["_flows"].to_list(), default=1)
    shown = [m for m in wanted if metrics or (runs[m].count() and (m != "jain" or most > 1))]
    return Summed(runs, flows, shown, most, sums if most > 1 else [], bool(apart))


def _check(metrics: Sequence[str], known: Sequence[str]) -> None:
    for metric in metrics:
        if metric == "harm":
            raise AcklabError(
                "harm compares two results\n  help: `acklab compare ALONE BESIDE -m harm --report`"
            )
        if metric not in known and metric not in DERIVED_COLUMNS:
            close = get_close_matches(metric, [*known, *DERIVED_COLUMNS], 1)
            hint = f"did you mean {close[0]}?" if close else "acklab explain lists all names"
            raise AcklabError(f"the table flows has no column {metric!r}\n  help: {hint}")


def _needed(metrics: Sequence[str], known: Sequence[str]) -> list[str]:
    """The columns that these metrics are or are made of."""
    made = {
        "jain": ("goodput_mbps",),
        "rtt_fairness": ("goodput_mbps", "rtt_min_ms"),
        "power": ("goodput_warm_mbps", "rtt_mean_ms"),
    }
    found = [c for m in metrics for c in made.get(m, (m,))]
    return [c for c in dict.fromkeys(found) if c in known]


def _read(file: Path, result: SweepResult, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl
    import polars.selectors as cs

    keys = ["run", "cell", *result.keys, "seed", "flow"]
    frame = pl.read_parquet(file, columns=list(dict.fromkeys([*keys, *columns])))
    return frame.with_columns(cs.categorical().cast(pl.String), cs.enum().cast(pl.String))


def _adds_up(column: str, dtype: pl.DataType) -> bool:
    """Rates, bytes and counts of flows have a sum; times, windows and shares have none."""
    unit = DEFINITIONS[column].unit if column in DEFINITIONS else ""
    return unit in ("Mbit/s", "B") or (not unit and dtype.is_integer())


def _per_run(frame: pl.DataFrame, metrics: Sequence[str], sums: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    for metric in metrics:
        if metric != "convergence_time":
            frame = with_metric(frame, metric)
    heads = [c for c in frame.columns if c not in {"run", "flow", *metrics}]
    values = []
    for m in dict.fromkeys(m for m in metrics if m in frame.columns):
        value = pl.col(m).cast(pl.Float64)
        if m in OF_A_RUN:
            values.append(value.first())
        elif m in sums:
            # A sum of no numbers is no number.
            values.append(pl.when(value.count() > 0).then(value.sum()).alias(m))
        else:
            values.append(value.mean())
    whole = [pl.col(heads).first(), pl.len().alias("_flows"), *values]
    return frame.group_by("run", maintain_order=True).agg(whole)


def _converged(result: SweepResult) -> pl.DataFrame:
    """Of every run; this one needs the samples over time."""
    import polars as pl

    columns = ["run", "flow", "start_s", "completion_s", "goodput_mbps"]
    known = result.scan("flows").collect_schema().names()
    flows = result.scan("flows").select([c for c in columns if c in known]).collect()
    flows = flows.with_columns(pl.col("flow").cast(pl.String))
    told = with_metric(flows, "convergence_time", lambda: result.table("series"))
    return told.select("run", "convergence_time").unique("run", maintain_order=True)
