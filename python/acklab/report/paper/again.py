"""How to make a part of the page again."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from acklab.studies.kit.fields import Key
from acklab.studies.kit.folder import Folder

#: Where the cells that were made again have their folders, beside the report of the study.
CELLS = "cells"
#: Where results go unless it is said.
OUT = Path("out")


def place(study: Folder) -> str:
    """The study as a command names it: a folder, or the name of one that comes with acklab."""
    path = study.path.resolve()
    if path.parent == (Path(__file__).parents[2] / "studies").resolve():
        return study.about.name
    # A page says nothing of the machine that it was made on.
    beside = os.path.relpath(path)
    return study.path.name if beside.startswith("..") else beside


def command(study: Folder, group: str, keys: Mapping[str, Key], more: Sequence[str] = ()) -> str:
    """The command that makes one cell again, with everything recorded."""
    axes = study.vocabulary.grids[group]
    named = [f"{a}={keys[a]}" for a in axes if a in keys]
    return shlex.join(["acklab", "study", "cell", place(study), group, *named, *more])


def folder_of(
    study: Folder, group: str, keys: Mapping[str, Key], seed: int = 1, quick: bool = False
) -> str:
    """The folder of one cell, from the study's results on: another seed or effort has its own."""
    axes = study.vocabulary.grids[group]
    words = [group, *(str(keys[a]) for a in axes if a in keys)]
    words += [f"seed-{seed}"] * (seed != 1) + ["quick"] * quick
    slug = "-".join(re.sub(r"[^A-Za-z0-9._+]+", "-", w).strip("-") for w in words)
    return f"{CELLS}/{slug}"


@dataclass(frozen=True)
class Results:
    """The folder of the study's report, and whether its runs were short."""

    folder: Path | None = None
    quick: bool = False


def told(study: Folder, group: str, keys: Mapping[str, Key], which: str, results: Results) -> str:
    """A sentence with the command for one cell, and the link to the page that it leaves.

    A page cannot run a command: the sentence says whether the cell's page was there when this one
    was written. The link is right in both cases.
    """
    own = folder_of(study, group, keys, quick=results.quick)
    more, where = _into(study, own, results)
    code = f"<code>{escape(command(study, group, keys, more))}</code>"
    page = f"{own}/report.html"
    link = f'<a href="{escape(page)}#series">{escape(page)}</a>'
    if results.folder is not None and (results.folder / page).is_file():
        return f"<p>Seed 1 of {which} over time: {link}. The command{where} was {code}</p>"
    return (
        f"<p>To see seed 1 of {which} over time, give the command {code}{where}. "
        f"It writes {link}.</p>"
    )


def _into(study: Folder, own: str, results: Results) -> tuple[list[str], str]:
    """The options that leave the cell beside the report, and where they mean that."""
    quick = ["--quick"] * results.quick
    usual = OUT / study.about.name
    folder = results.folder or usual
    if folder.resolve() == usual.resolve():
        return quick, f" in the folder that has <code>{escape(OUT.name)}</code>"
    beside = os.path.relpath(folder)
    if beside.startswith(".."):
        return [*quick, "--out", own], " in the folder of this page"
    return [*quick, "--out", f"{beside}/{own}"], f" in the folder that has <code>{beside}</code>"
