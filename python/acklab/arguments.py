"""Arguments of Python calls: what is not of the right kind is named, with what would be right."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from acklab.errors import AcklabError


def wrong(call: str, name: str, given: object, right: str) -> AcklabError:
    """The error of a wrong argument: the call, its argument, the value, and what would be right."""
    return AcklabError(f"{call}: {name} is {reprlib.repr(given)}\n  help: {right}")


def mapping(call: str, name: str, given: Any, example: str) -> Mapping[str, Any]:
    """`given` if it is a mapping from texts."""
    if not isinstance(given, Mapping) or not all(isinstance(k, str) for k in given):
        raise wrong(call, name, given, f"give a mapping, such as {example}")
    return given


def overrides(call: str, given: Any) -> Sequence[str] | Mapping[str, Any]:
    """`given` if it can be overrides of a scenario's keys."""
    help_ = 'give a mapping such as {"flow.0.cc": "bbr3"}, or a list such as ["flow.0.cc=bbr3"]'
    listed = isinstance(given, Mapping | Sequence) and not isinstance(given, str | bytes)
    if listed and all(isinstance(key_or_text, str) for key_or_text in given):
        checked: Sequence[str] | Mapping[str, Any] = given
        return checked
    raise wrong(call, "overrides", given, help_)


def jobs(call: str, given: Any) -> int | None:
    """`given` if it is a number of threads, or `None` for one per processor."""
    if given is None:
        return None
    if not isinstance(given, int) or isinstance(given, bool):
        raise wrong(call, "jobs", given, "give a whole number of threads, 1 or more")
    if given < 1:
        raise wrong(call, "jobs", given, "give at least 1, or leave it out for one per processor")
    return given


def run(call: str, given: Any) -> None:
    """An error unless `given` is the result of a run or a sweep."""
    if not hasattr(given, "flows"):
        right = "give a result, such as acklab.run(...) or acklab.open(FOLDER)"
        raise wrong(call, "result", given, right)


def path(call: str, name: str, given: Any) -> Path:
    """`given` as a path."""
    if not isinstance(given, str | os.PathLike):
        raise wrong(call, name, given, "give the path of a folder")
    return Path(given)
