"""The bench: the lab in a web page, served to this machine alone."""

from acklab.bench.address import Scenario, address, scenario_of
from acklab.bench.server import Server, page

__all__ = ["Scenario", "Server", "address", "page", "scenario_of"]
