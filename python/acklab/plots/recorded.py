"""What plots are drawn from: the tables of a run or of a sweep, in memory or in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl

#: How each table comes to be recorded, for who finds it missing.
HOW: Mapping[str, str] = {
    "series": 'add `record = { every = "10 ms" }` to the scenario, or run it with --record series',
    "link_series": 'add `record = { every = "10 ms" }` to the scenario, or --record series',
    "events": "add `record = { events = true }` to the scenario, or run it with --record events",
    "acks": "add `record = { acks = true }` to the scenario, or run it with --record acks",
    "packets": "add `record = { packets = true }` to the scenario, or run it with --record packets",
    "runs": "make a sweep: `acklab sweep FILE --grid KEY=V1,V2 --seeds 10 --out DIR`",
}


class Recorded(Protocol):
    """Tables by name, and where they come from."""

    @property
    def name(self) -> str:
        """The scenario's name."""

    @property
    def provenance(self) -> str:
        """Run, seeds and version, for the footer."""

    def table(self, name: str) -> pl.DataFrame | None:
        """The table `name`, or `None` if it was not recorded."""


class InMemory:
    """A result that was just made."""

    def __init__(self, result: Any) -> None:
        self._result = result

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self._result.scenario.name)

    @property
    def provenance(self) -> str:
        """Run, seed and version."""
        return f"{self.name} · seed {self._result.seed} · acklab {self._result.version}"

    def table(self, name: str) -> pl.DataFrame | None:
        """A property of the result; an empty table was not recorded."""
        if name == "expectations":
            return _expectations(
                [{"text": v.text, "met": v.met} for v in self._result.expectations()]
            )
        try:
            frame = getattr(self._result, name, None)
        except AcklabError:
            # So results answer when they are asked for what was not recorded.
            return None
        return _plain(frame) if frame is not None and len(frame) else None


class InFolder:
    """A folder that `acklab run` or `acklab sweep` left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._about = self._read_about()

    def _read_about(self) -> dict[str, Any]:
        for marker in ("run.json", "sweep.json"):
            path = self.folder / marker
            try:
                about = json.loads(path.read_text(encoding="utf-8"))
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as e:
                raise AcklabError(f"cannot read {path}: {e}") from None
            if isinstance(about, dict) and {"scenario", "version"} <= about.keys():
                return about
            raise AcklabError(f"{path} does not describe a result: no `scenario` and `version`")
        raise AcklabError(
            f"{self.folder} holds no result: neither run.json nor sweep.json is in it\n"
            "  help: give the folder that `acklab run` or `acklab sweep` named at its end"
        )

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self._about["scenario"])

    @property
    def provenance(self) -> str:
        """Run, seeds and version."""
        if "seed" in self._about:
            seeds = f"seed {self._about['seed']}"
        else:
            given = self._about.get("seeds", 1)
            count = given if isinstance(given, int) else len(given)
            seeds = f"{count} seed{'s' if count > 1 else ''}"
        return f"{self.name} · {seeds} · acklab {self._about['version']}"

    @cached_property
    def _frames(self) -> dict[str, pl.DataFrame | None]:
        return {}

    def table(self, name: str) -> pl.DataFrame | None:
        """A Parquet file, or all of a folder of them."""
        if name not in self._frames:
            self._frames[name] = self._load(name)
        return self._frames[name]

    def _load(self, name: str) -> pl.DataFrame | None:
        import polars as pl
        from polars.exceptions import PolarsError

        if name == "expectations":
            return _expectations(self._about.get("expectations", []))
        if name == "runs":
            return self._load("flows") if (self.folder / "sweep.json").exists() else None
        file = self.folder / f"{name}.parquet"
        files = [file] if file.exists() else sorted((self.folder / name).glob("*.parquet"))
        if not files:
            return None
        try:
            frame = pl.read_parquet(files)
        except (OSError, PolarsError) as e:
            raise AcklabError(
                f"cannot read {files[0]}: {str(e).splitlines()[0]}\n"
                "  help: make the folder anew; run.json has the command under `command`"
            ) from None
        return _plain(frame) if len(frame) else None


def _expectations(verdicts: Sequence[Mapping[str, Any]]) -> pl.DataFrame | None:
    import polars as pl

    rows = [
        {"expected": str(v["text"]), "verdict": "met" if v["met"] else "NOT MET"} for v in verdicts
    ]
    return pl.DataFrame(rows) if rows else None


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with words as strings, and times in seconds, whatever they were kept as."""
    import polars as pl
    import polars.selectors as cs

    frame = frame.with_columns(cs.categorical().cast(pl.String), cs.enum().cast(pl.String))
    if "time_s" in frame.columns or "time_ns" not in frame.columns:
        return frame
    return frame.with_columns((pl.col("time_ns") / 1e9).alias("time_s"))


def required(source: Recorded, kind: str, table: str) -> pl.DataFrame:
    """The table, or an error that says how to record it."""
    if table != "runs":
        of_one_run(source, f"the plot {kind}")
    frame = source.table(table)
    if frame is None:
        what = "a sweep" if table == "runs" else f"the table `{table}`"
        raise AcklabError(
            f"the plot {kind} needs {what}, which {source.name} has not recorded\n"
            f"  help: {HOW[table]}"
        )
    return frame


def of_one_run(source: Recorded, what: str) -> None:
    """An error if the tables are those of a sweep: many runs over each other show nothing."""
    if source.table("runs") is not None:
        raise AcklabError(
            f"{what} is of one run, and {source.name} is a sweep of many\n"
            "  help: `acklab plot SWEEP heatmap`, or run one cell alone with `acklab run --set`"
        )
