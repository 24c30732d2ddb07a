"""A plot that was drawn: the figure, the data in it, and what it shows."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError, OutputError
from acklab.plots import style
from acklab.spreadsheet import csv

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

#: Longer tables are written as Parquet: no one reads them as text.
MOST_CSV_ROWS = 50_000


@dataclass(frozen=True)
class Choice:
    """The part of a result to draw; `None` leaves it to the plot."""

    flows: Sequence[str] | None = None
    #: Seconds of the run.
    start: float | None = None
    end: float | None = None
    #: Seconds over which rates are averaged.
    window: float | None = None
    #: Keys or metrics along the axes of a plot of a sweep, and the metric of the others.
    x: str | None = None
    y: str | None = None
    value: str | None = None
    #: Keys of a sweep: told apart by colour and then by dashes, by panels, or not at all.
    by: str | Sequence[str] | None = None
    facet: str | Sequence[str] | None = None
    over: str | Sequence[str] | None = None
    #: Only the runs of a sweep with these values of keys.
    where: Mapping[str, Any] | None = None
    #: Statistic that the bars of a line show, and the axes that are logarithmic.
    interval: str | None = None
    log: str | None = None
    #: How the figure looks: see `acklab.plots.look`.
    title: str | None = None
    size: str | None = None
    style: str | None = None

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of the chosen flows and times."""
        import polars as pl

        if "flow" in frame.columns and self.flows is not None:
            known = frame["flow"].unique(maintain_order=True).to_list()
            for flow in self.flows:
                if flow not in known:
                    raise AcklabError(
                        f"there is no flow called {flow!r}\n"
                        f"  help: the flows here are {', '.join(map(str, known))}"
                    )
            frame = frame.filter(pl.col("flow").is_in(list(self.flows)))
        if "time_s" in frame.columns:
            if self.start is not None:
                frame = frame.filter(pl.col("time_s") >= self.start)
            if self.end is not None:
                frame = frame.filter(pl.col("time_s") <= self.end)
        if frame.is_empty():
            raise AcklabError(
                f"nothing happened between {self.start or 0} s and {self.end or 'the end'}\n"
                "  help: choose other times with --from and --to"
            )
        return frame


@dataclass(frozen=True)
class Drawn:
    """A figure with its data beside it."""

    figure: Figure
    #: Exactly the values that the figure shows.
    data: pl.DataFrame
    #: The figure in words, for readers who cannot see it.
    alt: str
    #: How to read its marks, such as the interval of a bar; for the figure's caption.
    note: str = ""
    #: Run, seeds and version.
    provenance: str = ""

    def save(self, stem: Path | str, form: style.Format | None = None) -> list[Path]:
        """Writes the figure and, with the same stem, its data; each complete or not at all.

        `stem` may be the name of the figure's file: `save("figure.pdf")` does the same as
        `save("figure", "pdf")`. Without either it is SVG.
        """
        from acklab.folder import scratch_file

        stem = Path(stem)
        ending = next((f for f in style.FORMATS if stem.suffix == f".{f}"), None)
        if ending and form in (None, ending):
            stem, form = stem.with_suffix(""), ending
        form = form or "svg"
        figure, (data, content) = stem.with_name(f"{stem.name}.{form}"), self._data_file(stem)
        figures = [stem.with_name(f"{stem.name}.{f}") for f in style.FORMATS]
        if data.exists() and not any(f.exists() for f in figures):
            raise OutputError(
                f"will not replace {data}: the data of {figure.name} would go there, and it is not "
                "beside a figure of that name\n  help: choose another name with --out"
            )
        drawn = style.render(self.figure, form, self._about)
        # Both are whole before one has its name, and data never stand without a figure.
        with scratch_file(data) as beside, scratch_file(figure) as scratch:
            beside.write_bytes(content)
            scratch.write_bytes(drawn)
        return [figure, data]

    def _data_file(self, stem: Path) -> tuple[Path, bytes]:
        """Name and content of the file with the figure's data."""
        if len(self.data) <= MOST_CSV_ROWS:
            return stem.with_name(f"{stem.name}.csv"), csv(self.data).encode()
        buffer = io.BytesIO()
        self.data.write_parquet(buffer, compression="zstd")
        return stem.with_name(f"{stem.name}.parquet"), buffer.getvalue()

    @property
    def svg(self) -> bytes:
        """The figure as an SVG file's content."""
        return style.render(self.figure, "svg", self._about)

    @property
    def _about(self) -> str:
        """The metadata of the file."""
        return " ".join(t for t in (self.alt, self.provenance) if t)

    def _repr_svg_(self) -> str:
        """So notebooks show it."""
        return self.svg.decode()
