"""Eqs 9 to 19 together: what the printed system does, and the corrected beside the simulator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acklab
from acklab.fluid import delays
from acklab.fluid.cycles import period
from acklab.fluid.domain import DomainError, NoSolutionError
from acklab.fluid.system import Home, corrected, printed

#: 10 Mbit/s of packets of 1500 bytes, 40 ms and a packet's own time, and 50 packets.
RATE = 10e6 / 12_000
HOME = Home(RATE, 0.04 + 1 / RATE, 50)
WARM = 15.0


def test_the_printed_system_starves_and_never_drains():
    """Eq 17's throughput as Eq 16's service: without losses the window vanishes and the queue stays
    what it is; with losses the queue grows by them, beyond its limit, and never falls."""
    calm = printed(HOME, 20, "throughput")
    assert calm.values[:, 2].max() == pytest.approx(0, abs=1e-9)
    # The low bound comes back while it probes; the high bound is gone for good.
    assert calm.values[-1, 0] < 0.01 * HOME.bdp
    with pytest.raises(
        NoSolutionError, match=r"Eq 16: q leaves the physical region .* to 50\)"
    ) as e:
        printed(HOME, 20, "throughput", loss=0.05)
    assert "help: a queue is from 0 to Q_max; the corrected Eqs 16 and 19 stop there" in str(
        e.value
    )
    lossy = printed(HOME, 20, "throughput", loss=0.05, beyond=True)
    queue = lossy.values[:, 2]
    assert (np.diff(queue) >= -1e-9).all()
    assert queue[-1] > 2 * HOME.limit


def test_the_printed_system_with_a_constant_service_leaves_the_physical_region():
    with pytest.raises(NoSolutionError, match="Eq 16: q leaves the physical region") as e:
        printed(HOME, 20, "service")
    assert "the corrected Eqs 16 and 19 stop there" in str(e.value)


def test_a_printed_flow_on_an_empty_path_has_one_per_cent_after_31_round_trips():
    # The page's sentence, by the coupled system.
    of = printed(HOME, 31 * HOME.tau_min, "throughput", cruise=1.0)
    assert of.values[-1, 1] / HOME.bdp == pytest.approx(0.0107, abs=0.0005)


@pytest.fixture(scope="module")
def run():
    return corrected(HOME, 60)


def steps(monkeypatch, tau, seconds=60):
    """A run, and the number of the solver's steps."""
    taken = []
    add = delays._Past.add
    monkeypatch.setattr(delays._Past, "add", lambda *a: (taken.append(a[2]), add(*a))[1])
    run = corrected(Home(RATE, tau, 50), seconds)
    monkeypatch.setattr(delays._Past, "add", add)
    return run, taken


def test_a_minute_takes_thousands_of_steps_on_any_path(monkeypatch):
    """Steps no longer than the delay would be 12,000 at 5 ms and 120,000 at half a millisecond."""
    for tau in (0.0005, 0.001, 0.003, 0.005, 0.04):
        found, taken = steps(monkeypatch, tau)
        assert len(taken) < 10_000, tau
        assert max(taken) > 2 * tau
        assert found.served[-1] == pytest.approx(60 * RATE, rel=0.08)


@pytest.mark.parametrize("tau", [0.001, 0.003, 0.005, 0.04])
def test_steps_longer_than_the_delay_are_as_exact(tau):
    of = Home(RATE, tau, 50)
    rough, fine = corrected(of, 10), corrected(of, 10, tolerance=1e-8)
    assert rough.served[-1] == pytest.approx(fine.served[-1], rel=1e-4)
    assert rough.queue.max() == pytest.approx(fine.queue.max(), rel=0.02)
    for name in ("window_high", "window_low", "bandwidth"):
        assert getattr(rough, name) == pytest.approx(getattr(fine, name), rel=1e-3)
    assert rough.sent[-1] == pytest.approx(rough.served[-1] + rough.queue[-1], rel=1e-4)


def test_larger_steps_are_as_exact():
    """With a tolerance a hundred times as small the numbers are the same."""
    for tau in (0.005, 0.04):
        of = Home(RATE, tau, 50)
        rough, fine = corrected(of, 12), corrected(of, 12, tolerance=1e-7)
        assert rough.served[-1] == pytest.approx(fine.served[-1], rel=1e-4)
        assert rough.queue.max() == pytest.approx(fine.queue.max(), rel=1e-3)
        assert rough.window_high[-1] == pytest.approx(fine.window_high[-1], rel=1e-3)


def test_the_corrected_system_fills_the_link(run):
    late = run.time > WARM
    goodput = (run.served[-1] - run.served[~late][-1]) / (run.time[-1] - run.time[~late][-1])
    link = {"a": "a", "b": "b", "rate": "10 Mbit/s", "delay": "20 ms", "queue": "50 packets"}
    flows = acklab.run(
        {
            "name": "home",
            "duration": "60 s",
            "warmup": f"{WARM} s",
            "node": [{"name": "a"}, {"name": "b"}],
            "link": [link],
            "tcp": {"profile": "linux"},
            "flow": [{"name": "f", "from": "a", "to": "b", "cc": "bbr3"}],
        },
        seed=1,
    ).flows
    assert goodput * 1448 * 8 / 1e6 == pytest.approx(flows["goodput_warm_mbps"][0], rel=0.03)
    # BBR does not wait in a queue of its own, but for the packets of its bursts.
    assert np.median(run.rtt[late]) * 1e3 == pytest.approx(flows["rtt_p50_ms"][0], abs=4)


def test_the_books_balance(run):
    assert np.allclose(run.sent, run.served + run.dropped + run.queue, atol=1e-6)
    assert (run.queue >= -1e-3).all()
    assert run.queue.max() <= HOME.limit + 0.02


def test_it_swings_with_its_probes(run):
    # Probes come each 2.5 s, and so do swings of the window and of the queue.
    late = run.time > WARM
    assert period(run.queue[late], 0.02) == pytest.approx(2.5, rel=0.02)
    phases = {p for p, on in zip(run.phases, late, strict=True) if on}
    assert phases == {"REFILL", "UP", "DOWN", "CRUISE", "PROBE_RTT"}


def test_old_feedback_is_learnt_later():
    # The first probe begins after one round trip: what it finds is known one round trip later.
    def learnt(delayed):
        of = corrected(HOME, 1, delayed=delayed, first=0.5)
        return of.time[of.bandwidth > 0.52 * RATE][0]

    assert learnt(True) - learnt(False) == pytest.approx(HOME.tau_min, abs=0.025)


@settings(max_examples=12, deadline=None)
@given(
    rate=st.floats(100, 1e4),
    tau=st.floats(0.005, 0.2),
    limit=st.floats(4, 400),
    b=st.floats(0.1, 3),
)
def test_any_path_stays_physical(rate, tau, limit, b):
    of = Home(rate, tau, limit)
    got = corrected(of, 8, first=b)
    assert np.allclose(got.sent, got.served + got.dropped + got.queue, rtol=1e-6, atol=1e-3)
    assert got.queue.max() <= limit * 1.001 + 0.02
    # Nothing is delivered faster than the link is, so no more is believed in the end.
    assert got.bandwidth[-1] <= max(rate, b * rate) * 1.001


def test_shorter_tolerances_change_nothing():
    rough = corrected(HOME, 20)
    assert rough.served[-1] == pytest.approx(
        corrected(HOME, 20, tolerance=1e-7).served[-1], rel=2e-4
    )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Home(0, 0.04, 50), "Eq 16: Theta"),
        (lambda: Home(800, -1, 50), "Eq 15: tau_min"),
        (lambda: Home(800, 0.04, 0), "Eq 19: Q_max"),
        (lambda: Home(800, 1.0, 50), "Eq 9: the wait"),
        (lambda: Home(float("nan"), 1.0, 50), "Eq 16: Theta"),
    ],
)
def test_what_is_outside_a_domain_is_named(call, says):
    with pytest.raises(DomainError, match=says):
        call()
