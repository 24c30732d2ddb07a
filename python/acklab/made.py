"""Provenance of a result: commit, wheel and machine. None of it changes a number.

Tables never have it. Whoever compares two results leaves out the key `made` of `run.json` and
`sweep.json`, which is all that another machine or another commit of the same code changes.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import acklab
from acklab import _core, code

_PACKAGE = Path(acklab.__file__).resolve().parent
_ROOT = _PACKAGE.parents[1]
#: Files that decide results, in a clone.
_CODE = ("crates", "python/acklab", "Cargo.toml", "Cargo.lock", "pyproject.toml")


@cache
def of_this() -> dict[str, Any]:
    """Provenance of results of this process; unknown values are `None`."""
    commit, modified = _commit()
    return {
        "commit": commit,
        "modified": modified,
        "build": code.of_runs(),
        "wheel": _wheel(),
        "archive": _archive(),
        "processor": processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def shown(made: dict[str, Any]) -> str:
    """The commit in a few letters, for a line of text; "" if nobody knows it."""
    commit = str(made.get("commit") or "")[:12]
    return f"{commit}, modified" if commit and made.get("modified") else commit


def _commit() -> tuple[str | None, bool | None]:
    """The commit, and whether the code is something else than that.

    The core knows what it was compiled from. In a clone Python's part may have moved on since.
    """
    commit, plus, _ = _core.commit().partition("+")
    if not (_ROOT / ".git").exists():
        return (commit, bool(plus)) if commit else (None, None)
    head = _git("rev-parse", "HEAD")
    if head is None:
        return None, None
    moved = commit != head and _git("diff", "--quiet", commit, head, "--", *_CODE[:1]) is None
    return head, bool(plus) or moved or _git("status", "--porcelain", "--", *_CODE) != ""


def _git(*args: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(_ROOT), *args], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _distribution() -> metadata.Distribution | None:
    """The installed distribution, if this package belongs to it."""
    try:
        found = metadata.distribution("acklab")
    except metadata.PackageNotFoundError:
        return None
    there = Path(str(found.locate_file("acklab"))).resolve()
    return found if there == _PACKAGE else None


def _wheel() -> str | None:
    """SHA-256 over the names and sums that the wheel has of its files, as it was built."""
    found = _distribution()
    lines = sorted(_listed(found)) if found is not None else []
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() if lines else None


def _listed(of: metadata.Distribution) -> Iterator[str]:
    for file in of.files or ():
        if file.hash is not None and file.parts[0] == "acklab":
            yield f"{file.as_posix()} {file.hash.mode}={file.hash.value}"


def _archive() -> str | None:
    """SHA-256 of the wheel's file, which installers note of a file or an address that was given."""
    found = _distribution()
    text = found.read_text("direct_url.json") if found is not None else None
    about = json.loads(text) if text else {}
    noted = about.get("archive_info", {}).get("hashes", {}).get("sha256")
    return None if noted is None else str(noted)


@cache
def processor() -> str:
    """The name of the processor, as the system has it."""
    for read in (_of_linux, _of_mac):
        try:
            name = read()
        except (OSError, subprocess.SubprocessError):
            continue
        if name:
            return name
    return platform.processor() or platform.machine()


def _of_linux() -> str | None:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    parts = [line.partition(":") for line in lines]
    about = {key.strip(): value.strip() for key, colon, value in parts if colon}
    if "model name" in about:
        return about["model name"]
    words = [f"{k} {about[k]}" for k in ("CPU implementer", "CPU part") if k in about]
    return ", ".join(words) or None


def _of_mac() -> str | None:
    name = ["sysctl", "-n", "machdep.cpu.brand_string"]
    return subprocess.run(name, capture_output=True, text=True, check=True).stdout.strip()
