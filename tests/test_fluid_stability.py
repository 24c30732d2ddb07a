"""Linearised loops: known roots, the equations over time, and the simulator."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acklab
from acklab.fluid.delays import Bound, solve_delayed
from acklab.fluid.domain import DomainError, NoSolutionError
from acklab.fluid.loops import Bbr, Bottleneck, CubicDropTail, DropTail, RenoPie
from acklab.fluid.red import Red, equilibrium, margin
from acklab.fluid.stability import roots, steady_state, verdict


@settings(deadline=None)
@given(k=st.floats(0.05, 8))
def test_hayes(k):
    # y' = -k y(t - 1) dies away below pi / 2 (N. D. Hayes, 1950).
    first = roots(np.zeros((1, 1)), np.array([[-k]]), 1.0)[0]
    # Each root solves its equation.
    assert first == pytest.approx(-k * np.exp(-first), rel=1e-6)
    if abs(k - pi / 2) > 1e-3:
        assert (first.real < 0) == (k < pi / 2)


def test_without_a_delay_they_are_eigenvalues():
    a = np.array([[0.0, 1.0], [-4.0, -1.0]])
    found = roots(a, np.zeros((2, 2)), 0.0)
    assert found[0].real == pytest.approx(-0.5)
    assert abs(found[0].imag) == pytest.approx(np.sqrt(3.75))


def red_field(of: Red):
    """Misra, Gong and Towsley's equations with the round trip of the equilibrium as the delay."""

    def field(now, then):
        window, queue, average = now
        r, before = queue / of.rate + of.propagation, then[1] / of.rate + of.propagation
        p = of.slope * (then[2] - of.low)
        return np.array(
            [
                1 / r - window * then[0] * p / (2 * before),
                of.flows * window / r - of.rate,
                of.pole * (queue - average),
            ]
        )

    return field


@pytest.mark.parametrize("flows", [12, 40, 60, 80, 100])
@pytest.mark.parametrize("weight", [1e-5, 1e-4, 2e-3])
def test_roots_and_margins_agree(flows, weight):
    """Two ways to decide: characteristic roots here, Nyquist's margin in `red`."""
    of = Red(flows, 3750, 0.2, 50, 550, 0.1, weight)
    at = equilibrium(of)
    y = np.array([at.window, at.queue, at.queue])
    found = verdict(red_field(of), y, at.rtt)
    assert found.stable == margin(of).stable
    assert steady_state(red_field(of), y * 1.1, "RED") == pytest.approx(y)


@pytest.mark.parametrize("flows", [2, 6, 10, 20, 25])
def test_drop_tail_over_time(flows):
    """Grows, or dies away, at the rate of the root, with its frequency."""
    of = DropTail(Bottleneck(flows, 833, 0.04), 20)
    at, found = of.steady(), of.stability()
    longest = min(12 * of.delay, 5 / abs(found.growth))
    solved = solve_delayed(
        lambda t, y, then: of.field(y, then),
        of.delay,
        at * (1 + 1e-6),
        longest,
        sample=of.delay / 50,
        tolerance=1e-12,
    )
    off = np.abs(solved.values[:, 0] - at[0])
    half = len(off) // 2
    peaks = off[:half].max(), off[half:].max()
    assert (peaks[1] > peaks[0]) == (found.growth > 0)


def test_drop_tail_swings_unless_windows_are_tiny():
    """At W above pi a full buffer is no place to stay: Reno's saw is a limit cycle."""
    calm = {n: DropTail(Bottleneck(n, 833, 0.04), 20).stability().stable for n in range(1, 31)}
    windows = {n: float(DropTail(Bottleneck(n, 833, 0.04), 20).steady()[0]) for n in calm}
    assert not any(calm[n] for n in calm if windows[n] > pi + 0.6)
    assert all(calm[n] for n in calm if windows[n] < pi)


@settings(max_examples=60, deadline=None)
@given(n=st.floats(1, 60), rate=st.floats(100, 1e5), t=st.floats(0.005, 0.3))
def test_pie_keeps_its_target_where_it_has_a_steady_state(n, rate, t):
    of = RenoPie(Bottleneck(n, rate, t))
    if of.of.window(of.delay) <= 2:
        with pytest.raises(NoSolutionError, match="help: take fewer flows"):
            of.steady()
        return
    window, queue, p = of.steady()
    assert queue / rate == pytest.approx(of.target)
    assert window**2 * p == pytest.approx(2)


@pytest.mark.parametrize(("n", "t"), [(4, 0.04), (10, 0.04), (25, 0.1), (10, 0.01)])
def test_pie_over_time(n, t):
    of = RenoPie(Bottleneck(n, 4000, t))
    at, found = of.steady(), of.stability()
    solved = solve_delayed(
        lambda _, y, then: of.field(y, then), of.delay, at * (1 + 1e-7), 8.0, tolerance=1e-11
    )
    off = np.abs(solved.values[:, 0] - at[0])
    early, late = off[len(off) // 8 : len(off) // 3].max(), off[-len(off) // 4 :].max()
    assert abs(found.growth) > 0.05
    assert (late > early) == (found.growth > 0)


def test_cubic_is_not_decided_by_its_linear_part():
    """At its steady state the cubic is flat: a root is 0, whatever the path is."""
    for n, rate, t in ((1, 833, 0.04), (5, 8333, 0.1), (50, 1e5, 0.2)):
        of = CubicDropTail(Bottleneck(n, rate, t), 100)
        at = of.steady()
        assert np.abs(of.field(at, at)).max() < 1e-8
        assert of.stability().neutral
        assert not of.stability().stable


@pytest.mark.parametrize("n", [2, 5, 10, 50])
def test_bbr_after_scherrer_and_others(n):
    """Their theorems: BBRv1 loses (N - 1) / (5 N) in short buffers, and holds one bandwidth-delay
    product in long ones, whatever the shares; BBRv2 holds (N - 1) / (4 N + 1) of it."""
    of = Bottleneck(n, 8333, 0.04)
    short, deep, two = Bbr.v1_shallow(of), Bbr.v1_deep(of), Bbr.v2(of)
    assert short.loss(short.steady()) == pytest.approx((n - 1) / (5 * n))
    assert short.stability().stable
    assert deep.queue(deep.steady()) / (8333 * 0.04) == pytest.approx(1)
    assert deep.stability().neutral
    assert two.queue(two.steady()) / (8333 * 0.04) == pytest.approx((n - 1) / (4 * n + 1))
    assert two.stability().stable
    # The more flows, the longer until shares are even: 4 N + 1 cycles.
    assert -1 / two.stability().growth == pytest.approx((4 * n + 1) / 1, rel=1e-3)


@cache
def many(cc: str, n: int, bdps: float) -> tuple[float, float]:
    """Loss rate, and the mean queue in bandwidth-delay products, of n flows at 100 Mbit/s."""
    bdp = 100e6 / 12_000 * 0.04
    link = {"a": "r", "b": "b", "rate": "100 Mbit/s", "delay": "20 ms"}
    flow = {"from": "a", "to": "b", "cc": cc, "start_jitter": "2 s"}
    result = acklab.run(
        {
            "name": "many",
            "duration": "40 s",
            "warmup": "10 s",
            "node": [{"name": x} for x in ("a", "r", "b")],
            "link": [
                {"a": "a", "b": "r", "rate": "10 Gbit/s", "delay": "0 ms"},
                {**link, "queue": f"{int(bdp * bdps)} packets"},
            ],
            "tcp": {"profile": "linux"},
            "record": {"every": "50 ms", "queues": True},
            "flow": [{"name": f"f{i}", **flow} for i in range(n)],
        },
        seed=1,
    )
    series = result.link_series
    late = series.filter((series["link"] == "r->b") & (series["time_s"] > 10))
    flows = result.flows
    lost = flows["lost_segments"].sum() / flows["data_segments"].sum()
    return lost, late["queue_packets"].mean() / bdp


def test_bbr1_beside_the_simulator():
    # Short buffers: flows that drain after their probe leave room, so that less is lost: 0.43,
    # 0.66 and 0.75 of it.
    for n in (2, 5, 10):
        ours = (n - 1) / (5 * n)
        assert 0.3 < many("bbr1", n, 0.25)[0] / ours < 0.8
    assert many("bbr1", 2, 0.25)[0] < many("bbr1", 5, 0.25)[0] < many("bbr1", 10, 0.25)[0]
    # Long ones: a standing queue of one bandwidth-delay product.
    for n in (2, 5):
        assert many("bbr1", n, 4)[1] == pytest.approx(1, abs=0.25)
        assert many("bbr1", n, 4)[0] == 0


def test_bbr2_beside_the_simulator():
    # Where losses have bounded the windows: a ninth to a fifth of a bandwidth-delay product.
    for n in (2, 5, 10):
        ours = Bbr.v2(Bottleneck(n, 8333, 0.04))
        held = ours.queue(ours.steady()) / (8333 * 0.04)
        assert many("bbr2", n, 0.25)[1] == pytest.approx(held, abs=0.025)
    # Without losses nothing bounds them, and the theorem does not hold: it is BBRv1's queue.
    for n in (2, 5):
        assert many("bbr2", n, 4)[1] == pytest.approx(1, abs=0.2)


@cache
def behind_red(flows: int, wlog: int, burst: int) -> tuple[Red, float, float, float]:
    """RED of 50 to 550 packets: the fluid, and the mean queue, its variation and the loss rate."""
    red = {"name": "red", "min": "75 kB", "max": "825 kB", "probability": 0.1, "avpkt": 1500}
    link = {"a": "r", "b": "b", "rate": "45 Mbit/s", "delay": "100 ms", "queue": "6 MB"}
    flow = {"from": "a", "to": "b", "cc": "newreno", "start_jitter": "5 s"}
    result = acklab.run(
        {
            "name": "behind-red",
            "duration": "120 s",
            "node": [{"name": x} for x in ("a", "r", "b")],
            "link": [
                {"a": "a", "b": "r", "rate": "10 Gbit/s", "delay": "0 ms"},
                {**link, "qdisc": {**red, "burst": burst}},
            ],
            "tcp": {"profile": "linux"},
            "record": {"every": "50 ms", "queues": True},
            "flow": [{"name": f"f{i}", **flow} for i in range(flows)],
        },
        seed=1,
    )
    series = result.link_series
    late = series.filter((series["link"] == "r->b") & (series["time_s"] > 60))
    queue = late["queue_packets"].to_numpy()
    sent = result.flows
    # RED spaces its drops evenly, 1 to 1/p packets apart: that is twice p (Floyd and Jacobson 7).
    of = Red(flows, 3750, 0.2, 50, 550, 0.2, 2.0**-wlog)
    lost = sent["lost_segments"].sum() / sent["data_segments"].sum()
    return of, queue.mean(), queue.std() / queue.mean(), lost


def test_red_beside_the_simulator():
    calm, mean, spread, lost = behind_red(100, 13, 900)
    assert margin(calm).stable
    # Packets come in bursts, which lose more: the queue is a fifth shorter than the fluid's.
    assert equilibrium(calm).queue / mean == pytest.approx(1.2, abs=0.05)
    assert equilibrium(calm).probability == pytest.approx(lost, rel=0.15)
    for flows, wlog, burst in ((12, 9, 200), (40, 9, 200)):
        wild, _, swings, _ = behind_red(flows, wlog, burst)
        assert not margin(wild).stable
        assert swings > 1.5 * spread


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Bottleneck(0, 1, 1), "the loop: N"),
        (lambda: DropTail(Bottleneck(1, 1, 1), 0), "drop tail: Q_max"),
        (lambda: RenoPie(Bottleneck(1, 1, 1), 0), "PIE: target"),
        (lambda: Bbr.v2(Bottleneck(0.5, 1, 1)), "BBR: N"),
        (lambda: roots(np.eye(1), np.eye(1), -1.0), "the delay"),
        (lambda: replace(CubicDropTail(Bottleneck(1, 1, 1), 5), limit=-1), "drop tail: Q_max"),
    ],
)
def test_what_is_outside_a_domain_is_named(call, says):
    with pytest.raises(DomainError, match=says):
        call()


def test_what_has_no_steady_state_is_named():
    with pytest.raises(NoSolutionError, match="grows: no steady state near"):
        steady_state(lambda y, then: np.array([1.0 + y[0] ** 2]), [1.0], "grows")


def test_what_leaves_the_physical_region_is_named():
    bounds = [Bound(1, "q", "Eq 16", right="a queue is 0 or more")]
    with pytest.raises(NoSolutionError, match=r"Eq 16: q leaves the physical region at 0\.5") as e:
        solve_delayed(lambda t, y, then: np.array([0, -2.0]), 0.1, [1, 1], 2, bounds=bounds)
    assert "help: a queue is 0 or more" in str(e.value)


def test_an_unknown_above_its_bound_is_named():
    bounds = [Bound(0, "q", "Eq 16", right="a queue is at most Q_max", most=50.0)]
    says = (
        r"Eq 16: q leaves the physical region at 0\.5.*q = 50\.0.*from 0 to 50\)\n  help: a queue"
    )
    with pytest.raises(NoSolutionError, match=f"(?s){says}"):
        solve_delayed(lambda t, y, then: np.array([100.0]), 0.1, [0.0], 2, bounds=bounds)


@pytest.mark.parametrize("delay", [0.0, 0.3])
def test_a_solution_that_blows_up_is_named(delay):
    """y' = y^2 from 1 is 1 / (1 - t): the solver does not go on for ever before t = 1."""
    bounds = [Bound(0, "w", "Eq 9", right="a window is finite")]
    with pytest.raises(NoSolutionError, match=r"Eq 9: (w grows|no solution beyond)") as caught:
        solve_delayed(lambda t, y, then: y * y, delay, [1.0], 2.0, bounds=bounds)
    text = str(caught.value)
    assert " 1 s" in text
    assert "help: " in text
    # Without a name it is the number of the unknown.
    with pytest.raises(NoSolutionError, match=r"y\[0\]"):
        solve_delayed(lambda t, y, then: y * y, delay, [1.0], 2.0)


def test_a_value_that_is_no_number_is_named():
    """The message does not say that the solver has reached its end."""

    def right(t, y, then):
        return np.array([1.0, np.nan if t > 0.5 else 0.0])

    bounds = [Bound(1, "w_lo", "Eq 11", right="a loss rate is from 0 to 1")]
    with pytest.raises(NoSolutionError, match="Eq 11: the change of w_lo is no number") as caught:
        solve_delayed(right, 0.0, [0.0, 1.0], 2.0, bounds=bounds)
    assert "successfully" not in str(caught.value)
    assert "help: a loss rate is from 0 to 1" in str(caught.value)


def test_a_bound_of_no_unknown_is_refused():
    with pytest.raises(DomainError, match="the index of an unknown = 3"):
        solve_delayed(lambda t, y, then: -y, 0.0, [1.0], 1.0, bounds=[Bound(3, "q", "Eq 16")])


def test_a_delay_equation_with_a_known_solution():
    # y' = -y(t - 1) from 1: 1 - t, then 1 - t + (t - 1)^2 / 2, then a cubic.
    of = solve_delayed(lambda t, y, then: -then, 1.0, [1.0], 3.0, sample=0.25)
    t, y = of.time, of.values[:, 0]
    exact = 1 - t + np.maximum(t - 1, 0) ** 2 / 2 - np.maximum(t - 2, 0) ** 3 / 6
    assert y == pytest.approx(exact, abs=1e-5)


def test_a_stiff_equation_is_solved():
    # Van der Pol with mu = 1000: an explicit solver takes a million steps to t = 2000.
    def right(t, y, then):
        del t, then
        return np.array([y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]])

    of = solve_delayed(right, 0.0, [2.0, 0.0], 2000.0, sample=1.0)
    # Its period is 1614.3 (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II).
    falls = of.time[1:][(of.values[1:, 0] < 0) & (of.values[:-1, 0] >= 0)]
    rises = of.time[1:][(of.values[1:, 0] > 0) & (of.values[:-1, 0] <= 0)]
    assert rises[0] - falls[0] == pytest.approx(1614.3 / 2, rel=0.01)
