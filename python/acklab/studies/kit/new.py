"""`acklab study new`: a study that runs, to be changed into one's own."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from acklab.errors import AcklabError
from acklab.folder import writable_folder

_TEMPLATE = "template"
#: Placeholder of the study's name in the template.
_NAME = "STUDY-NAME"


def write_new(name: str, folder: Path) -> Path:
    """Writes a study called `name` below `folder`; nothing is overwritten."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise AcklabError(
            f"{name!r} is no name for a study\n"
            "  help: small letters, digits and hyphens, as in `acklab study new thinned-acks`"
        )
    path = folder / name
    if path.exists():
        raise AcklabError(f"{path} exists already\n  help: give another name, or remove it")
    template = resources.files("acklab.studies.kit") / _TEMPLATE
    with writable_folder(path), resources.as_file(template) as source:
        for file in sorted(
            p for p in source.rglob("*") if p.suffix in (".toml", ".py", ".md", ".csv")
        ):
            target = path / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(
                file.read_text(encoding="utf-8").replace(_NAME, name), encoding="utf-8"
            )
    return path
