"""Runs that are finished and not yet in a shard: a database that survives being killed.

A run is in it once its transaction is committed, and its number is the primary key, so it is there
once or not at all. Shards are noted in the transaction that removes their runs. Whatever is read
from it is checked: the database as a whole when it is opened, each run by its own sum.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from acklab.errors import OutputError
from acklab.sweeps.sums import Shard

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY, rows INTEGER NOT NULL, crc INTEGER NOT NULL, tables BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS shards (first INTEGER PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, first INTEGER NOT NULL, sha256 TEXT NOT NULL
);
"""

#: SQLite's codes for refusals by the system; all other codes are about the contents of the file.
_OF_THE_SYSTEM = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_AUTH,
}


class CorruptJournal(Exception):
    """The database cannot be read; what it had is lost and can be computed again."""


class Journal:
    """The database at `path`; one process has it at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            # Without shared memory, which network file systems do not have. A commit is in the
            # system's hands at once; only a power failure can take the last ones back.
            for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL"):
                self._db.execute(f"PRAGMA {pragma}")
            found = self._db.execute("PRAGMA integrity_check").fetchone()
            if found == ("ok",):
                self._db.executescript(_SCHEMA)
                found = ("ok",) if _tables(self._db) == _wanted() else ("its tables are others",)
            #: How many runs were not as they were written.
            self.broken = 0
            #: The runs that it held at first, and how many rows each has.
            self.runs = self._runs()
            #: The shards that were written by then, in the order of their runs.
            self.shards = self._shards()
        except (sqlite3.Error, ValueError, OverflowError) as e:
            if hasattr(self, "_db"):
                self._db.close()
            if _is_of_the_system(path, e):
                raise _failed(path, e) from None
            raise CorruptJournal(str(e)) from None
        if found != ("ok",):
            self._db.close()
            raise CorruptJournal(str(found[0]))

    def add(self, run: int, rows: int, tables: bytes) -> None:
        """Keeps a run."""
        with self._transaction() as db:
            kept = (run, rows, _sum(run, rows, tables), tables)
            db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", kept)

    def tables(self, first: int, last: int) -> list[bytes]:
        """The tables of the runs `first` to `last`."""
        with self._transaction() as db:
            of = "SELECT * FROM runs WHERE run BETWEEN ? AND ? ORDER BY run"
            whole = [row[3] for row in db.execute(of, (first, last)) if _is_whole(*row)]
        if len(whole) != last - first + 1:
            raise _damaged(self.path, "a run is not what was kept")
        return whole

    def note(self, shard: Shard) -> None:
        """`shard` is written: its runs need not be kept any more."""
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO shards VALUES (?, ?)", (shard.first, shard.last))
            rows = [(path, shard.first, sha) for path, sha in shard.files.items()]
            db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", rows)
            db.execute("DELETE FROM runs WHERE run BETWEEN ? AND ?", (shard.first, shard.last))

    def forget(self, shard: Shard) -> None:
        """`shard` is broken: its runs are to be done again."""
        with self._transaction() as db:
            db.execute("DELETE FROM shards WHERE first = ?", (shard.first,))
            db.execute("DELETE FROM files WHERE first = ?", (shard.first,))
            db.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in shard.files])

    def close(self) -> None:
        """Releases the file."""
        self._db.close()

    def remove(self) -> None:
        """Closes and deletes the database."""
        self.close()
        delete(self.path)

    def _runs(self) -> dict[int, int]:
        whole = {}
        broken = []
        for row in self._db.execute("SELECT * FROM runs ORDER BY run"):
            if _is_whole(*row):
                whole[row[0]] = row[1]
            else:
                broken.append((row[0],))
        self.broken = len(broken)
        self._db.executemany("DELETE FROM runs WHERE run = ?", broken)
        return whole

    def _shards(self) -> list[Shard]:
        ranges = self._db.execute("SELECT first, last FROM shards ORDER BY first").fetchall()
        of = "SELECT path, sha256 FROM files WHERE first = ? ORDER BY path"
        files = [dict(self._db.execute(of, (first,)).fetchall()) for first, _ in ranges]
        # SQLite keeps no type of a column. Values left out here are not of any shard then.
        words = [{p: s for p, s in f.items() if isinstance(p, str)} for f in files]
        pairs = zip(ranges, words, strict=True)
        return [Shard(first, last, f) for (first, last), f in pairs if isinstance(last, int)]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._db.execute("BEGIN")
            yield self._db
            self._db.execute("COMMIT")
        except sqlite3.Error as e:
            failed = _failed if _is_of_the_system(self.path, e) else _damaged
            raise failed(self.path, e) from None
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")


def delete(path: Path) -> None:
    """Deletes the database at `path`, if there is one."""
    for suffix in ("-wal", "-shm", "-journal", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _sum(run: int, rows: int, tables: bytes) -> int:
    return zlib.crc32(tables, zlib.crc32(f"{run} {rows}".encode()))


def _is_whole(run: object, rows: object, crc: object, tables: object) -> bool:
    """Whether a row is the one that was written; SQLite keeps no type of a column."""
    known = isinstance(run, int) and isinstance(rows, int) and isinstance(tables, bytes)
    return known and _sum(run, rows, tables) == crc  # type: ignore[arg-type]


def _tables(db: sqlite3.Connection) -> list[object]:
    of = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
    return db.execute(of).fetchall()


@cache
def _wanted() -> list[object]:
    """The tables of a database that is as it should be."""
    db = sqlite3.connect(":memory:")
    try:
        db.executescript(_SCHEMA)
        return _tables(db)
    finally:
        db.close()


def _is_of_the_system(path: Path, e: Exception) -> bool:
    code = getattr(e, "sqlite_errorcode", None)
    if code is None:
        return False
    if code & 0xFF == sqlite3.SQLITE_READONLY:
        # A file may say of itself that no version of SQLite known to this one may write it.
        return not os.access(path, os.W_OK)
    return code & 0xFF in _OF_THE_SYSTEM


def _failed(path: Path, e: object) -> OutputError:
    return OutputError(
        f"cannot write results to {path.parent}: {e}\n"
        "  help: finished runs are kept; make room and give the same command again, or choose "
        "another folder with --out"
    )


def _damaged(path: Path, e: object) -> OutputError:
    return OutputError(
        f"{path} was damaged while it was in use: {e}\n"
        "  help: give the same command again; it does the runs anew that cannot be read"
    )
