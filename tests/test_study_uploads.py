"""The study of many uploads as a folder: it is whole, and its remedies do what their names say."""

from pathlib import Path

import pytest

import acklab.studies.uploads as package
from acklab.scenario import load as load_scenario
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.study import Effort
from acklab.studies.uploads import cells

STUDY = load(Path(package.__file__).parent)
SHORT = Effort(1, quick=True)


def test_it_is_whole_and_made_on_request_only():
    check_texts(STUDY)
    assert STUDY.about.on_request
    assert STUDY.about.own
    assert all(c.because for c in STUDY.claims)


def test_every_cell_is_a_scenario_of_its_own():
    for name, of in cells.GROUPS.items():
        made = of(SHORT)
        told = [repr(c.scenario) for c in made]
        assert len(set(told)) == len(told), name
        for cell in made:
            load_scenario(cell.scenario)


@pytest.fixture(scope="module")
def today():
    """Quantities of a quick run by remedy, in stations with mac80211's queues."""
    found = {}
    for cell in cells.GROUPS["today"](SHORT):
        if cell.keys["queue"] == "mac80211":
            result = load_scenario(cell.scenario).run(1)
            names = ("ack_loss", "filtered", "ap_wait", "collision", "throughput", "jain")
            found[cell.keys["remedy"]] = {n: STUDY.quantities[n].of(result) for n in names}
    return found


def test_filters_take_acks_out_and_nothing_else_does(today):
    filters = {"tac", "cake", "cake-hard", "one-of-three", "replace", "cake-queues", "cake-rts"}
    for remedy, of in today.items():
        assert (of["filtered"] > 0.4) == (remedy in filters), remedy


def test_room_for_every_ack_loses_none(today):
    assert today["nothing"]["ack_loss"] > 0.2
    for remedy in ("deep", "queues", "cake", "cake-hard"):
        assert today[remedy]["ack_loss"] < 0.01, remedy
    assert today["queues"]["ap_wait"] > today["nothing"]["ap_wait"]


def test_rts_makes_collisions_short(today):
    for remedy in ("rts", "cake-rts", "queues-rts"):
        assert today[remedy]["collision"] < 0.1 * today["nothing"]["collision"], remedy
        assert today[remedy]["throughput"] > 1.2 * today["nothing"]["throughput"], remedy


def test_every_remedy_has_a_name_on_the_page():
    assert set(cells.REMEDIES) == set(STUDY.about.axis["remedy"].names)
