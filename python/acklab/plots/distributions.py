"""Distributions of one result: over a sweep's runs, or over a run's samples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from acklab.errors import AcklabError
from acklab.metrics.derived import once_per_run, with_metric
from acklab.plots import style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.order import in_order, places
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

#: What is drawn unless `value` says otherwise: of a sweep's runs, of a run's samples.
_VALUES = {"runs": "goodput_mbps", "series": "rtt_ms"}
#: Latency and throughput of the points of an ellipse.
_ELLIPSE = {"runs": ("rtt_p50_ms", "goodput_mbps"), "series": ("rtt_ms", "delivery_mbps")}


def cdf(source: Recorded, choice: Choice) -> Drawn:
    """The share of values that are no larger, a line per cell or flow."""
    from acklab.plots import cdf

    table, rows = _grouped(source, "cdf", choice)
    value = _column(rows, choice.value or _VALUES[table])
    figure, data = cdf.draw(rows, value, "group", style.heading(value), places(source))
    return Drawn(figure, data, f"{source.name}: distribution of {value} {_by(rows)}")


def box(source: Recorded, choice: Choice) -> Drawn:
    """Quartiles, whiskers and every value, a box per cell or flow."""
    from acklab.plots import box

    table, rows = _grouped(source, "box", choice)
    value = _column(rows, choice.value or _VALUES[table])
    figure, data = box.draw(rows, value, "group", style.heading(value), places(source))
    return Drawn(figure, data, f"{source.name}: boxes of {value} {_by(rows)}")


def ellipse(source: Recorded, choice: Choice) -> Drawn:
    """Throughput against latency, an ellipse per cell or flow: up and right is better."""
    from acklab.plots import ellipse

    table, rows = _grouped(source, "ellipse", choice)
    latency, throughput = _ELLIPSE[table]
    latency, throughput = (_column(rows, c) for c in (latency, choice.value or throughput))
    labels = (style.heading(latency), style.heading(throughput))
    at = places(source)
    figure, data = ellipse.draw(rows, latency, throughput, "group", labels=labels, at=at)
    return Drawn(figure, data, f"{source.name}: {throughput} against {latency} {_by(rows)}")


def _grouped(source: Recorded, kind: str, choice: Choice) -> tuple[str, pl.DataFrame]:
    """The table, and its rows with a column `group`: the cell of a sweep, the flow of a run."""
    import polars as pl

    from acklab.plots.heatmap import sweep_keys

    runs = source.table("runs")
    if runs is None:
        series = in_order(choice.of(required(source, kind, "series")), places(source))
        return "series", series.with_columns(pl.col("flow").alias("group"))
    samples = partial(source.table, "run_series")
    rows = with_metric(choice.of(runs), choice.value or "", samples)
    rows = once_per_run(rows, choice.value or "")
    keys = [*sweep_keys(rows), *(["flow"] if rows["flow"].n_unique() > 1 else [])]
    words = [
        pl.concat_str(pl.lit(f"{name} = "), pl.col(k).cast(pl.String))
        for k, name in zip(keys, _short(keys), strict=True)
    ]
    return "runs", rows.with_columns(pl.concat_str(words, separator="\n").alias("group"))


def _short(keys: list[str]) -> list[str]:
    """The last parts of keys such as `flow.0.cc`, if that tells them apart."""
    last = [k.rpartition(".")[2] for k in keys]
    return last if len(set(last)) == len(last) else keys


def _column(rows: pl.DataFrame, value: str) -> str:
    numbers = [c for c in rows.columns if rows[c].dtype.is_numeric()]
    if value in numbers:
        if rows[value].count() == 0:
            raise AcklabError(
                f"there is no value of {value} to draw: nothing was ever measured\n"
                "  help: choose another column with --value, or other times"
            )
        return value
    raise AcklabError(
        f"there is no metric called {value!r}\n  help: the metrics are {', '.join(numbers)}"
    )


def _by(rows: pl.DataFrame) -> str:
    names = rows["group"].unique(maintain_order=True).str.replace_all("\n", ", ", literal=True)
    return "of " + "; ".join(names)
