"""Dimensional analysis of every function of the equations: a new one without a line here fails."""

from __future__ import annotations

import inspect
from dataclasses import replace
from types import ModuleType

import numpy as np
import pint
import pytest

from acklab.fluid import access, bbr3, loops, queues, red, responses, system, uplink
from acklab.fluid.coupled import Fifo, Path, solve
from acklab.fluid.senders import SENDERS

U = pint.UnitRegistry()
U.define("packet = [packet]")
PER_S = U.packet / U.s
BITS = U.bit / U.s
#: Values with units.
T, W, X, P = 20 * U.ms, 100 * U.packet, 1000 * PER_S, 0.1
SPEED, SIZE = 50e6 * BITS, 12e3 * U.bit
Q, S = [9, 1] * U.packet, [500, 500] * PER_S
FULL = 50 * U.packet
SLOTS = access.Slots(0.5, 0.3, 0.2)
HALVES = np.array([0.5, 0.5])

TIME, PACKETS, RATE, SPEEDS, ONE = "[time]", "[packet]", "[packet] / [time]", "speed", ""
#: A call with units, and the dimension of its result.
WITH_UNITS = {
    "access.eq1": (lambda: access.eq1(T, T, T, T, T, 16 * U.us), TIME),
    "access.eq2_printed": (lambda: access.eq2_printed(10, 3, 4, SIZE, T), SPEEDS),
    "access.eq2": (lambda: access.eq2(10, 3, 1.5, SIZE, T, 0.1, T), SPEEDS),
    "access.eq3_printed": (
        lambda: access.eq3_printed(SPEED, T, 1 * U.ms, 160 * U.bit, 160 * U.bit, SIZE, 64),
        ONE,
    ),
    "access.eq3": (
        lambda: access.eq3(SPEED, T, 1 * U.ms, 416 * U.bit, SIZE, 32 * U.bit, 64),
        ONE,
    ),
    "access.difs": (lambda: access.difs(16 * U.us, 9 * U.us), TIME),
    "access.eifs": (lambda: access.eifs(16 * U.us, 44 * U.us, 34 * U.us), TIME),
    "access.eq7_success": (lambda: access.eq7_success(T, 34 * U.us), TIME),
    "access.eq7_collision_printed": (
        lambda: access.eq7_collision_printed(T, 1 * U.ms, 34 * U.us),
        TIME,
    ),
    "access.eq7_collision": (
        lambda: access.eq7_collision(T, 1 * U.ms, 16 * U.us, 34 * U.us),
        TIME,
    ),
    "access.eq7": (lambda: access.eq7(SLOTS, 9 * U.us, T, T), TIME),
    "access.cycle_time": (lambda: access.cycle_time(0.1, [8.5, 16.5], 9 * U.us, T, T), TIME),
    "access.eq8_printed": (lambda: access.eq8_printed(0.5, 0.1, SPEED), SPEEDS),
    "access.eq8": (lambda: access.eq8(10, 1, 0.5, 0.1, 0.1, SIZE, T, T), SPEEDS),
    "bbr3.activation": (lambda: bbr3.activation(T, 1 * U.s), ONE),
    "bbr3.eq9_printed": (lambda: bbr3.eq9_printed(W, 0.5, W, W), PACKETS),
    "bbr3.eq9": (lambda: bbr3.eq9(W, 0.5, W, W), PACKETS),
    "bbr3.eq10": (lambda: bbr3.eq10(W, W, 0, 3 * T, T, 0.0, 1 * U.packet), RATE),
    "bbr3.eq11_printed": (lambda: bbr3.eq11_printed(W, W, 1, T, P), RATE),
    "bbr3.eq11": (lambda: bbr3.eq11(W, W, 1, T, P), RATE),
    "bbr3.eq12_printed": (lambda: bbr3.eq12_printed(W, T), RATE),
    "bbr3.eq12": (lambda: bbr3.eq12(W, T, X), RATE),
    "bbr3.eq13_printed": (lambda: bbr3.eq13_printed(W, T)[1], RATE),
    "bbr3.eq13": (lambda: bbr3.eq13(W, T)[1], RATE),
    "bbr3.eq14": (lambda: bbr3.eq14(True, X, X), RATE),
    "bbr3.bandwidth": (lambda: bbr3.bandwidth(X, 2 * X, T, 100 * T), "[packet] / [time] ** 2"),
    "queues.eq15_printed": (lambda: queues.eq15_printed(T, Q, S), TIME),
    "queues.eq15": (lambda: queues.eq15(T, Q, S, shared=True), TIME),
    "queues.eq16_printed": (lambda: queues.eq16_printed(S, S), RATE),
    "queues.eq16": (lambda: queues.eq16(S, S, Q), RATE),
    "queues.eq17_printed": (lambda: queues.eq17_printed(P, S), RATE),
    "queues.eq17": (lambda: queues.eq17(P, S, S, Q), RATE),
    "queues.eq18_printed": (lambda: queues.eq18_printed(S, Q, FULL), PACKETS),
    "queues.eq18": (lambda: queues.eq18(X, Q, S), RATE),
    "queues.eq19_printed": (lambda: queues.eq19_printed(FULL, FULL, S), RATE),
    "queues.eq19": (lambda: queues.eq19(FULL, FULL, S, X), RATE),
    "queues.eq20_printed": (lambda: queues.eq20_printed(HALVES, X), RATE),
    "queues.eq20": (lambda: queues.eq20(HALVES, X, Q, S), RATE),
    "queues.eq21_sojourn": (lambda: queues.eq21_sojourn(Q, S), TIME),
    "queues.eq21_printed": (lambda: queues.eq21_printed(T, 0.1, 5 * U.ms), ONE),
    "queues.eq21": (lambda: queues.eq21(T, 100 * U.ms), "1 / [time]"),
    "queues.eq23": (lambda: queues.eq23(1e3 / U.s, 5 * T, 0.0, 100 * U.ms), ONE),
    "queues.eq24_printed": (lambda: queues.eq24_printed(S, P, S), RATE),
    "queues.eq24": (lambda: queues.eq24(S, P, S, Q), RATE),
    # Closed forms: a packet is a number.
    "responses.mathis": (lambda: responses.mathis(T, 0.01), "1 / [time]"),
    "responses.pftk": (lambda: responses.pftk(T, 0.01, 1 * U.s), "1 / [time]"),
    "responses.pftk_full": (lambda: responses.pftk_full(T, 0.01, 1 * U.s), "1 / [time]"),
    "responses.tack_share": (lambda: responses.tack_share(W, 2 * W), ONE),
    "responses.cubic_window": (lambda: responses.cubic_window(T, 1e-4, c=0.4 / U.s**3), ONE),
    "responses.asymmetry": (lambda: responses.asymmetry(SPEED, SPEED, SIZE, SIZE)[0], ONE),
    "responses.byte_counting": (lambda: responses.byte_counting(1e3 / U.s, 2), "1 / [time]"),
    "responses.periodic": (lambda: responses.periodic(T), "1 / [time]"),
    "responses.tack": (lambda: responses.tack(1e3 / U.s, T), "1 / [time]"),
    "responses.delayed": (lambda: responses.delayed(1e3 / U.s, T), "1 / [time]"),
    "responses.least_window": (lambda: responses.least_window(W, 2), PACKETS),
}
#: Functions of numbers that have no unit, and which of their arguments would be wrong with one.
PURE = {
    "access.eq4_printed": lambda x: access.eq4_printed(x, [8.0, 16.0]),
    "access.eq4": lambda x: access.eq4(x, [8.0, 16.0]),
    "access.uora_slots": lambda x: access.uora_slots(7 * x, 2),
    "access.uora_stages": lambda x: access.uora_stages(2, 7 * x)[0],
    "access.eq5": lambda x: access.eq5(x, 2, 3),
    "access.eq6": lambda x: access.eq6(x, 0.1),
    "access.eq7_probabilities_printed": lambda x: (
        access.eq7_probabilities_printed(x, [(2, 0.1)], 0.1).success
    ),
    "access.eq7_probabilities": lambda x: access.eq7_probabilities(x, [(2, 0.1)], 0.1).success,
    "access.nobody_wins": lambda x: access.nobody_wins(3, 2, x),
    "access.random_access": lambda x: access.random_access(3, 2, [2.0 * x / x]).beta + x,
    "bbr3.activation_printed": bbr3.activation_printed,
    "responses.pivot": lambda x: responses.pivot(2, 4) + x,
    "responses.iack_loss": lambda x: responses.iack_loss(4, x, 8.0),
    "responses.most_packets": lambda x: responses.most_packets(4, x, 0.1) + x,
    "responses.slow_start": lambda x: responses.slow_start(2, x),
    "responses.rounds_to": lambda x: responses.rounds_to(100, 10, 1, x),
    "responses.avoidance": lambda x: responses.avoidance(2 + x, by_byte=False),
}
#: Those whose units are those of their constants or of nothing.
OTHERWISE = {
    "bbr3.eq10_printed": "clashes, see below",
    "bbr3.probes_rtt": "a truth, of seconds",
    "queues.eq22": "hosts and truths",
}


def functions(of: ModuleType) -> set[str]:
    """Names of the functions that a module defines."""
    short = of.__name__.rpartition(".")[2]
    return {
        f"{short}.{name}"
        for name, f in inspect.getmembers(of, inspect.isfunction)
        if f.__module__ == of.__name__ and not name.startswith("_")
    }


def test_none_is_left_out():
    every = set().union(*(functions(m) for m in (access, bbr3, queues, responses)))
    assert every == WITH_UNITS.keys() | PURE.keys() | OTHERWISE.keys()


@pytest.mark.parametrize("name", WITH_UNITS)
def test_dimensions(name):
    call, dimension = WITH_UNITS[name]
    found = call()
    if dimension == ONE:
        assert U.Quantity(found).check("")
    elif dimension == SPEEDS:
        assert found.check(SPEED.dimensionality)
    else:
        assert found.check(dimension)


@pytest.mark.parametrize("name", PURE)
def test_numbers_without_units(name):
    assert np.isfinite(PURE[name](0.5 if name != "access.uora_stages" else 1))
    with pytest.raises((pint.DimensionalityError, TypeError, ValueError)):
        PURE[name](0.5 * U.s)


def test_printed_forms_whose_units_clash():
    # Eq 10: a sigmoid of seconds.
    with pytest.raises(pint.DimensionalityError):
        bbr3.eq10_printed(W, W, 0, 2 * T, T, 0.0)
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


#: What solvers do cannot have a unit on the way: with another unit of time it must be the same.
HOUR = 3600.0


def test_equations_over_time_have_no_unit_of_their_own():
    """Half the rate over twice the time is the same path, as long as no constant has seconds."""
    one = loops.DropTail(loops.Bottleneck(4, 800.0, 0.04), 20)
    other = loops.DropTail(loops.Bottleneck(4, 800.0 / HOUR, 0.04 * HOUR), 20)
    assert other.steady() == pytest.approx(one.steady())
    assert other.stability().growth * HOUR == pytest.approx(one.stability().growth)
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
