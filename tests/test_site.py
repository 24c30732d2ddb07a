"""The web site of the documentation: it builds, and its generated pages say everything."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import types
from html import unescape

import pytest

import acklab
from acklab.glossary import terms
from acklab.metrics import DEFINITIONS
from acklab.metrics.words import VOCABULARIES
from conftest import ROOT, in_a_browser

pytest.importorskip("mkdocs")
pytest.importorskip("material")
pytest.importorskip("mkdocs_gen_files")

from mkdocs.exceptions import PluginError

_spec = importlib.util.spec_from_file_location("figures", ROOT / "docs/figures.py")
figures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(figures)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built from a copy of nothing but the working tree, without a warning."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    return folder


def code(page):
    """The words in the typeface of code; `feedback.every` shows `feedback` and `every`."""
    shown = {unescape(c) for c in re.findall(r"<code>(.*?)</code>", page.read_text(), re.DOTALL)}
    return shown | {part for c in shown if re.fullmatch(r"[\w.]+", c) for part in c.split(".")}


def test_every_page_of_the_docs_is_in_the_navigation(site):
    home = (site / "index.html").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert f'href="{name}"' in home, name


def test_the_reference_has_every_term_under_a_heading_that_links_lead_to(site):
    page = (site / "reference/terms.html").read_text()
    found = re.findall(r'<h3 id="([^"]+)">(.*?)<a class="headerlink"', page)
    assert [unescape(name) for _, name in found] == [t.name for t in terms()]
    assert {"bdp", "delayed-ack", "probe_rtt"} <= {anchor for anchor, _ in found}


def test_the_reference_has_every_metric(site):
    assert set(DEFINITIONS) <= code(site / "reference" / "metrics.html")


def test_the_reference_has_every_event_and_reason(site):
    words = {name for v in VOCABULARIES for name in v.names}
    assert words <= code(site / "reference" / "events.html")


def test_the_reference_has_the_examples_of_every_command(site):
    from acklab.cli import COMMANDS

    page = (site / "reference" / "cli.html").read_text()
    text = unescape(re.sub(r"<[^>]+>", "", page))
    assert "[bold]" not in text
    for _, name, _, examples in COMMANDS:
        assert all(example in text for example in examples), name


@pytest.mark.parametrize("group", ["study", "tack"])
def test_the_reference_has_every_command_within_a_command(group, site):
    from acklab import cli

    app = getattr(cli, group).app
    page = (site / "reference" / "cli.html").read_text()
    text = unescape(re.sub(r"<[^>]+>", "", page))
    listed = text[text.index(f"$ acklab {group} [OPTIONS] COMMAND") :]
    for command in app.registered_commands:
        name = command.callback.__name__
        assert f'id="acklab-{group}-{name}"' in page
        # Its own sentence, not that of the command `new` or `report` of the same name.
        first = command.callback.__doc__.partition("\n")[0].replace("`", "")
        assert f"{name}: {first}" in listed
    assert f"{group}: {app.info.help}" in text


def test_the_reference_has_the_examples_of_commands_within_a_command(site):
    page = (site / "reference" / "cli.html").read_text()
    text = unescape(re.sub(r"<[^>]+>", "", page))
    assert "acklab study cell aggregation one" in text
    assert "acklab tack send FILE --to HOST --key KEY" in text


def keys_of(schema):
    """The names of all properties at any depth."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        yield from properties if isinstance(properties, dict) else ()
        for value in schema.values():
            yield from keys_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys_of(value)


def test_the_reference_has_every_key_of_a_scenario(site):
    schema = json.loads((ROOT / "docs/schema/scenario.schema.json").read_text())
    blocks = ("Transport", "CongestionControl", "AckPolicy", "AckFilter", "QueueDiscipline")
    more = ("InnerDiscipline", "RateControl", "StationQueue", "PathLoss", "Fading")
    for block in (*blocks, *more):
        # The parameters of blocks are on the page of building blocks.
        there = set(keys_of(schema["$defs"].pop(block))) - {"name"}
        assert there <= code(site / "reference" / "blocks.html"), block
    bounds = {"min", "max"}
    assert set(keys_of(schema)) - bounds <= code(site / "reference" / "scenario-keys.html")


def test_links_within_the_generated_pages_lead_somewhere(site):
    for page in (site / "reference").glob("*.html"):
        text = page.read_text()
        body = text[text.index("<article") : text.index("</article>")]
        for target in re.findall(r'href="([^"#:]*#[^"]+)"', body):
            file, _, place = target.partition("#")
            other = (page.parent / file).read_text() if file else text
            assert f'id="{place}"' in other, (page.name, target)


#: Each page of the concepts has the live figure that it explains, and so has the guide to Wi-Fi.
FIGURES = {
    "concepts/acknowledgements": ("bbr-start", "Why BBR's start breaks when ACKs bunch"),
    "concepts/filters": ("ack-filters", "Four filters in front of a thin line"),
    "concepts/tack": ("tack", "Delayed ACK against TACK"),
    "concepts/queues": ("cake-hosts", "CAKE and two hosts"),
    "concepts/profiles": ("profiles", "One scenario, two TCPs"),
    "concepts/trust": ("seeds", "One run is one draw"),
    "concepts/speed": ("speed", "A minute of network in this page"),
    "guides/wifi": ("ampdu", "A-MPDU and ACK contention"),
}


def test_each_page_of_the_concepts_asks_for_its_figure():
    concepts = {f"concepts/{page.stem}" for page in (ROOT / "docs/concepts").glob("*.md")}
    assert concepts <= set(FIGURES)
    for page, (figure, title) in FIGURES.items():
        assert f"<!-- figure: {figure} -->" in (ROOT / "docs" / f"{page}.md").read_text()
        assert figures.titles()[figure] == title


def test_a_figure_that_the_bench_does_not_have_is_an_error():
    page = types.SimpleNamespace(file=types.SimpleNamespace(src_uri="a.md", url="a.html"))
    with pytest.raises(PluginError, match="there is no figure 'tuck'"):
        figures.on_page_markdown("<!-- figure: tuck -->", page=page)


@pytest.fixture
def frame(site, browser, request):
    """The figure of a page of the site, opened from its folder, and the page around it."""
    if not (site / "bench/index.html").exists():
        pytest.skip("the bench is not built: make web")
    heard = []
    context = browser.new_context(viewport={"width": request.param[1], "height": 900})
    page = context.new_page()
    page.on("console", lambda m: heard.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda r: heard.append(r.url) if r.url.startswith("http") else None)
    page.goto((site / f"{request.param[0]}.html").as_uri())
    around = page.locator("iframe.live-figure")
    around.scroll_into_view_if_needed()
    inside = page.frame_locator("iframe.live-figure")
    inside.locator(".figure[aria-busy=false]").wait_for(timeout=60_000)
    yield page, around, inside
    context.close()
    assert heard == []


wide = [(page, 1280) for page in FIGURES]


@in_a_browser
@pytest.mark.parametrize("frame", wide, indirect=True, ids=FIGURES)
def test_a_live_figure_runs_in_its_page_without_a_network(frame, request):
    _, around, inside = frame
    name, title = FIGURES[request.node.callspec.params["frame"][0]]
    assert inside.locator("h1").inner_text() == title
    cells = inside.locator("td.now").all_inner_texts()
    assert cells
    assert all(re.match(r"[\d,.]+$", cell) for cell in cells), cells
    # As high as what it shows.
    high = inside.locator("#page").evaluate("e => e.getBoundingClientRect().height")
    assert abs(around.bounding_box()["height"] - high) <= 2
    # Each knob runs something else.
    for knob in inside.locator(".knob").all():
        before = inside.locator("td.now").all_inner_texts()
        knob.locator("button[aria-pressed=false]").first.click()
        inside.locator(".figure[aria-busy=false]").wait_for(timeout=120_000)
        assert inside.locator("td.now").all_inner_texts() != before, (name, knob.inner_text())
    assert not inside.get_by_role("alert").count()


@in_a_browser
@pytest.mark.parametrize("frame", [("concepts/tack", 400)], indirect=True)
def test_a_live_figure_is_dark_in_a_dark_page_and_fits_a_narrow_one(frame):
    page, _, inside = frame
    assert inside.locator("html").get_attribute("data-theme") == "light"
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    inside.locator("html[data-theme=dark]").wait_for(state="attached")
    wide = inside.locator("html").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert wide[0] <= wide[1]


@in_a_browser
@pytest.mark.parametrize("frame", [("concepts/tack", 1280)], indirect=True)
def test_a_live_figure_has_the_native_numbers_and_opens_in_the_bench(frame):
    page, _, inside = frame
    with page.context.expect_page() as opened:
        inside.get_by_role("link", name="Open in the bench").click()
    bench = opened.value
    bench.wait_for_function(
        "() => /ms$/.test(document.querySelector('.took')?.textContent ?? '')", timeout=60_000
    )
    text = bench.locator(".paper textarea").input_value()
    flows = acklab.load(tomllib.loads(text)).run(1).flows
    assert 'transport = "tack"' in text
    shown = inside.locator("[data-metric=goodput] td.now").last.inner_text()
    assert float(shown) == round(flows["goodput_mbps"].sum(), 2)
    shown = inside.locator("[data-metric=ack_rate] td.now").last.inner_text()
    assert float(shown) == round(flows["acks_per_s"].sum())
    bench.close()
