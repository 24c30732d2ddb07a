"""Sweeps: the data set, resuming, mistakes, mending."""

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import polars as pl
import pytest

import acklab
from acklab.sweeps import packing, store
from conftest import ROOT

TINY = {
    "name": "tiny",
    "duration": "300 ms",
    "topology": {
        "preset": "dumbbell",
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "5 Mbit/s", "delay": "2 ms", "queue": "20 packets"},
    },
    "flow": [{"name": "bulk", "cc": "cubic", "start_jitter": "20 ms"}],
}
TINY_TOML = """\
name = "tiny"
duration = "300 ms"

[topology]
preset = "dumbbell"
access = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "5 Mbit/s", delay = "2 ms", queue = "20 packets" }

[[flow]]
name = "bulk"
cc = "cubic"
start_jitter = "20 ms"
"""
GRID = {"flow.0.cc": ["cubic", "bbr3"], "rate:topology.bottleneck.rate": "2..6*2 Mbit/s"}


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """Several shards from a handful of runs."""
    monkeypatch.setattr(store, "SHARD_RUNS", 7)


@pytest.fixture
def tiny_file(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY_TOML)
    return path


def swept(folder, **more):
    return acklab.sweep(TINY, **{"grid": GRID, "seeds": 5, "out": folder, **more})


def content(folder):
    """Every file by its path, but for the lock, which is always empty."""
    files = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}
    assert files.pop(".lock").stat().st_size == 0
    return {name: p.read_bytes() for name, p in files.items()}


class Stop(Exception):
    """Stands for whatever ends a sweep early."""


def stop_after(n):
    def on_progress(done, total):
        if done >= n:
            raise Stop

    return on_progress


def test_the_data_set(tmp_path):
    result = swept(tmp_path / "s")
    assert result.complete
    assert result.keys == ["flow.0.cc", "rate"]
    assert result.flows.columns[:6] == ["run", "cell", "flow.0.cc", "rate", "seed", "flow"]
    assert result.flows["run"].to_list() == list(range(20))
    assert result.links["run"].unique().sort().to_list() == list(range(20))
    assert result.cells.rows() == [
        (0, "cubic", "2 Mbit/s"),
        (1, "cubic", "4 Mbit/s"),
        (2, "bbr3", "2 Mbit/s"),
        (3, "bbr3", "4 Mbit/s"),
    ]
    names = sorted(p.name for p in (tmp_path / "s" / "flows").iterdir())
    assert names == ["00-06.parquet", "07-13.parquet", "14-19.parquet"]


def test_each_row_is_what_a_run_alone_gives(tmp_path):
    flows = swept(tmp_path / "s").flows
    for run in (0, 7, 19):
        row = flows.filter(pl.col("run") == run)
        changes = {"flow.0.cc": row["flow.0.cc"][0], "topology.bottleneck.rate": row["rate"][0]}
        alone = acklab.load(TINY, overrides=changes).run(seed=row["seed"][0]).flows
        assert row.select(alone.columns).equals(alone)


def test_duckdb_and_polars_read_it_alike(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    result = swept(tmp_path / "s")
    there = f"'{tmp_path}/s/flows/*.parquet'"
    query = f'SELECT "flow.0.cc", avg(goodput_mbps) FROM {there} GROUP BY ALL ORDER BY 1'
    found = duckdb.sql(query).fetchall()
    ours = result.stats(by=["flow.0.cc"]).sort("flow.0.cc")
    assert [cc for cc, _ in found] == ours["flow.0.cc"].to_list() == ["bbr3", "cubic"]
    assert [m for _, m in found] == pytest.approx(ours["mean"].to_list(), rel=1e-12)


def test_statistics_are_those_of_each_cell(tmp_path):
    from acklab.stats import estimate

    result = swept(tmp_path / "s")
    stats = result.stats("rtt_mean_ms")
    assert stats.columns == ["cell", *result.keys, "flow", "mean", "ci_low", "ci_high", "n"]
    for row in stats.iter_rows(named=True):
        of = result.flows.filter(pl.col("cell") == row["cell"])["rtt_mean_ms"].to_list()
        e = estimate(of)
        assert (row["mean"], row["ci_low"], row["ci_high"]) == pytest.approx(
            (e.mean, e.low, e.high)
        )
        assert row["n"] == e.n == 5
    one = swept(tmp_path / "one", seeds=1).stats()
    assert one["ci_low"].null_count() == len(one)


def test_series_are_kept_if_recorded(tmp_path):
    result = swept(tmp_path / "s", overrides={"sample_every": "50 ms"}, seeds=2)
    series = result.table("series")
    assert series["run"].unique().sort().to_list() == list(range(8))
    assert {"flow.0.cc", "time_s", "cwnd_bytes"} <= set(series.columns)
    with pytest.raises(acklab.AcklabError, match="set sample_every"):
        swept(tmp_path / "none").table("series")


def test_a_sweep_that_records_in_some_cells_only(tmp_path):
    result = swept(tmp_path / "s", grid={"sample_every": ["off", "50 ms"]}, seeds=9)
    assert result.table("series")["run"].unique().sort().to_list() == list(range(9, 18))
    assert len(result.flows) == 18


def test_parallelism_changes_nothing(tmp_path):
    for jobs in (1, 4):
        swept(tmp_path / f"j{jobs}", jobs=jobs)
    assert content(tmp_path / "j1") == content(tmp_path / "j4")


def test_a_sweep_goes_on_where_it_was(tmp_path):
    swept(tmp_path / "whole")
    for n in (1, 6, 7, 12, 20):
        folder = tmp_path / f"after-{n}"
        with pytest.raises(Stop):
            swept(folder, on_progress=stop_after(n), jobs=2)
        assert not acklab.open(folder).complete
        seen = []
        swept(folder, on_progress=lambda done, total, seen=seen: seen.append(done), jobs=2)
        assert seen == list(range(n, 21))
        assert content(folder) == content(tmp_path / "whole")


def test_a_finished_sweep_does_nothing(tmp_path):
    swept(tmp_path / "s")
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "s").rglob("*.*")}
    seen = []
    swept(tmp_path / "s", on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(20, 20)]
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "s").rglob("*.*")} == before


@pytest.mark.parametrize("harm", ["truncate", "flip", "delete", "empty"])
@pytest.mark.parametrize("whole", [True, False])
def test_broken_shards_are_done_again(tmp_path, harm, whole):
    swept(tmp_path / "good")
    folder = tmp_path / "s"
    if whole:
        swept(folder)
    else:
        with pytest.raises(Stop):
            swept(folder, on_progress=stop_after(17), jobs=1)
    shard = folder / "flows" / "07-13.parquet"
    data = shard.read_bytes()
    broken = {
        "truncate": data[: len(data) // 2],
        "flip": data[:200] + bytes([data[200] ^ 1]) + data[201:],
        "empty": b"",
    }
    shard.unlink() if harm == "delete" else shard.write_bytes(broken[harm])
    if whole or harm in ("truncate", "empty"):
        with pytest.raises(acklab.AcklabError, match="give the command of the sweep again"):
            acklab.open(folder).table("flows")
    seen = []
    swept(folder, on_progress=lambda done, total: seen.append(done))
    assert seen == list(range(13 if whole else 10, 21))
    assert content(folder) == content(tmp_path / "good")


def test_a_broken_journal_is_told_and_done_again(tmp_path, capsys):
    swept(tmp_path / "good")
    folder = tmp_path / "s"
    with pytest.raises(Stop):
        swept(folder, on_progress=stop_after(10))
    for path in folder.glob(".journal*"):
        path.write_bytes(b"not a database at all" * 999)
    plan = acklab.sweeps.plan.plan(acklab.source.read(TINY), GRID, [], 5, [])
    with store.opened(folder, plan, "") as again:
        assert "was corrupt" in again.notes[0]
        assert again.done == 0
    swept(folder)
    assert content(folder)["SHA256SUMS"] == content(tmp_path / "good")["SHA256SUMS"]


def test_a_run_whose_bytes_changed_in_the_journal_is_done_again(tmp_path):
    swept(tmp_path / "good")
    folder = tmp_path / "s"
    with pytest.raises(Stop):
        swept(folder, on_progress=stop_after(5), jobs=1)
    with sqlite3.connect(folder / ".journal") as db:
        assert db.execute("UPDATE runs SET tables = x'00' WHERE run = 3").rowcount == 1
    db.close()
    seen = []
    swept(folder, on_progress=lambda done, total: seen.append(done))
    assert seen[0] == 4
    assert content(folder) == content(tmp_path / "good")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seeds": 6}, "seeds: 5 there, 6 here"),
        (
            {"grid": {"flow.0.cc": ["cubic"]}},
            r"grid: flow.0.cc=cubic,bbr3 .* there, flow.0.cc=cubic h",
        ),
        ({"overrides": ["duration=200 ms"]}, "--set: {} there, {'duration': '200 ms'} here"),
    ],
)
def test_another_sweep_in_the_folder(tmp_path, change, said):
    swept(tmp_path / "s")
    before = content(tmp_path / "s")
    with pytest.raises(acklab.AcklabError, match=said):
        swept(tmp_path / "s", **change)
    assert content(tmp_path / "s") == before


def test_another_scenario_in_the_folder(tiny_file, tmp_path):
    acklab.sweep(tiny_file, seeds=2, out=tmp_path / "s")
    tiny_file.write_text("# The same, said otherwise.\n" + TINY_TOML.replace("300 ms", "0.3 s"))
    with pytest.raises(acklab.AcklabError, match="the scenario is not the one in"):
        acklab.sweep(tiny_file, seeds=2, out=tmp_path / "s")
    tiny_file.write_text("# A comment changes nothing.\n" + TINY_TOML)
    acklab.sweep(tiny_file, seeds=2, out=tmp_path / "s")


def test_folders_of_other_versions_and_broken_manifests(tmp_path):
    swept(tmp_path / "s", seeds=1)
    path = tmp_path / "s" / "sweep.json"
    good = json.loads(path.read_text())
    for change, said in [
        ({"format": 2}, "written by a newer acklab: format 2"),
        ({"version": "0.0.9"}, "acklab: 0.0.9 there"),
        ({"kind": "else"}, "corrupt"),
        ({"format": "x"}, "corrupt"),
    ]:
        path.write_text(json.dumps(good | change))
        with pytest.raises(acklab.AcklabError, match=said):
            swept(tmp_path / "s", seeds=1)
    for text in ("", "{", "[]", '{"kind": "sweep", "format": 1}', "\x00"):
        path.write_text(text)
        for use in (lambda: swept(tmp_path / "s", seeds=1), lambda: acklab.open(tmp_path / "s")):
            with pytest.raises(acklab.AcklabError, match=r"sweep.json is corrupt"):
                use()


def test_a_mistake_in_one_cell_is_told_before_the_first_run(tmp_path):
    with pytest.raises(acklab.ScenarioError) as e:
        swept(tmp_path / "s", grid={"flow.0.cc": ["cubic", "qubic"]})
    assert "did you mean `cubic`" in str(e.value)
    assert "in the cell flow.0.cc = qubic" in str(e.value)
    assert not (tmp_path / "s").exists()


def test_a_mistake_in_a_large_grid_is_found_by_its_value(tmp_path):
    rates = {"topology.bottleneck.rate": "1..600 Mbit/s", "flow.0.cc": ["cubic", "qubic"]}
    with pytest.raises(acklab.ScenarioError, match="did you mean `cubic`"):
        swept(tmp_path / "s", grid=rates)


def test_keys_that_would_hide_columns(tmp_path):
    with pytest.raises(acklab.AcklabError, match="--grid my_goodput_mbps:KEY"):
        swept(tmp_path / "s", grid={"goodput_mbps:topology.bottleneck.rate": "2 Mbit/s,4 Mbit/s"})


def test_a_sweep_in_toml(tmp_path, tiny_file):
    both = tmp_path / "both.toml"
    section = """
[sweep]
seeds = 2

[sweep.grid]
"flow.0.cc" = ["cubic", "bbr3"]

[[sweep.zip]]
rate = ["2 Mbit/s", "4 Mbit/s"]
"""
    section = section.replace("rate =", '"rate:topology.bottleneck.rate" =')
    section += '"topology.bottleneck.queue" = ["10 packets", "20 packets"]\n'
    both.write_text(TINY_TOML.replace("[[flow]]", section + "\n[[flow]]"))
    alone = tmp_path / "alone.toml"
    alone.write_text(section.replace("[sweep]", '[sweep]\nscenario = "tiny.toml"'))
    one = acklab.sweep(both, out=tmp_path / "one")
    two = acklab.sweep(alone, out=tmp_path / "two")
    assert one.cells.height == 4
    assert one.flows.equals(two.flows)
    assert one.keys == ["flow.0.cc", "rate", "topology.bottleneck.queue"]
    # Seeds and keys that are given hold.
    three = acklab.sweep(both, grid={"flow.0.cc": "vegas"}, seeds=1, out=tmp_path / "three")
    assert three.flows["flow.0.cc"].to_list() == ["vegas", "vegas"]
    # A single run does not mind the section, and mistakes keep their lines.
    assert acklab.load(both).run().flows.height == 1
    both.write_text(both.read_text().replace("start_jitter", "start_yitter"))
    line = 1 + both.read_text().splitlines().index('start_yitter = "20 ms"')
    with pytest.raises(acklab.ScenarioError, match=f"line {line}"):
        acklab.load(both)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("[sweep]\nseads = 1", "unknown key sweep.seads"),
        ("[sweep]\ngrid = 1", "must be tables"),
        ("[sweep]\nzip = [1]", "must be tables"),
        ("[sweep]\nseeds = 'x'", "seed"),
        ("[sweep]\nscenario = 'absent.toml'", "scenario of its own"),
    ],
)
def test_mistakes_in_toml(tiny_file, tmp_path, section, said):
    tiny_file.write_text(TINY_TOML + section)
    with pytest.raises(acklab.AcklabError, match=said):
        acklab.sweep(tiny_file, out=tmp_path / "s")


def test_the_gallerys_sweeps_can_be_planned():
    from acklab.sweeps.api import find

    files = sorted((ROOT / "scenarios" / "sweeps").glob("*.toml"))
    assert files
    for path in files:
        source = find(acklab.source.read(path))
        assert acklab.sweeps.plan.plan(source, {}, [], None, []).runs > 1


def test_the_command_line(acklab_cli, tiny_file, tmp_path):
    args = ("--grid", "flow.0.cc=cubic,bbr3", "--zip", "duration=200..300+100 ms", "--seeds", "2")
    first = acklab_cli("sweep", tiny_file, *args, "--out", "s", "--jobs", 1)
    assert first.returncode == 0, first.stderr
    assert "4 cells, 2 seeds: 8 runs" in first.stdout
    again = acklab_cli("sweep", tiny_file, *args, "--out", "s")
    assert "8 were there, 0 done" in again.stdout
    about = json.loads((tmp_path / "s" / "sweep.json").read_text())
    assert about["command"].startswith(f"acklab sweep {tiny_file} --grid flow.0.cc=cubic,bbr3")
    # The folder explains itself: its own command makes the same data again.
    words = about["again"].replace("scenario.toml", "s/scenario.toml")
    import shlex

    remade = acklab_cli(*shlex.split(words)[1:], "--out", "again")
    assert remade.returncode == 0, remade.stderr
    one, two = content(tmp_path / "s"), content(tmp_path / "again")
    assert {n for n in one if one[n] != two[n]} == {"SHA256SUMS", "sweep.json"}
    for table in packing.ALWAYS:
        assert pl.read_parquet(tmp_path / "s" / table / "*.parquet").height > 0


def test_command_lines_with_a_mistake(acklab_cli, tiny_file, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.doc").write_text("dear to me")
    for args, said in [
        (("--grid", "flow.0.cc"), "KEY=VALUES"),
        (("--grid", "flow.0.cc=a", "--grid", "flow.0.cc=b"), "twice"),
        (("--grid", "flow.0.count=1..1000000000"), "1,000,000,000 cells"),
        (("--grid", "flow.0.count=1..3", "--limit", "2"), "--limit 3"),
        (("--grid", "flow.0.cc=qubic"), "did you mean `cubic`"),
        (("--seeds", "0"), "seed"),
        (("--seeds", "x"), "seed"),
        (("--out", other), "will not write"),
        (("--out", tiny_file), "a file"),
        (("--out", tiny_file / "sub"), "cannot write"),
        (("--dask", "nowhere"), "Dask"),
        (("--dask", "tcp://127.0.0.1:1", "--jobs", "1"), "give one"),
    ]:
        done = acklab_cli("sweep", tiny_file, *args)
        assert done.returncode == 1, (args, done)
        assert said in done.stderr, (args, done)
        assert "Traceback" not in done.stderr, (args, done)
    assert [p.name for p in other.iterdir()] == ["thesis.doc"]


def test_two_sweeps_in_one_folder(tmp_path, acklab_cli, tiny_file):
    plan = acklab.sweeps.plan.plan(acklab.source.read(tiny_file), {}, [], None, [])
    with store.opened(tmp_path / "s", plan, ""):
        done = acklab_cli("sweep", tiny_file, "--out", "s")
    assert done.returncode == 1
    assert "another sweep is writing to" in done.stderr
    assert acklab_cli("sweep", tiny_file, "--out", "s").returncode == 0


@pytest.mark.parametrize("most", [0, 5000, 60_000])
def test_a_full_disk_keeps_what_is_finished(acklab_cli, tiny_file, tmp_path, most):
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    args = ("sweep", tiny_file, "--seeds", "40", "--jobs", 1, "--out")
    stopped = acklab_cli(*args, "s", preexec_fn=full)
    assert stopped.returncode == 1, stopped
    assert f"cannot write results to {tmp_path / 's'}" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert acklab_cli(*args, "whole").returncode == 0
    done = acklab_cli(*args, "s")
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "s") == content(tmp_path / "whole")


def test_ctrl_c_keeps_what_is_finished(tiny_file, tmp_path):
    command = ["sweep", "tiny.toml", "--seeds", "100000", "--jobs", "2", "--out", "s"]
    process = subprocess.Popen(
        [sys.executable, "-m", "acklab", *command],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    limit = time.monotonic() + 30
    log = tmp_path / "s" / ".journal-wal"
    while not (log.exists() and log.stat().st_size > 200_000) and time.monotonic() < limit:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - sent < 5
    assert process.returncode == 130
    assert "finished runs are kept" in err
    assert "Traceback" not in err
    plan = acklab.sweeps.plan.plan(acklab.source.read(tiny_file), {}, [], 100_000, [])
    with store.opened(tmp_path / "s", plan, "") as kept:
        assert kept.done > 0


def test_a_run_costs_less_than_five_milliseconds_more_than_alone(tmp_path):
    def cpu(action):
        began = time.process_time()
        action()
        return time.process_time() - began

    swept(tmp_path / "warm")
    n = 500
    scenario = acklab.load(TINY)
    alone = cpu(lambda: acklab.run_many([(scenario, s) for s in range(n)], jobs=1))
    whole = cpu(lambda: acklab.sweep(TINY, seeds=n, jobs=1, out=tmp_path / "s"))
    assert (whole - alone) / n < 5e-3


def test_progress_is_not_mistaken_for_speed():
    from rich.progress import Progress

    bar = Progress()
    task = bar.add_task("sweep", total=None)
    bar.reset(task, completed=900, total=1000)
    bar.update(task, completed=900)
    assert bar.tasks[0].speed is None


def test_a_folder_that_was_moved_is_the_same_sweep(tmp_path):
    swept(tmp_path / "s")
    shutil.move(tmp_path / "s", tmp_path / "elsewhere")
    assert acklab.open(tmp_path / "elsewhere").complete
    seen = []
    swept(tmp_path / "elsewhere", on_progress=lambda done, total: seen.append(done))
    assert seen == [20]
