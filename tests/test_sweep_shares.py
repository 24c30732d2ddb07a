"""Shares of a sweep, done by processes of their own and merged: the same bytes as one process."""

import json
import shutil

import pytest

from sweeping import GRID, content, swept

#: The grid of `swept` on the command line.
OPTIONS = (
    *("--grid", "flow.0.cc=cubic,bbr3"),
    *("--grid", "rate:topology.bottleneck.rate=2..6*2 Mbit/s"),
    *("--seeds", "5", "--out", "s"),
)


def sweep(cli, tiny_file, *more):
    return cli("sweep", tiny_file, *OPTIONS, *more)


@pytest.fixture
def whole(acklab_cli, tiny_file, tmp_path):
    done = sweep(acklab_cli, tiny_file)
    assert done.returncode == 0, done.stderr
    found = content(tmp_path / "s")
    shutil.rmtree(tmp_path / "s")
    return found


def test_merged_shares_are_the_sweep_to_the_byte(acklab_cli, tiny_file, tmp_path, whole):
    # In any order, at different paces.
    for i in (3, 1, 2):
        done = sweep(acklab_cli, tiny_file, "--shard", f"{i}/3", "--jobs", i)
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / "s" / "flows").exists()
    merged = sweep(acklab_cli, tiny_file, "--merge")
    assert merged.returncode == 0, merged.stderr
    assert "20 merged, 0 were there" in merged.stdout
    assert content(tmp_path / "s") == whole
    again = sweep(acklab_cli, tiny_file, "--shard", "1/3")
    assert "0 done" in again.stdout
    assert content(tmp_path / "s") == whole


def test_what_is_missing_is_named_and_the_plain_command_does_it(
    acklab_cli, tiny_file, tmp_path, whole
):
    for i in (1, 3):
        sweep(acklab_cli, tiny_file, "--shard", f"{i}/4")
    merged = sweep(acklab_cli, tiny_file, "--merge")
    assert merged.returncode == 1
    assert merged.stderr.startswith("error: 10 runs of 20 are missing in ")
    assert "--shard 2/4, 4/4 again" in merged.stderr
    done = sweep(acklab_cli, tiny_file)
    assert "10 done" in done.stdout
    assert content(tmp_path / "s") == whole


def test_a_damaged_share_is_done_again(acklab_cli, tiny_file, tmp_path, whole):
    for i in (1, 2):
        sweep(acklab_cli, tiny_file, "--shard", f"{i}/2")
    journal = tmp_path / "s" / ".shares" / "1-of-2" / ".journal"
    journal.write_bytes(b"no database" * 100)
    merged = sweep(acklab_cli, tiny_file, "--merge")
    assert "10 runs of 20 are missing" in merged.stderr
    assert "--shard 1/2 again" in merged.stderr
    sweep(acklab_cli, tiny_file, "--shard", "1/2")
    assert sweep(acklab_cli, tiny_file, "--merge").returncode == 0
    assert content(tmp_path / "s") == whole


def test_a_share_of_another_sweep_is_refused(acklab_cli, tiny_file, tmp_path):
    sweep(acklab_cli, tiny_file, "--shard", "1/2")
    done = sweep(acklab_cli, tiny_file, "--shard", "1/2", "--set", "flow.0.start_jitter=1 ms")
    assert done.returncode == 1
    assert "holds another sweep" in done.stderr
    own = tmp_path / "s" / ".shares" / "1-of-2" / "sweep.json"
    assert json.loads(own.read_text())["runs"] == 20


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("--shard", "3"), "cannot read --shard '3'\n  help: write I/N, such as 3/8"),
        (("--shard", "0/3"), "there is no shard 0 of 3\n  help: shards of N are 1/N to N/N"),
        (("--shard", "4/3"), "there is no shard 4 of 3"),
        (("--shard", "1/2", "--merge"), "--shard and --merge do not go together"),
        (("--merge", "--dask", "x"), "--merge and --dask do not go together"),
        (("--merge",), "there is nothing to merge in"),
    ],
)
def test_mistakes(acklab_cli, tiny_file, args, text):
    done = sweep(acklab_cli, tiny_file, *args)
    assert done.returncode in (1, 2)
    assert text in done.stderr


def test_a_dry_run_measures_and_writes_nothing(acklab_cli, tiny_file, tmp_path):
    done = sweep(acklab_cli, tiny_file, "--dry-run")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "would run: 4 cells, 5 seeds: 20 runs"
    assert "  rate: 2 values of topology.bottleneck.rate" in lines
    assert lines[-1] == "measured on 3 runs; results would go to s"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tiny.toml"]
    share = sweep(acklab_cli, tiny_file, "--dry-run", "--shard", "2/4")
    assert share.stdout.startswith("would run: 4 cells, 5 seeds: 5 runs of 20 (shard 2 of 4)")


def test_the_estimate_of_disk_is_near_what_is_written(tmp_path):
    from acklab.source import read
    from acklab.sweeps import estimate
    from acklab.sweeps.plan import plan
    from sweeping import TINY

    made = plan(read(TINY), GRID, [], 5, [])
    _, size, runs = estimate.sampled(made)
    assert runs == 3
    swept(tmp_path / "s")
    written = sum(p.stat().st_size for p in (tmp_path / "s").rglob("*.parquet"))
    # Tables of single runs are less well compressed than those of many.
    assert written < size * made.runs
