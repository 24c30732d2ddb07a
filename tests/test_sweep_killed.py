"""Sweeps that are killed with -9 at random moments, and workers of a cluster that are."""

import os
import signal
import subprocess
import sys

import polars as pl
import pytest

import acklab
from conftest import PATIENCE
from sweeping import GRID, TINY, content

KILLS = 50

#: A process that has everything loaded makes children that sweep, and kills them. Each child says
#: through a file how many runs are kept, so that the next one can be held to it.
KILLER = f"""
import os, random, signal, struct, sys, time
import polars, acklab
from acklab.sweeps import api, store

scenario, grid, folder = {TINY!r}, {GRID!r}, sys.argv[1]
store.SHARD_RUNS = 20
counted = os.open(folder + ".count", os.O_RDWR | os.O_CREAT)

def sweep(out):
    first = True
    def on_progress(done, total):
        nonlocal first
        os.pwrite(counted, struct.pack("<q", done), 8)
        if first:
            os.pwrite(counted, struct.pack("<q", done), 0)
            first = False
    acklab.sweep(scenario, grid=grid, seeds=150, out=out, jobs=2, on_progress=on_progress)

chance = random.Random(4)
kills = finished = kept = midway = 0
out = f"{{folder}}/0"
while kills < {KILLS} or kept:
    os.pwrite(counted, struct.pack("<qq", -1, -1), 0)
    child = os.fork()
    if child == 0:
        sweep(out)
        os._exit(0)
    if kills < {KILLS}:
        # One in five while it starts, the others after some runs; then at any moment.
        runs = -1 if chance.random() < 0.2 else chance.randrange(30)
        while runs >= 0:
            began, ended = struct.unpack("<qq", os.pread(counted, 16, 0))
            if began >= 0 and ended >= min(began + runs, 600):
                break
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
            time.sleep(0.0005)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    began, ended = struct.unpack("<qq", os.pread(counted, 16, 0))
    if began >= 0:
        # A run may have been kept and not yet been told.
        assert began in (kept, kept + 1), (began, kept)
        kept = ended
    kills += os.WIFSIGNALED(status)
    midway += os.WIFSIGNALED(status) and 0 < ended < 600
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0
        kept, finished = 0, finished + 1
        out = f"{{folder}}/{{finished}}"
print(kills, midway, finished)
"""


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """The sweep as it is when nothing happens, from a process like those that are killed."""
    folder = tmp_path_factory.mktemp("whole")
    code = KILLER.split("chance =")[0] + "sweep(folder + '/s')"
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, timeout=PATIENCE)
    return content(folder / "s")


def test_nothing_is_lost_doubled_or_broken(tmp_path, uninterrupted):
    folder = tmp_path / "killed"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(folder)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    kills, midway, finished = map(int, done.stdout.split())
    assert kills == KILLS
    assert midway > KILLS / 2
    assert finished >= 1
    for out in folder.iterdir():
        assert content(out) == uninterrupted
        runs = pl.read_parquet(out / "flows" / "*.parquet")["run"]
        assert runs.to_list() == list(range(600))


def test_a_cluster_that_loses_a_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    kwargs = {"grid": GRID, "seeds": 30}
    acklab.sweep(TINY, out=tmp_path / "here", jobs=2, **kwargs)
    victims = []

    def on_progress(done, total):
        if 30 <= done < total // 2 and not victims:
            victims.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        address = cluster.scheduler_address
        out = tmp_path / "there"
        acklab.sweep(TINY, out=out, dask=address, on_progress=on_progress, **kwargs)
    assert len(victims) == 1
    assert content(tmp_path / "there") == content(tmp_path / "here")


def test_a_cluster_that_is_not_there(tmp_path):
    pytest.importorskip("distributed")
    from acklab.sweeps import cluster

    with pytest.raises(acklab.AcklabError, match="cannot use the Dask cluster at"):
        cluster._client(cluster._distributed(), "no-protocol://here")


def test_a_worker_of_another_build(tmp_path):
    from acklab import code
    from acklab.source import read
    from acklab.sweeps import cluster, plan

    made = plan.plan(read(TINY), {}, [], 2, [])
    assert [run for run, _, _ in cluster.run_batch(made, [0, 1], code.name())] == [0, 1]
    other = code.named(acklab.__version__, "another")
    said = r"a worker of the cluster has acklab .*, this is .* \(build another\)"
    with pytest.raises(acklab.AcklabError, match=said):
        cluster.run_batch(made, [0], other)
