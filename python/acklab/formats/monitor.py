"""Captures of radio channels, as a radio in monitor mode would have made them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.errors import AcklabError
from acklab.folder import scratch_file

if TYPE_CHECKING:
    from acklab.results import Result


def write_monitor(result: Result, folder: str | os.PathLike[str]) -> list[Path]:
    """Writes `CHANNEL.monitor.pcapng` of what `record.frames` kept; returns their paths.

    Every MPDU and control frame with a radiotap header, in the order in which they began, with
    nanoseconds since the start of the run. Of data frames there are headers only, with the length
    on the air noted: which packets were in them is not known to the channel. What its receiver
    could not read for another's sake is marked as having a bad FCS, and has a comment.
    """
    result.needs("frames")
    channels = result.scenario.channels
    if not channels:
        raise AcklabError(
            f"{result.scenario.name} has no radio channel to capture\n"
            "  help: write_pcapng captures at hosts and links"
        )
    paths = []
    for channel, name in zip(channels, _names(channels), strict=True):
        with scratch_file(Path(folder) / name) as scratch:
            result._core.write_monitor(scratch, channel)
        paths.append(Path(folder) / name)
    return paths


def _names(channels: tuple[str, ...]) -> list[str]:
    """A file's name for each channel; what file systems may not like becomes an underscore."""
    stems: list[str] = []
    for channel in channels:
        stem = re.sub(r"[^\w.-]", "_", channel)
        while stem in stems:
            stem += "_"
        stems.append(stem)
    return [f"{stem}.monitor.pcapng" for stem in stems]
