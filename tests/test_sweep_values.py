"""The syntax of grids, and their counting."""

import pytest

import acklab
from acklab.sweeps import grid, plan, values

LISTS = {
    "1,2,4": ["1", "2", "4"],
    "1..4": ["1", "2", "3", "4"],
    "4..1+-1": ["4", "3", "2", "1"],
    "0.1..0.5+0.1": ["0.1", "0.2", "0.3", "0.4", "0.5"],
    "0..1+0.4": ["0", "0.4", "0.8"],
    "1..64*2": ["1", "2", "4", "8", "16", "32", "64"],
    "1..1000*10 Mbit/s": ["1 Mbit/s", "10 Mbit/s", "100 Mbit/s", "1000 Mbit/s"],
    "64..8*0.5": ["64", "32", "16", "8"],
    "0.001..1*10": ["0.001", "0.01", "0.1", "1"],
    "5..15+5ms": ["5ms", "10ms", "15ms"],
    "1,2,10..30+10": ["1", "2", "10", "20", "30"],
    "100..100": ["100"],
    "1e3..3e3+1e3": ["1000", "2000", "3000"],
    '{ name = "cubic", beta = 0.5 }, bbr3': ['{ name = "cubic", beta = 0.5 }', "bbr3"],
    '"a,b",c': ['"a,b"', "c"],
    "../trace,x": ["../trace", "x"],
    "-1..1": ["-1", "0", "1"],
}


@pytest.mark.parametrize("text", LISTS)
def test_lists_and_ranges(text):
    read = values.read("k", text)
    assert list(read) == LISTS[text]
    assert read.count == len(LISTS[text])
    assert [read.at(i) for i in range(read.count)] == LISTS[text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty value"),
        ("1,,2", "empty value"),
        ("1..", "cannot read the range"),
        ("1..2..3", "cannot read the range"),
        ("1..5/2", "cannot read the range"),
        ("10..1", "is empty"),
        ("1..10+0", "never ends"),
        ("1..10*1", "never ends"),
        ("0..10*2", "never ends"),
        ("1..10*0.5", "never ends"),
        ("0.1..0.5", "does not say its step"),
        ("1..1e99999999", "out of bounds"),
        ("{ name = 1", "open bracket"),
        ('"a,b', "open bracket or quote"),
    ],
)
def test_mistakes_in_values(text, said):
    with pytest.raises(acklab.AcklabError, match=said):
        values.read("k", text)


def test_factors_are_counted_exactly():
    for end in range(1, 43):
        assert values.read("k", f"1..{2**end}*2").count == end + 1
        assert values.read("k", f"1..{2**end - 1}*2").count == end


def test_a_grid_is_numbered_with_the_last_key_fastest():
    made = grid.build({"a": "1..3", "n:b": ["x", "y"]}, [{"c": [1, 2], "d": [True, False]}])
    assert made.cells == 12
    assert made.overrides(0) == [("a", "1"), ("b", "x"), ("c", "1"), ("d", "true")]
    assert made.overrides(11) == [("a", "3"), ("b", "y"), ("c", "2"), ("d", "false")]
    columns = made.columns(range(12))
    assert columns.columns == ["a", "n", "c", "d"]
    assert [str(t) for t in columns.dtypes] == ["Int64", "String", "Int64", "Boolean"]
    assert columns.unique().height == 12


def test_types_of_columns():
    made = grid.build({"a": "1,2.5", "b": '1,"x"', "c": [{"name": "cubic"}, "bbr3"], "d": [7]})
    columns = made.columns([0])
    assert [str(t) for t in columns.dtypes] == ["Float64", "String", "String", "Int64"]
    assert columns.row(0) == (1.0, "1", '{ "name" = "cubic" }', 7)


@pytest.mark.parametrize(
    ("keys", "zipped", "said"),
    [
        ({"seed": "1..3"}, [], "use --seeds"),
        ({"flow:flow.0.cc": "cubic"}, [], "column cannot be called"),
        ({"a": "1", "x:a": "2"}, [], "the key a twice"),
        ({"x:a": "1", "x:b": "2"}, [], "the column x twice"),
        ({}, [{"a": "1,2", "b": "1,2,3"}], "a has 2, b has 3"),
        ({"a": []}, [], "no value for a"),
        ({":a": "1"}, [], "cannot read the key"),
    ],
)
def test_mistakes_in_grids(keys, zipped, said):
    with pytest.raises(acklab.AcklabError, match=said):
        grid.build(keys, zipped)


def test_a_value_that_is_there_twice():
    with pytest.raises(acklab.AcklabError, match="has 2 twice for a"):
        grid.check_values(grid.build({"a": "1..3,2"}))
    grid.check_values(grid.build({}, [{"a": "1,1", "b": "1,2"}]))


def test_seeds():
    assert list(plan.read_seeds(None)) == [1]
    assert list(plan.read_seeds(3)) == list(plan.read_seeds("3")) == [1, 2, 3]
    assert list(plan.read_seeds("5..7")) == [5, 6, 7]
    assert list(plan.read_seeds("9..9")) == [9]
    assert list(plan.read_seeds([4, 2])) == [4, 2]
    for wrong in (0, -1, "0", "x", "1,1", "1,-2", [], 1.5, True, "1..1000000000", {"a": 1}):
        with pytest.raises(acklab.AcklabError):
            plan.read_seeds(wrong)


def test_a_billion_cells_are_counted_not_made(small, tmp_path):
    grid = {"flow.0.count": "1..1000000000", "duration": "1..1e12 s"}
    with pytest.raises(acklab.AcklabError) as e:
        acklab.sweep(small, grid=grid, seeds=10, out=tmp_path / "s")
    assert "1,000,000,000,000,000,000,000 cells" in str(e.value)
    assert "the limit is 1,000,000" in str(e.value)
    assert not (tmp_path / "s").exists()
