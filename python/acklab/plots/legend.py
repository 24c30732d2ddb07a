"""Legends beside the panels, or above them where they would not fit beside: never on data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Points of the letters; and in inches, for letters of that size, a sample with what is around it.
SIZE = 8
SAMPLE = 0.58
#: Inches around a legend.
PAD = 0.06
#: Of the figure's width, for a legend beside the panels; and inches that are left for them.
BESIDE, LEFT = 0.38, 3.0
#: Pairs of a colour and dashes that differ; more lines are not told apart.
MOST = len(style.CATEGORICAL) * len(style.DASHES)

#: A sample and its text.
Item = tuple[Any, str]
_TITLE = "title"


@dataclass(frozen=True)
class Block:
    """Entries of a legend that belong together, perhaps with a word above them."""

    title: str
    handles: Sequence[Any]
    labels: Sequence[str]


def told_apart(groups: int, most: int = MOST) -> None:
    """An error if so many groups cannot be told apart in a figure."""
    if groups > most:
        raise AcklabError(
            f"{groups} groups are more than the {most} that one figure can tell apart\n"
            "  help: choose flows with --flows, sweep fewer values, or draw a sweep as a heatmap"
        )


def outside(fig: Figure, ax: Axes, above: bool = False) -> None:
    """The legend of `ax` beside it, or above it."""
    handles, labels = ax.get_legend_handles_labels()
    place(fig, [Block("", handles, labels)], above)


def place(fig: Figure, blocks: Sequence[Block], above: bool = False) -> None:
    """A legend of `blocks` at the right if it fits there, and unless `above`; else above."""
    blocks = [b for b in blocks if b.labels]
    if not blocks:
        return
    width, height = fig.get_size_inches()
    rows = sum(text.count("\n") + 1 for b in blocks for text in (*b.labels, *_titled(b)))
    tall = rows * 1.6 * style.points(SIZE) / 72
    wide = max(_width(fig, text) for b in blocks for text in (*b.labels, *_titled(b)))
    if not above and tall <= 0.8 * height and wide <= min(BESIDE * width, width - LEFT):
        _beside(fig, blocks)
    else:
        _above(fig, blocks)


def _titled(block: Block) -> list[str]:
    return [block.title] if block.title else []


def _beside(fig: Figure, blocks: Sequence[Block]) -> None:
    items = [item for i, b in enumerate(blocks) for item in _column(b, i > 0)]
    drawn = _legend(fig, items, 1)
    wide, _ = _extent(fig, drawn)
    at = style.beside(fig, wide + 2 * PAD)
    drawn.set_bbox_to_anchor((1, 1), at(PAD))
    drawn.set_loc("upper left")


def _above(fig: Figure, blocks: Sequence[Block]) -> None:
    blocks = [Block(b.title, b.handles, [t.replace("\n", ", ") for t in b.labels]) for b in blocks]
    rows, most = 1, max(len(b.labels) for b in blocks)
    while rows < most and _wide(fig, blocks, rows) > float(fig.get_size_inches()[0]):
        rows += 1
    columns = [c for b in blocks for c in _columns(b, rows, any(b.title for b in blocks))]
    drawn = _legend(fig, [item for column in columns for item in column], len(columns))
    _, tall = _extent(fig, drawn)
    at = style.above(fig, tall + 2 * PAD)
    drawn.set_bbox_to_anchor((0.005, 1), at(PAD))
    drawn.set_loc("upper left")


def _column(block: Block, apart: bool) -> Iterator[Item]:
    """The title and the entries; an empty line before, if it stands `apart`."""
    if block.title:
        if apart:
            yield _blank(), ""
        yield _blank(), block.title
    yield from zip(block.handles, block.labels, strict=True)


def _columns(block: Block, rows: int, titled: bool) -> Iterator[list[Item]]:
    """The entries in columns of equal length, the first with the title above it.

    In a single line the title stands before its entries.
    """
    if rows == 1 and block.title:
        yield [(_blank(), block.title)]
    for i in range(0, len(block.labels), rows):
        head = [(_blank(), block.title if i == 0 else "")] if titled and rows > 1 else []
        pairs = zip(block.handles[i : i + rows], block.labels[i : i + rows], strict=True)
        column = [*head, *pairs]
        yield column + [(_blank(), "")] * (rows + len(head) - len(column))


def _wide(fig: Figure, blocks: Sequence[Block], rows: int) -> float:
    """Inches of all columns beside each other."""
    columns = [c for b in blocks for c in _columns(b, rows, any(b.title for b in blocks))]
    return sum(max(_width(fig, text) for _, text in c) for c in columns) + 2 * PAD


def _blank() -> Any:
    """Stands where an entry has its sample, before a title or nothing."""
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none", gid=_TITLE)


def _legend(fig: Figure, items: Sequence[Item], columns: int) -> Any:
    with style.house():
        drawn = fig.legend(
            [h for h, _ in items],
            [t for _, t in items],
            ncols=columns,
            fontsize=style.points(SIZE),
            borderaxespad=0,
            borderpad=0.1,
            handlelength=2.6,
            columnspacing=1.2,
        )
    for text, (handle, _) in zip(drawn.get_texts(), items, strict=True):
        if getattr(handle, "get_gid", str)() == _TITLE:
            text.set_fontweight("bold")
    drawn.set_in_layout(False)
    return drawn


def _extent(fig: Figure, drawn: Any) -> tuple[float, float]:
    box = drawn.get_window_extent(_renderer(fig))
    return box.width / fig.dpi, box.height / fig.dpi


def _width(fig: Figure, text: str) -> float:
    """Inches of an entry."""
    from matplotlib.font_manager import FontProperties

    size = style.points(SIZE)
    with style.house():
        font = FontProperties(size=size)
        lines = [
            _renderer(fig).get_text_width_height_descent(line, font, False)[0]
            for line in text.split("\n")
        ]
    return float(max(lines)) / fig.dpi + SAMPLE * size / SIZE


def _renderer(fig: Figure) -> Any:
    return fig.canvas.get_renderer()  # type: ignore[attr-defined]
