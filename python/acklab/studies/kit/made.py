"""By which build a study's numbers were made: `made.json` beside them.

A page may be written anew from kept numbers, after a text or a claim was changed. If the numbers
are of another build of acklab, or of other cells or quantities, the page says so. `SHA256SUMS`
has the sums of both: a wrong bit in a number would turn a verdict.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from acklab import _core, code
from acklab.errors import AcklabError
from acklab.folder import write_atomically
from acklab.made import of_this
from acklab.studies.kit.folder import Folder
from acklab.studies.study import Effort
from acklab.sweeps import sums

NAME = "made.json"


class Made(msgspec.Struct):
    """The program, the study and the effort that numbers come from."""

    study: str
    version: str
    build: str
    cells: str
    seeds: int
    quick: bool
    full: bool
    #: Commit, wheel, processor and so on: `acklab.made`. Older folders have none.
    made: dict[str, Any] = {}


def note(study: Folder, effort: Effort, folder: Path) -> Path:
    """Writes by what the numbers in `folder` were made, just now."""
    path = folder / NAME
    made = Made(
        study.about.name,
        _core.version(),
        code.of_runs(),
        digest(study),
        effort.seeds,
        effort.quick,
        effort.full,
        of_this(),
    )
    write_atomically(path, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
    seal(folder)
    return path


def seal(folder: Path) -> None:
    """Writes the sums of the numbers in `folder` and of what they were made by."""
    kept = (folder / NAME, *(folder / "numbers").glob("*.csv"))
    files = {path.relative_to(folder).as_posix(): sums.digest(path) for path in kept}
    write_atomically(folder / sums.NAME, sums.text(files))


def effort(folder: Path) -> Effort:
    """How much was run for the numbers in `folder`; refuses what is not as it was written."""
    path = folder / sums.NAME
    if path.exists():  # older folders have no sums
        listed = sums.read(path)
        broken = sums.broken(folder, listed.files) if listed.whole else sums.NAME
        if broken is not None:
            raise AcklabError(
                f"{folder / broken} is not as it was written\n"
                "  help: `acklab reproduce FOLDER` makes the numbers anew"
            )
    made = _read(folder)
    return Effort(made.seeds, made.quick, made.full)


def _read(folder: Path) -> Made:
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=Made)
    except (OSError, msgspec.DecodeError) as e:
        why = e.strerror if isinstance(e, OSError) else e
        raise AcklabError(
            f"{folder} has no numbers of a study: {NAME} cannot be read ({why})\n"
            "  help: `acklab reproduce FOLDER` makes them"
        ) from None


def differences(study: Folder, folder: Path) -> Sequence[str]:
    """In which ways the numbers in `folder` are not those that this build would make."""
    made, version, build = _read(folder), _core.version(), code.of_runs()
    found = []
    if made.version != version:
        found.append(
            f"These results were made by acklab {made.version}; acklab {version} wrote this page."
        )
    elif made.build != build:
        found.append(
            f"The program was changed after these runs were done: build {made.build} of acklab "
            f"{version} did them, and build {build} wrote this page."
        )
    if made.cells != digest(study):
        found.append("The study's cells or quantities were changed after these runs.")
    again = "New runs may give other numbers: `acklab reproduce` makes them."
    return [f"{difference} {again}" for difference in found]


def digest(study: Folder) -> str:
    """Of the study's own Python files but its rules, which judge and do not run."""
    whole = hashlib.sha256()
    for path in sorted(study.path.glob("*.py")):
        if path.name != "rules.py":
            whole.update(path.name.encode() + path.read_bytes())
    return whole.hexdigest()[:16]
