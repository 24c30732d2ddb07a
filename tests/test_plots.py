"""Plots: each kind from a recorded run, its data true, what is missing told."""

import hashlib
import json

import polars as pl
import pytest

import acklab
from acklab.errors import AcklabError
from acklab.plots import KINDS, plot
from acklab.plots.drawn import Choice
from acklab.plots.fairness import jain
from acklab.plots.histograms import counts, spacings
from acklab.plots.lines import PEAK
from acklab.plots.phases import spans
from acklab.plots.rates import goodput
from acklab.plots.sequence import marks

OF_A_RUN = sorted(set(KINDS) - {"heatmap"})


class Tables:
    """Tables without a run."""

    name = "synthetic"
    provenance = "synthetic"

    def __init__(self, **frames):
        self._frames = frames

    def table(self, name):
        return self._frames.get(name)


@pytest.fixture(scope="module")
def result():
    from conftest import SMALL

    more = {"name": "second", "cc": "bbr3"}
    record = {"every": "10 ms", "events": True, "acks": True, "packets": True}
    spec = {k: v for k, v in SMALL.items() if k != "sample_every"}
    return acklab.load({**spec, "flow": [*SMALL["flow"], more], "record": record}).run(seed=1)


@pytest.fixture
def sweep(tmp_path):
    keys = [(cc, rtt, b) for cc in ("a", "b") for rtt in (10, 20) for b in (1, 2, 4)]
    rows = [
        {"run": 2 * i + s, "cell": i, "cc_": cc, "rtt": rtt, "buffer": b, "seed": s, "flow": "f"}
        | {"goodput_mbps": rtt * b + s}
        for i, (cc, rtt, b) in enumerate(keys)
        for s in (0, 1)
    ]
    (tmp_path / "flows").mkdir()
    pl.DataFrame(rows).write_parquet(tmp_path / "flows" / "0-23.parquet")
    about = {"scenario": "s", "version": "1", "seeds": 2}
    (tmp_path / "sweep.json").write_text(json.dumps(about))
    return tmp_path


@pytest.mark.parametrize("kind", OF_A_RUN)
def test_each_kind_is_drawn_and_its_data_lie_beside_it(result, kind, tmp_path):
    def digests(stem, form):
        drawn = getattr(result.plot, kind.replace("-", "_"))()
        assert drawn.alt.startswith("small")
        assert len(drawn.data)
        return [hashlib.sha256(p.read_bytes()).digest() for p in drawn.save(stem, form)]

    for form in ("svg", "pdf", "png"):
        assert digests(tmp_path / "a.b", form) == digests(tmp_path / "c.d", form)
    names = {p.name for p in tmp_path.iterdir()}
    assert {"a.b.svg", "a.b.pdf", "a.b.png"} < names
    assert names & {"a.b.csv", "a.b.parquet"}


def test_figures_carry_their_provenance(result):
    figure = result.plot.series().figure
    assert figure.get_supxlabel() == f"small · seed 1 · acklab {acklab.__version__}"


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("series", 'every = "10 ms"'),
        ("acks", "acks = true"),
        ("sequence", "packets = true"),
        ("heatmap", "acklab sweep"),
    ],
)
def test_what_was_not_recorded_is_told_with_the_key(small, kind, key):
    del small["sample_every"]
    kind = "ack-spacing" if kind == "acks" else kind
    with pytest.raises(AcklabError, match=f"(?s)the plot {kind} needs .*help: .*{key}"):
        plot(acklab.load(small).run(), kind)


def test_the_sequence_has_the_runs_retransmissions_drops_and_stream(result):
    for row in result.flows.iter_rows(named=True):
        data = result.plot.sequence(flows=[row["flow"]]).data
        kinds = dict(data.group_by("what").len().iter_rows())
        assert kinds.get("retransmission", 0) == row["retransmissions"]
        sent = data.filter(pl.col("what").is_in(["segment", "retransmission"]))
        assert len(sent) == row["data_segments"]
        own = result.packets.filter(
            (pl.col("flow") == row["flow"])
            & (pl.col("what") == "dropped")
            & (pl.col("direction") == "forward")
        )
        assert kinds.get("drop", 0) == len(own)
        acks = data.filter(pl.col("what") == "ack")
        assert acks["end"].max() == result.series.filter(flow=row["flow"])["acked_bytes"].max()
        # Nothing is sent beyond the window that was last offered.
        assert sent["end"].max() <= acks["window"].max()


def test_the_sequence_goes_on_where_numbers_start_anew():
    space = 1 << 32
    base = space - 1000

    def packet(t, direction, what, seq=0, ack=0, size=0, sack=(), point="host"):
        return {
            "time_s": t,
            "flow": "f",
            "direction": direction,
            "what": what,
            "point": point,
            "seq": seq % space,
            "ack": ack % space,
            "len": size,
            "window_bytes": 5000,
            "sack": [e % space for e in sack],
        }

    rows = [
        packet(0.0, "forward", "sent", base, size=600),
        packet(0.1, "forward", "sent", base + 600, size=600),
        packet(0.15, "forward", "dropped", base + 600, size=600, point="link"),
        packet(0.2, "forward", "sent", base + 1200, size=600),
        packet(0.3, "reverse", "delivered", ack=base + 600),
        packet(0.4, "reverse", "delivered", ack=base + 600, sack=(base + 1200, base + 1800)),
        packet(0.5, "forward", "sent", base + 600, size=600),
        packet(0.6, "reverse", "delivered", ack=base + 1800),
    ]
    schema = {"seq": pl.UInt32, "ack": pl.UInt32, "sack": pl.List(pl.UInt32)}
    flow, data = marks(Tables(packets=pl.DataFrame(rows, schema_overrides=schema)), Choice())
    assert flow == "f"
    assert data.rows() == [
        (0.0, "segment", 0, 600, None),
        (0.1, "segment", 600, 1200, None),
        (0.15, "drop", 600, 1200, None),
        (0.2, "segment", 1200, 1800, None),
        (0.3, "ack", None, 600, 5600),
        (0.4, "ack", None, 600, 5600),
        (0.4, "sack", 1200, 1800, None),
        (0.5, "retransmission", 600, 1200, None),
        (0.6, "ack", None, 1800, 6800),
    ]


def test_jains_index():
    shares = pl.DataFrame(
        {
            "bin": [0, 0, 1, 1, 2, 2],
            "time_s": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0],
            "mbps": [5.0, 5.0, 9.0, 3.0, 0.0, 0.0],
        }
    )
    # (9 + 3)² / (2 (81 + 9)) = 0.8; of nothing there is no index.
    assert jain(shares)["jain"].to_list() == [1.0, pytest.approx(0.8)]


def test_goodput_of_windows_is_that_of_the_run(result):
    windows = goodput(result.series, 0.5)
    bits = (
        result.series.group_by("flow", maintain_order=True)
        .agg((pl.col("goodput_mbps") * pl.col("time_s").diff()).sum())
        .sort("flow")
    )
    ours = windows.group_by("flow").agg(pl.col("mbps").sum() * 0.5).sort("flow")
    assert ours["mbps"].to_list() == pytest.approx(bits["goodput_mbps"].to_list(), rel=1e-6)
    for row in result.flows.iter_rows(named=True):
        mean = windows.filter(flow=row["flow"])["mbps"].mean()
        assert mean == pytest.approx(row["goodput_mbps"], rel=0.02)


def test_states_are_exact_with_events_and_sampled_without(result):
    source = Tables(series=result.series, events=result.events)
    exact = spans(source, Choice())
    sampled = spans(Tables(series=result.series), Choice())
    for data in (exact, sampled):
        for (_,), rows in data.group_by("flow"):
            assert (rows["end_s"][:-1] == rows["start_s"][1:]).all()
            assert rows["end_s"][-1] == result.series["time_s"].max()
    changes = result.events.filter(event="state", flow="second")
    own = exact.filter(flow="second")
    assert own["start_s"].to_list() == changes["time_s"].to_list()
    assert own["state"].to_list() == changes["cause"].to_list()
    assert own["state"][0] == "STARTUP"


def test_histograms_count_every_ack(result):
    received = result.acks.filter(what="received")
    for row in result.flows.iter_rows(named=True):
        own = received.filter(flow=row["flow"])
        assert spacings(own)["acks"].sum() == len(own) - 1
        bars = counts(own)
        assert bars["acks"].sum() == len(own) == row["acks_received"]
        assert bars["share"].sum() == pytest.approx(1.0)


def test_segments_per_ack_are_counted_one_by_one_and_then_in_doubling_bins():
    acks = pl.DataFrame({"flow": ["f"] * 6, "segments": [0, 2, 8, 9, 16, 17]})
    bars = counts(acks).filter(pl.col("acks") > 0)
    assert bars.select("from", "to", "acks").rows() == [
        (0, 0, 1),
        (2, 2, 1),
        (8, 8, 1),
        (9, 16, 2),
        (17, 32, 1),
    ]


def test_spacings_fall_into_their_bins():
    times = [0.0, 0.0, 0.0012, 0.0142, 0.0157]
    acks = pl.DataFrame({"flow": ["f"] * 5, "time_s": times})
    bins = spacings(acks)
    assert bins["acks"][0] == 1
    for gap in (0.0012, 0.013, 0.0015):
        (n,) = bins.filter((pl.col("from_s") <= gap) & (gap < pl.col("to_s")))["acks"]
        assert n == 1
    assert bins["acks"].sum() == 4


def test_a_peak_does_not_press_the_rest_flat(result):
    series = result.series.with_columns(
        pl.when(pl.col("time_s") < 0.02).then(1e4).otherwise(5.0).alias("pacing_mbps")
    )
    drawn = plot_of(Tables(series=series), "series")
    ax = next(a for a in drawn.figure.axes if a.get_ylabel().startswith("pacing"))
    assert ax.get_ylim()[1] < PEAK * 5
    assert ax.texts[0].get_text() == "peak 1e+04, beyond the scale"


def plot_of(tables, kind):
    return KINDS[kind].draw(tables, Choice())


def test_heat_maps_have_the_means_over_seeds(sweep):
    data = plot(sweep, "heatmap", x="rtt", y="buffer").data
    assert len(data) == 12
    assert data.filter(cc_="a", rtt=20, buffer=4)["goodput_mbps"].to_list() == [80.5]
    assert (data["seeds"] == 2).all()


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ({"x": "delay"}, "'delay' was not swept\n  help: the swept keys are cc_, rtt, buffer"),
        ({"value": "latency"}, "there is no metric called 'latency'"),
        ({"x": "rtt", "y": "rtt"}, "two swept keys as axes"),
    ],
)
def test_heat_maps_say_what_there_is(sweep, choice, text):
    with pytest.raises(AcklabError) as e:
        plot(sweep, "heatmap", **choice)
    assert text in str(e.value)


def test_plots_and_reports_of_one_run_refuse_a_sweep(sweep):
    from acklab.report.run import write_run_report

    with pytest.raises(AcklabError, match="the plot series is of one run, and s is a sweep"):
        plot(sweep, "series")
    with pytest.raises(AcklabError, match="the report is of one run"):
        write_run_report(sweep, sweep / "report.html")
    assert not (sweep / "report.html").exists()


def test_one_flow_is_neither_fair_nor_unfair(small):
    with pytest.raises(AcklabError, match="two flows or more"):
        plot(acklab.load(small).run(), "fairness")


def test_on_the_command_line(acklab_cli, small_file, tmp_path):
    ran = acklab_cli("run", small_file, "--record", "all", "--report", "--out", "r")
    assert ran.returncode == 0, ran.stderr
    page = (tmp_path / "r" / "report.html").read_text()
    assert len(page) < 10_000_000
    for anchor in ("expectations", "flows", "series", "ack-spacing", "sequence", "events"):
        assert f'<section id="{anchor}">' in page
    drawn = acklab_cli("plot", "r", "series", "--format", "pdf", "--from", "1")
    assert drawn.stdout.split() == ["r/plots/series.pdf", "r/plots/series.csv"]
    assert pl.read_csv(tmp_path / "r/plots/series.csv")["time_s"].min() >= 1
    drawn = acklab_cli("plot", "r", "sequence", "--out", "s.png")
    assert drawn.stdout.split()[0] == "s.png"
    again = acklab_cli("report", "r", "--out", "again.html")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.html").read_text() == page


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("plot", "r", "pie"), "no plot called 'pie'\n  help: the plots are series, sequence"),
        (("plot", "nothing", "series"), "nothing holds no result"),
        (
            ("plot", "r", "series", "--flows", "x"),
            "no flow called 'x'\n  help: the flows here are bulk",
        ),
        (("plot", "r", "series", "--from", "99"), "help: choose other times"),
        (("plot", "r", "series", "--format", "gif"), "the formats are svg, pdf, png"),
        (("plot", "r", "acks"), "no plot called"),
        (("plot", "r", "ack-spacing"), "--record acks"),
        (("report", "nothing"), "nothing holds no result"),
    ],
)
def test_mistakes_on_the_command_line(acklab_cli, small_file, tmp_path, args, text):
    assert acklab_cli("run", small_file, "--out", "r").returncode == 0
    done = acklab_cli(*args)
    assert done.returncode == 1
    assert text in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r", "small.toml"]


def test_a_broken_folder_is_told(acklab_cli, small_file, tmp_path):
    assert acklab_cli("run", small_file, "--out", "r").returncode == 0
    (tmp_path / "r" / "series.parquet").write_bytes(b"PAR1 no")
    done = acklab_cli("plot", "r", "series")
    assert done.returncode == 1
    assert "cannot read r/series.parquet" in done.stderr
    (tmp_path / "r" / "run.json").write_text("{")
    done = acklab_cli("plot", "r", "series")
    assert done.returncode == 1
    assert "cannot read r/run.json" in done.stderr
