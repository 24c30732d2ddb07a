"""Results that a study keeps and reads again: nothing of another code, and no wrong bit."""

import random
import sys

import polars as pl
import pytest

import kit_study
from acklab import AcklabError
from acklab.studies.kit import folder, make
from acklab.studies.study import Effort

EFFORT = Effort(2, quick=True)


class Stop(Exception):
    """Somebody has pressed Ctrl-C."""


def stop_half_way(done, total):
    if done >= total // 2:
        raise Stop


def loaded(path):
    """The study as its files are now."""
    for name in [n for n in sys.modules if n.startswith(f"_acklab_study_{path.name}")]:
        del sys.modules[name]
    return folder.load(path)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return kit_study.write(tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def made(study):
    out = study.parent / "whole"
    make.make(loaded(study), EFFORT, out, 1)
    return out / "thinned"


def test_a_quantity_that_was_changed_is_measured_again(study, made, tmp_path):
    out, path = tmp_path / "out", study / "quantities.py"
    with pytest.raises(Stop):
        make.make(loaded(study), EFFORT, out, 1, stop_half_way)
    kept = path.read_text()
    try:
        kit_study.change(path, "float(of_flow(run,", "1000 * float(of_flow(run,")
        make.make(loaded(study), EFFORT, out, 1)
    finally:
        path.write_text(kept)
    before = pl.read_csv(made / "numbers" / "main.csv").filter(quantity="goodput")
    after = pl.read_csv(out / "thinned" / "numbers" / "main.csv").filter(quantity="goodput")
    assert after["value"].to_list() == pytest.approx([1000 * v for v in before["value"]])


def test_what_was_not_changed_is_not_run_again(study, tmp_path):
    told = []
    with pytest.raises(Stop):
        make.make(loaded(study), EFFORT, tmp_path, 1, stop_half_way)
    make.make(loaded(study), EFFORT, tmp_path, 1, lambda done, total: told.append(done))
    assert told[0] > 1


@pytest.mark.parametrize("name", ["numbers/main.csv", "made.json", "SHA256SUMS"])
def test_a_report_is_not_made_of_wrong_bits(name, study, made):
    path = made / name
    kept, page = path.read_bytes(), (made / "report.html").read_bytes()
    draw = random.Random(name)
    try:
        for _ in range(20):
            at, bit = draw.randrange(len(kept)), 1 << draw.randrange(8)
            path.write_bytes(kept[:at] + bytes([kept[at] ^ bit]) + kept[at + 1 :])
            with pytest.raises(AcklabError, match=f"{name.split('/')[-1]} is not as it was"):
                make.tell_again(loaded(study), made.parent)
    finally:
        path.write_bytes(kept)
    assert (made / "report.html").read_bytes() == page
    make.tell_again(loaded(study), made.parent)


def test_a_folder_of_the_same_name_is_another_study(tmp_path):
    first, other = kit_study.write(tmp_path / "a"), kit_study.write(tmp_path / "b")
    kit_study.change(other / "cells.py", "RATIOS = (1, 4, 16)", "RATIOS = (1, 4)")
    assert first.name == other.name
    cells = [folder.load(p).groups["main"](EFFORT) for p in (first, other)]
    assert [len(c) for c in cells] == [18, 12]
