"""The addresses and ports that captures give to a flow."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError

if TYPE_CHECKING:
    from acklab.results import Result

#: As in captures: the first node is 10.0.0.1.
FIRST_ADDRESS = IPv4Address("10.0.0.1")
#: The port of a flow's passive end; flows that would share all four values use the next.
SERVICE_PORT = 5001
#: First of the ephemeral ports (RFC 6335 section 6).
EPHEMERAL = 49_152
EPHEMERALS = 65_536 - EPHEMERAL


@dataclass(frozen=True)
class Ends:
    """A flow's nodes, and what a packet of it in its forward direction has in its header."""

    flow: str
    source: str
    destination: str
    source_address: str
    destination_address: str
    source_port: int
    destination_port: int
    #: Whether the destination sends the data that the flow's columns are about.
    responds: bool

    @property
    def sender(self) -> str:
        """The node of the sender that the flow's columns are about."""
        return self.destination if self.responds else self.source

    @property
    def receiver(self) -> str:
        """The node of the receiver of these data."""
        return self.source if self.responds else self.destination


def ends_of(result: Result) -> list[Ends]:
    """The ends of every flow, in the order of the scenario."""
    scenario = tomllib.loads(result.scenario.resolved)
    nodes = [node["name"] for node in scenario["node"]]
    return [_ends(i, flow, nodes) for i, flow in enumerate(scenario["flow"])]


def _ends(index: int, flow: dict[str, Any], nodes: list[str]) -> Ends:
    source, destination = flow["from"], flow["to"]
    return Ends(
        flow=flow["name"],
        source=source,
        destination=destination,
        source_address=str(FIRST_ADDRESS + nodes.index(source)),
        destination_address=str(FIRST_ADDRESS + nodes.index(destination)),
        source_port=EPHEMERAL + index % EPHEMERALS,
        destination_port=SERVICE_PORT + index // EPHEMERALS,
        responds=flow["app"]["kind"] == "request-response",
    )


def needs_packets_everywhere(result: Result) -> None:
    """Says how to record packets at every node and link, if they were watched at some only."""
    result.needs("packets")
    scenario = tomllib.loads(result.scenario.resolved)
    watched = set(scenario["record"]["packets"])
    points = [node["name"] for node in scenario["node"]]
    for link in scenario["link"]:
        points += [link["name"], link["reverse"]["name"]]
    missing = [p for p in points if p not in watched]
    if missing:
        raise AcklabError(
            f"the run of {result.scenario.name!r} did not record packets at {', '.join(missing)}\n"
            "  help: set record.packets = true instead of a list of points"
        )
