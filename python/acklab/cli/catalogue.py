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
    tell(lambda: rows, lambda: _show(rows, verbose))


#: Description of one thing, by the words that JSON has for it; `name` comes first.
Row = dict[str, Any]


def _show(rows: list[Row], verbose: bool) -> None:
    from rich.table import Table

    from acklab.cli.show import console

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for row in rows:
        table.add_row(", ".join([row["name"], *row.get("aliases", ())]), row["about"])
        if not verbose:
            continue
        for key in ("source", "needs"):
            if key in row:
                table.add_row("", f"{key}: {row[key] if key == 'source' else _needs(row[key])}")
        for p in ([row["queue"]] if "queue" in row else []) + row.get("params", []):
            table.add_row("", f"{p['name']} = {p['default']}: {p['doc']}")
        for part in row.get("parts", ()):
            table.add_row(part["name"], part["about"])
    console().print(table)


def _needs(streams: Sequence[str]) -> str:
    return ", ".join(streams) or "runs or series"


def _kinds() -> list[Row]:
    return [{"name": kind.value, "about": text} for kind, text in ABOUT.items()]


def _blocks(kind: Kind) -> list[Row]:
    from acklab import _core

    keys = ("name", "default", "doc")
    return [
        {
            "name": block["name"],
            "about": block["summary"],
            "aliases": list(block["aliases"]),
            "source": block["source"],
            **{of: {k: block[of][k] for k in keys} for of in ("queue",) if of in block},
            "params": [{k: p[k] for k in keys} for p in block["params"]],
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
