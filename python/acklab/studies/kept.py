"""What an interrupted reproduction leaves for the next: the finished groups' tables and plots.

They lie in a hidden folder beside the study's files, a folder per group that appears complete or
not at all, and are gone when the reproduction ends. What goes into them is the package's code, so
another version, another effort or other cells never take them for theirs. Each file has a checksum,
and what is not as it was written is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import code
from acklab.errors import OutputError
from acklab.folder import unfinished
from acklab.holding import swapping
from acklab.saving import digest
from acklab.sealed import sealed, unsealed
from acklab.studies.study import Artefact, Cell, Effort

if TYPE_CHECKING:
    import polars as pl

#: Hidden, as all that is not a result yet.
NAME = ".unfinished"
#: Of each group: its plots, and the checksum of each file.
ABOUT = "group.json"

#: A group's artefacts: the table, and the plot in a scratch folder.
Made = dict[str, tuple["pl.DataFrame", Path | None]]


class Kept:
    """Finished groups of one study at one effort, in `folder`."""

    def __init__(self, folder: Path, effort: Effort) -> None:
        quick = "-quick" if effort.quick else ""
        self._all = folder / NAME
        self._mine = self._all / f"{code.of_everything()}-{effort.seeds}{quick}"
        #: What was damaged and is made again, for the user.
        self.notes: list[str] = []
        for other in self._all.glob("*"):
            if not other.name.startswith(code.of_everything()):
                shutil.rmtree(other, ignore_errors=True)

    def load(self, name: str, cells: Sequence[Cell], artefacts: Sequence[Artefact]) -> Made | None:
        """The artefacts of the group `name`; `None` unless all of them are there."""
        import polars as pl

        group = self._group(name, cells, artefacts)
        if not group.exists():
            return None
        made: Made = {}
        try:
            about = unsealed((group / ABOUT).read_bytes())
            for a in artefacts:
                plot = about["plots"][a.name]
                table = pl.read_parquet(BytesIO(_content(group, f"{a.name}.parquet", about)))
                if plot is not None:
                    _content(group, plot, about)
                made[a.name] = (table, None if plot is None else group / plot)
        except (OSError, ValueError, KeyError, pl.exceptions.PolarsError) as e:
            self.notes.append(f"{group} was damaged ({e}): it is made again")
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
            with unfinished(scratch):
                about = {
                    "plots": {of: plot and plot.name for of, (_, plot) in made.items()},
                    "sha256": _write(made, scratch),
                }
                (scratch / ABOUT).write_text(sealed(about))
                with swapping():
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
        of = hashlib.sha256(json.dumps(what, default=str).encode()).hexdigest()
        return self._mine / f"{name}-{of[:16]}"


def _write(made: Made, folder: Path) -> dict[str, str]:
    """Writes tables and plots; the checksum of each file."""
    sums = {}
    for of, (table, plot) in made.items():
        buffer = BytesIO()
        table.write_parquet(buffer)
        (folder / f"{of}.parquet").write_bytes(buffer.getvalue())
        sums[f"{of}.parquet"] = hashlib.sha256(buffer.getvalue()).hexdigest()
        if plot is not None:
            shutil.copyfile(plot, folder / plot.name)
            # Of what was drawn, not of what the copy has become.
            sums[plot.name] = digest(plot)
    return sums


def _content(group: Path, name: str, about: Mapping[str, Any]) -> bytes:
    """What the file `name` has, if it is what was written."""
    data = (group / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != about["sha256"][name]:
        raise ValueError(f"{name} is not what was written")
    return data
