"""`SHA256SUMS`: the files of a complete sweep, as `sha256sum --check` reads it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: What files of a table's folder are called; others are not of the sweep.
SHARD = re.compile(r"\d+-\d+\.parquet")
NAME = "SHA256SUMS"

_SHARD = re.compile(r"([a-z_]+)/(\d+)-(\d+)\.parquet")


@dataclass(frozen=True)
class Shard:
    """The files of the runs `first` to `last`, with their checksums."""

    first: int
    last: int
    files: Mapping[str, str]


def shards(folder: Path) -> list[Shard]:
    """The shards that `folder` lists, in the order of their runs; nothing else is looked at."""
    files: dict[tuple[int, int], dict[str, str]] = {}
    text = (folder / NAME).read_text(encoding="utf-8", errors="replace")
    for line in text.splitlines():
        sha, _, path = line.partition("  ")
        if match := _SHARD.fullmatch(path):
            files.setdefault((int(match[2]), int(match[3])), {})[path] = sha
    return [Shard(first, last, files[first, last]) for first, last in sorted(files)]


def text(files: Mapping[str, str]) -> str:
    """The list of `files` and their checksums."""
    return "".join(f"{sha}  {path}\n" for path, sha in sorted(files.items()))


def broken(folder: Path, files: Mapping[str, str]) -> str | None:
    """The first of `files` that is missing or is not as it was written."""
    for path, sha in files.items():
        try:
            whole = digest(folder / path) == sha
        except OSError:
            whole = False
        if not whole:
            return path
    return None


def digest(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()
