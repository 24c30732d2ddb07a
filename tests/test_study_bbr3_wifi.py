"""The study of BBRv3 that knows of aggregation: it is whole, its variants are what they say."""

from pathlib import Path
from statistics import fmean

import pytest

import acklab
import acklab.studies.bbr3_wifi as package
from acklab.scenario import load as load_scenario
from acklab.studies.bbr3_wifi import cells
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.study import Effort
from conftest import ROOT

STUDY = load(Path(package.__file__).parent)
SHORT = Effort(1, quick=True)


def test_it_is_whole_and_made_on_request_only():
    check_texts(STUDY)
    assert STUDY.about.on_request
    assert STUDY.about.own
    assert all(c.because for c in STUDY.claims)
    assert set(cells.VARIANTS) == set(STUDY.about.axis["variant"].names)


def test_every_cell_is_a_scenario():
    for of in cells.GROUPS.values():
        for cell in of(SHORT):
            load_scenario(cell.scenario)


def _measured(variant):
    spec = cells._air(SHORT, "idle", "on", "up", variant)
    result = load_scenario(spec).run(1)
    return {n: of.of(result) for n, of in STUDY.quantities.items()}, result.flows.to_dicts()


def test_with_every_mechanism_off_it_is_bbr3(monkeypatch):
    """But for the stream of random numbers that says when to probe."""
    monkeypatch.setitem(cells.VARIANTS, "off", cells._OFF)
    (off, flows), (theirs, expected) = _measured("off"), _measured("bbr3")
    assert abs(off["goodput"] / theirs["goodput"] - 1) < 0.1
    assert [f["cc"] for f in flows] == ["bbr3-wifi"] * 4
    assert [f["cc"] for f in expected] == ["bbr3"] * 4


def test_quantities_are_of_bbr_alone():
    spec = cells._beside_cubic(SHORT, "off", "down", "all")
    result = load_scenario(spec).run(1)
    goodput = dict(result.flows.select("flow", "goodput_warm_mbps").iter_rows())
    mine = STUDY.quantities["goodput"].of(result)
    assert mine == (goodput["bbr0"] + goodput["bbr1"]) / 2
    assert 0.5 < STUDY.quantities["fairness"].of(result) <= 1


@pytest.mark.parametrize(
    ("row", "of", "name"),
    [
        ("paper's testbed, FQ-CoDel: retransmissions per 1000 segments", cells._home, "fq-codel"),
        ("wire, 10 Mbit/s, FQ-CoDel: retransmissions per 1000 segments", cells._wire, "fq-codel"),
    ],
)
def test_rows_of_the_page_are_made_again(row, of, name):
    """Ten seeds, of BBRv3 and of the variant with the four mechanisms."""
    text = (ROOT / "docs/studies/bbr3-wifi.md").read_text()
    (line,) = (x for x in text.splitlines() if x.startswith(f"| {row} |"))
    told = [float(x) for x in line.strip("| ").split("|")[1:]]
    where = ("idle", name) if of is cells._home else ("slow", name, "itself")
    for variant, said in zip(("bbr3", "all"), told, strict=False):
        scenario = load_scenario(of(Effort(10), *where, variant))
        runs = acklab.run_many([(scenario, seed) for seed in range(1, 11)], jobs=1)
        mean = fmean(STUDY.quantities["repeated"].of(run) for run in runs)
        assert said == pytest.approx(mean, abs=0.5 if said > 40 else 0.05), variant
