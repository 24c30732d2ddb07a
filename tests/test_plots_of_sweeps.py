"""Figures of sweeps for papers: every key has one place, and the numbers are those of the runs."""

import re
from itertools import pairwise

import polars as pl
import pytest

import acklab
from acklab.errors import AcklabError
from acklab.plots import plot
from acklab.plots.look import SIZES
from acklab.plots.scale import Scale, spoken
from acklab.stats import estimate
from conftest import SMALL

QUEUE = "topology.bottleneck.queue"
GRID = {
    "controller:flow.0.cc": ["cubic", "newreno"],
    "topology.bottleneck.delay": ["5 ms", "10 ms", "40 ms"],
    QUEUE: ["10 packets", "20 packets"],
}


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    two = [{"name": n, "cc": "cubic", "start_jitter": "100 ms"} for n in ("a", "b")]
    scenario = {**SMALL, "duration": "1 s", "flow": two}
    folder = tmp_path_factory.mktemp("sweep") / "s"
    return acklab.sweep(scenario, grid=GRID, seeds=3, out=folder)


def test_a_line_has_the_means_and_intervals_of_its_runs(sweep):
    data = sweep.plot.line(x="delay", y="rtt_p95_ms", by=["controller", "flow"], facet="queue").data
    assert len(data) == 2 * 3 * 2 * 2
    for row in data.iter_rows(named=True):
        cell = sweep.flows.filter(
            (pl.col("controller") == row["controller"])
            & (pl.col("topology.bottleneck.delay") == row["topology.bottleneck.delay"])
            & (pl.col(QUEUE) == row[QUEUE])
            & (pl.col("flow") == row["flow"])
        )
        expected = estimate(cell["rtt_p95_ms"].to_list(), within=(0, float("inf")))
        assert (row["mean"], row["low"], row["high"], row["n"]) == (
            pytest.approx(expected.mean),
            pytest.approx(expected.low),
            pytest.approx(expected.high),
            3,
        )


def test_what_is_not_told_apart_is_averaged_within_each_seed(sweep):
    drawn = sweep.plot.line(x="delay", by="controller", over=["queue", "flow"])
    assert drawn.note.endswith("Of each seed first the mean over queue and flow.")
    for row in drawn.data.iter_rows(named=True):
        own = sweep.flows.filter(
            (pl.col("controller") == row["controller"])
            & (pl.col("topology.bottleneck.delay") == row["topology.bottleneck.delay"])
        )
        seeds = own.group_by("seed").agg(pl.col("goodput_mbps").mean())["goodput_mbps"]
        assert row["mean"] == pytest.approx(seeds.mean())
        assert row["high"] - row["mean"] == pytest.approx(
            estimate(seeds.to_list()).high - seeds.mean()
        )
        assert row["n"] == 3


def test_keys_that_are_not_named_get_a_place(sweep):
    figure = sweep.plot.line().figure
    titles = [t.get_text() for t in figure.legends[0].get_texts()]
    # Numbers run across; colours, dashes and panels are for the rest.
    assert figure.axes[0].get_xlabel() == "delay, ms"
    assert titles[0] == "controller"
    assert "queue" in titles
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["flow = a", "flow = b"]


def test_whole_runs_have_no_flows(sweep):
    data = sweep.plot.line(x="delay", y="jain", facet=["queue"]).data
    assert "flow" not in data.columns
    assert len(data) == 12


def test_values_are_chosen(sweep):
    chosen = {"controller": "cubic", "queue": ["20 packets"], "flow": "a"}
    drawn = sweep.plot.line(where=chosen)
    assert set(drawn.data.columns) & set(GRID) == {"topology.bottleneck.delay"}
    assert len(drawn.data) == 3
    assert drawn.figure.legends == []


@pytest.mark.parametrize("interval", ["range", "none"])
def test_other_intervals(sweep, interval):
    drawn = sweep.plot.line(x="delay", interval=interval, where={"flow": "a"}, over="queue")
    if interval == "none":
        assert drawn.data["low"].null_count() == len(drawn.data)
        assert drawn.note.startswith("Means of 3 seeds. Of each seed")
    else:
        assert "Bars: least and greatest of these seeds." in drawn.note
        assert (drawn.data["low"] <= drawn.data["mean"]).all()


@pytest.mark.parametrize("kind", ["line", "cdf", "ellipse", "heat"])
@pytest.mark.parametrize("size", [None, *SIZES])
def test_nothing_covers_anything(sweep, kind, size):
    """Legends, titles, labels and panels are on the canvas, each in its own place."""
    figure = plot(sweep, kind, size=size, title="What thinning does").figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    panels = [ax.get_tightbbox(renderer) for ax in figure.axes if ax.get_visible()]
    others = [t.get_window_extent(renderer) for t in figure.texts if t.get_text()]
    others += [legend.get_window_extent(renderer) for legend in figure.legends]
    canvas = figure.bbox.padded(2)
    for i, box in enumerate(others):
        assert canvas.contains(box.x0, box.y0)
        assert canvas.contains(box.x1, box.y1)
        for other in (*others[i + 1 :], *panels):
            assert not box.padded(-1).overlaps(other.padded(-1))
    if size is not None:
        assert figure.get_size_inches()[0] == SIZES[size].width
    # Letters of axes do not run into their neighbours'.
    for ax in figure.axes:
        boxes = [t.get_window_extent() for t in ax.get_xticklabels() if not t.get_rotation()]
        boxes = [b for b in boxes if b.width]
        assert not any(a.overlaps(b) for a, b in pairwise(boxes))


@pytest.mark.parametrize("style", ["house", "serif", "grey"])
def test_pdf_files_have_their_letters_in_them(sweep, style, tmp_path):
    path, _ = sweep.plot.line(size="column", style=style).save(tmp_path / "f", "pdf")
    content = path.read_bytes()
    assert b"/FontFile2" in content
    # Every font is one that goes along.
    assert content.count(b"/FontDescriptor ") <= content.count(b"/FontFile2") * 2
    assert b"/Type3" not in content
    fonts = set(re.findall(rb"/BaseFont /([\w+-]+)", content))
    assert any(b"STIX" in f for f in fonts) == (style == "serif")
    assert (
        "acklab".encode("utf-16-be") in content
    )  # The file says where it comes from, the figure does not.


def test_grey_figures_have_no_colours(sweep):
    figure = sweep.plot.line(style="grey").figure
    for ax in figure.axes:
        for line in ax.get_lines():
            colour = line.get_color()
            assert colour[1:3] == colour[3:5] == colour[5:7]


def test_a_style_sheet_of_ones_own(sweep, tmp_path):
    (tmp_path / "big.mplstyle").write_text("font.size: 13\n")
    drawn = sweep.plot.line(style=str(tmp_path / "big.mplstyle"))
    assert drawn.figure.axes[0].xaxis.label.get_fontsize() == 13
    (tmp_path / "bad.mplstyle").write_text("font.size: huge\n")
    with pytest.raises(AcklabError, match="KEY: VALUE"):
        sweep.plot.line(style=str(tmp_path / "bad.mplstyle"))


MISTAKES = [
    ({"x": "rate"}, "--x rate: 'rate' was not swept\n  help: the swept keys are controller, delay"),
    ({"by": "cc"}, "--by cc: 'cc' was not swept"),
    ({"facet": ["queue", "delay", "flow"]}, "--facet takes 2 keys, not 3"),
    ({"x": "delay", "by": "delay"}, "is given to --x and to --by"),
    (
        {"y": "goodput"},
        "--y: there is no metric called 'goodput'\n  help: did you mean goodput_mbps",
    ),
    (
        {"where": {"delay": "7 ms"}},
        "delay=7 ms: no run has that value\n  help: the values are 5 ms",
    ),
    ({"interval": "sd"}, "there is no interval 'sd'\n  help: --interval takes ci, range, none"),
    ({"log": "z"}, "no axis 'z' to be logarithmic\n  help: --log takes x, y, xy, none"),
    ({"x": "controller", "log": "x"}, "the values of controller are not all numbers above zero"),
    ({"size": "poster"}, "no size 'poster' of figures\n  help: --size takes column, page, slide"),
    ({"style": "serf"}, "no style 'serf' of figures\n  help: did you mean serif?"),
    ({"style": "no.mplstyle"}, "there is no file no.mplstyle for --style"),
    ({"wher": {}}, "the plot line has no argument 'wher'\n  help: did you mean where?"),
    ({"value": "jain"}, "the plot line does nothing with --value"),
]


@pytest.mark.parametrize(("choice", "text"), MISTAKES, ids=[str(c) for c, _ in MISTAKES])
def test_mistakes_name_the_argument_and_list_what_there_is(sweep, choice, text):
    with pytest.raises(AcklabError) as e:
        sweep.plot.line(**choice)
    assert text in str(e.value)


def test_keys_without_a_place_are_told(sweep):
    more = {
        **GRID,
        "topology.access.delay": ["1 ms", "2 ms"],
        "topology.access.rate": ["90 Mbit/s", "80 Mbit/s"],
        "duration": ["1 s", "2 s"],
    }
    rows = sweep.flows.head(1)
    for key in more:
        if key not in rows.columns:
            rows = rows.insert_column(2, pl.lit("x").alias(key))
    every = [rows.with_columns(pl.lit(str(i)).alias(k)) for k in more for i in range(2)]

    class Many:
        name = provenance = "many"

        def table(self, name):
            return pl.concat(every) if name == "runs" else None

    with pytest.raises(AcklabError, match=r"no place in the figure .*\n  help: .*--over"):
        plot_of(Many())


def plot_of(source):
    from acklab.plots.drawn import Choice
    from acklab.plots.kinds import KINDS

    return KINDS["line"].draw(source, Choice())


def test_scales_read_numbers_with_units():
    assert Scale.of("delay", ["500 us", "2 ms"]).numbers == (500.0, 2000.0)
    assert Scale.of("queue", ["1 BDP", "20 packets"]).numbers is None
    assert Scale.of("ratio", [1, 2, 4, 8, 16]).logarithmic
    assert not Scale.of("ratio", [1, 2, 3, 4, 5, 6, 7, 8, 9]).logarithmic
    assert Scale.of("on", [True, False]).numbers is None
    assert spoken('{ "name" = "cubic", "beta" = 0.5 }') == "cubic beta=0.5"


def test_on_the_command_line(sweep, acklab_cli, tmp_path):
    done = acklab_cli(
        *("plot", sweep.folder, "line", "--x", "delay", "--y", "rtt_p95_ms", "--by", "controller"),
        *("--facet", "queue", "--over", "flow", "--where", "delay=5 ms,40 ms"),
        *("--size", "column", "--title", "RTT", "--out", "rtt.pdf"),
    )
    assert done.stdout.split() == ["rtt.pdf", "rtt.csv"], done.stderr
    data = pl.read_csv(tmp_path / "rtt.csv")
    assert data["topology.bottleneck.delay"].unique().sort().to_list() == ["40 ms", "5 ms"]
    done = acklab_cli("plot", sweep.folder, "heat", "--x", "delay", "--y", "queue")
    assert done.returncode == 0
    assert done.stdout.split()[0].endswith("plots/heatmap.svg")
    done = acklab_cli("plot", sweep.folder, "line", "--where", "delay")
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot read --where 'delay'")


def test_many_whole_numbers_have_whole_ticks():
    from matplotlib.figure import Figure

    ax = Figure(figsize=(3.35, 2.6)).subplots()
    ax.plot(range(1, 17), range(16))
    Scale.of("ratio", list(range(1, 17))).apply(ax, logarithmic=False)
    assert all(float(t).is_integer() for t in ax.get_xticks())
