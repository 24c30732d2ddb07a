"""The study of less feedback as a folder: it is whole, and its ways do what their names say."""

from pathlib import Path

import pytest

import acklab.studies.feedback as package
from acklab.scenario import load as load_scenario
from acklab.studies.feedback import cells
from acklab.studies.feedback.ways import WAYS, WIRED
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.study import Effort

STUDY = load(Path(package.__file__).parent)
SHORT = Effort(1, quick=True)


def test_it_is_whole_and_made_on_request_only():
    check_texts(STUDY)
    assert STUDY.about.on_request
    assert STUDY.about.own
    assert all(c.because for c in STUDY.claims)
    assert set(WAYS) == set(STUDY.about.axis["way"].names)


def test_every_cell_is_a_scenario_of_its_own():
    for name, of in cells.GROUPS.items():
        made = of(SHORT)
        told = [repr(c.scenario) for c in made]
        assert len(set(told)) == len(told), name
        for cell in made:
            load_scenario(cell.scenario)


def _measured(group, names, **keys):
    """Quantities of quick runs by way, at the keys."""
    found = {}
    for cell in cells.GROUPS[group](SHORT):
        if all(cell.keys[axis] == key for axis, key in keys.items()):
            result = load_scenario(cell.scenario).run(1)
            found[cell.keys["way"]] = {n: STUDY.quantities[n].of(result) for n in names}
    return found


def test_fewer_acks_are_sent_or_fewer_arrive():
    wifi = _measured("wifi", ("per_data", "feedback_air"), frames="single", cc="cubic")
    plain = wifi["delayed"]
    for way in ("l4", "l8", "l16", "tarr", "ack-frequency", "tack"):
        assert wifi[way]["per_data"] < 0.6 * plain["per_data"], way
    for way in ("agg", "tac", "hack"):
        assert wifi[way]["per_data"] == pytest.approx(plain["per_data"], rel=0.1), way
        assert wifi[way]["feedback_air"] < 0.5 * plain["feedback_air"], way


def test_a_failure_is_felt_and_its_end_is_found():
    fault = _measured("fault", ("recovery", "after", "timeouts"), fault="blackout", cc="cubic")
    assert set(fault) == set(WIRED)
    for way, of in fault.items():
        assert of["timeouts"] >= 2, way
        assert 0 < of["recovery"] < 5, way
    calm = _measured("fault", ("recovery", "after"), fault="none", cc="cubic")
    for way, of in calm.items():
        assert of["recovery"] < 0.2, way
        assert of["after"] > fault[way]["after"], way


def test_k_is_that_of_rfc_3449():
    """The ratio of the rates over the ratio of the packet sizes."""
    for cell in cells.GROUPS["asymmetric"](SHORT):
        link = cell.scenario["topology"]["bottleneck"]
        there = float(link["rate"].split()[0]) * 1e6
        back = float(link["reverse"]["rate"].split()[0])
        ratio = there / back / (cells.DATA / cells.ACK)
        assert ratio == pytest.approx(cell.keys["k"], rel=1e-3)
