"""Mistakes in a study's files: file, line and a word on the right form.

A study is its author's: neither its TOML nor its Python can be a bug in acklab.
"""

from __future__ import annotations

import re
import tomllib
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

from acklab.errors import AcklabError
from acklab.studies.kit.words import Wrong

T = TypeVar("T")


class Flaw(AcklabError):
    """A mistake in a file of a study; line 0 stands for the whole of it."""

    def __init__(self, file: Path | str, line: int, message: str) -> None:
        place = f"{file}:{line}" if line else str(file)
        super().__init__(f"{place}: {message}")
        self.file, self.line, self.message = file, line, message


@contextmanager
def blamed(
    file: Path, *patterns: str, what: str = "", since: int = 1, until: str = ""
) -> Iterator[None]:
    """Says in which file, at which line (see `line`) and in which part of it something is wrong."""
    try:
        yield
    except Wrong as e:
        at = line(file, *patterns, re.escape(e.where.partition("\n")[0]), since=since, until=until)
        raise Flaw(file, at, f"{what}{e}") from None


def line(file: Path, *patterns: str, since: int = 1, until: str = "") -> int:
    """The line that the last pattern matches, each looked for from where the one before did.

    A pattern that nothing matches before the line `until` leaves it at the place of the one before.
    """
    lines = file.read_text(encoding="utf-8").splitlines()
    ends = (n for n, text in enumerate(lines[since:], since) if until and re.match(until, text))
    end, at = next(ends, len(lines)), since
    for pattern in patterns:
        at = next((n for n in range(at, end + 1) if re.search(pattern, lines[n - 1])), at)
    return at


def read(file: Path, kind: type[T]) -> T:
    """A TOML file as `kind`."""
    try:
        return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), kind)
    except tomllib.TOMLDecodeError as e:
        found = re.search(r"at line (\d+)", str(e))
        raise Flaw(file, int(found[1]) if found else 0, f"this is no TOML: {e}") from None
    except msgspec.ValidationError as e:
        raise Flaw(file, _line(file, str(e)), explained(e, kind)) from None


def _line(file: Path, error: str, since: int = 1) -> int:
    """The line of the table or key that an error of the decoder names, as in `$.table[1].rows`."""
    path, key = re.search(r"`\$([^`]*)`", error), re.search(r"field `(\w+)`", error)
    at = since
    for name, index in re.findall(r"\.(\w+)(?:\[(\d+)\])?", path[1] if path else ""):
        for n in range(int(index or 0) + 1):
            at = line(file, rf"^\s*(\[+(\w+\.)*{name}\]|{name}\s*=)", since=at + (n > 0))
    return line(file, rf"^\s*{key[1]}\s*=", since=at) if key else at


def explained(error: msgspec.ValidationError, kind: Any) -> str:
    """An error of the decoder, and the keys that there are in its place."""
    path = re.search(r"`\$([^`]*)`", str(error))
    for name in re.findall(r"\.(\w+)", path[1] if path else ""):
        kind = next((f.type for f in msgspec.structs.fields(kind) if f.name == name), None)
        if get_origin(kind) is Literal:
            return f"{error}; there are: {', '.join(get_args(kind))}"
        kind = (get_args(kind) or [kind])[-1]
    if "field" not in str(error) or not hasattr(kind, "__struct_fields__"):
        return str(error)
    keys = (k for k in kind.__struct_fields__ if k not in getattr(kind, "ADDED", ()))
    return f"{error}\n  help: the keys are {', '.join(keys)}"


def owned(of: Callable[..., Any], study: Path) -> Callable[..., Any]:
    """`of`, which runs Python of the study in that folder: its exceptions name the line there."""

    @wraps(of)
    def call(*words: object) -> Any:
        try:
            return of(*words)
        except (AcklabError, SyntaxError):
            raise
        except Exception as e:
            for frame in reversed(traceback.extract_tb(e.__traceback__)):
                if (file := Path(frame.filename)).is_relative_to(study.resolve()):
                    own = study / file.relative_to(study.resolve())
                    raise Flaw(own, frame.lineno or 0, f"{type(e).__name__}: {e}") from e
            raise

    return call
