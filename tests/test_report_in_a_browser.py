"""The report in Chromium: offline, no errors, filter, sorting and charts work."""

import polars as pl
import pytest

from acklab import report
from conftest import in_a_browser

pytest.importorskip("playwright.sync_api")
pytestmark = in_a_browser


#: A line that no phone is wide enough for.
LONG = f"```\n{'x' * 200}\n```"


def a_page(folder):
    table = pl.DataFrame({"cc": ["a", "b", "c", "d"], "mbps": [9.5, None, 10.25, 1.0]})
    xs = [i / 100 for i in range(2000)]
    lines = [
        report.Line(n, xs, [(i * k) % 97 for i in range(2000)]) for n, k in (("a", 1), ("b", 3))
    ]
    verdicts = ("reproduced", "partly", "not", "not")
    claims = [
        report.Claim(str(i), f"Sentence {i}.", "4.1", v, "ours", "why", "f", {"paper": i * 1.5})
        for i, v in enumerate(verdicts)
    ]
    svg = folder / "f.svg"
    svg.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="50"></svg>')
    sections = [
        report.Section("Table", table=table, name="t"),
        report.Section(
            "Figure",
            figure=report.Picture(svg, "a figure"),
            name="f",
            series=report.Chart("saw", "time, s", "y", lines),
        ),
        report.Section("Chart", series=report.Chart("saw again", "time, s", "y", lines, "step")),
        report.Section("States", series=bars(), name="states"),
        report.Section("Air", series=air(3), name="air"),
        report.Section("Crowd", series=air(20), name="crowd"),
        report.Section("Map", series=heat_map(), name="map"),
        report.Section("Wide", table=pl.DataFrame({f"column_{i}": [i] for i in range(60)})),
        report.Section("Long", LONG, table=pl.DataFrame({"n": range(90)}), name="long"),
    ]
    return report.save(report.build("A study", claims, sections), folder / "report.html")


def bars():
    """A flow of two states for 4 s each, and one that begins later."""
    spans = pl.DataFrame(
        {
            "flow": ["one", "one", "two"],
            "state": ["STARTUP", "DRAIN", "open"],
            "start_s": [0.0, 4.0, 6.0],
            "end_s": [4.0, 8.0, 8.0],
        }
    )
    colours = {"STARTUP": "#0072b2", "DRAIN": "#d55e00", "open": "#bdbdbd"}
    return report.Bars("States", "time, s", spans, colours, colours)


def air(stations):
    """Each station sends for half a millisecond, every other one noise; each bar has words."""
    times = [float(i) for i in range(stations)]
    spans = pl.DataFrame(
        {
            "flow": [f"sta{i}" for i in range(stations)],
            "state": ["data" if i % 2 else "noise" for i in range(stations)],
            "start_s": times,
            "end_s": [t + 0.5 for t in times],
            "about": [f"to ap, MPDUs: {i}" for i in range(stations)],
        }
    )
    colours = {"data": "#0072b2", "noise": "#d55e00"}
    label, note = f"time of {stations}, ms", "Every PPDU."
    return report.Bars("Air", label, spans, colours, colours, "ms", note, {"noise": 0.5})


def heat_map():
    """Three by two cells, one without a value; a second measure is ten times the first."""
    cells = [
        {"panel": "", "x": f"x{i}", "y": f"y{j}", "measure": m, "mean": v, "half": 0.5}
        for k, m in ((1, "one"), (10, "ten"))
        for i in range(3)
        for j in range(2)
        for v in [None if (i, j) == (2, 1) else k * (i + 3.0 * j)]
    ]
    return report.HeatMap("Map", "x", "y", pl.DataFrame(cells), note="A note.")


@pytest.fixture
def opened(open_page, tmp_path):
    """The page, opened."""
    return open_page(a_page(tmp_path).as_uri())


def column(page, selector, i):
    rows = page.locator(f"{selector} tbody tr").all()
    return [r.locator("td, th").nth(i).inner_text() for r in rows if r.is_visible()]


def test_claims_are_filtered_by_verdict_and_by_words(opened):
    rows = opened.locator("#claims tbody tr")
    assert rows.count() == 4
    opened.get_by_role("button", name="not 2").click()
    assert [r.get_attribute("id") for r in rows.all() if r.is_visible()] == ["claim-2", "claim-3"]
    opened.get_by_role("searchbox").fill("sentence 3")
    assert [r.get_attribute("id") for r in rows.all() if r.is_visible()] == ["claim-3"]
    assert opened.locator("#claims output").inner_text() == "1 of 4 shown"
    opened.get_by_role("searchbox").fill("")
    opened.get_by_role("button", name="all 4").click()
    assert sum(r.is_visible() for r in rows.all()) == 4


def test_tables_are_sorted_as_numbers_with_the_empty_last(opened):
    head = opened.locator("#t thead").get_by_role("button", name="mbps")
    head.click()
    assert column(opened, "#t", 0) == ["d", "a", "c", "b"]
    assert opened.locator("#t th[aria-sort]").get_attribute("aria-sort") == "ascending"
    head.click()
    assert column(opened, "#t", 0) == ["c", "a", "d", "b"]


def test_charts_are_drawn_and_zoomed(opened):
    assert opened.locator("#f canvas").count() == 0
    opened.get_by_text("Interactive").click()
    opened.locator("#f canvas").wait_for()
    before = opened.locator("#f canvas").evaluate("c => c.toDataURL()")
    opened.locator("#f").get_by_role("button", name="Zoom in").click()
    opened.wait_for_timeout(100)
    zoomed = opened.locator("#f canvas").evaluate("c => c.toDataURL()")
    assert zoomed != before
    opened.locator("#f").get_by_role("button", name="Show everything").click()
    opened.wait_for_timeout(100)
    assert opened.locator("#f canvas").evaluate("c => c.toDataURL()") == before


def test_it_follows_the_system_into_the_dark_and_the_reader_out_of_it(opened):
    def paper():
        return opened.evaluate("getComputedStyle(document.body).backgroundColor")

    assert paper() == "rgb(255, 255, 255)"
    opened.emulate_media(color_scheme="dark")
    assert paper() == "rgb(20, 23, 26)"
    opened.get_by_role("button", name="Show in light colours").click()
    assert paper() == "rgb(255, 255, 255)"


def test_it_fits_a_phone(opened):
    opened.set_viewport_size({"width": 360, "height": 700})
    opened.locator("#chart .plot").scroll_into_view_if_needed()
    opened.locator("#chart canvas").wait_for()
    assert opened.evaluate("document.documentElement.scrollWidth") == 360


def test_it_is_accessible(opened):
    assert opened.locator("img:not([alt])").count() == 0
    assert opened.locator("table").count() == opened.locator("table caption").count()
    assert opened.locator("thead th:not([scope=col])").count() == 0
    assert opened.evaluate("document.documentElement.lang") == "en"


def middle(page, chart, share, row, rows):
    """Moves the pointer to a share of the width of a plot and to the middle of a row."""
    over = page.locator(f"#{chart} .u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.move(box["x"] + share * box["width"], box["y"] + (row + 0.5) / rows * box["height"])


def test_a_bar_tells_its_state_and_times(opened):
    opened.locator("#states").scroll_into_view_if_needed()
    legend = opened.locator("#states .u-legend")
    # Nearer to the beginning of the next bar, and still within the first.
    middle(opened, "states", 0.45, 0, 2)
    assert "STARTUP, 0 s to 4 s" in legend.inner_text()
    assert "none" in legend.locator(".u-series").nth(2).inner_text()
    middle(opened, "states", 0.9, 1, 2)
    assert "DRAIN, 4 s to 8 s" in legend.inner_text()
    assert "open, 6 s to 8 s" in legend.inner_text()
    assert opened.locator("#states .key li").all_inner_texts() == ["STARTUP", "DRAIN", "open"]
    middle(opened, "states", 0.01, 0, 2)
    assert time_of(legend) == 0
    opened.locator("#states").get_by_role("button", name="Zoom in").click()
    opened.wait_for_timeout(100)
    middle(opened, "states", 0.9, 0, 2)
    # The middle half is shown now: the same place is before the second flow began.
    assert (time_of(legend), "none" in legend.inner_text()) == (4, True)


def test_a_bar_tells_more_if_there_is_more(opened):
    opened.locator("#air").scroll_into_view_if_needed()
    middle(opened, "air", 1.25 / 2.5, 1, 3)
    entries = opened.locator("#air .u-legend .u-series").all_inner_texts()
    assert [e.replace("\n", "") for e in entries[1:]] == [
        "sta0none",
        "sta1data to ap, MPDUs: 1, 1 ms to 1.5 ms",
        "sta2none",
    ]
    assert "Every PPDU." in opened.locator("#air").inner_text()


def test_of_many_rows_the_legend_names_those_with_something(opened):
    opened.locator("#crowd").scroll_into_view_if_needed()
    middle(opened, "crowd", 5.25 / 19.5, 5, 20)
    entries = opened.locator("#crowd .u-legend .u-series")
    shown = [e.inner_text().replace("\n", "") for e in entries.all() if e.is_visible()]
    assert shown[1:] == ["sta5data to ap, MPDUs: 5, 5 ms to 5.5 ms"]
    assert entries.count() == 21


def time_of(legend):
    return float(legend.locator(".u-value").first.inner_text())


def test_a_cell_of_a_heat_map_tells_its_value(opened):
    opened.locator("#map").scroll_into_view_if_needed()
    canvas = opened.locator("#map canvas")
    canvas.wait_for()
    canvas.scroll_into_view_if_needed()
    read = opened.locator("#map output")
    canvas.focus()
    # The arrow keys begin at the upper left: the first of x, the last of y.
    opened.keyboard.press("ArrowRight")
    assert read.inner_text() == "x = x0 · y = y1: 3 ± 0.5"
    opened.keyboard.press("ArrowDown")
    assert read.inner_text() == "x = x0 · y = y0: 0 ± 0.5"
    opened.get_by_label("Measure").select_option("ten")
    opened.keyboard.press("Escape")
    canvas.focus()
    opened.keyboard.press("ArrowRight")
    assert read.inner_text() == "x = x1 · y = y0: 10 ± 0.5"
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("ArrowUp")
    assert read.inner_text() == "x = x2 · y = y1: no value"
    assert opened.locator("#map .scale").inner_text().split() == ["ten", "0", "40"]


def test_a_heat_map_is_zoomed_by_dragging(opened):
    opened.locator("#map").scroll_into_view_if_needed()
    canvas = opened.locator("#map canvas")
    canvas.wait_for()
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    read = opened.locator("#map output")
    right, top = box["x"] + box["width"] - 20, box["y"] + 10
    opened.mouse.move(right - box["width"] / 3, top)
    assert read.inner_text().startswith("x = x1 · y = y1")
    opened.mouse.down()
    opened.mouse.move(right, top)
    opened.mouse.up()
    # The two cells fill the width now.
    opened.mouse.move(box["x"] + box["width"] / 4, top)
    assert read.inner_text().startswith("x = x1 · y = y1")
    opened.locator("#map").get_by_role("button", name="Show everything").click()
    opened.mouse.move(box["x"] + box["width"] / 4, top)
    assert read.inner_text().startswith("x = x0 · y = y1")


def test_a_peak_beyond_the_scale_comes_into_view_when_zoomed(browser, tmp_path):
    xs = [i / 10 for i in range(1000)]
    line = report.Line("l", xs, [900.0 if i == 5 else 2.0 + i % 2 for i in range(1000)])
    section = report.Section("S", series=report.Chart("c", "x", "y", [line]), name="s")
    html = report.build("A", [], [section])
    assert "A peak of 900 is beyond the scale" in html
    page = browser.new_page()
    page.goto(report.save(html, tmp_path / "p.html").as_uri())
    page.locator("#s canvas").wait_for()
    drawn = "() => document.querySelector('#s canvas').toDataURL()"
    whole = page.evaluate(drawn)
    box = page.locator("#s .u-over").bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 20, box["y"] + 50)
    page.mouse.up()
    page.wait_for_timeout(100)
    assert page.evaluate(drawn) != whole
    page.close()


def test_on_paper_nothing_is_cut_or_dark(opened):
    pymupdf = pytest.importorskip("pymupdf")
    opened.emulate_media(color_scheme="dark")
    with pymupdf.open(stream=opened.pdf(format="A4"), filetype="pdf") as paper:
        words = [w for sheet in paper for w in sheet.get_text("words")]
        width = paper[0].rect.width
        # The last column of the widest table is on the sheet, within its margins.
        (last,) = [w for w in words if w[4] in ("column_59", "59") and w[4] != "59"] or [
            next(w for w in words if w[4] == "59")
        ]
        assert 30 < last[0] < last[2] < width - 30
        text = "".join(sheet.get_text() for sheet in paper)
        assert "On paper the first 40 of 90 rows" in text.replace("\n", " ")
        image = paper[0].get_pixmap(dpi=40)
        assert image.pixel(1, 1) == (255, 255, 255)
        assert image.pixel(image.width // 2, image.height - 2) == (255, 255, 255)
    # No row of a long table beyond the fortieth.
    shown = "() => [...document.querySelectorAll('#long tbody tr')].filter(r => r.offsetHeight)"
    opened.emulate_media(media="print")
    assert opened.evaluate(f"({shown})().length") == 40
    opened.emulate_media(media="screen")
    assert opened.evaluate(f"({shown})().length") == 90
