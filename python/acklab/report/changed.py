"""How a metric changes with a key of a sweep, and the picture of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.report.paper.drawing import LOOKS, MOST_KEYS, Panel, Point, Series, bounds
from acklab.report.top import name_of, picture, short, ticks_of
from acklab.stats import estimate_by

if TYPE_CHECKING:
    import polars as pl

_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([A-Za-zµ%][\w/]*)?")


@dataclass(frozen=True)
class End:
    """A value of a key, and the mean of a metric there."""

    at: Any
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Change:
    """A metric between the values of a key at which its mean is least and largest."""

    metric: str
    key: str
    least: End
    most: End

    @property
    def share(self) -> float:
        """How much of the larger one lies between them."""
        larger = max(abs(self.least.mean), abs(self.most.mean))
        return (self.most.mean - self.least.mean) / larger if larger else 0.0

    @property
    def apart(self) -> bool:
        """Whether the 95 % intervals lie apart; without intervals, whether the means differ."""
        if self.least.high is None or self.most.low is None:
            return self.most.mean > self.least.mean
        return self.most.low > self.least.high


def by_seed(runs: pl.DataFrame, keys: Sequence[str], metric: str) -> pl.DataFrame:
    """The mean of each seed over everything that is not in `keys`.

    Seeds are what was repeated; cells are not.
    """
    import polars as pl

    return runs.group_by(*keys, "seed", maintain_order=True).agg(
        pl.col(metric).cast(pl.Float64).mean()
    )


def change(runs: pl.DataFrame, key: str, metric: str) -> Change | None:
    """How `metric` changes with `key`, means over everything else."""
    found = estimate_by(by_seed(runs, [key], metric), [key], metric).drop_nulls("mean")
    if len(found) < 2:
        return None
    ranked = found.sort("mean", maintain_order=True)
    columns = (key, "mean", "ci_low", "ci_high")
    least, most = (End(*ranked.select(columns).row(i)) for i in (0, -1))
    return Change(metric, key, least, most)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def numbers(values: Sequence[Any]) -> tuple[list[float], str] | None:
    """The values of a key as numbers with one unit, if they are such."""
    if any(isinstance(v, bool) for v in values):
        return None
    found = [_NUMBER.fullmatch(str(v)) for v in values]
    units = {m[2] or "" for m in found if m}
    if len(units) != 1 or not all(found):
        return None
    return [float(m[1]) for m in found if m], units.pop()


def drawn(runs: pl.DataFrame, keys: Sequence[str], metric: str) -> str:
    """`metric` over the first key that is a number, a line per value of the first other key."""
    values = {k: runs[k].unique(maintain_order=True).to_list() for k in keys}
    x = next((k for k in keys if numbers(values[k])), keys[0])
    other = next((k for k in keys if k != x), None)
    of = [x, other] if other else [x]
    rows = estimate_by(by_seed(runs, of, metric), of, metric)
    # Words have no order that a line could follow: they get marks alone.
    shown = _spread(values[other], LOOKS) if other else [None]
    places, labels, unit = _axis(values[x])
    lines = [
        Series(f"{other} = {short(v)}" if other else metric, i, _points(own, x, places))
        for i, v in enumerate(shown)
        if len(own := rows.filter(rows[other] == v) if other else rows)
    ]
    marks = list(dict.fromkeys(places.values()))
    log = unit is not None and _grows(marks)
    if unit is not None and len(marks) > MOST_KEYS and not log:
        marks, labels = ticks_of(marks)
    panel = Panel("", lines, marks, labels, "dots" if unit is None else "lines", log)
    caption = [f"{_capital(name_of(metric))} over `{x}`"]
    if other and len(shown) < len(values[other]):
        caption[0] += f", {len(shown)} of {len(values[other])} values of `{other}`"
    rest = [k for k in keys if k not in of]
    if rest:
        caption.append(f"mean over {', '.join(f'`{k}`' for k in rest)}")
    if rows["ci_low"].count():
        caption.append("upright lines are 95 % intervals over seeds")
    name = f"{x}, {unit}" if unit else x
    return picture(
        [(panel, name, style.heading(metric))], [bounds([panel])], f"{'; '.join(caption)}."
    )


def _grows(marks: Sequence[float]) -> bool:
    """Whether many values are multiples of each other rather than steps apart."""
    many = len(marks) > MOST_KEYS and marks[0] > 0
    return many and all(b >= 1.3 * a for a, b in pairwise(marks))


def _axis(values: Sequence[Any]) -> tuple[Mapping[Any, Any], list[str], str | None]:
    """Where each value stands, the labels in that order, and the unit; none of words."""
    read = numbers(values)
    if read is None:
        return {v: short(v) for v in values}, [short(v) for v in values], None
    places = dict(sorted(zip(values, read[0], strict=True), key=lambda p: p[1]))
    return places, [f"{n:g}" for n in places.values()], read[1]


def _points(rows: pl.DataFrame, x: str, places: Mapping[Any, Any]) -> list[Point]:
    found = {
        at: Point(places[at], mean, low, high)
        for at, mean, low, high in rows.select(x, "mean", "ci_low", "ci_high").iter_rows()
        if mean is not None
    }
    return [found[at] for at in places if at in found]


def _spread(values: Sequence[Any], most: int) -> list[Any]:
    """So many of them at most, from the first to the last."""
    if len(values) <= most:
        return list(values)
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]
