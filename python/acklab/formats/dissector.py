"""A dissector of TACK for Wireshark and tshark."""

from __future__ import annotations

import os
from pathlib import Path

from acklab import _core
from acklab.folder import write_atomically


def write_dissector(path: str | os.PathLike[str]) -> Path:
    """Writes a Lua script by which Wireshark and tshark read the packets of TACK in captures.

    It is made of the table that acklab's own codec is tested against. Load it with
    `-X lua_script:FILE`, or put it into Wireshark's folder of personal plugins.
    """
    target = Path(path)
    write_atomically(target, _core.dissector())
    return target
