"""Pages of the reference, written from the program itself when the site is built."""

from __future__ import annotations

import html
import subprocess
import sys

import mkdocs_gen_files

from acklab import _core

BLOCKS = {
    "cc": "Congestion controllers",
    "ack": "ACK policies",
    "filter": "ACK filters",
    "qdisc": "Queues",
}


def cli() -> str:
    """Every command and option, from the command line's own declarations."""
    words = [sys.executable, "-m", "typer", "acklab.cli", "utils", "docs", "--name", "acklab"]
    page = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return html.unescape(page).replace("# `acklab`", "# Command line", 1)


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
            if block["params"]:
                page.append("\n".join(["| parameter | default | |", "|---|---|---|", *rows(block)]))
    return "\n\n".join(page) + "\n"


def rows(block: dict) -> list[str]:
    """The parameters of a block as rows of a table."""
    return [
        f"| `{p['name']}` | `{p['default']}` | {p['doc'].replace('|', '&#124;')} |"
        for p in block["params"]
    ]


for name, make in {"cli": cli, "blocks": blocks}.items():
    with mkdocs_gen_files.open(f"reference/{name}.md", "w") as page:
        page.write(make())
