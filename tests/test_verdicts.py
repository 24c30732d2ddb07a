"""Rules of the claims: what the thesis's own numbers meet, and what an interval leaves open."""

import math

import pytest

from acklab.studies import runs
from acklab.studies.ack_aggregation import findings, references, teeth
from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.findings import RATIOS
from acklab.studies.ack_aggregation.findings_fairness import FAIRNESS, MIXED, UNDECIDED, winner
from acklab.studies.ack_aggregation.findings_feedback import FEEDBACK, by_model, near_zero
from acklab.studies.ack_aggregation.findings_feedback_loss import misread, rises, unchanged
from acklab.studies.ack_aggregation.findings_loss import LOSS
from acklab.studies.ack_aggregation.findings_rates import RATES, reached
from acklab.studies.ack_aggregation.findings_shares import SHARES, shifts
from acklab.studies.ack_aggregation.findings_summary import SUMMARY, unstable
from acklab.studies.ack_aggregation.findings_throughput import THROUGHPUT, declines
from acklab.studies.ack_aggregation.findings_vegas import VEGAS
from acklab.studies.ack_aggregation.why import Why
from acklab.studies.runs import Runs
from acklab.studies.study import Effort

CONTROLLERS = ("bbr3", "cubic", "newreno", "vegas")
FINDINGS = {f.id: f for f in (*THROUGHPUT, *RATES, *VEGAS, *FAIRNESS, *SUMMARY, *FEEDBACK, *SHARES)}


@pytest.fixture(scope="module")
def thesis():
    """The thesis's Tables 1 to 3, as if two seeds had given them."""
    table1 = {(cc, r): references.paper_throughput(cc, r) for cc in CONTROLLERS for r in RATIOS}
    pairs = [*(f"{cc}-{cc}" for cc in CONTROLLERS), *MIXED]
    table2 = {(p, r): references.paper_fairness(p, r) for p in pairs for r in RATIOS}

    def twice(quantity, table):
        return {(quantity, "ns3", key, r): {1: v, 2: v} for (key, r), v in table.items()}

    throughput = {("ns3", *at): v for at, v in table1.items()}
    fairness = {("ns3", *at): {"acklab": v} for at, v in table2.items()}
    seeds = Runs(twice("mbps", table1) | twice("jain", table2))
    return Evidence(throughput, {}, fairness, {}, {}, runs=seeds).view("ns3")


@pytest.mark.parametrize(
    "name",
    [
        "T1-bbr-drop",
        "T1-bbr-stable",
        "T1-cubic-robust",
        "T1-cubic-less-change",
        "T1-cubic-collapse",
        "T1-newreno-decline",
        "T1-newreno-2to1",
        "T1-newreno-16to1",
        "T1-newreno-consistent",
        "T1-vegas-baseline",
        "T1-vegas-moderate",
        "T1-vegas-16to1",
        "T2-low",
        "T2-half",
        "T2-cubic-recovers",
        "T2-bbr-stays",
        "T2-newreno",
        "T2-vegas",
        "T1-sensitivities",
        "T2-vegas-unpredictable",
        "T3-differences",
    ],
)
def test_the_theses_numbers_meet_its_sentences(thesis, name):
    """A rule that they do not meet would not be the sentence's."""
    assert FINDINGS[name].holds(thesis)


def test_a_sentence_about_one_controller_does_not_fit_the_others(thesis):
    assert [cc for cc in CONTROLLERS if declines(thesis, cc)] == ["newreno"]
    assert [cc for cc in CONTROLLERS if unstable(thesis, cc)] == ["vegas"]


@pytest.mark.parametrize("name", ["5.1-newreno-fairer", "P-newreno-robust"])
def test_where_the_thesis_contradicts_its_own_table(thesis, name):
    """Two flows of NewReno have 0.5 from 4:1 on in Table 2, of CUBIC 0.977 at 4:1."""
    assert not FINDINGS[name].holds(thesis)


def one_flow(quantity, cc, at):
    """Runs by ratio and seed of one controller, as stated in ns-3's stack."""
    found = {(quantity, "ns3", cc, r): dict(enumerate(v, 1)) for r, v in at.items()}
    return Evidence({}, {}, {}, {}, {}, runs=Runs(found)).view("ns3")


@pytest.mark.parametrize(
    ("rates", "falls"),
    [
        # Sure, but a percent is close to the baseline.
        ((9.60, 9.58, 9.53, 9.50, 9.50), False),
        ((9.04, 8.56, 8.52, 8.40, 8.29), True),
    ],
)
def test_a_decline_is_more_than_what_is_called_close(rates, falls):
    by = {"newreno": rates, "cubic": (9.0,) * 5}
    found = {
        ("mbps", "ns3", cc, r): {1: v, 2: v}
        for cc, each in by.items()
        for r, v in zip(RATIOS, each, strict=True)
    }
    view = Evidence({}, {}, {}, {}, {}, runs=Runs(found)).view("ns3")
    assert declines(view, "newreno") == falls


def test_a_step_of_a_bin_is_no_longer_time():
    rule = next(f for f in RATES if f.id == "F2-newreno-longer").holds
    assert not rule(one_flow("reached_s", "newreno", {2: (1.0, 1.0), 8: (1.5, 1.5)}))
    assert rule(one_flow("reached_s", "newreno", {2: (4.0, 4.0), 8: (5.5, 5.5)}))


def test_from_eight_segments_to_one_nothing_drops():
    rule = next(f for f in LOSS if f.id == "F4-cubic-16to1").holds
    assert not rule(one_flow("retransmissions", "cubic", {8: (2.0, 3.0), 16: (0.0, 1.0)}))
    assert rule(one_flow("retransmissions", "cubic", {8: (140.0, 150.0), 16: (40.0, 42.0)}))


def test_quick_reports_say_that_their_verdicts_are_not_the_studys():
    assert "20 s" not in findings.note(Effort(10))
    quick = findings.note(Effort(3, quick=True))
    assert "runs of 20 s" in quick
    assert "3 seeds" in quick
    assert "not the study's" in quick


def pair_with(*gaps):
    of = dict(enumerate(gaps, 1))
    seeds = Runs({("gap_mbps", "ns3", pair, r): of for pair in MIXED for r in RATIOS})
    return Evidence({}, {}, {}, {}, {}, runs=seeds).view("ns3")


@pytest.mark.parametrize(
    ("gaps", "wins"),
    [
        ((3.0, 3.5, 4.0), "bbr3"),
        ((-3.0, -3.5, -4.0), "cubic"),
        # The mean says CUBIC, its interval nothing.
        ((-4.0, 1.0, -1.0), UNDECIDED),
        ((3.0,), UNDECIDED),
        ((0.0, 0.0), UNDECIDED),
    ],
)
def test_who_wins_a_pair_is_decided_by_the_interval(gaps, wins):
    assert winner(pair_with(*gaps), "bbr3-cubic") == wins


def test_runs_are_compared_seed_by_seed():
    # Seeds differ by far more than the two cells do.
    a, b = {1: 1.0, 2: 5.0, 3: 9.0}, {1: 1.2, 2: 5.2, 3: 9.3, 4: 0.0}
    assert runs.less(runs.minus(a, b))
    assert runs.mean(runs.difference(b, a)) == pytest.approx(0.7 / 3)
    assert runs.minus(a, {7: 1.0}).n == 0
    assert runs.spread([a, b]) == pytest.approx({1: 0.2, 2: 0.2, 3: 0.3})
    assert runs.said(runs.known({})) == "-"
    assert runs.said(runs.known({1: 2.0})) == "2.00 (one seed)"
    assert runs.changed(runs.known({1: 1.0, 2: -1.0})).endswith("(undecided)")
    assert runs.changed(runs.known({1: 1.0, 2: 1.0})) == "1.00 ± 0.00"
    assert runs.changed(runs.known({1: 0.0, 2: 0.0})) == "none"


def test_a_rate_that_is_never_reached_is_not_reached_at_the_end():
    def line(since):
        return [(t / 2, 9.0 if t / 2 >= since else 1.0) for t in range(1, 121)]

    rates = {("ns3", "bbr3", r): line(10 if r < 16 else 90) for r in RATIOS}
    view = Evidence({}, {}, {}, {}, rates).view("ns3")
    assert view.time_to(0.9, "bbr3", 2) == 10
    assert view.time_to(0.9, "bbr3", 16) == math.inf
    told = "90 % after 10.0 s / 10.0 s / 10.0 s / 10.0 s / not within 60 s"
    assert reached(0.9, "bbr3")(view) == told
    assert not FINDINGS["F2-bbr-slow-start"].holds(view)


def saw(heights, top=0):
    """Climbs from half of each height to it in ten steps, and stays there for `top`."""
    values = [h * (0.5 + 0.05 * i) for h in heights for i in [*range(11), *[10] * top]]
    return [(float(i), v) for i, v in enumerate(values)]


def test_teeth_of_a_saw():
    found = teeth.teeth(saw([100] * 6))
    # The first has no trough before it, the last no fall behind it.
    assert len(found) == 4
    assert teeth.period(found) == 11
    assert teeth.period_variation(found) == teeth.peak_variation(found) == 0
    assert teeth.climb(found) == pytest.approx(5)
    assert teeth.climbing(found) == pytest.approx(10 / 11)


def test_teeth_that_differ_and_lines_without():
    found = teeth.teeth(saw([100, 100, 60, 100, 60, 100, 100]))
    assert teeth.peak_variation(found) > 0.2
    # On a flat top nothing climbs.
    assert teeth.climbing(teeth.teeth(saw([100] * 5, top=20))) < 0.4
    for line in ([], [(0.0, 5.0)], [(float(i), 40.0 + i % 2) for i in range(50)]):
        assert teeth.teeth(line) == []
    few = teeth.teeth(saw([100] * 4))
    assert teeth.period(few) == 11
    assert teeth.period_variation(few) is None


def why_with(**numbers):
    """Traces at 8:1 and 1:1: of a quantity its value by controller and ratio."""
    places = {
        (f"why-{artefact}", quantity, "ns3", cc, ratio, 1, 0): value
        for name, of in numbers.items()
        for artefact, quantity in [name.split("__")]
        for (cc, ratio), value in of.items()
    }
    return Evidence({}, {}, {}, {}, {}, why=Why(places)).view("ns3")


@pytest.mark.parametrize(
    ("bbr3", "cubic", "pace", "holds"),
    [
        (1.0, 5.0, 1.02, True),
        (1.0, 1.05, 1.02, False),
        (1.0, 5.0, 1.2, False),
        (math.nan, 5.0, 1.0, False),
        (1.0, math.nan, 1.0, False),
    ],
)
def test_who_relies_on_acks_answers_them_in_bursts(bbr3, cubic, pace, holds):
    rows = {("bbr3", 8): bbr3, ("cubic", 8): cubic}
    view = why_with(acks__burst_packets=rows, loss__cruise_pacing_share={("bbr3", 8): pace})
    assert by_model(view) is holds


def test_bbr_misreads_what_it_did_not_at_one_to_one():
    def paced(one, eight):
        return why_with(loss__cruise_pacing_share={("bbr3", 1): one, ("bbr3", 8): eight})

    assert misread(paced(1.0, 0.8), "bbr3")
    assert not misread(paced(1.2, 1.2), "bbr3")


def cubic(**by_ratio):
    """Two seeds alike: quantities of CUBIC by ratio."""
    values = {
        (quantity, "ns3", "cubic", r): {1: x, 2: x}
        for quantity, of in by_ratio.items()
        for r, x in zip(RATIOS, of, strict=True)
    }
    return Evidence({}, {}, {}, {}, {}, runs=Runs(values)).view("ns3")


def test_probing_is_unchanged_if_all_of_it_is():
    flat = (7.0, 7.2, 7.1, 7.0, 7.1)
    assert unchanged(cubic(climb_packets_per_s=flat, period_s=flat))
    assert not unchanged(cubic(climb_packets_per_s=flat, period_s=(7, 7, 7, 7, 6)))
    assert not unchanged(cubic(climb_packets_per_s=flat)), "no cycle shows no probing"


def test_a_rise_that_cannot_be_seen_is_none():
    assert rises(cubic(retransmissions=(100, 100, 100, 120, 0)), "cubic")
    assert not rises(cubic(retransmissions=(100, 150, 150, 105, 0)), "cubic")


def test_a_collapse_leaves_less_than_can_be_seen():
    assert near_zero(cubic(end_mbps=(9, 9, 9, 9, 0.5)))
    assert not near_zero(cubic(end_mbps=(9, 9, 9, 9, 1.96)))


def test_dominance_shifts_where_each_is_ahead_somewhere():
    ahead = {("gap_mbps", "ns3", "bbr3-cubic", r): {1: -3.0, 2: -3.1} for r in (1, 2)}
    later = {("gap_mbps", "ns3", "bbr3-cubic", r): {1: 3.0, 2: 3.1} for r in (4, 8, 16)}
    view = Evidence({}, {}, {}, {}, {}, runs=Runs(ahead | later)).view("ns3")
    assert shifts(view) == ["bbr3-cubic"]
    view = Evidence({}, {}, {}, {}, {}, runs=Runs(ahead)).view("ns3")
    assert shifts(view) == []
