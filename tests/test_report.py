"""Reports: claims first, true reductions, complete or absent."""

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import acklab
from acklab import report
from acklab.errors import AcklabError
from acklab.plots.kinds import recorded
from acklab.plots.reduce import allowance, m4
from acklab.report import network
from acklab.report.run import run_report

TABLE = pl.DataFrame({"cc": ["cubic", "bbr3"], "mbps": [9.62345, 1.5], "none": [None, 2.0]})


def claim(number="1", **more):
    given = {"verdict": "partly", "ours": "less", "mechanism": "a **timer**", **more}
    return report.Claim(number, "It falls.", "4.1", **given)


def chart_data(page):
    found = re.findall(r'<script type="application/json">(.*?)</script>', page)
    return [json.loads(text) for text in found]


def test_claims_come_first_and_lead_to_their_sections():
    page = report.build(
        "A study",
        [claim(figure="t", evidence={"paper": 6.67, "ns3": "9.5 ± 0.1"})],
        [report.Section("Table", table=TABLE, name="t")],
    )
    assert page.index('id="claims"') < page.index('id="t"')
    assert '<a href="#t">see</a>' in page
    assert "6.67</td>" in page
    assert "9.5 ± 0.1</td>" in page
    assert ">Linux</th>" not in page


def test_a_note_says_above_the_claims_how_to_read_them():
    sections = [report.Section("T", name="t")]
    page = report.build("T", [claim(figure="t")], sections, note="± is **half**.")
    assert page.index('id="claims"') < page.index("<strong>half</strong>") < page.index("It falls.")


def test_the_answer_leads_and_its_links_lead_somewhere():
    sections = [report.Section("T", name="t")]
    page = report.build("T", [claim(figure="t")], sections, answer="**Do** [this](#t).")
    assert page.index("<strong>Do</strong>") < page.index('id="claims"')
    assert '<a href="#t">this</a>' in page
    assert "In short" not in report.build("T", [claim(figure="t")], sections)
    with pytest.raises(ValueError, match=r"links to \['gone'\]"):
        report.build("T", [], sections, answer="[this](#gone)")


def test_claims_are_checked():
    with pytest.raises(ValueError, match="verdict"):
        claim(verdict="perhaps")
    with pytest.raises(ValueError, match="'omnet'"):
        claim(evidence={"omnet": 1.0})
    with pytest.raises(ValueError, match=r"refers to 'fig9'.*\['t'\]"):
        report.build("A", [claim(figure="fig9")], [report.Section("t")])
    with pytest.raises(ValueError, match="two claims have the id"):
        report.build("A", [claim(), claim()])
    with pytest.raises(ValueError, match="same name"):
        report.build("A", [], [report.Section("t"), report.Section("t")])


def test_text_is_text():
    nasty = "</script><img src=x onerror=alert(1)>"
    chart = report.Chart(nasty, nasty, nasty, [report.Line(nasty, [1.0], [2.0])])
    frame = pl.DataFrame({nasty: [nasty]})
    section = report.Section(nasty, nasty, table=frame, series=chart, name="s")
    page = report.build(nasty, [claim(ours=nasty)], [section], {nasty: nasty})
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert chart_data(page)[0]["lines"][0]["name"] == nasty


def test_the_same_input_gives_the_same_bytes():
    section = report.Section(
        "T", "text", TABLE, series=report.Chart.of(TABLE, "c", x="mbps", y="none")
    )
    assert report.build("A", [claim()], [section]) == report.build("A", [claim()], [section])


def test_long_lines_are_reduced_and_say_so():
    x = np.arange(100_000) / 1000
    y = np.sin(x)
    y[31_415], y[27_182] = 99.0, -99.0
    section = report.Section("S", series=report.Chart("c", "x", "y", [report.Line("l", x, y)]))
    page = report.build("A", [], [section])
    (spec,) = chart_data(page)
    kept = spec["lines"][0]
    assert len(kept["x"]) <= 6000
    assert (max(kept["y"]), min(kept["y"])) == (99, -99)
    assert f"{len(kept['x']):,} of 100,000 points" in page
    assert (kept["x"][0], kept["x"][-1]) == (0, 99.999)


def test_m4_keeps_the_first_last_lowest_and_highest_of_each_interval():
    rng = np.random.default_rng(7)
    x = np.sort(rng.uniform(0, 50, 3000))
    y = rng.normal(size=3000)
    y[100:140] = np.nan
    kx, ky = m4(x, y, 400)
    assert len(kx) <= 400
    assert (np.diff(kx) > 0).all()
    width = (x[-1] - x[0]) / 100
    index, kept = (np.minimum((v - x[0]) // width, 99) for v in (x, kx))
    for b in np.unique(index):
        ours, all_ = ky[kept == b], y[index == b]
        if np.isnan(all_).all():
            continue
        assert (np.nanmin(ours), np.nanmax(ours)) == (np.nanmin(all_), np.nanmax(all_))
        assert (ours[0], ours[-1]) == pytest.approx((all_[0], all_[-1]), nan_ok=True)


def test_gaps_stay_gaps():
    line = report.Line("l", [0.0, 1.0, 2.0], [1.0, None, float("nan")])
    page = report.build("A", [], [report.Section("S", series=report.Chart("c", "x", "y", [line]))])
    assert chart_data(page)[0]["lines"][0]["y"] == [1, None, None]


def test_many_lines_share_the_budget():
    assert allowance([10, 20]) == 6000
    lengths = [100_000] * 300
    most = allowance(lengths, 200_000)
    assert most >= 4
    assert sum(min(n, most) for n in lengths) <= 200_000
    assert sum(min(n, most + 1) for n in lengths) > 200_000


def test_long_tables_are_cut_and_say_so():
    frame = pl.DataFrame({"n": range(1000)})
    page = report.build("A", [], [report.Section("S", table=frame)])
    assert "The first 400 of 1000 rows." in page
    assert page.count("<tr>") == 401


def test_figures_are_within_the_page(tmp_path):
    svg = tmp_path / "f.svg"
    svg.write_text('<svg xmlns="http://www.w3.org/2000/svg"><text>"#%"</text></svg>')
    page = report.build("A", [], [report.Section("S", figure=svg)])
    assert '<img alt="S" src="data:image/svg+xml,%3Csvg' in page
    with pytest.raises(AcklabError, match="cannot read the figure"):
        report.build("A", [], [report.Section("S", figure=tmp_path / "gone.svg")])
    with pytest.raises(AcklabError, match="SVG or PNG"):
        report.build(
            "A",
            [],
            [report.Section("S", figure=report.Picture(Path(__file__), "x"))],
        )


def test_a_page_too_large_is_not_written(tmp_path):
    target = tmp_path / "r.html"
    with pytest.raises(AcklabError, match=r"would have 10\.2 MB"):
        report.save("x" * 10_200_000, target)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_report_leaves_the_old_one(tmp_path, monkeypatch):
    target = tmp_path / "r.html"
    report.save("old", target)

    def interrupted(self, data):
        with self.open("wb") as f:
            f.write(data[:3])
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        report.save("new and longer", target)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_contents_lead_to_everything():
    sections = [report.Section(f"S{i}") for i in range(3)]
    nav = report.build("A", [claim()], sections).partition("<nav")[2].partition("</nav>")[0]
    assert re.findall(r'href="#(.*?)"', nav) == ["claims", "s0", "s1", "s2"]
    assert "<details" not in nav
    assert "<nav" not in report.build("A", [claim()], sections[:2])


def test_long_contents_leave_the_first_screen_to_the_claims():
    sections = [report.Section(f"S{i}") for i in range(12)]
    nav = report.build("A", [claim()], sections).partition("<nav")[2].partition("</nav>")[0]
    assert "<details><summary>Contents (13)</summary>" in nav
    assert len(re.findall(r'href="#(.*?)"', nav)) == 13


def test_many_bars_keep_the_longest_and_say_so(monkeypatch):
    from acklab.report import charts

    monkeypatch.setattr(charts, "MOST_BARS", 3)
    ends = [1.0, 1.5, 4.0, 9.0, 9.1]
    spans = pl.DataFrame(
        {
            "flow": ["f"] * 5,
            "state": list("abcab"),
            "start_s": [0.0, *ends[:-1]],
            "end_s": ends,
        }
    )
    colours = dict.fromkeys("abc", "#000000")
    bars = report.Bars("B", "time, s", spans, colours, colours)
    page = report.build("A", [], [report.Section("S", series=bars)])
    (spec,) = chart_data(page)
    (row,) = spec["rows"]
    assert (row["start"], row["end"]) == ([0, 1.5, 4], [1, 4, 9])
    assert [spec["states"][i] for i in row["state"]] == ["a", "c", "a"]
    assert "3 of 5 bars: those of 1e+03 ms and longer." in page


def test_a_wide_table_of_a_few_flows_is_laid_on_its_side():
    from acklab.report.run import _told, _turned

    frame = pl.DataFrame({"flow": ["a", "b"], "n": [1, 2], "z": [0, 0], "v": [None, 0.5]})
    told, zero = _told(frame)
    assert (told.columns, zero) == (["flow", "n", "v"], ["z"])
    turned = _turned(told)
    assert turned.columns == ["flow", "a", "b"]
    assert turned["a"].to_list() == [1, None]
    assert turned["b"].to_list() == [2, 0.5]
    tall = pl.DataFrame({"flow": [str(i) for i in range(20)], "n": range(20)})
    assert _turned(tall).equals(tall)


def test_a_figure_is_drawn_once_for_a_page():
    class Counted:
        alt = "lines"
        drawn = 0

        @property
        def svg(self):
            self.drawn += 1
            return b"<svg xmlns='http://www.w3.org/2000/svg'/>"

    figure = Counted()
    report.build("a", sections=[report.Section("One", figure=figure)])
    assert figure.drawn == 1


def test_a_run_has_its_network_on_the_first_screen():
    drawn = network.drawn(tomllib.loads(acklab.load("wifi-uploads").resolved))
    # Thirty stations with the same radio are one.
    names = re.findall(r">([^<>]+)</text>", drawn)
    assert {"ap", "server", "sta0 … sta29", "802.11n"} <= set(names)
    assert len(names) == 5
    assert 'aria-label="The network: ' in drawn
    page = run_report(recorded(acklab.run("single-flow")))
    assert page.index('class="network"') < page.index("<h2>")
    # Neither a lone node nor forty without links are a picture.
    assert network.drawn({"node": [{"name": "alone"}]}) == ""
    assert network.drawn({"node": [{"name": f"n{i}"} for i in range(40)]}) == ""


def test_a_page_says_what_the_command_line_changed(acklab_cli, tmp_path):
    ratio = "topology.bottleneck.reverse.ack_filter.ratio=2"
    command = ("run", "ack-aggregation", "--set", ratio, "--set", "record.every=1 s", "--report")
    assert acklab_cli(*command, "--out", tmp_path / "a").returncode == 0
    page = (tmp_path / "a" / "report.html").read_text()
    assert f"<strong>Changed on the command line</strong>: <code>{ratio}</code>." in page
    assert "ACK filter: aggregate" in page
    assert page == run_report(recorded(acklab.open(tmp_path / "a")))
