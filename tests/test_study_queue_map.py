"""The map of queues as a folder: it is whole, and its cells are what they are called."""

from pathlib import Path

import pytest

import acklab.studies.queue_map as package
from acklab.scenario import load as load_scenario
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.queue_map import cells
from acklab.studies.study import Effort

STUDY = load(Path(package.__file__).parent)
SHORT = Effort(1, quick=True)


def test_it_is_whole_and_made_on_request_only():
    check_texts(STUDY)
    assert STUDY.about.on_request
    assert STUDY.about.own
    assert all(c.because for c in STUDY.claims)
    assert set(cells.QUEUES) == set(STUDY.about.axis["queue"].names)


def test_the_whole_map_has_two_thousand_runs():
    whole = cells.GROUPS["map"](Effort(3))
    assert sum(c.seeds or 3 for c in whole) > 2000
    told = {repr(c.scenario) for c in whole}
    assert len(told) == len(whole)


def _measured(**keys):
    names = ("filled", "delay", "delay_p95", "delay_p99", "jain_hosts", "jain_flows")
    for cell in cells.GROUPS["map"](SHORT):
        if all(cell.keys[axis] == key for axis, key in keys.items()):
            result = load_scenario(cell.scenario).run(1)
            return {n: STUDY.quantities[n].of(result) for n in names}
    raise AssertionError(keys)


SLOW = {"air": "idle", "rate": 5, "rtt_ms": 20, "cc": "cubic"}


@pytest.fixture(scope="module")
def fifo():
    return _measured(**SLOW, hosts="one", queue="pfifo")


def test_a_fifo_fills_and_delays(fifo):
    """1000 packets of 1500 B at 5 Mbit/s are 2.4 s."""
    assert 0.9 < fifo["filled"] < 1
    assert fifo["jain_hosts"] is None
    # The run begins with slow start, so that the FIFO is not full all the time.
    assert 200 < fifo["delay"] < fifo["delay_p95"] < 2500


def test_codel_does_not(fifo):
    codel = _measured(**SLOW, hosts="one", queue="fq-codel")
    assert codel["delay_p99"] < 0.1 * fifo["delay"]


def test_who_gets_how_much():
    shared = _measured(**SLOW, hosts="many", queue="cake-hosts")
    assert shared["jain_hosts"] > 0.9 > shared["jain_flows"]
    shared = _measured(**SLOW, hosts="many", queue="fq-codel")
    assert shared["jain_flows"] > 0.9 > shared["jain_hosts"]


def _of_a_call(**keys):
    for cell in cells.GROUPS["below"](SHORT):
        if all(cell.keys[axis] == key for axis, key in keys.items()):
            result = load_scenario(cell.scenario).run(1)
            return STUDY.quantities["call_p99"].of(result)
    raise AssertionError(keys)


@pytest.mark.parametrize("queue", ["fq-codel", "cake"])
def test_at_which_rate_to_shape(queue):
    """Before the line a shaper may have its rate; behind it only a lower one makes a queue."""
    bulk = {"cc": "cubic", "rate": 5, "flows": "one", "queue": queue}
    before = {s: _of_a_call(way="up", share=s, **bulk) for s in ("none", "100")}
    behind = {s: _of_a_call(way="down", share=s, **bulk) for s in ("none", "100", "90")}
    assert before["none"] > 100
    assert before["100"] < 10
    assert behind["100"] == pytest.approx(behind["none"], rel=0.01)
    assert behind["90"] < 0.05 * behind["none"]
