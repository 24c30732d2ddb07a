"""Small multiples: a panel for each value of one key, or for each pair of values of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acklab.plots import look, style
from acklab.plots.roles import Roles, short
from acklab.plots.scale import Scale, spoken

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

#: Inches of a figure that no size was chosen for, and of a panel at least, for letters of 9 points.
WIDTH, NARROWEST = 6.4, 1.5
#: Height of a panel relative to its width: alone, and among others.
_ALONE, _AMONG = 0.62, 0.85


@dataclass(frozen=True)
class Part:
    """One panel: its rows, the text above it, and the text at its right."""

    rows: pl.DataFrame
    title: str = ""
    aside: str = ""


@dataclass(frozen=True)
class Panels:
    """A figure with its panels, and the rows of each."""

    figure: Figure
    parts: Sequence[tuple[Any, pl.DataFrame]]

    @classmethod
    def of(cls, rows: pl.DataFrame, roles: Roles, keys: Sequence[str]) -> Panels:
        """Panels that share both axes, titled with what they show."""
        grid = list(_grid(rows, roles, keys))
        cols = _columns(rows, roles, len(grid))
        down = -(-len(grid) // cols)
        width = look.current().width(WIDTH if cols > 1 else 4.8)
        tall = (_ALONE if len(grid) == 1 else _AMONG) * width / cols
        size = look.current().size
        height = size.height if size is not None and size.height else tall * down + 0.3
        fig, axes = style.figure(down, cols, (width, height), share=False)
        places = [ax for row in axes for ax in row]
        for ax, part in zip(places, grid, strict=False):
            ax.set_title(_fitting(part.title, 0.85 * width / cols))
            if part.aside:
                at = {"xycoords": "axes fraction", "rotation": 270, "ha": "left", "va": "center"}
                ax.annotate(part.aside, (1.03, 0.5), **at)
            if ax is not places[0]:
                ax.sharex(places[0])
                ax.sharey(places[0])
        for ax in places[len(grid) :]:
            ax.set_visible(False)
        return cls(fig, [(ax, p.rows) for ax, p in zip(places, grid, strict=False)])

    def finish(self, y: str) -> None:
        """Numbers and labels stay where no panel is below or to the left; `y` is said once."""
        axes = [ax for ax, _ in self.parts]
        one = axes[0].get_subplotspec().get_gridspec().nrows == 1
        for ax in axes:
            ax.set_ylabel(y if one else "")
        outer(axes)
        if not one:
            self.figure.supylabel(y, fontsize=style.points(look.POINTS))


def outer(axes: Sequence[Any]) -> None:
    """Takes numbers and labels from panels that have another panel below, or at their left."""
    specs = [ax.get_subplotspec() for ax in axes]
    for ax, spec in zip(axes, specs, strict=True):
        below = any(s.num1 == spec.num1 + spec.get_gridspec().ncols for s in specs)
        ax.tick_params(labelbottom=not below, labelleft=spec.is_first_col())
        ax.set_xlabel("" if below else ax.get_xlabel())
        ax.set_ylabel(ax.get_ylabel() if spec.is_first_col() else "")


def _fitting(title: str, inches: float) -> str:
    """The title, on two lines if it is wider than its panel."""
    letter = 0.58 * style.points(look.POINTS) / 72
    return title if len(title) * letter <= inches else title.replace(" = ", "\n= ")


def _grid(rows: pl.DataFrame, roles: Roles, keys: Sequence[str]) -> Iterator[Part]:
    """The panels, row by row."""
    if not roles.facet:
        yield Part(rows)
        return
    across, *down = roles.facet
    columns = _values(rows, across)
    for i, low in enumerate(_values(rows, down[0]) if down else [None]):
        for value in columns:
            part = rows.filter(rows[across] == value)
            title = f"{short(across, keys)} = {spoken(value)}" if i == 0 else ""
            aside = ""
            if down:
                part = part.filter(part[down[0]] == low)
                aside = f"{short(down[0], keys)} = {spoken(low)}" if value == columns[-1] else ""
            yield Part(part, title, aside)


def _values(rows: pl.DataFrame, key: str) -> list[Any]:
    return Scale.of(key, rows[key].unique(maintain_order=True).to_list()).even


def _columns(rows: pl.DataFrame, roles: Roles, panels: int) -> int:
    if len(roles.facet) > 1:
        return rows[roles.facet[0]].n_unique()
    least = style.points(NARROWEST)
    most = max(1, int(look.current().width(WIDTH) / least))
    down = -(-panels // most)
    return -(-panels // down)
