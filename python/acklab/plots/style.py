"""How acklab's plots look."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Okabe and Ito's colours, distinguishable with any colour vision; for things without an order.
CATEGORICAL = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.2)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (6, 2, 1, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")
#: What the writers would put in of dates and versions.
_SILENT: dict[Format, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}

_RC: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.hashsalt": "acklab",
    "figure.dpi": 110,
}


def ordered(n: int) -> list[str]:
    """`n` colours from dark to light for things with an order (viridis, its pale end left out)."""
    import matplotlib as mpl

    colours = mpl.colormaps["viridis"]
    return [mpl.colors.to_hex(colours(0.88 * i / max(n - 1, 1))) for i in range(n)]


def figure(
    rows: int,
    cols: int,
    size: tuple[float, float],
    share: bool = True,
) -> tuple[Figure, Any]:
    """A figure without a display; its axes share x, and y within a row, if `share`."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(_RC):
        fig = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(fig)
        y: Any = "row" if share else False
        axes = fig.subplots(rows, cols, squeeze=False, sharex=share, sharey=y)
    return fig, axes


def save(fig: Figure, stem: Path, form: Format = "png") -> Path:
    """Writes `stem` with the suffix of `form`, without dates or versions: the same bytes again."""
    import io

    import matplotlib as mpl

    from acklab.folder import write_atomically

    buffer = io.BytesIO()
    with mpl.rc_context(_RC):
        fig.savefig(buffer, format=form, dpi=150, metadata=_SILENT[form])
    path = stem.with_name(f"{stem.name}.{form}")
    write_atomically(path, buffer.getvalue())
    return path


def label_outer(axes: Sequence[Sequence[Axes]], x: str, y: Sequence[str]) -> None:
    """Labels the bottom row with `x` and the left column with `y`."""
    for ax in axes[-1]:
        ax.set_xlabel(x)
    for row, text in zip(axes, y, strict=True):
        row[0].set_ylabel(text)
