"""The study of BBRv3 that knows of aggregation: it is whole, its variants are what they say."""

from pathlib import Path

import acklab.studies.bbr3_wifi as package
from acklab.scenario import load as load_scenario
from acklab.studies.bbr3_wifi import cells
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.study import Effort

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
