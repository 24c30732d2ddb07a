"""A study's folder: its flaws with file and line, a run that was killed, all of it end to end."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import kit_study
from acklab.made import of_this
from acklab.studies.kit import folder, make, new
from acklab.studies.kit.flaws import Flaw
from acklab.studies.kit.runs import run
from acklab.studies.study import Effort
from conftest import PATIENCE

CLAIMS = "claims/throughput.toml"


@pytest.fixture
def study(tmp_path):
    """The template's folder."""
    return new.write_new("thinned", tmp_path)


@pytest.mark.parametrize(
    ("file", "what", "to", "told"),
    [
        (CLAIMS, "along=ratio, by=0.02", "along=size", r"toml:21: .*no axis 'size'"),
        (CLAIMS, "flat(goodput", "flatt(goodput", r"toml:11: .*mean 'flat'"),
        (CLAIMS, "flat(goodput", "flat((goodput", r"toml:11: .*no expression"),
        (CLAIMS, "flat(goodput(", "flat(godput(", r"toml:11: .*no quantity.*mean 'goodput'"),
        (
            CLAIMS,
            "flat(goodput(",
            "flat(other.goodput(",
            r"toml:11: .*not measured of 'other'; of: main",
        ),
        (CLAIMS, "[1, 4]), over", "[1, 5]), over", r"toml:11: .*no key 5; it has: 1, 4, 16"),
        (CLAIMS, "over=ratio, within=0.05", "within=cc", r"toml:11: .*no quantity.*'cc'"),
        (CLAIMS, "over=ratio, within=0.05", "ower=ratio", r"toml:11: .*flat\(of, over, within\)"),
        (CLAIMS, "to=16) < 0", "to=16) << 0", r"toml:22: claim 'falls', weaker: .*nothing that"),
        (CLAIMS, "{goodput(ratio=1)}", "{speed}", r"toml:14: .*'speed': did you"),
        (CLAIMS, "{goodput(ratio=4)}", "{gain(goodput, ratio, 1, 4)}", r"toml:14: .*no unit; say"),
        (
            CLAIMS,
            'keys = { cc = "cubic"',
            'keys = { cc = "cubbic"',
            r"toml:10: .*there are: cubic,",
        ),
        (
            CLAIMS,
            'keys = { cc = "cubic"',
            'keys = { tcp = "cubic"',
            r"toml:10: .*no axis 'tcp'.*cc",
        ),
        (CLAIMS, 'place = "section 4"', 'plaice = "4"', r"toml:8: .*plaice.*\n.*keys.* place,"),
        (
            CLAIMS,
            'place = "section 4"',
            'asks.papr = "rtt > 1"',
            r"toml:8: claim 'cubic-keeps', asks: .*'papr'.*paper",
        ),
        (
            CLAIMS,
            'place = "section 4"',
            'asks.paper = "rrt > 1"',
            r"toml:8: claim 'cubic-keeps', asks: .*mean 'rtt'",
        ),
        (CLAIMS, 'place = "section 4"', "place = 4", r"toml:8: .*Expected `str`, got `int`"),
        (CLAIMS, 'id = "falls"', 'id = "cubic-keeps"', r"toml:17: .*taken by .*toml:5; give it"),
        (CLAIMS, 'says = "Throughput', 'said = "Throughput', r"toml:18: .*`said`.*\n.*says, place"),
        (CLAIMS, 'shown = "table1"', 'shown = "table9"', r"toml:9: .*'table9'; there are: table1"),
        (CLAIMS, "always =", "often =", r"toml:14: .*no verdict 'often'; there are: reproduced"),
        (CLAIMS, "[claim.because]", 'setup = "bsd"\n[claim.because]', r"toml:13: .*: linux, ns3"),
        (CLAIMS, 'holds = "flat', 'holds = "flat"flat', r"throughput\.toml:11: this is no TOML"),
        ("study.toml", 'quantity = "rtt"', 'quantity = "rrt"', r"toml:48: 'fig1': .*mean 'rtt'"),
        ("study.toml", 'rows = "ratio"', 'rows = "size"', r"toml:41: 'table1': .*no axis 'size'"),
        ("study.toml", 'rows = "ratio"', 'row = "ratio"', r"toml:41: .*`row`.*\n.*keys are .*rows"),
        ("study.toml", 'group = "main"', 'group = "mian"', r"toml:39: .*'mian'; there are: main"),
        (
            "study.toml",
            'text = "throughput"',
            'text = "other"',
            r"toml:54: .*no text 'other'; there are: .*throughput",
        ),
        ("study.toml", '"table1", "fig1"', '"table1", "fig7"', r"toml:55: .*'fig7'; .*: table1,"),
        (
            "study.toml",
            'file = "paper.csv"',
            'file = "p.csv"',
            r"toml:24: .*no file 'p\.csv'; there are: paper",
        ),
        ("study.toml", 'setup = "linux"', 'setup = "lnux"', r"toml:26: 'paper': .*: linux, ns3"),
        (
            "study.toml",
            'role = "supports"',
            'role = "helps"',
            r"toml:18: .*'helps'.*; there are: decides, supports, explains",
        ),
        ("study.toml", "seeds = 5", "seeds = ", r"toml:6: this is no TOML"),
        ("study.toml", "seeds = 5", "seds = 5", r"toml:6: .*`seds`.*\n.* seeds,"),
        ("cells.py", "GROUPS =", "GROUP =", r"cells\.py: it defines no GROUPS"),
        (
            "paper.csv",
            "group,quantity",
            "groop,quantity",
            r"paper\.csv:1: .*no column 'group'; .* groop, ",
        ),
        ("paper.csv", "main,goodput,cubic,4", "mian,goodput,cubic,4", r"csv:3: .*'mian'; .*: main"),
        ("paper.csv", "main,goodput,cubic,4", "main,godput,cubic,4", r"csv:3: .*mean 'goodput'"),
        ("paper.csv", "quantity,cc,ratio", "quantity,cc,ration", r"csv:1: .*'ration'; .* ratio"),
        ("paper.csv", "cubic,4,9.3", "cubbic,4,9.3", r"csv:3: .*no key 'cubbic'; there are: cubic"),
        ("paper.csv", "cubic,4,9.3", "cubic,4,many", r"csv:3: .*'many' is no number"),
    ],
)
def test_a_flaw_is_told_with_its_place(study, file, what, to, told):
    kit_study.change(study / file, what, to)
    # Modules of a study are kept by its folder's name, which tests share.
    forget()
    with pytest.raises(Flaw, match=told):
        folder.load(study)


def test_a_quantity_is_not_called_as_a_word_of_claims(study):
    path = study / "quantities.py"
    path.write_text(path.read_text().replace("rtt", "flat"))
    with pytest.raises(Flaw, match=r"quantities\.py:15: 'flat' is a word of claims"):
        folder.load(study)


def forget():
    for name in [n for n in sys.modules if n.startswith("_acklab_study_")]:
        del sys.modules[name]


@pytest.fixture(autouse=True)
def fresh():
    """Each test reads the Python files of its own study."""
    forget()
    yield
    forget()


def test_a_text_that_asks_for_what_is_not_there_is_told(study):
    (study / "text" / "throughput.md").write_text("One.\n\nTwo is {goodput(cc=cubbic, ratio=1)}.\n")
    with pytest.raises(Flaw, match=r"throughput\.md:3: the axis 'cc' has no key 'cubbic'"):
        folder.check_texts(folder.load(study))
    (study / "text" / "throughput.md").write_text("One.\n\n{{require nothing = not}}\nTwo.\n")
    with pytest.raises(Flaw, match=r"throughput\.md:3: require nothing: there is no such claim"):
        folder.check_texts(folder.load(study))


def test_quantities_have_names_on_the_page(study):
    path = study / "study.toml"
    path.write_text(path.read_text() + '\n[quantity]\ngoodput = "payload that arrives"\n')
    written = make.make(folder.load(study), Effort(1, quick=True), study.parent / "out", jobs=2)
    assert "payload that arrives" in written.report.read_text()
    path.write_text(path.read_text() + 'godput = "payload"\n')
    with pytest.raises(Flaw, match=r"there is no quantity 'godput'; there are: .*goodput"):
        folder.load(study)


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(Flaw, match=r"no claims\n.*acklab study new"):
        folder.load(tmp_path)


def test_a_new_study_is_not_written_over_another(study):
    with pytest.raises(Exception, match="exists already"):
        new.write_new("thinned", study.parent)
    with pytest.raises(Exception, match="is no name for a study"):
        new.write_new("My Study", study.parent)


def test_a_verdict_without_a_reason_of_its_own_is_told(study):
    kit_study.change(study / CLAIMS, "always =", "not =")
    kit_study.change(study / "cells.py", '"20 s"', '"2 s"')
    written = make.make(folder.load(study), Effort(5), study.parent / "out", jobs=2)
    (where,) = map(str, written.unfit)
    assert re.search(r"'cubic-keeps', because: it is now '\w+', .* for not", where)
    assert "Nobody has written a reason for this verdict." in written.report.read_text()


@pytest.mark.parametrize(("than", "told"), [("<", "holds"), (">", "does not hold")])
def test_a_witness_is_asked_about_what_it_ran(study, than, told):
    """The paper has nothing at 16:1, which the weaker form needs, and at 4:1 less than at 1:1."""
    asked = f"all(goodput(ratio=4) {than} goodput(ratio=1), over=cc)"
    kit_study.change(
        study / CLAIMS, 'holds = "all(fall', f'asks.paper = "{asked}"\nholds = "all(fall'
    )
    kit_study.change(study / "cells.py", '"20 s"', '"2 s"')
    loaded = folder.load(study)
    written = make.make(loaded, Effort(1, quick=True), study.parent / "out", jobs=2)
    claims = pl.read_csv(written.report.parent / "claims.csv")
    assert claims.filter(pl.col("id") == "falls")["paper"].to_list() == [told]
    page = written.report.read_text()
    assert f"its numbers: <b>{told}</b>; by acklab's numbers: <b>" in page


def test_the_same_cell_in_two_groups_is_run_once(study):
    loaded = folder.load(study)
    cells = loaded.groups["main"](Effort(2, quick=True))[:2]
    told = []
    tables = run(
        {"a": cells, "b": cells[:1]},
        list(loaded.quantities.values()),
        Effort(2, quick=True),
        study.parent / "j",
        1,
        lambda done, total: told.append((done, total)),
    )
    assert told[-1] == (4, 4)
    own = tables["a"].filter(ratio=cells[0].keys["ratio"], cc=cells[0].keys["cc"])
    assert tables["b"].sort("quantity", "seed").equals(own.sort("quantity", "seed"))


KILLED = """
import sys
from pathlib import Path
from acklab.studies.kit import folder, make
from acklab.studies.study import Effort
study = folder.load(Path(sys.argv[1]))
tell = lambda done, total: print(done, total, flush=True)
make.make(study, Effort(2, quick=True), Path(sys.argv[2]), 1, tell)
"""


def test_killed_it_goes_on_and_ends_with_the_same_numbers(study, tmp_path):
    def start(out):
        return subprocess.Popen(
            [sys.executable, "-c", KILLED, study, out],
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )

    whole = start(tmp_path / "whole")
    told, _ = whole.communicate(timeout=PATIENCE)
    first = [int(line.split()[0]) for line in told.splitlines()]
    total = int(told.split()[-1])
    assert first == list(range(1, total + 1))

    cut = start(tmp_path / "cut")
    for line in cut.stdout:
        if int(line.split()[0]) >= total // 2:
            cut.send_signal(signal.SIGKILL)
            break
    cut.stdout.close()
    assert cut.wait(PATIENCE) == -signal.SIGKILL
    at = tmp_path / "cut" / "thinned"
    assert not (at / "report.html").exists()
    (journal,) = (at / ".unfinished").rglob("*.jsonl")
    # A line that the kill cut short, and one that was damaged.
    lines = journal.read_text().splitlines()
    assert len(lines) >= 2
    journal.write_text("\n".join(["0" + lines[0][1:] + " ", *lines[1:], lines[0][:40]]))

    again = start(tmp_path / "cut")
    told, _ = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0
    done = [int(line.split()[0]) for line in told.splitlines()]
    assert done[0] > 1, "nothing was kept"
    assert done[-1] == total
    assert not list((at / ".unfinished").rglob("*.jsonl"))
    for file in ("numbers/main.csv", "table1.csv", "claims.csv", "report.html"):
        same = (tmp_path / "whole" / "thinned" / file).read_bytes()
        assert (at / file).read_bytes() == same, file


def test_new_check_and_reproduce(acklab_cli, tmp_path):
    done = acklab_cli("study", "new", "mine")
    assert done.returncode == 0, done.stderr
    assert "acklab study check mine" in done.stdout
    done = acklab_cli("study", "check", "mine")
    assert done.returncode == 0, done.stderr
    assert "2 claims, 12 cells, 120 runs, 2 quantities, 1 table, 1 figure" in done.stdout
    assert "falls gives no reason" in done.stderr
    done = acklab_cli("reproduce", "mine", "--quick", "--seeds", 2, "--out", "results")
    assert done.returncode == 0, done.stderr
    made = tmp_path / "results" / "mine"
    assert [tmp_path / p for p in done.stdout.split()] == [
        made / p
        for p in ("numbers/main.csv", "made.json", "table1.csv", "claims.csv", "report.html")
    ]
    noted = json.loads((made / "made.json").read_text())
    assert noted["seeds"] == 2
    assert noted["made"] == of_this()
    table = pl.read_csv(made / "table1.csv")
    assert set(table["seeds"]) == {2}
    verdicts = dict(pl.read_csv(made / "claims.csv").select("id", "verdict").iter_rows())
    assert list(verdicts) == ["cubic-keeps", "falls"]


def test_a_changed_text_is_told_anew_without_a_run(acklab_cli, tmp_path):
    acklab_cli("study", "new", "mine")
    assert "acklab reproduce" in acklab_cli("study", "report", "mine").stderr
    assert acklab_cli("reproduce", "mine", "--quick").returncode == 0
    (tmp_path / "mine" / "text" / "answer.md").write_text("It costs nothing.\n")
    numbers = (tmp_path / "out/mine/numbers/main.csv").read_bytes()
    written = (tmp_path / "out/mine/numbers/main.csv").stat().st_mtime_ns
    done = acklab_cli("study", "report", "mine")
    assert done.returncode == 0, done.stderr
    assert "runs" not in done.stderr
    assert (tmp_path / "out/mine/numbers/main.csv").stat().st_mtime_ns == written
    assert "It costs nothing." in (tmp_path / "out/mine/report.html").read_text()
    assert (tmp_path / "out/mine/numbers/main.csv").read_bytes() == numbers


def test_one_cell_is_made_again_with_its_recording(acklab_cli, tmp_path):
    acklab_cli("study", "new", "mine")
    keys = ("cc=cubic", "ratio=4", "setup=linux")
    done = acklab_cli("study", "cell", "mine", "main", *keys, "--quick")
    assert done.returncode == 0, done.stderr
    assert acklab_cli("reproduce", "mine", "--quick", "--seeds", 1).returncode == 0
    table = pl.read_csv(tmp_path / "out/mine/table1.csv")
    row = table.filter(cc="cubic", ratio=4, setup="linux")["acklab"].item()
    # The very run that the table has.
    assert f"goodput: {row:.2f} Mbit/s" in done.stdout
    cell = tmp_path / "out/mine/cells/main-linux-cubic-4-quick"
    assert {"run.json", "series.parquet", "report.html"} <= {p.name for p in cell.iterdir()}
    assert done.stdout.splitlines()[-1] == str(cell.relative_to(tmp_path) / "report.html")


def test_a_claim_leads_to_its_cell_over_time(acklab_cli, tmp_path):
    acklab_cli("study", "new", "mine")
    assert acklab_cli("reproduce", "mine", "--quick", "--seeds", 1).returncode == 0
    report = tmp_path / "out/mine/report.html"
    code = r"<code>(acklab study cell mine [^<]*)</code>"
    promised = rf'{code} in the folder.*?It writes <a href="([^"#]*)#series'
    command, page = re.search(promised, report.read_text()).groups()
    assert not (report.parent / page).exists()
    assert acklab_cli(*shlex.split(command)[1:]).returncode == 0
    # The link that was there leads to the page now, and a new report says so.
    assert 'id="series"' in (report.parent / page).read_text()
    assert acklab_cli("study", "report", "mine").returncode == 0
    told = report.read_text()
    assert f'over time: <a href="{page}#series">{page}</a>. The command' in told
    # Results elsewhere have their cells there.
    shutil.copytree(tmp_path / "out", tmp_path / "o")
    shutil.rmtree(tmp_path / "o/mine/cells")
    assert acklab_cli("study", "report", "mine", "--out", "o").returncode == 0
    elsewhere = (tmp_path / "o/mine/report.html").read_text()
    assert f"--quick --out o/mine/{Path(page).parent}</code> in the folder" in elsewhere


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("main", "cc=cubic"), "6 cells have these keys"),
        (("main", "cc=cubbic"), "no key 'cubbic'; it has: cubic, newreno"),
        (("main", "c=cubic"), "no axis 'c'"),
        (("main", "cubic"), "write KEY=VALUE"),
        (("mian", "cc=cubic"), "did you mean 'main'"),
    ],
)
def test_a_cell_that_is_not_one_is_told(acklab_cli, args, told):
    acklab_cli("study", "new", "mine")
    done = acklab_cli("study", "cell", "mine", *args)
    assert done.returncode == 1
    assert told in done.stderr


def test_the_words_are_told_with_an_example(acklab_cli):
    done = acklab_cli("study", "words")
    assert "falling(goodput(cc=cubic), along=ratio, by=0.1)" in done.stdout
    one = acklab_cli("study", "words", "flat").stdout.splitlines()
    assert one[0] == "flat"
    assert len(one) == 3
    assert "did you mean 'flat'" in acklab_cli("study", "words", "flt").stderr


def test_a_mistake_in_a_study_ends_with_1(acklab_cli, tmp_path):
    acklab_cli("study", "new", "mine")
    kit_study.change(tmp_path / "mine" / CLAIMS, "flat(goodput", "flatt(goodput")
    for command in (("study", "check", "mine"), ("reproduce", "mine")):
        done = acklab_cli(*command)
        assert done.returncode == 1
        assert "mine/claims/throughput.toml:11: " in done.stderr
        assert "Traceback" not in done.stderr


def test_the_report_anew_takes_keys_as_they_were_written(tmp_path):
    """`1e-5` is a key and no number: read as one it would be `1e-05`."""
    import polars as pl

    from acklab.studies.kit.make import _texts

    class Study:
        vocabulary = type("V", (), {"grids": {"g": {"errors": ("0", "1e-5"), "n": (1, 2)}}})

    assert _texts(Study, "g") == ["errors"]
    (tmp_path / "g.csv").write_text("errors,n,value\n0,1,2.5\n1e-5,2,3\n")
    table = pl.read_csv(tmp_path / "g.csv", schema_overrides={"errors": pl.String})
    assert table["errors"].to_list() == ["0", "1e-5"]
