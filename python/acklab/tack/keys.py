"""Keys of TACK: a server's key pair, its public half, or a key that both ends have.

A key is text of 64 hexadecimal digits, or a file of lines `private HEX`, `public HEX` and
`shared HEX`.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from acklab import _core
from acklab.tack.errors import TackError

_BYTES = 32
_HEAD = "# A key for `acklab tack`. Keep {} to yourself.\n"


@dataclass(frozen=True, repr=False)
class Key:
    """A key. At least one of its parts is there."""

    private: bytes | None = None
    public: bytes | None = None
    shared: bytes | None = None

    @classmethod
    def pair(cls) -> Key:
        """A new key pair for a server."""
        private, public = _core.tack_keypair()
        return cls(private=bytes(private), public=bytes(public))

    @classmethod
    def secret(cls) -> Key:
        """A new key for both ends."""
        return cls(shared=os.urandom(_BYTES))

    @classmethod
    def read(cls, given: str) -> Key:
        """The key that is meant: 64 hexadecimal digits are a public key, all else is a file.

        Raises:
            TackError: if there is no such file, or no key in it.
        """
        if len(given) == 2 * _BYTES and (public := _unhex(given)) is not None:
            return cls(public=public)
        path = Path(given)
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError, ValueError) as e:
            why = getattr(e, "strerror", None) or "no text"
            raise TackError(
                f"{given!r} is neither a key nor a file with one: {why}\n"
                "  help: give the 64 digits that the server shows, or a file of"
                " `acklab tack keygen`"
            ) from None
        return cls._parse(text, path)

    @classmethod
    def _parse(cls, text: str, path: Path) -> Key:
        parts: dict[str, bytes] = {}
        lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
        for number, words in enumerate(filter(None, lines), 1):
            value = _unhex(words[1]) if len(words) == 2 else None
            if value is None or words[0] not in ("private", "public", "shared"):
                raise TackError(
                    f"key line {number} of {path} is not `private`, `public` or `shared` with 64"
                    " hexadecimal digits\n  help: make a key with `acklab tack keygen`"
                )
            parts[words[0]] = value
        key = cls(**parts)
        if key.public is None and key.shared is None:
            raise TackError(f"there is no key in {path}\n  help: acklab tack keygen {path}")
        return key

    def write(self, path: Path) -> None:
        """Keeps it in a new file that only its owner can read.

        Raises:
            TackError: if there is such a file, or it cannot be made.
        """
        secret = "the private half" if self.private else "it"
        text = _HEAD.format(secret)
        for name in ("private", "public", "shared"):
            value = getattr(self, name)
            text += f"{name} {value.hex()}\n" if value else ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if path.is_dir() or not os.path.lexists(path):
                what = f"{path} is a folder" if path.is_dir() else f"{path.parent} is no folder"
                raise TackError(
                    f"cannot write the key to {path}: {what}\n  help: name a file"
                ) from None
            raise TackError(
                f"there is a file {path} already\n"
                "  help: choose another name; whoever has the old key would be locked out"
            ) from None
        except OSError as e:
            raise TackError(f"cannot write the key to {path}: {e.strerror or e}") from None
        with os.fdopen(descriptor, "w") as file:
            file.write(text)

    @property
    def of_server(self) -> tuple[bytes, bytes] | tuple[str, bytes]:
        """As the core wants it of a server.

        Raises:
            TackError: if it is only a public key.
        """
        if self.shared is not None:
            return ("shared", self.shared)
        if self.private is None or self.public is None:
            raise TackError(
                "a server needs a key pair or a shared key, and this is a public key\n"
                "  help: make one with `acklab tack keygen FILE`, and give FILE here"
            )
        return (self.private, self.public)

    @property
    def of_client(self) -> tuple[str, bytes]:
        """As the core wants it of a client."""
        if self.shared is not None:
            return ("shared", self.shared)
        assert self.public is not None
        return ("public", self.public)

    def __repr__(self) -> str:
        return "Key(shared)" if self.shared else f"Key({self.public.hex() if self.public else ''})"


def own_path() -> Path:
    """Where this user's key pair is."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "acklab" / "tack.key"


def own() -> Key:
    """This user's key pair. It is made at the first use.

    Raises:
        TackError: if it cannot be read or made, or others can read it.
    """
    path = own_path()
    if not path.exists():
        Key.pair().write(path)
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise TackError(
            f"others may read the key in {path}\n"
            f"  help: chmod 600 {path}, or remove it to get a new one"
        )
    return Key.read(str(path))


def _unhex(text: str) -> bytes | None:
    try:
        value = bytes.fromhex(text)
    except ValueError:
        return None
    return value if len(value) == _BYTES and len(text) == 2 * _BYTES else None
