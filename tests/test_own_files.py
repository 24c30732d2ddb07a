"""Files that are not acklab's stay as they are, and a result outlives what is made of it."""

import json

import pytest

import acklab
from acklab.sweeps import store
from sweeping import GRID, TINY, TINY_TOML, Stop, stop_after, swept
from test_no_samples import DEAD_TOML


@pytest.mark.parametrize("name", ["scenario.toml", "scenario.json"])
def test_a_sweep_does_not_take_someone_elses_scenario_for_its_own(
    acklab_cli, tiny_file, tmp_path, name
):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / name).write_text("# precious")
    done = acklab_cli("sweep", tiny_file, "--grid", "flow.0.cc=cubic", "--out", mine)
    assert done.returncode == 1
    assert "holds no sweep" in done.stderr
    assert {p.name: p.read_text() for p in mine.iterdir()} == {name: "# precious"}


def test_a_sweep_that_was_killed_between_its_first_files_goes_on(acklab_cli, tiny_file, tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "scenario.toml").write_text(TINY_TOML)
    done = acklab_cli("sweep", tiny_file, "--grid", "flow.0.cc=cubic,bbr3", "--out", "s")
    assert done.returncode == 0, done.stderr


def test_resuming_a_sweep_leaves_foreign_files_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SHARD_RUNS", 7)
    folder = tmp_path / "s"
    with pytest.raises(Stop):
        swept(folder, on_progress=stop_after(10))
    foreign = [folder / "flows" / n for n in ("notes.md", "mine.parquet", ".hidden.part")]
    foreign += [folder / "notes.md", folder / ".mine.part"]
    # Which runs are done by then, and so whether a shard is, is up to the threads.
    (folder / "flows").mkdir(exist_ok=True)
    for path in foreign:
        path.write_text("precious")
    left = [folder / "flows" / ".0-3.parquet.part", folder / ".sweep.json.part"]
    for path in left:
        path.write_text("half")
    result = swept(folder)
    assert all(p.read_text() == "precious" for p in foreign)
    assert not any(p.exists() for p in left)
    # A table of the user's is none of the sweep's.
    assert len(result.flows) == 20


def test_running_again_keeps_the_users_files_and_no_stale_ones(acklab_cli, small_file, tmp_path):
    run = ("run", small_file, "--record", "all", "--out", "r")
    assert acklab_cli(*run, "--report", "--pcap", "--qlog").returncode == 0
    assert acklab_cli("plot", "r", "series").returncode == 0
    own = {p.name for p in (tmp_path / "r").iterdir()}
    mine = ["notes.md", "plots/mine.svg", "deep/er/x.txt", "mine.parquet"]
    for name in mine:
        (tmp_path / "r" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "r" / name).write_text("precious")
    assert acklab_cli("run", small_file, "--out", "r").returncode == 0
    assert all((tmp_path / "r" / n).read_text() == "precious" for n in mine)
    left = {p.relative_to(tmp_path / "r").as_posix() for p in (tmp_path / "r").rglob("*.*")}
    stale = {"report.html", "packets.pcapng", "bulk.sqlog", "acks.parquet", "plots/series.svg"}
    assert {"report.html", "packets.pcapng", "bulk.sqlog", "acks.parquet", "plots"} <= own
    assert not left & stale
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".r.")] == []


def test_a_plot_does_not_replace_a_table_of_its_name(acklab_cli, small_file, tmp_path):
    acklab_cli("run", small_file, "--out", "r")
    (tmp_path / "mine.csv").write_text("precious")
    done = acklab_cli("plot", "r", "series", "--out", "mine.svg")
    assert done.returncode == 1
    assert "mine.csv" in done.stderr
    assert (tmp_path / "mine.csv").read_text() == "precious"
    assert not (tmp_path / "mine.svg").exists()
    for _ in range(2):
        assert acklab_cli("plot", "r", "series", "--out", "other.svg").returncode == 0


def test_a_figure_that_cannot_be_written_leaves_no_data(small, tmp_path, monkeypatch):
    from acklab.errors import OutputError
    from acklab.plots import style

    def full(*_):
        raise OutputError("no room")

    drawn = acklab.load(small).run().plot.series()
    monkeypatch.setattr(style, "render", full)
    with pytest.raises(OutputError):
        drawn.save(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_comparison_is_no_picture(acklab_cli, small_file, tmp_path):
    for name in "ab":
        acklab_cli("run", small_file, "--out", name)
    done = acklab_cli("compare", "a", "b", "--out", "x.pdf")
    assert done.returncode == 2
    assert "--plot" in done.stderr
    assert not (tmp_path / "x.pdf").exists()


def test_a_dead_run_is_kept_and_has_a_page(acklab_cli, tmp_path):
    (tmp_path / "dead.toml").write_text(DEAD_TOML)
    done = acklab_cli("run", "dead.toml", "--record", "all", "--report")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "dead" / "report.html").read_text()
    for section in ("Flows", "Links", "Time-sequence", "Events"):
        assert f"<h2>{section}</h2>" in page
    assert "Not drawn" in page
    (tmp_path / "out" / "dead" / "report.html").unlink()
    assert acklab_cli("report", "out/dead").returncode == 0


def test_a_result_outlives_the_failure_of_its_report(acklab_cli, small_file, tmp_path, monkeypatch):
    from acklab.cli import run
    from acklab.errors import AcklabError
    from acklab.report import run as page

    def fails(*_):
        raise AcklabError("no page")

    monkeypatch.setattr(page, "write_run_report", fails)
    with pytest.raises(AcklabError, match="no page"):
        run.run(str(small_file), out=tmp_path / "r", report=True)
    assert acklab.open(tmp_path / "r").flows["goodput_mbps"][0] > 5
    assert not (tmp_path / "r" / "report.html").exists()


def test_the_command_is_the_one_that_was_given(acklab_cli, small_file, tmp_path):
    acklab_cli("run", small_file, "--record", "all", "--qlog", "--report", "--out", "r")
    told = json.loads((tmp_path / "r" / "run.json").read_text())["command"]
    expected = f"acklab run {small_file} --seed 1 --out r --record all --qlog --report"
    assert told == expected
    assert acklab_cli(*told.split()[1:]).returncode == 0


@pytest.mark.parametrize("stream", ["events", "acks", "packets"])
def test_a_sweep_does_not_record_what_it_would_throw_away(tmp_path, stream):
    with pytest.raises(acklab.ScenarioError, match=f"--set record.{stream}=false"):
        swept(tmp_path / "s", overrides={f"record.{stream}": True})
    with pytest.raises(acklab.ScenarioError, match="in the cell"):
        swept(tmp_path / "s", grid={**GRID, f"record.{stream}": [False, True]})
    assert not (tmp_path / "s").exists()
    kept = acklab.sweep(
        TINY,
        grid={"flow.0.cc": ["cubic"]},
        seeds=1,
        overrides={"record.delays": True, "record.queues": True, "record.every": "100 ms"},
        out=tmp_path / "s",
    )
    assert kept.flows["owd_p50_ms"][0] > 0
    assert len(kept.table("series")) > 0
