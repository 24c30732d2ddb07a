"""Connections of TACK in an event loop of asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from acklab.tack.addresses import Address
from acklab.tack.connecting import Connection, Listener, connect, listen
from acklab.tack.keys import Key


class _Bell:
    """An eventfd that the core rings when a stream may go on."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.event = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._waiting: asyncio.Future[None] | None = None
        self._loop.add_reader(self.event, self._rung)

    def _rung(self) -> None:
        with suppress(BlockingIOError):
            os.eventfd_read(self.event)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def rung(self) -> None:
        """Waits for it."""
        self._waiting = self._loop.create_future()
        await self._waiting

    def close(self) -> None:
        """It will not ring any more."""
        if self.event >= 0:
            self._loop.remove_reader(self.event)
            os.close(self.event)
            self.event = -1


class AsyncConnection:
    """A stream of bytes each way. One task may read while another writes."""

    def __init__(self, blocking: Connection) -> None:
        self._blocking = blocking
        self._core = blocking._core
        self._readable, self._writable = _Bell(), _Bell()

    @property
    def peer(self) -> Address:
        """Where the other end is."""
        return self._blocking.peer

    async def read(self, most: int = 65536) -> bytes:
        """Returns the bytes that arrived, at most `most`; waits for the first. Empty at the end."""
        buffer = bytearray(most)
        while (got := self._core.try_readinto(buffer, self._readable.event)) is None:
            await self._readable.rung()
        return bytes(buffer[:got])

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """Takes all of `data`; waits while there is no room."""
        rest = memoryview(data)
        while rest:
            taken = self._core.try_write(rest, self._writable.event)
            if taken is None:
                await self._writable.rung()
            else:
                rest = rest[taken:]

    def finish(self) -> None:
        """Nothing more will be written. Reading goes on."""
        self._core.finish()

    def abort(self) -> None:
        """Breaks the connection off."""
        self._core.abort()

    def report(self) -> dict[str, Any]:
        """Its counters, and its present state."""
        return self._core.report()

    async def close(self) -> None:
        """Finishes, and waits until both ends have everything."""
        try:
            await asyncio.to_thread(self._blocking.close)
        finally:
            self._readable.close()
            self._writable.close()

    async def __aenter__(self) -> AsyncConnection:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._core.finish()
        else:
            self._core.abort()
        self._readable.close()
        self._writable.close()


async def open_connection(
    server: str, key: Key | str | None = None, **options: Any
) -> AsyncConnection:
    """Opens a connection, as `connect` does."""
    return AsyncConnection(await asyncio.to_thread(connect, server, key, **options))


async def serve(
    handle: Callable[[AsyncConnection], Awaitable[None]],
    address: str = "",
    key: Key | str | None = None,
    *,
    ready: Callable[[Listener], None] = lambda _: None,
    **options: Any,
) -> None:
    """Listens, and runs `handle` as a task for each connection, until it is cancelled.

    Args:
        handle: is given each connection.
        address: as of `listen`, like `key` and `options`.
        ready: is told the listener once it listens.
    """
    listener = listen(address, key, **options)
    tasks: set[asyncio.Task[None]] = set()
    ready(listener)
    try:
        while True:
            # A wait in a thread cannot be cancelled, so it is short.
            came = await asyncio.to_thread(listener.accept, 0.2)
            if came is not None:
                task = asyncio.create_task(_handled(handle, AsyncConnection(came)))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
    finally:
        for task in tasks:
            task.cancel()
        listener.close()


async def _handled(
    handle: Callable[[AsyncConnection], Awaitable[None]], connection: AsyncConnection
) -> None:
    async with connection:
        await handle(connection)
