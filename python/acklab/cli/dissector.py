"""`acklab dissector`: TACK for Wireshark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def dissector(
    file: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("tack.lua"),
) -> None:
    """Write a Lua script that lets Wireshark and tshark read TACK in captures."""
    from acklab.cli.show import console
    from acklab.formats import write_dissector

    written = write_dissector(file)
    console().print(
        f"{written}: tshark -X lua_script:{written} -r packets.pcapng -Y tack",
        markup=False,
        soft_wrap=True,
    )
