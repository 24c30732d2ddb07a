"""The parts of a report: claims, sections, charts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from acklab.errors import AcklabError
from acklab.report.interactive import Interactive

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.drawn import Drawn

Verdict = Literal["reproduced", "partly", "not"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

#: Whose evidence a claim may have, in the order of the columns, with the heading of each.
WITNESSES = {"paper": "paper", "acklab": "acklab", "ns3": "ns-3", "linux": "Linux"}


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper that states a finding, and what became of it here."""

    #: Short and unique, such as `4.1-3`; the row's anchor is `claim-4.1-3`.
    id: str
    #: The sentence, quoted.
    sentence: str
    #: Where it stands, such as `thesis, 4.1.2`.
    where: str
    verdict: Verdict
    #: Our own finding, whether it agrees or not; plain text or Markdown within a line.
    ours: str
    #: Why it is so; plain text or Markdown within a line.
    mechanism: str
    #: The name of the section whose figure or table shows it.
    figure: str | None = None
    #: A number or a few words for each of `WITNESSES` that has something to say.
    evidence: Mapping[str, str | float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"claim {self.id}: verdict {self.verdict!r} is none of {VERDICTS}")
        if unknown := set(self.evidence) - set(WITNESSES):
            raise ValueError(
                f"claim {self.id}: evidence of {sorted(unknown)}; known: {list(WITNESSES)}"
            )


@dataclass(frozen=True)
class Picture:
    """A static figure, which the report takes into itself."""

    #: An SVG or PNG file, or an SVG's content.
    image: Path | bytes
    #: Description of the picture, for readers who cannot see it.
    alt: str
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the report, in the order: text, figure and charts, table."""

    title: str
    #: CommonMark with tables.
    markdown: str = ""
    table: pl.DataFrame | None = None
    #: A plot as it was drawn has its alt text with it; of a bare path it is the title.
    figure: Picture | Drawn | Path | None = None
    series: Interactive | Sequence[Interactive] = ()
    #: Name that claims refer to, and the anchor; made from the title if it is not given.
    name: str = ""
    #: Whether a reader unfolds it: its title is all that is seen at first, and `note` beside it.
    folded: bool = False
    note: str = ""
    #: Whether a click on a heading sorts the table.
    sortable: bool = True

    @property
    def anchor(self) -> str:
        """Its name within the page."""
        return self.name or slug(self.title)

    # Drawn once: a figure of many flows takes a second.
    @cached_property
    def picture(self) -> Picture | None:
        """Its static figure."""
        if self.figure is None or isinstance(self.figure, Picture):
            return self.figure
        if isinstance(self.figure, Path):
            return Picture(self.figure, self.title)
        return Picture(self.figure.svg, self.figure.alt)

    @property
    def charts(self) -> Sequence[Interactive]:
        """Its interactive charts."""
        return (self.series,) if isinstance(self.series, Interactive) else tuple(self.series)


def as_far_as_it_goes(title: str, sections: Iterator[Section]) -> Iterator[Section]:
    """The sections up to the first that cannot be drawn, and why: a dead run has a page, too."""
    try:
        yield from sections
    except AcklabError as e:
        yield Section(title, f"Not drawn: {str(e).partition(chr(10))[0]}.")


def slug(title: str) -> str:
    """A title as an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"


def shown(value: Any) -> str:
    """A value as tables show it: four digits of a float, thousands apart, nothing for none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= _APART else str(value)
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if _APART <= abs(value) < math.inf else f"{value:.4g}"


def spread(half: float, mean: float) -> str:
    """Half of an interval, in plain decimals: two digits, one if it is far below the mean's."""
    if not half or not math.isfinite(half):
        return f"{half:g}"
    digits = 1 if half < abs(mean) / 1000 else 2
    behind = digits - 1 - math.floor(math.log10(half))
    return f"{half:,.{max(behind, 0)}f}"


#: From here on thousands are set apart, and a float has no digits behind the point.
_APART = 1000
