"""`acklab explain`: what a column, a metric, or a building block is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acklab.cli import completing
from acklab.cli.output import tell
from acklab.errors import AcklabError

if TYPE_CHECKING:
    from acklab.metrics.definition import Definition


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
    from acklab.metrics import DEFINITIONS

    if name is None:
        tell(lambda: [_metric(d) for d in DEFINITIONS.values()], _show_all)
        return
    found = list(_meanings(name))
    tell(lambda: {"name": name, "meanings": found}, lambda: _show(name, found))


#: One thing that a name can mean. `kind` says which: metric, word, key, maybe, block, parameter.
Meaning = dict[str, Any]


def _meanings(name: str) -> Iterator[Meaning]:
    """All that `name` means; an error if it means nothing."""
    from acklab.metrics import DEFINITIONS, defined

    words = [*_words(name), *_blocks(name)]
    if name not in DEFINITIONS:
        words = [*_terms(name), *words]
    if name in DEFINITIONS or not words:
        yield _metric(defined(name))
    yield from words


def _metric(d: Definition) -> Meaning:
    return {
        "kind": "metric",
        "name": d.name,
        "unit": d.unit,
        "text": d.text,
        "source": d.source,
        "tables": list(d.tables),
        "derived": d.derived,
        "needs": list(d.needs or _stream_of(d.tables)),
    }


def _terms(name: str) -> Iterator[Meaning]:
    """What a key of a sweep's tables is, or the columns that an everyday word may mean."""
    from acklab.metrics import DEFINITIONS
    from acklab.metrics.terms import KEYS, MEANT

    if name in KEYS:
        yield {"kind": "key", "name": name, "text": KEYS[name]}
    for meant in MEANT.get(name, ()):
        yield {**_metric(DEFINITIONS[meant]), "kind": "maybe"}


def _words(name: str) -> Iterator[Meaning]:
    """What `name` says as a value of a recorded table; it may say something in several."""
    from acklab.metrics.words import VOCABULARIES

    for of in VOCABULARIES:
        for word in of.words:
            if word.name == name:
                where = {"table": of.table, "column": of.column}
                yield {"kind": "word", "name": name, **where, "text": word.text}


def _blocks(name: str) -> Iterator[Meaning]:
    """The building blocks that are called `name`, or the parameter that `BLOCK.PARAMETER` is."""
    from acklab import _core
    from acklab.cli.catalogue import ABOUT, BLOCKS

    block_name, _, parameter = name.partition(".")
    known: list[str] = []
    for kind in BLOCKS:
        for block in _core.catalogue(kind.value):
            if block_name not in (block["name"], *block["aliases"]):
                continue
            params = [{k: p[k] for k in ("name", "default", "doc")} for p in block["params"]]
            wanted = [p for p in params if not parameter or p["name"] == parameter]
            known += [p["name"] for p in params]
            if parameter and not wanted:
                continue
            known.clear()
            yield {
                "kind": "parameter" if parameter else "block",
                "name": block["name"],
                "where": ABOUT[kind].partition(": ")[2],
                **({} if parameter else {"text": block["summary"], "source": block["source"]}),
                "params": wanted,
            }
            if parameter:
                return
    if parameter and known:
        raise AcklabError(
            f"{block_name} has no parameter {parameter!r}\n  help: it has {', '.join(known)}"
        )


def _show_all() -> None:
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


def _show(name: str, found: list[Meaning]) -> None:
    from acklab.cli.show import console

    lines: list[str] = []
    for of in found:
        if of["kind"] == "maybe" and not any("may be meant" in line for line in lines):
            lines.append(f"{name} is no column; this may be meant:")
        lines += _LINES[of["kind"]](of)
    console().print("\n".join(lines), markup=False, soft_wrap=True)


def _named(of: Meaning) -> str:
    return f"{of['name']} ({of['unit']})" if of["unit"] else str(of["name"])


def _lines_of_metric(of: Meaning) -> list[str]:
    lines = [_named(of), f"  {of['text']}", f"  source: {of['source']}"]
    if of["derived"]:
        lines.append(f"  computed by acklab.metrics.{of['name']}")
    else:
        lines.append(f"  column of {', '.join(of['tables'])}")
    return lines + [f"  recorded with --record {','.join(of['needs'])}"] * bool(of["needs"])


def _lines_of_block(of: Meaning) -> list[str]:
    lines = [f"{of['name']} ({of['where']})"]
    if "text" in of:
        lines += [f"  {of['text']}", f"  source: {of['source']}"]
    return lines + [f"  {p['name']} = {p['default']}: {p['doc']}" for p in of["params"]]


_LINES: dict[str, Callable[[Meaning], list[str]]] = {
    "metric": _lines_of_metric,
    "maybe": lambda of: [
        f"{_named(of)}, {', '.join(of['tables']) or 'derived'}",
        f"  {of['text']}",
    ],
    "key": lambda of: [of["name"], f"  {of['text']}"],
    "word": lambda of: [
        f"{of['name']} in {of['table']}.{of['column']}",
        f"  {of['text']}",
        f"  recorded with --record {of['table']}",
    ],
    "block": _lines_of_block,
    "parameter": _lines_of_block,
}


def _stream_of(tables: tuple[str, ...]) -> tuple[str, ...]:
    """What must be recorded for a column all of whose tables are recorded on demand."""
    streams = {"link_series": "series", "reports": "acks"}
    kept = {"flows", "links", "stations", "airtime", "ampdu_sizes", "queue_classes"}
    if not tables or kept & set(tables):
        return ()
    return tuple(dict.fromkeys(streams.get(t, t) for t in tables))
