"""Doing the runs of a sweep on a Dask cluster.

Workers compute and send tables back; only this process writes, so no file system needs to be
shared. A worker that dies takes nothing with it that was kept: Dask does its batch again elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any

from acklab import code
from acklab.errors import AcklabError
from acklab.sweeps.plan import Plan
from acklab.sweeps.runner import Keep, run_here

#: Runs per task: what is lost with a worker, and what hides a message's delay.
BATCH = 8
#: Tasks per thread of the cluster that are under way.
AHEAD = 3
#: How long to wait for the scheduler, and for a first worker.
SCHEDULER_S, WORKER_S = 10, 60


def run_on_dask(plan: Plan, todo: Iterable[int], address: str, keep: Keep) -> None:
    """Does the runs `todo` on the cluster whose scheduler is at `address`."""
    distributed = _distributed()
    with _client(distributed, address) as client:
        batches = _batched(iter(todo))

        def submit(batch: Sequence[int]) -> Any:
            # The plan goes with every task: data that was scattered would die with its worker.
            return client.submit(run_batch, plan, batch, code.name(), pure=False)

        threads = sum(client.nthreads().values())
        under_way = distributed.as_completed([submit(b) for b in islice(batches, threads * AHEAD)])
        for future in under_way:
            for kept in _result(distributed, future):
                keep(*kept)
            future.release()
            for batch in islice(batches, 1):
                under_way.add(submit(batch))


def run_batch(plan: Plan, batch: Sequence[int], build: str) -> list[tuple[int, int, bytes]]:
    """A task: the tables of some runs, made on a worker."""
    if build != code.name():
        raise AcklabError(
            f"a worker of the cluster has {code.name()}, this is {build}\n"
            "  help: install the same build everywhere"
        )
    done: list[tuple[int, int, bytes]] = []
    run_here(plan, batch, 1, lambda *kept: done.append(kept))
    return done


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise AcklabError(
            "--dask needs Dask, which is not installed\n  help: pip install 'acklab[dask]'"
        ) from None


def _client(distributed: Any, address: str) -> Any:
    try:
        client = distributed.Client(address, timeout=SCHEDULER_S)
        client.wait_for_workers(1, timeout=WORKER_S)
    except (OSError, TimeoutError, ValueError) as e:
        raise AcklabError(
            f"cannot use the Dask cluster at {address}: {e}\n"
            "  help: give the address of its scheduler, such as tcp://10.0.0.1:8786, and start a "
            "worker"
        ) from None
    return client


def _result(distributed: Any, future: Any) -> list[tuple[int, int, bytes]]:
    try:
        done: list[tuple[int, int, bytes]] = future.result()
    except distributed.KilledWorker as e:
        raise AcklabError(
            f"workers died again and again over the same runs: {e}\n"
            "  help: they may have too little memory; what is finished is kept"
        ) from None
    return done


def _batched(runs: Iterator[int]) -> Iterator[list[int]]:
    while batch := list(islice(runs, BATCH)):
        yield batch
