"""The pages of the documentation, walked: their commands and programs in order, far from the clone.

Every command of every page is walked, or it stands in a table here with the reason why not.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from acklab.cli import app, reproduce
from conftest import ROOT
from walking import SETUP, steps

#: Commands that take minutes and have tests of their own.
LEFT_OUT = (*SETUP, "acklab validate", "acklab reproduce")
PAGES = (
    "README.md",
    "docs/getting-started.md",
    "docs/guides/record.md",
    "docs/guides/exchange.md",
    "docs/guides/sweep.md",
    "docs/plots.md",
    "docs/results.md",
    "docs/guides/wifi.md",
    "docs/guides/studies.md",
    "docs/concepts/tack.md",
    "docs/concepts/filters.md",
)
#: Pages that have a test of their own, and pages for people who have the clone.
ELSEWHERE = {
    "docs/guides/tack-live.md": "test_tack_live.py::test_every_command_of_the_guide",
    "docs/guides/bench.md": "test_bench_visit.py::test_",
    "docs/extending/study.md": "test_docs.py::test_the_guides_study",
    "docs/extending/python-controller.md": "test_docs.py::test_the_guides_controller",
    "CONTRIBUTING.md": "of the clone",
    "docs/concepts/speed.md": "of the clone: it needs ns-3",
}
#: Of pages that compare means over seeds one seed shows that the command is right.
SEEDS = re.compile(r"--seeds \d+")


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
    for language, block in steps(ROOT / page, LEFT_OUT):
        walked += 1
        if language == "python":
            exec(block, names)
            continue
        if page.startswith("docs/concepts/"):
            block = SEEDS.sub("--seeds 1", block)
        done = subprocess.run(["sh", "-e", "-c", block], capture_output=True, text=True)
        assert done.returncode == 0, f"{block}\n{done.stderr}"
    assert walked


def pages():
    """Every page that has commands or programs."""
    every = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    names = [p.relative_to(ROOT).as_posix() for p in every]
    return sorted(n for n in names if any(True for _ in steps(ROOT / n, ())))


def test_every_page_is_walked_or_has_a_test_of_its_own():
    studies = [p for p in pages() if p.startswith("docs/studies/")]
    assert set(pages()) == {*PAGES, *ELSEWHERE, *studies}
    for where in ELSEWHERE.values():
        file, _, name = where.partition("::")
        if name:
            assert f"def {name}" in (ROOT / "tests" / file).read_text(), where
    for page in studies:
        # They have nothing but commands that take minutes; see below.
        for _, block in steps(ROOT / page, ()):
            assert all(c.startswith("acklab reproduce") for c in block.splitlines()), block


@pytest.mark.parametrize("page", pages())
def test_a_command_that_takes_minutes_is_a_command(page):
    """Its options exist, and so do the study and the part that it names."""
    group = typer.main.get_command(app)
    for language, block in steps(ROOT / page, ()):
        for line in block.splitlines() if language == "sh" else ():
            words = shlex.split(line, comments=True)
            if words[:2] not in (["acklab", "reproduce"], ["acklab", "validate"]):
                continue
            with group.make_context("acklab", words[1:]) as context:
                name, command, rest = group.resolve_command(context, words[1:])
                given = command.make_context(name, rest, parent=context).params
            # A study that the page makes is walked with it.
            if words[1] == "reproduce" and page not in PAGES and page not in ELSEWHERE:
                studies, part = reproduce.choose(given["what"])
                assert studies
                if part:
                    assert part in {of.id for of in studies[0].about.drawn}
