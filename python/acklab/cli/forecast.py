"""The cost of a run that records packets or ACKs one by one, from a run of its first part."""

from __future__ import annotations

import io
import re
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError, OutputError

if TYPE_CHECKING:
    from acklab.scenario import Scenario
    from acklab.source import Source

#: Streams whose size nobody foresees. Summaries and samples are small.
ONE_BY_ONE = frozenset(("events", "acks", "delays", "queues", "packets", "ppdus", "frames"))
#: This part of a run is made to measure, if the run has so many seconds at least.
PART, LEAST_S = 20, 4.0
#: Peak of memory beside the program's own, as bytes per byte of the frames. Measured: the core's
#: records take 0.95, making frames and Parquet of them another 2 (`single-flow` of 30 and 60 s with
#: `--record all`).
MEMORY_PER_BYTE = 3
#: What is less is not worth a line: seconds, and bytes of memory and disk.
QUIET_S, QUIET_BYTES = 30.0, 5e8


@dataclass(frozen=True)
class Forecast:
    """What a run will take, about."""

    seconds: float
    memory_bytes: float
    disk_bytes: float
    #: Simulated seconds of the run that was made to measure, and of the whole.
    measured_s: float
    duration_s: float

    @property
    def matters(self) -> bool:
        """Whether a user should know before it begins."""
        return self.seconds > QUIET_S or max(self.memory_bytes, self.disk_bytes) > QUIET_BYTES

    def told(self) -> str:
        """All of it in a line."""
        from acklab.sweeps.estimate import size, span

        return (
            f"about {span(self.seconds)}, {size(self.memory_bytes)} of memory and "
            f"{size(self.disk_bytes)} on disk (measured on {self.measured_s:.3g} of "
            f"{self.duration_s:.3g} s)"
        )


def of(source: Path | Source, overrides: Sequence[str], scenario: Scenario, seed: int) -> Forecast:
    """The forecast of `scenario`, which `source` and `overrides` gave."""
    import acklab
    from acklab.saving import one_by_one, parquet

    whole, recorded = _lengths(scenario)
    part = whole / PART if whole >= LEAST_S else whole
    short = [f"duration={part} s", "warmup=0 s"]
    if recorded < whole:
        # The first part is as good as any, unless it is not recorded.
        short += ["record.from=0 s", "record.until=12 h"]
    try:
        first = acklab.load(source, overrides=[*overrides, *short])
    except AcklabError:
        # Something in it happens later than that.
        first, part, recorded = scenario, whole, whole
    began = time.monotonic()
    result = first.run(seed)
    memory = disk = 0.0
    more = whole / part
    single = one_by_one(result)
    for name in ("flows", "links", "series", "link_series", *single):
        frame, file = result.table(name), io.BytesIO()
        parquet(frame, file)
        kept = recorded / whole if name in single else 1.0
        memory += frame.estimated_size() * kept
        disk += file.tell() * kept
    return Forecast(
        seconds=(time.monotonic() - began) * more,
        memory_bytes=memory * MEMORY_PER_BYTE * more,
        disk_bytes=disk * more,
        measured_s=part,
        duration_s=whole,
    )


def warn(found: Forecast, target: Path) -> None:
    """Says what the run will take if that is much; an error if the disk has less."""
    from acklab.sweeps.estimate import size

    if found.matters:
        print(f"note: this takes {found.told()}", file=sys.stderr)
    there = next(p for p in (target.absolute(), *target.absolute().parents) if p.exists())
    free = shutil.disk_usage(there).free
    if found.disk_bytes > free:
        raise OutputError(
            f"there is no room for {target}: it needs about {size(found.disk_bytes)}, and the disk "
            f"has {size(free)} left\n"
            "  help: make room, choose another folder with --out, or record less"
        )
    memory = _memory()
    if memory is not None and found.memory_bytes > memory:
        print(
            f"warning: the run needs about {size(found.memory_bytes)} of memory, and "
            f"{size(memory)} are free: record less, or a shorter run",
            file=sys.stderr,
        )


def _memory() -> float | None:
    """Bytes that are available, where Linux says so."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def _lengths(scenario: Scenario) -> tuple[float, float]:
    """Seconds of the measured interval, and of that part of it whose packets are recorded.

    The resolved scenario has times as `12.5 s` or `300 ms`.
    """
    import tomllib

    from acklab.twin.live import seconds

    resolved: Mapping[str, Any] = tomllib.loads(scenario.resolved)
    whole, begin = seconds(resolved["duration"]), seconds(resolved["start"])
    first = seconds(resolved["record"].get("from", "0 s"))
    until = resolved["record"].get("until")
    last = begin + whole if until is None else min(begin + whole, seconds(until))
    recorded = last - max(first, begin)
    return whole, min(whole, max(0.0, recorded))
