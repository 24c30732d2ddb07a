"""Connections of TACK whose calls block."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from acklab import _core
from acklab.tack.addresses import Address, resolve, shown
from acklab.tack.errors import TackError
from acklab.tack.keys import Key, own


class Connection:
    """A stream of bytes each way. Leaving a `with` block of it ends it in order."""

    def __init__(self, core: _core.TackConnection, endpoint: _core.TackEndpoint) -> None:
        self._core = core
        # The socket lives as long as somebody has it.
        self._endpoint = endpoint

    @property
    def core(self) -> _core.TackConnection:
        """The core's connection."""
        return self._core

    @property
    def peer(self) -> Address:
        """Where the other end is."""
        return self._core.peer

    def readinto(self, buffer: bytearray | memoryview) -> int:
        """Fills the front of `buffer`, with a byte at least, and returns how much; 0 at the end."""
        return self._core.readinto(buffer)

    def read(self, most: int = 65536) -> bytes:
        """Returns the bytes that arrived, at most `most`; waits for the first. Empty at the end."""
        buffer = bytearray(most)
        return bytes(buffer[: self._core.readinto(buffer)])

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """Takes what there is room for, a byte at least, and returns how much."""
        return self._core.write(data)

    def write_all(self, data: bytes | bytearray | memoryview) -> None:
        """Takes all of `data`."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._core.write(rest) :]

    def finish(self) -> None:
        """Nothing more will be written. Reading goes on."""
        self._core.finish()

    def abort(self) -> None:
        """Breaks the connection off."""
        self._core.abort()

    def close(self) -> None:
        """Finishes, and waits until both ends have everything."""
        self._core.finish()
        self._core.wait_closed()

    def wait_acknowledged(self) -> None:
        """Waits until the other end has everything that was written."""
        try:
            self._core.wait_acknowledged()
        except OSError:
            # If it has closed in order meanwhile, the other end has everything, too.
            self._core.wait_closed()

    def report(self) -> dict[str, Any]:
        """Its counters, and its present state."""
        return self._core.report()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.finish()
        else:
            self.abort()


class Listener:
    """A server's socket."""

    def __init__(self, core: _core.TackEndpoint) -> None:
        self._core = core

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._core.address

    def accept(self, seconds: float | None = None) -> Connection | None:
        """The next connection that somebody opens; None if none comes for so long."""
        came = self._core.accept(seconds)
        return None if came is None else Connection(came, self._core)

    def close(self) -> None:
        """Breaks off every connection."""
        self._core.close()

    def __iter__(self) -> Iterator[Connection]:
        while (came := self.accept()) is not None:
            yield came

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(server: str, key: Key | str | None = None, **options: Any) -> Connection:
    """Opens a connection to a server.

    Args:
        server: its address, such as "host:8225".
        key: the server's public key, or a key that both ends have; the 64 digits, a file, or None
            for a server of the same user.
        options: `mtu`, bytes of an IP packet; `idle`, seconds of silence after which the
            connection is given up; `patience`, seconds for the handshake; `record`, a `Recorder`.

    Raises:
        TackError: if there is no such server, or it has another key or version.
    """
    at = resolve(server, "127.0.0.1")
    meant = own() if key is None else Key.read(key) if isinstance(key, str) else key
    endpoint = _core.TackEndpoint((_any(at), 0), None, **_for_core(options))
    try:
        return Connection(endpoint.connect(at, meant.of_client), endpoint)
    except OSError as e:
        raise TackError(_refused(at, e)) from None


def listen(address: str = "", key: Key | str | None = None, **options: Any) -> Listener:
    """Listens for connections.

    Args:
        address: where, such as ":8225"; by default at that port of every address of this machine.
        key: the server's key pair, or a key that both ends have; None for the user's own pair.
        options: as of `connect`.

    Raises:
        TackError: if nothing can listen there.
    """
    at = resolve(address, "0.0.0.0")
    meant = own() if key is None else Key.read(key) if isinstance(key, str) else key
    try:
        return Listener(_core.TackEndpoint(at, meant.of_server, **_for_core(options)))
    except OSError as e:
        raise TackError(_not_here(at, e)) from None


def _for_core(options: dict[str, Any]) -> dict[str, Any]:
    record = options.get("record")
    return options if record is None else options | {"record": record.core}


def _any(server: Address) -> str:
    return "::" if ":" in server[0] else "0.0.0.0"


def _refused(at: Address, e: OSError) -> str:
    why = f"no connection to {shown(at)}: {e.strerror or e}"
    if isinstance(e, PermissionError):
        return f"{why}\n  help: give the key that the server shows, with --key"
    return why


def _not_here(at: Address, e: OSError) -> str:
    what = f"cannot listen at {shown(at)}"
    if e.errno == errno.EADDRINUSE:
        return (
            f"{what}: UDP port {at[1]} is in use\n"
            f"  help: end the other program, or choose another port, such as :{at[1] + 1}"
        )
    if e.errno == errno.EADDRNOTAVAIL:
        return f"{what}: this machine does not have that address\n  help: give only :{at[1]}"
    if e.errno in (errno.EACCES, errno.EPERM):
        return f"{what}: not permitted\n  help: choose a port from 1024 on, such as :8225"
    return f"{what}: {e.strerror or e}"
