"""TCP over TACK: each TCP connection becomes a connection of TACK between two proxies."""

from __future__ import annotations

import errno
import itertools
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.tack.addresses import Address, shown
from acklab.tack.connecting import Connection, Listener, connect
from acklab.tack.errors import TackError
from acklab.tack.keys import Key

if TYPE_CHECKING:
    from acklab.tack.recorded import Recorder

#: Bytes that are carried at once.
_CHUNK = 1 << 18
#: Failures of accepting that end by themselves, when other connections do.
_PASSING = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ECONNABORTED)

Told = Callable[[str], None]


def listen_tcp(at: Address) -> socket.socket:
    """A TCP socket that listens.

    Raises:
        TackError: if nothing can listen there.
    """
    try:
        family = socket.AF_INET6 if ":" in at[0] else socket.AF_INET
        return socket.create_server(at, family=family)
    except OSError as e:
        in_use = e.errno == errno.EADDRINUSE
        why = f"TCP port {at[1]} is in use" if in_use else str(e.strerror)
        raise TackError(
            f"cannot listen at {shown(at)}: {why}\n  help: choose another address or port"
        ) from None


class Keeping:
    """Keeps a result folder of each connection that was carried, numbered as they end."""

    def __init__(self, recorder: Recorder, folder: Path, command: str, *, enters: bool) -> None:
        """`enters`: this proxy is the one that TCP clients connect to."""
        self.recorder = recorder
        self._folder, self._command, self._enters = folder, command, enters
        self._numbers = itertools.count(1)

    def keep(self, connection: Connection) -> None:
        """The connection is over. Its flow is the way on which more bytes went."""
        from acklab.tack.recorded import CLIENT, SERVER, keep

        name = f"{next(self._numbers):04}"
        report = connection.report()
        sends = report["acked_bytes"] >= report["received_bytes"]
        there = sends == self._enters
        one = self.recorder.alone(f"{self.recorder.name}-{name}")
        nodes = (CLIENT, SERVER) if there else (SERVER, CLIENT)
        one.add("up" if there else "down", connection, sends=sends, nodes=nodes)
        keep(one.result("between two proxies"), self._folder / name, self._command)


def enter(
    listener: socket.socket,
    server: str,
    key: Key | str | None,
    told: Told,
    keeping: Keeping | None = None,
) -> None:
    """Carries each TCP connection that comes to the proxy at `server`, until it is interrupted."""
    listener.settimeout(0.2)
    while True:
        try:
            tcp, client = listener.accept()
        except TimeoutError:
            continue
        except OSError as e:
            if e.errno not in _PASSING:
                raise
            told(f"a TCP client must wait: {e.strerror}")
            time.sleep(0.2)
            continue
        at = shown((client[0], client[1]))
        _start(tcp.close, _carry_in, tcp, at, server, key, told, keeping)


def leave(listener: Listener, to: Address, told: Told, keeping: Keeping | None = None) -> None:
    """Carries each connection that comes over TACK to the TCP service at `to`, likewise."""
    while True:
        tack = listener.accept(0.2)
        if tack is not None:
            _start(tack.abort, _carry_out, tack, to, told, keeping)


def _start(turn_away: Callable[[], None], work: Callable[..., None], *arguments: Any) -> None:
    try:
        threading.Thread(target=work, args=arguments, daemon=True).start()
    except RuntimeError:
        # There are as many threads as there may be: the connections that have one go on.
        turn_away()


def _carry_in(
    tcp: socket.socket,
    client: str,
    server: str,
    key: Key | str | None,
    told: Told,
    keeping: Keeping | None,
) -> None:
    with tcp:
        try:
            tack = connect(server, key, record=keeping and keeping.recorder)
        except TackError as e:
            _reset(tcp)
            told(f"{client} is turned away: {e}")
            return
        _carry(tcp, tack)
    _keep(keeping, tack, told)


def _carry_out(tack: Connection, to: Address, told: Told, keeping: Keeping | None) -> None:
    try:
        tcp = socket.create_connection(to, timeout=30)
    except OSError as e:
        tack.abort()
        told(f"{shown(tack.peer)} is turned away: no service at {shown(to)}: {e.strerror or e}")
        return
    with tcp:
        tcp.settimeout(None)
        _carry(tcp, tack)
    _keep(keeping, tack, told)


def _keep(keeping: Keeping | None, tack: Connection, told: Told) -> None:
    """The other connections go on if this one cannot be kept."""
    if keeping is None:
        return
    # Both TCP ends are done with it, but its last bytes may still be on their way.
    with suppress(OSError):
        tack.close()
    try:
        keeping.keep(tack)
    except (AcklabError, OSError) as e:
        told(f"{shown(tack.peer)} is not kept: {e}")


def _carry(tcp: socket.socket, tack: Connection) -> None:
    """Carries both ways until both are at their end, or either breaks."""
    with suppress(OSError):
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    back = threading.Thread(target=_from_tack, args=(tcp, tack), daemon=True)
    back.start()
    _from_tcp(tcp, tack)
    back.join()


def _from_tcp(tcp: socket.socket, tack: Connection) -> None:
    buffer = memoryview(bytearray(_CHUNK))
    try:
        while got := tcp.recv_into(buffer):
            tack.write_all(buffer[:got])
        tack.finish()
    except OSError:
        tack.abort()
        _reset(tcp)


def _from_tack(tcp: socket.socket, tack: Connection) -> None:
    buffer = memoryview(bytearray(_CHUNK))
    try:
        while got := tack.readinto(buffer):
            tcp.sendall(buffer[:got])
        tcp.shutdown(socket.SHUT_WR)
    except OSError:
        tack.abort()
        _reset(tcp)


def _reset(tcp: socket.socket) -> None:
    """Breaks a TCP connection off: its peer must not take this for the end of the data."""
    with suppress(OSError):
        linger = b"\1\0\0\0\0\0\0\0"
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        # Ends the wait of the thread that reads. Closing then sends the reset.
        tcp.shutdown(socket.SHUT_RD)
