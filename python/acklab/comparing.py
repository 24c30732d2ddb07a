"""Result folders side by side: each metric, and how far it is from the first folder's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from acklab.arguments import wrong
from acklab.errors import AcklabError
from acklab.metrics.derived import OF_A_RUN, once_per_run, with_harm, with_metric
from acklab.opening import SavedRun, open
from acklab.results import Result
from acklab.stats import check_numeric
from acklab.sweeps.results import SweepResult

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

#: Metrics that are compared by default.
METRICS = (
    "goodput_mbps",
    "retransmissions",
    "rtos",
    "cwnd_mean_packets",
    "rtt_p50_ms",
    "rtt_p95_ms",
    "segments_per_ack",
)
PLOTS = ("cdf", "box", "ellipse")
#: Latency and throughput of the points of an ellipse: a run's samples, a sweep's runs.
_ELLIPSE = {"runs": ("rtt_ms", "delivery_mbps"), "sweeps": ("rtt_p50_ms", "goodput_mbps")}
#: The table and column whose distribution is drawn unless it is said.
_DRAWN = {"runs": "rtt_ms", "sweeps": "goodput_mbps"}

#: Results that a figure's footer names.
MOST_NAMED = 6

Folder = str | os.PathLike[str]
Compared = Result | SavedRun | SweepResult


@dataclass(frozen=True)
class Comparison:
    """Some runs, or some sweeps, side by side; the first is what the others are measured by."""

    #: "runs" or "sweeps".
    kind: str
    names: tuple[str, ...]
    results: tuple[Result | SavedRun | SweepResult, ...]

    @property
    def keys(self) -> list[str]:
        """The grid's keys that all the sweeps have."""
        if self.kind == "runs":
            return []
        first, *others = [r.keys for r in self.results if isinstance(r, SweepResult)]
        return [k for k in first if all(k in o for o in others)]

    @property
    def provenance(self) -> str:
        """A line per result, for the footer: its name here, and run, seeds and version."""
        from acklab.plots.kinds import recorded

        told = [
            f"{name}: {recorded(r).provenance}"
            for name, r in zip(self.names, self.results, strict=True)
        ]
        more = len(told) - MOST_NAMED
        return "\n".join(told[:MOST_NAMED] + [f"and {more} more"] * (more > 0))

    def frame(self, table: str) -> pl.DataFrame:
        """A table of all results, one below the other, with the column `result` in front."""
        import polars as pl

        parts = [
            r.table(table).select(pl.lit(name).alias("result"), pl.all())
            for name, r in zip(self.names, self.results, strict=True)
        ]
        return pl.concat(parts, how="diagonal_relaxed")

    def table(
        self, metrics: Sequence[str] = METRICS, by: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """One row per metric, flow, value of the keys `by` (default: all), and result.

        Of a metric of whole runs, such as `jain`, the flow is "all". `harm` is measured by the
        flow of the same name in the first result, which is the one alone.
        `mean`, `ci_low`, `ci_high` and `n` are over seeds, after a mean over the keys that `by`
        leaves out; `difference` is that of the means,
        relative to the first result's.
        """
        import polars as pl

        flows = self.frame("flows")
        keys = _known(self.keys if by is None else by, flows, "flows")
        groups = list(dict.fromkeys(["flow", *keys]))
        parts = []
        for metric in metrics:
            if metric == "harm":
                rows = with_harm(flows, groups, self.names[0])
            else:
                rows = with_metric(flows, metric, self._samples)
            _known([metric], rows, "flows")
            if metric in OF_A_RUN:
                rows = once_per_run(rows, metric).with_columns(pl.lit("all").alias("flow"))
            parts.append(self._compared(rows, metric, groups))
        return pl.concat(parts)

    def _samples(self) -> pl.DataFrame:
        return self.frame("series")

    def _compared(self, flows: pl.DataFrame, metric: str, groups: list[str]) -> pl.DataFrame:
        import polars as pl

        from acklab.stats import estimate_by

        if "seed" in flows.columns:
            # Cells of one seed are no sample of chance: it is their mean that varies over seeds.
            check_numeric(flows, metric)
            each = [*groups, "result", "seed"]
            flows = flows.group_by(each, maintain_order=True).agg(pl.col(metric).mean())
        found = estimate_by(flows, [*groups, "result"], metric)
        first = found.filter(pl.col("result") == self.names[0]).select(*groups, base="mean")
        joined = found.join(first, on=groups, how="left", nulls_equal=True, maintain_order="left")
        base = pl.col("base")
        relative = pl.when(base != 0).then((pl.col("mean") - base) / base.abs())
        return joined.select(
            pl.lit(metric).alias("metric"), *groups, "result", "mean", "ci_low", "ci_high", "n",
            pl.when(pl.col("mean") == base).then(0.0).otherwise(relative).alias("difference"),
        )  # fmt: skip

    def _repr_html_(self) -> str:
        from acklab.shown import comparison

        return comparison(self)

    def plot(
        self, kind: str, metric: str | None = None, by: Sequence[str] = ()
    ) -> tuple[Figure, pl.DataFrame]:
        """A plot of `PLOTS` and the data in it; sweeps by runs, runs by samples over time."""
        from acklab.plots import style

        if kind not in PLOTS:
            raise AcklabError(f"there is no plot {kind!r}\n  help: there are {', '.join(PLOTS)}")
        with style.house():
            figure, data = self._drawn(kind, metric, by)
            style.footer(figure, self.provenance)
        return figure, data

    def _drawn(
        self, kind: str, metric: str | None, by: Sequence[str]
    ) -> tuple[Figure, pl.DataFrame]:
        import polars as pl

        from acklab.plots import box, cdf, ellipse, style

        table = "series" if self.kind == "runs" else "flows"
        frame = self.frame(table)
        if table == "flows":
            frame = with_metric(frame, metric or "", self._samples)
            frame = once_per_run(frame, metric or "")
        if frame.is_empty():
            raise AcklabError(
                "these runs have no samples over time to draw\n"
                "  help: run them again with --record series"
            )
        several = ["flow"] if frame["flow"].n_unique() > 1 else []
        words = [pl.col(c).cast(pl.String) for c in ("result", *several, *_known(by, frame, table))]
        frame = frame.with_columns(pl.concat_str(words, separator=", ").alias("group"))
        if kind == "ellipse":
            latency, throughput = _ELLIPSE[self.kind]
            [throughput] = _known([metric or throughput], frame, table)
            _measured(frame, latency)
            _measured(frame, throughput)
            labels = (style.heading(latency), style.heading(throughput))
            return ellipse.draw(frame, latency, throughput, "group", labels=labels)
        [value] = _known([metric or _DRAWN[self.kind]], frame, table)
        _measured(frame, value)
        draw = cdf.draw if kind == "cdf" else box.draw
        return draw(frame, value, "group", style.heading(value))


def compare(*given: Folder | Compared, names: Sequence[str] | None = None) -> Comparison:
    """Lays results of one kind side by side: fresh, opened, or folders of them.

    `names` are theirs in tables and figures; without, folders have their own, and results that
    were never saved those of their scenarios.
    """
    if len(given) < 2:
        raise AcklabError(
            f"there is nothing to compare{f' {given[0]} with' if given else ''}\n"
            "  help: give two result folders or more; in Python results do as well"
        )
    results = tuple(_opened(i, g) for i, g in enumerate(given))
    folders = [_place(r) for r in results]
    swept = [isinstance(r, SweepResult) for r in results]
    if any(swept) != all(swept):
        run, sweep = folders[swept.index(False)], folders[swept.index(True)]
        raise AcklabError(
            f"cannot compare a run with a sweep: {run} is of one run, {sweep} of many\n"
            "  help: compare runs with runs, sweeps with sweeps"
        )
    called = _names(results) if names is None else _given(names, len(results))
    return Comparison("sweeps" if all(swept) else "runs", called, results)


def _opened(place: int, given: object) -> Compared:
    if isinstance(given, Result | SavedRun | SweepResult):
        return given
    if isinstance(given, str | os.PathLike):
        return open(given)
    raise wrong("compare()", f"argument {place + 1}", given, "give results or result folders")


def _place(result: Compared) -> str:
    """Where it is, or what it is of."""
    if isinstance(result, Result):
        return f"{result.name}, seed {result.seed}"
    return str(result.folder)


def _names(results: Sequence[Compared]) -> tuple[str, ...]:
    """Own names if they differ, whole paths, or names with seeds, otherwise."""
    short = [r.name if isinstance(r, Result) else r.folder.resolve().name for r in results]
    names = short if len(set(short)) == len(short) else [_place(r) for r in results]
    if len(set(names)) == len(names):
        return tuple(names)
    twice = next(n for n in names if names.count(n) > 1)
    if any(isinstance(r, Result) for r in results):
        raise AcklabError(
            f"compare(): two results are called {twice!r}\n"
            '  help: tell them apart: compare(a, b, names=["before", "after"])'
        )
    raise AcklabError(f"the folder {twice} is given twice\n  help: give each once")


def _given(names: Sequence[str], count: int) -> tuple[str, ...]:
    right = f"give {count} different names, one for each result"
    if isinstance(names, str) or not all(isinstance(n, str) for n in names):
        raise wrong("compare()", "names", names, right)
    if len(set(names)) != count or len(names) != count:
        raise wrong("compare()", "names", names, right)
    return tuple(names)


def _measured(frame: pl.DataFrame, column: str) -> None:
    """An error if there is nothing to draw of it."""
    check_numeric(frame, column)
    if frame[column].count() == 0:
        raise AcklabError(
            f"there is no value of {column} to draw: nothing was ever measured\n"
            "  help: choose another column with --metric"
        )


def _known(columns: Sequence[str], frame: pl.DataFrame, table: str) -> list[str]:
    for column in columns:
        if column not in frame.columns:
            close = get_close_matches(column, frame.columns, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(frame.columns)}"
            raise AcklabError(f"the table {table} has no column {column!r}\n  help: {hint}")
    return list(columns)
