"""Where the gallery, the reference results and the papers' numbers are."""

from __future__ import annotations

from pathlib import Path

from acklab.errors import AcklabError

_ROOT = Path(__file__).resolve().parents[2]


def in_repository(name: str) -> Path:
    """The folder `name` of the repository that this package was installed from."""
    folder = _ROOT / name
    if not folder.is_dir():
        raise AcklabError(
            f"the folder {name}/ of acklab's repository was not found\n"
            "  help: this needs a clone of the repository; run `make setup` in it and use "
            ".venv/bin/acklab"
        )
    return folder


def gallery() -> list[Path]:
    """The gallery of scenarios, by name."""
    return sorted(in_repository("scenarios").glob("*.toml"))
