"""What an interrupted reproduction leaves for the next: the finished groups' tables and plots.

They lie in a hidden folder beside the study's files, a folder per group that appears complete or
not at all, and are gone when the reproduction ends. What goes into them is the package's code, so
another version, another effort or other cells never take them for theirs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.errors import OutputError
from acklab.studies.study import Artefact, Cell, Effort

if TYPE_CHECKING:
    import polars as pl

#: Hidden, as all that is not a result yet.
NAME = ".unfinished"

#: A group's artefacts: the table, and the plot in a scratch folder.
Made = dict[str, tuple["pl.DataFrame", Path | None]]


class Kept:
    """Finished groups of one study at one effort, in `folder`."""

    def __init__(self, folder: Path, effort: Effort) -> None:
        quick = "-quick" if effort.quick else ""
        self._all = folder / NAME
        self._mine = self._all / f"{_code()}-{effort.seeds}{quick}"
        for other in self._all.glob("*"):
            if not other.name.startswith(_code()):
                shutil.rmtree(other, ignore_errors=True)

    def load(self, name: str, cells: Sequence[Cell], artefacts: Sequence[Artefact]) -> Made | None:
        """The artefacts of the group `name`; `None` unless all of them are there."""
        import polars as pl

        group = self._group(name, cells, artefacts)
        made: Made = {}
        try:
            plots = json.loads((group / "plots.json").read_text())
            for a in artefacts:
                plot = plots[a.name]
                made[a.name] = (
                    pl.read_parquet(group / f"{a.name}.parquet"),
                    None if plot is None else group / plot,
                )
        except (OSError, ValueError, KeyError, pl.exceptions.PolarsError):
            return None
        return made

    def save(
        self, name: str, cells: Sequence[Cell], artefacts: Sequence[Artefact], made: Made
    ) -> None:
        """Keeps a group that is finished."""
        group = self._group(name, cells, artefacts)
        try:
            self._mine.mkdir(parents=True, exist_ok=True)
            scratch = Path(tempfile.mkdtemp(prefix=".", dir=self._mine))
            for of, (table, plot) in made.items():
                table.write_parquet(scratch / f"{of}.parquet")
                if plot is not None:
                    shutil.copyfile(plot, scratch / plot.name)
            plots = {of: plot and plot.name for of, (_, plot) in made.items()}
            (scratch / "plots.json").write_text(json.dumps(plots))
            shutil.rmtree(group, ignore_errors=True)
            scratch.rename(group)
        except OSError as e:
            raise OutputError(
                f"cannot write results to {self._all.parent}: {e.strerror or e}\n"
                "  help: choose another folder with --out"
            ) from None

    def drop(self) -> None:
        """Removes what was kept: the reproduction is complete."""
        shutil.rmtree(self._mine, ignore_errors=True)
        with suppress(OSError):
            os.rmdir(self._all)

    def _group(self, name: str, cells: Sequence[Cell], artefacts: Sequence[Artefact]) -> Path:
        what = [[c.keys, c.scenario, c.seeds] for c in cells], [a.name for a in artefacts]
        digest = hashlib.sha256(json.dumps(what, default=str).encode()).hexdigest()
        return self._mine / f"{name}-{digest[:16]}"


@cache
def _code() -> str:
    """A digest of what makes tables and plots: this package and the libraries it draws with."""
    import acklab

    digest = hashlib.sha256()
    package = Path(acklab.__file__).parent
    for path in sorted(p for p in package.rglob("*") if p.suffix in (".py", ".so", ".pyd")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    for library in ("matplotlib", "numpy", "polars"):
        digest.update(version(library).encode())
    return digest.hexdigest()[:16]
