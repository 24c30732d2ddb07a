"""The pages of a run and of a sweep: the answer first, the rest folded; they work in Chromium."""

import re
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

import acklab
from acklab.plots import style
from acklab.plots.kinds import recorded
from acklab.report.parts import shown, spread
from acklab.report.run import run_report, write_run_report
from conftest import ROOT, in_a_browser
from sweeping import swept

SHARED = {
    "name": "shared",
    "description": "Two controllers share a bottleneck.",
    "duration": "3 s",
    "topology": {
        "preset": "dumbbell",
        "pairs": 2,
        "bottleneck": {"rate": "10 Mbit/s", "delay": "10 ms", "queue": "1 BDP"},
    },
    "flow": [{"name": "bbr", "cc": "bbr3"}, {"name": "cubic", "cc": "cubic"}],
    "expect": {"goodput": {"min": "1 Mbit/s"}},
}
EVERYTHING = {"every": "10 ms", "events": True, "acks": True, "packets": True}


@pytest.fixture(scope="module")
def result():
    return acklab.load({**SHARED, "record": EVERYTHING}).run()


@pytest.fixture(scope="module")
def html(result):
    return run_report(recorded(result))


def first(page):
    told = page[page.index('class="top"') : page.index('class="folds"')]
    # Blanks that do not break stand before units.
    assert not re.search(r'class="answer">(?:(?!</div>).)*\d (%|Mbit/s)', told)
    return told.replace("\u00a0", " ")


def test_a_run_says_first_what_ran_and_how_it_went(result, html):
    told = first(html)
    assert "Two controllers share a bottleneck." in told
    assert "2 flows (bbr3 and cubic) ran for 3 s; the link <code>left-&gt;right</code>" in told
    busy = result.links["utilisation"].max()
    assert f"(10 Mbit/s, 10 ms) was busy {100 * busy:.0f} % of the time" in told
    assert f"<strong>{result.flows['goodput_mbps'].sum():.3g} Mbit/s</strong> of goodput" in told
    jain = acklab.metrics.jain(result)
    assert f"index of their shares is {jain:.3f}" in told
    for column in ("goodput_mbps", "rtt_p50_ms", "rtt_p95_ms", "retransmissions"):
        assert style.heading(column) in told.replace("\u00ad", "")
        for value in result.flows[column]:
            assert f'data-value="{value!r}"' in told
    assert "1 of 1 expectation" not in told
    assert "1 expectation of the scenario met" in told


def test_the_picture_of_a_run_is_its_goodput_over_time(result, html):
    told = first(html)
    assert told.count('<path class="line') == 2 + 2
    assert ">goodput, Mbit/s</p>" in told
    assert ">time, s</text>" in told


def test_without_samples_the_picture_is_of_round_trip_times():
    result = acklab.load(SHARED).run()
    told = first(run_report(recorded(result)))
    assert ">RTT, ms</p>" in told
    assert "--record all" in told
    points = re.findall(r'<path class="mark l0" d="M[\d.]+ ([\d.]+)', told)[:4]
    # Percentiles rise: a smaller y is further up.
    assert [float(p) for p in points] == sorted(map(float, points), reverse=True)


def test_the_columns_of_the_first_table_can_be_chosen(acklab_cli, result, tmp_path):
    told = first(run_report(recorded(result), ["acked_mbps", "jain"]))
    heads = re.findall('<th scope="col">(.*?)</th>', told)
    assert heads == ["flow", "controller", "acked, Mbit/s", "Jain&#x27;s index"]
    assert acklab_cli("new", "first.toml").returncode == 0
    assert acklab_cli("run", "first.toml", "--out", "r").returncode == 0
    done = acklab_cli("report", "r", "-m", "acked_mbsp")
    assert done.returncode == 1
    assert "did you mean acked_mbps?" in done.stderr
    assert acklab_cli("report", "r", "-m", "acked_mbps").stdout == "r/report.html\n"


def test_details_are_folded_and_every_word_is_defined(html):
    folds = html[html.index('class="folds"') :]
    assert folds.count("<summary><h2>") == folds.count("<section id=")
    assert "<details open" not in html
    assert "In-order payload that the receiving application read" in folds
    assert re.search(r"<td><code>rtt_p95_ms</code></td>\s*<td>ms</td>", folds)
    # No table has a column called as programs call it.
    tables = html[: html.index('id="words"')]
    assert not re.search(r"<t[hd][^>]*>(goodput_<wbr>mbps|goodput_mbps)<", tables)


def test_numbers_have_as_many_digits_as_are_read():
    values = [None, 1234567, 999, 41168088.0, 9.637306, 1234.5, True, float("nan"), 0.00051234]
    assert [shown(v) for v in values] == [
        *("", "1,234,567", "999", "41,168,088", "9.637", "1,234", "yes", "", "0.0005123"),
    ]
    halves = [(0.0, 1.0), (0.0688, 9.0), (0.000013, 0.002), (0.00052, 1.9), (12.34, 100.0)]
    assert [spread(*h) for h in halves] == ["0", "0.069", "0.000013", "0.0005", "12"]


def test_the_uses_of_a_radio_channel_are_told_first():
    result = acklab.load(ROOT / "scenarios/wifi-station.toml", overrides={"duration": "3 s"}).run()
    air = result.airtime
    idle = air.filter(pl.col("use") == "idle")["airtime_s"].sum() / air["airtime_s"].sum()
    told = first(run_report(recorded(result)))
    assert f"was in use {100 * (1 - idle):.0f} % of the time" in told
    assert re.search(r"the radio channel <code>[\w-]+</code> \(802\.11\w+\)", told)


def test_many_values_of_a_key_have_round_marks_on_an_axis(tmp_path):
    from acklab.report.swept import sweep_report

    def marks(values):
        made = swept(tmp_path / values, grid={"q:topology.bottleneck.queue": values}, seeds=1)
        told = sweep_report(made)
        return re.findall(r'text-anchor="middle">([\d.]+)</text>', told[: told.index('id="cells"')])

    assert marks("1..41 packets") == ["10", "20", "30", "40"]
    # Powers keep themselves, as far as there is room.
    assert marks("1..4096*2 packets")[:4] == ["1", "2", "4", "8"]


def test_columns_are_called_with_their_units():
    names = ("rtt_p95_ms", "goodput_mbps", "acks_per_s", "segments_per_ack", "cc", "rtos")
    assert [style.heading(n) for n in names] == [
        *("RTT p95, ms", "goodput, Mbit/s", "ACKs per s", "segments per ACK", "controller", "RTOs"),
    ]


def test_a_run_in_memory_and_its_folder_have_the_same_page(result, tmp_path):
    from acklab.saving import save

    save(result, tmp_path, "acklab run shared.toml")
    assert run_report(recorded(acklab.open(tmp_path))) == run_report(recorded(result))


@pytest.fixture(scope="module")
def pages(tmp_path_factory, result):
    """The page of a run with everything recorded, and of a sweep."""
    at = tmp_path_factory.mktemp("pages")
    run = write_run_report(result, at / "run.html")
    sweep = swept(at / "s")
    from acklab.report.swept import write_sweep_report

    return {"run": run, "sweep": write_sweep_report(sweep, sweep.folder / "report.html")}


@pytest.fixture
def opened(open_page, pages):
    """Opens the page of a kind."""
    return lambda kind, anchor="", **more: open_page(pages[kind].as_uri() + anchor, **more)


@in_a_browser
@pytest.mark.parametrize("kind", ["run", "sweep"])
def test_the_answer_and_a_picture_are_on_the_first_screen(opened, kind):
    tab = opened(kind)
    for part in ("h1", ".answer", ".picture svg", "table"):
        box = tab.locator(part).first.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900, part
    # The button of the colours covers nothing.
    button = tab.locator(".theme").bounding_box()
    svg = tab.locator(".picture svg").first.bounding_box()
    assert button["y"] + button["height"] <= svg["y"] + 10


@in_a_browser
@pytest.mark.parametrize("kind", ["run", "sweep"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_fits_and_is_accessible(opened, kind, colours):
    tab = opened(kind, color_scheme=colours)
    opens = "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
    for width in (400, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.evaluate(opens)
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        assert tab.locator("svg[role=img]:not([aria-label])").count() == 0
    if find_spec("axe_playwright_python") is None:
        pytest.skip("axe-playwright-python is not installed")
    package = Path(find_spec("axe_playwright_python").origin).parent
    tab.evaluate((package / "axe.min.js").read_text())
    found = tab.evaluate("axe.run()")["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []


@in_a_browser
def test_a_link_opens_the_series(opened):
    tab = opened("run", "#series")
    assert tab.locator("#series > details").evaluate("d => d.open")
    tab.locator("#series canvas").first.wait_for()
    assert abs(tab.locator("#series").bounding_box()["y"]) < 20
    # A section that nobody asked for stays folded.
    assert not tab.locator("#flows > details").evaluate("d => d.open")


@in_a_browser
def test_sections_are_unfolded_with_the_keyboard(opened):
    tab = opened("run")
    summary = tab.locator("#links summary").first
    summary.focus()
    tab.keyboard.press("Enter")
    assert tab.locator("#links table").is_visible()


def cells(tab):
    return [r.get_attribute("data-keys") for r in tab.locator("#cells tbody tr:visible").all()]


@in_a_browser
def test_cells_are_filtered_by_key_and_sorted(opened):
    tab = opened("sweep")
    every = cells(tab)
    assert len(every) == 4
    tab.get_by_role("searchbox").fill("flow.0.cc=bbr3")
    assert cells(tab) == [k for k in every if "bbr3" in k]
    tab.get_by_role("searchbox").fill("flow.0.cc=bbr3 rate=4Mbit/s")
    assert cells(tab) == ["flow.0.cc=bbr3\nrate=4Mbit/s"]
    assert tab.locator("#cells .filter output").inner_text() == "1 of 4 shown"
    # The command in a row is no word of it.
    tab.get_by_role("searchbox").fill("record")
    assert cells(tab) == []
    tab.get_by_role("searchbox").fill("")
    head = tab.locator("#cells thead").get_by_role("button", name="goodput")
    head.click()
    values = "rows => rows.map((r) => Number(r.cells[3].dataset.value))"
    goodputs = tab.locator("#cells tbody tr").evaluate_all(values)
    assert goodputs == sorted(goodputs)
    assert len(set(goodputs)) > 1
    assert tab.locator("#cells thead th").last.locator("button").count() == 0


@in_a_browser
@pytest.mark.parametrize(("kind", "words"), [("run", "Flows"), ("sweep", "Every cell")])
def test_on_paper_nothing_is_cut(opened, kind, words):
    pymupdf = pytest.importorskip("pymupdf")
    tab = opened(kind)
    tab.locator("#flows summary, #grid summary").first.click()
    with pymupdf.open(stream=tab.pdf(format="A4"), filetype="pdf") as paper:
        width = paper[0].rect.width
        found = [w for sheet in paper for w in sheet.get_text("words")]
        text = " ".join(w[4] for w in found)
        assert max(w[2] for w in found) < width - 20
        assert len(paper) <= 4
    assert words in text
    assert "On paper are the sections that were unfolded." in text
    # A folded section stays away.
    assert "How this was made" not in text


def test_the_two_pages_share_the_look_of_studies():
    assets = Path(acklab.__file__).parent / "report" / "assets"
    house = (assets / "house.css").read_text()
    for name in ("page.css", "paper.css"):
        own = re.findall(r"(--[a-z]\w*): light-dark", (assets / name).read_text())
        assert not set(own) & set(re.findall(r"(--[a-z]\w*): light-dark", house))
    assert pl.Series(["--paper", "--ink", "--link"]).is_in(re.findall(r"--\w+", house)).all()
