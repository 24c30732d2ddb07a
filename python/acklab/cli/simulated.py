"""How far a run is, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from acklab.cli.output import quiet

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

#: Most runs end sooner, and a bar that comes and goes would only flicker.
_PATIENCE_S = 1.0
#: Without a terminal: seconds between two lines, as in a log.
_SILENCE_S = 10.0


class Simulated:
    """A bar on a terminal, a line now and then elsewhere, nothing with `--quiet`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._began = self._said = monotonic()
        self._terminal = sys.stderr.isatty()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def reached(self, seconds: float, total: float) -> None:
        """The run has simulated so many seconds of `total`."""
        if quiet():
            return
        now = monotonic()
        if self._terminal:
            if now - self._began >= _PATIENCE_S:
                self._draw(f"{seconds:.4g} of {total:.4g} s simulated", seconds, total)
        elif now - self._said >= _SILENCE_S and 0 < seconds < total:
            self._said = now
            left = (now - self._began) * (total - seconds) / seconds
            print(
                f"{self._name}: {seconds:.4g} of {total:.4g} s simulated, about {left:.0f} s left",
                file=sys.stderr,
            )

    def writes(self) -> None:
        """The run is over, and its results are written."""
        if self._bar is not None:
            self._draw("writing results", 1, 1)

    def _draw(self, text: str, done: float, total: float) -> None:
        if self._bar is None or self._task is None:
            self._bar = _bar()
            self._task = self._bar.add_task(self._name, total=total, text=text)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total, text=text)

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[text]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def simulated(name: str) -> Iterator[Simulated]:
    """Shows how far a run is while the block lasts; tell it through `reached` and `writes`."""
    shown = Simulated(name)
    try:
        yield shown
    finally:
        shown.close()
