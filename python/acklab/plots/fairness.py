"""Jain's index over time.

R. Jain, D. Chiu, W. Hawe, *A Quantitative Measure of Fairness*, DEC-TR-301, 1984; RFC 5166, 2.4:
(Σ x)² / (n Σ x²), here of the goodputs of the flows that are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.errors import AcklabError
from acklab.plots import lines, rates, style
from acklab.plots.drawn import Choice, Drawn
from acklab.plots.order import in_order, places
from acklab.plots.recorded import Recorded, required

if TYPE_CHECKING:
    import polars as pl

#: Seconds; several round-trips of most paths, so that it is shares that differ and not phases.
WINDOW_S = 1.0


def draw(source: Recorded, choice: Choice) -> Drawn:
    """Goodput of each flow above, the index below."""
    series = choice.of(required(source, "fairness", "series"))
    at = places(source)
    if series["flow"].n_unique() < 2:
        raise AcklabError(
            "fairness is of two flows or more, and here is one\n"
            "  help: add a [[flow]] to the scenario, or name more in --flows"
        )
    window = rates.window_of(series, WINDOW_S if choice.window is None else choice.window)
    shares = in_order(rates.goodput(series, window), at)
    index = jain(shares)
    if index.is_empty():
        raise AcklabError(
            "fairness is of what arrived, and nothing did\n  help: see the flows' counters"
        )
    fig, axes = style.figure(2, 1, (8.0, 4.2), share=False)
    (top,), (bottom,) = axes
    top.sharex(bottom)
    top.tick_params(labelbottom=False)
    lines.draw(top, shares, "mbps", "flow", "steps-pre", at)
    top.set_ylabel("goodput\nMbit/s")
    lines.legend(top)
    bottom.plot(index["time_s"], index["jain"], color="#000000", lw=1.2, drawstyle="steps-pre")
    bottom.set_ylim(0, 1.04)
    bottom.set(xlabel="time, s", ylabel=f"Jain's index\nover {window:g} s")
    data = shares.join(index, on="bin", how="left", suffix="_end")
    data = in_order(data, at).sort("bin", maintain_order=True)
    data = data.select("time_s", "flow", "mbps", "flows", "jain")
    mean = float(index["jain"].mean())  # type: ignore[arg-type]
    alt = f"{source.name}: goodput of each flow and Jain's index over time, {mean:.2f} on average"
    return Drawn(fig, data, alt)


def jain(shares: pl.DataFrame) -> pl.DataFrame:
    """`bin`, `time_s`, `flows`, `jain` of each window in which anything arrived."""
    import polars as pl

    x = pl.col("mbps")
    return (
        shares.group_by("bin")
        .agg(
            pl.col("time_s").max(),
            pl.len().alias("flows"),
            (x.sum() ** 2 / (pl.len() * (x**2).sum())).alias("jain"),
        )
        .filter(pl.col("jain").is_finite())
        .sort("bin")
    )
