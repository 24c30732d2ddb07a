"""Help texts: flags without a type, and the exit codes."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

#: Section of `acklab --help` on the codes that commands end with.
EXIT_CODES = (
    "[bold]Exit codes[/]  0: done. 1: a mistake in a file or a value, or a check that failed. "
    "2: a mistake in the command line. 70: a bug in acklab. 130: interrupted with Ctrl-C. "
    "143: terminated."
)


def _untyped(params: list[Any]) -> list[Any]:
    """A flag takes no value, so its help names none."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters, flags without a type."""
        return _untyped(super().get_params(ctx))


class Group(TyperGroup):
    """A command with commands below it."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters, flags without a type."""
        return _untyped(super().get_params(ctx))
