"""The commands beside the numbers of claims: they make the cells that the numbers are of."""

import ast
import html
import re
import shlex

import pytest

import kit_study
from acklab.cli.study import cell_of
from acklab.report.paper import claims
from acklab.report.paper.again import Results
from acklab.report.paper.sources import Names
from acklab.studies import built_in
from acklab.studies.kit import folder, new
from acklab.studies.kit.fields import Field
from acklab.studies.kit.judge import judge_all
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.quantity import with_derived
from acklab.studies.study import Effort
from made_up import numbers_of

COMMAND = r"<code>(acklab study cell [^<]*)</code>"
#: A group whose axes are some of the other's, and stand before it.
LONE = '''def lone(effort: Effort) -> list[Cell]:
    """The same over a quicker line."""
    found = []
    for setup in ("linux", "ns3"):
        for cc in CONTROLLERS:
            of = scenario(setup, cc, 1, effort)
            of["topology"]["bottleneck"]["rate"] = "20 Mbit/s"
            found.append(Cell({"setup": setup, "cc": cc}, of))
    return found


GROUPS = {"lone": lone, "main": main}'''
CLAIMS = """[[claim]]
id = "wider"
says = "A wider line carries more"
holds = "lone.goodput(cc=cubic) > main.goodput(cc=cubic, ratio=4)"

[[claim]]
id = "of-another"
says = "Also with ns-3's TCP"
setup = "ns3"
holds = "lone.goodput(cc=newreno) > main.goodput(cc=newreno, ratio=16)"
"""


def of_real_cells(study):
    """Made-up numbers, of the cells alone that the study has."""
    there = {}
    for group, axes in study.vocabulary.grids.items():
        cells = study.groups[group](Effort(study.about.seeds))
        there[group] = {tuple(c.keys.get(a) for a in axes) for c in cells}
    found = {}
    for (group, name), of in numbers_of(study).items():
        n = len(study.vocabulary.grids[group])
        if not study.quantities[name].expression:
            cells = {k: v for k, v in of.cells.items() if k[:n] in there[group]}
            found[group, name] = Field(of.axes, cells)
    return with_derived(study.vocabulary, Numbers(found))


def terms(study, claim):
    """The group and quantity of each term of a claim's condition, as it is written."""
    found = set()
    for text in claim.numbers or [claim.holds]:
        for node in ast.walk(ast.parse(" ".join(text.split()), mode="eval")):
            match node:
                case ast.Attribute(value=ast.Name(id=group), attr=name):
                    found.add((group, name))
                case ast.Name(id=name) if len(of := groups_of(study, name)) == 1:
                    found.add((*of, name))
    return found


def groups_of(study, name):
    of = study.quantities.get(name)
    return () if of is None else of.groups or tuple(study.groups)


def tables(page):
    """The quantity's name, and the commands, of each table of a claim's proof."""
    for part in page.split("<table><caption>")[1:]:
        caption = html.unescape(part[: part.index("</caption>")])
        yield caption, [shlex.split(html.unescape(c))[3:] for c in re.findall(COMMAND, part)]


@pytest.mark.parametrize("name", built_in())
def test_each_command_names_the_group_of_the_term_and_one_cell_of_it(name):
    study = folder.load(built_in()[name])
    names, checked = Names(study), 0
    for j in judge_all(study, of_real_cells(study), strict=False):
        written = terms(study, j.claim)
        told = list(tables(claims._folded(study, j, Results(), ())))
        assert len(told) == len(j.shown)
        for shown, (caption, commands) in zip(j.shown, told, strict=True):
            assert caption.startswith(names.quantity(shown.quantity))
            groups = {group for group, quantity in written if quantity == shown.quantity.name}
            for _, group, *keys in commands:
                at = (name, j.claim.id, group, *keys)
                assert group in groups, at
                axes = list(study.vocabulary.grids[group])
                assert [k.partition("=")[0] for k in keys] == axes, at
                cell = cell_of(study, group, keys, Effort(study.about.seeds))
                if "setup" in axes and "setup=" not in j.claim.holds:
                    assert cell.keys["setup"] == study.deciding(j.claim)[0], at
                checked += 1
        # Each group that the condition names has its commands, as far as cells make the numbers.
        printed = {c[1] for _, commands in told for c in commands}
        whole = [s for s in j.shown if s.field.cells and not s.quantity.expression]
        assert printed >= {g for s in whole for g, q in written if q == s.quantity.name}
    assert checked


def test_the_command_makes_the_number_that_it_stands_beside(acklab_cli, tmp_path):
    path = new.write_new("mine", tmp_path)
    kit_study.change(path / "cells.py", '"5 s"', '"2 s"')
    kit_study.change(path / "cells.py", 'GROUPS = {"main": main}', LONE)
    (path / "claims" / "throughput.toml").write_text(CLAIMS)
    for text in ("answer", "throughput"):
        (path / "text" / f"{text}.md").write_text("A word.\n")
    done = acklab_cli("reproduce", "mine", "--quick", "--seeds", 1)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out/mine/report.html").read_text()
    shown = []
    for proof in re.findall(r"Proof: condition.*?</details>", page, re.DOTALL):
        for part in proof.split("<table><caption>goodput")[1:]:
            number = re.search(r'<td class="number">([\d.]+)', part)[1]
            (command,) = re.findall(COMMAND, part)
            shown.append((float(number), shlex.split(html.unescape(command))))
    assert [words[4:-1] for _, words in shown] == [
        ["lone", "setup=linux", "cc=cubic"],
        ["main", "setup=linux", "cc=cubic", "ratio=4"],
        ["lone", "setup=ns3", "cc=newreno"],
        ["main", "setup=ns3", "cc=newreno", "ratio=16"],
    ]
    assert len({number for number, _ in shown}) == len(shown)
    for number, words in shown:
        done = acklab_cli(*words[1:])
        assert done.returncode == 0, done.stderr
        assert f"goodput: {number:.2f} Mbit/s" in done.stdout
