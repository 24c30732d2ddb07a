"""Tables of a study whose reader chooses the keys of the axes that are left."""

import re

import pytest

import kit_study
from acklab.errors import AcklabError
from acklab.report.paper import tables
from acklab.report.paper.sources import sources
from acklab.studies.kit import folder, page
from acklab.studies.kit.fields import Field
from acklab.studies.kit.numbers import Numbers
from conftest import in_a_browser

TABLE = """[[table]]
id = "chosen"
title = "Throughput by ratio"
group = "main"
quantity = "goodput"
rows = "ratio"
columns = "setup"
shade = [9, 8, 7, 6]
choose = { cc = "CC" }

[[table]]"""


def _study(tmp_path, first):
    path = kit_study.write(tmp_path)
    kit_study.change(path / "study.toml", "[[table]]", TABLE.replace("CC", first))
    return path


@pytest.fixture
def shown(tmp_path):
    """The table as HTML; CUBIC has 9 Mbit/s, NewReno 7."""
    study = folder.load(_study(tmp_path, "newreno"))
    shape = study.vocabulary.shapes["main", "goodput"]
    at = shape.axes.index("cc")
    cells = {key: {1: 9.0 if key[at] == "cubic" else 7.0} for key in shape.cells}
    ours = Numbers({("main", "goodput"): Field(shape.axes, cells)})
    table = next(t for t in study.about.table if t.id == "chosen")
    return tables.rendered(study, table, sources(study, ours, study.setups("decides")))


def test_there_is_a_list_for_each_axis_and_a_block_for_each_key(shown):
    assert re.findall(r'<select data-axis="(\w+)">', shown) == ["cc"]
    assert re.findall(r"<option value=\"(\w+)\"( selected)?>", shown) == [
        ("cubic", ""),
        ("newreno", " selected"),
    ]
    assert re.findall(r'<div class="chosen" data-cc="(\w+)">', shown) == ["cubic", "newreno"]


@pytest.mark.parametrize(
    ("was", "instead", "told"),
    [
        ('choose = { cc = "cubic" }', "choose = { ratio = 1 }", "needs a first key for each of cc"),
        ('choose = { cc = "cubic" }', 'choose = { cc = "cubix" }', "cubix"),
    ],
)
def test_a_wrong_choice_is_named(tmp_path, was, instead, told):
    path = _study(tmp_path, "cubic")
    kit_study.change(path / "study.toml", was, instead)
    with pytest.raises(AcklabError, match=told) as error:
        folder.load(path)
    assert "study.toml" in str(error.value)


@in_a_browser
def test_the_chosen_block_is_shown(open_page, shown, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page.on_paper("Choices", f'<header class="top"></header>{shown}'))
    tab = open_page(file.as_uri())
    numbers = tab.locator("tr[data-source^=acklab] td.number:visible")
    assert set(numbers.all_inner_texts()) == {"7.00"}
    tab.get_by_label("controller").select_option("cubic")
    assert set(numbers.all_inner_texts()) == {"9.00"}
