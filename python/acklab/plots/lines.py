"""Lines over time: reduced to what can be seen, scaled to what matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.plots.reduce import allowance, m4

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.order import Places
    from acklab.plots.reduce import Floats

#: Points of all lines of one panel: an SVG has about 30 bytes for each.
BUDGET = 12_000
#: A peak so many times above nearly everything (98 %) else would press it flat.
PEAK = 3.0


def draw(
    ax: Any, rows: pl.DataFrame, value: str, by: str, how: str, at: Places | None = None
) -> int:
    """A line of `value` over `time_s` for each value of `by`; returns how many.

    Lines look as their places in `at` say, whichever others are drawn; without, as they come.

    `how` is Matplotlib's: `steps-pre` for means of the time before, `steps-post` for states that
    last until the next sample.
    """
    groups = [(key, g) for (key,), g in rows.group_by(by, maintain_order=True)]
    most = allowance([len(g) for _, g in groups], BUDGET)
    for i, (key, group) in enumerate(groups):
        y = group[value].cast(float).fill_null(float("nan")).to_numpy()
        points = m4(group["time_s"].to_numpy(), y, most)
        if group[value].is_not_null().any():
            ax.plot(*points, label=str(key), drawstyle=how, **style.line(place(at, key, i)))
    _scale(ax, rows[value].drop_nulls())
    return len(groups)


def place(at: Places | None, key: object, otherwise: int) -> int:
    """The number of the look of `key`."""
    return (at or {}).get(str(key), otherwise)


def legend(ax: Any) -> None:
    """To the right of the panel, where no line can be."""
    ax.legend(
        loc="upper left", bbox_to_anchor=(1.0, 1.05), fontsize=style.points(7), handlelength=2.6
    )


def ceiling(values: Floats) -> float | None:
    """Where a scale from zero ends if a peak would press nearly everything else flat."""
    import numpy as np

    values = values[np.isfinite(values)]
    usual = float(np.quantile(values, 0.98)) if len(values) else 0.0
    return 1.25 * usual if usual > 0 and float(values.max()) > PEAK * usual else None


def _scale(ax: Any, values: pl.Series) -> None:
    """From zero; a peak that would hide the rest is cut and told."""
    top = ceiling(values.cast(float).to_numpy())
    if top is None:
        ax.set_ylim(bottom=0)
        return
    ax.set_ylim(0, top)
    note = f"peak {float(values.to_numpy().max()):.3g}, beyond the scale"
    ax.annotate(
        note,
        (0.995, 0.98),
        xycoords="axes fraction",
        ha="right",
        va="top",
        fontsize=style.points(7),
    )
