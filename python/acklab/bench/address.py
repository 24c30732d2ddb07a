"""A scenario in the address of the page: behind `#`, which no browser sends anywhere.

The page's own links have the same form (`web/src/share/fragment.ts`).
"""

from __future__ import annotations

import base64
import json
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acklab.errors import AcklabError

#: Longer ones do not fit into the command that opens a browser (Linux: 128 KiB each argument).
LONGEST = 100_000


@dataclass(frozen=True)
class Scenario:
    """The text of a scenario, which may be wrong: the page shows where."""

    toml: str
    #: Text of the files that it names, by the names that it has for them.
    files: dict[str, str] = field(default_factory=dict)


def scenario_of(path: Path) -> Scenario:
    """The scenario in a file, and the files that it names."""
    toml = _read(path)
    try:
        named = set(_traces(tomllib.loads(toml)))
    except (tomllib.TOMLDecodeError, RecursionError):
        # The page says what is wrong, at the line.
        named = set()
    there = sorted(name for name in named if (path.parent / name).is_file())
    return Scenario(toml, {name: _read(path.parent / name) for name in there})


def address(root: str, scenario: Scenario | None) -> str:
    """The address of the page at `root` that shows `scenario`."""
    if scenario is None:
        return root
    fragment = f"toml={_packed(scenario.toml)}"
    if scenario.files:
        fragment += f"&files={_packed(json.dumps(scenario.files))}"
    whole = f"{root}#{fragment}"
    if len(whole) > LONGEST:
        raise AcklabError(
            f"the scenario takes {len(whole)} characters of an address, of at most {LONGEST}\n"
            "  help: run `acklab bench` without it, and drop the file onto the page"
        )
    return whole


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as e:
        why = getattr(e, "strerror", None) or "it is not UTF-8 text"
        raise AcklabError(f"cannot read {path}: {why}") from None


def _traces(value: Any) -> Iterator[str]:
    """The files that a scenario names."""
    if isinstance(value, dict):
        if isinstance(value.get("trace"), str):
            yield value["trace"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _traces(inner)


def _packed(text: str) -> str:
    """Raw DEFLATE of UTF-8, in the base64 of addresses, without padding."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = deflate.compress(text.encode()) + deflate.flush()
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()
