"""The bench in Chromium, from the file: controls, text, links, A beside B, film, tours, labels."""

import json
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import acklab
from acklab import bench
from conftest import in_a_browser

pytest.importorskip("playwright.sync_api")

DATA = Path(acklab.__file__).parent / "data"
SCENARIOS = DATA / "scenarios"
PAGE = DATA / "bench" / "index.html"
pytestmark = [
    in_a_browser,
    pytest.mark.skipif(not PAGE.exists(), reason="the bench is not built: make web"),
]

SOUND = bench.address("", bench.scenario_of(SCENARIOS / "single-flow.toml"))[1:]
#: Presets of every kind of topology, and other values for their controls.
PRESETS = ("ack-aggregation", "tack-wifi", "wifi6-ofdma", "mixed-controllers", "wifi-dumbbell")


@pytest.fixture(scope="module")
def page(browser):
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.failures = []
    page.on("pageerror", lambda error: page.failures.append(str(error)))
    page.on("console", lambda m: page.failures.append(m.text) if m.type == "error" else None)
    page.on("request", lambda r: page.failures.append(r.url) if r.url.startswith("http") else None)
    page.goto(PAGE.as_uri())
    answered(page)
    yield page
    assert not page.failures
    context.close()


def answered(page):
    """Waits until the text that is there has run."""
    page.wait_for_function(
        "() => { const t = document.querySelector('.took')?.textContent ?? '';"
        " return /ms/.test(t) && !t.includes('…') }",
        timeout=60_000,
    )


def text_of(page):
    return page.locator(".paper textarea").input_value()


def choose(page, preset):
    page.select_option("#preset", preset)
    answered(page)


def write(page, text):
    page.locator(".paper textarea").fill(text)
    page.wait_for_timeout(50)
    page.wait_for_function("() => !document.querySelector('.took')?.textContent.includes('…')")


def metric(page, name):
    cell = page.locator(f"[data-metric='{name}'] .now")
    return float(cell.inner_text().split("±")[0].replace(",", ""))


def test_the_first_preset_runs_and_has_the_native_numbers(page):
    choose(page, "ack-aggregation")
    flows = acklab.load(SCENARIOS / "ack-aggregation.toml").run(1).flows
    assert metric(page, "goodput") == round(flows["goodput_mbps"].sum(), 2)
    assert metric(page, "rtt") == round(flows["rtt_p50_ms"].mean(), 1)
    ratio = flows["acks_received"].sum() / flows["data_segments"].sum()
    assert metric(page, "acks") == round(ratio, 3)


def inside(tree, path):
    for key in path:
        if isinstance(tree, list):
            tree = tree[int(key)]
        else:
            # A name alone is a block without parameters.
            tree = tree.get(key) if isinstance(tree, dict) else None
        if tree is None:
            return None
    return tree


#: Where a control writes, for each shape of scenario; `*` is every flow.
LINKS = {
    "dumbbell": "topology.bottleneck",
    "wlan": "topology.wire",
    "wifi-dumbbell": "topology.access",
}


def place_of(control, tree):
    if control.startswith("link."):
        return (LINKS[tree["topology"]["preset"]] + control[4:]).split(".")
    return (f"flow.0{control[4:]}" if control.startswith("flow.") else control).split(".")


def name_of(value):
    return value.get("name") if isinstance(value, dict) else value


#: Parameters of blocks that were turned in one of the presets.
TURNED: set[str] = set()


@pytest.mark.parametrize("preset", PRESETS)
def test_every_control_changes_the_scenario_as_named(page, preset):
    choose(page, preset)
    names = page.eval_on_selector_all(
        ".setup [data-control]", "all => all.map(e => e.dataset.control)"
    )
    outer = page.eval_on_selector_all(
        ".setup > fieldset > [data-control]", "all => all.map(e => e.dataset.control)"
    )
    assert len(outer) > 10
    assert len(names) > len(outer)
    text = (SCENARIOS / f"{preset}.toml").read_text()
    typed = []
    for name in names:
        if name not in outer and name in TURNED:
            continue
        TURNED.add(name)
        write(page, text)
        before = tomllib.loads(text_of(page))
        # Parameters that few turn are folded away.
        page.evaluate(
            "document.querySelectorAll('.setup details').forEach((e) => { e.open = true })"
        )
        row = page.locator(f"[data-control='{name}']")
        wanted = turned(row)
        if wanted is None:
            # A table that the text has stays the text's.
            if not isinstance(inside(before, place_of(name, before)), dict):
                typed.append(name)
            continue
        after = tomllib.loads(text_of(page))
        found = name_of(inside(after, place_of(name, after)))
        if wanted is ...:
            assert found != name_of(inside(before, place_of(name, before))), name
        else:
            assert str(found).lower() == wanted.lower(), name
    # The others take words beside numbers, or no number yet: they are typed.
    inputs = "e => e.querySelector('input[type=text]') !== null"
    assert all(page.locator(f"[data-control='{name}']").evaluate(inputs) for name in typed), typed
    assert len(typed) < len(names) / 3


def turned(row):
    """Sets the control to something else; what it should be now, `...` for anything new."""
    if (select := row.locator("select")).count():
        now = select.input_value()
        options = select.locator("option:not([disabled])").evaluate_all(
            "all => all.map(o => o.value)"
        )
        other = next(o for o in options if o != now)
        select.select_option(other)
        return other
    if (box := row.locator("input[type=checkbox]")).count():
        box.click()
        return str(box.is_checked())
    if (slider := row.locator("input[type=range]")).count() and slider.is_enabled():
        end = 1000 if int(slider.input_value()) < 500 else 0
        slider.evaluate(
            "(e, to) => { e.value = to; e.dispatchEvent(new Event('input', { bubbles: true })) }",
            end,
        )
        return ...
    return None


def test_a_slider_can_be_moved_by_keys_and_undone(page):
    choose(page, "single-flow")
    before = text_of(page)
    page.locator("[data-control='link.rate'] input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert text_of(page) != before
    page.get_by_role("button", name="Undo", exact=True).click()
    assert text_of(page) == before


def test_comments_and_order_of_the_text_stay(page):
    choose(page, "wifi-uploads")
    before = text_of(page).splitlines()
    page.locator("[data-control='wifi.down.ack_filter'] select").select_option("tac")
    after = text_of(page).splitlines()
    assert [line for line in after if line not in before] == ['ack_filter = "tac"']
    assert [line for line in before if line not in after] == []


def test_stations_and_their_flows_go_together(page):
    choose(page, "wifi-uploads")
    field = page.locator("[data-control='topology.stations'] input[type=text]")
    field.fill("7")
    field.press("Enter")
    tree = tomllib.loads(text_of(page))
    assert (tree["topology"]["stations"], tree["flow"][0]["count"]) == (7, 7)


def test_invalid_text_shows_the_tools_message_at_its_line(page):
    choose(page, "single-flow")
    wrong = text_of(page).replace('cc = "cubic"', 'cc = "qubic"')
    write(page, wrong)
    said = page.locator(".said .error")
    said.wait_for()
    with pytest.raises(acklab.ScenarioError) as native:
        acklab.load(tomllib.loads(wrong))
    message = said.inner_text()
    assert "there is no congestion controller called `qubic`" in str(native.value)
    assert "there is no congestion controller called `qubic`" in message
    assert "did you mean `cubic`?" in message
    assert "One mistake in the text" in page.locator("#pane-answers .mistakes").inner_text()
    line = next(i for i, one in enumerate(wrong.splitlines(), 1) if "qubic" in one)
    assert f"line {line}" in message
    assert page.locator(".paper .line").nth(line - 1).get_attribute("class").split()[-1] == "error"


def test_text_that_is_no_toml_is_told_and_controls_stay(page):
    choose(page, "single-flow")
    write(page, text_of(page) + "\n[[")
    page.locator(".said .error").first.wait_for()
    assert page.locator("[data-control='flow.cc'] select").is_visible()


def test_a_shared_link_restores_bit_for_bit(page, browser):
    choose(page, "wifi-uploads")
    odd = text_of(page) + "# ünïcode, tabs\t, and no newline at the end"
    write(page, odd)
    page.select_option("#seeds", "3")
    answered(page)
    page.get_by_role("button", name="Pin as A").click()
    page.locator("[data-control='wifi.mcs'] input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    page.select_option("#seeds", "1")
    answered(page)
    odd = text_of(page)
    film_at(page, 3.5)
    page.locator("summary", has_text="Share").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.keyboard.press("Escape")
    other = browser.new_page(viewport=page.viewport_size)
    other.goto(link)
    answered(other)
    assert text_of(other) == odd
    assert other.locator("#seeds").input_value() == "1"
    other.get_by_role("button", name="Unpin").wait_for()
    # Of A three seeds with their intervals, of B one; and all labels.
    table = "table.numbers :is(th, td)"
    assert any("±" in cell for cell in page.locator(table).all_inner_texts())
    assert other.locator(table).all_inner_texts() == page.locator(table).all_inner_texts()
    pixels = "document.querySelector('canvas.film')?.toDataURL()"
    other.wait_for_selector("canvas.film", timeout=60_000)
    assert film_time(other) == film_time(page)
    other.wait_for_function(f"(before) => {pixels} === before", arg=page.evaluate(pixels))
    other.wait_for_timeout(500)
    assert other.evaluate("location.hash") == link[link.index("#") :]
    other.close()
    page.get_by_role("button", name="Unpin").click()


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("toml=AAAA", "cannot be unpacked"),
        ("seeds=5", "holds no scenario"),
        (f"{SOUND}&seeds=0", "such as seeds=5"),
        (f"{SOUND}&seeds=5&seeds=6", "seeds twice"),
        (f"{SOUND}&film=soon", "such as film=12.5"),
        (f"{SOUND}&colour=red", "a field “colour”"),
    ],
)
def test_a_damaged_link_is_told(browser, fragment, said):
    other = browser.new_page()
    other.goto(f"{PAGE.as_uri()}#{fragment}")
    answered(other)
    told = other.get_by_role("alert").first.inner_text()
    assert "cannot be opened" in told
    assert said in told
    other.close()


def test_a_link_without_a_pinned_run_unpins(page, browser):
    choose(page, "single-flow")
    page.wait_for_timeout(500)
    plain = page.evaluate("location.hash")
    other = browser.new_page()
    other.goto(PAGE.as_uri())
    answered(other)
    other.get_by_role("button", name="Pin as A").click()
    other.select_option("#seeds", "3")
    other.get_by_role("button", name="Unpin").wait_for()
    other.evaluate("(to) => { location.hash = to }", plain)
    other.wait_for_function(
        "(to) => document.querySelector('textarea').value === to", arg=text_of(page)
    )
    answered(other)
    assert other.get_by_role("button", name="Unpin").count() == 0
    assert other.locator("#seeds").input_value() == "1"
    other.close()


def test_the_command_repeats_the_run(page):
    choose(page, "ack-aggregation")
    field = page.locator("[data-control='link.reverse.ack_filter.ratio'] input[type=text]")
    field.fill("8")
    field.press("Enter")
    answered(page)
    page.locator("summary", has_text="Share").click()
    command = page.get_by_label("Command", exact=True).input_value()
    page.keyboard.press("Escape")
    key = "topology.bottleneck.reverse.ack_filter.ratio"
    assert command == f"acklab run ack-aggregation --set {key}=8 --seed 1 --out results"
    native = acklab.load(SCENARIOS / "ack-aggregation.toml", overrides={key: 8}).run(1)
    assert metric(page, "goodput") == round(native.flows["goodput_mbps"].sum(), 2)


def test_a_beside_b_is_what_acklab_compare_says(page, acklab_cli):
    choose(page, "ack-aggregation")
    page.get_by_role("button", name="Pin as A").click()
    page.locator("[data-control='link.reverse.ack_filter'] select").select_option("none")
    answered(page)
    key = "topology.bottleneck.reverse.ack_filter"
    for out, sets in (("a", []), ("b", ["--set", f"{key}=none"])):
        done = acklab_cli("run", "ack-aggregation", "--seed", 1, *sets, "--out", out)
        assert done.returncode == 0, done.stderr
    columns = {
        "goodput": ("goodput_mbps", 2),
        "rtt": ("rtt_p50_ms", 1),
        "ack_rate": ("acks_per_s", 0),
    }
    metrics = [word for column, _ in columns.values() for word in ("-m", column)]
    done = acklab_cli("compare", "a", "b", *metrics, "--json")
    assert done.returncode == 0, done.stderr
    native = {(row["metric"], row["result"]): row for row in json.loads(done.stdout)}
    for name, (column, digits) in columns.items():
        a, b, change = page.locator(f"[data-metric='{name}'] td").all_inner_texts()[:3]
        before, after = native[column, "a"], native[column, "b"]
        for shown, row in ((a, before), (b, after)):
            assert float(shown.replace(",", "")) == round(row["mean"], digits), name
        words = change.replace("\u2212", "-").replace("%", "").replace(",", "").split()
        assert float(words[0]) == round(after["mean"] - before["mean"], digits), name
        if len(words) > 1:
            assert float(words[1] + words[2] if len(words) > 2 else words[1]) == round(
                after["difference"] * 100
            )
    page.get_by_role("button", name="Unpin").click()


def test_several_seeds_have_intervals(page):
    choose(page, "bbr-with-cubic")
    page.select_option("#seeds", "3")
    page.wait_for_selector("[data-metric='goodput'] .half", timeout=60_000)
    page.select_option("#seeds", "1")
    page.wait_for_selector("[data-metric='goodput'] .half", state="detached", timeout=60_000)


def test_a_sweep_draws_a_figure_for_each_metric(page):
    choose(page, "ack-aggregation")
    page.select_option("#sweep-of", "link.reverse.ack_filter.ratio")
    page.get_by_label("Values, with commas between them").fill("1, 4")
    page.keyboard.press("Tab")
    page.click("#sweep-run")
    page.wait_for_selector(".multiple", timeout=60_000)
    labels = page.locator(".multiple svg").evaluate_all("all => all.map(e => e.ariaLabel)")
    assert any(label.startswith("Goodput Mbit/s. 1: ") for label in labels)
    page.get_by_label("Values, with commas between them").fill("0")
    page.keyboard.press("Tab")
    page.click("#sweep-run")
    assert "0:" in page.locator(".sweep .error").inner_text()


#: Two flows over 60 s, the second of which starts late.
LATE = """name = "late"
duration = "60 s"
[topology]
preset = "dumbbell"
pairs = 2
[topology.bottleneck]
rate = "10 Mbit/s"
delay = "20 ms"
[[flow]]
name = "early"
[[flow]]
name = "second"
start = "50 s"
"""


def film_time(page):
    label = page.locator("canvas.film").get_attribute("aria-label")
    return float(re.search(r"at ([\d.]+) s of the run", label)[1])


def film_at(page, seconds):
    """Records a film, and shows it at a time of the run."""
    if page.locator("#film").count():
        page.click("#film")
    page.wait_for_selector("canvas.film", timeout=60_000)
    recorded(page)
    whole = page.get_by_label("Time of the run", exact=True)
    bar = whole if whole.count() else page.get_by_label("Instant of the film")
    to = seconds if whole.count() else seconds * 1e9
    bar.evaluate(
        "(e, to) => { e.value = to; e.dispatchEvent(new Event('input', { bubbles: true })) }", to
    )
    page.wait_for_timeout(50)
    recorded(page)


def recorded(page):
    page.wait_for_selector(".network[aria-busy=false]", timeout=60_000)


def test_the_film_shows_any_time_of_the_run(page, tmp_path):
    choose(page, "single-flow")
    write(page, LATE)
    answered(page)
    for seconds in (55.0, 1.0, 59.9, 30.0):
        film_at(page, seconds)
        assert abs(film_time(page) - seconds) < 0.05
        begin, end = map(float, re.findall(r"[\d.]+", page.locator(".whole output").inner_text()))
        assert begin <= seconds <= end
        assert 5 < end - begin < 15
        page.get_by_role("button", name="Packet after").click()
        life = page.locator(".life").inner_text()
        assert "sent by the transport" in life
        assert re.search(r"bytes [\d,]+ to [\d,]+ of the stream|up to byte [\d,]+ has", life)
    film_at(page, 55.0)
    page.locator("summary", has_text="Every packet over time").click()
    page.get_by_label("Flow of the chart").select_option("1")
    label = page.locator(".sequence .plot").get_attribute("aria-label")
    sent = int(re.search(r"of second over time: (\d+) segments sent", label)[1])
    begin, end = map(float, re.findall(r"[\d.]+", page.locator(".whole output").inner_text()))
    record = {"packets": True, "from": f"{begin} s", "until": f"{end} s"}
    native = acklab.load(tomllib.loads(LATE), overrides={"record": record}).run(1).packets
    mine = native.filter(
        (native["flow"] == "second") & (native["what"] == "sent") & (native["len"] > 0)
    )
    # The page's times have more digits than it shows.
    assert abs(len(mine) - sent) < 20
    page.locator("summary", has_text="Every packet over time").click()


def test_the_film_plays_on_beyond_its_part(page):
    choose(page, "single-flow")
    write(page, LATE)
    answered(page)
    film_at(page, 30.0)
    end = float(re.findall(r"[\d.]+", page.locator(".whole output").inner_text())[1])
    page.get_by_label("Instant of the film").evaluate(
        "(e) => { e.value = e.max - 1e8; e.dispatchEvent(new Event('input', { bubbles: true })) }"
    )
    page.get_by_label("Speed").select_option("1")
    page.get_by_role("button", name="Play the film").click()
    page.wait_for_function(
        "(end) => Number(/at ([\\d.]+) s/.exec(document.querySelector('canvas.film').ariaLabel)[1])"
        " > end + 0.3",
        arg=end,
        timeout=60_000,
    )
    page.get_by_role("button", name="Pause the film").click()
    recorded(page)
    assert float(re.findall(r"[\d.]+", page.locator(".whole output").inner_text())[0]) > 30
    page.get_by_label("Speed").select_option("0.02")


def test_the_film_shows_packets_and_the_life_of_one(page):
    choose(page, "ack-aggregation")
    film_at(page, 1.0)
    page.get_by_role("button", name="Packet after").click()
    page.get_by_role("button", name="Packet after").click()
    life = page.locator(".life ol").inner_text()
    for words in ("sent by the transport", "left->s0", "leaves the queue", "arrives"):
        assert words in life
    page.locator("summary", has_text="Every packet over time").click()
    label = page.locator(".sequence .plot").get_attribute("aria-label")
    sent, again = map(int, re.findall(r"(\d+) segments sent, (\d+) sent again", label)[0])
    assert sent > 1000 > again > 0


def test_a_file_can_be_opened_and_saved(page, tmp_path):
    text = (SCENARIOS / "red.toml").read_text() + "# mine\n"
    (tmp_path / "mine.toml").write_text(text)
    page.locator("summary", has_text="File").click()
    page.locator("input[type=file]").set_input_files(tmp_path / "mine.toml")
    page.wait_for_function(
        "() => document.querySelector('.paper textarea').value.includes('# mine')"
    )
    answered(page)
    page.locator("summary", has_text="File").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as TOML").click()
    assert Path(saved.value.path()).read_text() == text
    for kind, start in (("CSV", b"time_s,"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        page.locator(".chart").first.hover()
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Save Goodput as {kind}").click()
        assert Path(saved.value.path()).read_bytes().startswith(start)


def test_tours_quote_claims_of_the_studies(page):
    claims = quoted_claims()
    page.locator("summary", has_text="Tours").click()
    titles = page.locator(".sheet button").all_inner_texts()[:4]
    page.keyboard.press("Escape")
    page.locator(".sheet").wait_for(state="hidden")
    for title in titles:
        page.locator("summary", has_text="Tours").click()
        page.get_by_role("button", name=title, exact=True).click()
        for step in range(10):
            section = page.locator(".tour")
            assert f"step {step + 1} of 10" in section.inner_text()
            assert section.locator("blockquote").inner_text().strip("“”") in claims
            section.get_by_role("button", name="Read the study").click()
            study = page.locator("dialog.study")
            study.locator("h1").wait_for()
            told = section.locator("code").first.inner_text()
            assert told.removeprefix("acklab reproduce ") in study.locator("article").inner_text()
            page.keyboard.press("Escape")
            answered(page)
            assert not page.locator(".said .error").count(), (title, step)
            knobs = section.locator(".knob button")
            assert knobs.count() > 1
            assert knobs.last.is_enabled(), (title, step)
            before = text_of(page)
            pressed = section.locator(".knob button[aria-pressed=true]")
            assert pressed.count() <= 1
            section.locator(".knob button[aria-pressed=false]").last.click()
            assert text_of(page) != before, (title, step)
            answered(page)
            if step < 9:
                section.get_by_role("button", name="Next").click()
        section.get_by_role("button", name="End the tour").click()


def quoted_claims():
    folder = Path(acklab.__file__).parent / "studies"
    files = [tomllib.loads(f.read_text()) for f in folder.glob("*/claims/*.toml")]
    return {" ".join(claim["says"].split()) for file in files for claim in file["claim"]}


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_axe_finds_nothing_serious(browser, look, width):
    if find_spec("axe_playwright_python") is None:
        pytest.skip("axe-playwright-python is not installed")
    axe = Path(find_spec("axe_playwright_python").origin).parent / "axe.min.js"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=look)
    page = context.new_page()
    page.goto(PAGE.as_uri())
    page.wait_for_function("() => /ms/.test(document.querySelector('.took')?.textContent)")
    page.evaluate(axe.read_text())
    for pane in ("Set-up", "Network", "Answers") if width == 400 else ("",):
        if pane:
            page.locator("nav.panes").get_by_role("button", name=pane).click()
        found = page.evaluate("axe.run()")["violations"]
        bad = [v for v in found if v["impact"] in ("serious", "critical")]
        assert not bad, [(v["id"], [n["html"][:120] for n in v["nodes"][:3]]) for v in bad]
        across = page.evaluate("() => document.documentElement.scrollWidth")
        assert across <= width
    context.close()


def test_a_capture_is_one_that_wireshark_reads(page):
    choose(page, "ack-aggregation")
    page.locator("summary", has_text="File").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save a capture (pcapng)").click()
    content = Path(saved.value.path()).read_bytes()
    assert content[:4] == b"\x0a\x0d\x0d\x0a"
    assert len(content) > 10_000


def test_the_policy_forbids_every_connection(browser):
    other = browser.new_page()
    other.goto(PAGE.as_uri())
    answered(other)
    asked = "() => fetch('http://127.0.0.1:9/').then(() => 'went', (e) => String(e))"
    assert other.evaluate(asked) == "TypeError: Failed to fetch"
    policy = other.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert "connect-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "'unsafe-eval'" not in policy
    other.close()
