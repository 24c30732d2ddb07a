"""A scenario in the address of the page: behind `#`, which no browser sends anywhere.

The page's own links have the same form (`web/src/share/fragment.ts`).
"""

from __future__ import annotations

import base64
import json
import re
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acklab.errors import AcklabError

#: Longer ones do not fit into the command that opens a browser (Linux: 128 KiB each argument).
LONGEST = 100_000

#: The fields of a fragment: scenario, its files, the pinned one, its files, how many seeds of both,
#: the time of the run at which the film stands.
FIELDS = ("toml", "files", "pin", "pinfiles", "seeds", "pinseeds", "film")

#: The fields that are not packed, and what they look like.
_COUNT = "0{0,2}[1-9]|0?[1-9][0-9]|100"
_PLAIN = {"seeds": _COUNT, "pinseeds": _COUNT, "film": r"[0-9]{1,5}(\.[0-9]{1,9})?"}

#: What a field may be unpacked to, as on the page.
_MOST = 8 * 1024 * 1024


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


def fragment_of(link: str) -> str | None:
    """The fragment of a link that the page's Share button made, or of such a fragment alone.

    `None` if `link` is no link with a fragment. `AcklabError` if its fragment holds no scenario.
    """
    before, mark, fragment = link.partition("#")
    if not mark or not (before == "" or re.match(r"(https?|file)://", before)):
        return None
    fields = dict(part.partition("=")[::2] for part in fragment.split("&"))
    if not fields.get("toml"):
        raise AcklabError(
            f"the link {_shortened(link)} holds no scenario: its fragment has no `toml=`\n"
            "  help: quote it whole, as the Share button of the bench shows it"
        )
    for name, packed in fields.items():
        if name not in FIELDS:
            raise AcklabError(
                f"the link {_shortened(link)} has a field {name!r}, which the bench does not know\n"
                f"  help: it knows {', '.join(FIELDS)}"
            )
        if name not in _PLAIN:
            _unpacked(name, packed)
        elif not re.fullmatch(_PLAIN[name], packed, re.ASCII):
            right = (
                "a number from 1 to 100, such as 5" if "seeds" in name else "seconds, such as 12.5"
            )
            raise AcklabError(
                f"the link {_shortened(link)} has {name}={packed[:20]!r}\n  help: write {right}"
            )
    return fragment


def address(root: str, scenario: Scenario | str | None) -> str:
    """The address of the page at `root` that shows `scenario`: one, or a link's fragment."""
    if scenario is None:
        return root
    if isinstance(scenario, str):
        fragment = scenario
    else:
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


def _unpacked(name: str, field: str) -> str:
    """The text of a field; `AcklabError` if it is damaged."""
    bare = field.rstrip("=")
    try:
        if not re.fullmatch(r"[A-Za-z0-9_-]*", bare):
            raise ValueError
        packed = base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        text = inflate.decompress(packed, _MOST)
        if not inflate.eof:
            raise ValueError
        return text.decode()
    except (ValueError, zlib.error):
        raise AcklabError(
            f"the link is damaged: its field `{name}` cannot be unpacked\n"
            "  help: quote it whole, as the Share button of the bench shows it"
        ) from None


def _shortened(link: str) -> str:
    return repr(link if len(link) <= 60 else f"{link[:57]}...")


def _packed(text: str) -> str:
    """Raw DEFLATE of UTF-8, in the base64 of addresses, without padding."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = deflate.compress(text.encode()) + deflate.flush()
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()
