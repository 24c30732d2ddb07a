"""Sweeps: the data set, TOML, the command line, mistakes."""

import json
import shlex
import time

import polars as pl
import pytest

import acklab
from acklab.sealed import sealed, unsealed
from acklab.sweeps import packing
from conftest import ROOT
from sweeping import TINY, TINY_TOML, content, swept

pytestmark = pytest.mark.usefixtures("small_shards")


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
    with pytest.raises(acklab.AcklabError, match=r"set record\.every"):
        swept(tmp_path / "none").table("series")


def test_a_sweep_that_records_in_some_cells_only(tmp_path):
    result = swept(tmp_path / "s", grid={"sample_every": ["off", "50 ms"]}, seeds=9)
    assert result.table("series")["run"].unique().sort().to_list() == list(range(9, 18))
    assert len(result.flows) == 18


def test_parallelism_changes_nothing(tmp_path):
    for jobs in (1, 4):
        swept(tmp_path / f"j{jobs}", jobs=jobs)
    assert content(tmp_path / "j1") == content(tmp_path / "j4")


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
    remade = acklab_cli(*shlex.split(words)[1:], "--out", "again")
    assert remade.returncode == 0, remade.stderr
    one, two = content(tmp_path / "s"), content(tmp_path / "again")
    assert {n for n in one if one[n] != two[n]} == {"SHA256SUMS", "sweep.json"}
    for table in packing.ALWAYS:
        assert pl.read_parquet(tmp_path / "s" / table / "*.parquet").height > 0


def test_seeds_that_change_nothing_are_told(acklab_cli, tiny_file, tmp_path):
    still = ("--set", "flow.0.start_jitter=0 s", "--seeds", "3")
    told = acklab_cli("sweep", tiny_file, "--grid", "flow.0.cc=cubic,newreno", *still)
    assert told.returncode == 0, told.stderr
    assert "all 3 seeds of a cell agree" in told.stderr
    assert "start_jitter" in told.stderr
    jitter = ("--grid", "flow.0.start_jitter=0 s,5 ms", "--seeds", "3", "--out", "mixed")
    told = acklab_cli("sweep", tiny_file, *jitter)
    assert "all 3 seeds of 1 of 2 cells agree" in told.stderr
    drawn = acklab_cli("sweep", tiny_file, "--seeds", "3", "--out", "drawn")
    assert "agree" not in drawn.stderr
    single = acklab_cli("sweep", tiny_file, "--set", "flow.0.start_jitter=0 s", "--out", "single")
    assert "agree" not in single.stderr


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
        assert done.returncode in (1, 2), (args, done)
        assert said in done.stderr, (args, done)
        assert "Traceback" not in done.stderr, (args, done)
    assert [p.name for p in other.iterdir()] == ["thesis.doc"]


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('scenario = "tiny.toml"\nseed = 3\n', "in {file}, line 3: sweep.seed"),
        ("scenario = 3\n", "in {file}, line 2: sweep.scenario"),
        ('scenario = "tiny.toml"\n[sweep.grid]\nflow.0.cc = ["cubic"]\n', '"flow.0.cc" = [...]'),
        ('scenario = "tiny.toml"\n[sweep.grid]\nflow.0.cc = ["cubic"]\n', "in {file}, line 4"),
        ('scenario = "tiny.toml"\ngrid = 3\n', "in {file}, line 3: sweep.grid"),
    ],
)
def test_mistakes_in_a_sweep_file_name_the_file_and_the_line(acklab_cli, tiny_file, text, said):
    file = tiny_file.with_name("only.toml")
    file.write_text("[sweep]\n" + text)
    done = acklab_cli("sweep", file)
    assert done.returncode == 1
    assert said.format(file=file) in done.stderr
    assert "tiny.toml, line" not in done.stderr


def test_a_mistake_in_the_grid_does_not_blame_a_line_of_the_scenario(acklab_cli, tiny_file):
    done = acklab_cli("sweep", tiny_file, "--grid", "flow.0.cc=cubic,qubic")
    assert done.returncode == 1
    assert 'in the grid: flow.0.cc = "qubic"' in done.stderr
    assert "line" not in done.stderr


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ("99999999999999999999", "are too many"),
        ("abc", "cannot read the seeds 'abc'"),
        ("1,2,1", "the seed 1 is there twice"),
        ("0", "at least 1 seed"),
    ],
)
def test_mistaken_seeds_are_told(acklab_cli, tiny_file, seeds, said):
    done = acklab_cli("sweep", tiny_file, "--seeds", seeds)
    assert done.returncode == 2
    assert said in done.stderr
    assert "help:" in done.stderr


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("axes", [1, 2]),
        ("axes", 3),
        ("axes", [{"a": 1}]),
        ("seeds", "q"),
        ("runs", "six"),
        ("cells", -1),
    ],
)
def test_a_corrupt_manifest_is_told(acklab_cli, tiny_file, tmp_path, key, value):
    sweep = ("sweep", tiny_file, "--grid", "flow.0.cc=cubic,bbr3", "--out", "s")
    assert acklab_cli(*sweep).returncode == 0
    path = tmp_path / "s" / "sweep.json"
    path.write_text(sealed({**unsealed(path.read_bytes()), key: value}))
    for args in (sweep, ("plot", "s", "cdf")):
        done = acklab_cli(*args)
        assert done.returncode == 1
        assert f"sweep.json is corrupt: {key}" in done.stderr


def test_warnings_of_all_cells_are_shown(acklab_cli, tmp_path):
    ratio = "topology.bottleneck.reverse.ack_filter.ratio"
    command = ["sweep", "ack-aggregation", "--grid", f"ratio:{ratio}=4,11..16", "--seeds", "1"]
    command += ["--set", "topology.bottleneck.reverse.ack_filter.timeout=none", "--dry-run"]
    told = acklab_cli(*command, "--out", tmp_path / "s").stderr
    # Those that differ in numbers only are one.
    assert told.count("without a timer this filter waits") == 1
    assert f"in 6 cells, the first: {ratio} = 11" in told
    told = acklab_cli(*command[:3], f"ratio:{ratio}=4,8", *command[4:]).stderr
    assert "without a timer" not in told
