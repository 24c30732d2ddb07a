"""The period of swings: of known ones, and of CUBIC's saw in the model and in the simulator."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from acklab.fluid.coupled import Fifo, Path, solve
from acklab.fluid.cycles import between_falls, period
from acklab.fluid.senders import Cubic, Reno


# The highest peak is at the last delay that is looked at: half the time is nine periods.
@example(length=3.33203125, phase=1.25, noise=0.0, saw=False)
@settings(deadline=None)
@given(
    length=st.floats(0.5, 9),
    phase=st.floats(0, 6),
    noise=st.floats(0, 0.2),
    saw=st.booleans(),
)
def test_the_period_of_what_has_one(length, phase, noise, saw):
    t = np.arange(0, 60, 0.02)
    turns = t / length + phase
    swing = turns % 1 if saw else np.sin(2 * np.pi * turns)
    rng = np.random.default_rng(1)
    assert period(10 + swing + noise * rng.standard_normal(len(t)), 0.02) == pytest.approx(
        length, rel=0.05, abs=0.04
    )


def test_what_has_none():
    t = np.arange(0, 60, 0.02)
    rng = np.random.default_rng(1)
    assert period(np.ones(100), 0.02) is None
    assert period(t, 0.02) is None
    assert period(rng.standard_normal(3000), 0.02) is None
    assert period(100 + 0.5 * np.sin(t), 0.02) is None
    assert period(np.full(100, np.nan), 0.02) is None
    assert period(np.ones(2), 0.02) is None


def test_renos_saw():
    # From half of 88 packets to all, a packet in each round trip of 0.75 of 88 packets: 3.5 s.
    trace = solve(Path(833, 0.0412), [Reno()], Fifo(1, 50), 120)
    top = 833 * 0.0412 + 50
    late = trace.window[trace.time > 20, 0]
    assert period(late, float(trace.time[0])) == pytest.approx(top / 2 * 0.75 * top / 833, rel=0.1)


def test_a_limit_cycle_needs_no_service_that_varies():
    # The paper lays swings to a service that fluctuates. CUBIC alone swings on a constant one.
    trace = solve(Path(833, 0.1012), [Cubic()], Fifo(1, 50), 120)
    found = period(trace.window[trace.time > 20, 0], float(trace.time[0]))
    assert 4 < found < 12


def test_each_tooth_counts_where_they_alternate():
    """Teeth of 4 and 2.6 s repeat after 6.6 s, and the window falls every 3.3 s."""
    ends = np.cumsum([4.0, 2.6] * 8)
    t = np.arange(0, ends[-1], 0.02)
    since = t - np.concatenate([[0], ends])[np.searchsorted(ends, t, side="right")]
    saw = 10 + 5 * since
    assert period(saw, 0.02) == pytest.approx(6.6, abs=0.05)
    assert between_falls(saw, 0.02) == pytest.approx(3.3, abs=0.1)
    assert between_falls(np.ones(100), 0.02) is None
    assert between_falls(t, 0.02) is None
    assert between_falls(np.array([]), 0.02) is None
    assert between_falls(np.full(9, np.nan), 0.02) is None
