"""How acklab's plots look, and how they are written: the same bytes from the same table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acklab.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Okabe and Ito's colours, distinguishable with any colour vision; for things without an order.
CATEGORICAL = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: The same on a dark ground, where black and dark blue would sink.
CATEGORICAL_DARK = ("#4BA8E8", "#F0803C", "#2BC9A0", "#E29CC5", "#F0B73F", "#9AD6FA", "#FFFFFF")
#: For figures without colours; the other differences of lines and marks do the rest.
CATEGORICAL_GREY = ("#000000", "#6e6e6e", "#9a9a9a", "#3d3d3d", "#b8b8b8", "#555555", "#848484")
#: Grey does not tell colours apart: every line has dashes, every mark a shape as well.
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.2)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (6, 2, 1, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "++++")

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")

_RC: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    # Where it is put anyway with nothing at the top of the axes; looking for that takes time.
    "axes.titley": 1.0,
    "axes.formatter.useoffset": False,
    "legend.frameon": False,
    "hatch.linewidth": 0.5,
    # A dollar in the name of a flow or a key is a dollar.
    "text.parse_math": False,
    "figure.dpi": 110,
    # Names within an SVG would otherwise be random.
    "svg.hashsalt": "acklab",
    # Letters go along with the file: as outlines in SVG, as TrueType in PDF.
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}

#: Dates and versions that the writers would add by themselves.
_SILENT: dict[Format, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
#: Where a file has a text about itself.
_ABOUT: dict[Format, str] = {"svg": "Description", "pdf": "Subject", "png": "Description"}
#: Dots per inch of pictures.
_DPI = 150


def ordered(n: int, dark: bool = False, whole: bool = False) -> list[str]:
    """`n` colours for things with an order: viridis, without the end that the ground swallows.

    `whole` is for areas, which have a border: from end to end.
    """
    import matplotlib as mpl

    colours = mpl.colormaps[shades()]
    low, high = (0.0, 1.0) if whole else (0.3, 1.0) if dark else (0.0, 0.88)
    if look.current().style == "grey":
        low, high = (0.0, 1.0) if whole else (1.0, 0.35)
    steps = (low + (high - low) * i / max(n - 1, 1) for i in range(n))
    return [mpl.colors.to_hex(colours(s)) for s in steps]


def cycle(n: int, dark: bool = False) -> list[str]:
    """`n` colours for things without an order; the eighth is the first again, dashed otherwise."""
    colours = CATEGORICAL_DARK if dark else CATEGORICAL
    return [colours[i % len(colours)] for i in range(n)]


def colour(i: int) -> str:
    """The colour of thing `i` of things without an order, in the current look."""
    grey = look.current().style == "grey"
    return (CATEGORICAL_GREY if grey else CATEGORICAL)[i % len(CATEGORICAL)]


def shades() -> str:
    """Matplotlib's name of the colours for amounts."""
    return "Greys" if look.current().style == "grey" else "viridis"


def points(size: float) -> float:
    """Letters of `size` points, or as much larger or smaller as the current look wants."""
    return size * look.current().scale


def dash_pixels(i: int) -> list[float]:
    """The dashes of line `i` as lengths on and off, in pixels; empty for a solid line."""
    dash = DASHES[i % len(DASHES)]
    return [] if isinstance(dash, str) else [max(2.0, 1.6 * d) for d in dash[1]]


def line(i: int) -> dict[str, Any]:
    """Colour, dashes and width of line `i`, as Matplotlib's keywords."""
    return {
        "color": colour(i),
        "linestyle": DASHES[i % len(DASHES)],
        "linewidth": points(1.2),
    }


def house() -> AbstractContextManager[None]:
    """Within it Matplotlib follows the house's style, wherever it asks for defaults."""
    import matplotlib as mpl

    settings: Any = {**_RC, **look.current().settings}
    return mpl.rc_context(settings)


def figure(
    rows: int,
    cols: int,
    size: tuple[float, float],
    share: bool = True,
    heights: Sequence[float] | None = None,
) -> tuple[Figure, Any]:
    """A figure without a display; its axes share x, and y within a row, if `share`.

    `size` is in inches; `heights` are those of the rows, relative to each other. The current look
    may have another size, and a title, for which the figure grows.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with house():
        fig = Figure(figsize=look.current().fitted(size), layout="constrained")
        FigureCanvasAgg(fig)
        if look.current().title:
            _title(fig, look.current().title)
        y: Any = "row" if share else False
        axes = fig.subplots(
            rows, cols, squeeze=False, sharex=share, sharey=y, height_ratios=heights
        )
    return fig, axes


def _title(fig: Figure, text: str) -> None:
    size = points(10)
    at = above(fig, 1.5 * size / 72 * (1 + text.count("\n")))
    fig.text(0.01, 1, text, fontsize=size, weight="bold", va="top", transform=at(0.4 * size / 72))


def above(fig: Figure, inches: float) -> Callable[[float], Any]:
    """Makes room of `inches` above the panels, below what has room there already.

    Returns what gives, for a distance from the top of that room, the place of things whose x is a
    share of the width and whose y is 1.
    """
    from matplotlib.transforms import ScaledTranslation

    engine: Any = fig.get_layout_engine()
    width, height = fig.get_size_inches()
    left, bottom, wide, tall = engine.get()["rect"]
    taken = (1 - bottom - tall) * height
    size = look.current().size
    if size is None or size.height is None:
        height += inches
        fig.set_size_inches(width, height)
    engine.set(rect=(left, bottom, wide, 1 - bottom - (taken + inches) / height))

    def at(distance: float) -> Any:
        return fig.transFigure + ScaledTranslation(0, -(taken + distance), fig.dpi_scale_trans)

    return at


def beside(fig: Figure, inches: float) -> Callable[[float], Any]:
    """Takes `inches` at the right from the panels, as `above` does at the top.

    Of what is placed, x and y are 1; the distance is from the left of that room, and from the top.
    """
    from matplotlib.transforms import ScaledTranslation

    engine: Any = fig.get_layout_engine()
    width, height = fig.get_size_inches()
    left, bottom, wide, tall = engine.get()["rect"]
    engine.set(rect=(left, bottom, wide - inches / width, tall))
    down = (1 - bottom - tall) * height

    def at(distance: float) -> Any:
        move = ScaledTranslation(distance - inches, -(down + distance), fig.dpi_scale_trans)
        return fig.transFigure + move

    return at


#: Units at the end of columns' names.
_UNITS = {"mbps": "Mbit/s", "ms": "ms", "s": "s", "packets": "packets", "bytes": "bytes"}


#: Words that are abbreviations, in lower case as columns have them.
_CAPITALS = {
    w.lower(): w
    for w in (
        *("ACK", "ACKs", "RTT", "RTO", "RTOs", "SRTT", "OWD", "TLP", "TLPs", "ECN", "CE", "AQM"),
        *("RACK", "SACK", "DSACK", "PPDU", "PPDUs", "MPDU", "MPDUs", "MCS", "SIFS", "TXOP"),
        *("ARP", "ADDBA", "MAC", "IACK", "IACKs"),
    )
}


_NAMES = {"cc": "controller", "jain": "Jain's index", "convergence_time": "convergence time, s"}


def heading(column: str) -> str:
    """A column's name as a label: `rtt_p95_ms` is "RTT p95, ms"."""
    name, _, unit = column.rpartition("_")
    if not name or unit not in _UNITS or name.endswith("_per"):
        return _worded(column)
    return f"{_worded(name)}, {_UNITS[unit]}"


def _worded(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    return " ".join(_CAPITALS.get(w, w) for w in name.split("_"))


#: The footer of figures that have none of their own. Of the whole process, since the figures of a
#: study are drawn on several threads.
_signature = ""


@contextmanager
def signed(text: str) -> Iterator[None]:
    """Within it every figure that is written gets a footer, unless it has one."""
    global _signature
    before, _signature = _signature, text
    try:
        yield
    finally:
        _signature = before


#: Width of a letter of running text, relative to its size.
_NARROW = 0.56


def footer(fig: Figure, text: str) -> None:
    """Small lines below everything that say where the figure comes from, as wide as it is."""
    import textwrap

    letters = int(float(fig.get_size_inches()[0]) / (_NARROW * points(6.5) / 72))
    lines = [line for t in text.split("\n") for line in textwrap.wrap(t, letters)]
    text = "\n".join(lines)
    fig.supxlabel(text, x=0.01, ha="left", fontsize=points(6.5), color="#57606a")


def render(fig: Figure, form: Format, about: str = "") -> bytes:
    """The figure as a file's content, without dates or versions; the file says `about` inside."""
    import io

    from matplotlib.backends.backend_svg import FigureCanvasSVG

    _without_formulas(fig)
    _without_empty_labels(fig)
    buffer = io.BytesIO()
    said: dict[str, str | None] = {**_SILENT[form], **({_ABOUT[form]: about} if about else {})}
    with house():
        if _signature and not fig.get_supxlabel():
            footer(fig, _signature)
        if form == "svg":
            # `savefig` draws twice, once into nothing to settle the layout, which drawing does too.
            FigureCanvasSVG(fig).print_svg(buffer, metadata=said)  # type: ignore[no-untyped-call]
        else:
            fig.savefig(buffer, format=form, dpi=_DPI, metadata=said)
    return buffer.getvalue()


def _without_empty_labels(fig: Figure) -> None:
    """Labels that say nothing need no place, which takes a tenth of the time to find."""
    for axis in (a for ax in fig.axes for a in (ax.xaxis, ax.yaxis)):
        if not axis.get_label_text():
            axis.set_label_coords(0.5, 0.5)


def _without_formulas(fig: Figure) -> None:
    """Matplotlib labels logarithmic axes with formulas, which the house's style does not set."""
    from matplotlib.ticker import LogFormatter, LogFormatterMathtext

    for axis in (a for ax in fig.axes for a in (ax.xaxis, ax.yaxis)):
        if isinstance(axis.get_major_formatter(), LogFormatterMathtext):
            axis.set_major_formatter(LogFormatter())
        if isinstance(axis.get_minor_formatter(), LogFormatterMathtext):
            axis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.4)))


def save(fig: Figure, stem: Path, form: Format = "svg") -> Path:
    """Writes `stem` with the suffix of `form`, complete or not at all."""
    from acklab.folder import write_atomically

    path = stem.with_name(f"{stem.name}.{form}")
    write_atomically(path, render(fig, form))
    return path


def label_outer(axes: Sequence[Sequence[Axes]], x: str, y: Sequence[str]) -> None:
    """Labels the bottom row with `x` and the left column with `y`."""
    for ax in axes[-1]:
        ax.set_xlabel(x)
    for row, text in zip(axes, y, strict=True):
        row[0].set_ylabel(text)
