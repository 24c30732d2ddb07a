"""One table or figure of a study: as many cells and seeds as in the whole study."""

import polars as pl
import pytest

import kit_study
from acklab.cli import reproduce as command
from acklab.studies import built_in
from acklab.studies.kit import make as making
from acklab.studies.kit.folder import load
from acklab.studies.study import Effort


@pytest.fixture
def effort(monkeypatch, tmp_path):
    """The effort that a command takes for a part; nothing runs."""
    found = []

    def make_part(_study, _part, effort, _out, _jobs, _advance):
        found.append(effort)
        return making.Made(files=(), report=tmp_path / "part.html")

    def of(what, **options):
        command.reproduce(what, **options)
        return found.pop()

    monkeypatch.setattr(making, "make_part", make_part)
    monkeypatch.chdir(tmp_path)
    return of


def test_a_part_takes_the_effort_of_the_whole(effort, capsys):
    assert effort("bbr-wifi6/fig5") == Effort(10, full=False)
    assert "note" not in capsys.readouterr().err
    assert effort("bbr-wifi6/fig5", full=True) == Effort(20, full=True)
    assert effort("bbr-wifi6/fig5", quick=True) == Effort(2, quick=True, full=False)
    assert effort("bbr-wifi6/fig5", seeds=3) == Effort(3, full=False)
    assert "note" not in capsys.readouterr().err


def test_a_part_that_the_whole_has_in_part_says_so(effort, capsys):
    assert effort("ack-compression/fig5") == Effort(5, full=False)
    assert "`fig5` has 40 of its 80 cells; --full runs all" in capsys.readouterr().err
    assert effort("ack-compression/fig5", full=True) == Effort(5, full=True)
    assert "note" not in capsys.readouterr().err


def test_a_part_that_only_full_has_takes_its_effort_and_says_so(effort, capsys):
    assert effort("aggregation/starts") == Effort(10, full=True)
    assert "only --full has `starts`" in capsys.readouterr().err
    assert effort("aggregation/starts", quick=True, seeds=1) == Effort(1, quick=True, full=True)
    assert "seeds per cell: 1" in capsys.readouterr().err


def test_what_is_outside_the_core_are_the_parts_of_groups_that_only_full_runs():
    for path in built_in().values():
        study = load(path)
        outside = {of.id for of in study.about.drawn if study.outside(of)}
        assert outside == {of.id for of in study.about.drawn if of.group in study.about.full}


def test_a_quantity_made_of_a_group_that_only_full_runs_is_outside(tmp_path):
    path = kit_study.write(tmp_path)
    ratio = 'derived("against", "", "Over the other\'s.", "goodput / there", "main")'
    there = '@quantity("", "other")\ndef there(run):\n    return 1.0\n'
    for old, new in (
        ("import quantity", "import derived, quantity"),
        ('"Mbit/s"', '"Mbit/s", "main"'),
        ('"ms"', '"ms", "main"'),
        ("QUANTITIES = (goodput, rtt)", f"{there}\nQUANTITIES = (goodput, rtt, there, {ratio})"),
    ):
        kit_study.change(path / "quantities.py", old, new)
    kit_study.change(path / "cells.py", '{"main": main}', '{"main": main, "other": main}')
    kit_study.change(path / "study.toml", "quick_seeds", 'full = ["other"]\nquick_seeds')
    kit_study.change(path / "study.toml", 'quantity = "rtt"', 'quantity = "against"')
    study = load(path)
    assert [of.id for of in study.about.drawn if study.outside(of)] == ["table2"]


def test_a_part_has_the_seeds_of_the_whole(acklab_cli, tmp_path):
    kit_study.write(tmp_path)
    part = acklab_cli("reproduce", "thinned/table1", "--quick", "--out", "part")
    assert part.returncode == 0, part.stderr
    assert acklab_cli("reproduce", "thinned", "--quick", "--out", "whole").returncode == 0
    tables = [pl.read_csv(tmp_path / of / "thinned/table1.csv") for of in ("part", "whole")]
    assert tables[0].equals(tables[1])
    assert set(tables[0]["seeds"]) == {2}
