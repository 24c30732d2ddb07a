"""Shares of a sweep: one process each, as batch systems run them, merged when all are done.

Each share has a folder of its own within the sweep's, so that processes share nothing but files:

    .shares/3-of-8/sweep.json, scenario.toml    what it is a share of
    .shares/3-of-8/.journal                     its finished runs

Merging takes the runs into the sweep's own journal. From there on they are like any others, so the
files are those of a sweep that one process did, byte for byte.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acklab.errors import AcklabError, OutputError, UsageError
from acklab.sweeps import manifest, sums
from acklab.sweeps.journal import CorruptJournal, Journal, delete
from acklab.sweeps.plan import Plan
from acklab.sweeps.store import JOURNAL, LOCK, Store, claim

SHARES = ".shares"
#: More shares than this are a slip of the keyboard.
MOST = 100_000
_FOLDER = re.compile(r"(\d+)-of-(\d+)")


@dataclass(frozen=True)
class Share:
    """Number `place` of `of` shares, from 1 on: every `of`-th run."""

    place: int
    of: int

    @classmethod
    def read(cls, text: str) -> Share:
        """The share that `3/8` names."""
        found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)
        if found is None:
            raise UsageError(
                f"cannot read --shard {text!r}\n"
                "  help: write I/N, such as 3/8: the third of eight shares"
            )
        place, of = int(found[1]), int(found[2])
        if not 1 <= place <= of <= MOST:
            raise UsageError(
                f"there is no shard {place} of {of}\n"
                f"  help: shards of N are 1/N to N/N, and N is {MOST:,} at most"
            )
        return cls(place, of)

    def folder(self, sweep: Path) -> Path:
        """Its folder within the sweep's."""
        return sweep / SHARES / f"{self.place}-of-{self.of}"

    def runs(self, plan: Plan) -> range:
        """Its runs: neighbours cost about the same, so shares do, too."""
        return range(self.place - 1, plan.runs, self.of)


def fill_share(
    folder: Path,
    plan: Plan,
    command: str,
    share: Share,
    jobs: int,
    on_progress: Callable[[int, int], object] | None = None,
) -> int:
    """Does what `share` misses; returns how many runs that were."""
    from acklab.sweeps.runner import run_here

    if (folder / sums.NAME).exists():
        return 0
    own = share.folder(folder.absolute())
    with _held(own):
        claim(own, plan, command)
        with _journal(own) as journal:
            mine = share.runs(plan)
            todo = [run for run in mine if run not in journal.runs]
            done = len(mine) - len(todo)

            def keep(run: int, rows: int, packed: bytes) -> None:
                nonlocal done
                journal.add(run, rows, packed)
                done += 1
                if on_progress is not None:
                    on_progress(done, len(mine))

            if on_progress is not None:
                on_progress(done, len(mine))
            if todo:
                run_here(plan, todo, jobs, keep)
    return len(todo)


def merge(store: Store) -> int:
    """Takes the runs of all shares into the sweep; returns how many it did not have."""
    taken = 0
    for own in _folders(store.folder):
        with _held(own):
            claim(own, store.plan, "")
            with _journal(own) as journal:
                for run, rows in journal.runs.items():
                    if 0 <= run < store.plan.runs and not store.has(run):
                        [packed] = journal.tables(run, run)
                        store.add(run, rows, packed)
                        taken += 1
    return taken


def check_whole(store: Store) -> None:
    """An error if runs are missing; it names the shares to do again."""
    missing = list(store.missing())
    if not missing:
        return
    counts = {int(m[2]) for f in _folders(store.folder) if (m := _FOLDER.fullmatch(f.name))}
    told = ""
    if len(counts) == 1:
        [of] = counts
        places = sorted({run % of + 1 for run in missing})
        named = ", ".join(f"{p}/{of}" for p in places[:20]) + (", ..." if len(places) > 20 else "")
        told = f"give the command with --shard {named} again, or "
    raise AcklabError(
        f"{len(missing):,} runs of {store.plan.runs:,} are missing in {store.folder}\n"
        f"  help: {told}leave out --merge to do them here"
    )


def remove(folder: Path) -> None:
    """Removes the shares of a sweep that is complete."""
    shutil.rmtree(folder / SHARES, ignore_errors=True)


def _folders(sweep: Path) -> list[Path]:
    """The folders of shares that were begun, in the order of their numbers."""
    found = [(m, p) for p in (sweep / SHARES).glob("*") if (m := _FOLDER.fullmatch(p.name))]
    begun = [(m, p) for m, p in found if (p / manifest.NAME).exists()]
    return [p for m, p in sorted(begun, key=lambda f: (int(f[0][2]), int(f[0][1])))]


@contextmanager
def _held(own: Path) -> Iterator[None]:
    """The share's folder, locked against another process that does the same share."""
    from filelock import FileLock, Timeout

    try:
        own.mkdir(parents=True, exist_ok=True)
        with FileLock(own / LOCK, timeout=0):
            yield
    except Timeout:
        raise AcklabError(
            f"another process is at work on {own}\n"
            "  help: wait for it, or give each process a --shard of its own"
        ) from None
    except OSError as e:
        raise OutputError(
            f"cannot write results to {own}: {e.strerror or e}\n"
            "  help: finished runs are kept; make room and give the same command again"
        ) from None


@contextmanager
def _journal(own: Path) -> Iterator[Journal]:
    path = own / JOURNAL
    try:
        journal = Journal(path)
    except CorruptJournal:
        # The lost journal's runs can be done again.
        delete(path)
        journal = Journal(path)
    try:
        yield journal
    finally:
        journal.close()
