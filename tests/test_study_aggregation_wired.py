"""The wired part of the aggregation study: its folder is whole, its rules mean what they say."""

from __future__ import annotations

from pathlib import Path

import acklab
from acklab.studies.aggregation.cells_wired import GROUPS, SETUPS
from acklab.studies.aggregation.rules import ahead, differ, stepwise, swings
from acklab.studies.kit.fields import Field, constant
from acklab.studies.kit.folder import load
from acklab.studies.kit.truth import Truth
from acklab.studies.study import Effort

FOLDER = Path(acklab.__file__).parent / "studies" / "aggregation"


def line(*values: float) -> Field:
    """Three seeds that agree, by ratio."""
    return Field(("ratio",), {(2**i,): dict.fromkeys((1, 2, 3), v) for i, v in enumerate(values)})


def test_the_folder_is_whole() -> None:
    """Loading tries every condition and every reason."""
    study = load(FOLDER)
    ids = {c.id for c in study.claims}
    assert {"T1-cubic-collapse", "F2-bbr-drops", "F4-vegas-zero", "T2-newreno", "T3-shifts"} <= ids
    assert [s.name for s in study.setups("decides")] == ["ns3"]
    assert [s.name for s in study.setups("explains")] == ["thesis"]


def test_the_thesiss_tables_are_complete() -> None:
    """Twenty cells of Table 1, fifty of Tables 2 and 3; CUBIC's collapse is as printed."""
    paper = load(FOLDER).witnesses["paper"]
    table1, tables = paper["one", "goodput"], paper["pairs", "jain"]
    assert (len(table1.cells), len(tables.cells)) == (20, 50)
    assert table1.cells["cubic", 16] == {None: 1.96}


def test_every_set_up_is_run_in_every_cell() -> None:
    """No set-up is judged on fewer cells of the tables than another."""
    for group in ("one", "pairs", "traces"):
        cells = GROUPS[group](Effort(1))
        each = {s: sum(c.keys["setup"] == s for c in cells) for s in SETUPS}
        assert len(set(each.values())) == 1, each


def truth(of: object) -> Truth:
    """The single truth that a rule gives."""
    return of.cells[()]  # type: ignore[attr-defined,no-any-return]


def test_swings_needs_both_ways() -> None:
    """A line that only falls can be foretold."""
    assert truth(swings(line(1, 8, 2), "ratio", 0.1)) is Truth.YES
    assert truth(swings(line(9, 6, 2), "ratio", 0.1)) is Truth.NO
    assert truth(swings(line(9, 6, 6.5), "ratio", 0.1)) is Truth.NO


def test_stepwise_refuses_one_leap() -> None:
    """A fall at one step alone is no gradual one."""
    assert truth(stepwise(line(9, 8, 7, 6), "ratio", 0.667)) is Truth.YES
    assert truth(stepwise(line(9, 9, 9, 6), "ratio", 0.667)) is Truth.NO
    assert truth(stepwise(line(9, 7, 8, 6), "ratio", 0.667)) is Truth.NO


def test_differ_takes_either_side() -> None:
    """Whichever is more, but by more than the margin."""
    one, two = constant(1.0), constant(1.3)
    assert truth(differ(one, two, 0.1)) is Truth.YES
    assert truth(differ(two, one, 0.1)) is Truth.YES
    assert truth(differ(one, two, 0.5)) is Truth.NO


def test_ahead_turns_the_lead_of_the_other_flow_round() -> None:
    """Pairs of two loss-based flows, or of none, do not count."""
    lead = Field(
        ("pair",),
        {("bbr3-cubic",): {1: 2.0}, ("cubic-vegas",): {1: 3.0}, ("cubic-newreno",): {1: 1.0}},
    )
    assert ahead(lead).cells == {("bbr3-cubic",): {1: -2.0}, ("cubic-vegas",): {1: 3.0}}
