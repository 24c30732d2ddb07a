"""The files that `acklab run` can leave in a result folder for other tools."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.formats.flent import write_flent
from acklab.formats.flowmon import write_flowmon
from acklab.formats.monitor import write_monitor
from acklab.formats.pcapng import write_pcapng
from acklab.formats.qlog import write_qlog

if TYPE_CHECKING:
    from acklab.results import Result
    from acklab.scenario import Scenario


@dataclass(frozen=True)
class Export:
    """A format: its option of `acklab run`, and what it needs recorded."""

    option: str
    streams: tuple[str, ...]
    #: Packets at every node and link, not only where the scenario watches them.
    everywhere: bool
    write: Callable[[Result, Path], object]
    #: Streams that it needs in addition if there are radio channels.
    of_radio: tuple[str, ...] = ()
    #: Streams that it needs in addition if a flow speaks TACK.
    of_tack: tuple[str, ...] = ()

    def needs(self, scenario: Scenario) -> tuple[str, ...]:
        """The streams that runs of a scenario must record for it."""
        radio = self.of_radio if scenario.channels else ()
        return (*self.streams, *radio, *(self.of_tack if _speaks_tack(scenario) else ()))


def _speaks_tack(scenario: Scenario) -> bool:
    flows = tomllib.loads(scenario.resolved)["flow"]
    return any(flow.get("transport", {}).get("name") == "tack" for flow in flows)


def _captures(result: Result, to: Path) -> None:
    write_pcapng(result, to / "packets.pcapng")
    if result.scenario.channels:
        write_monitor(result, to)


def _flent_name(result: Result) -> str:
    return f"{result.scenario.name}.flent.gz"


EXPORTS = (
    Export("pcap", ("packets",), False, _captures, of_radio=("frames",)),
    Export("qlog", ("packets", "events", "series"), True, write_qlog, of_tack=("acks",)),
    Export("flent", ("series",), False, lambda r, to: write_flent(r, to / _flent_name(r))),
    Export("flowmon", ("packets",), True, lambda r, to: write_flowmon(r, to / "flowmon.xml")),
)
