"""Output of a command: words for people, JSON for programs (`--json`), or nothing (`--quiet`).

A command says both at once (`tell`), and `printing` gives it the two options. Warnings, progress
and mistakes are no output; they go to standard error, progress not with `--quiet`.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum, StrEnum
from os import PathLike, fspath
from typing import Annotated, Any

import typer


class How(StrEnum):
    """How a command says what it has to say."""

    WORDS = "words"
    JSON = "json"
    QUIET = "quiet"


_how = How.WORDS

_JSON = inspect.Parameter(
    "json_",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool, typer.Option("--json", help="Print JSON for programs instead of words.")
    ],
)
_QUIET = inspect.Parameter(
    "quiet",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and mistakes.")
    ],
)


def printing(command: Callable[..., Any]) -> Callable[..., Any]:
    """`command` with the options `--json` and `--quiet`, which decide what `tell` does in it."""
    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def run(*args: Any, json_: bool = False, quiet: bool = False, **more: Any) -> Any:
        if json_ and quiet:
            raise typer.BadParameter("--json prints and --quiet does not: give one of them")
        with _saying(How.JSON if json_ else How.QUIET if quiet else How.WORDS):
            return command(*args, **more)

    parameters = [*own.parameters.values(), _JSON, _QUIET]
    run.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    )
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


@contextmanager
def _saying(how: How) -> Iterator[None]:
    global _how
    before, _how = _how, how
    try:
        yield
    finally:
        _how = before


def quiet() -> bool:
    """Whether the command that runs is to print nothing."""
    return _how is How.QUIET


def tell(data: Callable[[], Any], show: Callable[[], object]) -> None:
    """Prints `data()` as JSON, or lets `show` print words, or neither, as the user wants it."""
    if _how is How.JSON:
        typer.echo(as_json(data()))
    elif _how is How.WORDS:
        show()


def tell_lines(data: Mapping[str, Any] | Sequence[Any], *lines: object) -> None:
    """`tell` of what takes a few lines."""
    tell(lambda: data, lambda: typer.echo("\n".join(map(str, lines))))


def tell_event(data: Mapping[str, Any], *lines: object) -> None:
    """`tell_lines` of one thing of several that happen over time: a line of JSON for each."""
    if _how is How.JSON:
        typer.echo(as_json(data, indent=None))
    else:
        tell_lines(data, *lines)


def as_json(data: Any, indent: int | None = 2) -> str:
    """A value as JSON; numbers that JSON cannot have are null."""
    return json.dumps(_plain(data), indent=indent, allow_nan=False)


def _plain(value: Any) -> Any:
    """A value of JSON's own kinds."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    for convert in ("to_dicts", "tolist"):
        if hasattr(value, convert):
            return _plain(getattr(value, convert)())
    if isinstance(value, Sequence | set | frozenset):
        return [_plain(v) for v in value]
    raise TypeError(f"{type(value).__name__} has no form in JSON")
