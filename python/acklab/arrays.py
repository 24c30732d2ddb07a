"""numpy, known to the core before a run ends: nothing is imported while a signal may come."""

from __future__ import annotations

from functools import cache

from acklab import _core
from acklab.holding import all_held


@cache
def ready() -> None:
    """Imports numpy, and lets the core find it; call it before the core makes arrays."""
    # By itself, so that Ctrl-C within is a KeyboardInterrupt like any other.
    import numpy  # noqa: F401

    with all_held():
        _core.meet_numpy()
