"""The study of the TACK paper: it is whole, its equations are right, its claims can fail."""

from pathlib import Path
from zlib import crc32

import pytest

import acklab.studies.tack as package
from acklab.scenario import load as load_scenario
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.kit.judge import judge_all
from acklab.studies.kit.numbers import Numbers
from acklab.studies.study import Effort
from acklab.studies.tack import cells, laws, networks

STUDY = load(Path(package.__file__).parent)
SHORT = Effort(1, quick=True)


def test_it_is_whole_and_made_without_a_name():
    check_texts(STUDY)
    assert not STUDY.about.on_request
    assert not STUDY.about.own
    assert not STUDY.rules
    assert all(c.because and c.place for c in STUDY.claims)


def test_every_cell_is_a_scenario():
    for name, of in cells.GROUPS.items():
        made = of(SHORT)
        assert len({repr(c.keys) for c in made}) == len(made), name
        for cell in made:
            load_scenario(cell.scenario)


def test_a_quick_run_has_the_first_draws():
    whole = {repr(c.keys) for c in cells.GROUPS["friends"](Effort(1))}
    assert {repr(c.keys) for c in cells.GROUPS["friends"](SHORT)} < whole
    assert len(cells.FRIENDS) == 100
    assert all(1 <= d["mbits"] <= 100 and 0.5 <= d["bdp"] <= 5 for d in cells.FRIENDS)


@pytest.mark.parametrize(
    ("bw", "rtt", "hertz"),
    [(7e6, 0.01, 294), (7e6, 0.08, 50), (7e6, 0.2, 20), (590e6, 0.01, 400), (590e6, 0.2, 20)],
)
def test_figure_8b_with_an_mss_of_1488(bw, rtt, hertz):
    assert round(laws.tack(bw, rtt, mss=1488)) == hertz


def test_the_ratios_of_appendix_b4():
    for bw, rtt, share in ((48e6, 0.01, 0.1), (200e6, 0.01, 0.024), (200e6, 0.08, 0.003)):
        assert laws.tack(bw, rtt, packets=1) / laws.byte_counting(bw, 1) == pytest.approx(share)


def test_the_other_equations():
    assert laws.tack(10e6, 0.2, packets=1) == 20  # section 4.3: a delay of up to 50 ms
    assert laws.delayed(12_000, 0.04) == laws.byte_counting(12_000, 1)
    assert laws.delayed(12e6, 0.04) == laws.byte_counting(12e6, 2)
    assert laws.largest_l(4, 0.1, 0.1) == pytest.approx(400)
    assert [laws.least_window(b) for b in (2, 4)] == [2, pytest.approx(4 / 3)]
    for bw, rtt in ((100e6, 0.2), (1e6, 0.01)):
        # At the critical loss of ACKs just Q IACKs are lost.
        critical = laws.critical_ack_loss(bw, rtt, 0.01, 3)
        assert laws.lost_iacks(bw, rtt, 0.01, critical) == pytest.approx(3)


def _quick(group, *names, **keys):
    """Quantities of a quick run of the cells with these keys."""
    found = []
    for cell in cells.GROUPS[group](SHORT):
        if all(cell.keys[k] == v for k, v in keys.items()):
            result = load_scenario(cell.scenario).run(1)
            found.append((cell.keys, {n: STUDY.quantities[n].of(result) for n in names}))
    return found


def test_receivers_keep_to_eq_3():
    for keys, of in _quick("frequency", "measured", "f_tack", rtt_ms=10):
        assert of["measured"] == pytest.approx(of["f_tack"], rel=0.12), keys


def test_fewer_acks_leave_more_air_where_nothing_is_aggregated():
    kept = {k["every"]: of for k, of in _quick("contention", "goodput", "feedback", setup="single")}
    assert kept[1]["goodput"] < 0.7 * kept[16]["goodput"]
    assert kept[1]["feedback"] > 5 * kept[16]["feedback"]


def test_aggregation_carries_them_all():
    for _, of in _quick("contention", "goodput", "together", setup="ampdu"):
        assert of["goodput"] > 94
        assert of["together"] > 2


def _nonsense(*where):
    """A number from 0.01 to 100 that means nothing."""
    return 10 ** (crc32(repr(where).encode()) % 400 / 100 - 2)


def _held_on_nonsense(salt):
    """Claims that are reproduced if each cell has a meaningless number."""
    made = {
        at: type(field)(
            field.axes, {k: dict.fromkeys((1, 2), _nonsense(salt, at, k)) for k in field.cells}
        )
        for at, field in STUDY.vocabulary.shapes.items()
    }
    judged = judge_all(STUDY, Numbers(made), strict=False)
    return {j.claim.id for j in judged if j.verdict == "reproduced"}


def test_claims_can_fail():
    held = [_held_on_nonsense(salt) for salt in range(8)]
    assert not set.intersection(*held)


def test_every_way_has_a_name_on_the_page():
    ways = {c.keys["way"] for g in cells.GROUPS.values() for c in g(SHORT) if "way" in c.keys}
    assert ways <= set(STUDY.about.axis["way"].names)
    assert set(networks.STANDARDS) == set(STUDY.about.axis["standard"].names)
