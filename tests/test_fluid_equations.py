"""Eqs 9-24 of the cross-layer model: where the printed form goes wrong, and that ours does not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad, solve_ivp

from acklab.fluid import bbr3, queues
from acklab.fluid.domain import DomainError

windows = st.floats(0.1, 1e4)


@settings(deadline=None)
@given(base=windows, lo=windows, hi=windows, cruise=st.floats(0, 1))
def test_a_window_stays_between_its_bounds(base, lo, hi, cruise):
    bounds = min(2 * base, lo), min(2.25 * base, hi)
    ours = bbr3.eq9(base, cruise, lo, hi)
    assert min(bounds) * (1 - 1e-12) <= ours <= max(bounds) * (1 + 1e-12)


def test_the_printed_window_leaves_its_bounds_half_way():
    assert bbr3.eq9_printed(100, 0, 400, 400) == bbr3.eq9(100, 0, 400, 400) == 225
    assert bbr3.eq9_printed(100, 1, 400, 400) == bbr3.eq9(100, 1, 400, 400) == 200
    assert bbr3.eq9_printed(100, 0.5, 400, 400) == 400


def test_a_printed_sigmoid_never_decides():
    # No losses, and every tenth packet lost; 5 ms and 500 ms more than the least RTT.
    assert bbr3.activation_printed(0 - 0.02) == pytest.approx(0.495, abs=1e-3)
    assert bbr3.activation_printed(0.1 - 0.02) == pytest.approx(0.520, abs=1e-3)
    assert bbr3.activation_printed(0.5) == pytest.approx(0.622, abs=1e-3)
    assert bbr3.activation(0 - 0.02, 0.001) < 1e-8
    assert bbr3.activation(0.1 - 0.02, 0.001) > 1 - 1e-8


def test_a_printed_low_bound_falls_without_losses():
    # It halves in ln 2 / (0.495 * 0.3) = 4.7 round trips.
    rate = bbr3.eq11_printed(100, 100, 1, 0.02, 0.0)
    assert np.log(2) / (-rate / 100) / 0.02 == pytest.approx(4.67, abs=0.01)
    assert bbr3.eq11(100, 100, 1, 0.02, 0.0) == pytest.approx(0, abs=1e-4)
    # With losses in every round trip it is the kernel's: 0.3 of it a round trip.
    assert bbr3.eq11(100, 100, 1, 0.02, 0.1) * 0.02 == pytest.approx(-30)
    # A flow that probes comes back to its base window.
    assert bbr3.eq11(60, 100, 0, 0.02, 0.0) > 0


def test_a_printed_flow_starves_on_an_empty_path():
    # Eqs 9, 11 and 12 as printed, cruising, without losses: 1 % of the rate after 31 round trips.
    tau, base = 0.02, 100.0
    solved = solve_ivp(
        lambda _, lo: bbr3.eq11_printed(lo, base, 1, tau, 0.0), (0, 31 * tau), [base], rtol=1e-9
    )
    window = bbr3.eq9_printed(base, 1, solved.y[0, -1], base)
    rate = bbr3.eq12_printed(window, tau)
    assert rate / (base / tau) == pytest.approx(0.01, rel=0.02)


def test_a_high_bound_doubles_its_steps():
    def rise(t):
        return float(bbr3.eq10(100, 110, 0, t, 0.02, 0.0))

    rises = [quad(rise, r * 0.02, (r + 1) * 0.02)[0] for r in (2, 3, 4, 5)]
    assert rises == pytest.approx([4, 8, 16, 32], rel=1e-6)
    # Not while the window is not in use, and not in the first round trip.
    assert bbr3.eq10(100, 50, 0, 0.06, 0.02, 0.0) * 0.02 == pytest.approx(0, abs=1e-6)
    assert bbr3.eq10(100, 110, 0, 0.0, 0.02, 0.0) * 0.02 == pytest.approx(0, abs=1e-6)


def test_a_printed_rate_does_not_see_the_queue():
    # 100 packets over 20 ms, and over 100 ms because 80 ms wait: a path of 1000 packets/s.
    assert bbr3.eq12_printed(100, 0.02) == 5000
    assert bbr3.eq12(100, 0.1, 5000) == pytest.approx(1000)
    assert bbr3.eq12(100, 0.02, 4000) == 4000
    assert bbr3.eq13_printed(100, 0.02)[1] == pytest.approx(5 * bbr3.eq13(100, 0.1)[1])


def test_when_the_rtt_is_probed():
    probing = [bbr3.probes_rtt(t) for t in (0.0, 4.7, 4.9, 5.1, 9.9)]
    assert probing == [False, False, True, False, True]
    assert bbr3.eq14(np.array(probing), 1.0, 2.0).tolist() == [2, 2, 1, 2, 1]


def test_a_fifo_makes_all_wait_alike():
    q, s = np.array([9.0, 1.0]), np.array([500.0, 500.0])
    assert queues.eq15_printed(0.02, q, s) == pytest.approx([0.038, 0.022])
    assert queues.eq15(0.02, q, s, shared=True) == pytest.approx(0.03)
    assert queues.eq15(0.02, q, s, shared=False) == pytest.approx([0.038, 0.022])


def test_an_empty_queue_does_not_fall():
    assert queues.eq16_printed(1.0, 2.0) == -1
    assert queues.eq16(1.0, 2.0, 0.0) == 0
    assert queues.eq16(1.0, 2.0, 0.5) == -1
    assert queues.eq24_printed(1.0, 0.0, 2.0) == -1
    assert queues.eq24(1.0, 0.0, 2.0, 0.0) == 0


@settings(deadline=None)
@given(p=st.floats(0, 1), x=windows)
def test_printed_17_in_printed_16_never_drains(p, x):
    growth = queues.eq16_printed(x, queues.eq17_printed(p, x))
    assert growth == pytest.approx(p * x)
    assert growth >= -1e-9
    assert queues.eq17(p, x, 2 * x, 1.0) < 0


flows = st.lists(
    st.tuples(st.floats(0, 100), st.floats(0, 2e3), st.floats(0.1, 8)), min_size=1, max_size=6
)


@settings(deadline=None)
@given(of=flows)
def test_a_fifo_serves_what_its_link_can(of):
    q, x, _ = (np.array(v) for v in zip(*of, strict=True))
    served = queues.eq18(1000.0, q, x)
    want = 1000.0 if q.sum() > 0 else min(1000.0, x.sum())
    assert served.sum() == pytest.approx(want)
    assert (served >= 0).all()


def test_a_printed_fifo_serves_packets_not_packets_a_second():
    theta, q = np.array([500.0, 500.0]), np.array([9.0, 1.0])
    assert queues.eq18_printed(theta, q, 50) == pytest.approx([5, 5])
    assert queues.eq18(1000.0, q, theta) == pytest.approx([900, 100])


def test_a_full_fifo_still_serves():
    x = np.array([600.0, 900.0])
    assert queues.eq19_printed(50, 50, x).sum() == 1500
    assert queues.eq19(50, 50, x, 1000.0).sum() == pytest.approx(500)
    assert queues.eq19(49, 50, x, 1000.0).sum() == 0


@settings(deadline=None)
@given(of=flows)
def test_fair_queues_lose_no_work_and_share_by_max_min(of):
    q, x, w = (np.array(v) for v in zip(*of, strict=True))
    served = queues.eq20(w, 1000.0, q, x)
    want = 1000.0 if (q > 0).any() else min(1000.0, x.sum())
    assert served.sum() == pytest.approx(want, rel=1e-9, abs=1e-9)
    # Nobody with a queue has less for its weight than anybody else.
    backlogged = q > 0
    if backlogged.any():
        level = (served / w)[backlogged]
        assert level.min() == pytest.approx(level.max())
        assert (served / w <= level.max() * (1 + 1e-9)).all()


def test_printed_fair_queues_lose_work():
    w, x = np.ones(2), np.array([100.0, 2000.0])
    assert queues.eq20_printed(w, 1000.0) == pytest.approx([500, 500])
    assert queues.eq20(w, 1000.0, np.array([0.0, 9.0]), x) == pytest.approx([100, 900])


def test_codels_drops_beside_the_rfcs_own_schedule():
    # Drop n + 1 comes interval / sqrt(n) after drop n; the first an interval after the delay rose.
    at, n = 0.1, 1
    times = [at]
    while at < 3:
        at += 0.1 / np.sqrt(n)
        n += 1
        times.append(at)
    grid = np.arange(0, 3, 1e-4)
    drops = np.cumsum([float(queues.eq21(t)) for t in grid]) * 1e-4
    for t in (0.5, 1.0, 2.0, 2.9):
        counted = sum(1 for at in times if at <= t)
        assert drops[round(t * 1e4)] == pytest.approx(counted, abs=1)
    assert queues.eq21(0.05) == 0
    # The printed one is the same at 101 ms and at 10 s.
    assert queues.eq21_printed(0.006, 3.0) == queues.eq21_printed(10.0, 3.0) == 3


def test_cakes_weights_are_of_hosts():
    one = queues.eq22([1, 1, 1, 1, 2, 3, 4], [True] * 7)
    assert one == pytest.approx([0.25] * 4 + [1] * 3)
    assert queues.eq20(one, 40.0, np.ones(7), np.ones(7)) == pytest.approx([2.5] * 4 + [10] * 3)
    # A flow that is silent leaves its part to the others of its host.
    two = queues.eq22([1, 1, 2], [True, False, True])
    assert two.tolist() == [1, 1, 1]


def test_cake_drops_at_least_what_codel_does():
    assert queues.eq23(1000.0, 0.0) == 0
    assert queues.eq23(1000.0, 0.1) == pytest.approx(0.0073, abs=1e-4)
    assert queues.eq23(1000.0, 0.1, 0.5) == pytest.approx(0.5037, abs=1e-4)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: bbr3.eq9(1, 1.5, 1, 1), "Eq 9: m_crs"),
        (lambda: bbr3.eq12(1, 0, 1), "Eq 12: tau"),
        (lambda: queues.eq15(0.1, 1.0, 0.0, shared=False), "Eq 15: Theta_i"),
        (lambda: bbr3.eq12(-1, 0.1, 1), "Eq 12: w"),
        (lambda: queues.eq15(0.1, -1.0, 5.0, shared=False), "Eq 15: q"),
        (lambda: queues.eq18(0.0, np.ones(1), np.ones(1)), "Eq 18: Theta"),
        (lambda: queues.eq19(5.0, 0.0, np.ones(1), 1.0), "Eq 19: Q_max"),
        (lambda: queues.eq16(1.0, 1.0, -0.1), "Eq 16: q"),
        (lambda: queues.eq17(1.2, 1.0, 1.0, 0.0), "Eq 17: p"),
        (lambda: queues.eq20(np.zeros(2), 1.0, np.ones(2), np.ones(2)), "Eq 20: w_i"),
        (lambda: queues.eq21(-1.0), "Eq 21"),
        (lambda: queues.eq23(0.0, 0.2), "Eq 23: x_i"),
    ],
)
def test_what_is_outside_a_domain_is_named(call, says):
    with pytest.raises(DomainError, match=says):
        call()
