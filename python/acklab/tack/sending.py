"""The sending end of a file transfer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from acklab.tack.messages import (
    BLOCK,
    VERSION,
    Begin,
    Done,
    End,
    Frames,
    Kept,
    Offer,
    PeerGone,
    Readable,
    Resume,
    Stream,
    TransferError,
)

#: Bytes that may be under way beyond what the receiver has written: 2.7 Gbit/s at 200 ms.
WINDOW = 64 << 20

#: Told how many bytes the receiver has, after each block.
Progress = Callable[[int], None]


def send(
    stream: Stream,
    source: Readable,
    name: str,
    size: int | None,
    progress: Progress = lambda _: None,
) -> Done:
    """Sends `source` from its start, or goes on where an earlier transfer ended.

    Args:
        stream: a connection to somebody who calls `receive`.
        source: the file; if `size` is None, anything that can be read.
        name: what the receiver may call it.
        size: bytes of the file; None: it ends when it ends, and is always sent from the start.
        progress: is told how far the transfer is.

    Returns:
        What the receiver confirmed: the file is complete under its final name.

    Raises:
        TransferError: if the file changed, or the receiver stopped or vanished.
    """
    told = [0]

    def tell(at: int) -> None:
        told[0] = at
        progress(at)

    try:
        return _send(Frames(stream), source, name, size, tell)
    except PeerGone as e:
        raise PeerGone(_vanished(e, told[0], size)) from None


def _vanished(e: PeerGone, at: int, size: int | None) -> str:
    of = "" if size is None else f" of {size}"
    again = "the transfer goes on from where it ended" if size is not None else "it starts anew"
    return (
        f"{e}, after {at}{of} bytes were sent\n"
        f"  help: start the receiver again if it ended, and run the same command again; {again}"
    )


def _send(
    frames: Frames, source: Readable, name: str, size: int | None, progress: Progress
) -> Done:
    frames.say(Offer(VERSION, name, size))
    has = frames.expect(Resume)
    hashed, at = _begin(frames, source, size, has)
    progress(at)
    kept = at
    buffer = memoryview(bytearray(BLOCK))
    while got := _fill(source, buffer):
        block = buffer[:got]
        hashed.update(block)
        at += got
        if size is not None and at > size:
            break
        frames.send_block(hashed.digest(), block)
        while at - kept > WINDOW:
            kept = frames.expect(Kept).offset
        progress(at)
    if size is not None and at != size:
        _stop(frames, f"{name} changed while it was sent", "send it again when it is complete")
    frames.say(End(at, hashed.hexdigest()))
    done = _done(frames)
    if (done.size, done.digest) != (at, hashed.hexdigest()):
        raise TransferError("the receiver confirmed another file than the one that was sent")
    return done


def _begin(
    frames: Frames, source: Readable, size: int | None, has: Resume
) -> tuple[hashlib._Hash, int]:
    """Agrees on where to begin. Reads what the receiver has, to compare it."""
    hashed = hashlib.sha256()
    if size is not None and 0 < has.offset <= size:
        left = has.offset
        buffer = memoryview(bytearray(BLOCK))
        while left and (got := _fill(source, buffer[: min(left, BLOCK)])):
            hashed.update(buffer[:got])
            left -= got
        if not left and hashed.hexdigest() == has.digest:
            frames.say(Begin(has.offset))
            return hashed, has.offset
        source.seek(0)
    frames.say(Begin(0))
    return hashlib.sha256(), 0


def _done(frames: Frames) -> Done:
    while True:
        message = frames.read()
        if isinstance(message, Done):
            return message
        if not isinstance(message, Kept):
            raise TransferError("the receiver did not confirm the file")


def _stop(frames: Frames, why: str, advice: str) -> None:
    frames.refuse(f"the sender stopped: {why}")
    raise TransferError(f"{why}\n  help: {advice}")


def _fill(source: Readable, buffer: memoryview) -> int:
    """Reads until `buffer` is full or the source ends."""
    filled = 0
    while filled < len(buffer):
        got = source.readinto(buffer[filled:])
        if not got:
            break
        filled += got
    return filled
