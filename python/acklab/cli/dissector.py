"""`acklab dissector`: TACK for Wireshark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acklab.cli.output import tell_lines


def dissector(
    file: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("tack.lua"),
) -> None:
    """Write a Lua script that lets Wireshark and tshark read TACK in captures."""
    from acklab.formats import write_dissector

    written = write_dissector(file)
    use = f"tshark -X lua_script:{written} -r packets.pcapng -Y tack"
    tell_lines({"file": written}, f"{written}: {use}")
