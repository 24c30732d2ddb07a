"""Tables in the pages of studies: every table that a study has shows its numbers."""

import re

import pytest

import kit_study
from acklab.report.paper import tables
from acklab.report.paper.sources import sources
from acklab.studies import built_in
from acklab.studies.kit import folder
from acklab.studies.kit.folder import SETUP
from made_up import numbers_of

ONE_AXIS = """[[table]]
id = "plain"
title = "One axis"
group = "main"
quantity = "goodput"
rows = "cc"
columns = ""
keys = { ratio = 4 }

[[table]]
id = "across"
title = "One axis across"
group = "main"
quantity = "goodput"
rows = ""
columns = "cc"
keys = { ratio = 4 }

[[figure]]"""


def shown(study, table, ours):
    """The table as the page has it, with the set-ups that it names."""
    named = table.keys.get(SETUP)
    setups = [s for s in study.about.setup if named is None or s.name in named]
    return tables.rendered(study, table, sources(study, ours, setups))


@pytest.mark.parametrize("name", built_in())
def test_no_table_of_a_study_is_empty(name):
    study = folder.load(built_in()[name])
    ours = numbers_of(study)
    for table in study.about.table:
        page = shown(study, table, ours)
        assert re.search(r'<td class="number[^"]*" tabindex="-1" title="[^"]+"', page), table.id
        said = re.search(r'<p class="note">(.*?)</p>', page)[1]
        assert re.search(r"\. (Rows|Columns): .+\.$", said), (table.id, said)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = kit_study.write(tmp_path_factory.mktemp("tables"))
    kit_study.change(path / "study.toml", "[[figure]]", ONE_AXIS)
    return folder.load(path)


def test_a_table_without_columns_has_one_with_the_name_of_the_quantity(study):
    page = shown(study, study.shown("plain"), numbers_of(study))
    assert '<th scope="col" class="number">goodput in Mbit/s</th></tr>' in page
    assert 'title="4:1, CUBIC, acklab: ' in page
    assert "Rows: controller.</p>" in page
    assert 'data-again="acklab study cell thinned main setup=linux cc=cubic ratio=4"' in page


def test_a_rate_stands_after_its_name_without_in():
    study = folder.load(built_in()["bbr-wifi6"])
    page = shown(study, study.shown("fig5-crossings"), numbers_of(study))
    assert '<p class="note">Changes of the lead, per minute: How often' in page
    assert '<th scope="col" class="number">changes of the lead per minute</th>' in page


def test_a_table_without_rows_has_one(study):
    page = shown(study, study.shown("across"), numbers_of(study))
    assert 'class="row">goodput in Mbit/s</th>' in page
    assert "Columns: controller.</p>" in page
