"""Addresses as people write them: `HOST`, `HOST:PORT`, `:PORT`, `[IPV6]:PORT`."""

from __future__ import annotations

import socket

from acklab.tack.errors import TackError

#: The port of TACK where none is given: its letters on a telephone.
PORT = 8225

#: An IP address and a port.
Address = tuple[str, int]


def resolve(text: str, host: str, port: int = PORT, *, stream: bool = False) -> Address:
    """The IP address and the port that `text` means; `host` and `port` where it names none.

    Raises:
        TackError: if it is no address, or the host's name has none.
    """
    name, number = _parts(text, port)
    kind = socket.SOCK_STREAM if stream else socket.SOCK_DGRAM
    try:
        found = socket.getaddrinfo(name or host, number, type=kind)
    except (socket.gaierror, UnicodeError) as e:
        raise TackError(
            f"there is no host called {name or host!r}: {getattr(e, 'strerror', None) or e}\n"
            "  help: give a name that this machine can look up, or an IP address"
        ) from None
    at = found[0][4]
    return str(at[0]), int(at[1])


def shown(address: Address) -> str:
    """The address as it is written."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _parts(text: str, port: int) -> tuple[str, int]:
    if text.startswith("["):
        name, closed, rest = text[1:].partition("]")
        fine = bool(closed) and (not rest or rest.startswith(":"))
        number = rest[1:]
    elif text.count(":") > 1:
        # An IPv6 address without brackets has no port.
        name, fine, number = text, True, ""
    else:
        name, colon, number = text.partition(":")
        fine = not colon or bool(number)
    if not number and fine:
        return name, port
    if not (fine and number.isascii() and number.isdigit() and int(number) < 1 << 16):
        raise TackError(
            f"{text!r} is no address\n  help: write HOST, HOST:PORT, :PORT or [IPV6]:PORT"
        )
    return name, int(number)
