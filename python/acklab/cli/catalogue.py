"""`acklab list` and `acklab schema`: what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from acklab.cli.output import tell


class Kind(StrEnum):
    """Kinds of things that `acklab list` can list."""

    TRANSPORT = "transport"
    CC = "cc"
    ACK = "ack"
    FILTER = "filter"
    QDISC = "qdisc"
    RATE_CONTROL = "rate-control"
    STATION_QUEUE = "station-queue"
    PATH_LOSS = "path-loss"
    FADING = "fading"
    SCENARIO = "scenario"
    STUDY = "study"
    PLOT = "plot"
    METRIC = "metric"


#: The kinds that a scenario is built of.
BLOCKS = (
    Kind.TRANSPORT,
    Kind.CC,
    Kind.ACK,
    Kind.FILTER,
    Kind.QDISC,
    Kind.RATE_CONTROL,
    Kind.STATION_QUEUE,
    Kind.PATH_LOSS,
    Kind.FADING,
)

#: Description of each kind, with the key that takes it.
ABOUT = {
    Kind.TRANSPORT: "transports: transport of a flow",
    Kind.CC: "congestion controllers: cc of a flow",
    Kind.ACK: "ACK policies of receivers: ack of a flow",
    Kind.FILTER: "ACK filters in the network: ack_filter of a link",
    Kind.QDISC: "queue disciplines: qdisc of a link, and of stations in [wifi]",
    Kind.RATE_CONTROL: "rate controls of radio channels: rate_control in [wifi]",
    Kind.STATION_QUEUE: "further queues in stations of radio channels: qdisc in [wifi]",
    Kind.PATH_LOSS: "loss over distance: path_loss in [wifi.space]",
    Kind.FADING: "changes of a signal: fading in [wifi.space]",
    Kind.SCENARIO: "the gallery: acklab run NAME",
    Kind.STUDY: "papers to repeat: acklab reproduce NAME",
    Kind.PLOT: "named plots: acklab plot RESULT NAME",
    Kind.METRIC: "metrics and their definitions: acklab explain NAME",
}


def list_(
    kind: Annotated[
        Kind | None, typer.Argument(help="The kind to list. Default: all kinds.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Parameters and sources too.")
    ] = False,
) -> None:
    """List the choices: building blocks, scenarios, studies, plots, metrics."""
    rows = _kinds() if kind is None else _OF.get(kind, _blocks)(kind)
    if kind in BLOCKS and verbose:
        tell(lambda: rows, lambda: _show_blocks(kind, rows))
    else:
        tell(lambda: rows, lambda: _show(rows, verbose))


#: Description of one thing, by the words that JSON has for it; `name` comes first.
Row = dict[str, Any]


#: A verbose text is as wide as a page at most: longer lines are hard to read.
_WIDEST = 100


def _show(rows: list[Row], verbose: bool) -> None:
    from rich.table import Table

    from acklab.cli.show import console

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for row in rows:
        table.add_row(_names(row), row["about"])
        for key in ("source", "needs") if verbose else ():
            if key in row:
                table.add_row("", f"{key}: {row[key] if key == 'source' else _needs(row[key])}")
        for part in row.get("parts", ()) if verbose else ():
            table.add_row(part["name"], part["about"])
    console().print(table)


def _names(row: Row) -> str:
    return ", ".join([row["name"], *row.get("aliases", ())])


def _show_blocks(kind: Kind, rows: list[Row]) -> None:
    """Blocks below each other, with what each parameter takes, and the keys that name a block."""
    from rich.padding import Padding
    from rich.text import Text

    from acklab.cli.show import console

    out = console()

    def tell(text: str, indent: int, style: str = "") -> None:
        # Lines after the first stand two further in.
        lines = Text(text, style).wrap(out, min(out.width, _WIDEST) - indent - 2)
        for i, line in enumerate(lines):
            line.rstrip()
            out.print(Padding(line, (0, 0, 0, indent + 2 * (i > 0)), expand=False))

    for key, text in _places(kind):
        tell(f"{key}: {text}", 0)
    for i, row in enumerate(rows):
        if i or kind in _KEY:
            out.print()
        tell(_names(row), 0, "bold")
        tell(row["about"], 4)
        tell(f"source: {row['source']}", 4)
        for p in ([row["queue"]] if "queue" in row else []) + row["params"]:
            _parameter(tell, p, 4)
        for of in row.get("elsewhere", ()):
            tell(f"{of['name']}: {of['hint']}", 4)
            for p in of["params"]:
                _parameter(tell, p, 6)


def _parameter(tell: Callable[[str, int], None], p: Row, indent: int) -> None:
    tell(f"{p['name']} = {p['default']}: {p['doc']}", indent)
    # The keys of tables follow, each with a line of its own.
    if p["accepts"] not in _PLAIN and not p["accepts"].startswith("a list of tables"):
        tell(f"takes {p['accepts']}", indent + 4)


#: What says no more than the default does.
_PLAIN = ("true or false", 'a rate above zero, such as "10 Mbit/s"')

#: Keys of a scenario that name a block of that kind.
_KEY = {Kind.QDISC: "qdisc", Kind.FILTER: "ack_filter"}


def _places(kind: Kind) -> list[tuple[str, str]]:
    """Where blocks of that kind may stand: of keys with the same meaning the first."""
    from acklab.keys import named

    found = named(_KEY[kind]) if kind in _KEY else []
    return [(key.path, " ".join(key.text.split())) for key in found]


def _needs(streams: Sequence[str]) -> str:
    return ", ".join(streams) or "runs or series"


def _kinds() -> list[Row]:
    return [{"name": kind.value, "about": text} for kind, text in ABOUT.items()]


def _blocks(kind: Kind) -> list[Row]:
    from acklab import _core

    keys = ("name", "default", "accepts", "doc")
    return [
        {
            "name": block["name"],
            "about": block["summary"],
            "aliases": list(block["aliases"]),
            "source": block["source"],
            **{of: {k: block[of][k] for k in keys} for of in ("queue",) if of in block},
            "params": [{k: p[k] for k in keys} for p in block["params"]],
            **({"elsewhere": block["elsewhere"]} if "elsewhere" in block else {}),
        }
        for block in _core.catalogue(kind.value)
    ]


def _scenarios(_: Kind) -> list[Row]:
    import tomllib

    from acklab.places import gallery

    texts = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in gallery()}
    return [{"name": n, "about": t.get("description", "").strip()} for n, t in texts.items()]


def _studies(_: Kind) -> list[Row]:
    from acklab.studies import built_in
    from acklab.studies.kit.folder import about

    rows = []
    for name, path in built_in().items():
        study = about(path)
        parts = [{"name": f"{name}/{of.id}", "about": of.title} for of in study.drawn]
        row = {"name": name, "about": study.question, "source": study.source, "parts": parts}
        rows.append(row)
    return rows


def _plots(_: Kind) -> list[Row]:
    from acklab.plots.kinds import KINDS

    return [{"name": k.name, "about": k.about, "needs": list(k.needs)} for k in KINDS.values()]


def _metrics(_: Kind) -> list[Row]:
    from acklab.metrics.definitions import DEFINITIONS

    return [{"name": m.name, "about": m.text, "source": m.source} for m in DEFINITIONS.values()]


#: Whatever is not here is a building block.
_OF: dict[Kind, Callable[[Kind], list[Row]]] = {
    Kind.SCENARIO: _scenarios,
    Kind.STUDY: _studies,
    Kind.PLOT: _plots,
    Kind.METRIC: _metrics,
}


def schema() -> None:
    """Print the JSON Schema of the scenario language."""
    import json

    from acklab import _core

    text = _core.schema()
    tell(lambda: json.loads(text), lambda: typer.echo(text))
