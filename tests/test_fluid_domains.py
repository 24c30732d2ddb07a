"""Every public function and class of `acklab.fluid` refuses numbers outside its domain.

They are found, not listed: a new one without a domain for one of its numbers fails here.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from inspect import signature
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

import acklab.fluid
from acklab.fluid import access, bbr3, contention, coupled, delays, maps, queues, uplink
from acklab.fluid.domain import DomainError, NoSolutionError, Symbol, Symbols, above_zero, unchecked
from fluid_functions import CLASSES, FUNCTIONS, arguments, numeric

#: Classes that nobody makes but the package itself: they are results.
RESULTS = {
    "access.RandomAccess",
    "access.Slots",
    "beside.Fit",
    "beside.Line",
    "case.Case",
    "case.Flow",
    "contention.Slot",
    "coupled.Trace",
    "delays.Solution",
    "durations.Exchange",
    "many.Totals",
    "radio_case.Hop",
    "red.Margin",
    "scherrer.Run",
    "stability.Verdict",
    "system.Run",
    "uplink.Uplink",
}
#: Parameters whose annotation has a number, and that are none.
NO_NUMBERS = {
    "access.eq7.slots": "probabilities, which the function looks at itself",
    "bbr3.eq10.scales": "a tuple, for `activation`",
    "bbr3.eq14.probing_rtt": "a truth",
    "contention.fixed_point.of": "contenders",
    "cycles.between_falls.values": "samples, of which NaN are left out",
    "cycles.period.values": "samples, of which NaN are left out",
    "radio.Radio.answers": "numbers of lanes",
    "triggered.Triggered.stations": "numbers of flows",
    "coupled.Fair.waiting": "the queues, which it makes itself",
    "radio_case.radio_of.channel": "a resolved scenario, which has been checked",
}
#: Symbols that may be below zero: differences, and values of any field.
SIGNED = {
    "bbr3.activation.x",
    "bbr3.activation_printed.x",
    "delays.Bound.least",
    "delays.Bound.most",
    "delays.solve_delayed.breaks",
    "delays.solve_delayed.start",
    "frames.multi_block_ack.bitmap",
    "many.work.x",
    "many.work.y",
    "maps.over.xs",
    "maps.over.ys",
    "red.loop.frequency",
    "scherrer.sigmoid.x",
    "stability.linearised.at",
    "stability.roots.a",
    "stability.roots.b",
    "stability.steady_state.guess",
    "stability.verdict.at",
}
#: Symbols that may be infinite: limits that do not exist.
INFINITE = {
    "bbr3.activation.x",
    "bbr3.eq9.hi",
    "bbr3.eq9.lo",
    "bbr3.eq9_printed.hi",
    "bbr3.eq9_printed.lo",
    "bbr3.eq10.hi",
    "bbr3.eq10_printed.hi",
    "bbr3.eq11.lo",
    "bbr3.eq11_printed.lo",
    "bbr3.eq12.pacing",
    "coupled.Fifo.limit",
    "delays.Bound.least",
    "delays.Bound.most",
    "many.Runs.limit",
    "many_queues.Fifos.limit",
    "many_queues.queues.limit",
    "paths.Printed.limit",
    "queues.eq18_printed.q_max",
    "queues.eq19.q_max",
    "queues.eq19_printed.q_max",
    "radio.Above.limit",
    "radio.Lane.at_most",
    "radio.Lane.device",
    "radio.Radio.holds",
    "radio.Radio.life",
    "radio.Source.device",
    "responses.asymmetry.reverse",
    "responses.pftk.most",
    "responses.rounds_to.limit",
    "responses.slow_start.limit",
    "scherrer.sigmoid.x",
    "senders.Bounded.most",
    "triggered.Triggered.device",
    "triggered.Triggered.life",
}
WITH_DOMAINS = {
    name: of
    for name, of in {**FUNCTIONS, **CLASSES}.items()
    if hasattr(of, "__symbols__") and name not in RESULTS
}
CASES = [f"{name}.{symbol}" for name, of in WITH_DOMAINS.items() for symbol in of.__symbols__]


def test_every_number_has_a_domain():
    """The mechanism itself (`domain`) is not an equation."""
    without = [
        f"{name}.{p}"
        for name, of in {**FUNCTIONS, **CLASSES}.items()
        if not name.startswith("domain.") and name not in RESULTS
        for p in numeric(of)
        if p not in getattr(of, "__symbols__", {}) and f"{name}.{p}" not in NO_NUMBERS
    ]
    assert without == []


def with_bad(good: object, bad: float) -> object:
    """The first number of an argument replaced."""
    if isinstance(good, np.ndarray):
        found = np.array(good, float)
        found.flat[0] = bad
        return found
    if isinstance(good, (list, tuple)):
        return type(good)([with_bad(good[0], bad), *good[1:]])
    return int(bad) if bad == 0 and isinstance(good, int) else bad


@pytest.mark.parametrize("case", CASES)
def test_what_is_outside_is_refused_and_named(case):
    """NaN everywhere; numbers below zero and infinity but where the lists above have it."""
    name, _, parameter = case.rpartition(".")
    of = WITH_DOMAINS[name]
    symbol = of.__symbols__[parameter]
    bad = [nan] + ([] if case in SIGNED else [-1.0, -inf]) + ([] if case in INFINITE else [inf])
    if not symbol.has(with_bad(symbol.example, 0.0)):
        bad.append(0.0)
    for value in bad:
        given = arguments(name, of) if name != "beside.beside" else {"scenario": None, "seeds": 1}
        given[parameter] = with_bad(symbol.example, value)
        with pytest.raises(DomainError) as caught:
            of(**given)
        text = str(caught.value)
        assert text.startswith(f"{symbol.equation or of.__equation__}: ")
        assert f"{symbol.name or parameter} = " in text
        assert "\n  help: " in text
        assert "for example " in text


# That of `beside` runs the simulator (test_model.py).
@pytest.mark.parametrize("case", [c for c in CASES if not c.startswith("beside.")])
def test_what_is_inside_has_a_result(case):
    """Of the examples, and of zero where the domain has it: a domain that is too wide divides by
    zero or makes NaN."""
    name, _, parameter = case.rpartition(".")
    of = WITH_DOMAINS[name]
    symbol = of.__symbols__[parameter]
    for value in (symbol.example, with_bad(symbol.example, 0.0)):
        if not symbol.has(value):
            continue
        given = arguments(name, of)
        given[parameter] = value
        # Two arguments that do not go together, each of which is in its domain.
        ignored = (DomainError,) if name in TOGETHER else ()
        with np.errstate(divide="raise", invalid="raise"), suppress(*ignored):
            found = of(**given)
            if isinstance(found, (float, int, np.ndarray, np.floating)):
                assert not np.isnan(found).any()


#: Equations with a relation between two of their arguments, and what that is.
TOGETHER = {
    "access.uora_stages": "OCWmin is at most OCWmax",
    "frames.cycle": "RUs have so many tones as the standard says",
    "frames.he_tb": "there are two guard intervals",
    "red.Red": "min_th is below max_th",
    "triggered.Triggered": "at most as many RUs for random access as there are",
}


def test_parts_of_a_slot_are_probabilities():
    """The printed Eq 7 makes one that is below zero: the mean slot of that is refused."""
    printed = access.eq7_probabilities_printed(0.0, [(3, 0.1)], 0.1)
    with pytest.raises(DomainError, match=r"Eq 7: P_f = -0\.07"):
        access.eq7(printed, 9e-6, 1e-3, 1e-3)


def test_an_element_is_named_with_its_place():
    with pytest.raises(DomainError, match=r"Eq 4: B_k = 0.5 \(element 1\)"):
        access.eq4(0.1, [8.0, 0.5])


def test_a_word_is_no_number():
    with pytest.raises(DomainError, match="Eq 12: tau = fast"):
        bbr3.eq12(1.0, "fast", 1.0)


def test_the_door_is_only_at_the_door():
    """A solver goes without it."""
    assert unchecked(bbr3.eq12)(-1.0, 0.5, 10.0) == -2.0


def test_a_table_knows_its_parameters():
    of = Symbols(x=above_zero("s", 1.0))
    with pytest.raises(TypeError, match="has no parameter y"):
        of("Eq 0", None, y=Symbol("", 1.0))(lambda x: x)


def test_every_refusal_has_a_help():
    """In the text of each error of the package: found, not listed."""
    folder = Path(acklab.fluid.__file__).parent
    seen = 0
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
                seen += 1
                assert "help: " in ast.unparse(node), f"{path.name}:{node.lineno}"
    assert seen >= 12


#: What the package raises.
ERRORS = {"DomainError", "NoCaseError", "NoSolutionError"}


def odd(example: object) -> list[object]:
    """For sequences none, many, large ones, and pairs that are none; for numbers large and small
    ones."""
    if isinstance(example, (list, tuple)):
        found: list[object] = [[], list(example) * 50]
        if isinstance(example[0], (list, tuple)):
            return [*found, [(2,)], [(2, 0.1, 3)], [(2.5, 0.1)], [(2, 2.0)], [0.1]]
        return [*found, [(1.0, 2.0)], [1e308] * 50]
    return [2 * example, 2000] if isinstance(example, int) else [1e-300, 1e6]


@pytest.mark.parametrize("case", [c for c in CASES if c.startswith(("access.", "uplink."))])
def test_odd_values_have_a_result_or_a_refusal_with_a_help(case):
    """Of Eqs 1 to 8, which add and multiply: no number makes them slow."""
    name, _, parameter = case.rpartition(".")
    of = WITH_DOMAINS[name]
    for value in odd(of.__symbols__[parameter].example):
        given = arguments(name, of)
        given[parameter] = value
        # Any other error, and any warning, fails.
        with np.errstate(all="raise", under="ignore"), suppress(DomainError, NoSolutionError):
            found = of(**given)
            if name == "uplink.Setting":
                uplink.uplink(found)


@pytest.mark.parametrize(("stations", "units"), [(650, 4), (700, 4), (1000, 4), (2000, 9)])
def test_a_crowd_on_few_units_is_never_answered(stations, units):
    stages = access.uora_stages(units, 7, 31, 200)
    found = uplink.uplink(uplink.Setting(stations, units, 1e-4, 3e-3, 1e-4, stages))
    assert found.silent == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: access.eq4_printed(0.5, []), "Eq 4: B_k"),
        (lambda: access.eq7_probabilities(0.1, [(2,)], 0.1), "Eq 7: n_j and beta_j"),
        (lambda: access.eq7_probabilities_printed(0.1, [(2, 2.0)], 0.1), "Eq 7: beta_j"),
        (lambda: access.eq7_probabilities(0.1, [(2.5, 0.1)], 0.1), "Eq 7: n_j"),
        (
            lambda: delays.solve_delayed(lambda t, y, then: -y, 0.0, [1.0], 0.5, sample=1),
            "the time between samples",
        ),
        (lambda: maps.over(lambda x, y: 1 / (x - y), [1.0], [1.0], 1), "x = 1.0 and y = 1.0"),
    ],
)
def test_arguments_that_make_no_sense_are_named(call, says):
    with pytest.raises(DomainError, match=says):
        call()


def test_large_slots_are_numbers_like_others():
    assert access.eq4(0.5, [1e308] * 50) == pytest.approx(1e-308)


#: What is no number, or has a shape that no equation of flows has.
MALFORMED: dict[str, object] = {
    "empty array": np.array([]),
    "empty list": [],
    "three": np.array([1.0, 2.0, 3.0]),
    "five in a list": [1.0] * 5,
    "two dimensions": np.ones((2, 3)),
    "an array of no dimension": np.array(0.5),
    "NaN": nan,
    "NaN in an array": np.array([nan, nan]),
    "None": None,
    "a word": "fast",
    "a number as text": "0.5",
    "an array of words": np.array(["a", "b"]),
    "a list of words": ["a"],
    "rows of different lengths": [[1.0], [1.0, 2.0]],
    "a complex number": 1j,
    "an object": object(),
}
#: What takes every parameter: the door itself is none, `beside` runs the simulator.
AT_THE_DOOR = {
    name: of
    for name, of in {**FUNCTIONS, **CLASSES}.items()
    if hasattr(of, "__symbols__")
    and name not in RESULTS
    and not name.startswith(("domain.", "beside."))
}


@pytest.mark.parametrize("name", AT_THE_DOOR)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_malformed_has_a_result_or_a_named_refusal(name):
    """Every parameter, whatever it is: NumPy's and SciPy's own errors fail here."""
    of = AT_THE_DOOR[name]
    plain, refusals = arguments(name, of), []
    for parameter in signature(of).parameters:
        for what, value in MALFORMED.items():
            try:
                found = of(**{**plain, parameter: value})
            except (DomainError, NoSolutionError) as refused:
                refusals.append(str(refused))
            except Exception as e:
                raise AssertionError(f"{parameter}: {what}: {type(e).__name__}: {e}") from e
            else:
                if isinstance(found, (float, np.ndarray)):
                    assert name in GAPS or not np.isnan(np.asarray(found, float)).any(), (
                        parameter,
                        what,
                    )
    assert all("\n  help: " in r for r in refusals)


#: Where NaN is a result: a point of a map that has none.
GAPS = {"maps.over"}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: queues.eq16([1.0, 2.0], [1.0, 2.0, 3.0], 0.0),
            r"Eq 16: x_i has the shape \(2,\), s_i has the shape \(3,\)\n  help: arrays of one",
        ),
        (lambda: queues.eq18(1000.0, 3.0, [1.0]), "Eq 18: q_i is one number\n  help: 1 dimension"),
        (lambda: queues.eq20([], 1000.0, [], []), r"Eq 20: w_i has the shape \(0,\)"),
        (lambda: queues.eq20([1.0], 9.0, [1.0, 2.0], [1.0]), r"w_i has the shape \(1,\), q_i has"),
        (
            lambda: queues.eq15(0.04, np.ones((2, 2)), np.ones(2), True),
            r"Eq 15: q_i = of the shape",
        ),
        (lambda: access.eq4([0.1, 0.2], [8.0]), r"Eq 4: gamma has the shape \(2,\)\n  help: one n"),
        (lambda: contention.slot([0.1], [1e-3, 1e-3], [1e-3]), r"Eq 7: beta has the shape \(1,\)"),
        (lambda: contention.fixed_point([contention.Contender((16,))], [1.0, 1.0]), "Eq 5: the pa"),
        (
            lambda: coupled.solve(None, [], None, 1.0),
            "path = None .*\n  help: it is of the type Pa",
        ),
        (lambda: bbr3.eq10(9.0, 9.0, 0.0, 1e6, 1e-3, 0.0), "Eq 10: the result is no number"),
    ],
)
def test_shapes_that_do_not_go_together_are_named(call, says):
    with pytest.raises((DomainError, NoSolutionError), match=says):
        call()


def test_lists_and_numbers_are_as_good_as_arrays():
    whole = queues.eq18(1000.0, np.array([9.0, 1.0]), np.array([500.0, 700.0]))
    assert queues.eq18(1000, [9, 1], [500, 700]) == pytest.approx(whole)
    assert queues.eq15(0.04, [9.0], [1000.0], True) == pytest.approx(0.049)
