"""`acklab explain`: the meaning of a term, a column, a metric, a building block or a key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acklab.cli import completing
from acklab.cli.output import tell
from acklab.cli.unexplained import choices, unknown
from acklab.errors import AcklabError

if TYPE_CHECKING:
    from acklab.glossary import Term
    from acklab.metrics.definition import Definition


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A term, a column, a metric, a word of a recorded table, a building block, one of "
            "its parameters or a value of one, or a key of a scenario, such as BDP, slow-start, "
            "owd_p95_ms, jain, byte_count, tack, tack.theta, triple-isolate or "
            "topology.bottleneck.queue.",
            autocompletion=completing.explained,
        ),
    ] = None,
) -> None:
    """Explain a term, a column, a metric, a building block or a key: meaning, source, defaults.

    Without a name, list all columns, metrics and terms.
    """
    from acklab.glossary import terms
    from acklab.metrics import DEFINITIONS

    if name is None:
        listed = [_metric(d) for d in DEFINITIONS.values()] + [_of_term(t) for t in terms()]
        tell(lambda: listed, _show_all)
        return
    found = _meanings(name)
    tell(lambda: {"name": name, "meanings": found}, lambda: _show(name, found))


#: One thing that a name can mean. `kind` says which: term, metric, word, key, maybe, value, block,
#: parameter, or "scenario key".
Meaning = dict[str, Any]


def _meanings(name: str) -> list[Meaning]:
    """All that `name` means, a term of the field first; an error if it means nothing."""
    from acklab.glossary import term

    of = term(name)
    found: list[Meaning] = []
    lower = name.strip().lower()
    # Other names are found as they are written, or as one who knows them from texts writes them.
    one = lower.replace(" ", "_")
    for spelling in dict.fromkeys((name, lower, *_spellings(one))):
        if found := list(named_so(spelling)):
            break
    if of is None and not found:
        raise unknown(name)
    return [*([_of_term(of)] if of else []), *found]


def _spellings(name: str) -> Iterator[str]:
    """With underscores, with hyphens, and as a column that has its unit behind the name."""
    from acklab.metrics import DEFINITIONS

    plain = name.replace("-", "_")
    yield from (plain, plain.replace("_", "-"))
    yield from (d for d in DEFINITIONS if d.rpartition("_")[0] == plain and _has_unit(d))


def _has_unit(column: str) -> bool:
    return column.rpartition("_")[2] in ("ms", "us", "s", "mbps", "bytes", "packets", "percent")


def named_so(name: str) -> Iterator[Meaning]:
    """What has just this name, terms aside."""
    from acklab.metrics import DEFINITIONS

    keys = list(_scenario_keys(name))
    if name in DEFINITIONS:
        yield _metric(DEFINITIONS[name])
    else:
        yield from _terms(name)
    yield from _words(name)
    yield from _values(name)
    # With dots it is a key rather than a parameter, where there is such a key.
    yield from _blocks(name) if not keys or "." not in name else ()
    yield from keys


def _of_term(t: Term) -> Meaning:
    return {
        "kind": "term",
        "name": t.name,
        "also": list(t.also),
        "unit": t.unit,
        "text": t.meaning,
        "source": t.source,
        "see": list(t.see),
    }


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
    """Meaning of a key of a sweep's tables, or the columns that an everyday word may mean."""
    from acklab.metrics import DEFINITIONS
    from acklab.metrics.terms import KEYS, MEANT

    if name in KEYS:
        yield {"kind": "key", "name": name, "text": KEYS[name]}
    for meant in MEANT.get(name, ()):
        yield {**_metric(DEFINITIONS[meant]), "kind": "maybe"}


def _words(name: str) -> Iterator[Meaning]:
    """Meanings of `name` as a value of a recorded table; it may have one in several."""
    from acklab.metrics.words import VOCABULARIES

    for of in VOCABULARIES:
        for word in of.words:
            if word.name == name:
                where = {"table": of.table, "column": of.column}
                yield {"kind": "word", "name": name, **where, "text": word.text}


def _scenario_keys(name: str) -> Iterator[Meaning]:
    """The keys of a scenario that are called `name`, or whose paths end in it."""
    from acklab.keys import named

    for key in named(name):
        if key.text:
            text = " ".join(key.text.split())
            yield {"kind": "scenario key", "name": key.path, "text": text}


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
            fields = ("name", "default", "accepts", "doc")
            params = [{k: p[k] for k in fields} for p in block["params"]]
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


def _values(name: str) -> Iterator[Meaning]:
    """The parameters of building blocks that `name` is a value of."""
    from acklab import _core
    from acklab.cli.catalogue import ABOUT, BLOCKS

    for kind in BLOCKS:
        for block in _core.catalogue(kind.value):
            for p in block["params"]:
                if name in choices(p["accepts"]):
                    yield {
                        "kind": "value",
                        "name": name,
                        "block": block["name"],
                        "where": ABOUT[kind].partition(": ")[2],
                        "parameter": p["name"],
                        "text": p["doc"],
                    }


def _show_all() -> None:
    from rich.table import Table

    from acklab.cli.show import console
    from acklab.glossary import groups
    from acklab.metrics import DEFINITIONS

    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("name", "unit", "where", "recorded with"):
        table.add_column(head, no_wrap=True)
    for d in DEFINITIONS.values():
        where = "acklab.metrics" if d.derived else ", ".join(d.tables)
        table.add_row(d.name, d.unit, where, " ".join(d.needs or _stream_of(d.tables)))
    for group in groups():
        for t in group.terms:
            table.add_row(t.name, t.unit, f"term: {group.title}", "")
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


def _lines_of_term(of: Meaning) -> list[str]:
    from acklab.glossary import plain

    also = f", also {', '.join(of['also'])}" if of["also"] else ""
    lines = [f"{_named(of)}{also}", f"  {of['text']}", f"  source: {of['source']}"]
    # What has the same name stands below the term anyway.
    own = {plain(s) for s in (of["name"], *of["also"])}
    see = [s.replace("plot ", "acklab plot RESULT ") for s in of["see"] if plain(s) not in own]
    return lines + [f"  see: {', '.join(see)}"] * bool(see)


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
    for p in of["params"]:
        lines.append(f"  {p['name']} = {p['default']}: {p['doc']}")
        lines += [f"    takes {p['accepts']}"] * (of["kind"] == "parameter")
    return lines


_LINES: dict[str, Callable[[Meaning], list[str]]] = {
    "term": _lines_of_term,
    "metric": _lines_of_metric,
    "maybe": lambda of: [
        f"{_named(of)}, {', '.join(of['tables']) or 'derived'}",
        f"  {of['text']}",
    ],
    "key": lambda of: [of["name"], f"  {of['text']}"],
    "scenario key": lambda of: [f"{of['name']} (key of a scenario)", f"  {of['text']}"],
    "word": lambda of: [
        f"{of['name']} in {of['table']}.{of['column']}",
        f"  {of['text']}",
        f"  recorded with --record {of['table']}",
    ],
    "value": lambda of: [
        f'{of["name"]}: {of["parameter"]} = "{of["name"]}" of {of["block"]} ({of["where"]})',
        f"  {of['text']}",
    ],
    "block": _lines_of_block,
    "parameter": _lines_of_block,
}


def _stream_of(tables: tuple[str, ...]) -> tuple[str, ...]:
    """Streams to record for a column all of whose tables are recorded on demand."""
    streams = {"link_series": "series", "reports": "acks"}
    kept = {"flows", "links", "stations", "airtime", "ampdu_sizes", "queue_classes"}
    if not tables or kept & set(tables):
        return ()
    return tuple(dict.fromkeys(streams.get(t, t) for t in tables))
