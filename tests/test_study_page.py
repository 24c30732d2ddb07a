"""The page of a study: what is on it, and that it works in Chromium."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import kit_study
from acklab.report.paper import claims as claims_of_page
from acklab.report.paper.states import states
from acklab.studies.kit import folder, make, page
from acklab.studies.kit.made import seal
from acklab.studies.study import Effort
from conftest import in_a_browser


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The study and the folder of its results."""
    at = tmp_path_factory.mktemp("page")
    study = folder.load(kit_study.write(at))
    make.make(study, Effort(2, quick=True), at / "out", jobs=2)
    return study, at / "out" / "thinned"


@pytest.fixture(scope="module")
def html(made):
    return (made[1] / "report.html").read_text()


def test_the_first_screen_answers(html):
    order = (
        "Does it cost throughput to send fewer ACKs?",
        "Quick: short runs",
        '<figure class="picture">',
        'class="tally"',
        "It changes no verdict",
        'id="claims"',
        'id="section-1"',
        'id="explained"',
        'id="judging"',
        'id="words"',
    )
    at = [html.index(words) for words in order]
    assert at == sorted(at)
    # What the whole study has shown is not said of short runs.
    assert "At 4:1 CUBIC has" not in html
    assert 'class="because"' not in html


def test_nothing_is_asked_of_a_network_and_it_is_small(html):
    assert len(html.encode()) < page.MOST_BYTES
    for address in re.findall(r'(?:href|src)="([^"]*)"', html):
        assert address.startswith(("#", "data:")) or "://" not in address, address
    assert "@import" not in html
    assert "url(http" not in html


def test_every_link_into_the_page_leads_somewhere(html):
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', html)) <= set(ids)
    assert {"claim-F1-rtt", "claim-falls", "claim-cubic-keeps"} <= set(ids)


def test_links_to_files_beside_the_page_lead_somewhere(made, html):
    files = set(re.findall(r'href="([^"#:]+)"', html))
    assert "table1.csv" in files
    assert all((made[1] / f).exists() for f in files)
    cells = set(re.findall(r'href="(cells/[^"#]+)#series"', html))
    # A cell's page is written by the command beside the link.
    assert cells
    assert not any((made[1] / f).exists() for f in cells)
    for cell in cells:
        assert re.search(rf"give the command [^.]*?\. It writes <a href=.{cell}", html)


def test_what_a_study_says_is_shown_and_not_obeyed(html):
    assert "The &lt;b&gt;round-trip time&lt;/b&gt; hardly" in html


def test_a_cell_has_every_source_and_its_distance_from_the_paper(html):
    table = html[html.index('id="table1"') : html.index('id="fig1"')]
    assert 'title="1:1, CUBIC, paper: 9.40 Mbit/s"' in table
    row = re.search(r'<tr data-source="paper".*?</tr>', table, re.DOTALL)[0]
    assert [t for t in ("9.40", "9.20") if t not in row] == []
    ours = re.search(r'<tr data-source="acklab-linux".*?</tr>', table, re.DOTALL)[0]
    assert re.search(r'class="number d\d"', ours)
    assert re.search(r"95 % interval [\d.]+ to [\d.]+, 2 runs, [\d.]+ % (above|below)", ours)
    again = "acklab study cell thinned main setup=linux cc=cubic ratio=1"
    assert f'data-again="{again}"' in ours
    # A set-up that only explains is no part of the paper's table.
    assert "acklab-plain" not in table


def test_a_table_that_names_its_set_up_shows_that_one(html):
    table = html[html.index('id="table3"') :]
    table = table[: table.index("</table>")]
    assert 'data-source="acklab-plain"' in table
    assert "acklab-linux" not in table


def test_the_same_numbers_give_the_same_page(made, html):
    study, out = made
    make.tell_again(study, out.parent)
    assert (out / "report.html").read_text() == html


def test_results_of_another_version_are_called_so(made):
    study, out = made
    kept = (out / "made.json").read_text()
    try:
        (out / "made.json").write_text(kept.replace('"version": "', '"version": "9.'))
        seal(out)
        told = make.tell_again(study, out.parent).report.read_text()
        assert "These results were made by acklab 9." in told
        (out / "made.json").write_text(re.sub(r'"cells": "\w+"', '"cells": "0"', kept))
        seal(out)
        told = make.tell_again(study, out.parent).report.read_text()
        assert "cells or quantities were changed" in told
    finally:
        (out / "made.json").write_text(kept)
        seal(out)
    assert "These results were made" not in make.tell_again(study, out.parent).report.read_text()


def test_a_text_that_rests_on_another_verdict_is_left_out(made):
    study, out = made
    answer = study.path / "text" / "answer.md"
    kept = answer.read_text()
    about = out / "made.json"
    noted = about.read_text()
    try:
        about.write_text(noted.replace('"quick": true', '"quick": false'))
        seal(out)
        answer.write_text(f"{{{{require falls = not}}}}\n{kept}")
        told = make.tell_again(study, out.parent)
        (where,) = map(str, told.unfit)
        assert re.search(r"answer\.md:1: .*falls = not, which is now", where)
        page_ = told.report.read_text()
        assert "This text is left out" in page_
        assert "Quick: short runs" not in page_
        answer.write_text(kept)
        assert "At 4:1 CUBIC has" in make.tell_again(study, out.parent).report.read_text()
    finally:
        answer.write_text(kept)
        about.write_text(noted)
        seal(out)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([9.1, 9.2, 4.0, 4.1, 9.15], [(3, 9.15), (2, 4.05)]),
        ([9.1, 9.2, 4.0, 9.15, 9.3], []),  # one run apart is no state
        ([1.0, 2.0, 3.0, 4.0, 5.0], []),  # spread evenly
        ([100.0, 100.1, 105.0, 105.1], []),  # apart, and close all the same
        ([9.0, 4.0, 4.1], []),
        ([3.0, 3.0, 3.0, 3.0], []),
    ],
)
def test_two_states_are_told_from_scatter(values, found):
    seen = states(dict(enumerate(values, 1)))
    assert [(n, pytest.approx(m)) for n, m in found] == seen


def test_both_states_are_shown(made):
    study, _ = made
    from acklab.report.paper import tables
    from acklab.report.paper.sources import sources
    from acklab.studies.kit.fields import Field
    from acklab.studies.kit.numbers import Numbers

    cell = {("linux", "cubic", 1): {1: 9.1, 2: 9.2, 3: 9.0, 4: 4.0, 5: 4.1}}
    ours = Numbers({("main", "goodput"): Field(("setup", "cc", "ratio"), cell)})
    whose = sources(study, ours, study.setups("decides"))
    told = tables.rendered(study, study.about.table[0], whose)
    assert "9.10 <small>3 runs</small><br>4.05 <small>2 runs</small>" in told
    assert "7.08" not in told


@pytest.fixture
def opened(open_page, made):
    """The page, opened."""
    return open_page((made[1] / "report.html").as_uri())


def claims(tab):
    return [c.get_attribute("id") for c in tab.locator(".claim").all() if c.is_visible()]


@in_a_browser
def test_the_question_the_answer_a_picture_and_the_tally_are_on_the_first_screen(opened):
    for part in ("h1", ".answer", ".picture svg", ".tally"):
        box = opened.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= 900, part


@in_a_browser
def test_claims_are_filtered_by_verdict_and_by_words(opened):
    every = claims(opened)
    assert len(every) == 3
    opened.get_by_role("searchbox").fill("keeps its throughput")
    assert claims(opened) == ["claim-cubic-keeps"]
    assert opened.locator(".claim-filter output").inner_text() == "1 of 3 shown"
    # Not by the words of its folded proof, which the reader does not see.
    opened.get_by_role("searchbox").fill("the claim holds if")
    assert claims(opened) == []
    opened.get_by_role("searchbox").fill("keeps its throughput")
    # A link to a claim that is filtered out shows it.
    opened.evaluate("location.hash = '#claim-falls'")
    opened.wait_for_function("document.getElementById('claim-falls').offsetHeight > 0")
    assert claims(opened) == every
    link = opened.locator(".tally a").first
    verdict = link.get_attribute("data-verdict")
    link.click()
    shown = opened.locator(".claim:visible").all()
    assert shown
    assert {c.get_attribute("data-verdict") for c in shown} == {verdict}


@in_a_browser
def test_a_permalink_leads_to_its_claim(browser, made):
    tab = browser.new_page(viewport={"width": 1280, "height": 500})
    tab.goto((made[1] / "report.html").as_uri() + "#claim-falls")
    tab.wait_for_selector("html[data-ready]", state="attached")
    # The last claim: further down than the first screen.
    assert -1 < tab.locator("#claim-falls").bounding_box()["y"] < 500
    assert tab.evaluate("scrollY") > 0
    tab.close()


@in_a_browser
def test_topics_of_many_claims_are_folded_until_one_is_asked_for(browser, made, monkeypatch):
    study, out = made
    monkeypatch.setattr(claims_of_page, "MOST_OPEN", 2)
    folded = make.tell_again(study, out.parent).report
    tab = browser.new_page()

    def opened_at(place=""):
        tab.goto("about:blank")
        tab.goto(folded.as_uri() + place)
        tab.wait_for_selector("html[data-ready]", state="attached")
        return claims(tab)

    try:
        assert opened_at() == []
        tab.locator(".topics a").first.click()
        tab.wait_for_selector(".claim:visible")
        assert 0 < len(claims(tab)) < 3
        assert "claim-falls" in opened_at("#claim-falls")
        opened_at()
        tab.get_by_role("searchbox").fill("keeps its throughput")
        assert claims(tab) == ["claim-cubic-keeps"]
        tab.get_by_role("searchbox").fill("")
        assert claims(tab) == []
        tab.locator(".tally a").first.click()
        assert claims(tab)
    finally:
        tab.close()
        monkeypatch.undo()
        make.tell_again(study, out.parent)


@in_a_browser
def test_a_table_shows_one_source_or_all_and_reads_a_cell(opened):
    part = opened.locator(".of-table").first
    rows = part.locator("tbody tr:visible")
    before = rows.count()
    part.get_by_role("button", name="paper").click()
    assert 0 < rows.count() < before
    part.get_by_role("button", name="all").click()
    assert rows.count() == before
    part.locator("td[tabindex='0']").focus()
    read = part.locator(".read")
    assert "CUBIC, paper: 9.40 Mbit/s" in read.inner_text()
    opened.keyboard.press("ArrowDown")
    assert "95 % interval" in read.inner_text()
    assert "Again: acklab study cell thinned main" in read.inner_text()
    opened.keyboard.press("ArrowRight")
    assert "NewReno, acklab" in read.inner_text()


@in_a_browser
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_fits_and_is_accessible(opened, width, colours):
    opened.set_viewport_size({"width": width, "height": 800})
    opened.emulate_media(color_scheme=colours)
    opened.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert opened.evaluate("document.documentElement.scrollWidth") == width
    assert opened.locator("svg[role=img]:not([aria-label])").count() == 0
    if find_spec("axe_playwright_python") is None:
        pytest.skip("axe-playwright-python is not installed")
    package = Path(find_spec("axe_playwright_python").origin).parent
    opened.evaluate((package / "axe.min.js").read_text())
    found = opened.evaluate("axe.run()")["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []


@in_a_browser
def test_on_paper_nothing_is_cut(opened):
    pymupdf = pytest.importorskip("pymupdf")
    with pymupdf.open(stream=opened.pdf(format="A4"), filetype="pdf") as paper:
        width = paper[0].rect.width
        words = [w for sheet in paper for w in sheet.get_text("words")]
        assert max(w[2] for w in words) < width - 20
        text = " ".join(w[4] for w in words)
    assert "Throughput by ratio" in text
    assert "words of a claim" not in text
