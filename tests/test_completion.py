"""Words that the shell gets when Tab is pressed, requested as shells do."""

import os
import subprocess
import sys

import pytest

from acklab.cli import completing
from acklab.metrics import DEFINITIONS
from acklab.plots.kinds import KINDS
from acklab.studies import built_in
from acklab.studies.kit.folder import about


@pytest.fixture
def tab(tmp_path):
    """The words that bash offers after a line whose last word is being typed."""

    def pressed(line):
        done = subprocess.run(
            [sys.executable, "-m", "acklab"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "_ACKLAB_COMPLETE": "complete_bash",
                "COMP_WORDS": line,
                "COMP_CWORD": str(line.count(" ")),
            },
        )
        return done.stdout.split()

    return pressed


def test_run_offers_the_gallery_and_files(tab, tmp_path):
    (tmp_path / "single.toml").write_text("")
    (tmp_path / "single.txt").write_text("")
    assert tab("acklab run singl") == ["single-flow", "single.toml"]


def test_run_offers_the_files_of_a_folder(tab, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.toml").write_text("")
    assert tab("acklab run de") == ["deep/a.toml"]
    assert tab("acklab sweep deep/") == ["deep/a.toml"]


def test_explain_offers_metrics_and_words(tab):
    assert tab("acklab explain owd_p9") == [n for n in DEFINITIONS if n.startswith("owd_p9")]
    assert tab("acklab explain byte_") == ["byte_count"]


def test_reproduce_offers_studies_and_their_artefacts(tab):
    names = [f"{name}/{a.id}" for name, path in built_in().items() for a in about(path).drawn]
    offered = [*built_in(), *names]
    assert "aggregation/table1" in offered
    assert tab("acklab reproduce ") == offered
    assert tab("acklab reproduce ack") == [n for n in offered if n.startswith("ack")]


def test_plot_offers_results_and_kinds(tab, tmp_path):
    for name in ("out/a/run.json", "b/sweep.json", "c/else.json"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("{}")
    assert tab("acklab plot ") == ["b", "out/a"]
    assert tab("acklab plot b ") == list(KINDS)
    assert tab("acklab plot b seg") == ["segments-per-ack"]


def test_record_offers_what_is_not_yet_in_the_list():
    offered = [word for word, _ in completing.streams("events,a")]
    assert offered == ["events,acks"]
    assert "all" in [word for word, _ in completing.streams("")]


def test_nothing_heavy_is_loaded_to_print_help():
    code = (
        "import sys, acklab.cli;"
        "print({'polars', 'numpy', 'matplotlib', 'scipy', 'acklab.metrics', 'acklab.studies'}"
        " & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
