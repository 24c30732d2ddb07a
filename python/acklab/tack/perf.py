"""How fast a path is: bulk transfers over TACK, with what both ends counted.

The client opens a connection for control and one for each stream. Control carries lines of JSON:
what is to be done, and at the end what the server counted.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from acklab.tack.addresses import shown
from acklab.tack.connecting import Connection, Listener, connect
from acklab.tack.errors import TackError
from acklab.tack.keys import Key

if TYPE_CHECKING:
    from acklab.tack.recorded import Recorder

#: Counts up when older versions would misunderstand newer ones.
VERSION = 1
#: Bytes by which a stream says which test it belongs to; one more says which stream it is.
_TOKEN = 15
#: Bytes that are written and read at once.
_CHUNK = 1 << 20
#: The longest line of control, in bytes.
_LINE = 1 << 20
#: The longest test and the most streams that a server takes part in.
MOST_SECONDS, MOST_STREAMS = 3600.0, 128
#: How long a server waits for the streams of a test, in seconds.
_PATIENCE = 15.0


@dataclass(frozen=True)
class Moved:
    """Result of one end of a stream."""

    #: Payload bytes that it wrote or read.
    bytes: int
    #: Seconds from the first to the last.
    seconds: float
    #: Counters of the connection, as of the end.
    report: dict[str, Any]


@dataclass(frozen=True)
class Measured:
    """A test: what each stream's sender and receiver did, in the order of the streams."""

    sent: list[Moved]
    received: list[Moved]

    @property
    def goodput_mbps(self) -> float:
        """Goodput of all receivers together, over the time of the longest stream."""
        seconds = max((m.seconds for m in self.received), default=0.0)
        return sum(m.bytes for m in self.received) * 8e-6 / seconds if seconds else 0.0


def measure(
    server: str,
    key: Key | str | None,
    *,
    seconds: float = 10.0,
    streams: int = 1,
    reverse: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    recorder: Recorder | None = None,
    **options: Any,
) -> Measured:
    """Runs a test with somebody who calls `serve`.

    Args:
        server: as of `connect`, like `key` and `options`.
        seconds: how long senders write.
        streams: connections at once.
        reverse: whether the server sends.
        progress: is told how many bytes more were written or read here.
        recorder: gets this end of each stream, as `stream-0` and so on.

    Raises:
        TackError: if there is no such server, it refuses, or a connection breaks.
    """
    token = secrets.token_bytes(_TOKEN)
    work = {
        "acklab-perf": VERSION,
        "token": token.hex(),
        "seconds": seconds,
        "streams": streams,
        "reverse": reverse,
    }
    control = connect(server, key, **options)
    try:
        with control:
            _say(control, work)
            _answer(control)
            lines = [connect(server, key, record=recorder, **options) for _ in range(streams)]
            for number, line in enumerate(lines):
                line.write_all(token + bytes([number]))
            with ThreadPoolExecutor(streams) as pool:
                ours = list(pool.map(lambda c: _move(c, not reverse, seconds, progress), lines))
            theirs = [Moved(**m) for m in _answer(control)["streams"]]
    except OSError as e:
        raise TackError(f"the test with {shown(control.peer)} broke off: {e}") from None
    if recorder is not None:
        for number, (line, peer) in enumerate(zip(lines, theirs, strict=True)):
            _record(recorder, number, line, peer, reverse)
    return Measured(theirs, ours) if reverse else Measured(ours, theirs)


def _record(recorder: Recorder, number: int, line: Connection, peer: Moved, reverse: bool) -> None:
    from acklab.tack.recorded import CLIENT, SERVER

    recorder.add(
        f"stream-{number}",
        line,
        sends=not reverse,
        nodes=(SERVER, CLIENT) if reverse else (CLIENT, SERVER),
        peer=peer.report,
    )


def serve(
    listener: Listener, told: Callable[[str], None] = lambda _: None, *, once: bool = False
) -> None:
    """Takes part in tests, several at a time, until it is interrupted; or in one.

    `told` is given a line about each.
    """
    tests = _Tests()
    while True:
        came = listener.accept(0.2)
        if came is not None:
            _start(came, tests, told)
        if once and tests.ended.is_set():
            return


class _Tests:
    """Tests that are under way, by their tokens."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.streams: dict[bytes, dict[int, Connection]] = {}
        self.ended = threading.Event()

    def join(self, token: bytes, number: int, stream: Connection) -> bool:
        """Whether a test wants this stream."""
        with self.lock:
            if token not in self.streams:
                return False
            self.streams[token][number] = stream
            self.lock.notify_all()
            return True

    def gather(self, token: bytes, streams: int) -> list[Connection]:
        with self.lock:
            found = self.streams[token]
            if not self.lock.wait_for(lambda: len(found) == streams, _PATIENCE):
                raise TackError(f"{len(found)} of {streams} streams came")
            return [found[i] for i in sorted(found)]


def _start(came: Connection, tests: _Tests, told: Callable[[str], None]) -> None:
    try:
        threading.Thread(target=_take_part, args=(came, tests, told), daemon=True).start()
    except RuntimeError:
        # There are as many threads as there may be: the tests under way go on.
        came.abort()


def _take_part(connection: Connection, tests: _Tests, told: Callable[[str], None]) -> None:
    try:
        first = _exactly(connection, _TOKEN + 1)
        if tests.join(first[:_TOKEN], first[_TOKEN], connection):
            return
        with connection:
            _control(connection, first, tests, told)
    except (
        TackError,
        OSError,
        KeyError,
        TypeError,
        ValueError,
        OverflowError,
        RecursionError,
    ) as e:
        connection.abort()
        told(f"a client at {shown(connection.peer)} is turned away: {e}")


def _control(
    connection: Connection, first: bytes, tests: _Tests, told: Callable[[str], None]
) -> None:
    work = json.loads(first + _line(connection))
    if work["acklab-perf"] != VERSION:
        _say(connection, {"refused": f"the server speaks version {VERSION} of the test"})
        return
    token, seconds = bytes.fromhex(work["token"]), float(work["seconds"])
    streams, sends = int(work["streams"]), bool(work["reverse"])
    if not (0 < seconds <= MOST_SECONDS and 0 < streams <= MOST_STREAMS):
        why = f"the server takes at most {MOST_SECONDS:g} s and {MOST_STREAMS} streams"
        _say(connection, {"refused": why})
        return
    tests.streams[token] = {}
    try:
        _say(connection, {"ready": True})
        lines = tests.gather(token, streams)
        with ThreadPoolExecutor(streams) as pool:
            moved = list(pool.map(lambda c: _move(c, sends, seconds, lambda _: None), lines))
    finally:
        del tests.streams[token]
    _say(connection, {"streams": [vars(m) for m in moved]})
    rate = Measured([], moved).goodput_mbps
    told(f"{shown(connection.peer)}: {'sent' if sends else 'received'} {rate:.1f} Mbit/s")
    connection.finish()
    connection.read()
    tests.ended.set()


def _move(
    stream: Connection, sends: bool, seconds: float, progress: Callable[[int], None]
) -> Moved:
    total, first = 0, monotonic()
    buffer = bytearray(_CHUNK)
    if sends:
        end = first + seconds
        while monotonic() < end:
            taken = stream.write(buffer)
            total += taken
            progress(taken)
        stream.finish()
        stream.wait_acknowledged()
    else:
        while got := stream.readinto(buffer):
            total += got
            progress(got)
        stream.finish()
    return Moved(total, monotonic() - first, stream.report())


def _say(connection: Connection, what: dict[str, Any]) -> None:
    connection.write_all(json.dumps(what).encode() + b"\n")


def _answer(connection: Connection) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(_line(connection))
    if "refused" in answer:
        raise TackError(f"the server refuses the test: {answer['refused']}")
    return answer


def _line(connection: Connection) -> bytes:
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = connection.read(1)
        if not byte or len(line) > _LINE:
            raise TackError("the other end does not speak `acklab tack perf`")
        line += byte
    return bytes(line)


def _exactly(connection: Connection, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.read(size - len(data))
        if not more:
            raise TackError("it said nothing")
        data += more
    return data
