"""TACK on real networks: connections, and files over them.

    with acklab.tack.listen(":8225") as server:      # here
        connection = server.accept()
    with acklab.tack.connect("host:8225", key) as connection:      # there
        connection.write_all(b"hello")

In an event loop: `await acklab.tack.open_connection(...)` and `acklab.tack.serve(...)`.
"""

from __future__ import annotations

from acklab.tack.asynchronous import AsyncConnection, open_connection, serve
from acklab.tack.connecting import Connection, Listener, connect, listen
from acklab.tack.errors import TackError
from acklab.tack.keys import Key
from acklab.tack.messages import PeerGone, Refused, TransferError
from acklab.tack.receiving import Received, receive
from acklab.tack.recorded import Recorder
from acklab.tack.sending import send

__all__ = [
    "AsyncConnection",
    "Connection",
    "Key",
    "Listener",
    "PeerGone",
    "Received",
    "Recorder",
    "Refused",
    "TackError",
    "TransferError",
    "connect",
    "listen",
    "open_connection",
    "receive",
    "send",
    "serve",
]
