"""The study of BBR at home as a folder: it is whole, and its network is the paper's."""

from pathlib import Path

import pytest

import acklab.studies.bbr_wifi6 as package
from acklab.scenario import load as load_scenario
from acklab.studies.bbr_wifi6 import cells, equations
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.study import Effort

STUDY = load(Path(package.__file__).parent)
SHORT = Effort(1, quick=True)
WITH = ("goodput", "rtt", "retransmissions", "pacing", "delivery", "cwnd", "jitter")


def test_it_is_whole_and_made_on_request_only():
    check_texts(STUDY)
    assert STUDY.about.on_request
    assert all(c.because for c in STUDY.claims)


def test_every_cell_is_a_scenario():
    for of in cells.GROUPS.values():
        for cell in of(SHORT):
            load_scenario(cell.scenario)


@pytest.fixture(scope="module")
def uplink():
    """Quantities of quick runs by queue."""
    found = {}
    for queue in cells.QUEUES:
        result = load_scenario(cells.home(SHORT, "idle", "up", queue)).run(1)
        found[queue] = {n: STUDY.quantities[n].of(result) for n in WITH}, result
    return found


def test_each_packet_takes_the_air_twice_and_the_router_limits_it(uplink):
    for queue, (of, result) in uplink.items():
        links = result.columns("links")
        sent = dict(zip(links["link"], links["packets_out"], strict=True))
        assert sent["ap->peer"] > 0.9 * (sent["cubic->ap"] + sent["bbr->ap"]) > 1000, queue
        assert 9 < sum(of["goodput"].values()) < 10, queue
        assert set(of["rtt"]) == {"cubic", "bbr"}


def test_a_fifo_delays_and_codel_does_not(uplink):
    fifo, codel, cake = (uplink[q][0]["rtt"]["bbr"] for q in ("pfifo", "fq-codel", "cake"))
    assert fifo > 45
    assert cake < codel < 0.4 * fifo


def test_what_is_paced_is_measured_of_bbr_only(uplink):
    of = uplink["cake"][0]
    assert set(of["pacing"]) == {"bbr"}
    assert of["pacing"]["bbr"] == pytest.approx(of["delivery"]["bbr"], rel=0.2)


def test_the_kernel_ran_the_wire():
    linux = STUDY.witnesses["linux"]
    assert set(linux) == {("wire", q) for q in ("goodput", "retransmissions", "rtt")}
    resent = linux["wire", "retransmissions"]
    assert resent.at("queue", "cake").at("version", "bbr3").at("flow", "bbr").cells[20,] == {
        None: 435
    }


def test_the_equations_say_what_stands_in_the_file():
    assert (STUDY.path / "model.csv").read_text() == equations.table()
