"""The field's terms: what they mean, where they are defined, and what of acklab shows them.

They stand in `data/terms.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import msgspec


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A term of the field."""

    name: str
    meaning: str
    source: str
    #: Of the quantity, if it is one.
    unit: str = ""
    #: Other spellings.
    also: tuple[str, ...] = ()
    #: Names that `acklab explain` knows, and `plot NAME`.
    see: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and the other spellings."""
        return (self.name, *self.also)


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms of one subject."""

    title: str
    terms: tuple[Term, ...] = msgspec.field(name="term")


@cache
def groups() -> tuple[Group, ...]:
    """Every term, by subject."""
    text = (Path(__file__).parent / "data" / "terms.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["group"], tuple[Group, ...])


def terms() -> tuple[Term, ...]:
    """Every term, in the order of the file."""
    return tuple(t for group in groups() for t in group.terms)


def as_word(spelling: str) -> str:
    """A spelling as one word of a command line: `slow-start`."""
    return re.sub(r"\s+", "-", spelling.replace("'", ""))


def plain(spelling: str) -> str:
    """A spelling without what makes no difference: case, hyphens, underscores, spaces."""
    return re.sub(r"[-_\s']+", "", spelling.casefold())


@cache
def _by_spelling() -> dict[str, Term]:
    return {plain(s): t for t in terms() for s in t.spellings}


def term(name: str) -> Term | None:
    """The term that is spelt `name`, if there is one."""
    return _by_spelling().get(plain(name))
