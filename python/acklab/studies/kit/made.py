"""By which build a study's numbers were made: `made.json` beside them.

A page may be written anew from kept numbers, after a text or a claim was changed. If the numbers
are of another build of acklab, or of other cells or quantities, the page says so. `SHA256SUMS`
has the sums of both: a wrong bit in a number would turn a verdict.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from acklab import _core, code
from acklab.errors import AcklabError
from acklab.folder import write_atomically
from acklab.studies.kit.folder import Folder
from acklab.studies.study import Effort
from acklab.sweeps import sums

NAME = "made.json"
#: What a reader of older runs should know.
_AGAIN = "New runs may give other numbers: `acklab reproduce` makes them."


def note(study: Folder, effort: Effort, folder: Path) -> Path:
    """Writes by what the numbers in `folder` were made, just now."""
    path = folder / NAME
    about = {
        "study": study.about.name,
        "version": _core.version(),
        "build": code.of_runs(),
        "cells": _digest(study),
        "seeds": effort.seeds,
        "quick": effort.quick,
        "full": effort.full,
    }
    write_atomically(path, json.dumps(about, indent=1) + "\n")
    seal(folder)
    return path


def seal(folder: Path) -> None:
    """Writes the sums of the numbers in `folder` and of what they were made by."""
    kept = (folder / NAME, *(folder / "numbers").glob("*.csv"))
    files = {path.relative_to(folder).as_posix(): sums.digest(path) for path in kept}
    write_atomically(folder / sums.NAME, sums.text(files))


def _check(folder: Path) -> None:
    """Refuses what is not as it was written. Folders from before there were sums are read."""
    path = folder / sums.NAME
    if not path.exists():
        return
    listed = sums.read(path)
    broken = sums.broken(folder, listed.files) if listed.whole else sums.NAME
    if broken is not None:
        raise AcklabError(
            f"{folder / broken} is not as it was written\n"
            "  help: `acklab reproduce FOLDER` makes the numbers anew"
        )


def effort(folder: Path) -> Effort:
    """How much was run for the numbers in `folder`, which are as they were written."""
    _check(folder)
    try:
        about = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return Effort(int(about["seeds"]), bool(about["quick"]), bool(about["full"]))
    except (OSError, ValueError, KeyError) as e:
        why = e.strerror if isinstance(e, OSError) else e
        raise AcklabError(
            f"{folder} has no numbers of a study: {NAME} cannot be read ({why})\n"
            "  help: `acklab reproduce FOLDER` makes them"
        ) from None


def differences(study: Folder, folder: Path) -> Sequence[str]:
    """In which ways the numbers in `folder` are not what this build would make."""
    path = folder / NAME
    if not path.exists():
        return ()
    about = json.loads(path.read_text(encoding="utf-8"))
    found = []
    if about.get("version") != _core.version():
        found.append(
            f"These results were made by acklab {about.get('version')}; acklab {_core.version()} "
            f"wrote this page. {_AGAIN}"
        )
    elif about.get("build") != code.of_runs():
        found.append(
            "The program was changed after these runs were done: build "
            f"{about.get('build')} of acklab {_core.version()} did them, and build "
            f"{code.of_runs()} wrote this page. {_AGAIN}"
        )
    if about.get("cells") != _digest(study):
        found.append(f"The study's cells or quantities were changed after these runs. {_AGAIN}")
    return found


def _digest(study: Folder) -> str:
    """Of the study's own Python files but its rules, which judge and do not run."""
    digest = hashlib.sha256()
    for path in sorted(study.path.glob("*.py")):
        if path.name != "rules.py":
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
