"""A plot that was drawn: the figure, the data in it, and what it shows."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.errors import AcklabError, OutputError
from acklab.plots import style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

#: Longer tables are written as Parquet: no one reads them as text.
MOST_CSV_ROWS = 50_000


@dataclass(frozen=True)
class Choice:
    """What of a result to draw; `None` leaves it to the plot."""

    flows: Sequence[str] | None = None
    #: Seconds of the run.
    start: float | None = None
    end: float | None = None
    #: Seconds over which rates are averaged.
    window: float | None = None
    #: Columns of a heat map: its axes, and what the cells show.
    x: str | None = None
    y: str | None = None
    value: str | None = None

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
    #: What the figure shows, no more and no less.
    data: pl.DataFrame
    #: The figure in words, for who cannot see it.
    alt: str

    def save(self, stem: Path | str, form: style.Format = "svg") -> list[Path]:
        """Writes the figure and, with the same stem, its data; each complete or not at all."""
        from acklab.folder import scratch_file

        stem = Path(stem)
        figure, (data, content) = stem.with_name(f"{stem.name}.{form}"), self._data_file(stem)
        figures = [stem.with_name(f"{stem.name}.{f}") for f in style.FORMATS]
        if data.exists() and not any(f.exists() for f in figures):
            raise OutputError(
                f"will not replace {data}: the data of {figure.name} would go there, and it is not "
                "beside a figure of that name\n  help: choose another name with --out"
            )
        drawn = style.render(self.figure, form)
        # Both are whole before one has its name, and data never stand without a figure.
        with scratch_file(data) as beside, scratch_file(figure) as scratch:
            beside.write_bytes(content)
            scratch.write_bytes(drawn)
        return [figure, data]

    def _data_file(self, stem: Path) -> tuple[Path, bytes]:
        """Name and content of the file with the figure's data."""
        if len(self.data) <= MOST_CSV_ROWS:
            return stem.with_name(f"{stem.name}.csv"), self.data.write_csv().encode()
        buffer = io.BytesIO()
        self.data.write_parquet(buffer, compression="zstd")
        return stem.with_name(f"{stem.name}.parquet"), buffer.getvalue()

    @property
    def svg(self) -> bytes:
        """The figure as an SVG file's content."""
        return style.render(self.figure, "svg")

    def _repr_svg_(self) -> str:
        """So notebooks show it."""
        return self.svg.decode()
