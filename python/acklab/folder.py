"""Result folders: checked before the run, complete or absent after it."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path

from acklab import _core
from acklab.errors import OutputError
from acklab.holding import swapping

#: Every folder that acklab may replace has this file.
MARKER = "run.json"

#: Counts up when older versions could not read a folder any more.
FORMAT = 1


@contextmanager
def result_folder(target: Path) -> Iterator[Path]:
    """A scratch folder that becomes `target` when the block ends well, and vanishes otherwise.

    Entering it proves that `target` can be written, so enter it before the work begins. An
    `OSError` within the block counts as a failure to write.
    """
    target = target.absolute()
    check_name(target)
    _check_replaceable(target)
    with _made_if_kept(target.parent):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        except OSError as e:
            raise OutputError(_reason(target, e)) from None
        try:
            with unfinished(scratch):
                yield scratch
                scratch.chmod(0o755)
                _replace(scratch, target)
        except OSError as e:
            raise OutputError(_reason(target, e)) from None


def check_name(path: Path) -> None:
    """An error if a name is not UTF-8, as those of Parquet's writer must be."""
    try:
        os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError:
        raise OutputError(
            f"cannot use the path {os.fsencode(path)!r}: it is not UTF-8 text\n"
            "  help: rename it, or choose another with --out"
        ) from None


@contextmanager
def unfinished(path: Path) -> Iterator[None]:
    """`path`, a file or a folder, is half written within the block and gone after it.

    It is gone, too, when the process ends within the block without running any more of it.
    """
    _core.unfinished(path, False)
    try:
        yield
    finally:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
        _core.finished(path)


@contextmanager
def _made_if_kept(folder: Path) -> Iterator[None]:
    """Removes the folders that the block makes of `folder` and around it if they are left empty."""
    made = [f for f in (folder, *folder.parents) if not os.path.lexists(f)]
    for f in made:
        _core.unfinished(f, True)
    try:
        yield
    finally:
        for f in made:
            with suppress(OSError):
                f.rmdir()
            _core.finished(f)


def _check_replaceable(target: Path) -> None:
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise OutputError(
            f"cannot write results to {target}: it is a file, not a folder\n"
            "  help: choose another folder with --out"
        )
    if any(target.iterdir()) and not (target / MARKER).is_file():
        raise OutputError(
            f"will not replace {target}: it is not empty and holds no acklab results\n"
            "  help: choose another folder with --out"
        )


def _replace(scratch: Path, target: Path) -> None:
    if not target.exists():
        with swapping():
            scratch.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old.", dir=target.parent))
    with unfinished(old), swapping():
        target.rename(old / "was")
        try:
            scratch.rename(target)
        except OSError:
            (old / "was").rename(target)
            raise
        _carry_over(old / "was", target)


#: Files of a result, in patterns; all others in its folder are the user's.
_OWN = (
    MARKER,
    "scenario.toml",
    *(f"{t}.parquet" for t in ("flows", "links", "series", "link_series")),
    *(f"{t}.parquet" for t in ("events", "acks", "reports", "packets", "ppdus")),
    *(f"{t}.parquet" for t in ("airtime", "stations", "ampdu_sizes", "queue_classes")),
    "packets.pcapng",
    "*.monitor.pcapng",
    "*.sqlog",
    "*.flent.gz",
    "flowmon.xml",
    "report.html",
)


def _carry_over(old: Path, new: Path) -> None:
    """Moves the user's own files from a result that was replaced to the one in its place."""
    drawn = _names_of_plots()
    for path in sorted(old.rglob("*")):
        name = path.relative_to(old)
        if path.is_dir() and not path.is_symlink():
            continue
        own = any(fnmatch(name.as_posix(), pattern) for pattern in (*_OWN, *drawn))
        if not own and not os.path.lexists(new / name):
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            path.rename(new / name)


def _names_of_plots() -> list[str]:
    """Default files of `acklab plot`: figures of the result that is gone."""
    from acklab.plots.kinds import KINDS

    return [f"plots/{kind}.*" for kind in KINDS]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Writes a file that is complete or absent."""
    data = content.encode() if isinstance(content, str) else content
    with scratch_file(path) as scratch:
        scratch.write_bytes(data)


@contextmanager
def scratch_file(path: Path) -> Iterator[Path]:
    """The name of a file that becomes `path` when the block ends well, and vanishes otherwise."""
    if path.name in ("", ".."):
        raise OutputError(
            f"cannot write results to {path}: it is a folder\n  help: choose another file"
        )
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(scratch):
            yield scratch
            scratch.replace(path)
    except OSError as e:
        raise OutputError(_reason(path, e, "another file")) from None


@contextmanager
def writable_folder(folder: Path) -> Iterator[None]:
    """Creates `folder` if need be and proves that files can be made in it.

    If the block leaves it empty, what was created is removed again.
    """
    folder = folder.absolute()
    with _made_if_kept(folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Hidden, as all that is not a result yet: a kill may leave it.
            with tempfile.NamedTemporaryFile(dir=folder, prefix="."):
                pass
        except OSError as e:
            raise OutputError(_reason(folder, e)) from None
        yield


def _reason(target: Path, e: OSError, other: str = "another folder with --out") -> str:
    room = "make room, or " if e.errno == errno.ENOSPC else ""
    return f"cannot write results to {target}: {_why(target, e)}\n  help: {room}choose {other}"


def _why(target: Path, e: OSError) -> object:
    """The system's message; of a file where a folder should be it says little."""
    if e.errno == errno.EISDIR:
        return "it is a folder"
    whole = (target, *target.parents)
    in_the_way = next((p for p in whole if p.exists() and not p.is_dir()), None)
    if e.errno in (errno.EEXIST, errno.ENOTDIR) and in_the_way is not None:
        kind = "a file" if in_the_way.is_file() else "a device"
        return f"{'it' if in_the_way == target else in_the_way} is {kind}, not a folder"
    return e.strerror or e
