"""A sweep's folder while it is filled: locked, resumed, each file complete or absent.

    sweep.json, scenario.toml        what it is of
    flows/FIRST-LAST.parquet, ...    shards: the tables of the runs FIRST to LAST
    .journal                         finished runs that are not in a shard yet
    .SHA256SUMS                      checksums of the shards until everything is there
    SHA256SUMS                       there when everything is

A shard ends with the run that fills it, counted from the end of the one before, so the files do not
depend on the order in which runs end.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from acklab import code
from acklab.errors import AcklabError, OutputError
from acklab.folder import check_name, unfinished
from acklab.saving import parquet
from acklab.source import Source
from acklab.sweeps import manifest, packing, sums, tables
from acklab.sweeps.journal import CorruptJournal, Journal, delete
from acklab.sweeps.manifest import Manifest
from acklab.sweeps.plan import Plan
from acklab.sweeps.sums import Shard

JOURNAL = ".journal"
LOCK = ".lock"
#: A shard is full with so many runs or rows: few files, and none that does not fit into memory.
SHARD_RUNS = 1024
SHARD_ROWS = 1 << 18


class Store:
    """The folder of one sweep, held by this process."""

    def __init__(self, folder: Path, plan: Plan, notes: Sequence[str] = ()) -> None:
        self.folder = folder
        self.plan = plan
        #: Repairs, as notes for the user.
        self.notes = [*notes]
        self._journal: Journal | None = None
        self._shards = {s.first: s for s in self._resumed()}
        #: Runs in the journal, with their rows.
        self._waiting = self._kept_runs()
        self._sweep_up()
        self._list()
        self._first = self._next = self._rows = 0
        self._flush()

    @property
    def done(self) -> int:
        """How many runs are kept."""
        return sum(s.last - s.first + 1 for s in self._shards.values()) + len(self._waiting)

    def missing(self) -> Iterator[int]:
        """The runs that are not kept, as seen when it is called."""
        shards = [(s.first, s.last) for s in self._shards.values()]
        kept = sorted([*shards, *((r, r) for r in self._waiting)])
        at = 0
        for first, last in [*kept, (self.plan.runs, 0)]:
            yield from range(at, first)
            at = last + 1

    def has(self, run: int) -> bool:
        """Whether the run is kept."""
        return run in self._waiting or any(s.first <= run <= s.last for s in self._shards.values())

    def add(self, run: int, rows: int, packed: bytes) -> None:
        """Keeps a finished run; once this returns, being killed does not lose it."""
        self._open_journal().add(run, rows, packed)
        self._waiting[run] = rows
        self._flush()

    def finish(self) -> None:
        """Writes the checksums; the journal has nothing left and goes."""
        if self._journal is None:
            return
        files = {path: sha for s in self._shards.values() for path, sha in s.files.items()}
        for name in (manifest.NAME, manifest.scenario_file(self.plan.source)):
            files[name] = sums.digest(self.folder / name)
        write_durably(self.folder / sums.NAME, sums.text(files).encode())
        (self.folder / sums.UNDER_WAY).unlink(missing_ok=True)
        self._journal.remove()
        self._journal = None

    def close(self) -> None:
        """Lets go of the journal."""
        if self._journal is not None:
            self._journal.close()

    def _resumed(self) -> list[Shard]:
        if not (self.folder / sums.NAME).exists():
            return self._under_way()
        listed = self._listed(sums.NAME)
        whole = self._whole(listed.shards)
        # After the end nothing is in the journal, if it is still there.
        delete(self.folder / JOURNAL)
        begins_again = not (listed.whole and listed.summed)
        if begins_again or sum(s.last - s.first + 1 for s in whole) < self.plan.runs:
            # Something was broken: go on as if the end had not been reached.
            for shard in whole:
                self._open_journal().note(shard)
            (self.folder / sums.NAME).unlink()
        return whole

    def _under_way(self) -> list[Shard]:
        """The shards that the journal notes, and those of the list if the journal lost them."""
        journal = self._open_journal()
        whole = self._whole(journal.shards)
        for shard in journal.shards:
            if shard not in whole:
                journal.forget(shard)
        if not (self.folder / sums.UNDER_WAY).exists():
            return whole
        known = [*whole]
        whole = self._whole(self._listed(sums.UNDER_WAY).shards, known)
        for shard in whole:
            if shard not in known:
                journal.note(shard)
        return whole

    def _listed(self, name: str) -> sums.Listed:
        listed = sums.read(self.folder / name)
        if not (listed.whole and listed.summed):
            self.notes.append(f"{self.folder / name} was damaged: it is made anew")
        return listed

    def _whole(self, shards: Sequence[Shard], known: Sequence[Shard] = ()) -> list[Shard]:
        """Those of `shards` that are as they were written, with `known` ones, by their runs."""
        whole = [*known]
        for shard in shards:
            apart = all(shard.last < s.first or s.last < shard.first for s in whole)
            if apart and self._is_whole(shard):
                whole.append(shard)
        return sorted(whole, key=lambda s: s.first)

    def _kept_runs(self) -> dict[int, int]:
        if self._journal is None:
            return {}
        if self._journal.broken:
            path, broken = self._journal.path, self._journal.broken
            self.notes.append(f"{path}: {broken} runs were damaged and are done again")
        shards = self._shards.values()
        return {
            run: rows
            for run, rows in self._journal.runs.items()
            if 0 <= run < self.plan.runs and not any(s.first <= run <= s.last for s in shards)
        }

    def _open_journal(self) -> Journal:
        if self._journal is None:
            path = self.folder / JOURNAL
            try:
                self._journal = Journal(path)
            except CorruptJournal as e:
                why = str(e).partition("\n")[0]
                self.notes.append(f"{path} was corrupt ({why}): its runs are done again")
                delete(path)
                self._journal = Journal(path)
        return self._journal

    def _is_whole(self, shard: Shard) -> bool:
        path = sums.broken(self.folder, shard.files) or self._unlisted(shard)
        if path is not None:
            runs = f"{shard.first} to {shard.last}"
            self.notes.append(f"{path} was broken or missing: the runs {runs} are done again")
        return path is None

    def _unlisted(self, shard: Shard) -> str | None:
        """A file of `shard` that should be noted and is not, or is not one of it."""
        for name in packing.TABLES:
            path = self._path(name, shard.first, shard.last)
            wanted = name in packing.ALWAYS or (self.folder / path).exists()
            if shard.tables.get(name, None if wanted else path) != path:
                return path
        return None

    def _path(self, table: str, first: int, last: int) -> str:
        digits = len(str(self.plan.runs - 1))
        return f"{table}/{first:0{digits}}-{last:0{digits}}.parquet"

    def _sweep_up(self) -> None:
        """Removes what a killed sweep left half done, and broken shards."""
        known = {path for s in self._shards.values() for path in s.files}
        for name in packing.TABLES:
            for path in (self.folder / name).glob("*"):
                own = sums.SHARD.fullmatch(path.name.removeprefix(".").removesuffix(".part"))
                if own and f"{name}/{path.name}" not in known:
                    path.unlink()
        scenario = manifest.scenario_file(self.plan.source)
        for name in (manifest.NAME, scenario, sums.NAME, sums.UNDER_WAY):
            _scratch(self.folder / name).unlink(missing_ok=True)

    def _list(self) -> None:
        """Writes the checksums of the full shards, for whoever reads them before the end."""
        if (self.folder / sums.NAME).exists():
            return
        files = {path: sha for s in self._shards.values() for path, sha in s.files.items()}
        path, text = self.folder / sums.UNDER_WAY, sums.text(files).encode()
        if files and not (path.exists() and path.read_bytes() == text):
            write_durably(path, text)

    def _flush(self) -> None:
        """Writes the shards that are full, or the last."""
        while self._next < self.plan.runs:
            if self._next == self._first and self._next in self._shards:
                self._first = self._next = self._shards[self._next].last + 1
                continue
            if self._next not in self._waiting:
                return
            self._rows += self._waiting[self._next]
            self._next += 1
            if self._is_full():
                self._write(self._first, self._next - 1)
                self._first, self._rows = self._next, 0

    def _is_full(self) -> bool:
        full = self._next - self._first >= SHARD_RUNS or self._rows >= SHARD_ROWS
        return full or self._next == self.plan.runs or self._next in self._shards

    def _write(self, first: int, last: int) -> None:
        journal = self._open_journal()
        frames = tables.merge(self.plan, range(first, last + 1), journal.tables(first, last))
        files = {}
        for name, frame in frames.items():
            path = self._path(name, first, last)
            buffer = io.BytesIO()
            parquet(frame, buffer)
            data = buffer.getvalue()
            write_durably(self.folder / path, data)
            files[path] = hashlib.sha256(data).hexdigest()
        shard = Shard(first, last, files)
        journal.note(shard)
        self._shards[first] = shard
        for run in range(first, last + 1):
            del self._waiting[run]
        self._list()


@contextmanager
def opened(folder: Path, plan: Plan, command: str) -> Iterator[Store]:
    """The folder for `plan`, made or resumed, and locked against other sweeps."""
    from filelock import FileLock, Timeout

    folder = folder.absolute()
    check_name(folder)
    try:
        _check_target(folder, plan.source)
        fresh = not os.path.lexists(folder)
        folder.mkdir(parents=True, exist_ok=True)
        store = None
        try:
            with FileLock(folder / LOCK, timeout=0):
                store = Store(folder, plan, claim(folder, plan, command))
                try:
                    yield store
                finally:
                    store.close()
        except AcklabError:
            # Refused before it did anything: a mistake leaves nothing behind.
            if fresh and (store is None or store.done == 0):
                _take_back(folder, plan.source)
            raise
    except Timeout:
        raise AcklabError(
            f"another sweep is writing to {folder}\n"
            "  help: wait for it, or choose another folder with --out"
        ) from None
    except OSError as e:
        kept = "finished runs are kept; make room and give the same command again, or "
        begun = os.path.lexists(folder / manifest.NAME)
        raise OutputError(
            f"cannot write results to {folder}: {e.strerror or e}\n"
            f"  help: {kept if begun else ''}choose another folder with --out"
        ) from None


def _take_back(folder: Path, source: Source) -> None:
    """Removes what was begun in a folder that was made for it; what others put there stays."""
    delete(folder / JOURNAL)
    for name in (manifest.NAME, manifest.scenario_file(source), sums.UNDER_WAY, LOCK):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def write_durably(path: Path, data: bytes) -> None:
    """Writes a file that is complete or absent, even after a power failure."""
    scratch = _scratch(path)
    path.parent.mkdir(exist_ok=True)
    with unfinished(scratch):
        with scratch.open("wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        scratch.replace(path)


def _scratch(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def _check_target(folder: Path, source: Source) -> None:
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise OutputError(
            f"cannot write results to {folder}: it is a file, not a folder\n"
            "  help: choose another folder with --out"
        )
    kept = [p for p in folder.iterdir() if not p.name.startswith(".")]
    # A sweep that was killed between its first two files has left the scenario.
    begun = folder / manifest.scenario_file(source)
    own = not kept or (kept == [begun] and _has(begun, source.text))
    if not (folder / manifest.NAME).exists() and not own:
        raise OutputError(
            f"will not write to {folder}: it is not empty and holds no sweep\n"
            "  help: choose another folder with --out"
        )


def _has(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def claim(folder: Path, plan: Plan, command: str) -> list[str]:
    """Says what the folder is of, or makes sure that it is of the same; tells what it mended."""
    wanted = Manifest.of(plan, command)
    scenario = manifest.scenario_file(plan.source)
    if not (folder / manifest.NAME).exists():
        write_durably(folder / scenario, plan.source.text.encode())
        write_durably(folder / manifest.NAME, wanted.text(plan.command(scenario)).encode())
        return []
    found = manifest.read(folder)
    different = found.differences(wanted)
    notes = [] if different else _mended(folder / scenario, plan.source, found)
    if not manifest.same_scenario(folder, plan.source):
        different.insert(0, f"the scenario is not the one in {folder / scenario}")
    if different:
        raise AcklabError(
            f"{folder} holds another sweep\n  "
            + "\n  ".join(different)
            + "\n  help: choose another folder with --out, or remove that one"
        )
    _check_build(folder, found, wanted)
    return notes


def _mended(path: Path, source: Source, found: Manifest) -> list[str]:
    """Writes the scenario at `path` anew if it is not as it was kept."""
    kept = found.sha256.get(path.name)
    if kept is None or sums.broken(path.parent, {path.name: kept}) is None:
        return []
    if kept != manifest.digest(source.text):
        raise AcklabError(
            f"{path} was damaged: it is not what the sweep began with\n"
            f"  help: put the scenario there as it was, or remove the folder {path.parent} and "
            "sweep again"
        )
    write_durably(path, source.text.encode())
    return [f"{path} was damaged: it is made anew"]


def _check_build(folder: Path, found: Manifest, wanted: Manifest) -> None:
    """Refuses to mix runs of two builds in one data set."""
    if found.build != wanted.build:
        raise AcklabError(
            f"{folder} holds a sweep of another build\n"
            f"  it was begun by {code.named(found.version, found.build)}, this is {code.name()}\n"
            "  help: their runs may differ and are not mixed; choose another folder with --out, or "
            "remove that one"
        )
