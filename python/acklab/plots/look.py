"""How a figure should look where it will stand: its size, its letters, its title."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acklab.errors import AcklabError, UsageError

#: Points of the letters that the kinds of plots are laid out for.
POINTS = 9.0


@dataclass(frozen=True)
class Size:
    """A place for figures: inches of its width, perhaps of its height, points of its letters."""

    width: float
    points: float
    height: float | None = None


#: A column and the whole width of a page of two columns (ACM's and IEEE's templates have columns of
#: 3.33 and 3.5 in), and a slide of 16:9.
SIZES = {
    "column": Size(3.35, 8.0),
    "page": Size(7.0, 8.0),
    "slide": Size(10.0, 16.0, 5.625),
}
#: `house` is the default. `serif` has the letters of a paper set in Times, `grey` needs no colours.
STYLES = ("house", "serif", "grey")

_SERIF: dict[str, Any] = {"font.family": "STIXGeneral", "mathtext.fontset": "stix"}


@dataclass(frozen=True)
class Look:
    """The look that was chosen; by default each kind of plot has its own."""

    title: str = ""
    size: Size | None = None
    style: str = "house"

    @classmethod
    def of(cls, title: str | None, size: str | None, style: str | None) -> Look:
        """The look of these names."""
        if size is not None and size not in SIZES:
            raise _unknown("size", size, SIZES)
        if style is not None and style not in STYLES and not style.endswith(".mplstyle"):
            raise _unknown("style", style, (*STYLES, "FILE.mplstyle"))
        if style is not None and style not in STYLES and not Path(style).is_file():
            raise UsageError(
                f"there is no file {style} for --style\n"
                f"  help: give a style sheet of Matplotlib, or one of {', '.join(STYLES)}"
            )
        return cls(title or "", SIZES[size] if size else None, style or "house")

    @property
    def scale(self) -> float:
        """Letters and lines relative to those that plots are laid out for."""
        return self.size.points / POINTS if self.size else 1.0

    def width(self, otherwise: float) -> float:
        """Inches of the figure's width."""
        return self.size.width if self.size else otherwise

    def fitted(self, size: tuple[float, float]) -> tuple[float, float]:
        """A figure's own size brought to this width; it shrinks less in height than in width."""
        if self.size is None:
            return size
        width, height = size
        if self.size.height is not None:
            return self.size.width, self.size.height
        return self.size.width, height * math.sqrt(self.size.width / width)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that differ from Matplotlib's defaults."""
        changed: dict[str, Any] = dict(_SERIF) if self.style == "serif" else {}
        if self.style not in STYLES:
            changed |= _sheet(self.style)
        if self.size is not None:
            s = self.size.points / POINTS
            changed |= {"font.size": self.size.points, "axes.titlesize": self.size.points}
            changed |= {"grid.linewidth": 0.6 * s, "axes.linewidth": 0.8 * s}
            changed |= {"xtick.major.width": 0.8 * s, "ytick.major.width": 0.8 * s}
        return changed


_current: ContextVar[Look] = ContextVar("look", default=Look())  # noqa: B039


def current() -> Look:
    """The look of figures that are drawn now."""
    return _current.get()


@contextmanager
def looking(look: Look) -> Iterator[Look]:
    """Within it figures look like `look`."""
    token = _current.set(look)
    try:
        yield look
    finally:
        _current.reset(token)


def _sheet(path: str) -> dict[str, Any]:
    import warnings

    import matplotlib as mpl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read: Any = mpl.rc_params_from_file(
                path, use_default_template=False, fail_on_error=True
            )
        except (OSError, ValueError, KeyError) as e:
            raise UsageError(
                f"cannot read the style sheet {path}: {e}\n"
                "  help: lines of a style sheet are KEY: VALUE, such as font.size: 8"
            ) from None
    return dict(read)


def _unknown(what: str, given: str, known: Any) -> AcklabError:
    near = difflib.get_close_matches(given, list(known), n=1)
    mean = f"did you mean {near[0]}? " if near else ""
    return UsageError(
        f"there is no {what} {given!r} of figures\n  help: {mean}--{what} takes {', '.join(known)}"
    )
