"""Packet captures: pcapng with one interface per point that was watched."""

from __future__ import annotations

import os
from pathlib import Path

from acklab.errors import AcklabError
from acklab.folder import scratch_file
from acklab.results import Result


def write_pcapng(result: Result, path: str | os.PathLike[str], *, whole: bool = False) -> Path:
    """Writes what `record.packets` kept as a capture that Wireshark and tshark read.

    Headers only, with the length on the wire noted, unless `whole` packets are wanted; payloads
    are zeros. Time stamps are nanoseconds since the start of the run, checksums are right, and
    a packet that was dropped has the reason as its comment.
    """
    result.needs("packets")
    target = Path(path)
    with scratch_file(target) as scratch:
        if result._core.write_pcapng(scratch, whole) == 0:
            raise AcklabError(
                f"{result.scenario.name}: no packet passed where packets were watched"
            )
    return target
