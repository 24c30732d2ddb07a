"""How to make a part of the page again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from acklab.studies.kit.fields import Key
from acklab.studies.kit.folder import Folder


def place(study: Folder) -> str:
    """The study as a command names it: a folder, or the name of one that comes with acklab."""
    path = study.path.resolve()
    if path.parent == (Path(__file__).parents[2] / "studies").resolve():
        return study.about.name
    # A page says nothing of the machine that it was made on.
    beside = os.path.relpath(path)
    return study.path.name if beside.startswith("..") else beside


def command(study: Folder, group: str, keys: Mapping[str, Key]) -> str:
    """The command that makes one cell again, with everything recorded."""
    axes = study.vocabulary.grids[group].axes
    named = [f"{a}={keys[a]}" for a in axes if a in keys]
    return shlex.join(["acklab", "study", "cell", place(study), group, *named])
