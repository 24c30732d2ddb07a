"""The report in Chromium: offline, no errors, filter, sorting and charts work."""

import os
import shutil

import polars as pl
import pytest

from acklab import report

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")


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
    ]
    return report.save(report.build("A study", claims, sections), folder / "report.html")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as p:
        # As root, as in containers, Chromium starts without its sandbox only.
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        with p.chromium.launch(executable_path=CHROMIUM, args=args) as browser:
            yield browser


@pytest.fixture
def opened(browser, tmp_path):
    """The page, opened; at the end there were no errors and nothing was asked of a network."""
    heard = []
    page = browser.new_page()
    page.on("console", lambda m: heard.append((m.type, m.text)))
    page.on("pageerror", lambda e: heard.append(("error", str(e))))
    page.on("request", lambda r: heard.append(r.url) if r.url.startswith("http") else None)
    page.goto(a_page(tmp_path).as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    yield page
    page.close()
    assert heard == []


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
