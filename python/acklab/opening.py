"""`acklab.open`: a folder of results, read back."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import arguments
from acklab.errors import AcklabError, NotRecordedError
from acklab.folder import FORMAT, MARKER, check_name
from acklab.results import Verdict
from acklab.saving import SCENARIO, digest
from acklab.sealed import unsealed
from acklab.sweeps import manifest
from acklab.sweeps.results import SweepResult

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.methods import Plots


class SavedRun:
    """A run that `acklab run` left: the frames of a `Result`, read at the first use."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._about = _about(self.folder / MARKER)

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self._about["scenario"])

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self._about["seed"])

    @property
    def version(self) -> str:
        """The version of acklab that made it."""
        return str(self._about["version"])

    @property
    def made(self) -> dict[str, Any]:
        """Provenance: commit, build, wheel, processor; empty if an older acklab made it."""
        return dict(self._about.get("made", {}))

    @property
    def command(self) -> str:
        """The command that made it."""
        return str(self._about["command"])

    @property
    def recorded(self) -> tuple[str, ...]:
        """The recorded streams, of `acklab.results.STREAMS`."""
        return tuple(self._about.get("recorded", ()))

    def needs(self, *streams: str) -> None:
        """Says how to record what is missing of `streams`."""
        missing = [s for s in streams if s not in self.recorded]
        if missing:
            raise NotRecordedError(self.name, missing)

    @property
    def cost(self) -> dict[str, int]:
        """The cost of the run: events, hops and data packets handled, and peaks of memory."""
        return dict(self._about["cost"])

    @property
    def resolved(self) -> str:
        """The whole scenario as TOML, defaults filled in; loading it gives the same run."""
        path = self.folder / SCENARIO
        if (known := self._sums.get(SCENARIO)) is not None:
            _check(path, known)
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as e:
            raise _broken(path, e) from None

    def expectations(self) -> list[Verdict]:
        """The scenario's `[expect]`, as held against the run when it was made."""
        return [Verdict(v["met"], v["text"]) for v in self._about["expectations"]]

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row per flow."""
        return self.table("flows")

    @cached_property
    def links(self) -> pl.DataFrame:
        """One row per direction of a link."""
        return self.table("links")

    @cached_property
    def series(self) -> pl.DataFrame:
        """Samples of the senders over time."""
        return self.table("series")

    @cached_property
    def link_series(self) -> pl.DataFrame:
        """Samples of the queues over time."""
        return self.table("link_series")

    @cached_property
    def events(self) -> pl.DataFrame:
        """The events of the senders; asks for `record.events`."""
        self.needs("events")
        return self.table("events")

    @cached_property
    def acks(self) -> pl.DataFrame:
        """Acknowledgements sent, held, merged, dropped, released, received; `record.acks`."""
        self.needs("acks")
        return self.table("acks")

    @cached_property
    def reports(self) -> pl.DataFrame:
        """The reports and the knowledge of TACK's receivers; there is none without TACK."""
        self.needs("acks")
        return self.table("reports")

    @cached_property
    def packets(self) -> pl.DataFrame:
        """The fate of packets where they were watched; asks for `record.packets`."""
        self.needs("packets")
        return self.table("packets")

    @cached_property
    def ppdus(self) -> pl.DataFrame:
        """The transmissions on radio channels, one by one; asks for `record.ppdus`."""
        self.needs("ppdus")
        return self.table("ppdus")

    @cached_property
    def stations(self) -> pl.DataFrame:
        """One row per station of a radio channel."""
        return self.table("stations")

    @cached_property
    def airtime(self) -> pl.DataFrame:
        """The time of each radio channel by use."""
        return self.table("airtime")

    @cached_property
    def ampdu_sizes(self) -> pl.DataFrame:
        """How often each station sent so many MPDUs at once."""
        return self.table("ampdu_sizes")

    @cached_property
    def queue_classes(self) -> pl.DataFrame:
        """One row per CAKE, tin of it and class of HTB, as `tc -s` prints them."""
        return self.table("queue_classes")

    @property
    def tables(self) -> list[str]:
        """The tables that were kept; a missing one is reported when it is read."""
        known = self._sums or (p.name for p in self.folder.glob("*.parquet"))
        parts = (name.partition(".parquet") for name in known)
        return sorted(name for name, suffix, _ in parts if suffix)

    @property
    def _sums(self) -> dict[str, str]:
        """Checksums by the name of the file; none of runs from before there were some."""
        return dict(self._about.get("sha256", {}))

    def table(self, name: str) -> pl.DataFrame:
        """A table by its name."""
        import polars as pl
        from polars.exceptions import PolarsError

        path = self.folder / f"{name}.parquet"
        known = self._sums.get(path.name)
        if known is not None:
            _check(path, known)
        elif not path.exists():
            raise AcklabError(
                f"{self.folder} has no table {name}: it was not recorded\n"
                f"  help: there are {', '.join(self.tables)}"
            )
        try:
            frame = pl.read_parquet(path)
        except (PolarsError, OSError) as e:
            raise _broken(path, e) from None
        for column in _MARKS.get(name, ()):
            if column not in frame.columns:
                raise _broken(path, f"it is not the table {name}: it has no column {column!r}")
        return frame

    def to_pandas(self, table: str = "flows") -> Any:
        """A table as a frame of pandas, which `pip install 'acklab[pandas]'` installs."""
        from acklab.pandas_frames import to_pandas

        return to_pandas(self.table(table))

    def _repr_html_(self) -> str:
        from acklab.shown import run

        return run(self)

    @property
    def plot(self) -> Plots:
        """Its named plots: `run.plot.series()`, and so on; see `acklab list plot`."""
        from acklab.plots.methods import Plots

        return Plots(self)

    def __repr__(self) -> str:
        return f"<SavedRun of {self.name!r}, seed {self.seed}, in {self.folder}>"


def open(folder: str | os.PathLike[str]) -> SavedRun | SweepResult:
    """Opens what `acklab run` or `acklab sweep` left in `folder`."""
    path = arguments.path("open()", "folder", folder)
    check_name(path)
    if not path.is_dir():
        what = "a file, not a folder of results" if path.exists() else "not there"
        raise AcklabError(
            f"cannot open {path}: it is {what}\n"
            "  help: give a folder that `acklab run` or `acklab sweep` left, such as out/NAME"
        )
    if (path / manifest.NAME).exists():
        return SweepResult(path)
    if (path / MARKER).exists():
        return SavedRun(path)
    raise AcklabError(
        f"cannot open {path}: it has neither {MARKER} nor {manifest.NAME}\n"
        "  help: give a folder that `acklab run` or `acklab sweep` left"
    )


#: Columns without which a table is another one.
_MARKS = {
    "flows": ("flow", "goodput_mbps"),
    "links": ("link", "packets_in"),
    "series": ("time_s", "flow", "cwnd_packets"),
    "link_series": ("time_s", "link", "queue_packets"),
    "events": ("flow", "event"),
    "acks": ("flow", "what", "segments"),
    "packets": ("flow", "what", "point"),
}

#: Keys that `run.json` must have, and their types.
_KEYS: dict[str, type] = {
    "scenario": str,
    "seed": int,
    "version": str,
    "command": str,
    "cost": dict,
    "expectations": list,
}


def _check(path: Path, known: str) -> None:
    """Whether a table is the one that the run left: Parquet itself does not notice a wrong bit."""
    try:
        found = digest(path)
    except FileNotFoundError:
        raise _broken(path, "the run left it, and it is gone") from None
    except OSError as e:
        raise _broken(path, e) from None
    if found != known:
        raise _broken(path, "it is not what the run left (its SHA-256 is another)")


def _about(path: Path) -> dict[str, Any]:
    try:
        about = unsealed(path.read_bytes(), (*_KEYS, "format", "again", "recorded", "sha256"))
    except (OSError, ValueError) as e:
        raise _broken(path, e) from None
    if not isinstance(about.get("sha256", {}), dict):
        raise _broken(path, "it does not say sha256")
    if not isinstance(about.get("made", {}), dict):
        raise _broken(path, "it does not say made")
    manifest.check_format(path, about.get("format", FORMAT), FORMAT)
    for key, kind in _KEYS.items():
        if not isinstance(about.get(key), kind):
            raise _broken(path, f"it does not say {key}")
    return about


def _broken(path: Path, why: object) -> AcklabError:
    if isinstance(why, OSError) and why.strerror:
        why = why.strerror
    lines = str(why).splitlines() or [type(why).__name__]
    where = "" if path.name == MARKER else f"; {MARKER} has the command under `again`"
    return AcklabError(f"cannot read {path}: {lines[0]}\n  help: make the folder anew{where}")
