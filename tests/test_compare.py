"""Folders of results opened and laid side by side."""

import csv
import math
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import acklab
from acklab.comparing import Comparison
from acklab.plots import box, cdf, ellipse, style
from acklab.saving import save
from acklab.sealed import sealed, unsealed
from acklab.stats import t_quantile
from sweeping import TINY


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two runs and two sweeps."""
    base = tmp_path_factory.mktemp("results")
    for name, cc in (("one", "cubic"), ("two", "bbr3")):
        changes = {"flow.0.cc": cc, "sample_every": "10 ms"}
        (base / name).mkdir()
        save(acklab.load(TINY, overrides=changes).run(), base / name, "acklab run tiny.toml")
    for name, rate in (("slow", "2 Mbit/s"), ("fast", "4 Mbit/s")):
        changes = {"topology.bottleneck.rate": rate}
        grid = {"flow.0.cc": ["cubic", "bbr3"]}
        acklab.sweep(TINY, grid=grid, seeds=6, overrides=changes, out=base / name)
    return base


def test_a_saved_run_is_what_it_was(tmp_path, small):
    result = acklab.load(small).run(seed=7)
    save(result, tmp_path, "acklab run small.toml --seed 7")
    saved = acklab.open(tmp_path)
    assert isinstance(saved, acklab.SavedRun)
    assert (saved.name, saved.seed, saved.version) == ("small", 7, acklab.__version__)
    assert saved.command == "acklab run small.toml --seed 7"
    assert saved.cost == result.cost
    assert saved.expectations() == result.expectations()
    assert saved.resolved == result.scenario.resolved
    for table in ("flows", "links", "series", "link_series"):
        assert getattr(saved, table).equals(getattr(result, table)), table


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda f: (f / "run.json").write_text("{"), "run.json"),
        (lambda f: (f / "run.json").write_text("[]"), "no JSON object"),
        (lambda f: (f / "run.json").write_text('{"seed": 1}'), "does not say scenario"),
        (lambda f: (f / "run.json").write_bytes(b"\xff\xfe"), "run.json"),
        (lambda f: (f / "run.json").unlink(), "neither run.json nor sweep.json"),
        (lambda f: (f / "flows.parquet").write_bytes(b""), "flows.parquet"),
        (lambda f: (f / "flows.parquet").write_bytes(b"PAR1garbage"), "flows.parquet"),
        (
            lambda f: (f / "flows.parquet").unlink(),
            "flows.parquet: the run left it, and it is gone",
        ),
    ],
)
def test_broken_runs(tmp_path, small, harm, said):
    save(acklab.load(small).run(), tmp_path, "test")
    harm(tmp_path)
    with pytest.raises(acklab.AcklabError, match=said):
        _ = acklab.open(tmp_path).flows


def test_a_run_of_a_newer_version(tmp_path, small):
    save(acklab.load(small).run(), tmp_path, "test")
    about = unsealed((tmp_path / "run.json").read_bytes())
    (tmp_path / "run.json").write_text(sealed(about | {"format": 99}))
    with pytest.raises(acklab.AcklabError, match="written by a newer acklab: format 99"):
        acklab.open(tmp_path)


def test_what_cannot_be_opened(tmp_path):
    (tmp_path / "file").write_text("")
    for path, said in [("absent", "not there"), ("file", "a file"), (".", "neither")]:
        with pytest.raises(acklab.AcklabError, match=said):
            acklab.open(tmp_path / path)


def test_runs_side_by_side(folders):
    table = acklab.compare(folders / "one", folders / "two").table(["goodput_mbps", "rtos"])
    one, two = (acklab.open(folders / n).flows["goodput_mbps"][0] for n in ("one", "two"))
    assert table["result"].to_list() == ["one", "two"] * 2
    assert table["mean"].to_list()[:2] == [one, two]
    assert table["difference"].to_list()[:2] == pytest.approx([0, (two - one) / one])
    assert table["ci_low"].null_count() == 4
    # Nothing over nothing is no difference, something over nothing has no measure.
    assert table["difference"].to_list()[2] == 0


def test_sweeps_side_by_side(folders):
    comparison = acklab.compare(folders / "slow", folders / "fast")
    assert comparison.keys == ["flow.0.cc"]
    table = comparison.table(["goodput_mbps"])
    assert table.height == 4
    fast = acklab.open(folders / "fast").stats()
    for row in table.filter(pl.col("result") == "fast").iter_rows(named=True):
        there = fast.row(by_predicate=pl.col("flow.0.cc") == row["flow.0.cc"], named=True)
        assert (row["mean"], row["ci_low"]) == pytest.approx((there["mean"], there["ci_low"]))
        assert row["difference"] > 0.2
    # Two controllers with six seeds each: the mean over controllers has six.
    assert comparison.table(["goodput_mbps"], by=[])["n"].to_list() == [6, 6]


def test_what_cannot_be_compared(folders, tmp_path):
    one, slow = folders / "one", folders / "slow"
    for given, said in [
        ([one], "two result folders"),
        ([one, slow], r"cannot compare a run with a sweep: .*one is of one run, .*slow of many"),
        ([one, one], "given twice"),
        ([one, tmp_path / "absent"], "not there"),
    ]:
        with pytest.raises(acklab.AcklabError, match=said):
            acklab.compare(*given)
    with pytest.raises(acklab.AcklabError, match="did you mean goodput_mbps"):
        acklab.compare(slow, folders / "fast").table(["goodput_mbp"])


def test_the_command_line(acklab_cli, folders, tmp_path):
    done = acklab_cli("compare", folders / "one", folders / "two")
    assert done.returncode == 0, done.stderr
    assert "goodput_mbps" in done.stdout
    assert "%" in done.stdout
    done = acklab_cli("compare", folders / "slow", folders / "fast", "--out", "c.csv")
    assert done.returncode == 0, done.stderr
    assert next(csv.reader((tmp_path / "c.csv").open()))[0] == "metric"
    for args, said in [
        (("--plot", "cdf", "--out", "x.jpg"), "end the name in .svg, .pdf, .png"),
        (("--metric", "nonsense"), "no column"),
    ]:
        done = acklab_cli("compare", folders / "slow", folders / "fast", *args)
        assert done.returncode in (1, 2), (args, done)
        assert said in done.stderr, (args, done)


@pytest.mark.parametrize("plot", ["cdf", "box", "ellipse"])
@pytest.mark.parametrize("names", [("one", "two"), ("slow", "fast")])
def test_plots_are_the_same_bytes_again(folders, tmp_path, plot, names):
    comparison = acklab.compare(*(folders / n for n in names))
    for form in style.FORMATS:
        pair = []
        for again in ("a", "b"):
            figure, data = comparison.plot(plot, by=comparison.keys)
            pair.append(style.save(figure, tmp_path / again, form).read_bytes())
            assert data["group"].n_unique() == 2 * max(1, 2 * len(comparison.keys))
        assert pair[0] == pair[1]
        assert len(pair[0]) > 5000


def test_a_plot_has_its_data_beside_it(acklab_cli, folders, tmp_path):
    folder = [folders / "slow", folders / "fast"]
    done = acklab_cli("compare", *folder, "--plot", "ellipse", "--out", "e.svg")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["e.svg", "e.csv"]
    assert (tmp_path / "e.svg").read_text().startswith("<?xml")
    assert pl.read_csv(tmp_path / "e.csv")["group"].to_list() == ["slow", "fast"]


def test_runs_without_samples_cannot_be_drawn(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        save(acklab.load(TINY).run(), tmp_path / name, "test")
    with pytest.raises(acklab.AcklabError, match="no samples over time"):
        acklab.compare(tmp_path / "a", tmp_path / "b").plot("cdf")


def test_shares_are_those_of_the_values():
    frame = pl.DataFrame({"by": ["b", "b", "a", "b", "b"], "v": [3, 1, 5, 3, None]})
    shares = cdf.shares(frame, "v", "by")
    assert shares.rows() == [
        ("b", 1.0, pytest.approx(1 / 3)),
        ("b", 3.0, 1.0),
        ("a", 5.0, 1.0),
    ]


def test_boxes_are_tukeys():
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 30.0]
    frame = pl.DataFrame({"by": ["x"] * 7, "v": [*values, None]})
    row = box.boxes(frame, "v", "by").row(0, named=True)
    q1, median, q3 = np.percentile(values, [25, 50, 75])
    assert (row["q1"], row["median"], row["q3"]) == pytest.approx((q1, median, q3))
    assert (row["n"], row["low"], row["high"]) == (6, 1.0, 5.0)


def test_ellipses_are_those_of_the_covariance():
    chance = np.random.default_rng(1)
    points = chance.multivariate_normal((20, 5), [[9, -2.5], [-2.5, 1]], 400)
    frame = pl.DataFrame({"by": ["x"] * 400, "ms": points[:, 0], "mbps": points[:, 1]})
    row = ellipse.ellipses(frame, "ms", "mbps", "by", 1.0).row(0, named=True)
    # As Flent has it: the eigenvectors of NumPy's covariance.
    values, vectors = np.linalg.eigh(np.cov(points, rowvar=False))
    assert row["width"] == pytest.approx(2 * math.sqrt(values[1]))
    assert row["height"] == pytest.approx(2 * math.sqrt(values[0]))
    angle = math.degrees(math.atan2(vectors[1, 1], vectors[0, 1]))
    assert (row["angle"] - angle) % 180 == pytest.approx(0, abs=1e-6) or (
        row["angle"] - angle
    ) % 180 == pytest.approx(180, abs=1e-6)


def test_up_and_right_is_better():
    frame = pl.DataFrame({"by": list("aab"), "ms": [10.0, 20, 30], "mbps": [1.0, 2, 3]})
    figure, data = ellipse.draw(frame, "ms", "mbps", "by")
    (ax,) = figure.axes
    assert ax.xaxis_inverted()
    assert not ax.yaxis_inverted()
    assert data["width"].to_list()[1] is None
    assert len(ax.patches) == 1


def _many(n, keys=3):
    names = ["\n".join(f"key{k} = value {i} of many" for k in range(keys)) for i in range(n)]
    rows = [(name, float(i + j), float(i * j)) for i, name in enumerate(names) for j in range(3)]
    return pl.DataFrame(rows, schema=["group", "x", "y"], orient="row")


def _drawn(kind, frame):
    with style.house():
        if kind == "ellipse":
            figure, _ = ellipse.draw(frame, "x", "y", "group")
        else:
            figure, _ = {"cdf": cdf, "box": box}[kind].draw(frame, "x", "group")
        style.footer(figure, "where it comes from\nand more")
        figure.canvas.draw()
    return figure


@pytest.mark.parametrize("kind", ["cdf", "ellipse"])
@pytest.mark.parametrize(("n", "keys"), [(2, 1), (8, 3), (16, 1), (16, 3), (35, 2)])
def test_every_entry_of_a_legend_is_on_the_canvas_and_looks_different(kind, n, keys):
    figure = _drawn(kind, _many(n, keys))
    (ax,) = figure.axes
    legend = ax.get_legend() or figure.legends[0]
    texts = legend.get_texts()
    assert len(texts) == n
    canvas = figure.bbox.padded(1)
    footer = figure._supxlabel.get_window_extent()
    panel = ax.get_tightbbox(for_layout_only=True) if ax.get_legend() is None else ax.bbox
    for text in texts:
        box_ = text.get_window_extent()
        assert canvas.contains(box_.x0, box_.y0)
        assert canvas.contains(box_.x1, box_.y1)
        assert not box_.overlaps(footer)
        assert not box_.overlaps(panel)
    # Beside or below it, the panel stays wide enough to be read.
    assert ax.bbox.width > 0.45 * figure.bbox.width
    looks = [(h.get_color(), str(h._dash_pattern), h.get_marker()) for h in legend.get_lines()]
    assert len(set(looks)) == n


@pytest.mark.parametrize("kind", ["cdf", "ellipse", "box"])
def test_too_many_groups_are_refused(kind):
    with pytest.raises(acklab.AcklabError, match=r"can tell apart\n  help: .*heatmap"):
        _drawn(kind, _many(61))


@pytest.mark.parametrize(("n", "keys"), [(3, 3), (8, 3), (20, 3), (6, 1)])
def test_names_of_boxes_do_not_run_into_each_other(n, keys):
    figure = _drawn("box", _many(n, keys))
    (ax,) = figure.axes
    boxes = [t.get_window_extent() for t in ax.get_xticklabels()]
    assert len(boxes) == n
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))
    assert all(figure.bbox.padded(1).contains(b.x0, b.y0) for b in boxes)
    assert ax.bbox.height > 0.3 * figure.bbox.height


def test_labels():
    assert style.heading("rtt_p50_ms") == "RTT p50, ms"
    assert style.heading("goodput_mbps") == "goodput, Mbit/s"
    assert style.heading("segments_per_ack") == "segments per ACK"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("one", "two"), ["one: tiny · seed 1", "two: tiny · seed 1"]),
        (("slow", "fast"), ["slow: tiny · 6 seeds", "fast: tiny · 6 seeds"]),
    ],
)
def test_a_figure_says_where_it_comes_from(folders, names, said):
    figure, _ = acklab.compare(*(folders / n for n in names)).plot("cdf")
    version = f" · acklab {acklab.__version__}"
    assert figure.get_supxlabel() == "\n".join(f"{line}{version}" for line in said)


def test_a_footer_does_not_name_results_without_end(folders):
    first = acklab.compare(folders / "slow", folders / "fast")
    many = Comparison("sweeps", tuple("abcdefghi"), (*first.results,) * 4 + first.results[:1])
    assert many.provenance.splitlines()[5:] == [
        f"f: tiny · 6 seeds · acklab {acklab.__version__}",
        "and 3 more",
    ]


def test_flow_may_be_named_as_a_key_and_cells_are_no_sample_of_chance(acklab_cli, tmp_path):
    """A mean over the keys that are left out comes first: its interval is over seeds."""
    scenario = {
        "duration": "3 s",
        "topology": {"preset": "dumbbell", "bottleneck": {"rate": "10 Mbit/s", "delay": "5 ms"}},
        "flow": [{"start_jitter": "50 ms"}],
    }
    grid = {"delay:topology.bottleneck.delay": ["5 ms", "10 ms", "40 ms"]}
    made = [
        acklab.sweep(
            scenario, grid=grid, seeds=4, out=tmp_path / name, overrides=[f"flow.0.cc={cc}"]
        )
        for name, cc in (("one", "cubic"), ("two", "newreno"))
    ]
    table = acklab.compare(*made).table(["goodput_mbps"], by=["flow"])
    own = made[0].flows.group_by("seed").agg(pl.col("goodput_mbps").mean())
    row = table.row(0, named=True)
    assert row["n"] == 4
    assert row["mean"] == pytest.approx(own["goodput_mbps"].mean())
    half = own["goodput_mbps"].std() / 2 * t_quantile(3)
    assert row["ci_high"] - row["mean"] == pytest.approx(half)
    done = acklab_cli("compare", tmp_path / "one", tmp_path / "two", "--by", "flow")
    assert done.returncode == 0, done.stderr
