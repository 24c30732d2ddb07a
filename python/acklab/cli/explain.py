"""`acklab explain`: what a column, a metric, or a building block is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from acklab.cli import completing
from acklab.errors import AcklabError


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A column, a metric, a word of a recorded table, a building block or one of its "
            "parameters, such as owd_p95_ms, jain, byte_count, tack or tack.theta.",
            autocompletion=completing.metric,
        ),
    ] = None,
) -> None:
    """Explain a column, a metric or a building block: meaning, unit, source, defaults.

    Without a name, list all columns and metrics.
    """
    if name is None:
        _all()
    else:
        _one(name)


def _all() -> None:
    from rich.table import Table

    from acklab.cli.show import console
    from acklab.metrics import DEFINITIONS

    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("name", "unit", "where", "recorded with"):
        table.add_column(head, no_wrap=True)
    for d in DEFINITIONS.values():
        where = "acklab.metrics" if d.derived else ", ".join(d.tables)
        table.add_row(d.name, d.unit, where, " ".join(d.needs or _stream_of(d.tables)))
    console().print(table)


def _one(name: str) -> None:
    from acklab.cli.show import console
    from acklab.metrics import DEFINITIONS, defined

    words = [*_words(name), *_blocks(name)]
    if name not in DEFINITIONS:
        words = [*_terms(name), *words]
    if words and name not in DEFINITIONS:
        console().print("\n".join(words), markup=False, soft_wrap=True)
        return
    d = defined(name)
    lines = [f"{d.name}{f' ({d.unit})' if d.unit else ''}", f"  {d.text}", f"  source: {d.source}"]
    if d.derived:
        lines.append(f"  computed by acklab.metrics.{d.name}")
    else:
        lines.append(f"  column of {', '.join(d.tables)}")
    needs = d.needs or _stream_of(d.tables)
    if needs:
        lines.append(f"  recorded with --record {','.join(needs)}")
    console().print("\n".join([*lines, *words]), markup=False, soft_wrap=True)


def _terms(name: str) -> Iterator[str]:
    """What a key of a sweep's tables is, or the columns that an everyday word may mean."""
    from acklab.metrics import DEFINITIONS
    from acklab.metrics.terms import KEYS, MEANT

    if name in KEYS:
        yield f"{name}\n  {KEYS[name]}"
    if name in MEANT:
        yield f"{name} is no column; this may be meant:"
        for d in (DEFINITIONS[n] for n in MEANT[name]):
            where = ", ".join(d.tables) or "derived"
            yield f"{d.name}{f' ({d.unit})' if d.unit else ''}, {where}\n  {d.text}"


def _words(name: str) -> Iterator[str]:
    """What `name` says as a value of a recorded table; it may say something in several."""
    from acklab.metrics.words import VOCABULARIES

    for vocabulary in VOCABULARIES:
        for word in vocabulary.words:
            if word.name == name:
                yield f"{name} in {vocabulary.table}.{vocabulary.column}"
                yield f"  {word.text}"
                yield f"  recorded with --record {vocabulary.table}"


def _blocks(name: str) -> Iterator[str]:
    """The building blocks that are called `name`, or the parameter that `BLOCK.PARAMETER` is."""
    from acklab import _core
    from acklab.cli.catalogue import ABOUT, BLOCKS

    block_name, _, parameter = name.partition(".")
    known: list[str] = []
    for kind in BLOCKS:
        for block in _core.catalogue(kind.value):
            if block_name not in (block["name"], *block["aliases"]):
                continue
            wanted = [p for p in block["params"] if not parameter or p["name"] == parameter]
            known += [p["name"] for p in block["params"]]
            if parameter and not wanted:
                continue
            known.clear()
            yield f"{block['name']} ({ABOUT[kind].partition(': ')[2]})"
            if not parameter:
                yield f"  {block['summary']}"
                yield f"  source: {block['source']}"
            for p in wanted:
                yield f"  {p['name']} = {p['default']}: {p['doc']}"
            if parameter:
                return
    if parameter and known:
        raise AcklabError(
            f"{block_name} has no parameter {parameter!r}\n  help: it has {', '.join(known)}"
        )


def _stream_of(tables: tuple[str, ...]) -> tuple[str, ...]:
    """What must be recorded for a column all of whose tables are recorded on demand."""
    streams = {"link_series": "series", "reports": "acks"}
    kept = {"flows", "links", "stations", "airtime", "ampdu_sizes", "queue_classes"}
    if not tables or kept & set(tables):
        return ()
    return tuple(dict.fromkeys(streams.get(t, t) for t in tables))
