"""Reno behind RED: the paper's own numbers, and the margin beside the equations over time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acklab.fluid.domain import DomainError, NoSolutionError
from acklab.fluid.red import Red, equilibrium, loop, margin, run

#: Hollot et al. 2001, section 4: 60 flows, 3750 packets/s, a queue of 175 packets, 0.2 s.
PAPER = Red(60, 3750, 0.2, 150, 200, 0.0166, 1.33e-6)


def test_the_papers_equilibrium():
    at = equilibrium(PAPER)
    assert at.queue == pytest.approx(175, abs=1)
    assert at.rtt == pytest.approx(0.246, abs=0.001)
    assert at.window == pytest.approx(15.4, abs=0.1)
    assert at.probability == pytest.approx(0.008, abs=0.001)


def test_the_loop_turns_where_the_gain_is_one():
    found = margin(PAPER)
    at = equilibrium(PAPER)
    assert abs(loop(PAPER, at, found.crossover)) == pytest.approx(1)
    phase = np.degrees(np.angle(loop(PAPER, at, found.crossover)))
    assert (phase + 180) % 360 == pytest.approx(found.phase % 360)


def swing(of: Red) -> float:
    """Late amplitude of the queue over the early one."""
    t, _, q = run(of, 120)
    off = np.abs(q - equilibrium(of).queue)
    return off[t > 90].max() / off[(t > 5) & (t < 35)].max()


@pytest.mark.parametrize("flows", [12, 40, 60, 100])
@pytest.mark.parametrize("weight", [1e-5, 1e-4, 2e-3])
def test_the_margin_decides_what_happens_over_time(flows, weight):
    of = Red(flows, 3750, 0.2, 50, 550, 0.1, weight)
    left = margin(of)
    # Some of these swing, some do not, and none is on the edge.
    assert abs(left.phase) > 5
    assert (swing(of) < 0.9) == left.stable


def test_both_happen():
    base = Red(40, 3750, 0.2, 50, 550, 0.1, 1e-4)
    phases = [margin(replace(base, flows=n)).phase for n in (10, 20, 40, 60, 100)]
    # More flows make it calmer, as the paper finds; so does a shorter path.
    assert phases == sorted(phases)
    assert phases[2] < 0 < phases[3]
    assert margin(replace(base, propagation=0.05)).phase > phases[2]


@settings(max_examples=200, deadline=None)
@given(
    flows=st.floats(1, 500),
    rate=st.floats(100, 1e5),
    propagation=st.floats(1e-3, 0.5),
    low=st.floats(0, 500),
    room=st.floats(1, 5000),
    probability=st.floats(1e-3, 1),
    weight=st.floats(1e-6, 0.5),
)
def test_an_equilibrium_is_one_or_none(flows, rate, propagation, low, room, probability, weight):
    of = Red(flows, rate, propagation, low, low + room, probability, weight)
    try:
        at = equilibrium(of)
    except NoSolutionError:
        # Even with the longest queue the flows need more losses than RED makes.
        rtt = of.high / rate + propagation
        assert 2 * (flows / (rtt * rate)) ** 2 > probability * (1 - 1e-9)
        return
    assert of.low <= at.queue <= of.high
    assert at.window**2 * at.probability == pytest.approx(2)
    assert flows * at.window == pytest.approx(rate * at.rtt)
    found = margin(of)
    assert found.phase <= 180
    assert found.stable == (found.delay > 0)


@pytest.mark.parametrize(
    ("change", "says"),
    [({"low": 300}, "RED: min_th"), ({"probability": 2}, "RED: p_max"), ({"weight": 0}, "w_q")],
)
def test_what_is_outside_a_domain_is_named(change, says):
    with pytest.raises(DomainError, match=says):
        replace(PAPER, **change)
