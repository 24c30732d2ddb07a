"""A legend beside the panel, or below it where it would not fit beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.errors import AcklabError
from acklab.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Points; and in inches a line of that size, what is between entries, a letter, and a sample.
SIZE = 8
LINE, GAP, LETTER, SAMPLE = 0.135, 0.06, 0.072, 0.62
#: Of the figure's width, for a legend beside the panel.
BESIDE = 0.45
#: Inches from the panel's corner to a legend below it, beyond numbers and label of the axis.
UNDER = (-0.45, -0.48)
#: Pairs of a colour and dashes that differ; more lines are not told apart.
MOST = len(style.CATEGORICAL) * len(style.DASHES)


def told_apart(groups: int, most: int = MOST) -> None:
    """An error if so many groups cannot be told apart in a figure."""
    if groups > most:
        raise AcklabError(
            f"{groups} groups are more than the {most} that one figure can tell apart\n"
            "  help: choose flows with --flows, sweep fewer values, or draw a sweep as a heatmap"
        )


def outside(fig: Figure, ax: Axes) -> None:
    """The legend of `ax` at the right, or in columns below, for which the figure grows."""
    from matplotlib.transforms import ScaledTranslation

    handles, labels = ax.get_legend_handles_labels()
    width, height = fig.get_size_inches()
    tall = sum(_height(text) for text in labels)
    wide = max((_width(text) for text in labels), default=0.0)
    if tall <= height and wide <= BESIDE * width:
        fig.legend(handles, labels, loc="outside right upper", fontsize=SIZE, frameon=False)
        return
    whole = [text.replace("\n", ", ") for text in labels]
    texts = whole if max(map(_width, whole)) <= width else labels
    columns = max(1, int(width / max(map(_width, texts))))
    rows = -(-len(texts) // columns)
    fig.set_size_inches(width, height + rows * max(map(_height, texts)) + GAP)
    # Of the panel rather than of the figure, whose footer would lie over it.
    below = ax.transAxes + ScaledTranslation(*UNDER, fig.dpi_scale_trans)
    ax.legend(
        handles,
        texts,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=below,
        ncols=columns,
        fontsize=SIZE,
        borderaxespad=0,
    )


def _height(text: str) -> float:
    return LINE * (1 + text.count("\n")) + GAP


def _width(text: str) -> float:
    return SAMPLE + LETTER * max(map(len, text.split("\n")))
