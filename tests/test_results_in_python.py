"""Results as Python objects: saved, pickled, copied, compared, shown; wrong arguments named."""

import copy
import multiprocessing
import pickle
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import acklab
from acklab.errors import AcklabError
from acklab.results import TABLES
from conftest import ROOT, SMALL


def scenario(**more):
    record = {"every": "100 ms", "events": True, "acks": True, "packets": True}
    plain = {k: v for k, v in SMALL.items() if k != "sample_every"}
    return acklab.load({**plain, "duration": "1 s", "record": record, **more})


@pytest.fixture(scope="module")
def result():
    return scenario().run(seed=3)


def same(one, other):
    assert one.recorded == other.recorded
    for name in (*TABLES, "events", "acks", "reports", "packets"):
        assert one.table(name).equals(other.table(name)), name


def test_a_pickle_has_every_table(result):
    again = pickle.loads(pickle.dumps(result))
    same(result, again)
    assert (again.seed, again.name, again.version) == (3, "small", result.version)
    assert again.cost == result.cost
    assert again.plot.sequence().data.equals(result.plot.sequence().data)
    # It runs again, and gives the same.
    same(again, again.scenario.run(again.seed))
    # A pickle of a pickle.
    same(result, pickle.loads(pickle.dumps(again)))
    with pytest.raises(AcklabError, match=r"comes from a pickle.*\n  help: run it again: result"):
        again._core.write_pcapng("x", False)


def test_a_pickled_scenario_has_its_traces():
    loaded = acklab.load(ROOT / "scenarios" / "cellular.toml", overrides={"duration": "6 s"})
    again = pickle.loads(pickle.dumps(loaded))
    assert again.resolved == loaded.resolved
    assert again.files == loaded.files
    assert again.run().flows.equals(loaded.run().flows)


def _goodput(result):
    return result.flows["goodput_mbps"][0]


def test_results_go_to_other_processes(result):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_goodput, [result]) == [_goodput(result)]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies(result, copied):
    same(result, copied(result))
    assert copied(result.scenario).resolved == result.scenario.resolved
    copied(result)._core.recorded()


def test_saving_and_loading(result, tmp_path):
    folder = result.save(tmp_path / "r")
    again = acklab.Result.load(folder)
    for name in ("flows", "links", "series", "acks", "packets"):
        assert result.table(name).select(again.table(name).columns).equals(again.table(name))
    same(result, pickle.loads(pickle.dumps(result)))
    result.save(folder)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.txt").write_text("mine")
    with pytest.raises(acklab.OutputError):
        result.save(tmp_path / "own")
    assert (tmp_path / "own" / "thesis.txt").read_text() == "mine"


def test_pandas(result):
    pytest.importorskip("pandas")
    for name in ("flows", "series", "acks", "packets", "links"):
        ours, theirs = result.table(name), result.to_pandas(name)
        assert list(theirs.columns) == ours.columns
        assert len(theirs) == len(ours)
        for column in ours.columns:
            nulls = theirs[column].map(lambda v: v is None or v != v).sum() if len(ours) else 0
            if theirs[column].dtype.name in ("Int64", "UInt64"):
                nulls = theirs[column].isna().sum()
            assert nulls == ours[column].null_count(), (name, column)
    assert result.to_pandas()["goodput_mbps"].sum() == result.flows["goodput_mbps"].sum()


def test_without_pandas_it_is_said_how_to_come_by_it(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(AcklabError, match=r"help: pip install 'acklab\[pandas\]'"):
        result.to_pandas()


def test_comparing_results(result, tmp_path):
    other = scenario(flow=[{"name": "bulk", "cc": "newreno"}]).run(seed=3)
    table = acklab.compare(result, other, names=["cubic", "newreno"]).table(["rtt_p50_ms"])
    assert table["result"].to_list() == ["cubic", "newreno"]
    assert table["mean"].to_list() == [r.flows["rtt_p50_ms"][0] for r in (result, other)]
    saved = result.save(tmp_path / "r")
    mixed = acklab.compare(acklab.open(saved), other, scenario().run(seed=4))
    assert (
        mixed.names == ("r, seed 3", "small, seed 3", "small, seed 4") or len(set(mixed.names)) == 3
    )
    figure, _ = mixed.plot("cdf")
    assert "seed 3" in figure.get_supxlabel()
    with pytest.raises(AcklabError, match=r"two results are called .*\n  help: .*names=\["):
        acklab.compare(result, other)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    grid = {"who:flow.0.cc": ["cubic", "newreno"]}
    folder = tmp_path_factory.mktemp("s") / "s"
    return acklab.sweep({**SMALL, "duration": "1 s"}, grid=grid, seeds=2, out=folder)


def test_what_notebooks_show(result, sweep, tmp_path):
    bare = acklab.load({**SMALL, "duration": "1 s", "name": "<b>"}).run()
    radio = acklab.load(ROOT / "scenarios" / "wifi-dumbbell.toml")
    saved = acklab.open(result.save(tmp_path / "r"))
    comparison = acklab.compare(result, bare)
    unsampled = acklab.load({k: v for k, v in SMALL.items() if k != "sample_every"})
    seeds = acklab.compare(unsampled.run(1), unsampled.run(2), names=["one", "two"])
    for shown in (seeds, result, bare, saved, sweep, result.scenario, radio, comparison):
        page = shown._repr_html_()
        assert len(page) < 200_000
        assert page.count("<svg") == 1, shown
        # It is well formed, and nothing in it is loaded from elsewhere.
        ElementTree.fromstring(re.sub(r"xlink:href", "href", page))
        loaded = re.findall(r'(?:href|src)="([^"]*)"', page)
        assert all(link.startswith("#") for link in loaded)
    assert "&lt;b&gt;" in bare._repr_html_()


WRONG = [
    (lambda: acklab.run_many(["a"]), "run_many(): runs[0] is 'a'\n  help: load it first: acklab"),
    (lambda: acklab.run_many([("a", 1)]), "run_many(): runs[0] is ('a', 1)"),
    (lambda: acklab.run_many([3]), "run_many(): runs[0] is 3\n  help: give a list of scenarios"),
    (lambda: acklab.run_many(5), "run_many(): runs is 5"),
    (lambda: acklab.run_many(acklab.load(SMALL)), "run_many(): runs is <Scenario 'small'>"),
    (lambda: acklab.run_many([], jobs="x"), "run_many(): jobs is 'x'\n  help: give a whole"),
    (lambda: acklab.sweep(SMALL, grid=["a"], out="o"), "sweep(): grid is ['a']\n  help: give a"),
    (lambda: acklab.sweep(SMALL, grid="a=1", out="o"), "sweep(): grid is 'a=1'"),
    (lambda: acklab.sweep(SMALL, grid={1: [1]}, out="o"), "sweep(): grid is {1: [1]}"),
    (lambda: acklab.sweep(SMALL, zip=3, out="o"), "sweep(): zip is 3"),
    (lambda: acklab.sweep(SMALL, zip=[3], out="o"), "sweep(): zip is 3"),
    (lambda: acklab.sweep(SMALL, out=3), "sweep(): out is 3\n  help: give the path of a folder"),
    (lambda: acklab.sweep(SMALL, out="o", jobs="a"), "sweep(): jobs is 'a'"),
    (lambda: acklab.sweep(SMALL, out="o", overrides=3), "sweep(): overrides is 3"),
    (lambda: acklab.run("single-flow", overrides=3), "run(): overrides is 3\n  help: give a map"),
    (lambda: acklab.run("single-flow", overrides=[3]), "run(): overrides is [3]"),
    (lambda: acklab.run("single-flow", overrides="a=b"), "run(): overrides is 'a=b'"),
    (lambda: acklab.run("single-flow", "x"), "the seed 'x' is not a whole number"),
    (lambda: acklab.load(SMALL, controllers=3), "load(): controllers is 3"),
    (lambda: acklab.load(3), "a scenario cannot be read from 3\n  help: give the path"),
    (lambda: acklab.open(3), "open(): folder is 3\n  help: give the path of a folder"),
    (lambda: acklab.compare(1, 2), "compare(): argument 1 is 1\n  help: give results or result"),
    (lambda: acklab.compare("a"), "there is nothing to compare"),
    (lambda: acklab.load(SMALL).run().table("x"), "a result has no table 'x'\n  help: there are"),
    (lambda: acklab.load(SMALL).run().table("acks"), "did not record acks"),
    (lambda: acklab.load(SMALL).run().save(3), "Result.save(): folder is 3"),
]


@pytest.mark.parametrize(("call", "text"), WRONG, ids=[t[:40] for _, t in WRONG])
def test_wrong_arguments_are_named(call, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AcklabError) as e:
        call()
    assert text in str(e.value)
    assert "help: " in str(e.value)
    assert list(tmp_path.iterdir()) == []


def test_what_contains_itself_is_told():
    own = {"name": "x"}
    own["flow"] = own
    for call in (lambda: acklab.load(own), lambda: acklab.load(SMALL, overrides={"flow": own})):
        with pytest.raises(AcklabError, match="does a list or a mapping contain itself"):
            call()


def test_a_strict_script(tmp_path):
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    script = ROOT / "tests" / "strict_user.py"
    done = subprocess.run(
        [*mypy, str(script)], cwd=ROOT / "python", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    ran = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    first, second = ran.stdout.splitlines()[:2]
    assert first.endswith(" 2 True True")
    assert second.startswith("figure.pdf 2 True")
