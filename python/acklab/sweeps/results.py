"""A sweep's folder, read."""

from __future__ import annotations

import os
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.sweeps import manifest, packing, sums

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.methods import Plots
    from acklab.sweeps.manifest import Manifest

#: The column that tells the rows of one run apart.
_ENTITY = {"flows": "flow", "links": "link"}


class SweepResult:
    """The data set of a sweep: one frame per table, the grid's keys as columns.

    Every row has `run`, `cell`, the keys and `seed` in front of the columns of a single run.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.manifest: Manifest = manifest.read(self.folder)
        #: Files by table, once they were compared with their checksums.
        self._checked: dict[str, list[Path]] = {}

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.manifest.scenario

    @property
    def version(self) -> str:
        """The version of acklab that made it."""
        return self.manifest.version

    @property
    def made(self) -> dict[str, Any]:
        """Provenance: commit, build, wheel, processor; empty if an older acklab made it."""
        return dict(self.manifest.made)

    @property
    def keys(self) -> list[str]:
        """The columns of the grid's keys."""
        return self.manifest.keys

    @property
    def complete(self) -> bool:
        """Whether every run is there; otherwise the tables have the runs of full shards."""
        return (self.folder / sums.NAME).exists()

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row per flow of each run."""
        return self.table("flows")

    @cached_property
    def links(self) -> pl.DataFrame:
        """One row per direction of a link of each run."""
        return self.table("links")

    @cached_property
    def cells(self) -> pl.DataFrame:
        """One row per cell: its number and its keys."""
        return self.scan("flows").select("cell", *self.keys).unique().sort("cell").collect()

    def scan(self, table: str) -> pl.LazyFrame:
        """A table that is read when it is needed; for what does not fit into memory."""
        import polars as pl

        return pl.scan_parquet(self.shards(table))

    def shards(self, table: str) -> list[Path]:
        """The files of a table, in the order of their runs; each has whole runs."""
        if table not in packing.TABLES:
            raise AcklabError(
                f"a sweep has no table {table!r}\n  help: there are {', '.join(packing.TABLES)}"
            )
        if table not in self._checked:
            self._checked[table] = self._files(table)
        files = self._checked[table]
        if not files:
            raise AcklabError(f"{self.folder} has no {table}: {self._why_not(table)}")
        return files

    def _files(self, table: str) -> list[Path]:
        """The table's shards as they were written, in the order of their runs.

        What else lies there is not of it: a sweep that is under way may be writing it.
        """
        path = self.folder / (sums.NAME if self.complete else sums.UNDER_WAY)
        if not path.exists():
            return [] if self.manifest.sha256 else self._older(table)
        listed = sums.read(path)
        if not listed.whole or (self.manifest.sha256 and not listed.summed):
            raise _broken(path, "it is not what was written (the sum in its first line is another)")
        files = {p: sha for p, sha in listed.files.items() if p.startswith(f"{table}/")}
        if (name := sums.broken(self.folder, files)) is not None:
            raise _broken(self.folder / name, "it is missing or was changed")
        return [self.folder / name for name in sorted(files)]

    def _older(self, table: str) -> list[Path]:
        """The shards of a sweep under way from before there was a list of them until the end."""
        found = (self.folder / table).glob("*.parquet")
        files = sorted(p for p in found if sums.SHARD.fullmatch(p.name))
        for path in files:
            # Polars takes an empty file for an empty table.
            if path.stat().st_size == 0:
                raise _broken(path, "it is empty")
        return files

    def table(self, table: str) -> pl.DataFrame:
        """A table as a frame, in the order of the runs."""
        from polars.exceptions import PolarsError

        lazy = self.scan(table)
        try:
            return lazy.collect()
        except (PolarsError, OSError) as e:
            raise _broken(self.folder / table, str(e).partition("\n")[0]) from None

    @property
    def scenarios(self) -> dict[str, str]:
        """The scenario as it was given, by the name of its file."""
        if (name := sums.broken(self.folder, self.manifest.sha256)) is not None:
            raise _broken(self.folder / name, "it is missing or was changed")
        names = self.manifest.sha256 or [p.name for p in sorted(self.folder.glob("scenario.*"))]
        read = partial(Path.read_text, encoding="utf-8", errors="replace")
        return {name: read(self.folder / name) for name in names}

    def stats(
        self,
        metric: str = "goodput_mbps",
        *,
        table: str = "flows",
        by: list[str] | None = None,
    ) -> pl.DataFrame:
        """Mean and 95 % confidence interval of a column over seeds, one row per cell and flow.

        `by` names other columns to group by. The derived metrics `jain`, `rtt_fairness` and, if
        series were recorded, `convergence_time` have one row per cell; `power` is one, too. The
        interval (Student's t, within what the metric can be) is null for one value.
        """
        from acklab.metrics.derived import OF_A_RUN, once_per_run, with_metric
        from acklab.stats import estimate_by

        frame = self.table(table)
        if table == "flows":
            samples = partial(self.table, "series")
            frame = once_per_run(with_metric(frame, metric, samples), metric)
        entity = [] if metric in OF_A_RUN else [_ENTITY.get(table, "run")]
        groups = by if by is not None else ["cell", *self.keys, *entity]
        for column in (metric, *groups):
            if column not in frame.columns:
                raise AcklabError(
                    f"the table {table} has no column {column!r}\n"
                    f"  help: there are {', '.join(frame.columns)}"
                )
        return estimate_by(frame, groups, metric)

    def _why_not(self, table: str) -> str:
        if table in packing.ALWAYS:
            return "no shard is complete yet\n  help: give the command of the sweep again"
        return "nothing was recorded\n  help: set record.every, to 100 ms for example"

    def to_pandas(self, table: str = "flows") -> Any:
        """A table as a frame of pandas, which `pip install 'acklab[pandas]'` installs."""
        from acklab.pandas_frames import to_pandas

        return to_pandas(self.table(table))

    def _repr_html_(self) -> str:
        from acklab.shown import sweep

        return sweep(self)

    @property
    def plot(self) -> Plots:
        """Its named plots: `sweep.plot.heatmap()`, and so on; see `acklab list plot`."""
        from acklab.plots.methods import Plots

        return Plots(self)

    def __repr__(self) -> str:
        return f"<SweepResult of {self.name!r}, {self.manifest.runs:,} runs in {self.folder}>"


def _broken(path: Path, why: str) -> AcklabError:
    return AcklabError(
        f"cannot read {path}: {why}\n"
        "  help: give the command of the sweep again; it does the runs of broken files anew"
    )
