"""Plots: each kind from a recorded run, its data true, what is missing told."""

import hashlib
import inspect

import polars as pl
import pytest

import acklab
from acklab.errors import AcklabError
from acklab.plots import KINDS, Plots, plot
from acklab.plots.drawn import Choice
from acklab.plots.fairness import jain
from acklab.plots.histograms import counts, spacings
from acklab.plots.kinds import ALIASES, LOOK, named
from acklab.plots.lines import PEAK
from acklab.plots.phases import spans
from acklab.plots.rates import goodput
from acklab.plots.sequence import marks

#: Plots that tests/test_air.py draws.
OF_RADIO = {"air-timeline", "airtime", "ampdu-sizes"}
OF_A_RUN = sorted(set(KINDS) - {"heatmap", "line"} - OF_RADIO)
OF_A_SWEEP = ("heatmap", "line", "cdf", "box", "ellipse")


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


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    from conftest import SMALL

    grid = {
        "flow.0.cc": ["cubic", "newreno"],
        "topology.bottleneck.delay": ["5 ms", "10 ms"],
        "topology.bottleneck.queue": ["10 packets", "20 packets", "40 packets"],
    }
    folder = tmp_path_factory.mktemp("sweep") / "s"
    return acklab.sweep(SMALL, grid=grid, seeds=2, out=folder)


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


RTT, QUEUE = "topology.bottleneck.delay", "topology.bottleneck.queue"


def test_heat_maps_have_the_means_over_seeds(sweep):
    data = sweep.plot.heatmap(x=RTT, y=QUEUE).data
    assert len(data) == 12
    assert (data["seeds"] == 2).all()
    stats = sweep.stats("goodput_mbps")
    means = {(r["flow.0.cc"], r[RTT], r[QUEUE]): r["mean"] for r in stats.iter_rows(named=True)}
    for row in data.iter_rows(named=True):
        expected = means[row["flow.0.cc"], row[RTT], row[QUEUE]]
        assert row["goodput_mbps"] == pytest.approx(expected)


@pytest.mark.parametrize("kind", OF_A_SWEEP)
def test_plots_of_a_sweep(sweep, kind, tmp_path):
    drawn = plot(sweep.folder, kind)
    assert [p.suffix for p in drawn.save(tmp_path / kind)] == [".svg", ".csv"]
    assert "2 seeds" in drawn.figure.get_supxlabel()


def test_distributions_tell_cells_apart_in_few_words(sweep):
    groups = sweep.plot.box().data["group"].to_list()
    assert groups[0] == "cc = cubic\ndelay = 5 ms\nqueue = 10 packets"
    assert len(set(groups)) == 12
    with pytest.raises(AcklabError, match="no metric called 'joy'"):
        sweep.plot.cdf(value="joy")


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (
            {"x": "dela"},
            "--x dela: 'dela' was not swept\n  help: the swept keys are cc, delay, queue",
        ),
        ({"value": "latency"}, "--value: there is no metric called 'latency'"),
        ({"x": "flow.0.cc", "y": "flow.0.cc"}, "both are 'flow.0.cc'"),
    ],
)
def test_heat_maps_say_what_there_is(sweep, choice, text):
    with pytest.raises(AcklabError) as e:
        plot(sweep, "heatmap", **choice)
    assert text in str(e.value)


def test_plots_and_reports_of_one_run_refuse_a_sweep(sweep):
    from acklab.report.run import write_run_report

    with pytest.raises(AcklabError, match="the plot series is of one run, and small is a sweep"):
        plot(sweep, "series")
    with pytest.raises(AcklabError, match="the report is of one run"):
        write_run_report(sweep, sweep.folder / "report.html")
    assert not (sweep.folder / "report.html").exists()


def test_plots_of_something_else_say_of_what_they_are(small):
    run = acklab.load(small).run()
    with pytest.raises(AcklabError, match="heatmap is of a sweep, and small is a single run"):
        plot(run, "heatmap")
    recorded = {k: v for k, v in small.items() if k != "sample_every"}
    for spec in (small, {**recorded, "record": {"ppdus": True}}):
        for kind in sorted(OF_RADIO):
            with pytest.raises(AcklabError, match=f"{kind} is of a radio channel, and small has"):
                plot(acklab.load(spec).run(), kind)


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
        (("plot", "nothing", "series"), "cannot open nothing: it is not there"),
        (
            ("plot", "r", "series", "--flows", "x"),
            "no flow called 'x'\n  help: the flows here are bulk",
        ),
        (("plot", "r", "series", "--from", "99"), "help: choose other times"),
        (("plot", "r", "series", "--format", "gif"), "the formats are svg, pdf, png"),
        (("plot", "r", "acks"), "no plot called"),
        (("plot", "r", "ack-spacing"), "--record acks"),
        (("report", "nothing"), "cannot open nothing: it is not there"),
    ],
)
def test_mistakes_on_the_command_line(acklab_cli, small_file, tmp_path, args, text):
    assert acklab_cli("run", small_file, "--out", "r").returncode == 0
    done = acklab_cli(*args)
    assert done.returncode in (1, 2)
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


@pytest.mark.parametrize(
    ("kind", "choice"),
    [
        ("series", {"x": "foo"}),
        ("series", {"value": "rtt_ms"}),
        ("phases", {"window": 1.0}),
        ("sequence", {"flows": ["bulk", "second"]}),
        ("cdf", {"window": 1.0}),
        *(("series", {"window": w}) for w in (0, -1, float("nan"), 1e9)),
        *(("fairness", {"window": w}) for w in (0, -1, float("nan"), 1e9)),
    ],
)
def test_what_would_have_no_effect_is_refused(result, kind, choice):
    with pytest.raises(AcklabError, match="help: "):
        plot(result, kind, **choice)


@pytest.mark.parametrize("choice", [{"start": 3.0}, {"end": 3.0}, {"x": "cell"}])
def test_times_of_a_sweep_are_refused(sweep, choice):
    with pytest.raises(AcklabError, match="does nothing with --"):
        plot(sweep, "cdf", **choice)


def test_a_table_in_the_place_of_another_is_told(small, tmp_path, acklab_cli):
    from acklab.saving import save

    small["sample_every"] = "10 ms"
    save(acklab.load(small).run(), tmp_path, "")
    (tmp_path / "series.parquet").write_bytes((tmp_path / "links.parquet").read_bytes())
    for args in (("plot", tmp_path, "series"), ("report", tmp_path)):
        done = acklab_cli(*args)
        assert done.returncode == 1
        assert "series.parquet" in done.stderr
        assert "it is not what the run left" in done.stderr


def test_every_plot_is_a_method_that_shows_what_it_takes():
    assert set(Plots._names()) == {n.replace("-", "_") for n in (*KINDS, *ALIASES)}
    for name in Plots._names():
        kind, method = named(name.replace("_", "-")), getattr(Plots, name)
        shown = inspect.signature(method).parameters
        assert set(shown) == {"self", *kind.takes, *LOOK}
        for argument in list(shown)[1:]:
            assert f"\n    {argument}: " in method.__doc__


def test_a_plot_that_does_not_exist_is_an_attribute_error(small):
    plots = acklab.load(small).run().plot
    with pytest.raises(AttributeError, match="there is no plot 'sries'; there are series, "):
        plots.sries  # noqa: B018
    assert "sries" not in dir(plots)
    assert {"line", "heat", "ack_spacing"} <= set(dir(plots))


def test_the_name_of_a_file_says_its_form(result, tmp_path):
    files = result.plot.cdf().save(tmp_path / "figure.pdf")
    assert [f.name for f in files] == ["figure.pdf", "figure.csv"]
    assert files[0].read_bytes().startswith(b"%PDF")
    # Another ending is a part of the name.
    assert result.plot.cdf().save(tmp_path / "a.b")[0].name == "a.b.svg"
    assert result.plot.cdf().save(tmp_path / "c.pdf", "png")[0].name == "c.pdf.png"
