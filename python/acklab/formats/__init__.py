"""Results in the formats of other tools."""

from __future__ import annotations

from acklab.formats.flowmon import write_flowmon
from acklab.formats.pcapng import write_pcapng


__all__ = ["write_flowmon", "write_pcapng"]
