"""The language of claims: what its words mean, and what they say where they do not fit."""

import math
from dataclasses import replace
from itertools import product

import pytest

from acklab.studies.kit.fields import Field, known, reported
from acklab.studies.kit.flaws import Flaw
from acklab.studies.kit.language import Scope, number, truth
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.quantity import derived
from acklab.studies.kit.templates import Unmet, filled
from acklab.studies.kit.truth import Truth, every, some
from acklab.studies.kit.vocabulary import Quantity, Vocabulary
from acklab.studies.kit.words import EXAMPLES, WORDS, Wrong

CCS, RATIOS = ("cubic", "vegas", "bbr"), (1, 4, 16)
GOODPUT = Quantity("goodput", "Mbit/s", "Payload.", lambda run: 0.0)
RTT = Quantity("rtt", "ms", "Round-trip time.", lambda run: 0.0, digits=1)
VOCABULARY = Vocabulary({"goodput": GOODPUT, "rtt": RTT}, {"main": {"cc": CCS, "ratio": RATIOS}})
#: By controller, along the ratio: falls, hardly changes, rises.
MEANS = {"cubic": (10.0, 8.0, 5.0), "vegas": (6.0, 6.1, 6.0), "bbr": (9.0, 9.5, 11.0)}


def scope(noise=0.1, seeds=4, means=MEANS, where=None):
    """Goodput with noise that all cells of a seed share in part, and RTT that is its inverse."""
    goodput, rtt = {}, {}
    for cc, i in product(CCS, range(len(RATIOS))):
        values = {
            s: means[cc][i] + noise * (s * 37 % 5 - 2) / 2 * (1 + i) for s in range(1, seeds + 1)
        }
        goodput[cc, RATIOS[i]] = values
        rtt[cc, RATIOS[i]] = {s: 100 / v for s, v in values.items()}
    axes = ("cc", "ratio")
    fields = {("main", "goodput"): Field(axes, goodput), ("main", "rtt"): Field(axes, rtt)}
    return Scope(VOCABULARY, Numbers(fields), where or {})


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("falling(goodput(cc=cubic), along=ratio, by=0.3)", Truth.YES),
        ("falling(goodput(cc=cubic), along=ratio, by=0.7)", Truth.NO),
        ("rising(goodput(cc=bbr), along=ratio)", Truth.YES),
        ("rising(goodput(cc=cubic), along=ratio)", Truth.NO),
        ("flat(goodput(cc=vegas), over=ratio, within=0.2)", Truth.YES),
        ("flat(goodput(cc=cubic), over=ratio, within=0.2)", Truth.NO),
        ("all(goodput > 4, over=[cc, ratio])", Truth.YES),
        ("all(goodput(ratio=16) > 5.5, over=cc)", Truth.NO),
        ("any(goodput(ratio=16) > 10, over=cc)", Truth.YES),
        ("any(goodput > 20, over=[cc, ratio])", Truth.NO),
        ("highest(goodput(ratio=16), cc=bbr)", Truth.YES),
        ("highest(goodput(ratio=1), cc=bbr)", Truth.NO),
        ("lowest(goodput(ratio=1), cc=vegas)", Truth.YES),
        ("more_than(goodput(cc=bbr, ratio=16), goodput(cc=cubic, ratio=16), by=0.5)", Truth.YES),
        ("less_than(goodput(cc=cubic, ratio=16), goodput(cc=cubic, ratio=1), by=0.3)", Truth.YES),
        ("near(goodput(cc=cubic, ratio=1), 10.5, within=0.1)", Truth.YES),
        ("near(goodput(cc=cubic, ratio=1), 20, within=0.1)", Truth.NO),
        ("gain(goodput(cc=cubic), along=ratio, since=1, to=16) < -0.3", Truth.YES),
        ("change(goodput(cc=bbr), along=ratio, since=1, to=16) > 1", Truth.YES),
        ("count(goodput(ratio=16) > 5.5, over=cc) == 2", Truth.YES),
        ("least(goodput(cc=cubic), over=ratio) < 6", Truth.YES),
        ("most(goodput(cc=cubic), over=ratio) > 9", Truth.YES),
        ("average(goodput(cc=cubic), over=ratio) < 9", Truth.YES),
        ("total(goodput(ratio=1), over=cc) > 24", Truth.YES),
        ("gap(goodput(cc=cubic), over=ratio) > 4", Truth.YES),
        ("spread(goodput(cc=vegas), over=ratio) < 0.2", Truth.YES),
        ("scatter(goodput(cc=cubic, ratio=1)) < 0.05", Truth.YES),
        ("seeds_where(goodput(cc=cubic, ratio=1), low=5) == 4", Truth.YES),
        ("correlation(goodput(cc=cubic), rtt(cc=cubic), over=ratio) < -0.9", Truth.YES),
        ("4 < goodput(cc=cubic, ratio=16) < 6", Truth.YES),
        ("not goodput(cc=cubic, ratio=1) < 5", Truth.YES),
        ("goodput(cc=cubic, ratio=1) > 5 and goodput(cc=bbr, ratio=1) > 20", Truth.NO),
        ("goodput(cc=cubic, ratio=1) > 50 or goodput(cc=bbr, ratio=1) > 5", Truth.YES),
        ("2 * goodput(cc=cubic, ratio=16) - 1 > goodput(cc=cubic, ratio=4)", Truth.YES),
    ],
)
def test_what_a_condition_means(text, holds):
    assert truth(text, scope()) is holds


@pytest.mark.parametrize(
    "text",
    [
        "goodput(cc=vegas, ratio=4) > goodput(cc=vegas, ratio=1)",
        "rising(goodput(cc=vegas, ratio=[1, 4]), along=ratio)",
        "goodput(cc=cubic, ratio=1) > 10.01",
        # One part is open, and none decides.
        "goodput(cc=cubic, ratio=1) > 10.01 and goodput(cc=bbr, ratio=1) > 5",
        "goodput(cc=cubic, ratio=1) > 10.01 or goodput(cc=bbr, ratio=1) > 50",
        "not goodput(cc=cubic, ratio=1) > 10.01",
    ],
)
def test_an_interval_on_both_sides_decides_nothing(text):
    assert truth(text, scope(noise=2.0)) is Truth.OPEN


def test_one_seed_decides_nothing_unless_it_stands_for_itself():
    text = "goodput(cc=cubic, ratio=1) > 1"
    assert truth(text, scope(seeds=1)) is Truth.OPEN
    paper = Numbers({("main", "goodput"): Field(("cc", "ratio"), {("cubic", 1): {None: 10.0}})})
    assert truth(text, Scope(VOCABULARY, paper)) is Truth.YES


def test_noise_that_two_cells_share_decides_between_them():
    # Each interval is wide, the difference of two cells of one seed is not.
    cells = {
        ("cubic", 1): {1: 5.0, 2: 9.0, 3: 14.0},
        ("bbr", 1): {1: 5.1, 2: 9.1, 3: 14.1},
    }
    own = Numbers({("main", "goodput"): Field(("cc", "ratio"), cells)})
    at = Scope(VOCABULARY, own, {})
    assert truth("goodput(cc=bbr, ratio=1) > goodput(cc=cubic, ratio=1)", at) is Truth.YES


def test_without_numbers_it_is_missing():
    nobody = Scope(VOCABULARY, Numbers(), {})
    assert truth("goodput(cc=cubic, ratio=1) > 1", nobody) is Truth.MISSING
    assert truth("all(goodput > 1, over=[cc, ratio])", nobody) is Truth.MISSING
    assert truth("all(falling(goodput, along=ratio), over=cc)", nobody) is Truth.MISSING
    assert truth("highest(goodput(ratio=1), cc=cubic)", nobody) is Truth.MISSING
    assert truth("flat(goodput(cc=cubic), over=ratio)", nobody) is Truth.MISSING


def test_one_that_decides_wins_over_what_is_open():
    assert every([Truth.OPEN, Truth.NO, Truth.MISSING]) is Truth.NO
    assert every([Truth.OPEN, Truth.YES]) is Truth.OPEN
    assert some([Truth.OPEN, Truth.YES, Truth.NO]) is Truth.YES
    assert some([Truth.OPEN, Truth.NO]) is Truth.OPEN


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("goodputt(cc=cubic) > 1", "did you mean 'goodput'"),
        ("goodput(cc=cubbic, ratio=1) > 1", "no key 'cubbic'; it has: cubic, vegas, bbr"),
        ("goodput(c=cubic) > 1", "no axis 'c'; it has: cc, ratio"),
        ("goodput(cubic) > 1", "the keys of a quantity are named"),
        ("goodput > 1", "holds or not for each cc, ratio"),
        ("goodput(cc=cubic, ratio=1)", "a number, where true or false is needed: compare"),
        ("falling(goodput(cc=cubic))", "along"),
        ("falling(goodput(cc=cubic), along=size)", "no axis 'size'"),
        ("all(goodput)", "a number, where true or false is needed"),
        ("flat(goodput > 1)", "true or false, where a number is needed"),
        ("goodput(cc=cubic", "this is no expression"),
        ("__import__('os')", "no quantity or word '__import__'"),
        ("__import__(name=os)", "no quantity or word '__import__'"),
        ("goodput.__class__", "no group '__class__'|no quantity|is nothing|is not measured"),
        ("[x for x in (1,)]", "is nothing that a claim can say"),
        ("True", "True and False are no expressions"),
    ],
)
def test_a_mistake_is_answered_with_what_would_be_right(text, told):
    with pytest.raises(Wrong, match=told):
        truth(text, scope())


def test_keys_of_a_set_up_and_of_a_claim_hold_throughout():
    at = scope(where={"cc": "cubic"})
    assert known(number("goodput(ratio=16)", at).cells[()]).mean == pytest.approx(5.0, abs=0.2)
    assert truth("falling(goodput, along=ratio)", at) is Truth.YES


def test_every_word_has_an_example_and_a_line():
    assert set(WORDS) <= set(EXAMPLES)
    for name, of in WORDS.items():
        assert f"{name}(" in EXAMPLES[name], name
        assert (of.__doc__ or "").strip(), name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{goodput(cc=cubic, ratio=1)}", "10.00 Mbit/s"),
        ("{rtt(cc=cubic, ratio=1)}", "10.0 ms"),
        ("{goodput(cc=cubic, ratio=1):n}", "10.00"),
        ("{goodput(cc=cubic, ratio=1):.0f} of them", "10 of them"),
        ("{gain(goodput(cc=cubic), along=ratio, since=1, to=16):%}", "-50 %"),
        ("{goodput(cc=cubic):n}", "10.00, 8.00 and 5.00"),
        ("{goodput(cc=cubic, ratio=1):±}", "10.00 ± 0.00 Mbit/s"),
        ("{goodput(cc=cubic, ratio=1):split 5}", "10.00 Mbit/s in all 4 runs"),
    ],
)
def test_a_text_has_its_numbers(text, shown):
    assert filled(text, scope(noise=0.0)) == shown


def test_states_of_a_cell_are_told_apart():
    """And no group of the text is without a run."""
    states = {1: 9.5, 2: 1.0, 3: 9.7, 4: 1.4, 5: 3.0}
    fields = {("main", "goodput"): Field(("cc", "ratio"), {("cubic", 1): states})}
    of = Scope(VOCABULARY, Numbers(fields), {"cc": "cubic", "ratio": 1})
    assert filled("{goodput:split 5}", of) == "9.60 Mbit/s in 2 runs and 1.80 Mbit/s in 3"
    three = "9.60 Mbit/s in 2 runs, 3.00 Mbit/s in 1 and 1.20 Mbit/s in 2"
    assert filled("{goodput:split 2 5}", of) == three
    assert filled("{goodput:split 20 50}", of) == "4.92 Mbit/s in all 5 runs"
    for form in ("split", "split five"):
        with pytest.raises(Wrong, match="name bounds, as in :split 2 5"):
            filled(f"{{goodput:{form}}}", of)


def test_what_a_witness_did_not_measure_has_the_axes_of_what_it_is_made_of():
    """So that the same claim is whole with and without its numbers."""
    best = derived("best", "Mbit/s", "The best.", "most(goodput, over=cc)")
    made = Vocabulary({"goodput": GOODPUT, "best": best}, VOCABULARY.grids)
    nobody = Scope(made, Numbers(), {"ratio": 16})
    assert truth("best > 5", nobody) is Truth.MISSING
    assert number("best(ratio=[1, 4])", nobody).axes == ("ratio",)
    itself = replace(best, expression="best + 1")
    with pytest.raises(Wrong, match="'best' is made of itself"):
        number("best", Scope(Vocabulary({"best": itself}, VOCABULARY.grids), Numbers()))


def test_a_text_without_units_or_with_too_many_numbers_is_refused():
    with pytest.raises(Wrong, match="a ratio has no unit"):
        filled("{goodput(cc=cubic, ratio=1) / goodput(cc=bbr, ratio=1)}", scope())
    with pytest.raises(Wrong, match="9 numbers do not fit"):
        filled("{goodput}", scope())
    with pytest.raises(Wrong, match="no quantity or word 'speed'"):
        filled("{speed(cc=cubic)}", scope())


def test_a_text_is_refused_once_what_it_rests_on_has_turned():
    text = "{{require one = reproduced}}\nIt holds."
    assert filled(text, scope(), {"one": "reproduced"}) == "It holds."
    with pytest.raises(Unmet, match="this text needs one = reproduced, which is now not"):
        filled(text, scope(), {"one": "not"})
    with pytest.raises(Wrong, match="there is no such claim"):
        filled(text, scope(), {"other": "not"})


def test_a_flaw_names_file_and_line():
    assert str(Flaw("a.toml", 7, "wrong")).endswith("a.toml:7: wrong")


def test_numbers_in_a_row_are_named_where_the_text_does_not():
    told = filled("It has {goodput(cc=cubic)}.", scope(noise=0.0))
    assert told.endswith("*In this order: 1, 4, 16 (ratio).*")
    for said in ("at 1, 4 and 16", "at 1 to 16"):
        assert "in a row" not in filled(f"It has {{goodput(cc=cubic)}} {said}.", scope(noise=0.0))
    assert "in a row" not in filled("It has {goodput(cc=cubic, ratio=1)}.", scope(noise=0.0))


def test_an_interval_of_what_cannot_be_negative_is_not_told_below_zero():
    few = {1: 200.0, 2: 300.0, 3: 1320.0}
    positive = (0.0, math.inf)
    e = reported(few, positive)
    assert (e.mean, e.n) == (pytest.approx(606.67, abs=0.01), 3)
    assert math.isnan(e.low)
    assert reported(few, (-math.inf, math.inf)) == known(few)
    assert known(few).low < 0
    assert reported({1: 9.0, 2: 10.0, 3: 11.0}, positive).low > 0
    index = {1: 0.5, 2: 0.99}
    assert known(index).high > 1
    assert math.isnan(reported(index, (0.0, 1.0)).high)
    means = {"cubic": (600.0, 1.0, 1.0)}
    told = scope(noise=400.0, seeds=3, means={**MEANS, **means})
    assert filled("{goodput(cc=cubic, ratio=1):±}", told).count(" to ") == 1
    assert filled("{gap(goodput(cc=cubic), over=ratio):±}", told).count("±") == 1
