"""Moments in which no signal is heard: it waits until they are over."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from acklab import _core


@contextmanager
def held(sign: signal.Signals) -> Iterator[None]:
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


@contextmanager
def all_held() -> Iterator[None]:
    """Neither Ctrl-C nor SIGTERM is heard within the block, but after it."""
    with held(signal.SIGINT), held(signal.SIGTERM):
        yield


@contextmanager
def swapping() -> Iterator[None]:
    """Folders change places within the block; neither a signal nor its end comes between."""
    with all_held():
        _core.swapping(True)
        try:
            yield
        finally:
            _core.swapping(False)
