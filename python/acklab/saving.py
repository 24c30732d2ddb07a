"""A result as a folder that explains itself."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING

from acklab.folder import FORMAT, MARKER
from acklab.sealed import sealed

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result


#: The resolved scenario's file.
SCENARIO = "scenario.toml"


def save(result: Result, folder: Path, command: str) -> None:
    """Writes the result's tables, its resolved scenario, and how to get it again."""
    texts = {SCENARIO: result.scenario.resolved, **result.scenario.files}
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    radio = ("stations", "airtime", "ampdu_sizes") if len(result.airtime) else ()
    classes = ("queue_classes",) if len(result.queue_classes) else ()
    tables = ("flows", "links", "series", "link_series", *classes, *radio, *one_by_one(result))
    for name in tables:
        parquet(getattr(result, name), folder / f"{name}.parquet")
    about = {
        "format": FORMAT,
        "scenario": result.scenario.name,
        "seed": result.seed,
        "version": result.version,
        "made": result.made,
        "command": command,
        "again": f"acklab run scenario.toml --seed {result.seed}",
        "recorded": result.recorded,
        "cost": result.cost,
        "expectations": [{"text": v.text, "met": v.met} for v in result.expectations()],
        "sha256": {
            **{f"{t}.parquet": digest(folder / f"{t}.parquet") for t in tables},
            **{name: digest(folder / name) for name in texts},
        },
    }
    (folder / MARKER).write_text(sealed(about))


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def one_by_one(result: Result) -> list[str]:
    """The tables of single events that were recorded."""
    names: list[str] = [
        name for name in ("events", "acks", "packets", "ppdus") if name in result.recorded
    ]
    # Of TACK alone; other runs' folders stay as they are.
    return [*names, "reports"] if "acks" in names and len(result.reports) else names


def parquet(frame: pl.DataFrame, path: Path | IO[bytes]) -> None:
    """Writes `frame`; the bytes depend on nothing but the frame."""
    from polars.exceptions import PolarsError

    try:
        frame.write_parquet(path, compression="zstd", row_group_size=1 << 17)
    except PolarsError as e:
        # So Polars reports a full disk, for one, as if the file were wrong.
        if os.strerror(errno.ENOSPC) in str(e):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from e
        raise OSError(str(e)) from e
