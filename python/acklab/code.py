"""Which build of acklab this is: a digest of what decides results.

A version stays the same while code changes between releases, and a core may be compiled anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

import acklab
from acklab import _core

_PACKAGE = Path(acklab.__file__).parent
_CODE = (".py", ".so", ".pyd")
#: As much of a digest tells builds apart.
_DIGITS = 16


@cache
def of_everything() -> str:
    """The core, the whole package, and the libraries it draws with: what makes tables and plots."""
    files = (p for p in _PACKAGE.rglob("*") if p.suffix in _CODE)
    return _digest(files, ("matplotlib", "numpy", "polars"))


@cache
def of_runs() -> str:
    """The core, and what takes scenarios to it and its tables into files."""
    files = (p for f in (_PACKAGE, _PACKAGE / "sweeps") for p in f.iterdir() if p.suffix in _CODE)
    return _digest(files, ("numpy", "polars"))


def name() -> str:
    """Version and build, as messages have them."""
    return named(_core.version(), of_runs())


def named(version: str, build: str | None) -> str:
    """The version and the build of whoever made something."""
    return f"acklab {version} ({f'build {build}' if build else 'its build was not noted'})"


def _digest(files: Iterable[Path], libraries: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    for library in libraries:
        digest.update(version(library).encode())
    return digest.hexdigest()[:_DIGITS]
