"""The fixed point of Eqs 4 to 6 for stations that are not alike: existence, one, and why not."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from acklab.fluid.access import eq4, eq6
from acklab.fluid.contention import Contender, attempts, collides, fixed_point, has_one_point
from acklab.fluid.domain import DomainError, NoSolutionError


def windows(smallest: int, doublings: int, stages: int) -> tuple[int, ...]:
    """Windows that double so often at most."""
    return tuple(smallest * 2 ** min(k, doublings) for k in range(stages))


def residual(of, parts, betas) -> float:
    """By how much Eqs 4 to 6, each by its own function, are not met."""
    worst = 0.0
    effective = [b * p for b, p in zip(betas, parts, strict=True)]
    for i, (c, b) in enumerate(zip(of, betas, strict=True)):
        f = float(eq6(min(collides(effective, i), 1.0), c.p_phy))
        worst = max(worst, abs(b - eq4(min(f, 1.0), c.slots)))
    return worst


@st.composite
def kinds(draw, smallest=1):
    """One to four kinds of one to twenty stations."""
    of, parts = [], []
    for _ in range(draw(st.integers(1, 4))):
        w = windows(
            draw(st.integers(smallest, 1024)), draw(st.integers(0, 10)), draw(st.integers(1, 16))
        )
        p_phy = draw(st.sampled_from([0.0, 1.0]) | st.floats(0, 1))
        part = draw(st.sampled_from([0.0, 1.0]) | st.floats(0, 1))
        n = draw(st.integers(1, 20))
        of += [Contender(w, p_phy)] * n
        parts += [part] * n
    return of, parts


@settings(max_examples=300, deadline=None)
@given(kinds(smallest=4))
def test_a_fixed_point_over_the_whole_box(of):
    """CWmin 3 to 1023, any caps, stages, errors and parts of the time: one solution, to rounding.
    The starting values of an iteration cannot matter, since there is none."""
    assert all(has_one_point(c.slots) for c in of[0])
    assert residual(*of, fixed_point(*of)) < 1e-12


@settings(max_examples=200, deadline=None)
@given(kinds(smallest=1))
def test_smaller_windows_have_one_or_the_error_says_why(of):
    stations, parts = of
    # Stations of a kind are alike: one of each is looked at.
    kinds = set(zip(stations, parts, strict=True))
    unsure = [(c, p) for c, p in kinds if not has_one_point(c.slots)]
    if len(stations) > 1 and any(rises(c, p) for c, p in unsure):
        # Only windows below 4 slots can be.
        assert min(c.windows[0] for c, _ in unsure) < 4
        with pytest.raises(NoSolutionError, match=r"(?s)Eqs 4 and 5: .*help: "):
            fixed_point(stations, parts)
    else:
        assert residual(stations, parts, fixed_point(stations, parts)) < 1e-12


def curve(of: Contender, part: float, gamma: float) -> float:
    f = float(eq6(gamma, of.p_phy))
    return (1 - gamma) * (1 - part * eq4(f, of.slots))


def rises(of: Contender, part: float) -> bool:
    """Whether (1 - gamma) (1 - beta) does not fall somewhere, by Eqs 4 and 6 themselves."""
    last = inf
    for i in range(1001):
        now = curve(of, part, i / 1000)
        if now >= last:
            return True
        last = now
    return False


@settings(deadline=None)
@given(
    st.integers(4, 1024),
    st.integers(0, 10),
    st.integers(1, 16),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_the_rule_of_one_point_is_enough(w, doublings, stages, p_phy, part, a, b):
    """The comparison of coefficients promises that the curve falls for all parts and errors."""
    of = Contender(windows(w, doublings, stages), p_phy)
    assert has_one_point(of.slots)
    low, high = sorted((a, b))
    if high - low > 1e-6:
        assert curve(of, part, low) > curve(of, part, high)


def test_every_window_of_the_standard_has_one():
    for smallest in (4, 8, 16, 32, 64, 128, 256, 512, 1024):
        for doublings in range(11):
            for stages in (1, 2, 4, 8, 16, 64):
                slots = [(w + 1) / 2 for w in windows(smallest, doublings, stages)]
                assert has_one_point(slots)


def test_windows_from_one_slot_on_have_several():
    """Windows of 1, 2, 4, ... slots: who has the channel keeps it, so that Eqs 4 and 5 have three
    solutions for two stations, of which an iteration returns one. In the first both are alike."""
    of = [Contender(windows(1, 10, 11))] * 2

    def other(beta: float) -> float:
        return eq4(beta, of[0].slots)

    def excess(beta: float) -> float:
        return other(other(beta)) - beta

    steps = [i / 2000 for i in range(1, 2001)]
    found = [float(brentq(excess, a, b)) for a, b in pairwise(steps) if excess(a) * excess(b) < 0]
    assert found == pytest.approx([0.01093, 0.44064, 0.99444], abs=1e-5)
    assert [other(b) for b in found] == pytest.approx(found[::-1])
    with pytest.raises(NoSolutionError, match="several fixed points: with windows 1, 2, "):
        fixed_point(of, [1.0, 1.0])
    # Alone a station has one.
    assert fixed_point(of[:1], [1.0]) == [1.0]


@settings(deadline=None)
@given(st.floats(0, 1), st.integers(1, 1024), st.integers(0, 10), st.integers(1, 30))
def test_horners_scheme_is_eq_4(f, w, doublings, stages):
    slots = [(x + 1) / 2 for x in windows(w, doublings, stages)]
    assert attempts(f, slots) == pytest.approx(eq4(f, slots), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Contender((32, 16)), "Eq 4: B_k = .*windows do not shrink"),
        (lambda: Contender((0, 16)), "Eq 4: B_k = 0 .*1 or more"),
        (lambda: Contender(()), "Eq 4: B_k"),
        (lambda: fixed_point([Contender((16, 32))], [1.5]), "Eq 5: the part of the time"),
    ],
)
def test_what_is_outside_a_domain_is_named(call, says):
    with pytest.raises(DomainError, match=f"(?s){says}"):
        call()
