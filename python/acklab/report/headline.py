"""The first sentences of a sweep's page: which cells stand out from the seeds, and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acklab.report.changed import change, numbers
from acklab.report.parts import spread
from acklab.report.setting import sets
from acklab.report.top import amount, name_of, short, unit_of
from acklab.stats import CONFIDENCE, estimate_by

if TYPE_CHECKING:
    import polars as pl

#: Metrics that are told beside the first, if nobody chose them.
_BESIDE = 2
#: Keys whose values say themselves what they are values of.
_CLEAR = ("ack", "ack_filter", "cc", "name", "qdisc", "scenario", "transport")

#: The axes of a grid: a column, and the paths of the keys that change with it.
Axes = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Cell:
    """A cell of the grid and a metric there: mean over seeds, its interval, how many seeds."""

    at: Mapping[str, Any]
    mean: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Extremes:
    """The cells in which a metric is least and greatest, among those with the same `fixed`."""

    metric: str
    least: Cell
    most: Cell
    #: Values of keys that set the metric: these cells share them.
    fixed: Mapping[str, Any]
    #: Standard deviation within a cell over its seeds, pooled; none with one seed.
    deviation: float | None
    #: Degrees of freedom of it.
    degrees: int
    #: Cells that were compared, and groups of such cells of which this one differs most.
    cells: int
    groups: int

    @property
    def times(self) -> float:
        """The difference in spreads of seeds; without a spread it has no bound."""
        difference = self.most.mean - self.least.mean
        if not difference:
            return 0.0
        return difference / self.deviation if self.deviation else math.inf

    @property
    def stands_out(self) -> bool:
        """Whether they differ by more than the extremes of so many equal cells do.

        Tukey's test on the studentized range, corrected for the number of groups (Bonferroni), and
        intervals of the two cells that lie apart, since seeds may matter more in one of them.
        """
        if self.most.mean <= self.least.mean:
            return False
        if not self.deviation:
            return True
        from scipy.stats import studentized_range

        if self.least.high is not None and self.most.low is not None:
            apart = self.most.low > self.least.high
        else:
            apart = True
        error = math.sqrt((1 / self.least.n + 1 / self.most.n) / 2)
        chance = studentized_range.sf(self.times / error, self.cells, self.degrees)
        return apart and bool(chance * self.groups < 1 - CONFIDENCE)


def left_out(axes: Axes, metric: str) -> bool:
    """Whether every key sets the metric, so that what it does is no finding."""
    return all(sets(keys, metric) for keys in axes.values())


def drawn(axes: Axes, metrics: Sequence[str]) -> str:
    """The metric for the picture: the first that no key sets, if there is one."""
    free = (m for m in metrics if not any(sets(keys, m) for keys in axes.values()))
    return next(free, metrics[0])


def extremes(runs: pl.DataFrame, axes: Axes, metric: str, asked: bool = False) -> Extremes | None:
    """Between which cells `metric` differs most; none if there are no two.

    Keys that set it are held fixed, unless it was `asked` for.
    """
    import polars as pl

    fixed = [] if asked else [column for column, keys in axes.items() if sets(keys, metric)]
    values = pl.col(metric).cast(pl.Float64).drop_nulls()
    within = runs.group_by("cell").agg(values.var(ddof=1).alias("variance"))
    found = estimate_by(runs, ["cell", *axes], metric).drop_nulls("mean")
    ranked = found.join(within, on="cell", how="left").sort("mean", maintain_order=True)
    groups = ranked.partition_by(fixed, maintain_order=True) if fixed else [ranked]
    every = [_extremes(g, metric, axes, fixed, len(groups)) for g in groups if len(g) > 1]
    return max(every, key=lambda e: (e.times, e.most.mean - e.least.mean), default=None)


def _extremes(
    ranked: pl.DataFrame, metric: str, axes: Axes, fixed: Sequence[str], groups: int
) -> Extremes:
    """Of the cells of one group, from the one with the least mean on."""
    import polars as pl

    repeated = ranked.filter(pl.col("n") > 1).select(
        "variance", degrees=pl.col("n").cast(pl.Int64) - 1
    )
    degrees = int(repeated["degrees"].sum())
    squares = float((repeated["variance"] * repeated["degrees"]).sum())
    least, most = (
        Cell(
            {k: row[k] for k in axes if k not in fixed},
            *(row["mean"], row["ci_low"], row["ci_high"], row["n"]),
        )
        for row in (ranked.row(i, named=True) for i in (0, -1))
    )
    return Extremes(
        metric,
        least,
        most,
        {k: ranked[k][0] for k in fixed},
        math.sqrt(squares / degrees) if degrees else None,
        degrees,
        len(ranked),
        groups,
    )


def sentences(runs: pl.DataFrame, axes: Axes, metrics: Sequence[str], asked: bool = False) -> str:
    """What stands out: the first metric, then those that do by most; Markdown.

    Metrics that all keys set are left out, unless the metrics were `asked` for.
    """
    left = [] if asked else [m for m in metrics if left_out(axes, m)]
    found = {m: extremes(runs, axes, m, asked) for m in metrics if m not in left}
    out = [e for e in found.values() if e is not None and e.stands_out]
    told = []
    if out and out[0].metric == metrics[0]:
        several = len(axes) - len(out[0].fixed) > 1
        alone = _alone(runs, axes, metrics[0], asked) if several else ""
        told.append(f"{_sentence(out[0])}{alone}")
    elif out and (first := found.get(metrics[0])):
        told.append(f"{_head(first, 'the same ')} differs by no more than seeds do.")
    rest = [e for e in out if e.metric != metrics[0]]
    told += [_sentence(e) for e in (rest if asked else _most(rest))]
    notes = []
    if out:
        notes.append("From the least cell to the greatest.")
    elif found:
        notes.append("No metric differs between cells by more than seeds do.")
    if any(e.deviation for e in out):
        notes.append("The spread of seeds is the standard deviation within a cell.")
    elif out and not any(e.degrees for e in out):
        notes.append("One seed does not tell what chance does.")
    if left:
        names = ", ".join(dict.fromkeys(name_of(m) for m in left))
        keys = ", ".join(f"`{k}`" for k in axes)
        notes.append(f"Left out, since {keys} {'sets' if len(axes) == 1 else 'set'} it: {names}.")
    return "\n".join((*(f"- {t}" for t in told), "", " ".join(notes)))


def _most(out: Sequence[Extremes]) -> list[Extremes]:
    """Those that stand out most, one of each quantity."""
    of: dict[str, Extremes] = {}
    for e in sorted(out, key=lambda e: -e.times):
        of.setdefault(e.metric.partition("_")[0], e)
    return list(of.values())[:_BESIDE]


def _head(e: Extremes, same: str = "") -> str:
    names = [f"{same}{k}" for k in e.fixed] if same else [_told(e.fixed)] if e.fixed else []
    where = f" with {' and '.join(names)}" if names else ""
    return f"**{_capital(name_of(e.metric))}**{where}"


def _sentence(e: Extremes) -> str:
    by = []
    if e.least.mean > 0:
        ratio = e.most.mean / e.least.mean
        by.append(
            f"{_few(100 * (ratio - 1))} % more" if ratio < 2 else f"{_few(ratio)} times as much"
        )
    if e.deviation:
        times = f"{_few(e.times)} times the spread of seeds"
        by.append(f"by {times}" if by else f"{times} apart")
    elif e.degrees:
        by.append("the same for every seed")
    ends = f"from {_end(e.metric, e.least)} to {_end(e.metric, e.most)}"
    return f"{_head(e)}: {ends}{'; ' if by else ''}{', '.join(by)}."


def _few(value: float) -> str:
    """A number in two digits."""
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"


def _alone(runs: pl.DataFrame, axes: Axes, metric: str, asked: bool) -> str:
    """The key that moves a metric most by itself, if one of several does."""
    every = [
        c
        for column, keys in axes.items()
        if (asked or not sets(keys, metric)) and (c := change(runs, column, metric)) and c.apart
    ]
    if not every:
        return ""
    top = max(every, key=lambda c: c.share)
    low, high = (
        _end(metric, Cell({top.key: e.at}, e.mean, e.low, e.high, 0)) for e in (top.least, top.most)
    )
    return f" Alone, as a mean over everything else, {top.key} moves it most: from {low} to {high}."


def _end(metric: str, cell: Cell) -> str:
    told = amount(cell.mean)
    if cell.low is not None and cell.high is not None:
        # One side may be cut at what the metric can be.
        half = max(cell.high - cell.mean, cell.mean - cell.low)
        told += f"\u00a0±\u00a0{spread(half, cell.mean)}" if half else ""
    unit = unit_of(metric)
    return f"{told}{f' {unit}' if unit else ''} ({_told(cell.at)})"


def _told(at: Mapping[str, Any]) -> str:
    return ", ".join(_value(k, v) for k, v in at.items())


def _value(key: str, value: Any) -> str:
    """A value of a key in a sentence; a word says itself which key it is of, a number does not."""
    text = short(value)
    word = not numbers([value]) and not isinstance(value, bool)
    clear = key.rpartition(".")[2] in _CLEAR or text != str(value)
    return text if word and clear else f"{key} {text}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
