"""Names that `acklab explain` does not know: what may be meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acklab.errors import AcklabError


def choices(accepts: str) -> list[str]:
    """The words that a parameter accepts."""
    head, _, words = accepts.partition("one of ")
    return [] if head else words.split(", ")


def unknown(name: str) -> AcklabError:
    """The error for a name that means nothing, with what is like it; of one with dots, keys."""
    from difflib import get_close_matches

    from acklab.keys import keys

    if "." in name.strip("."):
        path = ".".join(p for p in name.split(".") if not p.isdigit())
        near = get_close_matches(path, [k.path for k in keys()], 2, 0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "acklab schema has all keys"
        return AcklabError(f"a scenario has no key {name}\n  help: {hint}")
    known = {n.lower(): n for n in _names()}
    near = [known[n] for n in get_close_matches(name.lower(), known, 3)]
    hint = f"did you mean {' or '.join(near)}?" if near else "acklab explain lists all names"
    if told := list(_told_of(name)):
        hint = f"the text of {' and of '.join(told)} tells of it: acklab explain {told[0]}"
    return AcklabError(
        f"no term, column, metric, building block or key is called {name!r}\n  help: {hint}"
    )


def _told_of(name: str) -> Iterator[str]:
    """The parameters of building blocks whose text has the word, which is a name of other tools."""
    from acklab import _core
    from acklab.cli.catalogue import BLOCKS

    word = re.compile(rf"(?<![\w-]){re.escape(name.strip())}(?![\w-])")
    if not re.search(r"\w[-_]\w", name):
        return
    for kind in BLOCKS:
        for block in _core.catalogue(kind.value):
            yield from (
                f"{block['name']}.{p['name']}" for p in block["params"] if word.search(p["doc"])
            )


def _names() -> Iterator[str]:
    """Every name without dots that can be explained; of two that differ in case the last counts."""
    from acklab import _core
    from acklab.cli.catalogue import BLOCKS
    from acklab.glossary import as_word, terms
    from acklab.keys import keys
    from acklab.metrics import DEFINITIONS
    from acklab.metrics.terms import KEYS, MEANT
    from acklab.metrics.words import VOCABULARIES

    yield from (as_word(s) for t in terms() for s in t.spellings)
    yield from (k.path.rpartition(".")[2] for k in keys() if k.text)
    for kind in BLOCKS:
        for block in _core.catalogue(kind.value):
            yield from (block["name"], *block["aliases"])
            yield from (v for p in block["params"] for v in choices(p["accepts"]))
    for of in VOCABULARIES:
        yield from of.names
    yield from (*KEYS, *MEANT, *DEFINITIONS)
