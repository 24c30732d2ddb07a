"""The picture of `acklab model`: goodput and RTT over time, the model over the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from acklab.fluid.beside import Beside
    from acklab.fluid.case import Case
    from acklab.plots.style import Format

    Floats = NDArray[np.float64]

#: Of more flows than this each controller's median is drawn, with the middle 80 %.
APART = 6
#: Seconds over which goodput is counted: shorter ones show single packets.
HALF = 0.5
_MODEL = (0, (4, 1.2))


def draw(of: Beside, stem: Path, form: Format = "svg") -> None:
    """Goodput and RTT over time: of each flow, or of each controller's where flows are many."""
    from acklab.plots.style import CATEGORICAL, figure, save

    fig, axes = figure(2, 1, (7.2, 4.6), share=True)
    top, bottom = axes[0][0], axes[1][0]
    groups = grouped(of.case)
    for n, (label, flows) in enumerate(groups.items()):
        colour = CATEGORICAL[n % len(CATEGORICAL)]
        names = [of.case.flows[i].name for i in flows]
        goodput, rtt = _sampled(of.result.series, names)
        _simulated(top, goodput, colour, f"{label}, simulated", steps=True)
        _simulated(bottom, rtt, colour, None)
        _modelled(top, *_goodput(of, flows), colour, f"{label}, model")
        _modelled(bottom, *_rtt(of, flows), colour, None)
    if len(groups) < len(of.case.flows):
        top.set_title("medians; shades and thin lines: the middle 80 % of flows", fontsize=8)
    top.set_ylabel("goodput, Mbit/s")
    bottom.set_ylabel("RTT, ms")
    bottom.set_xlabel("time, s")
    top.set_ylim(bottom=0)
    bottom.set_ylim(bottom=0)
    top.legend(loc="upper center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=8)
    top.set_ylim(top=top.get_ylim()[1] * (1.12 + 0.12 * len(groups)))
    save(fig, stem, form)


def grouped(case: Case) -> dict[str, list[int]]:
    """Indices of the flows that a line stands for, by its label."""
    if len(case.flows) <= APART:
        return {f"{f.name} ({f.cc})": [i] for i, f in enumerate(case.flows)}
    by_cc: dict[str, list[int]] = {}
    for i, f in enumerate(case.flows):
        by_cc.setdefault(f.cc, []).append(i)
    return {_label(case, cc, flows): flows for cc, flows in by_cc.items()}


def _label(case: Case, cc: str, flows: list[int]) -> str:
    if len(flows) == 1:
        return f"{case.flows[flows[0]].name} ({cc})"
    return f"{len(flows)} flows of {cc}"


def _sampled(series: pl.DataFrame, names: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Goodput of each half second, and RTT: the median of some flows, and the middle 80 %."""
    import polars as pl

    own = series.filter(pl.col("flow").is_in(names))
    passed = pl.col("time_s").diff().over("flow")
    acked = pl.col("acked_bytes").cast(pl.Int64).diff().over("flow")
    halves = own.filter(pl.col("time_s") / HALF % 1 < 1e-9)
    goodput = halves.select("time_s", (acked * 8e-6 / passed).alias("value"))
    rtt = own.select("time_s", pl.col("rtt_ms").alias("value"))
    return _spread(goodput), _spread(rtt)


def _spread(of: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    spread = [
        pl.col("value").quantile(q, "linear").alias(n)
        for n, q in (("low", 0.1), ("middle", 0.5), ("high", 0.9))
    ]
    return of.group_by("time_s").agg(spread).sort("time_s")


def _simulated(
    ax: Axes, of: pl.DataFrame, colour: str, label: str | None, *, steps: bool = False
) -> None:
    """`steps`: a value is that of the time before."""
    t, low, middle, high = (of[c].to_numpy() for c in ("time_s", "low", "middle", "high"))
    ax.fill_between(t, low, high, step="pre" if steps else None, color=colour, alpha=0.15, lw=0)
    style = "steps-pre" if steps else "default"
    ax.plot(t, middle, drawstyle=style, color=colour, lw=0.9, alpha=0.6, label=label)


def _modelled(ax: Axes, t: Floats, values: Floats, colour: str, label: str | None) -> None:
    """A row of `values` is a time, a column a flow; no number where a flow has not begun."""
    if values.shape[1] == 1:
        ax.plot(t, values[:, 0], color=colour, lw=1.6, ls=_MODEL, label=label)
        return
    some = ~np.isnan(values).all(axis=1)
    low, middle, high = np.nanquantile(values[some], (0.1, 0.5, 0.9), axis=1)
    ax.plot(t[some], middle, color=colour, lw=1.6, ls=_MODEL, label=label)
    for edge in (low, high):
        ax.plot(t[some], edge, color=colour, lw=0.7, ls=_MODEL)


def _goodput(of: Beside, flows: list[int]) -> tuple[Floats, Floats]:
    """Mbit/s over half seconds."""
    step = float(of.trace.time[0])
    k = max(1, round(HALF / step))
    n = len(of.trace.time) // k * k
    sizes = np.array([of.case.flows[i].payload for i in flows]) / 1e6
    means = of.trace.goodput[:n, flows].reshape(-1, k, len(flows)).mean(1)
    return of.trace.time[:n].reshape(-1, k)[:, -1], means * sizes


def _rtt(of: Beside, flows: list[int]) -> tuple[Floats, Floats]:
    """Milliseconds, of flows that have begun."""
    starts = np.array([of.case.flows[i].start for i in flows])
    begun = of.trace.time[:, None] > starts
    return of.trace.time, np.where(begun, of.trace.rtt[:, flows] * 1e3, np.nan)
