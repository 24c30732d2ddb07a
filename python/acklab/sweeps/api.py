"""`acklab.sweep`."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from acklab import arguments
from acklab.errors import AcklabError, ScenarioError, UsageError
from acklab.scenario import pairs
from acklab.source import Source, read
from acklab.sweeps.plan import LIMIT, Plan, plan
from acklab.sweeps.results import SweepResult
from acklab.sweeps.store import Store, opened


def sweep(
    source: str | os.PathLike[str] | Mapping[str, Any],
    *,
    out: str | os.PathLike[str],
    grid: Mapping[str, Any] | None = None,
    zip: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    seeds: int | str | Sequence[int] | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    jobs: int | None = None,
    dask: str | None = None,
    limit: int = LIMIT,
    on_progress: Callable[[int, int], object] | None = None,
) -> SweepResult:
    """Runs a scenario over a grid and seeds, keeps everything in the folder `out`, and opens it.

    `grid` maps keys to lists of values or to texts such as `"1..64*2"`; the keys of a mapping in
    `zip` change together. `seeds` is how many (1, 2, ...) or which. What the folder has already is
    not done again, so a sweep that was interrupted goes on. `dask` is the address of a scheduler.
    """
    example = '{"flow.0.cc": ["cubic", "bbr3"]}'
    folder = arguments.path("sweep()", "out", out)
    arguments.jobs("sweep()", jobs)
    here_or_there(jobs, dask)
    if grid is not None:
        arguments.mapping("sweep()", "grid", grid, example)
    if isinstance(zip, str) or not isinstance(zip, Mapping | Sequence):
        raise arguments.wrong("sweep()", "zip", zip, f"give a mapping, such as {example}")
    groups = [zip] if isinstance(zip, Mapping) else list(zip)
    for group in groups:
        arguments.mapping("sweep()", "zip", group, example)
    given = pairs(arguments.overrides("sweep()", overrides))
    made = plan(find(read(source)), grid or {}, groups, seeds, given, limit)
    with opened(folder, made, "acklab.sweep(...)") as store:
        fill(store, jobs, dask, on_progress)
    return SweepResult(folder)


def find(source: Source) -> Source:
    """The scenario that `sweep.scenario` names, relative to its file, or `source` itself."""
    section = source.sweep or {}
    if "scenario" not in section:
        return source
    if source.parsed():
        raise AcklabError(
            f"{source.origin} has a scenario of its own and names another: sweep.scenario\n"
            "  help: leave one of them out"
        )
    if not isinstance(section["scenario"], str):
        raise AcklabError(
            f"sweep.scenario is {reprlib.repr(section['scenario'])}, not the name of a file\n"
            f"  in {source.place_in_sweep('scenario')}\n"
            '  help: write scenario = "first.toml"'
        )
    path = Path(source.origin).parent / section["scenario"]
    try:
        found = read(path)
    except ScenarioError as e:
        first, _, rest = str(e).partition("\n")
        right = rest or "  help: its name counts from the folder of the file that names it"
        place = source.place_in_sweep("scenario")
        raise ScenarioError(f"{first}\n  in {place}\n{right}") from None
    return replace(found, sweep=section, sweep_origin=source.sweep_origin)


def here_or_there(jobs: int | None, dask: str | None) -> None:
    """Refuses threads of this machine together with a cluster, before anything is written."""
    if jobs is not None and dask is not None:
        raise UsageError("--jobs is for this machine, --dask for a cluster\n  help: give one")


def fill(
    store: Store,
    jobs: int | None,
    dask: str | None,
    on_progress: Callable[[int, int], object] | None = None,
    whole: bool = False,
) -> int:
    """Does what `store` and the shares in its folder miss; returns how many runs that were.

    With `whole` nothing is done: what is missing is an error.
    """
    from acklab.sweeps import shares
    from acklab.sweeps.cluster import run_on_dask
    from acklab.sweeps.runner import run_here

    made: Plan = store.plan
    shares.merge(store)
    if whole:
        shares.check_whole(store)
    there = done = store.done

    def keep(run: int, rows: int, packed: bytes) -> None:
        nonlocal done
        store.add(run, rows, packed)
        done += 1
        if on_progress is not None:
            on_progress(done, made.runs)

    if on_progress is not None:
        on_progress(done, made.runs)
    if done < made.runs:
        # As of now: what is added meanwhile is not looked at again.
        todo = store.missing()
        if dask is None:
            run_here(made, todo, jobs or os.cpu_count() or 1, keep)
        else:
            run_on_dask(made, todo, dask, keep)
    store.finish()
    shares.remove(store.folder)
    return done - there
