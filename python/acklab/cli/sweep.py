"""`acklab sweep`."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from acklab.cli import completing
from acklab.cli.guard import finished_is_kept, kept
from acklab.cli.output import quiet, tell_lines
from acklab.cli.run import Jobs
from acklab.errors import AcklabError, UsageError
from acklab.places import find


def sweep(
    file: Annotated[
        str,
        typer.Argument(
            help="A scenario file, perhaps with its own table `sweep`, or the name of a gallery "
            "scenario.",
            autocompletion=completing.scenario,
        ),
    ],
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            "-g",
            metavar="KEY=VALUES",
            help="Values of a key: a list 1,2,4; a range 1..10; with a step 0.1..0.5+0.1; with a "
            "factor '1..64*2'; with a unit '5..20+5 ms'. NAME:KEY=... names the column. Repeat it "
            "for a product.",
        ),
    ] = None,
    zip_: Annotated[
        list[str] | None,
        typer.Option(
            "--zip",
            metavar="KEY=VALUES",
            help="Values of a key, as with --grid. All keys of --zip change together.",
        ),
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            "--seeds", help="How many (10 is 1 to 10), or which: 1,5,9 or 5..14. Default: 1."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Override a key in every cell, e.g. 'duration=10 s'."
        ),
    ] = None,
    jobs: Jobs = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask", metavar="ADDRESS", help="Run on the Dask cluster with this scheduler."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the data set. Default: out/NAME-sweep.")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Do only share I of N, for array jobs of a batch system. Then --merge.",
        ),
    ] = None,
    merge: Annotated[
        bool,
        typer.Option("--merge", help="Join finished shards into the data set; run nothing."),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say what would run, with time and disk from one run; write nothing."
        ),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Refuse more runs than this. Default: 1,000,000."),
    ] = None,
) -> None:
    """Run a scenario over a grid of values and seeds. The same command resumes a stopped sweep."""
    from acklab.cli.show import progress
    from acklab.scenario import pairs
    from acklab.source import read
    from acklab.sweeps import estimate
    from acklab.sweeps.agreeing import note
    from acklab.sweeps.api import fill, here_or_there
    from acklab.sweeps.api import find as scenario_of
    from acklab.sweeps.manifest import NAME
    from acklab.sweeps.plan import LIMIT, plan
    from acklab.sweeps.results import SweepResult
    from acklab.sweeps.shares import SHARES, Share, fill_share
    from acklab.sweeps.store import opened
    from acklab.wording import many

    made = plan(
        scenario_of(read(find(file))),
        _keyed("--grid", grid),
        [_keyed("--zip", zip_)],
        seeds,
        pairs(list(set_ or [])),
        LIMIT if limit is None else limit,
    )
    first = made.load(0)
    for warning in made.told():
        print(warning, file=sys.stderr)
    target = out or Path("out") / f"{first.name}-sweep"
    began = time.monotonic()
    command = _command(file, set_, grid, zip_, seeds)
    _one_of(shard=shard is not None, merge=merge, dask=dask is not None)
    here_or_there(jobs, dask)
    share = None if shard is None else Share.read(shard)
    if merge and not any((target / name).exists() for name in (SHARES, NAME)):
        raise AcklabError(
            f"there is nothing to merge in {target}\n"
            "  help: run the shards first: the same command with --shard 1/N to N/N, then --merge"
        )
    if dry_run:
        found = estimate.of(made, target, share, jobs or os.cpu_count() or 1)
        tell_lines(vars(found), found.told())
        return
    if share is not None:
        with finished_is_kept(), progress("sweep") as advance:
            new = fill_share(target, made, command, share, jobs or os.cpu_count() or 1, advance)
        runs, took = len(share.runs(made)), time.monotonic() - began
        tell_lines(
            {"folder": target, "shard": share.place, "shards": share.of, "runs": runs}
            | {"there": runs - new, "done": new, "seconds": took},
            f"shard {share.place} of {share.of}: {runs:,} runs of {made.runs:,}",
            f"{runs - new:,} were there, {new:,} done in {took:.1f} s",
            f"when all are done: the same command with --merge instead of --shard {shard}",
        )
        return
    with finished_is_kept(), opened(target, made, command) as store:
        there = store.done
        for said in store.notes:
            print(f"note: {said}", file=sys.stderr)
        with progress("sweep") as advance:
            new = fill(store, jobs, dask, advance, whole=merge)
    kept(target)
    took = time.monotonic() - began
    merged = f"{made.runs - there:,} merged, {there:,} were there"
    ran = f"{there:,} were there, {new:,} done in {took:.1f} s"
    tell_lines(
        {"folder": target, "cells": made.grid.cells, "seeds": len(made.seeds), "runs": made.runs}
        | {"there": there, "done": made.runs - there if merge else new, "seconds": took},
        f"{many(made.grid.cells, 'cell')}, {many(len(made.seeds), 'seed')}: "
        f"{many(made.runs, 'run')}",
        merged if merge else ran,
        f"results: {target}",
    )
    if not quiet() and (told := note(SweepResult(target))) is not None:
        print(f"note: {told}", file=sys.stderr)


def _one_of(**given: bool) -> None:
    names = [f"--{name}" for name, there in given.items() if there]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} do not go together\n  help: give one of them")


def _keyed(option: str, given: list[str] | None) -> dict[str, str]:
    keyed: dict[str, str] = {}
    for text in given or []:
        key, equals, values = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(
                f"cannot read {option} {text!r}\n"
                "  help: write KEY=VALUES, such as flow.0.cc=cubic,bbr3 or flow.0.count=1..64*2"
            )
        if key.strip() in keyed:
            raise UsageError(f"{option} has {key.strip()} twice\n  help: put all values in one")
        keyed[key.strip()] = values.strip()
    return keyed


def _command(
    file: str,
    set_: Sequence[str] | None,
    grid: Sequence[str] | None,
    zip_: Sequence[str] | None,
    seeds: str | None,
) -> str:
    """The user's command, without options that do not change the results."""
    words = ["acklab", "sweep", file]
    for option, given in (("--set", set_), ("--grid", grid), ("--zip", zip_)):
        words += [w for text in given or [] for w in (option, text)]
    return shlex.join(words + ([] if seeds is None else ["--seeds", seeds]))
