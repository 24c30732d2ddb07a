"""Which scenario a name on the command line means."""

from __future__ import annotations

from typing import Annotated

import typer

from acklab.cli import completing
from acklab.places import find
from acklab.source import Source, read

#: The scenario that a command is about.
ScenarioFile = Annotated[
    str,
    typer.Argument(
        help="A scenario file, the name of a gallery scenario (`acklab list scenario`), or - for "
        "the standard input.",
        autocompletion=completing.scenario,
    ),
]
#: Changes to the scenario.
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Override a key, e.g. flow.0.cc=bbr3. Repeat the option for more keys.",
    ),
]


def given(name: str) -> Source:
    """The text of the scenario that `name` means; what comes in at `-` can be read only once."""
    return read(find(name))
