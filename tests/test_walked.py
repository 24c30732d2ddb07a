"""The pages of the first hour, walked: their commands and programs in order, in one folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

#: Commands that set up the machine, and those that take minutes and have tests of their own.
LEFT_OUT = ("make ", ". ", "pip ", "tshark ", "acklab validate", "acklab reproduce", "jupyter ")
PAGES = (
    "README.md",
    "docs/getting-started.md",
    "docs/guides/record.md",
    "docs/guides/exchange.md",
    "docs/guides/sweep.md",
    "docs/plots.md",
    "docs/results.md",
)


def steps(page):
    """The blocks of a page that a reader would run, each with its language."""
    text = (ROOT / page).read_text()
    for language, block in re.findall(
        r"^```(sh|python)\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    ):
        if language == "sh":
            commands = block.replace("\\\n", " ").replace(".venv/bin/", "").splitlines()
            kept = [c for c in commands if not c.startswith(LEFT_OUT) and "--dask" not in c]
            block = "\n".join(kept)
        if block.strip():
            yield language, block


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the scenarios that pages share, and `acklab` on the path."""
    tools = tmp_path / "bin"
    tools.mkdir()
    tool = tools / "acklab"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m acklab "$@"\n')
    tool.chmod(0o755)
    here = Path(sys.executable).parent
    monkeypatch.setenv("PATH", os.pathsep.join([str(tools), str(here), os.environ["PATH"]]))
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    thin = re.search(r"^```toml\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    (folder / "thin.toml").write_text(thin.group(1))
    subprocess.run(["acklab", "new", "first.toml"], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_says_can_be_done(page, desk):
    if page == "docs/getting-started.md":
        (desk / "first.toml").unlink()  # It makes this itself.
    names, walked = {}, 0
    for language, block in steps(page):
        walked += 1
        if language == "python":
            exec(block, names)
            continue
        done = subprocess.run(["sh", "-e", "-c", block], capture_output=True, text=True)
        assert done.returncode == 0, f"{block}\n{done.stderr}"
    assert walked
