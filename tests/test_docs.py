"""Examples in the documentation work."""

import re

import pytest

import acklab
from acklab.metrics import words as vocabularies
from conftest import ROOT


def blocks(page, language):
    text = (ROOT / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def thin(tmp_path):
    (scenario,) = blocks("README.md", "toml")
    path = tmp_path / "thin.toml"
    path.write_text(scenario)
    return path


def test_the_readmes_scenario_and_program(thin, monkeypatch, capsys):
    monkeypatch.chdir(thin.parent)
    (program,) = blocks("README.md", "python")
    exec(program, {})
    assert "goodput_mbps" in capsys.readouterr().out


def test_the_readmes_mistake(thin, monkeypatch):
    monkeypatch.chdir(thin.parent)
    thin.write_text(thin.read_text().replace('"cubic"', '"qubic"'))
    with pytest.raises(acklab.ScenarioError) as e:
        acklab.load("thin.toml")
    assert str(e.value) in (ROOT / "README.md").read_text()


def test_the_guides_controller(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (program,) = blocks("docs/extending/python-controller.md", "python")
    exec(program, {})
    assert "aimd" in capsys.readouterr().out


def test_the_guides_study(tmp_path, monkeypatch, capsys, acklab_cli):
    monkeypatch.chdir(tmp_path)
    (program,) = blocks("docs/extending/study.md", "python")
    exec(program, {})
    told = capsys.readouterr().out
    assert re.search("^keeps,Acknowledging every fourth segment.*,reproduced,", told, re.MULTILINE)
    page = tmp_path / "out" / "queue-length" / "report.html"
    assert told.splitlines()[-1] == str(page.relative_to(tmp_path))
    assert re.search(r"CUBIC has [\d.]+ Mbit/s at 4:1\.", page.read_text())
    (command,) = blocks("docs/extending/study.md", "sh")
    done = acklab_cli(*command.split()[1:])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / done.stdout.splitlines()[-1]).is_relative_to(page.parent / "cells")
    assert 'id="series"' in (tmp_path / done.stdout.splitlines()[-1]).read_text()


def test_columns_are_documented(small):
    page = (ROOT / "docs" / "results.md").read_text()
    # `cwnd_{mean,min}_packets` stands for two columns.
    for head, words, tail in re.findall(r"([a-z_]*)\{([a-z0-9,]+)\}([a-z_]*)", page):
        page += " ".join(f"{head}{w}{tail}" for w in words.split(",")) + " "
    small["record"] = {"events": True, "acks": True, "packets": True, "ppdus": True}
    result = acklab.load(small).run()
    sampled = (result.flows, result.links, result.series, result.link_series)
    classes = result.queue_classes
    radio = (result.airtime, result.stations, result.ampdu_sizes, result.ppdus)
    for table in (
        *(*sampled, *radio, classes, result.events),
        *(result.acks, result.reports, result.packets),
    ):
        for column in table.columns:
            assert re.search(rf"\b{column}\b", page), column


#: Where the core names the words of recorded tables.
WORDS = {
    vocabularies.EVENTS: "acklab-sim/src/record/events.rs",
    vocabularies.ACK_EVENTS: "acklab-sim/src/record/acks.rs",
    vocabularies.ACK_REASONS: "acklab-proto/src/ack/mod.rs",
    vocabularies.RELEASE_REASONS: "acklab-path/src/ack_filter/mod.rs",
    vocabularies.PACKET_EVENTS: "acklab-sim/src/record/packets.rs",
    vocabularies.DROP_REASONS: "acklab-path/src/packet.rs",
    vocabularies.AIR_USES: "acklab-path/src/wifi/medium/account.rs",
    vocabularies.PPDU_KINDS: "acklab-path/src/wifi/medium/ppdu.rs",
}


@pytest.mark.parametrize("vocabulary", vocabularies.VOCABULARIES, ids=lambda v: v.title)
def test_the_words_of_recorded_tables_are_those_of_the_core(vocabulary):
    source = (ROOT / "crates" / WORDS[vocabulary]).read_text()
    body = source.partition("fn name(self) -> &'static str {")[2].partition("\n    }\n")[0]
    assert sorted(re.findall(r'=> "(\w+)"', body)) == sorted(vocabulary.names)


def test_links_between_pages_lead_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "validation" / "README.md"]
    for page in pages:
        for target in re.findall(r"\]\((?!http|#)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), (page.name, target)


def test_the_sweep_guides_program(thin, monkeypatch, capsys):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(thin.parent)
    (program,) = blocks("docs/guides/sweep.md", "python")
    exec(program, {})
    assert "ci_low" in capsys.readouterr().out
    (query,) = blocks("docs/guides/sweep.md", "sql")
    assert [row[:2] for row in duckdb.sql(query).fetchall()] == [
        (cc, queue) for cc in ("cubic", "vegas") for queue in ("0.5 BDP", "1 BDP")
    ]


def test_the_sweep_guides_file(thin, monkeypatch):
    from acklab.sweeps.api import find
    from acklab.sweeps.plan import plan

    monkeypatch.chdir(thin.parent)
    (text,) = blocks("docs/guides/sweep.md", "toml")
    (thin.parent / "sweep.toml").write_text(text)
    made = plan(find(acklab.source.read("sweep.toml")), {}, [], None, [])
    assert (made.grid.cells, made.runs) == (8, 24)
    assert list(made.grid.columns([0]).columns) == ["controller", "queue", "rate", "delay"]
