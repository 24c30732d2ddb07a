"""The simulator in Chromium: runs, mistakes and their lines, runs given up, two runs at once."""

from pathlib import Path

import pytest

import acklab
from conftest import in_a_browser

pytest.importorskip("playwright.sync_api")

PAGE = Path(__file__).parent.parent / "web" / "made" / "engine" / "index.html"
pytestmark = [
    in_a_browser,
    pytest.mark.skipif(not PAGE.exists(), reason="the bench is not built: make web"),
]

SINGLE_FLOW = Path(acklab.__file__).parent / "data" / "scenarios" / "single-flow.toml"

#: Takes a browser many seconds; nobody waits for it to end.
ENDLESS = ["duration", "43200 s"]


@pytest.fixture(scope="module")
def page(browser):
    """A page that has opened the engine with two workers, from the file system."""
    page = browser.new_page()
    heard = []
    page.on("console", lambda m: heard.append(m.text))
    page.on("pageerror", lambda e: heard.append(str(e)))
    page.on("request", lambda r: heard.append(r.url) if r.url.startswith("http") else None)
    page.goto(PAGE.as_uri())
    page.evaluate("async () => { window.engine = await openEngine({ workers: 2 }) }")
    page.evaluate(
        """async () => {
          window.toml = (await engine.gallery()).find((g) => g.name === "single-flow").toml;
        }"""
    )
    yield page
    page.close()
    assert heard == []


def test_a_run_gives_the_goodput_of_the_native_tool(page):
    page.set_default_timeout(60_000)
    goodput, words, version, verdicts = page.evaluate(
        """async () => {
          const run = await engine.run(toml, 7n, { tables: ["flows"] });
          const { flow, goodput_mbps } = run.tables.flows.columns;
          const met = run.summary.expectations.map((e) => e.met);
          return [goodput_mbps.values[0], wordAt(flow, 0), engine.version, met];
        }"""
    )
    native = acklab.run("single-flow", seed=7)
    assert (goodput, words) == (native.flows["goodput_mbps"][0], "bulk")
    assert version == native.version
    assert verdicts == [v.met for v in native.expectations()]


def test_records_and_captures_come_along(page):
    rows, magic, packets = page.evaluate(
        """async () => {
          const run = await engine.run(toml, 1, {
            set: [["duration", "6 s"]], record: ["series", "packets"],
            captures: { packets: "headers" },
          });
          const { bytes, packets } = run.captures[0];
          return [run.tables.packets.rows, [...bytes.slice(0, 4)], packets];
        }"""
    )
    native = acklab.run(
        "single-flow",
        overrides=["duration=6 s", "record.every=10 ms", "record.packets=true"],
        seed=1,
    )
    assert rows == len(native.packets)
    assert bytes(magic) == b"\x0a\x0d\x0d\x0a"
    assert 0 < packets <= rows


def test_a_mistake_has_its_line_and_the_tools_words(page):
    told = page.evaluate(
        """async () => {
          const wrong = toml.replace('cc = "cubic"', 'cc = "qubic"');
          return engine.check(wrong, { origin: "my.toml" });
        }"""
    )
    line = 1 + SINGLE_FLOW.read_text().partition('cc = "cubic"')[0].count("\n")
    (mistake,) = told["diagnostics"]
    assert not told["ok"]
    assert (mistake["line"], mistake["column"], mistake["key"]) == (line, 1, "flow.0.cc")
    assert "cubic" in mistake["hint"]
    assert mistake["text"].startswith(f"error: {mistake['message']}\n  in my.toml, line {line}")


def test_a_wrong_scenario_is_not_run(page):
    name, lines = page.evaluate(
        """async () => {
          const wrong = await engine.run("duration = 1", 1).catch((e) => e);
          return [wrong.name, wrong.diagnostics.map((d) => d.line)];
        }"""
    )
    assert name == "ScenarioError"
    assert 1 in lines


def test_a_run_that_is_given_up_ends_at_once_and_the_next_one_runs(page):
    name, took, rows = page.evaluate(
        """async (endless) => {
          const stop = new AbortController();
          const run = engine.run(toml, 1, { set: [endless], signal: stop.signal });
          setTimeout(() => stop.abort(), 300);
          const name = await run.catch((e) => e.name);
          const began = performance.now();
          const seeds = [2, 3];
          const tables = ["flows"];
          const next = await Promise.all(seeds.map((s) => engine.run(toml, s, { tables })));
          return [name, performance.now() - began, next.map((r) => r.tables.flows.rows)];
        }""",
        ENDLESS,
    )
    assert (name, rows) == ("AbortError", [1, 1])
    assert took < 30_000


def test_two_runs_go_on_at_once_and_a_check_waits_for_neither(page):
    order = page.evaluate(
        """async (endless) => {
          const stop = new AbortController();
          const order = [];
          const long = engine.run(toml, 1, { set: [endless], signal: stop.signal });
          await engine.check(toml); order.push("checked");
          await engine.run(toml, 2, { tables: ["flows"] }); order.push("ran beside it");
          stop.abort();
          await long.catch((e) => order.push(e.name));
          return [engine.workers, order];
        }""",
        ENDLESS,
    )
    assert order == [2, ["checked", "ran beside it", "AbortError"]]


def test_many_runs_come_as_they_end_and_each_is_that_of_its_seed(page):
    goodputs = page.evaluate(
        """async () => {
          const jobs = [0, 1, 2, 3, 4].map((seed) => ({
            toml, seed, tables: ["flows"],
            set: [["topology.bottleneck.loss", "0.01"], ["duration", "6 s"]],
          }));
          const all = {};
          await engine.runMany(jobs, (i, run) => {
            all[i] = run.tables.flows.columns.goodput_mbps.values[0];
          });
          return [0, 1, 2, 3, 4].map((i) => all[i]);
        }"""
    )
    overrides = ["topology.bottleneck.loss=0.01", "duration=6 s"]
    scenario = acklab.load(SINGLE_FLOW, overrides=overrides)
    native = acklab.run_many([(scenario, seed) for seed in range(5)])
    assert goodputs == [r.flows["goodput_mbps"][0] for r in native]
    assert len(set(goodputs)) > 1


def test_a_core_that_fails_says_why_and_the_next_run_works(page):
    name, message, rows = page.evaluate(
        """async () => {
          const failed = await engine.fails("the cat sat on it").catch((e) => [e.name, e.message]);
          const run = await engine.run(toml, 1, { set: [["duration", "6 s"]] });
          return [...failed, run.tables.flows.rows];
        }"""
    )
    assert name == "EngineError"
    assert "the cat sat on it" in message
    assert rows == 1


def test_the_policy_forbids_connections(browser):
    page = browser.new_page()
    page.goto(PAGE.as_uri())
    refused = page.evaluate("() => fetch('http://127.0.0.1:9/').catch((e) => String(e))")
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    page.close()
    assert "TypeError" in refused
    assert "connect-src 'none'" in policy
