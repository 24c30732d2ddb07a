"""Reports of sweeps and of results side by side: what they hold, and what they leave out."""

import itertools
import json
import re
import shlex
import sys

import polars as pl
import pytest

import acklab
from acklab.keys import keys
from acklab.metrics import DEFINITIONS
from acklab.metrics.derived import with_metric
from acklab.report.compared import write_comparison_report
from acklab.report.groups import grouped, told_apart, varying
from acklab.report.headline import extremes, sentences
from acklab.report.parts import spread
from acklab.report.setting import _SET, _numbered, sets
from acklab.report.swept import sweep_report
from acklab.saving import save
from sweeping import TINY, Stop, stop_after, swept


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    return swept(tmp_path_factory.mktemp("sweep") / "s")


def chart_data(page, kind):
    found = re.findall(
        rf'<div class="chart" data-kind="{kind}">.*?<script type="application/json">(.*?)</script>',
        page,
        re.S,
    )
    return [json.loads(text) for text in found]


def section(page, name):
    return page.partition(f'<section id="{name}">')[2].partition("</section>")[0]


def test_every_cell_has_its_mean_and_interval_over_seeds(sweep):
    page = sweep_report(sweep)
    cells = section(page, "cells")
    stats = sweep.stats("goodput_mbps")
    assert cells.count("<tr data-keys=") == len(stats)
    for row in stats.iter_rows(named=True):
        half = row["ci_high"] - row["mean"]
        assert f'data-value="{row["mean"]!r}"' in cells
        assert f'{row["mean"]:.4g} <span class="half">± {spread(half, row["mean"])}</span>' in cells


def first_screen(page):
    return page[page.index('class="top"') : page.index('id="cells"')].replace("\u00a0", " ")


def test_the_first_screen_says_what_varied_and_what_stands_out(sweep):
    first = first_screen(sweep_report(sweep))
    assert "<strong>flow.0.cc</strong> (cubic, bbr3)" in first
    assert "4 cells with 5 seeds each, 20 runs." in first
    # That more rate is more goodput is no finding: controllers are compared at the same rate.
    told = re.search(
        r"<strong>Goodput</strong> with rate (\d Mbit/s): from ([\d.]+)[^(]* \(cubic\) to "
        r"([\d.]+) ± [\d.]+ Mbit/s \(bbr3\); (\d+) % more, by \d+ times the spread of seeds\.",
        first,
    )
    rate, least, most, more = told.groups()
    at_rate = sweep.stats("goodput_mbps").filter(pl.col("rate").cast(pl.String) == rate)
    cubic, bbr3 = at_rate.sort("flow.0.cc")["mean"].sort()
    assert (least, most) == (f"{cubic:.3g}", f"{bbr3:.3g}")
    assert int(more) == round(100 * (bbr3 / cubic - 1))
    # The picture is of a metric that no key sets: a line per controller, each point with intervals.
    assert "RTT p50 over <code>rate</code>" in first
    assert first.count('<path class="line') == 2 + 2
    assert first.count('<path class="bar') == 4


def test_metrics_that_were_asked_for_are_told_whatever_sets_them(sweep):
    first = first_screen(sweep_report(sweep, ["goodput_mbps"]))
    assert re.search(
        r"from [\d.]+ Mbit/s \(cubic, rate 2 Mbit/s\) to .* \(\w+, rate 4 Mbit/s\)", first
    )
    assert "Alone, as a mean over everything else, rate moves it most: from" in first
    assert "Goodput over <code>rate</code>" in first


def runs_of(**columns):
    """Runs of five seeds in cells whose means `columns` have, with their keys."""
    cells = pl.DataFrame(columns).with_row_index("cell")
    noise = [-0.2, -0.1, 0.0, 0.1, 0.2]
    rows = cells.join(pl.DataFrame({"seed": range(1, 6), "noise": noise}), how="cross")
    return rows.with_columns(goodput_mbps=pl.col("goodput_mbps") + pl.col("noise"))


def test_the_headline_measures_a_difference_by_the_seeds():
    runs = runs_of(queue=["1 BDP", "2 BDP", "3 BDP"], goodput_mbps=[9.0, 10.0, 9.5])
    told = sentences(runs, {"queue": ["topology.bottleneck.queue"]}, ["goodput_mbps"])
    told = told.replace("\u00a0", " ")
    # The spread is the deviation of the noise, sqrt(0.1 / 4) = 0.158; 1 / 0.158 = 6.3.
    assert told.startswith(
        "- **Goodput**: from 9 ± 0.20 Mbit/s (queue 1 BDP) to 10 ± 0.20 Mbit/s (queue 2 BDP); "
        "11 % more, by 6.3 times the spread of seeds."
    )
    alike = runs_of(queue=["1 BDP", "2 BDP"], goodput_mbps=[9.0, 9.05])
    told = sentences(alike, {"queue": ["topology.bottleneck.queue"]}, ["goodput_mbps"])
    assert told.strip() == "No metric differs between cells by more than seeds do."


def test_extremes_of_many_cells_that_differ_by_chance_do_not_stand_out():
    import numpy as np

    draw = np.random.default_rng(1)
    runs = pl.DataFrame({"cell": np.repeat(np.arange(400), 5), "seed": np.tile(np.arange(5), 400)})
    runs = runs.with_columns(jitter=pl.col("cell"), jain=0.5 + draw.normal(0, 0.01, 2000))
    axes = {"jitter": ["flow.0.start_jitter"]}
    found = extremes(runs, axes, "jain")
    # By their own intervals they would.
    assert found.most.low > found.least.high
    assert not found.stands_out
    assert "No metric differs" in sentences(runs, axes, ["jain"])


def test_what_the_key_sets_is_left_out_of_the_headline():
    runs = runs_of(back=["1 Mbit/s", "2 Mbit/s"], goodput_mbps=[5.0, 10.0])
    left = sentences(runs, {"back": ["topology.bottleneck.rate"]}, ["goodput_mbps"])
    assert left.strip() == "Left out, since `back` sets it: goodput."
    # The rate of the way back sets no goodput: what it does is a finding.
    told = sentences(runs, {"back": ["topology.bottleneck.reverse.rate"]}, ["goodput_mbps"])
    assert "2 times as much" in told


def test_one_seed_gives_numbers_without_a_spread():
    runs = runs_of(queue=["1 BDP", "2 BDP"], goodput_mbps=[9.0, 10.0]).filter(pl.col("seed") == 3)
    told = sentences(runs, {"queue": ["topology.bottleneck.queue"]}, ["goodput_mbps"])
    assert "from 9 Mbit/s (queue 1 BDP) to 10 Mbit/s (queue 2 BDP); 11 % more." in told
    assert "One seed does not tell what chance does." in told


@pytest.mark.parametrize(
    ("key", "metric", "expected"),
    [
        ("topology.bottleneck.rate", "goodput_mbps", True),
        ("topology.bottleneck.rate", "rtt_p95_ms", False),
        ("topology.bottleneck.queue", "rtt_p95_ms", False),
        ("link.0.delay", "rtt_p50_ms", True),
        ("link.0.jitter", "rtt_p50_ms", False),
        ("flow.ack.l", "segments_per_ack", True),
        ("flow.0.ack", "goodput_mbps", False),
        ("topology.bottleneck.reverse.ack_filter", "segments_per_ack", False),
        ("topology.bottleneck.loss", "retransmissions", True),
        ("topology.bottleneck.reverse.loss", "retransmissions", False),
        ("wifi.mcs", "goodput_mbps", True),
    ],
)
def test_which_metrics_a_key_sets(key, metric, expected):
    assert sets([key], metric) is expected


def test_each_pattern_of_a_key_and_of_a_metric_has_something():
    paths = {_numbered(k.path) for k in keys()}
    for key, of in _SET:
        assert any(re.fullmatch(key, path) for path in paths), key
        for pattern in [of] if "(" in of else of.split("|"):
            assert any(re.fullmatch(pattern, name) for name in DEFINITIONS), pattern


def test_the_command_of_a_cell_makes_the_first_of_its_runs_again(sweep, acklab_cli):
    from html import unescape

    cells = section(sweep_report(sweep), "cells")
    row = cells[cells.index('data-keys="flow.0.cc=bbr3\nrate=4Mbit/s"') :]
    command = unescape(re.search("<code>(.*?)</code>", row)[1])
    page = re.search(r'<a href="(cells/\d+/report\.html)#series">', row)[1]
    done = acklab_cli(*shlex.split(command)[1:], cwd=sweep.folder)
    assert done.returncode == 0, done.stderr
    made = acklab.open((sweep.folder / page).parent)
    assert 'id="series"' in (sweep.folder / page).read_text()
    first = sweep.flows.filter(
        (pl.col("flow.0.cc").cast(pl.String) == "bbr3")
        & (pl.col("rate").cast(pl.String) == "4 Mbit/s")
        & (pl.col("seed") == 1)
    )
    assert made.flows["goodput_mbps"].to_list() == first["goodput_mbps"].to_list()
    # The folder of the sweep is as it was for who opens it.
    assert acklab.open(sweep.folder).complete


def test_metrics_are_chosen_as_for_a_comparison(sweep, acklab_cli):
    page = sweep_report(sweep, ["rtt_p95_ms", "jain"])
    heads = re.findall('<th scope="col"[^>]*>(.*?)</th>', section(page, "cells"))
    assert heads == ["flow.0.cc", "rate", "seeds", "RTT p95, ms", "Jain&#x27;s index", "again"]
    assert "RTT p95, ms" in page[: page.index('id="cells"')]
    done = acklab_cli("report", sweep.folder, "-m", "goodput_mbsp")
    assert done.returncode == 1
    assert "did you mean goodput_mbps?" in done.stderr


def test_flows_of_a_run_are_summed_or_averaged(tmp_path):
    two = {**TINY, "flow": [{"name": n, "cc": c} for n, c in (("a", "cubic"), ("b", "bbr3"))]}
    made = acklab.sweep(two, grid={"delay:topology.bottleneck.delay": ["2 ms"]}, out=tmp_path / "s")
    cells = section(sweep_report(made), "cells")
    flows = made.flows
    for value in (
        flows["goodput_mbps"].sum(),
        flows["rtt_p95_ms"].mean(),
        float(flows["retransmissions"].sum()),
        with_metric(flows, "jain")["jain"][0],
    ):
        assert f'data-value="{value!r}"' in cells
    assert "Sums over the flows of a run: goodput, retransmissions." in cells
    assert "Nothing was varied but the seed." in sweep_report(made)


def test_a_key_is_averaged_seed_by_seed(sweep):
    from acklab.stats import estimate

    page = section(sweep_report(sweep), "by-flow.0.cc")
    cubic = sweep.flows.filter(pl.col("flow.0.cc").cast(pl.String) == "cubic")
    of_seeds = cubic.group_by("seed").agg(pl.col("goodput_mbps").mean())["goodput_mbps"]
    found = estimate(of_seeds.to_list())
    assert f'{found.mean:.4g} <span class="half">± {found.high - found.mean:.2g}</span>' in page


def test_the_heat_map_has_every_cell(sweep):
    (spec,) = chart_data(sweep_report(sweep), "heat")
    assert (spec["x"], spec["y"]) == ("flow.0.cc", "rate")
    assert (spec["xs"], spec["ys"]) == (["cubic", "bbr3"], ["2 Mbit/s", "4 Mbit/s"])
    (panel,) = spec["panels"]
    cubic_2, cubic_4, bbr3_2, bbr3_4 = sweep.stats("goodput_mbps").sort("cell")["mean"]
    means = panel["measures"]["goodput, Mbit/s"]["mean"]
    assert means == pytest.approx([cubic_2, bbr3_2, cubic_4, bbr3_4], rel=1e-3)


def test_it_leads_to_the_scenario_and_says_how_it_was_made(sweep):
    page = sweep_report(sweep)
    assert re.search(r'<a href="scenario\.(toml|json)">', page)
    assert "tiny · 5 seeds · acklab" in page
    assert "4 cells with 5 seeds each, 20 runs" in page
    assert "Not complete" not in page
    for name in ("cdf", "box", "ellipse"):
        assert "data:image/svg+xml" in section(page, name)


def test_one_key_alone_has_no_map(tmp_path):
    page = sweep_report(
        acklab.sweep(TINY, grid={"flow.0.cc": ["cubic", "bbr3"]}, out=tmp_path / "s")
    )
    assert chart_data(page, "heat") == []
    # A single seed has no interval.
    assert "±" not in section(page, "cells").partition("<table")[2]


def test_a_sweep_that_is_not_complete_says_so(tmp_path, small_shards):
    with pytest.raises(Stop):
        swept(tmp_path / "s", on_progress=stop_after(15), jobs=1)
    page = sweep_report(acklab.open(tmp_path / "s"))
    assert "Not complete: 14 runs of 20 are here." in page


def counted(action, *args):
    """Result of `action`, and the number of calls of Python functions in it."""
    calls = itertools.count()
    sys.setprofile(lambda _, event, __: next(calls) if event == "call" else None)
    try:
        made = action(*args)
    finally:
        sys.setprofile(None)
    return made, next(calls)


def test_large_sweeps_are_reduced_and_say_so(tmp_path):
    """A thousand cells of ten runs: every cell is on the map, in 5 MB at most, by work per run."""
    made = acklab.sweep(
        TINY,
        grid={
            "control:flow.0.cc": ["cubic", "bbr3"],
            "rate:topology.bottleneck.rate": "1..25 Mbit/s",
            "queue:topology.bottleneck.queue": "5..100+5 packets",
        },
        overrides={"duration": "60 ms"},
        seeds=10,
        out=tmp_path / "big",
    )
    assert made.manifest.runs == 10_000
    page, calls = counted(sweep_report, made)
    # 66 for each run: what looks at each pair of cells or runs would be far above.
    assert calls < 100 * made.manifest.runs
    (spec,) = chart_data(page, "heat")
    assert len(spec["xs"]) * len(spec["ys"]) * len(spec["panels"]) == 1000
    assert section(page, "cells").count("<tr data-keys=") == 1000
    assert len(page.encode()) < 5_000_000
    assert "All values of <code>rate</code>, <code>queue</code> are taken together" in section(
        page, "box"
    )
    assert page == sweep_report(made)


def test_which_keys_are_told_apart():
    frame = pl.DataFrame({"a": [1, 2, 3, 4] * 2, "b": list("xxxxyyyy"), "flow": ["f"] * 8, "c": 0})
    assert varying(frame, ["a", "b", "c"]) == ["a", "b"]
    assert told_apart(frame, ["a", "b"], 8) == (["a", "b"], [])
    assert told_apart(frame, ["a", "b"], 7) == (["b"], ["a"])
    assert told_apart(frame, ["b"], 4, always=["a"]) == (["a"], ["b"])
    assert told_apart(frame, ["a"], 3) == ([], ["a"])
    assert grouped(frame, [])["group"].unique().to_list() == ["all runs"]
    assert grouped(frame, ["b", "flow"], ", ")["group"][0] == "b = x, f"


def test_sweeps_side_by_side(tmp_path, sweep):
    other = swept(tmp_path / "other", overrides={"topology.bottleneck.queue": "5 packets"})
    comparison = acklab.compare(sweep.folder, other.folder)
    page = write_comparison_report(comparison, tmp_path / "c.html", ["goodput_mbps"]).read_text()
    table = section(page, "metric-goodput_mbps")
    for row in comparison.table(["goodput_mbps"]).iter_rows(named=True):
        assert f'data-value="{row["mean"]!r}"' in table
        if row["result"] == "other":
            assert f'data-value="{100 * row["difference"]!r}"' in table
    assert "s · 5 seeds" in section(page, "results").replace("tiny", "s")
    assert 'id="ellipse"' in page


def test_runs_side_by_side(acklab_cli, tmp_path):
    for name, cc in (("one", "cubic"), ("two", "bbr3")):
        (tmp_path / name).mkdir()
        changes = {"flow.0.cc": cc, "sample_every": "10 ms"}
        save(acklab.load(TINY, overrides=changes).run(), tmp_path / name, "test")
    done = acklab_cli("compare", "one", "two", "--report", "--out", "c.html")
    assert (done.returncode, done.stdout) == (0, "c.html\n"), done.stderr
    lines = chart_data((tmp_path / "c.html").read_text(), "lines")
    assert [s["y"] for s in lines] == ["goodput, Mbit/s", "cwnd, packets", "RTT, ms"]
    assert [line["name"] for line in lines[0]["lines"]] == ["one", "two"]
    done = acklab_cli("compare", "one", "two", "--report", "--plot", "cdf")
    assert done.returncode == 2
    assert "leave out --plot" in done.stderr


def test_the_command_makes_a_page_of_a_sweep(acklab_cli, sweep):
    done = acklab_cli("report", sweep.folder)
    assert done.returncode == 0, done.stderr
    page = sweep.folder / "report.html"
    assert done.stdout.strip() == str(page)
    assert page.read_text() == sweep_report(sweep)
    # A page beside the data set does not make it another one.
    assert acklab.open(sweep.folder).complete
