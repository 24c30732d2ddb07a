"""The map of queues as a folder: it is whole, and its cells are what they are called."""

from pathlib import Path

import numpy as np
import pytest

import acklab.studies.queue_map as package
from acklab.scenario import load as load_scenario
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.queue_map import cells
from acklab.studies.study import Effort
from conftest import ROOT

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


FAST = {"air": "idle", "hosts": "one", "cc": "newreno", "rate": 500, "rtt_ms": 20}


def _cell(**keys):
    for cell in cells.GROUPS["map"](Effort(cells.FAST_SEEDS)):
        if all(cell.keys[axis] == key for axis, key in keys.items()):
            return dict(cell.scenario)
    raise AssertionError(keys)


def test_the_page_has_the_prices_of_a_fast_line():
    """A row of its table: means of all seeds."""
    used = []
    for queue in ("pfifo", "fq-codel", "cake"):
        run = load_scenario(_cell(**FAST, queue=queue)).run
        shares = [STUDY.quantities["filled"].of(run(seed)) for seed in (1, 2)]
        used.append(f"{sum(shares) / 2:.2f}")
    page = (ROOT / "docs/studies/queue-map.md").read_text()
    assert f"| 500 Mbit/s, 20 ms | NewReno | {' | '.join(used)} | 2 of 6 s |" in page


def test_cake_loses_a_fast_line_in_slow_start_and_gets_it_back():
    """One early drop costs a third of the line, and nothing is left of that after 20 s."""

    def shares(queue):
        spec = {**_cell(**FAST, queue=queue), "duration": "25 s", "record": {"every": "100 ms"}}
        run = load_scenario(spec).run(1)
        time, rate = (np.asarray(run.columns("series")[n]) for n in ("time_s", "goodput_mbps"))
        parts = ((2, 6), (20, 25))
        of = [np.nanmean(rate[(time > a) & (time <= b)]) / FAST["rate"] for a, b in parts]
        return *of, run.columns("flows")["retransmissions"][0]

    early, late, again = shares("cake")
    assert early < 0.7
    assert late > 0.94
    assert again == 1
    early, late, _ = shares("fq-codel")
    assert early > 0.94
    assert late > 0.85
