"""Messages between the two ends of a file transfer, as frames on a byte stream.

A frame is a kind (one byte), a length (four bytes, big endian) and a body. The body of a message
is JSON; that of a block is a digest and data. The digest covers the file from its first byte to
the end of the block, so a block that is missing, doubled, moved or damaged does not pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Protocol, TypeVar

import msgspec

from acklab.errors import AcklabError

#: Counts up when older versions would misunderstand newer ones.
VERSION = 1
#: Bytes of data in a full block.
BLOCK = 256 << 10
#: Bytes of a SHA-256 digest.
DIGEST = 32
#: The longest message, in bytes. A name has 255 at most, and JSON may take six for one.
MESSAGE = 4096

#: The longest reason, in characters.
REASON = 500

_WORDS, _BLOCK = 1, 2
_HEAD = 5

Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]


class Readable(Protocol):
    """A file to be sent."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Fills the front of `buffer` and returns how much; 0 at the end."""

    def seek(self, offset: int, /) -> int:
        """Goes to that byte."""


class Stream(Protocol):
    """A byte stream in both directions."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fills the front of `buffer` and returns how much; 0 at the end."""

    def write(self, data: bytes | memoryview, /) -> int:
        """Takes some of `data` and returns how much."""


class Offer(msgspec.Struct, tag="offer", forbid_unknown_fields=True):
    """The sender has a file. `size` is None where its end is not known."""

    version: int
    name: str
    size: Count | None


class Resume(msgspec.Struct, tag="resume", forbid_unknown_fields=True):
    """The receiver has `offset` bytes with this digest."""

    offset: Count
    digest: str


class Begin(msgspec.Struct, tag="begin", forbid_unknown_fields=True):
    """Blocks follow from `offset`: where the receiver is, or 0 if it has something else."""

    offset: Count


class Kept(msgspec.Struct, tag="kept", forbid_unknown_fields=True):
    """The receiver has written everything up to `offset`."""

    offset: Count


class End(msgspec.Struct, tag="end", forbid_unknown_fields=True):
    """The file is complete: its size and its digest."""

    size: Count
    digest: str


class Done(msgspec.Struct, tag="done", forbid_unknown_fields=True):
    """The receiver has the whole file under its final name."""

    size: Count
    digest: str


class Refusal(msgspec.Struct, tag="refusal", forbid_unknown_fields=True):
    """One end stops, and says why."""

    why: str


Message = Offer | Resume | Begin | Kept | End | Done | Refusal
M = TypeVar("M", bound=Message)

_decode: Callable[[bytes], Message] = msgspec.json.Decoder(Message).decode
_encode = msgspec.json.Encoder().encode


class TransferError(AcklabError):
    """A file did not get through; the text says why and what to do."""


class PeerGone(TransferError):
    """The stream ended in the middle of a transfer."""


class Refused(TransferError):
    """The other end stopped the transfer."""


class Block(msgspec.Struct):
    """Data with the digest of the file up to its end. Valid until the next frame is read."""

    digest: bytes
    data: memoryview


class Frames:
    """Reads and writes frames on a stream."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._buffer = memoryview(bytearray(max(MESSAGE, DIGEST + BLOCK)))

    def say(self, message: Message) -> None:
        """Sends a message."""
        body = _encode(message)
        self._write(_head(_WORDS, len(body)) + body)

    def refuse(self, why: str) -> None:
        """Sends the reason why this end stops, shortened if it is long."""
        self.say(Refusal(why[:REASON]))

    def send_block(self, digest: bytes, data: memoryview) -> None:
        """Sends data."""
        self._write(_head(_BLOCK, DIGEST + len(data)) + digest)
        self._write(data)

    def read(self) -> Message | Block:
        """The next frame.

        Raises:
            PeerGone: if the stream ends.
            Refused: if the other end stops the transfer.
            TransferError: if it is no frame.
        """
        head = bytes(self._read(_HEAD))
        kind, length = head[0], int.from_bytes(head[1:])
        if kind == _BLOCK and DIGEST < length <= DIGEST + BLOCK:
            body = self._read(length)
            return Block(bytes(body[:DIGEST]), body[DIGEST:])
        if kind == _WORDS and length <= MESSAGE:
            return _understood(bytes(self._read(length)))
        raise TransferError(
            "the other end does not speak acklab's file transfer\n"
            "  help: use `acklab tack send` on one side and `acklab tack recv` on the other"
        )

    def expect(self, kind: type[M]) -> M:
        """The next frame, which must be a message of this kind."""
        frame = self.read()
        if not isinstance(frame, kind):
            raise TransferError(f"the other end sent {_name(frame)} instead of {_name(kind)}")
        return frame

    def _read(self, size: int) -> memoryview:
        part = self._buffer[:size]
        filled = 0
        while filled < size:
            try:
                got = self._stream.readinto(part[filled:])
            except OSError as e:
                raise PeerGone(f"the connection failed: {e.strerror or e}") from None
            if got == 0:
                raise PeerGone("the other end went away")
            filled += got
        return part

    def _write(self, data: bytes | memoryview) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._stream.write(rest) :]
            except OSError as e:
                raise PeerGone(f"the connection failed: {e.strerror or e}") from None


def _head(kind: int, length: int) -> bytes:
    return bytes([kind]) + length.to_bytes(4)


def _understood(body: bytes) -> Message:
    try:
        message = _decode(body)
    except msgspec.MsgspecError as e:
        raise TransferError(f"the other end sent a message that cannot be read: {e}") from None
    if isinstance(message, Refusal):
        raise Refused(plain(message.why))
    return message


def plain(text: str) -> str:
    """Text of the other end, without control characters that a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _name(of: object) -> str:
    kind = of if isinstance(of, type) else type(of)
    return kind.__name__.lower()
