"""Common parts of the tests: a small scenario, and the command line as a user runs it."""

import copy
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import in_process
from skips import pytest_sessionfinish, pytest_terminal_summary  # noqa: F401

#: Seconds until what hangs is given up; no test asks how long something takes on a busy machine.
PATIENCE = 900

ROOT = Path(__file__).resolve().parents[1]

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")

# A shell that runs the tests in the background may ignore Ctrl-C, which every command started
# here would inherit and obey.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SMALL = {
    "name": "small",
    "duration": "3 s",
    "sample_every": "100 ms",
    "topology": {
        "preset": "dumbbell",
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "10 Mbit/s", "delay": "10 ms", "queue": "20 packets"},
    },
    "flow": [{"name": "bulk", "cc": "cubic"}],
}

SMALL_TOML = """\
name = "small"
duration = "3 s"
sample_every = "100 ms"

[topology]
preset = "dumbbell"
access = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "10 ms", queue = "20 packets" }

[[flow]]
name = "bulk"
cc = "cubic"

[expect.flow.bulk]
goodput = { min = "5 Mbit/s" }
"""


@pytest.fixture
def small():
    return copy.deepcopy(SMALL)


@pytest.fixture
def small_file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL_TOML)
    return path


@pytest.fixture
def acklab_cli(tmp_path):
    """Runs `acklab` in a folder of its own, in this process; returns what a process would."""

    def run(*args, cwd=tmp_path):
        return in_process.acklab(args, cwd)

    return run


@pytest.fixture
def acklab_process(tmp_path):
    """The same in a process of its own, whose input, limits and memory are its own too."""

    def run(*args, cwd=tmp_path, **more):
        return subprocess.run(
            [sys.executable, "-m", "acklab", *map(str, args)],
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**os.environ, **in_process.TERMINAL},
            **more,
        )

    return run


@pytest.fixture
def small_shards(monkeypatch):
    """Several shards from a handful of runs."""
    from acklab.sweeps import store

    monkeypatch.setattr(store, "SHARD_RUNS", 7)


@pytest.fixture
def tiny_file(tmp_path):
    from sweeping import TINY_TOML

    path = tmp_path / "tiny.toml"
    path.write_text(TINY_TOML)
    return path


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as p:
        # As root, as in containers, Chromium starts without its sandbox only.
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        with p.chromium.launch(executable_path=CHROMIUM, args=args) as browser:
            yield browser


@pytest.fixture
def open_page(browser):
    """Opens an address; at the end no page had errors or asked anything of a network."""
    heard, tabs = [], []

    def opened(address, **more):
        tab = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **more})
        tabs.append(tab)
        tab.on("console", lambda m: heard.append((m.type, m.text)))
        tab.on("pageerror", lambda e: heard.append(("error", str(e))))
        tab.on("request", lambda r: heard.append(r.url) if r.url.startswith("http") else None)
        tab.goto(address)
        tab.wait_for_selector("html[data-ready]", state="attached")
        return tab

    yield opened
    for tab in tabs:
        tab.close()
    assert heard == []
