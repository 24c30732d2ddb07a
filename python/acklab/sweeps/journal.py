"""Runs that are finished and not yet in a shard: a database that survives being killed.

A run is in it once its transaction is committed, and its number is the primary key, so it is there
once or not at all. Shards are noted in the transaction that removes their runs.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
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
            found = self._db.execute("PRAGMA quick_check").fetchone()
            self._db.executescript(_SCHEMA)
        except sqlite3.OperationalError as e:
            raise _failed(path, e) from None
        except sqlite3.DatabaseError as e:
            raise CorruptJournal(str(e)) from None
        if found != ("ok",):
            raise CorruptJournal(str(found))

    def add(self, run: int, rows: int, tables: bytes) -> None:
        """Keeps a run."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?)", (run, rows, zlib.crc32(tables), tables)
            )

    def runs(self) -> dict[int, int]:
        """The runs that it holds and how many rows each has; broken ones are dropped."""
        whole = {}
        with self._transaction() as db:
            broken = []
            for run, rows, crc, tables in db.execute("SELECT * FROM runs ORDER BY run"):
                if zlib.crc32(tables) == crc:
                    whole[run] = rows
                else:
                    broken.append((run,))
            db.executemany("DELETE FROM runs WHERE run = ?", broken)
        return whole

    def tables(self, first: int, last: int) -> list[bytes]:
        """The tables of the runs `first` to `last`."""
        with self._transaction() as db:
            found = db.execute(
                "SELECT tables FROM runs WHERE run BETWEEN ? AND ? ORDER BY run", (first, last)
            )
            return [t for (t,) in found]

    def shards(self) -> list[Shard]:
        """The shards that were written, in the order of their runs."""
        with self._transaction() as db:
            ranges = db.execute("SELECT first, last FROM shards ORDER BY first").fetchall()
            of = "SELECT path, sha256 FROM files WHERE first = ? ORDER BY path"
            return [Shard(a, b, dict(db.execute(of, (a,)).fetchall())) for a, b in ranges]

    def note(self, shard: Shard) -> None:
        """`shard` is written: its runs need not be kept any more."""
        with self._transaction() as db:
            db.execute("INSERT INTO shards VALUES (?, ?)", (shard.first, shard.last))
            rows = [(path, shard.first, sha) for path, sha in shard.files.items()]
            db.executemany("INSERT INTO files VALUES (?, ?, ?)", rows)
            db.execute("DELETE FROM runs WHERE run BETWEEN ? AND ?", (shard.first, shard.last))

    def forget(self, shard: Shard) -> None:
        """`shard` is broken: its runs are to be done again."""
        with self._transaction() as db:
            db.execute("DELETE FROM shards WHERE first = ?", (shard.first,))
            db.execute("DELETE FROM files WHERE first = ?", (shard.first,))

    def close(self) -> None:
        """Releases the file."""
        self._db.close()

    def remove(self) -> None:
        """Closes and deletes the database."""
        self.close()
        delete(self.path)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._db.execute("BEGIN")
            yield self._db
            self._db.execute("COMMIT")
        except sqlite3.DatabaseError as e:
            raise _failed(self.path, e) from None
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")


def delete(path: Path) -> None:
    """Deletes the database at `path`, if there is one."""
    for suffix in ("-wal", "-shm", "-journal", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _failed(path: Path, e: sqlite3.DatabaseError) -> OutputError:
    return OutputError(
        f"cannot write results to {path.parent}: {e}\n"
        "  help: finished runs are kept; make room and give the same command again, or choose "
        "another folder with --out"
    )
