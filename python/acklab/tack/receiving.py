"""The receiving end of a file transfer.

What arrives goes into `.NAME.part` beside the final name. It gets the final name in one step, once
it is complete and on the disk. If either end dies before, the next transfer goes on from there.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path

from acklab.tack.messages import (
    BLOCK,
    MESSAGE,
    VERSION,
    Begin,
    Block,
    Done,
    End,
    Frames,
    Kept,
    Message,
    Offer,
    PeerGone,
    Readable,
    Refused,
    Resume,
    Stream,
    TransferError,
    plain,
)

#: The sender hears how far the file is whenever so many bytes more were written.
KEPT_EVERY = 4 << 20
#: A refused sender is heard for so many bytes more: it has at most a window under way.
_UNDER_WAY = 80 << 20

#: Seconds within which a sender must say what it offers: others wait for it.
PATIENCE = 10.0

#: Told the offer once, and then how many bytes there are.
Progress = Callable[[Offer, int], None]


@dataclass(frozen=True)
class Received:
    """A file that is complete."""

    path: Path
    size: int
    #: SHA-256, hexadecimal.
    digest: str
    #: Bytes of it that were there before.
    resumed: int


def receive(
    stream: Stream,
    target: Path,
    *,
    overwrite: bool = False,
    progress: Progress = lambda _offer, _bytes: None,
    give_up: Callable[[], object] | None = None,
) -> Received:
    """Receives one file.

    Args:
        stream: a connection to somebody who calls `send`.
        target: a folder, in which the file gets the sender's name; or the name of the file.
        overwrite: whether a file of that name may be replaced.
        progress: is told how far the transfer is.
        give_up: ends the connection of a sender that has offered nothing within ten seconds.

    Raises:
        TransferError: if the file cannot be written, or the sender stopped or vanished. The sender
            was told as far as possible. What has arrived is kept for the next time.
    """
    frames = Frames(stream)
    with _impatient(give_up):
        offer = frames.expect(Offer)
    with _telling(frames):
        if offer.version != VERSION:
            raise TransferError(
                f"the sender speaks version {offer.version} of the file transfer, the receiver"
                f" version {VERSION}\n  help: use the same version of acklab at both ends"
            )
        path = _path(target, offer.name)
        # From here on the name is only shown, on a terminal perhaps.
        offer.name = plain(offer.name)
        whole = _present(path, offer, overwrite)
        if whole is not None:
            return _again(frames, offer, whole, path)
        with _partial(path) as file:
            return _receive(frames, offer, file, path, overwrite, progress)


@contextmanager
def _impatient(give_up: Callable[[], object] | None) -> Iterator[None]:
    if give_up is None:
        yield
        return
    timer = threading.Timer(PATIENCE, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _receive(
    frames: Frames,
    offer: Offer,
    file: BufferedRandom,
    path: Path,
    overwrite: bool,
    progress: Progress,
) -> Received:
    hashed, at = hashlib.sha256(), 0
    # The sender chooses the size. If it learnt the digest of any beginning of what is here, it
    # could find out the bytes one by one, whoever sent them.
    if offer.size is not None and os.fstat(file.fileno()).st_size <= offer.size:
        hashed, at = _hashed(file, offer.size)
    frames.say(Resume(at, hashed.hexdigest()))
    begin = frames.expect(Begin).offset
    if begin != at:
        if begin != 0:
            raise TransferError(f"the sender begins at byte {begin} instead of {at}")
        hashed, at = hashlib.sha256(), 0
    file.seek(at)
    file.truncate()
    resumed = told = at
    progress(offer, at)
    while isinstance(frame := _next(frames, at, offer), Block):
        if offer.size is not None and at + len(frame.data) > offer.size:
            raise TransferError(f"the sender sent more than the {offer.size} bytes that it offered")
        hashed.update(frame.data)
        if hashed.digest() != frame.digest:
            raise TransferError(
                f"the data after byte {at} are not what the sender sent\n"
                "  help: run the same commands again; the transfer goes on from there"
            )
        file.write(frame.data)
        at += len(frame.data)
        if at - told >= KEPT_EVERY:
            file.flush()
            told = at
            frames.say(Kept(at))
        progress(offer, at)
    if not isinstance(frame, End) or (frame.size, frame.digest) != (at, hashed.hexdigest()):
        raise TransferError("the sender did not finish the file")
    file.flush()
    os.fsync(file.fileno())
    _finish(path, overwrite)
    frames.say(Done(at, hashed.hexdigest()))
    return Received(path, at, hashed.hexdigest(), resumed)


def _next(frames: Frames, at: int, offer: Offer) -> Block | Message:
    try:
        return frames.read()
    except PeerGone as e:
        of = "" if offer.size is None else f" of {offer.size}"
        again = "the transfer goes on from there" if offer.size is not None else "it starts anew"
        raise PeerGone(
            f"{e}, when {at}{of} bytes of {offer.name} were here\n"
            f"  help: run the same commands again; {again}"
        ) from None


def check_target(target: Path) -> None:
    """Makes sure that a file can be written there, before a sender comes.

    Raises:
        TransferError: if there is no such folder, or it takes no file.
    """
    folder = target if target.is_dir() else target.parent
    if not folder.is_dir():
        raise TransferError(_no_folder(folder))
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as e:
        # The name of the file that was tried says nothing.
        e.filename = str(folder)
        raise TransferError(_reason(e)) from None


def _no_folder(folder: Path) -> str:
    return f"there is no folder {folder}\n  help: make it, or choose another place with --out"


def _path(target: Path, name: str) -> Path:
    """Where the file goes. A sender chooses a name, but no folder."""
    if not target.is_dir():
        if not target.parent.is_dir():
            raise TransferError(_no_folder(target.parent))
        return target
    # A hidden file may be one that a shell or an editor obeys, or the unfinished part of another.
    fine = name != "" and name[0] != "." and "/" not in name and name.isprintable()
    if not fine or len(f".{name}.part".encode()) > 255:
        raise TransferError(
            f"the sender calls the file {name!r}, which is no name that it could have here\n"
            "  help: let the receiver choose the name with --out"
        )
    return target / name


def _present(path: Path, offer: Offer, overwrite: bool) -> tuple[int, str] | None:
    """Size and digest of a file that is there already and may be the one that is offered."""
    if overwrite or not os.path.lexists(path):
        return None
    if path.is_file() and path.stat().st_size == offer.size:
        with path.open("rb") as file:
            hashed, size = _hashed(file, offer.size)
        return size, hashed.hexdigest()
    raise TransferError(_exists(path))


def _again(frames: Frames, offer: Offer, whole: tuple[int, str], path: Path) -> Received:
    """The file is there; if it is the same, there is nothing to send."""
    size, digest = whole
    frames.say(Resume(size, digest))
    begin = frames.expect(Begin).offset
    # An empty file begins where it ends.
    if begin != size:
        raise TransferError(_exists(path))
    end = frames.expect(End)
    if (end.size, end.digest) != whole:
        raise TransferError(_exists(path))
    frames.say(Done(size, digest))
    return Received(path, size, digest, size)


def _exists(path: Path) -> str:
    return (
        f"the receiver has another {path.name} already\n"
        "  help: start the receiver with --overwrite, or choose another name with --out"
    )


@contextmanager
def _partial(path: Path) -> Iterator[BufferedRandom]:
    """The unfinished file, which belongs to this process while it is open."""
    part = _part(path)
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    with open(descriptor, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TransferError(_busy(path)) from None
        # Between the opening and the lock another transfer may have finished with it.
        if not _is(part, descriptor):
            raise TransferError(_busy(path))
        yield file


def _busy(path: Path) -> str:
    return (
        f"another transfer of {path.name} is under way\n"
        "  help: wait for its end, or choose another name with --out"
    )


def _is(path: Path, descriptor: int) -> bool:
    """Whether `path` is the file that is open."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def _hashed(file: Readable, most: int) -> tuple[hashlib._Hash, int]:
    """Digest and number of the bytes that are there, up to `most`."""
    hashed, at = hashlib.sha256(), 0
    buffer = memoryview(bytearray(BLOCK))
    while at < most:
        got = file.readinto(buffer[: min(BLOCK, most - at)])
        if not got:
            break
        hashed.update(buffer[:got])
        at += got
    return hashed, at


def _finish(path: Path, overwrite: bool) -> None:
    """Gives the unfinished file its name, and puts that on the disk."""
    part = _part(path)
    if overwrite:
        part.replace(path)
    else:
        try:
            # A link does not replace what somebody else made meanwhile.
            os.link(part, path)
        except FileExistsError:
            raise TransferError(_exists(path)) from None
        part.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _telling(frames: Frames) -> Iterator[None]:
    """Tells the sender why the receiver stops."""
    try:
        yield
    except OSError as e:
        error = TransferError(_reason(e))
        _refuse(frames, error)
        raise error from None
    except (PeerGone, Refused):
        raise
    except TransferError as e:
        _refuse(frames, e)
        raise


def _refuse(frames: Frames, error: TransferError) -> None:
    try:
        frames.refuse(str(error))
        # Closing now would lose data under way, and the refusal with them.
        left = _UNDER_WAY
        while left > 0:
            frame = frames.read()
            left -= len(frame.data) if isinstance(frame, Block) else MESSAGE
    except (TransferError, OSError):
        return


def _reason(e: OSError) -> str:
    where = f" {e.filename}" if e.filename else " the file"
    if e.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            "the receiver's disk is full\n"
            "  help: make room there and run the same commands again;"
            " the transfer goes on from there"
        )
    if e.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            f"the receiver may not write{where}\n"
            "  help: start the receiver in a folder that it may write, or choose one with --out"
        )
    return (
        f"the receiver cannot write{where}: {e.strerror or e}\n"
        "  help: choose another folder with --out"
    )
