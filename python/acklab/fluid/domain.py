"""What a symbol may be."""

from __future__ import annotations

from typing import Any

from acklab.errors import AcklabError


class DomainError(AcklabError):
    """A parameter outside the domain of its equation; the text says what would be right."""


class NoCaseError(AcklabError):
    """A scenario that the model does not cover; the text says what it covers."""


class NoSolutionError(AcklabError):
    """A fixed point that does not exist, or a solver that left the physical region."""


def need(ok: Any, equation: str, symbol: str, value: Any, right: str) -> None:
    """Refuses `value` for `symbol` unless `ok`, which may be an array."""
    every = ok if isinstance(ok, bool) else bool(getattr(ok, "all", lambda: ok)())
    if not every:
        raise DomainError(f"{equation}: {symbol} = {value} is outside its domain\n  help: {right}")


def probability(equation: str, symbol: str, value: Any) -> None:
    """Refuses what is no probability."""
    need((value >= 0) & (value <= 1), equation, symbol, value, f"{symbol} is from 0 to 1")


def not_negative(equation: str, symbol: str, value: Any) -> None:
    """Refuses what is below zero."""
    need(value >= 0, equation, symbol, value, f"{symbol} is 0 or more")


def positive(equation: str, symbol: str, value: Any) -> None:
    """Refuses zero and less."""
    need(value > 0, equation, symbol, value, f"{symbol} is above 0")
