"""`acklab check`, and the front door of the package."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

import acklab
from acklab.cli.check import _said
from acklab.places import gallery


@pytest.mark.parametrize("path", gallery(), ids=lambda p: p.stem)
def test_every_gallery_scenario_is_told(path):
    scenario = acklab.load(path)
    of = tomllib.loads(scenario.resolved)
    lines = list(_said(of, scenario.recorded))
    assert lines[0] == path.stem
    assert all(len(line) < 200 for line in lines[2:])
    told = [line.split()[0] for line in lines if " x " in line and line.startswith("  flows")]
    assert told == ["flows"]
    counted = [int(w) for line in lines for w in [line[12:].split(" x ")[0]] if " x " in line]
    assert sum(counted) == len(of["flow"])


def test_a_valid_file_is_told_and_nothing_is_written(acklab_cli, tmp_path, small_file):
    before = set(tmp_path.iterdir())
    done = acklab_cli("check", small_file)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"{small_file} is valid\n")
    assert "1 x TCP" in done.stdout
    assert set(tmp_path.iterdir()) == before


def test_the_whole_form_is_a_scenario_again(acklab_cli, tmp_path):
    done = acklab_cli("check", "cake", "--resolved")
    assert acklab.load(tomllib.loads(done.stdout)).resolved == done.stdout


def test_a_mistake_is_told_as_by_run(acklab_cli, small_file):
    for command in ("check", "run"):
        done = acklab_cli(command, small_file, "--set", "flow.0.cc=cubik")
        assert done.returncode == 1
        assert "did you mean `cubic`?" in done.stderr
        assert done.stdout == ""


def test_warnings_are_counted(acklab_cli):
    done = acklab_cli("check", "cake", "--set", "link.2.rate=10 Mbit/s")
    assert done.returncode == 0, done.stderr
    assert "warning" in done.stderr
    assert "cake is valid, with a warning" in done.stdout


@pytest.mark.parametrize("words", [[], ["-h"], ["run", "-h"], ["study", "-h"]])
def test_help_is_no_mistake(acklab_cli, words):
    done = acklab_cli(*words)
    assert done.returncode == 0, done.stderr
    assert "Usage: acklab" in done.stdout


def test_a_run_in_one_line():
    result = acklab.run("single-flow", overrides=["duration=9 s"])
    assert result.seed == 1
    loaded = acklab.load({**tomllib.loads(result.scenario.resolved)})
    assert acklab.run(loaded, 1).flows.equals(result.flows)
    assert not acklab.run(loaded, 2).flows.equals(acklab.run("fq-codel").flows)
    with pytest.raises(acklab.AcklabError, match="did you mean single-flow, of the gallery"):
        acklab.run("single-flo")
    with pytest.raises(acklab.AcklabError, match="overrides are for a scenario that is not loaded"):
        acklab.run(loaded, overrides=["duration=1 s"])


def test_completion_shows_what_there_is_without_loading_it():
    told = set(dir(acklab))
    assert {"run", "load", "sweep", "compare", "metrics", "plots", "Result"} <= told
    assert all(hasattr(acklab, name) for name in told)
    words = "import sys, acklab; dir(acklab); print('polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_scenario_may_come_from_the_standard_input(acklab_cli, acklab_process, tmp_path):
    text = acklab_cli("check", "single-flow", "--resolved").stdout
    done = acklab_process("run", "-", "--record", "series", "--out", tmp_path / "o", input=text)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "o" / "series.parquet").exists()
    broken = acklab_process("check", "-", input=text.replace('"cubic"', '"cubik"'))
    assert broken.returncode == 1
    assert "in standard input, line " in broken.stderr
    assert "did you mean `cubic`?" in broken.stderr
    none = acklab_process("check", "-", input="")
    assert none.returncode == 1
    assert "Traceback" not in none.stderr
