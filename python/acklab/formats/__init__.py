"""Results in the formats of other tools."""

from __future__ import annotations

from acklab.formats.dissector import write_dissector
from acklab.formats.flent import write_flent
from acklab.formats.flowmon import write_flowmon
from acklab.formats.monitor import write_monitor
from acklab.formats.pcapng import write_pcapng
from acklab.formats.qlog import write_qlog

__all__ = [
    "write_dissector",
    "write_flent",
    "write_flowmon",
    "write_monitor",
    "write_pcapng",
    "write_qlog",
]
