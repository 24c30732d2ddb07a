"""Where the gallery, the reference results and the papers' numbers are: in the package."""

from __future__ import annotations

from pathlib import Path

from acklab.errors import AcklabError

_DATA = Path(__file__).resolve().parent / "data"


def packaged(name: str) -> Path:
    """The folder `name` of what comes with the package: `scenarios` or `validation`."""
    folder = _DATA / name
    if not folder.is_dir():
        raise AcklabError(
            f"acklab's own folder {folder} is missing\n"
            "  help: install acklab anew; if it is a clone, `git status` says what was deleted"
        )
    return folder


def gallery() -> list[Path]:
    """The gallery of scenarios, by name."""
    return sorted(packaged("scenarios").glob("*.toml"))
