"""How fast the page of `acklab bench` is, in headless Chromium beside the native core.

    make web && .venv/bin/python benches/page.py

Each row is a measurement, what the page should have, and whether it has it. Native and WebAssembly
run in turns, so that a busy machine slows both. Needs Chromium and the package playwright.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

import acklab

ROOT = Path(__file__).resolve().parent.parent
BENCH = Path(acklab.__file__).parent / "data" / "bench" / "index.html"
SCENARIOS = BENCH.parents[1] / "scenarios"
ENGINE = ROOT / "web" / "made" / "engine" / "index.html"

#: A minute of one flow over a wire.
MINUTE = {"duration": "62 s", "start": "2 s", "warmup": "0 s"}
WIRED = "single-flow"
SWEEP = "ack-aggregation"

#: Writes down when the first answer stands on the page, and when the picture after an input does.
CLOCK = """
  window.seen = { ready: 0, inputs: [] };
  const answered = () => /ms$/.test(document.querySelector(".took")?.textContent ?? "");
  const watch = new MutationObserver(() => {
    if (!answered()) return;
    watch.disconnect();
    requestAnimationFrame(() => { seen.ready = performance.now(); });
  });
  watch.observe(document, { childList: true, subtree: true, characterData: true });
"""

#: Moves a slider by one step, and waits for the frame that shows the numbers of the new run.
SLIDE = """async (to) => {
  const slider = document.querySelector("[data-control='link.rate'] input[type=range]");
  const numbers = document.querySelector(".numbers");
  const began = performance.now();
  slider.value = to;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise((done) => {
    new MutationObserver((_, me) => { me.disconnect(); done(); })
      .observe(numbers, { childList: true, subtree: true, characterData: true });
  });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}"""

RUN = """async ([toml, set]) => {
  const run = await engine.run(toml, 1, { set, tables: ["flows"] });
  return [run.summary.tookMs, run.tables.flows.columns.goodput_mbps.values[0]];
}"""

MANY = """async ([toml, count]) => {
  const began = performance.now();
  const jobs = Array.from({ length: count }, (_, i) => ({
    toml, seed: 1 + (i % 20), tables: ["flows", "links", "airtime"],
    set: [["topology.bottleneck.reverse.ack_filter.ratio", String(1 + Math.floor(i / 20))]],
  }));
  let done = 0;
  await engine.runMany(jobs, () => { done += 1; });
  return [done, performance.now() - began];
}"""


def main() -> None:
    """Measures everything, or what the arguments name, and prints a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("only", nargs="*", help="what to measure")
    parser.add_argument("--repeat", type=int, default=11, help="of each timed measurement")
    asked = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    print(f"{'measurement':44} {'found':>12} {'wanted':>12}")
    with sync_playwright() as p:
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        with p.chromium.launch(executable_path=chromium, args=args) as browser:
            for name in asked.only or MEASURES:
                for what, found, wanted, unit in MEASURES[name](browser, asked.repeat):
                    verdict = "" if found <= wanted else "  missed"
                    print(f"{what:44} {found:9.2f} {unit:3}{wanted:9.2f} {unit:3}{verdict}")


Row = tuple[str, float, float, str]


def weight(_browser: Browser, _repeat: int) -> Iterator[Row]:
    """The page as a server would compress it."""
    yield "page, gzip -9", len(gzip.compress(BENCH.read_bytes(), 9)) / 1e6, 1.5, "MB"


def start(browser: Browser, repeat: int) -> Iterator[Row]:
    """From the request of the page to its first picture, and to its first answers."""
    paints, answers = [], []
    for _ in range(repeat):
        with tab(browser) as page:
            page.wait_for_function("() => window.seen.ready > 0", timeout=60_000)
            paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            paints.append(page.evaluate(paint))
            answers.append(page.evaluate("seen.ready"))
    yield f"first paint, median of {repeat}", statistics.median(paints) / 1e3, 1, "s"
    yield f"first answers, median of {repeat}", statistics.median(answers) / 1e3, 2, "s"


def minute(browser: Browser, repeat: int) -> Iterator[Row]:
    """A minute of one wired flow in WebAssembly and natively, in turns."""
    file = SCENARIOS / f"{WIRED}.toml"
    toml, native = file.read_text(), acklab.load(file, overrides=MINUTE)
    here, there = [], []
    with engine(browser) as page:
        for _ in range(repeat + 1):
            began = time.perf_counter()
            result = native.run(1)
            there.append((time.perf_counter() - began) * 1e3)
            took, goodput = page.evaluate(RUN, [toml, list(MINUTE.items())])
            here.append(took)
            assert goodput == result.flows["goodput_mbps"][0]
    # The first run of each warms up what later ones use.
    there, here = there[1:], here[1:]
    yield f"60 s wired, native, median of {repeat}", statistics.median(there), float("inf"), "ms"
    yield f"60 s wired, page, median of {repeat}", statistics.median(here), float("inf"), "ms"
    ratio = statistics.median(h / t for h, t in zip(here, there, strict=True))
    yield "60 s wired, page / native", ratio, 3, ""


def slider(browser: Browser, repeat: int) -> Iterator[Row]:
    """From a slider's event to the frame with the new numbers."""
    with tab(browser) as page:
        page.wait_for_function("() => window.seen.ready > 0", timeout=60_000)
        page.select_option("#preset", WIRED)
        page.wait_for_timeout(1000)
        places = [400 + 10 * i for i in range(repeat + 2)]
        took = [page.evaluate(SLIDE, place) for place in places][2:]
    yield f"slider to new picture, median of {repeat}", statistics.median(took), 100, "ms"


def sweep(browser: Browser, _repeat: int) -> Iterator[Row]:
    """200 runs of a minute each on two workers."""
    toml = (SCENARIOS / f"{SWEEP}.toml").read_text()
    with engine(browser) as page:
        done, took = page.evaluate(MANY, [toml, 200])
        assert done == 200
        yield "200 runs on 2 workers", took / 1e3, 15, "s"
        yield "memory after them", memory(), 300, "MB"


def room(browser: Browser, repeat: int) -> Iterator[Row]:
    """The memory of the page's process while it is used: sliders, film, sweep, pinned run."""
    highest = 0.0
    with tab(browser) as page:
        page.wait_for_function("() => window.seen.ready > 0", timeout=60_000)
        for preset in (SWEEP, "wifi-uploads", "tack-wifi"):
            page.select_option("#preset", preset)
            page.wait_for_timeout(1500)
            page.get_by_role("button", name="Pin as A").click()
            if page.locator("#film").count():
                page.click("#film")
            page.wait_for_selector("canvas.film", timeout=60_000)
            highest = max(highest, memory())
        for place in range(400, 400 + 10 * repeat, 10):
            page.evaluate(
                "(to) => { const e = document.querySelector('.setup input[type=range]');"
                " e.value = to; e.dispatchEvent(new Event('input', { bubbles: true })) }",
                place,
            )
            page.wait_for_timeout(200)
            highest = max(highest, memory())
    yield "memory of the page in use, highest", highest, 300, "MB"


def memory() -> float:
    """Megabytes of the largest process that shows a page; shared pages count in parts."""
    sizes = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # Chromium joins the words of its processes by blanks.
            shows = b"--type=renderer" in (folder / "cmdline").read_bytes()
            if not shows or not descends(int(folder.name)):
                continue
            lines = (folder / "smaps_rollup").read_text().splitlines()
        except (OSError, ValueError):
            continue
        sizes += [int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("Pss:")]
    return max(sizes)


def descends(pid: int) -> bool:
    """Whether a process is one of this script's."""
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return False


@contextmanager
def tab(browser: Browser) -> Iterator[Page]:
    """The page in a profile of its own, with the clock inside."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.add_init_script(CLOCK)
    page = context.new_page()
    page.goto(BENCH.as_uri())
    yield page
    context.close()


@contextmanager
def engine(browser: Browser) -> Iterator[Any]:
    """The engine by itself, with two workers."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(ENGINE.as_uri())
    page.evaluate("async () => { window.engine = await openEngine({ workers: 2 }) }")
    page.set_default_timeout(600_000)
    yield page
    context.close()


MEASURES: dict[str, Callable[[Browser, int], Iterator[Row]]] = {
    f.__name__: f for f in (weight, start, minute, slider, sweep, room)
}

if __name__ == "__main__":
    main()
