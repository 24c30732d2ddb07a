"""Where nothing was measured there is no value: not zero, in no table, mean or figure."""

import copy
import json

import polars as pl
import pytest

import acklab
from acklab import metrics
from acklab.errors import AcklabError
from acklab.plots import plot
from acklab.stats import estimate, estimate_by
from conftest import SMALL
from sweeping import TINY

MEASURED = [
    *(f"rtt_{part}_ms" for part in ("mean", "p50", "p95", "p99", "min")),
    *("srtt_mean_ms", "srtt_p50_ms", "acks_per_rtt", "segments_per_ack"),
    *(f"cwnd_{part}_packets" for part in ("mean", "min", "max")),
]

DEAD_TOML = """\
duration = "2 s"
link = [{ a = "a", b = "b", rate = "1 Mbit/s", delay = "10 ms", loss = 1.0 }]
node = [{ name = "a" }, { name = "b" }]
flow = [{ from = "a", to = "b", count = 2 }]
"""


@pytest.fixture(scope="module")
def late():
    """The second flow opens too late for an answer."""
    spec = copy.deepcopy(SMALL)
    spec["flow"].append({"name": "late", "start": "2.99 s"})
    return spec


@pytest.fixture
def dead_file(tmp_path):
    path = tmp_path / "dead.toml"
    path.write_text(DEAD_TOML)
    return path


def test_columns_without_samples_are_null(late):
    early, never = acklab.load(late).run().flows.iter_rows(named=True)
    assert {c: never[c] for c in MEASURED} == dict.fromkeys(MEASURED)
    assert all(early[c] > 0 for c in MEASURED)


def test_a_link_that_carried_nothing_had_no_waits(dead_file):
    links = acklab.load(dead_file).run().links
    idle = links.filter(links["packets_out"] == 0)
    assert "b->a" in idle["link"]
    assert idle["wait_mean_ms"].is_null().all()
    assert idle["wait_max_ms"].is_null().all()


def test_files_have_nothing_where_there_is_nothing(late, acklab_cli, tmp_path):
    (tmp_path / "late.json").write_text(json.dumps(late))
    shown = acklab_cli("run", "late.json", "--out", "r1")
    assert shown.returncode == 0
    row = next(line for line in shown.stdout.splitlines() if "│ late" in line)
    assert "0.00" not in row.replace("0.000", "")
    told = json.loads(acklab_cli("run", "late.json", "--json", "--out", "r2").stdout)
    assert told["flows"][1]["rtt_p50_ms"] is None
    assert acklab_cli("compare", "r1", "r2", "-m", "rtt_p50_ms", "--out", "c.csv").returncode == 0
    rows = pl.read_csv(tmp_path / "c.csv").filter(pl.col("flow") == "late")
    assert rows["mean"].is_null().all()
    assert rows["difference"].is_null().all()


def test_means_are_of_what_was_measured(late, tmp_path):
    grid = {"flow.1.start": ["1 s", "2.99 s"], "flow.0.cc": ["cubic", "newreno"]}
    sweep = acklab.sweep(late, grid=grid, seeds=2, out=tmp_path / "s")
    stats = sweep.stats("rtt_p50_ms").filter(pl.col("flow") == "late")
    assert stats.filter(pl.col("flow.1.start") == "2.99 s")["mean"].is_null().all()
    assert stats.filter(pl.col("flow.1.start") == "1 s")["mean"].min() > 20
    both = sweep.stats("rtt_p50_ms", by=["flow"])
    assert both.filter(pl.col("flow") == "late")["mean"][0] > 20
    cells = plot(sweep, "heatmap", value="rtt_min_ms").data["rtt_min_ms"]
    assert cells.min() > 20
    assert metrics.power(acklab.load(late).run())["power"][1] is None


def test_a_heat_map_leaves_cells_without_values_empty(tmp_path):
    grid = {
        "topology.bottleneck.loss": [0.0, 1.0],
        "topology.bottleneck.delay": ["2 ms", "4 ms"],
    }
    sweep = acklab.sweep(TINY, grid=grid, seeds=1, out=tmp_path / "s")
    data = plot(sweep, "heatmap", value="rtt_p50_ms").data
    lost = pl.col("topology.bottleneck.loss") == 1.0
    assert data.filter(lost)["rtt_p50_ms"].is_null().all()
    assert data.filter(~lost)["rtt_p50_ms"].min() > 4


def test_rtt_fairness_is_of_flows_that_have_an_rtt(late):
    result = acklab.load(late).run()
    assert metrics.rtt_fairness(result) == 1
    late["flow"][0]["start"] = "2.99 s"
    assert metrics.rtt_fairness(acklab.load(late).run()) is None


@pytest.mark.parametrize("kind", ["box", "cdf", "ellipse", "sequence", "ack-spacing", "fairness"])
def test_plots_say_that_nothing_was_measured(dead_file, kind):
    streams = ["record.every=10 ms", "record.acks=true", "record.packets=true"]
    result = acklab.load(dead_file, overrides=streams).run()
    with pytest.raises(AcklabError) as e:
        plot(result, kind)
    assert "help:" in str(e.value)
    # It was recorded: to say how to record it would be no help.
    assert "add `record" not in str(e.value)
    assert "set `record" not in str(e.value)


def test_expectations_without_a_value_are_not_met(dead_file):
    result = acklab.load(dead_file, overrides=["expect.flow.f0.rtt.max=1 s"]).run()
    for verdict in result.expectations():
        assert not verdict.met
        assert "nothing to measure" in verdict.text
    assert len(result.expectations()) == 2


def test_intervals_stay_within_what_can_be():
    e = estimate([0.99, 1.0, 1.0], within=(0, 1))
    assert e.low < e.mean < 1
    assert e.high == 1
    frame = pl.DataFrame({"g": [1, 1, 1], "jain": [0.9, 1.0, 1.0], "goodput_mbps": [0.0, 0.1, 5.0]})
    assert estimate_by(frame, ["g"], "jain")["ci_high"][0] == 1
    assert estimate_by(frame, ["g"], "goodput_mbps")["ci_low"][0] == 0
    assert estimate_by(frame, ["g"], "goodput_mbps")["ci_high"][0] > 5


def test_comparisons_say_that_nothing_was_measured(dead_file, tmp_path, acklab_cli):
    for name in "ab":
        assert acklab_cli("run", dead_file, "--record", "series", "--out", name).returncode == 0
    for kind in ("cdf", "box", "ellipse"):
        done = acklab_cli("compare", "a", "b", "--plot", kind)
        assert done.returncode == 1
        assert "nothing was ever measured" in done.stderr
    assert acklab_cli("compare", "a", "b", "-m", "cc", "--plot", "cdf").returncode == 1
    assert acklab_cli("compare", "a", "b").returncode == 0
    assert acklab_cli("compare", "a", "b", "--report").returncode == 0


def test_a_sweep_of_dead_runs_has_a_report(tmp_path, acklab_cli):
    grid = {
        "topology.bottleneck.loss": [1.0],
        "topology.bottleneck.delay": ["2 ms", "4 ms"],
        "flow.0.cc": ["cubic", "bbr3"],
    }
    acklab.sweep(TINY, grid=grid, seeds=2, out=tmp_path / "s")
    done = acklab_cli("report", "s")
    assert done.returncode == 0, done.stderr
