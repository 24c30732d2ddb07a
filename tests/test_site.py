"""The web site of the documentation: it builds, and its generated pages say everything."""

import json
import os
import re
import subprocess
import sys
from html import unescape

import pytest

from acklab.metrics import DEFINITIONS
from acklab.metrics.words import VOCABULARIES
from conftest import ROOT

pytest.importorskip("mkdocs")
pytest.importorskip("material")
pytest.importorskip("mkdocs_gen_files")


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
