"""The study of TAC as a folder: it is whole, its quotations are the paper's, its numbers right."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

import acklab.studies.ack_compression as package
from acklab.scenario import load as load_scenario
from acklab.studies.ack_compression import cells, quantities
from acklab.studies.kit.fields import Field
from acklab.studies.kit.folder import load
from acklab.studies.kit.judge import judge_all
from acklab.studies.kit.language import Scope, number, truth
from acklab.studies.kit.numbers import Numbers, numbers
from acklab.studies.kit.runs import run
from acklab.studies.kit.templates import filled, required
from acklab.studies.kit.truth import Truth
from acklab.studies.kit.words import Wrong, steps
from acklab.studies.study import Effort

PAPER = set((Path(__file__).parent / "data" / "tac_quotations.txt").read_text().split())
WORDS = 4
STUDY = load(Path(package.__file__).parent)
CLAIMS = {c.id: c.says for c in STUDY.claims}
QUICK = Effort(2, quick=True)


def strange(sentence):
    """Words of it that the paper does not have, four at a time."""
    found = []
    for part in sentence.split("…"):
        words = [w for w in (word.strip(".,;:()[]") for word in part.split()) if w]
        assert len(words) >= WORDS, f"too short to be held: {part}"
        for i in range(len(words) - WORDS + 1):
            four = " ".join(words[i : i + WORDS])
            if sha256(four.encode()).hexdigest()[:8] not in PAPER:
                found.append(four)
    return found


@pytest.mark.parametrize("name", CLAIMS)
def test_a_quotation_is_the_papers(name):
    assert strange(CLAIMS[name]) == []


def test_changed_words_and_cuts_are_seen():
    whole = CLAIMS["F5-tight-why"]
    assert strange(whole.replace("moderate", "low")) != []
    assert strange(re.sub(r" …", "", CLAIMS["F6-similar"])) != []


@pytest.mark.parametrize("path", sorted((STUDY.path / "text").glob("*.md")), ids=lambda p: p.stem)
def test_a_text_names_numbers_that_exist(path):
    scope = Scope(STUDY.vocabulary, STUDY.vocabulary.shapes, STUDY.where("ns2"))
    found = filled(path.read_text(), scope)
    assert "{" not in found
    assert all(claim in CLAIMS for claim, _ in required(path.read_text()))


def test_claims_by_design_are_marked():
    marked = {c.id for c in STUDY.claims if c.by_design}
    assert marked == {"III-zero", "III-order", "III-rack-errors", "F6-per"}


def test_every_cell_is_a_scenario():
    for name, of in cells.GROUPS.items():
        found = of(Effort(3))
        assert len({tuple(c.keys.items()) for c in found}) == len(found), name
        for cell in found[:: max(len(found) // 6, 1)]:
            load_scenario(cell.scenario)


def test_schemes_and_readings_differ_from_doing_nothing():
    fig5 = {c.keys["scheme"]: c.scenario for c in cells.GROUPS["fig5"](QUICK)[:40:10]}
    assert len(fig5) == 4
    assert all(fig5[s] != fig5["agg"] for s in ("diff", "rdg", "tac"))
    plain = {str(c.scenario) for c in cells.GROUPS["small"](QUICK)}
    assert len(plain) == len(cells.READINGS) - 1


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """The numbers of a quick run of the cells that are watched, and of some claims' cells."""
    wanted = ("gaps", "grants", "held", "errors", "udp", "growth", "lossy", "timer")
    groups = {g: cells.GROUPS[g](QUICK) for g in wanted}
    groups["fig5"] = [
        c
        for c in cells.GROUPS["fig5"](QUICK)
        if c.keys["stations"] in (5, 20, 30) and c.keys["scheme"] in ("agg", "tac")
    ]
    journal = tmp_path_factory.mktemp("journal") / "quick"
    return numbers(run(groups, quantities.QUANTITIES, QUICK, journal, jobs=2))


def held(text, ours, setup="ns2"):
    return truth(text, Scope(STUDY.vocabulary, ours, STUDY.where(setup)))


def test_saturated_udp_collides_more_with_more_stations_and_tcp_does_not(ours):
    assert held("udp.failed(stations=30) > udp.failed(stations=5) + 0.1", ours) is Truth.YES
    assert held("mean(fig5.failed(scheme=agg, stations=30)) < 0.4", ours) is Truth.YES


def test_flows_go_over_more_wires(ours):
    far = next(c for c in cells.GROUPS["gaps"](QUICK) if c.keys["links"] == 4)
    links = load_scenario(far.scenario).run(seed=1).links
    assert set(links.filter(link="hop2->hop3")["packets_out"] > 1000) == {True}
    assert held("all(mean(gaps.ack_gap) > 0)", ours) is Truth.YES


def test_a_timer_of_zero_is_no_filter(ours):
    (claim,) = (c for c in STUDY.claims if c.id == "III-zero")
    scope = Scope(STUDY.vocabulary, ours, STUDY.where("ns2", claim))
    assert truth(claim.holds, scope) is Truth.YES


def test_watched_runs_have_their_numbers(ours):
    scope = Scope(STUDY.vocabulary, ours, STUDY.where("ns2"))
    for text in ("held.rack_delay(te=5, stations=1)", "grants.wasted(stations=5)"):
        assert number(text, scope).cells
    # Without bit errors in the header of a packet an ACK's MPDU has 78 of 1102 bytes.
    ratio = number("mean(errors.spoilt_data) / mean(errors.spoilt_acks)", scope)
    assert 5 < ratio.cells[()][None] < 40


def test_claims_whose_cells_were_not_run_are_undecided(ours):
    judged = {j.claim.id: j for j in judge_all(STUDY, ours, strict=False)}
    assert judged["F2-small"].verdict == "undecided"
    assert judged["III-zero"].verdict == "reproduced"
    # ns-3 has no runs of TAC, and every number of AGG with 20 stations.
    assert judged["III-zero"].witnesses["ns3"] is Truth.MISSING
    assert judged["II-loss"].witnesses["ns3"] is not Truth.MISSING


def test_steps_are_differences_between_neighbours():
    of = Field(("n",), {(1,): {1: 1.0, 2: 2.0}, (5,): {1: 4.0, 2: 3.0}, (9,): {1: 4.0}})
    assert steps(of, "n").cells == {(5,): {1: 3.0, 2: 1.0}, (9,): {1: 0.0}}
    with pytest.raises(Wrong):
        steps(of, "m")


def test_a_condition_may_go_over_several_lines(ours):
    both = "udp.failed(stations=30) > 0\n and udp.failed(stations=5) > 0"
    assert held(both, ours) is Truth.YES


def test_a_quantity_that_a_witness_lacks_is_missing_and_no_error():
    nothing = Scope(STUDY.vocabulary, Numbers(), STUDY.where("ns2"))
    assert truth("all(steps(udp.failed, along=stations) > 0)", nothing) is Truth.MISSING


def test_the_flows_of_a_run_are_ranked_by_loss():
    found = quantities.of_losses([0.0, 0.01, 0.2, 0.5], [4.0, 3.0, 2.0, 1.0])
    assert (found["flows_without_loss"], found["flows_below_2"], found["flows_above_12"]) == (
        1,
        2,
        2,
    )
    assert found["loss_correlation"] < -0.9
