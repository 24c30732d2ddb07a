"""How the groups of a figure look: a colour for one key, dashes and a marker for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from acklab.plots import style
from acklab.plots.legend import Block
from acklab.plots.roles import Roles, short
from acklab.plots.scale import Scale, spoken

if TYPE_CHECKING:
    import polars as pl

#: Marks that stand for a group.
Marks = Literal["marked line", "line", "mark"]
#: From so many numbers on, their colours have an order.
_ORDERED = 3


@dataclass(frozen=True)
class Way:
    """How one group looks."""

    colour: str
    dash: Any
    marker: str


@dataclass(frozen=True)
class Looks:
    """The values of the keys that are told apart within a panel, each with its look."""

    keys: tuple[str, ...]
    titles: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    colours: tuple[str, ...]

    @classmethod
    def of(cls, rows: pl.DataFrame, roles: Roles, keys: Sequence[str]) -> Looks:
        """Those of the keys in `roles.by`; numbers in their order."""
        scales = [Scale.of(k, rows[k].unique(maintain_order=True).to_list()) for k in roles.by]
        colours: list[str] = [style.colour(0)]
        if scales:
            n = len(scales[0].values)
            ordered = scales[0].numbers is not None and n >= _ORDERED
            colours = style.ordered(n) if ordered else [style.colour(i) for i in range(n)]
        return cls(
            roles.by,
            tuple(short(k, keys) for k in roles.by),
            tuple(tuple(s.even) for s in scales),
            tuple(colours),
        )

    def of_group(self, values: Mapping[str, Any]) -> Way:
        """The look of the group with these values of the keys."""
        places = [self.values[i].index(values[k]) for i, k in enumerate(self.keys)]
        return self._way(places[0] if places else 0, places[1] if len(places) > 1 else None)

    def _way(self, first: int, second: int | None) -> Way:
        if second is None:
            # Beyond the colours that there are, dashes and markers tell more.
            mark = first + first // len(style.CATEGORICAL)
            dash, marker = first % len(style.DASHES), mark % len(style.MARKERS)
            return Way(self.colours[first], style.DASHES[dash], style.MARKERS[marker])
        return Way(self.colours[first], style.DASHES[second], style.MARKERS[second])

    def legend(self, marks: Marks) -> list[Block]:
        """A block for each key, with samples of what the figure has."""
        return [self._block(i, marks) for i in range(len(self.keys))]

    def _block(self, key: int, marks: Marks) -> Block:
        first = range(len(self.values[0]))
        if key == 1:
            grey = [self._way(0, i) for i in range(len(self.values[1]))]
            handles = [_sample(replace(w, colour="#57606a"), marks) for w in grey]
        elif len(self.keys) > 1:
            handles = [_patch(self._way(i, None)) for i in first]
        else:
            handles = [_sample(self._way(i, None), marks) for i in first]
        return Block(self.titles[key], handles, [spoken(v) for v in self.values[key]])


def _sample(way: Way, marks: Marks) -> Any:
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        color=way.colour,
        linestyle="none" if marks == "mark" else way.dash,
        marker="" if marks == "line" else way.marker,
        markersize=style.points(4),
        linewidth=style.points(1.2),
    )


def _patch(way: Way) -> Any:
    from matplotlib.patches import Patch

    return Patch(color=way.colour, linewidth=0)
