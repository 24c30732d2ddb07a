"""The drawings of the page's script: lines, bars of states, heat maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

#: How a line joins its points: straight; holding a value until the next point, as states do; or
#: since the one before, as means of windows do that are noted at their end; or not at all.
Join = Literal["line", "step", "step-before", "points"]


@dataclass(frozen=True)
class Line:
    """One line of a chart; `y` may have gaps (`None` or NaN)."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    #: If it differs from its chart's.
    kind: Join | None = None

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError(f"line {self.name!r}: {len(self.x)} x and {len(self.y)} y")


@dataclass(frozen=True)
class Chart:
    """Lines: zoom by dragging, values under the pointer."""

    title: str
    #: Labels of the axes, units included.
    x: str
    y: str
    lines: Sequence[Line]
    kind: Join = "line"
    #: Whether the lines have an order (ratios, buffer sizes): colours then run from dark to light.
    ordered: bool = False
    #: Whether x is logarithmic.
    log: bool = False
    #: The look of each line, where it is not that of its place among the lines.
    looks: Sequence[int] | None = None

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        title: str,
        *,
        x: str,
        y: str,
        by: str | Sequence[str] = (),
        x_label: str = "time, s",
        y_label: str | None = None,
        kind: Join = "line",
        ordered: bool = False,
        log: bool = False,
        at: Mapping[str, int] | None = None,
    ) -> Chart:
        """A chart of column `y` over column `x` of `frame`, one line per value of `by`.

        Lines look as their places in `at` say, whichever others are drawn; without, as they come.
        """
        keys = [by] if isinstance(by, str) else list(by)
        if keys:
            groups: Iterable[tuple[Any, pl.DataFrame]] = frame.group_by(keys, maintain_order=True)
        else:
            groups = [((y,), frame)]
        lines = [
            Line(" ".join(map(str, key)), part[x].to_list(), part[y].to_list())
            for key, part in groups
        ]
        looks = [(at or {}).get(line.name, i) for i, line in enumerate(lines)]
        return cls(title, x_label, y_label or y, lines, kind, ordered, log, looks)


@dataclass(frozen=True)
class Bars:
    """A row per flow, a bar for each time that it spent in a state: zoom, state and its times."""

    title: str
    x: str
    #: Columns `flow`, `state`, `start_s`, `end_s`; the bars of a flow follow each other. A column
    #: `about` has more to say of each.
    spans: pl.DataFrame
    #: Colours of the states on light and on dark ground; in this order they stand in the legend.
    light: dict[str, str]
    dark: dict[str, str]
    #: Of the times, in spite of their columns' names.
    unit: str = "s"
    #: Which of how many bars these are, if not all.
    note: str = ""
    #: The parts of their row that bars of a state fill.
    heights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class HeatMap:
    """Measures over two keys, one of them at a time: choose, zoom, value and interval of a cell."""

    title: str
    #: Columns of `cells` along the axes.
    x: str
    y: str
    #: Columns `x`, `y`, `panel`, `measure`, `mean`, `half`: half the interval's width, or null.
    cells: pl.DataFrame
    #: Description of a cell, in words.
    note: str = field(default="", kw_only=True)


Interactive = Chart | Bars | HeatMap
