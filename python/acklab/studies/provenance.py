"""What a study's files are of: a line below each figure, and `study.json` beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acklab import _core
from acklab.folder import write_atomically
from acklab.sealed import sealed, unsealed
from acklab.studies.study import Artefact, Cell, Effort, Study, Survey

NAME = "study.json"
#: Counts up when older versions could not read the file any more.
FORMAT = 1
_KEYS = ("format", "study", "source", "artefacts", "cells")


def line(study: Study, effort: Effort) -> str:
    """Study, seeds and version, for the footer of a figure."""
    seeds = f"seeds 1 to {effort.seeds}" if effort.seeds > 1 else "seed 1"
    quick = " · quick: short runs" if effort.quick else ""
    return f"{study.name} · {seeds}{quick} · acklab {_core.version()}"


def save(
    study: Study, artefacts: Sequence[Artefact], effort: Effort, folder: Path
) -> Sequence[str]:
    """Writes of each artefact how it was made, and of each cell its scenario and its seeds.

    What the file says of artefacts and cells that are not made this time is kept. Returns what is
    to be said of it.
    """
    path = folder / NAME
    before, notes = _read(path)
    made = {
        "version": _core.version(),
        "seeds": effort.seeds,
        "quick": effort.quick,
    }
    groups = list(dict.fromkeys(a.group for a in artefacts))
    about = {
        "format": FORMAT,
        "study": study.name,
        "source": study.source,
        "artefacts": {
            **before.get("artefacts", {}),
            **{a.name: {**made, "again": _again(study, a, effort)} for a in artefacts},
        },
        "cells": {
            **before.get("cells", {}),
            **{g: _cells(study.groups[g](effort), effort) for g in groups},
        },
    }
    write_atomically(path, sealed(about, indent=1))
    return notes


def _read(path: Path) -> tuple[dict[str, Any], Sequence[str]]:
    """What an earlier reproduction wrote; nothing if it cannot be read, which is noted."""
    try:
        about = unsealed(path.read_bytes(), _KEYS)
    except FileNotFoundError:
        return {}, ()
    except (OSError, ValueError) as e:
        return {}, [f"{path} was damaged ({e}): it is made anew, of what was made this time"]
    return (about if about.get("format") == FORMAT else {}), ()


def _again(study: Study, artefact: Artefact, effort: Effort) -> str:
    quick = " --quick" if effort.quick else ""
    return f"acklab reproduce {study.name}/{artefact.name} --seeds {effort.seeds}{quick}"


def _cells(group: Sequence[Cell] | Survey, effort: Effort) -> Any:
    """The cells one by one, or what a survey sweeps."""
    if isinstance(group, Survey):
        return vars(group)
    return [_cell(c, effort) for c in group]


def _cell(cell: Cell, effort: Effort) -> dict[str, Any]:
    count = min(effort.seeds, cell.seeds or effort.seeds)
    seeds = list(range(1, count + 1))
    return {"keys": dict(cell.keys), "seeds": seeds, "scenario": cell.scenario}
