"""`SHA256SUMS`: the files of a complete sweep, as `sha256sum --check` reads it.

Its first line is a comment to that command, and has the sum of the others.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: Names of the files in a table's folder; files of other names do not belong to the sweep.
SHARD = re.compile(r"\d+-\d+\.parquet")
NAME = "SHA256SUMS"
#: The same of a sweep under way: its full shards.
UNDER_WAY = ".SHA256SUMS"

_HEAD = "# SHA-256 of the lines below: "
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_SHARD = re.compile(r"([a-z_]+)/(\d+)-(\d+)\.parquet")


@dataclass(frozen=True)
class Shard:
    """The files of the runs `first` to `last`, with their checksums."""

    first: int
    last: int
    files: Mapping[str, str]

    @property
    def tables(self) -> dict[str, str]:
        """The name of its file by table."""
        return {path.partition("/")[0]: path for path in self.files}


@dataclass(frozen=True)
class Listed:
    """The content of a list of checksums."""

    files: Mapping[str, str]
    #: Whether it is as it was written. If not, what it says is worth what the files bear out.
    whole: bool
    #: Whether it has a sum of its own; the first ones that were written had none.
    summed: bool

    @property
    def shards(self) -> list[Shard]:
        """The shards in the list, in the order of their runs; nothing else is looked at."""
        files: dict[tuple[int, int], dict[str, str]] = {}
        for path, sha in self.files.items():
            if match := _SHARD.fullmatch(path):
                files.setdefault((int(match[2]), int(match[3])), {})[path] = sha
        return [Shard(first, last, files[first, last]) for first, last in sorted(files)]


def read(path: Path) -> Listed:
    """Reads a list."""
    text = path.read_bytes().decode("utf-8", errors="replace")
    head, _, rest = text.partition("\n")
    if not head.startswith(_HEAD):
        head, rest = "", text
    lines = [(line, _LINE.fullmatch(line)) for line in rest.splitlines()]
    whole = all(match for _, match in lines) and (not head or head == _head(rest))
    return Listed({match[2]: match[1] for _, match in lines if match}, whole, bool(head))


def text(files: Mapping[str, str]) -> str:
    """The list of `files` and their checksums."""
    lines = "".join(f"{sha}  {path}\n" for path, sha in sorted(files.items()))
    return f"{_head(lines)}\n{lines}"


def _head(lines: str) -> str:
    return _HEAD + hashlib.sha256(lines.encode()).hexdigest()


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
