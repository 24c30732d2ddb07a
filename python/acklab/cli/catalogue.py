"""`acklab list` and `acklab schema`: what there is to choose from."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Kind(StrEnum):
    """What `acklab list` can list."""

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

#: What each kind is.
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
    """List the choices: building blocks, scenarios, studies, plots."""
    from rich.table import Table

    from acklab.cli.show import console

    if kind is None:
        rows = [(k.value, text) for k, text in ABOUT.items()]
    elif kind is Kind.SCENARIO:
        rows = _scenarios()
    elif kind is Kind.STUDY:
        rows = _studies(verbose)
    elif kind is Kind.PLOT:
        rows = _plots(verbose)
    elif kind is Kind.METRIC:
        rows = _metrics(verbose)
    else:
        rows = _blocks(kind.value, verbose)
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, text in rows:
        table.add_row(name, text)
    console().print(table)


def _blocks(kind: str, verbose: bool) -> list[tuple[str, str]]:
    from acklab import _core

    rows = []
    for block in _core.catalogue(kind):
        name = ", ".join([block["name"], *block["aliases"]])
        rows.append((name, block["summary"]))
        if verbose:
            rows.append(("", f"source: {block['source']}"))
            rows += [("", f"{p['name']} = {p['default']}: {p['doc']}") for p in block["params"]]
    return rows


def _scenarios() -> list[tuple[str, str]]:
    import tomllib

    from acklab.places import gallery

    rows = []
    for path in gallery():
        spec = tomllib.loads(path.read_text())
        rows.append((path.stem, spec.get("description", "").strip()))
    return rows


def _studies(verbose: bool) -> list[tuple[str, str]]:
    from acklab.studies import built_in
    from acklab.studies.kit.folder import about

    rows = []
    for name, path in built_in().items():
        study = about(path)
        rows.append((name, study.question))
        if verbose:
            rows.append(("", f"source: {study.source}"))
            rows += [(f"{name}/{of.id}", of.title) for of in study.drawn]
    return rows


def _plots(verbose: bool) -> list[tuple[str, str]]:
    from acklab.plots.kinds import KINDS

    rows = []
    for kind in KINDS.values():
        rows.append((kind.name, kind.about))
        if verbose:
            rows.append(("", f"needs: {', '.join(kind.needs) or 'runs or series'}"))
    return rows


def _metrics(verbose: bool) -> list[tuple[str, str]]:
    from acklab.metrics.definitions import DEFINITIONS

    rows = []
    for metric in DEFINITIONS.values():
        rows.append((metric.name, metric.text))
        if verbose:
            rows.append(("", f"source: {metric.source}"))
    return rows


def schema() -> None:
    """Print the JSON Schema of the scenario language."""
    from acklab import _core

    typer.echo(_core.schema())
