"""numpy, known to the core before a run ends: nothing is imported while a signal may come."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType

from acklab import _core


@cache
def ready() -> None:
    """Imports numpy, and lets the core find it; call it before the core makes arrays."""
    # By itself, so that Ctrl-C within is a KeyboardInterrupt like any other.
    import numpy  # noqa: F401

    with _held(signal.SIGINT), _held(signal.SIGTERM):
        _core.meet_numpy()


@contextmanager
def _held(sign: signal.Signals) -> Iterator[None]:
    """A signal that comes within the block is delivered after it."""
    if threading.current_thread() is not threading.main_thread():
        # Python hears signals in the main thread only.
        yield
        return
    came: list[int] = []

    def hold(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = signal.signal(sign, hold)
    try:
        yield
    finally:
        signal.signal(sign, before)
        if came:
            signal.raise_signal(sign)
