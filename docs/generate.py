"""Pages of the reference, written from the program itself when the site is built."""

from __future__ import annotations

import html
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable

import mkdocs_gen_files

from acklab import _core
from acklab.cli import COMMANDS, explain, study, tack
from acklab.glossary import groups
from acklab.metrics import DEFINITIONS, Definition
from acklab.metrics.words import VOCABULARIES

#: The tables of a result, and what the metrics that are in none of them are called.
TABLES = (
    *("flows", "links", "series", "link_series", "events", "acks", "reports", "packets"),
    *("stations", "airtime", "ampdu_sizes", "ppdus", "queue_classes"),
)

BLOCKS = {
    "transport": "Transports",
    "cc": "Congestion controllers",
    "ack": "ACK policies",
    "filter": "ACK filters",
    "qdisc": "Queue disciplines",
    "rate-control": "Rate controls",
    "station-queue": "Queues in stations",
    "path-loss": "Path losses",
    "fading": "Fadings",
}


def cli() -> str:
    """Every command and option, from the command line's own declarations."""
    words = [sys.executable, "-m", "typer", "acklab.cli", "utils", "docs", "--name", "acklab"]
    page = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    page = html.unescape(page).replace("# `acklab`", "# Command line", 1)
    page = EXAMPLES.sub(examples, page)
    page = re.sub(r"\[bold\](.+?)\[/\]", r"**\1**", page)
    # A part of the page per command, whose name its heading has; the first is of `acklab` itself.
    parts = re.split(r"(?m)^(?=#+ `acklab )", page)
    return "".join(whole(part) for part in parts)


#: What the lists of commands say of each, by the command that has the list.
LISTS = {
    "acklab": {
        **{name: inspect.getdoc(command) for _, name, command, _ in COMMANDS},
        "study": study.app.info.help,
        "tack": tack.app.info.help,
    },
    **{
        f"acklab {name}": {
            c.callback.__name__: c.callback.__doc__ for c in group.app.registered_commands
        }
        for name, group in (("study", study), ("tack", tack))
    },
}


def whole(part: str) -> str:
    """The part of one command, with the commands that it lists told in whole sentences."""
    named = re.match(r"#+ `(acklab [^`]+)`", part)
    for name, about in LISTS.get(named[1] if named else "acklab", {}).items():
        first = inspect.cleandoc(about).partition("\n\n")[0]
        part = re.sub(
            rf"^\* `{name}`: .*", lambda _, n=name, a=first: f"* `{n}`: {a}", part, flags=re.M
        )
    return part


#: The end of a help text: a title in Rich's markup, and a paragraph per command.
EXAMPLES = re.compile(r"\[bold\]Examples\[/\]\n((?:\n+ *acklab .*)+)")


def examples(found: re.Match[str]) -> str:
    """The examples of a command as one block of code."""
    lines = [line.strip() for line in found[1].splitlines() if line.strip()]
    return "\n".join(["**Examples**:", "", "```sh", *lines, "```"])


def blocks() -> str:
    """Every block of the registries with its parameters."""
    page = ["# Building blocks", "What `acklab list KIND -v` prints."]
    for kind, title in BLOCKS.items():
        page.append(f"## {title}")
        for block in _core.catalogue(kind):
            page.append(f"### `{block['name']}`")
            if block["aliases"]:
                page.append("Also " + ", ".join(f"`{a}`" for a in block["aliases"]) + ".")
            page.append(f"{block['summary']}\n\n*Source: {block['source']}*")
            if block["params"] or "queue" in block:
                page.append("\n".join(["| parameter | default | |", "|---|---|---|", *rows(block)]))
            if "elsewhere" in block:
                page.append("Parameters of tc or RouterOS that stand elsewhere, or nowhere:")
                page.append("\n".join(f"- `{e['name']}`: {e['hint']}." for e in block["elsewhere"]))
    return "\n\n".join(page) + "\n"


def rows(block: dict) -> list[str]:
    """The parameters of a block as rows of a table."""
    return [
        f"| `{p['name']}` | `{p['default']}` | {p['doc'].replace('|', '&#124;')} |"
        for p in ([block["queue"]] if "queue" in block else []) + block["params"]
    ]


def metrics() -> str:
    """Every column of every table, then the metrics that are computed from them."""
    page = [
        "# Metrics",
        "What `acklab explain NAME` says: one definition for each column, whichever tables have "
        "it. *Needs* is what must be recorded (`--record`) for it not to be null.",
    ]
    for table in TABLES:
        page.append(f"## {table}")
        page.append(defined(d for d in DEFINITIONS.values() if table in d.tables))
    page.append("## Derived")
    page.append("Functions of `acklab.metrics`, of frames or whole results.")
    page.append(defined(d for d in DEFINITIONS.values() if d.derived))
    return "\n\n".join(page) + "\n"


def defined(definitions: Iterable[Definition]) -> str:
    """Definitions as a table."""
    lines = ["| name | unit | what | source | needs |", "|---|---|---|---|---|"]
    for d in definitions:
        text = d.text.replace("|", "&#124;").replace("*", "\\*")
        lines.append(f"| `{d.name}` | {d.unit} | {text} | {d.source} | {', '.join(d.needs)} |")
    return "\n".join(lines)


def events() -> str:
    """The words of recorded tables."""
    page = [
        "# Events and reasons",
        "The words that the tables `events`, `acks` and `packets` are made of. "
        "[Recording](../guides/record.md) says how to ask for them.",
    ]
    for vocabulary in VOCABULARIES:
        of = " or ".join(f"`{w}`" for w in vocabulary.of)
        page.append(f"## {vocabulary.title}")
        where = f"Column `{vocabulary.column}` of `{vocabulary.table}`"
        page.append(f"{where}{f', where `what` is {of}' if of else ''}.")
        lines = [f"| `{vocabulary.column}` | |", "|---|---|"]
        page.append("\n".join(lines + [f"| `{w.name}` | {w.text} |" for w in vocabulary.words]))
    return "\n\n".join(page) + "\n"


#: The pages on which names stand that `acklab explain` knows, by the kinds of their meanings.
PLACES = {
    "metric": "metrics.md",
    "word": "events.md",
    "block": "blocks.md",
    "parameter": "blocks.md",
    "scenario key": "scenario-keys.md",
}


def terms() -> str:
    """The field's terms, each with a heading that links can lead to."""
    page = [
        "# Terms",
        "What `acklab explain TERM` says: the field's terms, where they are defined, and what "
        "of acklab shows them. Case and the signs `-` and `_` make no difference there.",
    ]
    for group in groups():
        page.append(f"## {group.title}")
        for term in group.terms:
            page.append(f"### {term.name}")
            also = f"Also {', '.join(term.also)}. " if term.also else ""
            unit = f" Unit: {term.unit}." if term.unit else ""
            page.append(f"{also}{term.meaning}{unit}\n\n*Source: {term.source}*")
            page.append(f"See {', '.join(place(s) for s in term.see)}.")
    return "\n\n".join(page) + "\n"


def place(name: str) -> str:
    """A name of acklab with a link to the page that has it."""
    if name.startswith("plot "):
        return f"[`acklab {name.replace('plot', 'plot RESULT')}`](../plots.md)"
    kinds = (meaning["kind"] for meaning in explain.named_so(name))
    return f"[`{name}`]({next(PLACES[kind] for kind in kinds if kind in PLACES)})"


PAGES = {"cli": cli, "blocks": blocks, "metrics": metrics, "events": events, "terms": terms}

for name, make in PAGES.items():
    with mkdocs_gen_files.open(f"reference/{name}.md", "w") as page:
        page.write(make())
