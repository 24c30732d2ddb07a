"""What a study is: cells to run, and artefacts made of their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from acklab.report.interactive import Interactive
    from acklab.report.parts import Claim
    from acklab.results import Result


@dataclass(frozen=True)
class Effort:
    """How much a study runs."""

    seeds: int
    quick: bool = False


@dataclass(frozen=True)
class Cell:
    """One point of a study: its keys, and the scenario as a mapping."""

    keys: Mapping[str, str | int]
    scenario: Mapping[str, Any]
    #: Seeds at most; `None` for as many as the effort has.
    seeds: int | None = None


@dataclass(frozen=True)
class Outcome:
    """A cell with the results of its seeds."""

    keys: Mapping[str, str | int]
    results: Sequence[Result]


@dataclass(frozen=True)
class Survey:
    """A scenario over a grid that takes minutes: run as a sweep, which goes on when stopped."""

    scenario: Mapping[str, Any]
    #: As `acklab.sweep` takes them.
    grid: Mapping[str, Any]
    zipped: Sequence[Mapping[str, Any]]
    seeds: int


@dataclass(frozen=True)
class Artefact:
    """A table or figure: one row per cell, and perhaps a plot of them."""

    name: str
    title: str
    #: From outcomes, or a survey's result, to rows with keys, `paper`, `acklab`, `ci_low`,
    #: `ci_high`, `seeds`, ...
    table: Callable[[Any], pl.DataFrame]
    #: Draws the table into a file without suffix; returns the file.
    plot: Callable[[pl.DataFrame, Path], Path] | None = None
    #: What the table says, in Markdown, with every number from it; written beside it.
    text: Callable[[pl.DataFrame], str] | None = None
    #: Charts of the table that can be zoomed, for the report.
    charts: Callable[[pl.DataFrame], Sequence[Interactive]] | None = None
    #: Writes more into a folder than one figure; returns the files by name.
    files: Callable[[pl.DataFrame, Path], Mapping[str, Path]] | None = None
    #: The study's group of cells that it is made of.
    group: str = "main"
    #: Too heavy for a whole reproduction: made when asked for by name.
    on_request: bool = False
    #: What the plot shows and what to see in it, in a few sentences.
    caption: str = ""


@dataclass(frozen=True)
class Study:
    """A paper's question, asked again."""

    name: str
    title: str
    source: str
    #: Cells by group; a group is run if an artefact that is wanted needs it.
    groups: Mapping[str, Callable[[Effort], Sequence[Cell] | Survey]]
    artefacts: Sequence[Artefact]
    #: The study's own words and tables for the report, in Markdown.
    report: Callable[[Mapping[str, pl.DataFrame], Effort], str]
    #: The paper's findings with our verdicts, from the tables.
    claims: Callable[[Mapping[str, pl.DataFrame]], Sequence[Claim]] | None = None
    #: Names for several artefacts together, without a report of their own.
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: The study in a few sentences with numbers from the tables, in Markdown; leads the report.
    answer: Callable[[Mapping[str, pl.DataFrame], Sequence[Claim]], str] | None = None
    #: How to read them, in Markdown.
    note: Callable[[Effort], str] | None = None
    default_seeds: int = 10
    quick_seeds: int = 2

    @property
    def whole(self) -> list[Artefact]:
        """The artefacts of a whole reproduction."""
        return [a for a in self.artefacts if not a.on_request]

    def artefact(self, name: str) -> Artefact | None:
        """The artefact called `name`."""
        return next((a for a in self.artefacts if a.name == name), None)
