"""Dimensional analysis of every function of the equations: a new one without a line here fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pint
import pytest

from acklab.fluid import (
    access,
    bbr3,
    contention,
    cycles,
    durations,
    loops,
    queues,
    red,
    stability,
    system,
    uplink,
)
from acklab.fluid.bbr_model import Bbr
from acklab.fluid.coupled import Codel, Fair, Fifo, Path, solve
from acklab.fluid.delays import solve_delayed
from acklab.fluid.domain import DomainError, Symbol, unchecked
from acklab.fluid.maps import growth
from acklab.fluid.senders import SENDERS
from fluid_functions import FUNCTIONS, arguments

U = pint.UnitRegistry()
U.define("packet = [packet]")
PER_S = U.packet / U.s
BITS = U.bit / U.s
#: Values with units.
T, W, X, P = 20 * U.ms, 100 * U.packet, 1000 * PER_S, 0.1
Q, S = [9, 1] * U.packet, [500, 500] * PER_S
FULL = 50 * U.packet

#: Functions without a call with units, and the reason; those with a test have its name.
WITHOUT = {
    "bbr3.eq10_printed": "clashes: test_printed_forms_whose_units_clash",
    "coupled.solve": "a solver: test_a_minute_of_bbr_is_an_hour_of_a_slower_one",
    "coupled.step_of": "has 5 ms of its own; the same test takes a step",
    "delays.solve_delayed": "a solver: test_a_delay_equation_has_the_unit_of_its_delay",
    "maps.growth": "a solver: test_equations_over_time_have_no_unit_of_their_own",
    "red.equilibrium": "a solver: the same",
    "red.margin": "a solver: the same",
    "red.loop": "complex numbers: the same, as `margin` is its phase",
    "red.run": "a solver: test_red_over_time_has_no_unit_of_its_own",
    "scherrer.run": "its source has sigmoids of milliseconds and packets, so that units matter",
    "stability.linearised": "takes the unit of any field: the test of `roots`",
    "stability.roots": "eigenvalues: test_roots_have_the_unit_of_their_matrices",
    "stability.steady_state": "takes the unit of any field: the test of `maps.growth`",
    "stability.verdict": "is `roots`: the same",
    "system.corrected": "a solver that knows seconds: test_the_system_knows_seconds_by_its_phases",
    "system.printed": "a solver: its equations are in this table, and Eq 10 clashes",
    "uplink.uplink": "a solver: test_a_cycle_has_the_unit_of_its_frames",
}
#: Modules whose functions are no equations, or have octets and microseconds of the standard's
#: tables: test_wifi_models.py compares those with the simulator's, to the nanosecond.
NO_EQUATIONS = {
    "beside": "runs and draws",
    "domain": "errors",
    "drawn": "draws",
    "durations": "the standard's tables",
    "frames": "the standard's tables",
    "many": "arrays of runs: test_fluid_many.py compares them with `coupled`, to 1e-14",
    "many_queues": "the same",
    "maps": "a table of any function; `growth` is above",
    "radio_case": "reads scenarios",
    "scenario_case": "reads scenarios",
}
#: Symbols whose unit counts for nothing, and why.
ANY_UNIT = {
    "queues.eq16.q": "its sign alone",
    "queues.eq17.q": "its sign alone",
    "queues.eq18.q": "a flow's part of it",
    "queues.eq18.x": "counts where nothing waits: test_service_of_an_empty_fifo_is_a_rate",
    "queues.eq18_printed.theta": "a flow's part of it",
    "queues.eq20.q": "its sign alone",
    "queues.eq20.weights": "a flow's part of them",
    "queues.eq20_printed.weights": "a flow's part of them",
    "queues.eq24.q": "its sign alone",
}


def functions_with_units() -> dict[str, Any]:
    """Equations that say the unit of their result."""
    return {
        name: of
        for name, of in FUNCTIONS.items()
        if getattr(of, "__result__", None) is not None
        and name not in WITHOUT
        and name.partition(".")[0] not in NO_EQUATIONS
    }


WITH_UNITS = functions_with_units()


def test_none_is_left_out():
    """The functions are found: one without a unit and without a reason fails here."""
    others = {n for n in FUNCTIONS if n.partition(".")[0] in NO_EQUATIONS}
    assert FUNCTIONS.keys() - others - WITH_UNITS.keys() - WITHOUT.keys() == set()
    assert WITHOUT.keys() <= FUNCTIONS.keys()
    assert {n.partition(".")[0] for n in others} == NO_EQUATIONS.keys()
    # Nearly all have a call with units.
    assert len(WITH_UNITS) >= 70


@pytest.fixture
def constants_with_units(monkeypatch):
    """Those of the standard; in `slot` the gap is a number of microseconds times 1e-6."""
    monkeypatch.setattr(contention, "_SLOT_S", 9 * U.us)
    monkeypatch.setattr(contention, "_AFTER_FAILURE", 60 * U.us)
    monkeypatch.setattr(contention, "SIFS", 16 * U.s)
    monkeypatch.setattr(contention, "SLOT", 9 * U.s)
    monkeypatch.setattr(contention, "legacy", lambda *of: durations.legacy(*of) * U.s)


def quantity(of: Symbol, more: Any = 1) -> Any:
    """The example of a symbol in its unit, times `more`."""
    unit = (U(of.unit) if of.unit else 1) * more
    if isinstance(unit, int) and unit == 1:
        return of.example
    if isinstance(of.example, (list, tuple)):
        if isinstance(of.example[0], tuple):
            return [(n, x * unit) for n, x in of.example]
        return [x * unit for x in of.example]
    return of.example * unit


def has_unit(found: Any, unit: Any) -> bool:
    """Whether a result has the unit that its equation says."""
    if isinstance(unit, dict):
        return all(has_unit(getattr(found, name), u) for name, u in unit.items())
    if isinstance(unit, tuple):
        return all(has_unit(x, u) for x, u in zip(found, unit, strict=True))
    if isinstance(found, bool):
        return unit == ""
    if isinstance(found, list):
        return all(has_unit(x, unit) for x in found)
    return U.Quantity(found).check(U(unit).dimensionality if unit else "")


@pytest.mark.parametrize("name", WITH_UNITS)
def test_dimensions(name, constants_with_units):
    """Without the door, which looks at magnitudes: the equation itself."""
    of = WITH_UNITS[name]
    found = unchecked(of)(**arguments(name, of, quantity))
    assert has_unit(found, of.__result__)


@pytest.mark.filterwarnings("ignore::pint.UnitStrippedWarning")
@pytest.mark.parametrize(
    "symbol", [f"{name}.{s}" for name, of in WITH_UNITS.items() for s in of.__symbols__]
)
def test_another_unit_is_wrong(symbol, constants_with_units):
    """A kilogram more in any symbol: there is an error, or the result has another unit."""
    name, _, parameter = symbol.rpartition(".")
    of = WITH_UNITS[name]
    given = arguments(name, of, quantity)
    try:
        given[parameter] = quantity(of.__symbols__[parameter], U.kg)
        found = unchecked(of)(**given)
    except (pint.DimensionalityError, TypeError, ValueError, DomainError):
        # The last is of an equation that calls another.
        return
    assert (not has_unit(found, of.__result__)) != (symbol in ANY_UNIT)


def test_service_of_an_empty_fifo_is_a_rate():
    empty = [0, 0] * U.packet
    assert queues.eq18(X, empty, S).check(X.dimensionality)
    with pytest.raises(pint.DimensionalityError):
        queues.eq18(X, empty, [500, 500] * U.packet)


def test_printed_forms_whose_units_clash():
    # Eq 10: a sigmoid of seconds.
    with pytest.raises(pint.DimensionalityError):
        unchecked(bbr3.eq10_printed)(W, W, 0, 2 * T, T, 0.0)
    # With sigmoids that could: its first term has no unit, and its second packets a second.
    first = bbr3.G_HI * (2 * T) / T
    assert first.check("")
    with pytest.raises(pint.DimensionalityError):
        first - bbr3.DELTA / T * W
    # Eq 18: packets, where Eq 16 wants packets per second.
    served = queues.eq18_printed(S, Q, FULL)
    with pytest.raises(pint.DimensionalityError):
        queues.eq16_printed(S, served)
    # Eqs 21 and 19: both are d_i, one without a unit and one in packets per second.
    assert not hasattr(queues.eq21_printed(0.006, 0.1), "check")
    assert queues.eq19_printed(FULL, FULL, S).check(X.dimensionality)


#: Solvers cannot have a unit on the way: with another unit of time all must be the same.
HOUR = 3600.0


def test_equations_over_time_have_no_unit_of_their_own():
    """Half the rate over twice the time is the same path, as long as no constant has seconds."""
    one = loops.DropTail(loops.Bottleneck(4, 800.0, 0.04), 20)
    other = loops.DropTail(loops.Bottleneck(4, 800.0 / HOUR, 0.04 * HOUR), 20)
    assert other.steady() == pytest.approx(one.steady())
    assert other.stability().growth * HOUR == pytest.approx(one.stability().growth)
    for name in ("reno, drop tail", "cubic, drop tail"):
        # CUBIC has seconds: its constant is packets in a cubic second.
        fast = growth(name, 800.0, 20.0, 4.0, 0.04)
        if name.startswith("reno"):
            assert growth(name, 800.0 / HOUR, 20.0, 4.0, 0.04 * HOUR) * HOUR == pytest.approx(fast)
    of = red.Red(60, 3750, 0.2, 50, 550, 0.1, 1e-4)
    slow = replace(of, rate=of.rate / HOUR, propagation=of.propagation * HOUR)
    assert red.equilibrium(slow).queue == pytest.approx(red.equilibrium(of).queue)
    assert red.margin(slow).phase == pytest.approx(red.margin(of).phase)
    assert red.margin(slow).delay == pytest.approx(red.margin(of).delay * HOUR)
    for name in ("v1_shallow", "v2"):
        bbrs = [
            getattr(loops.Bbr, name)(loops.Bottleneck(4, 800.0 / k, 0.04 * k)) for k in (1, HOUR)
        ]
        queue = [b.queue(b.steady()) for b in bbrs]
        assert queue[0] == pytest.approx(queue[1])


def test_a_delay_equation_has_the_unit_of_its_delay():
    """Hayes' equation over an hour is that over a second."""
    for k in (1.0, HOUR):
        found = solve_delayed(
            lambda t, y, then, k=k: -then / k, 0.5 * k, [1.0], 8 * k, sample=0.1 * k
        )
        if k == 1.0:
            first = found
    assert found.values == pytest.approx(first.values, abs=1e-4)
    assert found.time == pytest.approx(HOUR * first.time)


def test_roots_have_the_unit_of_their_matrices():
    a, b = np.array([[-1.0, 0.3], [0.2, -2.0]]), np.array([[0.0, 0.5], [-0.7, 0.1]])
    fast = stability.roots(a, b, 0.4)
    slow = stability.roots(a / HOUR, b / HOUR, 0.4 * HOUR)
    assert slow[:4] * HOUR == pytest.approx(fast[:4])


def test_red_over_time_has_no_unit_of_its_own():
    of = red.Red(60, 3750, 0.2, 50, 550, 0.1, 1e-4)
    slow = replace(of, rate=of.rate / HOUR, propagation=of.propagation * HOUR)
    _, w, q = red.run(of, 4.0, step=0.002)
    _, w_slow, q_slow = red.run(slow, 4.0 * HOUR, step=0.002 * HOUR)
    assert w_slow == pytest.approx(w)
    assert q_slow == pytest.approx(q)


def test_a_period_has_the_unit_of_its_step():
    swing = np.sin(np.arange(400) / 7)
    assert cycles.period(swing, 0.02 * U.s).check("[time]")
    assert cycles.period(1000 * swing, 2.0) == pytest.approx(100 * cycles.period(swing, 0.02))


def test_a_cycle_has_the_unit_of_its_frames():
    stages = access.uora_stages(4)
    of = uplink.uplink(uplink.Setting(8, 4, 36e-6, 1e-3, 32e-6, stages))
    # Eq 8 is linear in bits, and Eq 7 in time.
    assert of.throughput(2, 8000) == pytest.approx(2 * of.throughput(1, 8000))
    assert of.throughput(1, 16_000) == pytest.approx(of.throughput(2, 8000))


def test_reno_over_time_knows_no_seconds():
    """Reno's window and a FIFO have no constant with seconds: the saw is the same."""
    windows = []
    for k in (1, 2):
        path, queue = Path(800 / k, 0.04 * k), Fifo(1, 40)
        trace = solve(path, [SENDERS["newreno"]()], queue, 60.0 * k, sample=0.02 * k)
        windows.append(np.percentile(trace.window[len(trace.time) // 4 :, 0], (10, 50, 90)))
    assert windows[0] == pytest.approx(windows[1], rel=0.02)


def test_the_system_knows_seconds_by_its_phases():
    """BBR probes each 2.5 and 5 s. A path with the same bandwidth-delay product, half as long, is
    not the same path: what depends on the clock has a unit."""
    fast = system.corrected(system.Home(1600, 0.02, 40), 10)
    slow = system.corrected(system.Home(800, 0.04, 40), 10)
    assert fast.served[-1] > 1.5 * slow.served[-1]


@pytest.mark.parametrize("name", ["bbr2", "bbr3"])
@pytest.mark.parametrize("kind", ["fifo", "codel", "fair"])
def test_a_minute_of_bbr_is_an_hour_of_a_slower_one(monkeypatch, name, kind):
    """Their only times are those with a name: with these and the path's so many times as long, all
    numbers of packets are the same, to the last digit for a power of two."""
    found = []
    for k in (1.0, 64.0):
        with monkeypatch.context() as patch:
            for constant in ("remembers", "probe_rtt_every", "probe_rtt_lasts"):
                patch.setattr(Bbr, constant, getattr(Bbr, constant) * k)
            queue = {
                "fifo": Fifo(1, 40),
                "codel": Codel(1, 5e-3 * k, 0.1 * k),
                "fair": Fair(1, None, 5e-3 * k, 0.1 * k),
            }[kind]
            sender = SENDERS[name](wait=2.5 * k)
            path = Path(833 / k, 0.04 * k)
            found.append(solve(path, [sender], queue, 60 * k, sample=0.02 * k, step=5e-3 * k))
    fast, slow = found
    assert "UP" in {p[0] for p in fast.phases}
    assert fast.phases == slow.phases
    for what in ("queue", "window", "inflight", "lost", "sent"):
        assert (getattr(fast, what) == getattr(slow, what)).all(), what
    assert (slow.rtt == 64 * fast.rtt).all()
    assert (fast.goodput == 64 * slow.goodput).all()
