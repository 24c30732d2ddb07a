"""`acklab bench`: the lab in a web page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from acklab.cli import completing
from acklab.cli.output import tell_event

if TYPE_CHECKING:
    from acklab.bench import Scenario


def bench(
    file: Annotated[
        str | None,
        typer.Argument(
            help="Scenario to show: a TOML file, a name of the gallery, or a link that Share made.",
            autocompletion=completing.scenario,
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port to serve the page at.", show_default="any"),
    ] = 0,
    open_: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Open the bench: scenarios, sliders and answers in a web page.

    The page runs the simulator itself. acklab serves it to this machine alone, until Ctrl-C.
    """
    import webbrowser

    from acklab.bench import Server, address, page

    scenario = _asked(file) if file is not None else None
    content = page()
    with Server(content, port) as server:
        where = address(server.root, scenario)
        tell_event({"address": where}, f"the bench is at {where}", "Ctrl-C ends it")
        if open_ and not webbrowser.open(where):
            typer.echo("no browser was found: open this address yourself", err=True)
        server.serve_forever()


def _asked(words: str) -> Scenario | str:
    """A scenario's file, or the fragment of a link. A file of that name goes before a link."""
    from acklab.bench import fragment_of, scenario_of
    from acklab.places import find

    fragment = None if os.path.lexists(words) else fragment_of(words)
    return fragment if fragment is not None else scenario_of(find(words))
