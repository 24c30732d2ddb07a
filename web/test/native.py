"""What the native core gives for a list of runs, as checksums of columns. See `same.test.ts`."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from acklab import _core, run
from acklab.cli.run import recording
from acklab.places import find
from acklab.scenario import load

TABLES = {
    "flows": _core.Run.flows,
    "links": _core.Run.links,
    "series": _core.Run.flow_series,
    "link_series": _core.Run.link_series,
    "queue_classes": _core.Run.queue_classes,
    "stations": _core.Run.stations,
    "airtime": _core.Run.airtime,
    "ampdu_sizes": _core.Run.ampdu_sizes,
    "events": _core.Run.events,
    "acks": _core.Run.acks,
    "reports": _core.Run.reports,
    "packets": _core.Run.packets,
    "tack_contents": _core.Run.tack_contents,
    "ppdus": _core.Run.ppdus,
}

#: JavaScript's numbers are exact up to here.
EXACT = 1 << 53


def main() -> None:
    """Reads runs from the standard input, writes their checksums."""
    cases = json.load(sys.stdin)
    json.dump([one(case) for case in cases], sys.stdout)


def one(case: dict[str, Any]) -> dict[str, Any]:
    """The checksums of one run."""
    with tempfile.TemporaryDirectory() as folder:
        return in_folder(case, Path(folder))


def in_folder(case: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The same, with a place for files."""
    path = folder / f"{case['name']}.toml"
    if "toml" in case:
        path.write_text(case["toml"])
    else:
        path = find(case["name"])
    began = time.perf_counter()
    overrides = [f"{key}={value}" for key, value in case["set"]]
    more = recording(case["record"], load(path, overrides=overrides).recorded)
    result = run(load(path, overrides=[*overrides, *more]), seed=case["seed"])
    took = time.perf_counter() - began
    core = result._core
    sums = {
        name: {column: checksum(values) for column, values in table(core).items()}
        for name, table in TABLES.items()
    }
    verdicts = [{"met": met, "text": text} for met, text in core.expectations()]
    captured = capture(case, core, folder)
    return {"sums": sums, "expectations": verdicts, "capture": captured, "took": took}


def capture(case: dict[str, Any], core: _core.Run, folder: Path) -> str | None:
    """The checksum of the run's packets as pcapng."""
    if "packets" not in case["record"]:
        return None
    path = folder / "packets.pcapng"
    core.write_pcapng(path, False)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def checksum(values: Any) -> str:
    """The checksum of a column as the page has it."""
    total = hashlib.sha256()
    if isinstance(values, list):
        words, codes = coded(values)
        total.update(json.dumps(words, ensure_ascii=False, separators=(",", ":")).encode())
        total.update(np.array(codes, dtype="<i4").tobytes())
    elif isinstance(values, tuple) and isinstance(values[0], list):
        total.update(json.dumps(values[0], ensure_ascii=False, separators=(",", ":")).encode())
        total.update(values[1].astype("<i4").tobytes())
    elif isinstance(values, tuple):
        ends, flat = values
        total.update(ends.astype("<u4").tobytes())
        total.update(numbers(flat))
    else:
        total.update(numbers(values))
    return total.hexdigest()


def coded(rows: list[str]) -> tuple[list[str], list[int]]:
    """Each word once, and the word of each row."""
    known: dict[str, int] = {}
    codes = [known.setdefault(word, len(known)) for word in rows]
    return list(known), codes


def numbers(values: np.ndarray) -> bytes:
    """The bytes of numbers. Of not-a-number the sign is the processor's choice."""
    if values.dtype == np.uint64:
        assert not len(values) or int(values.max()) <= EXACT
        return values.astype("<f8").tobytes()
    if values.dtype == np.float64:
        return np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes()
    return values.tobytes()


main()
