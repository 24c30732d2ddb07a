"""Eqs 1-8 of the cross-layer model: by hand, by counting, and beside another model."""

from itertools import product
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acklab.fluid import access, frames
from acklab.fluid.domain import DomainError, NoSolutionError, unchecked
from acklab.fluid.uplink import Setting, uplink
from acklab.validate.models.bianchi import transmits, windows
from conftest import ROOT


def test_a_cycle_by_hand():
    # Eight stations, 106 tones each, MCS 9, 3 ms of data. A trigger for reports has 16 + 8 + 8 * 5
    # + 4 octets: 566 bits with service and tail, 6 symbols at 24 Mbit/s. A basic one has 8 more.
    assert frames.trigger(8, basic=False) == 68
    assert isclose(frames.non_ht(68), 20e-6 + 6 * 4e-6)
    assert isclose(frames.non_ht(76), 20e-6 + 7 * 4e-6)
    # A report: 326 bits, 680 in a symbol of 14.4 us, so one symbol; 40 us before it and an HE-LTF.
    assert isclose(frames.rate(106, 9) * 14.4e-6, 680)
    assert isclose(frames.he_tb(38, frames.rate(106, 9)), 40e-6 + 8e-6 + 14.4e-6)
    # A block ack for eight: 16 + 2 + 8 * 12 + 4 octets, 966 bits, 11 symbols.
    assert isclose(frames.non_ht(frames.multi_block_ack(8)), 20e-6 + 11 * 4e-6)
    cycle = frames.cycle(8, 106, 9, 3e-3)
    assert isclose(cycle.length, 44e-6 + 62.4e-6 + 48e-6 + 3e-3 + 64e-6 + 4 * 16e-6)


def test_rates_of_the_standard():
    # 802.11ax tables 27-73, 27-75, 27-77: one stream and a guard interval of 0.8 us.
    assert isclose(frames.rate(26, 0, guard=0.8e-6), 12 / 13.6e-6)
    assert isclose(frames.rate(242, 11, guard=0.8e-6) / 1e6, 143.4, abs_tol=0.05)
    assert isclose(frames.rate(996, 7, guard=0.8e-6) / 1e6, 360.3, abs_tol=0.05)


def count(n: int, r: int, stages: list[int], triggers: int, seed: int) -> tuple[float, float]:
    """Random access as the standard words it: the part of attempts that collide, and successes in a
    trigger."""
    rng = np.random.default_rng(seed)
    stage = np.zeros(n, int)
    top = np.array(stages)
    obo = rng.integers(0, top[stage] + 1)
    attempts = lost = 0
    for _ in range(triggers):
        sends = obo <= r
        obo = obo - r
        who = np.flatnonzero(sends)
        unit = rng.integers(0, r, len(who))
        alone = np.bincount(unit, minlength=r)[unit] == 1
        attempts += len(who)
        lost += int((~alone).sum())
        # Success, or the last stage has failed: begin anew.
        stage[who] = np.where(alone | (stage[who] == len(stages) - 1), 0, stage[who] + 1)
        obo[who] = rng.integers(0, top[stage[who]] + 1)
    return lost / attempts, (attempts - lost) / triggers


@pytest.mark.parametrize(("n", "r"), [(2, 1), (5, 2), (8, 4), (20, 8), (40, 18)])
def test_random_access_beside_counting(n, r):
    stages = [7, 15, 31]
    collide, succeed = count(n, r, stages, 40_000, 1)
    found = access.random_access(n, r, access.uora_stages(r))
    # The model takes stations to be independent; a few of them are not, quite.
    assert found.gamma == pytest.approx(collide, abs=0.02)
    assert found.winners == pytest.approx(succeed, rel=0.05)


def test_attempts_beside_bianchis_equation_7():
    for p in (0.0, 0.1, 0.5, 0.9, 1.0):
        of = windows(16, 1024, 9)
        assert access.eq4(p, [(w + 1) / 2 for w in of]) == pytest.approx(transmits(p, of, False))


@settings(max_examples=400, deadline=None)
@given(
    n=st.integers(1, 500),
    r=st.integers(1, 74),
    low=st.integers(0, 127),
    doublings=st.integers(0, 7),
    more=st.integers(0, 9),
)
def test_a_fixed_point_over_the_whole_box(n, r, low, doublings, more):
    high = low
    for _ in range(doublings):
        high = 2 * high + 1
    slots = access.uora_stages(r, low, high, more)
    found = access.random_access(n, r, slots)
    assert 0 < found.beta <= 1
    assert 0 <= found.gamma <= 1
    assert access.eq5(access.eq4(found.gamma, slots), r, n) == pytest.approx(found.gamma, abs=1e-9)
    assert 0 <= found.winners <= r * (1 + 1e-9)


@settings(deadline=None)
@given(
    ap=st.floats(0, 1),
    classes=st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1)), max_size=4),
    p=st.floats(0, 1),
)
def test_slot_probabilities_are_probabilities(ap, classes, p):
    slots = access.eq7_probabilities(ap, classes, p)
    parts = (slots.idle, slots.success, slots.failure)
    assert all(-1e-12 <= x <= 1 + 1e-12 for x in parts)
    assert sum(parts) == pytest.approx(1)
    worse = access.eq7_probabilities(ap, classes, min(p + 0.1, 1))
    assert worse.success <= slots.success + 1e-12


def test_printed_equation_7_leaves_the_probabilities():
    slots = access.eq7_probabilities_printed(0, [(3, 0.1)], 0.1)
    assert slots.failure == pytest.approx(-0.1 * 0.9**3)
    assert slots.failure < 0
    assert slots.idle + slots.success > 1
    # More errors, more successes.
    more = access.eq7_probabilities_printed(0, [(3, 0.1)], 0.3)
    assert more.success > slots.success


def test_printed_equation_4_leaves_the_probabilities():
    # CWmin of voice is 3: a mean backoff of 1.5 slots. A window of 1 (OCW 0) has none.
    assert access.eq4_printed(0.0, [0.5]) > 1
    with pytest.raises(ZeroDivisionError):
        unchecked(access.eq4_printed)(1.0, [8, 16])
    with pytest.raises(DomainError, match="Eq 4: gamma = 1"):
        access.eq4_printed(1.0, [8, 16])
    assert access.eq4(1.0, [8, 16]) == pytest.approx(2 / 24)


def test_printed_equation_8_does_not_add_up():
    n, r = 8, 4
    found = access.random_access(n, r, access.uora_stages(r))
    f = access.eq6(found.gamma, 0.0)
    theta = access.eq2_printed(10, 0, r, 12e3, 3e-3)
    parts = n * access.eq8_printed(found.beta, f, theta)
    assert parts == pytest.approx(found.winners * theta)
    assert parts > theta


@pytest.mark.parametrize("p_phy", [0.0, 0.1])
def test_parts_add_up_to_the_whole(p_phy):
    n, r, scheduled = 8, 4, 3
    found = access.random_access(n, r, access.uora_stages(r))
    f = access.eq6(found.gamma, p_phy)
    rest = (10, 12e3, 3e-3, 50e-6)
    whole = access.eq2(
        rest[0], scheduled, found.winners * (1 - p_phy), rest[1], rest[2], p_phy, rest[3]
    )
    wins = access.eq8(rest[0], 0, found.beta, f, p_phy, *rest[1:])
    has = access.eq8(rest[0], 1, 0.0, f, p_phy, *rest[1:])
    assert n * wins + scheduled * has == pytest.approx(whole)


def test_packets_in_a_ppdu_by_hand():
    # 106 tones at MCS 9: 47.2 Mbit/s. 3 ms without 56 us are 139,027 bits. A packet of 1500 octets
    # is 12,000 bits as printed, and 12,352 with its frame: 38 octets more, padded, and a delimiter.
    at, sizes = frames.rate(106, 9), (160, 256, 1448 * 8)
    assert access.eq3_printed(at, 3e-3, 56e-6, *sizes, most=64) == 11
    assert access.eq3(at, 3e-3, 56e-6, 52 * 8, 1448 * 8, 32, most=64) == 11
    assert access.eq3_printed(at, 3.19e-3, 56e-6, *sizes, most=64) == 12
    assert access.eq3(at, 3.19e-3, 56e-6, 52 * 8, 1448 * 8, 32, most=64) == 11
    assert access.eq3(at, 1.0, 56e-6, 52 * 8, 1448 * 8, 32, most=64) == 64


def test_the_example_of_the_page():
    """Eight RUs of 106 tones at MCS 9, four of them scheduled, eight stations for the others."""
    page = (ROOT / "docs" / "studies" / "cross-layer-model.md").read_text()
    cycle, n, r = frames.cycle(8, 106, 9, 3e-3), 8, 4
    found = access.random_access(n, r, access.uora_stages(r))
    size = 1448 * 8
    fit = float(access.eq3(frames.rate(106, 9), 3e-3, 56e-6, 52 * 8, size, 32, most=64))
    printed = access.eq2_printed(fit, 4, r, size, cycle.length) / 1e6
    between = access.cycle_time(0.0, [8.5], 9e-6, 43e-6, 0.0)
    whole = access.eq2(fit, 4, found.winners, size, cycle.length, 0.0, between) / 1e6
    eight = n * access.eq8_printed(found.beta, found.gamma, printed)
    wins = access.eq8(fit, 0, found.beta, found.gamma, 0, size, cycle.length, between) / 1e6
    for text in (
        f"| {cycle.length * 1e6:.1f} µs,",
        f"| {printed:.1f} Mbit/s printed, {whole:.1f} corrected |",
        f"| {found.gamma:.3f} |",
        f"the eight get {eight:.1f} of {printed:.1f} Mbit/s printed, {n * wins:.1f} of {whole:.1f}",
    ):
        assert text in page, text


@pytest.mark.parametrize(("n", "r", "beta"), [(1, 1, 0.3), (3, 2, 0.5), (4, 3, 0.9), (5, 2, 1.0)])
def test_nobody_wins_by_enumeration(n, r, beta):
    total = 0.0
    # Each station stays silent (None) or takes one of the RUs.
    for choices in product([None, *range(r)], repeat=n):
        chance = np.prod([1 - beta if c is None else beta / r for c in choices])
        alone = any(choices.count(u) == 1 for u in range(r))
        total += 0.0 if alone else float(chance)
    assert access.nobody_wins(n, r, beta) == pytest.approx(total)


def test_the_time_from_one_trigger_to_the_next_by_hand():
    # Answered always: half of 15 slots. Never: the last window, of 31 slots.
    assert access.cycle_time(0.0, [8.5, 16.5], 9.0, 1000.0, 500.0) == pytest.approx(1000 + 7.5 * 9)
    stuck = access.cycle_time(1.0, [16.5], 9.0, 1000.0, 500.0)
    assert stuck == pytest.approx(500 + 15.5 * 9)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"stations": 0}, "Eq 5: n_ra"),
        ({"units": 0}, "Eq 5: r_A"),
        ({"ppdu": 0.0}, "Eq 1: d_ppdu"),
        ({"p_phy": 1.5}, "Eq 6: p_phy"),
        ({"scheduled": -1}, "Eq 2: s_A"),
    ],
)
def test_a_setting_outside_its_domain_is_named(change, says):
    of = {"stations": 4, "units": 2, "tf": 36e-6, "ppdu": 1e-3, "mb": 32e-6}
    with pytest.raises(DomainError, match=says):
        uplink(Setting(**{**of, "stages": access.uora_stages(2), **change}))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: access.eq4(0.5, [0.5, 8]), "Eq 4: B_k"),
        (lambda: access.eq4(1.5, [8]), "Eq 4: gamma"),
        (lambda: access.eq5(0.5, 0, 3), "Eq 5: r_A"),
        (lambda: access.eq5(-0.1, 2, 3), "Eq 5: beta"),
        (lambda: access.eq6(0.1, 2), "Eq 6: p_phy"),
        (lambda: access.eq3(1e6, 1e-5, 5e-5, 0, 1, 32, 1), "Eq 3: t_d"),
        (lambda: access.uora_stages(2, 31, 7), "Eq 4: OCWmin"),
        (lambda: access.eq7_probabilities(0, [(3, 1.1)], 0), "Eq 7: beta_j"),
        (lambda: frames.rate(27, 0), "Eq 3: RU"),
        (lambda: access.eq1(-1e-6, 0, 1e-5, 1e-3, 1e-5, 16e-6), "Eq 1: d_tfr"),
        (lambda: access.eq2(-3, 1, 1, 1e4, 1e-3, 0, 0), "Eq 2: p_agg"),
        (lambda: access.eq2(3, 1, 1, 1e4, 1e-3, 0, -1), "Eq 2: the time between cycles"),
        (lambda: access.eq3(0, 3e-3, 5e-5, 0, 1, 32, 1), "Eq 3: T_r"),
        (lambda: access.cycle_time(0.1, [8.5], 9e-6, -1, 0), "Eq 7: T_s"),
        (lambda: access.eq8(1, 0, 7, 0, 0, 1e4, 1e-3, 0), "Eq 8: beta_i"),
        (lambda: access.eq8(1, 0, 0.5, float("nan"), 0, 1e4, 1e-3, 0), "Eq 8: f_i"),
    ],
)
def test_what_is_outside_a_domain_is_named(call, says):
    with pytest.raises(DomainError, match=says) as caught:
        call()
    assert "help: " in str(caught.value)


def test_several_fixed_points_are_counted_and_refused():
    """B_k that fall: after a failure a station attempts more often, so that a crowd may be calm or
    stay in collisions. Each of the three is a solution of Eqs 4 and 5."""
    slots = [100.0] + [1.0] * 50
    with pytest.raises(NoSolutionError, match=r"3 fixed points for n_ra = 20, r_A = 1 and B_k"):
        access.random_access(20, 1, slots)
    off = [access.eq5(access.eq4(g, slots), 1, 20) - g for g in (0.0, 0.5, 0.99, 1.0)]
    assert [o > 0 for o in off] == [True, False, True, False]


def test_falling_slots_with_one_fixed_point_have_it():
    found = access.random_access(8, 1, [50.0, 1.0])
    assert found.gamma == pytest.approx(access.eq5(access.eq4(found.gamma, [50, 1]), 1, 8))
