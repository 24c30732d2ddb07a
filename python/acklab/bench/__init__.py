"""The bench: the lab in a web page, served to this machine alone."""

from acklab.bench.address import Scenario, address, fragment_of, scenario_of
from acklab.bench.server import Server, page

__all__ = ["Scenario", "Server", "address", "fragment_of", "page", "scenario_of"]
