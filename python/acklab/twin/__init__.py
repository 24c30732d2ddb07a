"""Twin runs: flows of TACK simulated, and live over the same network in real time."""

from __future__ import annotations

from acklab.twin.beside import Line, Twin, twin

__all__ = ["Line", "Twin", "twin"]
