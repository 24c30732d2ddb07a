"""Definitions are complete, and derived metrics are what their definitions say."""

import shutil

import numpy as np
import polars as pl
import pytest

import acklab
from acklab import metrics
from acklab.plots import plot
from acklab.saving import save
from sweeping import TINY
from test_two_ways import EVERYTHING, scenario

WIRED = ("flows", "links", "series", "link_series", "events", "acks", "reports", "packets")
TABLES = (*WIRED, "stations", "airtime", "ampdu_sizes", "ppdus", "queue_classes")


@pytest.fixture(scope="module")
def pair():
    """A flow that starts 2 s after another."""
    spec = scenario("congested", flows=2)
    spec["duration"] = "30 s"
    spec["flow"][1]["start"] = "2 s"
    return acklab.load(spec).run()


@pytest.fixture(scope="module")
def alone():
    spec = scenario("congested")
    spec["duration"] = "30 s"
    return acklab.load(spec).run()


def test_every_column_has_one_definition_and_every_definition_a_column(pair):
    for table in TABLES:
        assert sorted(getattr(pair, table).columns) == sorted(metrics.columns(table)), table
    for d in metrics.DEFINITIONS.values():
        assert d.text
        assert d.source
        assert set(d.tables) <= set(TABLES)
        assert d.name not in ("jain",) or d.derived
    derived = {d.name for d in metrics.DEFINITIONS.values() if d.derived}
    assert all(callable(getattr(metrics, name)) for name in derived)


def test_the_goodput_of_a_late_flow_is_divided_by_the_whole_run(pair):
    late = pair.flows.row(1, named=True)
    assert late["goodput_mbps"] == pytest.approx(late["received_bytes"] * 8 / 30e6)
    # Less than over its own 28 s, which is what the definition sends the reader to.
    assert late["acked_mbps"] == pytest.approx(late["goodput_mbps"] * 30 / 28, rel=0.01)
    assert "acked_mbps" in metrics.DEFINITIONS["goodput_mbps"].text


def test_definitions_are_not_repeated():
    from acklab.metrics import definitions as d

    parts = (
        d.FLOWS,
        d.LINKS,
        d.SERIES,
        d.EVENTS,
        d.ACKS,
        d.REPORTS,
        d.PACKETS,
        d.MEDIA,
        d.CLASSES,
        d.DERIVED,
    )
    assert len(metrics.DEFINITIONS) == sum(len(p) for p in parts)


def test_what_a_column_needs_is_what_makes_it_null(small):
    """Without recording, the columns that need it are null; with it, they are not."""
    small["record"] = {"every": "100 ms"}
    del small["sample_every"]
    bare = acklab.load(small).run()
    full = acklab.load(small | {"record": EVERYTHING}).run()
    for d in metrics.DEFINITIONS.values():
        for table in set(d.tables) & {"flows", "links", "series", "link_series"}:
            there = getattr(full, table)[d.name]
            if d.needs:
                assert getattr(bare, table)[d.name].null_count() == len(getattr(bare, table))
                assert there.null_count() < len(there), d.name


def test_recording_changes_no_result(small):
    del small["sample_every"]
    bare = acklab.load(small).run()
    full = acklab.load(small | {"record": EVERYTHING}).run()
    for table in ("flows", "links"):
        kept = [n for n in metrics.columns(table) if not metrics.DEFINITIONS[n].needs]
        assert getattr(bare, table).select(kept).equals(getattr(full, table).select(kept))
    assert bare.cost["hops"] == full.cost["hops"]


def test_only_what_was_asked_for_is_there(small):
    small["record"] = {"packets": ["left->right", "s0"]}
    del small["sample_every"]
    result = acklab.load(small).run()
    assert set(result.packets["point"].unique()) == {"left->right", "s0"}
    assert result.recorded == ("packets",)
    for stream in ("events", "acks"):
        with pytest.raises(acklab.NotRecordedError, match=f"{stream} = true"):
            getattr(result, stream)
    with pytest.raises(acklab.NotRecordedError, match='every = "10 ms"'):
        metrics.convergence_time(result)


def test_jain(pair):
    x = pair.flows["goodput_mbps"].to_numpy()
    assert metrics.jain(pair) == pytest.approx(x.mean() ** 2 / (x**2).mean())
    assert metrics.jain_index([1, 1, 1, 1]) == 1
    assert metrics.jain_index([1, 0, 0, 0]) == 0.25
    assert metrics.jain_index([0, 0]) is None


def test_harm(alone, pair):
    solo, shared = (r.flows["goodput_mbps"][0] for r in (alone, pair))
    assert metrics.harm(alone, pair, "f0") == pytest.approx(1 - shared / solo)
    solo, shared = (r.flows["owd_mean_ms"][0] for r in (alone, pair))
    assert metrics.harm(alone, pair, "f0", "owd_mean_ms") == pytest.approx(1 - solo / shared)
    assert metrics.harm(alone, alone, "f0") == 0
    with pytest.raises(acklab.AcklabError, match="the flows are f0"):
        metrics.harm(alone, pair, "f7")


def test_rtt_fairness():
    spec = scenario("congested", flows=2)
    spec["topology"] |= {
        "pairs": 2,
        "access": [{"delay": "1 ms"}, {"delay": "30 ms"}],
    }
    result = acklab.load(spec).run()
    near, far = result.flows["goodput_mbps"]
    assert metrics.rtt_fairness(result) == pytest.approx(far / near)
    assert far < near


def test_convergence_is_when_no_later_share_is_unfair(pair):
    delta, window = 0.5, 1.0
    told = metrics.convergence_time(pair, delta, window)
    series = pair.series
    read = {n: _read_by(series, n) for n in ("f0", "f1")}
    times = sorted(set(series["time_s"].to_list()))
    begin = pair.flows["start_s"].max()
    unfair = begin
    for now in (t for t in times if t >= begin and t >= window):
        got = [r(now) - r(now - window) for r in read.values()]
        if min(got) / sum(got) < (1 - delta) / 2:
            unfair = now
    later = next((t for t in times if t > unfair), None)
    assert told == pytest.approx(later - begin, abs=0.0501)
    assert metrics.convergence_time(pair, 0.0, window) is None


def _read_by(series, flow):
    """Bytes that had been read by then, from the samples' rates."""
    rows = series.filter(series["flow"] == flow)
    rates = rows["goodput_mbps"].fill_null(0).to_numpy()
    steps = np.diff(rows["time_s"].to_numpy(), prepend=rows["time_s"][0])
    total = np.cumsum(rates * steps)
    return lambda t: float(np.interp(t, rows["time_s"].to_numpy(), total, left=0))


def test_percentiles(pair):
    waits = pair.series["srtt_ms"].drop_nulls().to_numpy()
    for percent in (50, 95, 99):
        ours = metrics.percentile(pair, "series", "srtt_ms", percent)
        assert ours == np.percentile(waits, percent, method="inverted_cdf")
    assert metrics.percentile(pair, "flows", "completion_s", 50) is None
    with pytest.raises(acklab.AcklabError, match="0 to 100"):
        metrics.percentile(pair, "flows", "goodput_mbps", 101)


def test_power(pair):
    for row, power in zip(
        pair.flows.iter_rows(named=True), metrics.power(pair)["power"], strict=True
    ):
        assert power == pytest.approx(row["goodput_warm_mbps"] / row["rtt_mean_ms"] * 1e3)


def test_goodput_and_rtt_of_power_are_of_the_same_interval():
    spec = scenario("congested")
    spec |= {"duration": "6 s", "warmup": "3 s", "record": {"every": "100 ms", "acks": True}}
    result = acklab.load(spec).run()
    warm = result.series.filter(pl.col("time_s") >= 3)
    read = _read_by(result.series, "f0")
    goodput = (read(6.0) - read(3.0)) / 3
    (power,) = metrics.power(result)["power"]
    assert power == pytest.approx(goodput / (warm["rtt_ms"].mean() / 1e3), rel=0.01)


def test_intervals_are_told_where_they_differ(pair):
    """Each recipe in a definition gives what the column would be over the flow's own life."""
    late = pair.flows.row(1, named=True)
    received = late["acks_received"]
    assert late["acks_per_s"] == pytest.approx(received / 30)
    assert late["acks_per_rtt"] == pytest.approx(late["acks_per_s"] * late["srtt_mean_ms"] / 1e3)
    counted = pair.acks.filter((pl.col("flow") == late["flow"]) & (pl.col("what") == "received"))
    assert len(counted) == received
    assert counted["time_s"].min() >= late["start_s"]
    for name in ("acks_per_s", "acks_per_rtt", "jain", "rtt_fairness", "sent_mbps"):
        assert "from the scenario's start to its end" in metrics.DEFINITIONS[name].text
    assert "acks_received / (the run's end - start_s)" in metrics.DEFINITIONS["acks_per_s"].text
    assert "retransmissions included" in metrics.DEFINITIONS["segments_per_ack"].text
    assert "segments_per_ack" in metrics.DEFINITIONS["segments"].text


def test_harm_knows_what_is_better_when_less(alone, pair):
    def fake(value):
        class Fake:
            flows = pair.flows.with_columns(
                *(
                    pl.lit(float(value)).alias(c)
                    for c in pair.flows.columns
                    if c not in ("flow", "cc")
                )
            )

        return Fake()

    less = [
        c for c in metrics.columns("flows") if c.startswith(("retrans", "spurious", "duplicate"))
    ]
    less += ["recoveries", "tlps", "undos", "rtos", "lost_segments", "out_of_order_segments"]
    less += ["ecn_reductions", "completion_s", "rtt_p95_ms", "owd_p50_ms", "jitter_ms"]
    for column in less:
        assert metrics.harm(fake(4), fake(9), "f0", column) == pytest.approx(5 / 9), column
    for column in ("goodput_mbps", "received_bytes", "exchanges"):
        assert metrics.harm(fake(9), fake(4), "f0", column) == pytest.approx(5 / 9), column
    for column in ("cc", "start_s", "acks_per_s", "cwnd_mean_packets", "nonsense"):
        with pytest.raises(acklab.AcklabError, match="no harm in"):
            metrics.harm(alone, pair, "f0", column)


def test_saved_runs_have_the_metrics_of_fresh_ones(pair, tmp_path):
    save(pair, tmp_path, "")
    saved = acklab.open(tmp_path)
    for of in (
        metrics.jain,
        metrics.rtt_fairness,
        lambda r: metrics.convergence_time(r, 0.5),
        lambda r: metrics.harm(r, r, "f0"),
        lambda r: metrics.percentile(r, "acks", "segments", 95),
        lambda r: metrics.power(r)["power"].to_list(),
    ):
        assert of(saved) == of(pair)
    for table in ("events", "acks", "packets"):
        assert getattr(saved, table).equals(getattr(pair, table)), table
    assert saved.recorded == pair.recorded


def test_saved_runs_say_what_was_not_recorded(small, tmp_path):
    del small["sample_every"]
    save(acklab.load(small).run(), tmp_path, "")
    saved = acklab.open(tmp_path)
    for stream in ("events", "acks", "packets"):
        with pytest.raises(acklab.NotRecordedError, match=f"{stream} = true"):
            getattr(saved, stream)
    with pytest.raises(acklab.NotRecordedError, match='every = "10 ms"'):
        metrics.convergence_time(saved)


def test_words_have_no_percentile(pair):
    for table, column in (("flows", "cc"), ("series", "nope"), ("nope", "cc")):
        with pytest.raises(acklab.AcklabError, match="help: "):
            metrics.percentile(pair, table, column, 50)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    spec = {**TINY, "flow": [{"name": "a"}, {"name": "b", "cc": "bbr3", "start": "50 ms"}]}
    grid = {
        "flow.0.cc": ["cubic", "newreno"],
        "topology.bottleneck.delay": ["2 ms", "4 ms"],
    }
    return acklab.sweep(spec, grid=grid, seeds=3, out=tmp_path_factory.mktemp("s") / "s")


def test_metrics_of_a_sweep_are_those_of_its_runs(sweep):
    """Not of all its flows in one heap."""
    runs = sweep.flows.partition_by("run", maintain_order=True)
    by_hand = [metrics.jain_index(r["goodput_mbps"].to_list()) for r in runs]
    stats = sweep.stats("jain")
    assert stats["n"].to_list() == [3] * 4
    for cell, mean in enumerate(stats["mean"]):
        assert mean == pytest.approx(np.mean(by_hand[3 * cell : 3 * cell + 3]))
    cells = plot(sweep, "heatmap", value="jain").data
    assert cells["jain"].to_list() == pytest.approx(stats["mean"].to_list())
    power = sweep.stats("power").filter(pl.col("flow") == "b")
    own = sweep.flows.filter(pl.col("flow") == "b")
    means = own.group_by("cell", maintain_order=True).agg(
        (pl.col("goodput_warm_mbps") / pl.col("rtt_mean_ms") * 1e3).mean().alias("power")
    )
    assert power["mean"].to_list() == pytest.approx(means["power"].to_list())
    drawn = plot(sweep, "cdf", value="jain").data
    assert drawn["jain"].min() == pytest.approx(min(by_hand))
    for of in (metrics.jain, metrics.rtt_fairness, metrics.convergence_time):
        with pytest.raises(acklab.AcklabError, match="is a sweep of many"):
            of(sweep)


def test_derived_metrics_are_compared_run_by_run(sweep, acklab_cli, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(sweep.folder, copy)
    done = acklab_cli(
        "compare", sweep.folder, copy, "-m", "jain", "-m", "rtt_fairness", "--out", "c.csv"
    )
    assert done.returncode == 0, done.stderr
    rows = pl.read_csv(tmp_path / "c.csv")
    assert set(rows["flow"]) == {"all"}
    assert (rows["n"] == 3).all()
    assert (rows["ci_high"].filter(rows["metric"] == "jain") <= 1).all()
    words = acklab_cli("compare", sweep.folder, copy, "-m", "cc")
    assert words.returncode == 1
    assert "column of words" in words.stderr
    with pytest.raises(acklab.AcklabError, match="column of words"):
        sweep.stats("cc")


def test_explain(acklab_cli):
    one = acklab_cli("explain", "jitter_ms")
    assert "RFC 3550 section 6.4.1" in one.stdout
    assert "--record delays" in one.stdout
    everything = acklab_cli("explain").stdout
    assert all(name in everything for name in metrics.DEFINITIONS)
    wrong = acklab_cli("explain", "jiter_ms")
    assert wrong.returncode == 1
    assert "did you mean jitter_ms" in wrong.stderr


def test_everyday_words_and_keys_of_sweeps_are_explained(acklab_cli):
    from acklab.metrics.terms import KEYS, MEANT

    assert not (set(KEYS) | set(MEANT)) & set(metrics.DEFINITIONS)
    for names in MEANT.values():
        assert set(names) <= set(metrics.DEFINITIONS)
    for name in ("throughput", "goodput", "p99", "acks_merged", "run", "cell", "seed"):
        told = acklab_cli("explain", name)
        assert told.returncode == 0, told.stderr
        assert told.stdout.startswith(name)
        assert all(n in told.stdout for n in MEANT.get(name, ()))


def test_the_list_says_what_must_be_recorded(acklab_cli):
    rows = {r.split()[0]: r.split() for r in acklab_cli("explain").stdout.splitlines()}
    assert rows["queue_packets"][-1] == "series"
    assert rows["jitter_ms"][-1] == "delays"
    assert rows["time_ns"][-2:] == ["packets", "ppdus"]
    assert rows["jain"][-1] == "acklab.metrics"


def test_harm_is_measured_by_the_first_result(sweep, tmp_path):
    for name, flows in (("alone", 1), ("beside", 2)):
        spec = scenario("congested", flows=flows)
        (tmp_path / name).mkdir()
        save(acklab.load(spec).run(), tmp_path / name, "")
    first, second = (acklab.open(tmp_path / n) for n in ("alone", "beside"))
    comparison = acklab.compare(tmp_path / "alone", tmp_path / "beside")
    table = comparison.table(["harm", "convergence_time"])
    told = {(r["metric"], r["flow"], r["result"]): r["mean"] for r in table.iter_rows(named=True)}
    assert told["harm", "f0", "alone"] == 0
    assert told["harm", "f0", "beside"] == pytest.approx(metrics.harm(first, second, "f0"))
    assert told["harm", "f1", "beside"] is None
    time = metrics.convergence_time(second)
    assert told["convergence_time", "all", "beside"] == time
    for draw in (sweep.plot.heatmap, sweep.plot.cdf):
        with pytest.raises(acklab.AcklabError, match="acklab compare ALONE BESIDE -m harm"):
            draw(value="harm")
    with pytest.raises(acklab.AcklabError, match=r"record\.every"):
        sweep.stats("convergence_time")


def test_harm_may_be_a_gain(tmp_path):
    for name, rate in (("slow", "2 Mbit/s"), ("fast", "4 Mbit/s")):
        acklab.sweep(
            TINY, seeds=3, overrides={"topology.bottleneck.rate": rate}, out=tmp_path / name
        )
    table = acklab.compare(tmp_path / "slow", tmp_path / "fast").table(["harm"])
    slow, fast = table.iter_rows(named=True)
    assert slow["mean"] == pytest.approx(0, abs=1e-12)
    assert fast["mean"] < -0.5
    assert fast["ci_low"] < fast["mean"] < fast["ci_high"]


def test_convergence_of_a_sweep_is_that_of_each_run(tmp_path):
    spec = {**TINY, "record": {"every": "10 ms"}, "duration": "2 s"}
    # One flow alone has its share as soon as a window is full; two may never have theirs.
    grid = {"topology.bottleneck.rate": ["4 Mbit/s", "8 Mbit/s"], "flow.0.count": [1, 2]}
    sweep = acklab.sweep(spec, grid=grid, seeds=2, out=tmp_path / "s")
    told = []
    for cell in sweep.cells.iter_rows(named=True):
        changes = {k: cell[k] for k in grid}
        times = [
            metrics.convergence_time(acklab.load(spec, overrides=changes).run(seed=s))
            for s in (1, 2)
        ]
        told.append([t for t in times if t is not None])
    stats = sweep.stats("convergence_time")
    assert stats["n"].to_list() == [len(t) for t in told]
    assert stats["mean"].to_list() == [pytest.approx(np.mean(t)) if t else None for t in told]
    assert sum(map(len, told)) > 0
    assert sweep.plot.heatmap(value="convergence_time").data.height == 4


def test_the_command_line_records(acklab_cli, small_file, tmp_path):
    done = acklab_cli("run", small_file, "--record", "all", "--out", "r")
    assert done.returncode == 0, done.stderr
    assert {f"{t}.parquet" for t in WIRED if t != "reports"} <= {
        p.name for p in (tmp_path / "r").iterdir()
    }
    done = acklab_cli("run", small_file, "--record", "acks", "--out", "r")
    assert not (tmp_path / "r" / "packets.parquet").exists()
    assert (tmp_path / "r" / "acks.parquet").exists()
    wrong = acklab_cli("run", small_file, "--record", "akcs")
    assert wrong.returncode == 2
    assert "--record all" in wrong.stderr
