"""The study of BBR at home as a folder: it is whole, and its network is the paper's."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import acklab.studies.bbr_wifi6 as package
from acklab.scenario import load as load_scenario
from acklab.studies.bbr_wifi6 import cells, equations
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.kit.language import truth
from acklab.studies.kit.templates import filled
from acklab.studies.kit.truth import Truth
from acklab.studies.kit.words import Wrong
from acklab.studies.study import Effort

STUDY = load(Path(package.__file__).parent)
SHORT = Effort(1, quick=True)
WITH = ("goodput", "rtt", "retransmissions", "pacing", "delivery", "cwnd", "jitter")


def test_it_is_whole_and_made_without_a_name():
    check_texts(STUDY)
    assert not STUDY.about.on_request
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


def test_each_sentence_that_calls_on_an_equation_has_its_number():
    """The simulator's, and the equations': a sentence on "Eq n" without a number computed from it
    says why there is none."""
    claims = [c for c in STUDY.claims if c.id.startswith("M-")]
    assert len(claims) == 29
    of = STUDY.witnesses["model"]
    scope = STUDY.scope(STUDY.vocabulary.shapes, STUDY.deciding()[0])
    for claim in claims:
        text = claim.because["always"]
        assert "{model| " in text, claim.id
        # Each has a number in the file: a dash would be none.
        for what in re.findall(r"\{model\| [^}]+\}", text):
            assert re.search(r"\d", filled(what, scope)), (claim.id, what)
        if "direction=both" in claim.holds:
            assert "Eq 16 has no ACKs" in text
    assert {group for group, _ in of} == {"wire", "home"}


def test_the_air_is_a_part_of_the_equations_round_trip():
    assert equations.air() == pytest.approx(0.9e-3, rel=0.05)
    # The step of half a millisecond is short enough.
    rough, fine = equations.home("fq-codel"), replace(equations.home("fq-codel"), step=0.2e-3)
    for quantity in ("goodput", "rtt"):
        ours = equations._home(replace(rough, duration=20.0).run())[quantity, "bbr"]
        assert ours == pytest.approx(
            equations._home(replace(fine, duration=20.0).run())[quantity, "bbr"], rel=0.05
        )


def test_a_witness_that_does_not_exist_is_named():
    scope = STUDY.scope(STUDY.vocabulary.shapes, STUDY.deciding()[0])
    with pytest.raises(Wrong, match="'modell' is no witness of this study; it has paper, linux, "):
        filled("{modell| home.rtt(direction=up, queue=cake, flow=bbr)}", scope)


def test_the_page_counts_what_the_equations_predict():
    """Computed from the claims' own conditions and the equations' numbers."""
    found = {}
    for claim in STUDY.claims:
        if claim.id.startswith("M-"):
            scope = STUDY.scope(STUDY.witnesses["model"], STUDY.deciding()[0], claim)
            found[claim.id] = truth(claim.holds, scope)
    answered = [t for t in found.values() if t is not Truth.MISSING]
    predicted = sorted(name for name, t in found.items() if t is Truth.YES)
    page = (Path(__file__).parents[1] / "docs/studies/bbr-wifi6.md").read_text()
    said = re.search(
        r"The equations answer (\d+) of the (\d+) claims: they predict (\d+)\s+\(([^)]+)\)\s+"
        r"and do not predict (\d+)\.",
        page,
    )
    assert said is not None
    assert [int(said[i]) for i in (1, 2, 3, 5)] == [
        len(answered),
        len(found),
        len(predicted),
        sum(t is Truth.NO for t in answered),
    ]
    assert sorted(re.findall(r"`([^`]+)`", said[4])) == predicted
