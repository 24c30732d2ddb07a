"""Refusals by the system, and cells that a spreadsheet would run: never a bug of acklab."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from acklab.spreadsheet import csv

FULL = Path("/dev/full")
full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


def run(cwd, *args, stdout=subprocess.PIPE, **more):
    return subprocess.run(
        [sys.executable, "-m", "acklab", *args],
        cwd=cwd,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
        timeout=300,
        **more,
    )


@full
@pytest.mark.parametrize(
    "args",
    [
        ("list", "cc"),
        ("-h",),
        ("run", "-h"),
        ("explain", "goodput_mbps"),
        ("check", "single-flow", "--resolved"),
        ("schema",),
    ],
)
def test_a_full_standard_output_is_told(tmp_path, args):
    with FULL.open("wb") as out:
        done = run(tmp_path, *args, stdout=out)
    told = done.stderr.decode()
    assert done.returncode == 1, told
    assert told.splitlines()[0] == (
        "error: cannot write to the standard output: No space left on device"
    )
    assert "Traceback" not in told


@full
def test_a_result_stays_although_its_summary_could_not_be_told(tmp_path, small_file):
    with FULL.open("wb") as out:
        done = run(tmp_path, "run", str(small_file), "--json", "--out", "r", stdout=out)
    assert done.returncode == 1
    assert (tmp_path / "r" / "run.json").exists()


@pytest.mark.parametrize(
    "args",
    [
        ("run", "single-flow", "--out", b"o\xff"),
        ("sweep", "single-flow", "--seeds", "2", "--out", b"o\xff"),
        ("report", b"o\xff"),
        ("plot", b"o\xff", "series"),
        ("compare", b"o\xff", "b"),
    ],
)
def test_names_that_are_not_text_are_told(tmp_path, args):
    done = run(os.fsencode(tmp_path), *args)
    told = done.stderr.decode()
    assert done.returncode == 1, told
    assert told.startswith("error: cannot use the path b'")
    assert "it is not UTF-8 text\n  help: rename it" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("args", [("run", "/dev/zero"), ("check", "/dev/zero"), ("run", "-")])
def test_what_never_ends_is_not_read(tmp_path, args):
    with Path("/dev/zero").open("rb") as endless:
        done = run(tmp_path, *args, stdin=endless)
    told = done.stderr.decode()
    assert done.returncode == 1, told
    assert told.startswith(("error: cannot read /dev/zero: it is a pipe", "error: the text is lon"))


def test_cells_that_a_spreadsheet_would_run_are_quoted():
    cells = ["=1+1", "+x", "@y", "-2+3", "\tz", "-5", "-5 ms", "+0.5 Mbit/s", "ok", "", None]
    lines = csv(pl.DataFrame({"a": cells, "b": [-1.5] * len(cells)})).splitlines()
    assert lines[1:6] == ["'=1+1,-1.5", "'+x,-1.5", "'@y,-1.5", "'-2+3,-1.5", "'\tz,-1.5"]
    assert lines[6:9] == ["-5,-1.5", "-5 ms,-1.5", "+0.5 Mbit/s,-1.5"]


def test_the_data_of_a_figure_are_such_cells(tmp_path):
    import acklab
    from conftest import SMALL

    flow = {**SMALL["flow"][0], "name": '=cmd|"/c calc"!A1'}
    result = acklab.load({**SMALL, "flow": [flow]}).run()
    _, data = result.plot.series().save(tmp_path / "f")
    assert ",=" not in data.read_text()
    assert "'=cmd" in data.read_text()


def test_help_has_no_type_for_flags_and_names_the_exit_codes(acklab_cli):
    for command in ((), ("run",), ("sweep",), ("study",), ("study", "new"), ("list",)):
        assert "<bool>" not in acklab_cli(*command, "--help").stdout
    told = " ".join(acklab_cli("--help").stdout.split())
    for code in (
        "0: done",
        "1: a mistake",
        "2: a mistake",
        "70: a bug",
        "130: interrupted",
        "143: terminated",
    ):
        assert code in told
