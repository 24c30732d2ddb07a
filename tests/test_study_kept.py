"""A reproduction that is stopped keeps what is finished, and only what is still true of it."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import polars as pl
import pytest

from acklab import code
from acklab.studies import STUDIES, kept
from acklab.studies.reproduce import reproduce
from acklab.studies.study import Artefact, Cell, Effort, Study
from conftest import PATIENCE

SCENARIO = STUDIES["ack-aggregation"].groups["transparent"](Effort(1, quick=True))[0].scenario
EFFORT = Effort(2, quick=True)


class Log:
    """A study of two groups that notes what is made, and stops where it is told."""

    def __init__(self):
        self.made, self.stop = [], None

    def table(self, name):
        def table(outcomes):
            if self.stop == name:
                raise KeyboardInterrupt
            self.made.append(name)
            goodput = [r.flows["goodput_mbps"][0] for o in outcomes for r in o.results]
            return pl.DataFrame({"seed": range(1, len(goodput) + 1), "acklab": goodput})

        return table

    def study(self, cc="cubic"):
        def draw(table, stem):
            path = stem.with_name(f"{stem.name}.svg")
            path.write_text(f"<svg><!--{table['acklab'][0]}--></svg>")
            return path

        def cells(name):
            scenario = dict(SCENARIO) | {"duration": "3 s", "warmup": "0 s"}
            return lambda effort: [Cell({"cc": cc, "group": name}, scenario)]

        return Study(
            name="small",
            title="Small",
            source="nobody",
            groups={"a": cells("a"), "b": cells("b")},
            artefacts=[Artefact(n, n, self.table(n), draw, group=n) for n in ("a", "b")],
            report=lambda tables, effort: "words",
        )


def files(folder):
    return {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def log():
    return Log()


def stopped(log, study, out):
    log.stop = "b"
    with pytest.raises(KeyboardInterrupt):
        reproduce(study, study.whole, EFFORT, out, 1)
    assert log.made == ["a"]
    log.stop = None
    log.made.clear()


def test_what_is_finished_is_not_made_again(log, tmp_path):
    study = log.study()
    stopped(log, study, tmp_path / "stopped")
    assert all(p.startswith(".") for p in os.listdir(tmp_path / "stopped" / "small"))
    runs = []
    reproduce(study, study.whole, EFFORT, tmp_path / "stopped", 1, lambda *of: runs.append(of))
    assert log.made == ["b"]
    assert runs[-1] == (2, 2)
    reproduce(study, study.whole, EFFORT, tmp_path / "whole", 1)
    assert log.made == ["b", "a", "b"]
    assert files(tmp_path / "stopped") == files(tmp_path / "whole")
    assert not (tmp_path / "stopped" / "small" / kept.NAME).exists()


@pytest.mark.parametrize("change", ["effort", "cells", "code", "corrupt"])
def test_what_is_no_longer_true_is_made_again(change, log, tmp_path, monkeypatch):
    study, effort = log.study(), EFFORT
    stopped(log, study, tmp_path)
    folder = tmp_path / "small" / kept.NAME
    if change == "effort":
        effort = replace(EFFORT, seeds=1)
    elif change == "cells":
        study = log.study("vegas")
    elif change == "code":
        monkeypatch.setattr(code, "of_everything", lambda: "other")
    else:
        (table,) = folder.rglob("a.parquet")
        table.write_bytes(b"PAR1")
    reproduce(study, study.whole, effort, tmp_path, 1)
    assert sorted(log.made) == ["a", "b"]
    # What belongs to another effort may still be asked for; of other code it never will.
    assert folder.exists() == (change == "effort")


def test_a_disk_that_fills_is_told(log, tmp_path, monkeypatch):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    study = log.study()
    with pytest.raises(kept.OutputError, match="No space left on device"):
        reproduce(study, study.whole, EFFORT, tmp_path, 1)


def test_the_command_says_that_it_goes_on(tmp_path):
    args = [sys.executable, "-m", "acklab", "reproduce", "ack-aggregation", "--quick"]
    process = subprocess.Popen(
        [*args, "--seeds", "1", "--out", str(tmp_path)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    folder = tmp_path / "ack-aggregation" / kept.NAME
    deadline = time.monotonic() + PATIENCE
    while not list(folder.glob("*/traces-*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "finished parts are kept, and the same command resumes" in err
    assert list(folder.glob("*/traces-*"))
