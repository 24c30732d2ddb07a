"""Studies that belong to another one."""

import pytest

from acklab.cli import reproduce as command
from acklab.errors import AcklabError
from acklab.studies import built_in
from acklab.studies.kit import make as making
from acklab.studies.kit.folder import load
from kit_study import change


@pytest.fixture
def made(monkeypatch, tmp_path):
    """The names of the studies that are made, in order; nothing runs."""
    names = []

    def make(study, _effort, _out, _jobs, _advance):
        names.append(study.about.name)
        return making.Made(files=(), report=tmp_path / "report.html")

    monkeypatch.setattr(making, "make", make)
    monkeypatch.chdir(tmp_path)
    return names


def test_the_study_of_wifi_6_brings_its_map(made):
    command.reproduce("bbr-wifi6")
    assert made == ["bbr-wifi6", "queue-map"]


def test_quick_leaves_it_out(made):
    command.reproduce("bbr-wifi6", quick=True)
    assert made == ["bbr-wifi6"]


def test_without_a_name_each_is_made_once_and_no_map(made, monkeypatch):
    monkeypatch.setattr("acklab.studies.kit.overview.write_overview", lambda *_: "report.html")
    command.reproduce()
    assert sorted(made) == sorted(
        n for n, path in built_in().items() if not load(path).about.on_request
    )


def test_a_name_that_is_no_study_is_the_authors_mistake(acklab_cli, tmp_path):
    assert acklab_cli("study", "new", "mine").returncode == 0
    change(tmp_path / "mine/study.toml", 'name = "', 'also = ["queue-mab"]\nname = "')
    done = acklab_cli("reproduce", "mine")
    assert done.returncode == 1
    assert "also[0] = 'queue-mab'" in done.stderr
    assert "queue-map" in done.stderr
    with pytest.raises(AcklabError, match="queue-mab"):
        command._also(load(tmp_path / "mine"))
