"""Texts that do not fit the verdicts: the report is written, leaves them out, and says so."""

import json
import re

import pytest

import kit_study
from acklab.studies import built_in
from acklab.studies.kit import fit, folder, make, page
from acklab.studies.kit.fields import Field
from acklab.studies.kit.fit import LeftOut, fitted
from acklab.studies.kit.flaws import Flaw
from acklab.studies.kit.judge import NOBODY, TOO_FEW, judge_all
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.words import Wrong
from acklab.studies.study import Effort
from made_up import numbers_of

FALLS = 'because.not = "It does not fall."'


@pytest.fixture
def study(tmp_path):
    """The kit's study, in which a claim has a reason for one verdict only."""
    path = kit_study.write(tmp_path)
    with (path / "claims" / "throughput.toml").open("a") as claims:
        claims.write(f"{FALLS}\n")
    return path


def of_goodput(study, by_ratio, seeds):
    """Goodput by ratio, one number more in each seed than in the one before; RTT as it comes."""
    of = numbers_of(study, seeds)
    cells = {
        key: {seed: by_ratio[key[2]] + seed for seed in range(1, seeds + 1)}
        for key in of["main", "goodput"].cells
    }
    return Numbers({**of, ("main", "goodput"): Field(of["main", "goodput"].axes, cells)})


def test_a_paragraph_stands_only_while_its_verdicts_do():
    text = "{{require a = reproduced}}\nOne.\n\nTwo.\n\n{{require b = not}}\nThree."
    assert fitted(text, {"a": "reproduced", "b": "not"}) == text.split("\n\n")
    first, second, third = fitted(text, {"a": "undecided", "b": "partly"})
    assert second == "Two."
    assert first == LeftOut([("a", "reproduced", "undecided")])
    said = "This text is left out: it was written for runs in which a holds; here a is undecided."
    assert first.note(own=True) == said
    assert third.note(own=False, link="<{}>".format) == (
        "This text is left out: it was written for runs in which <b> is not reproduced; "
        "here <b> is reproduced in part."
    )
    with pytest.raises(Wrong, match="require b: there is no such claim"):
        fitted(text, {"a": "reproduced"})


def test_the_page_says_which_text_it_leaves_out_and_who_writes_it_is_told(study):
    (study / "text" / "answer.md").write_text(
        "{{require falls = partly}}\nIt falls a bit.\n\nA word on CUBIC.\n"
    )
    study = folder.load(study)
    effort = Effort(5)
    ours = of_goodput(study, {1: 9.0, 4: 5.0, 16: 1.0}, 5)
    judged = judge_all(study, ours, strict=False, effort=effort)
    shown = page.rendered(study, ours, judged, effort)
    assert "It falls a bit" not in shown
    assert "A word on CUBIC" in shown
    note = re.search(r'<p class="warn" role="note">(This text.*?)</p>', shown)[1]
    link = '<a href="#claim-falls">falls</a>'
    assert note == (
        f"This text is left out: it was written for runs in which {link} is reproduced in part; "
        f"here {link} is reproduced."
    )
    first, second = map(str, fit.unfit(study, ours, judged, effort))
    assert re.search(r"answer\.md:1: this text needs falls = partly, which is now rep", first)
    assert re.search(r"throughput\.toml:\d+: claim 'falls', because: it is now 'rep", second)
    # Short runs turn too many verdicts to speak of each, and have no texts on them.
    quick = Effort(5, quick=True)
    judged = judge_all(study, ours, strict=False, effort=quick)
    assert fit.unfit(study, ours, judged, quick) == []
    shown = page.rendered(study, ours, judged, quick)
    assert "This text is left out" not in shown
    assert "It falls a bit" not in shown
    assert "A word on CUBIC" in shown


def test_a_claim_without_a_fitting_reason_says_so_and_is_refused_if_strict(study):
    study = folder.load(study)
    ours = of_goodput(study, {1: 9.0, 4: 5.0, 16: 1.0}, 5)
    (falls,) = (j for j in judge_all(study, ours, strict=False) if j.claim.id == "falls")
    assert (falls.verdict, falls.because) == ("reproduced", NOBODY)
    with pytest.raises(Flaw, match="'falls', because: it is now 'reproduced', and there is a text"):
        judge_all(study, ours)
    ours = of_goodput(study, {1: 1.0, 4: 5.0, 16: 9.0}, 5)
    (falls,) = (j for j in judge_all(study, ours) if j.claim.id == "falls")
    assert (falls.because, falls.unfit) == ("It does not fall.", ())


@pytest.mark.parametrize(
    ("effort", "said"),
    [(Effort(1), TOO_FEW["undecided"]), (Effort(9, quick=True), "")],
)
def test_few_or_short_runs_give_no_reason_for_what_they_leave_open(tmp_path, effort, said):
    """One run decides nothing; of short runs the page gives no reasons at all."""
    study = folder.load(kit_study.write(tmp_path))
    ours = of_goodput(study, {1: 9.0, 4: 9.0, 16: 9.0}, 1)
    judged = {j.claim.id: j for j in judge_all(study, ours, strict=False, effort=effort)}
    assert judged["cubic-keeps"].verdict == "undecided"
    assert judged["cubic-keeps"].because == said
    whole = judge_all(study, ours, strict=False)
    assert all(j.because not in TOO_FEW.values() for j in whole)


def of_seeds(numbers, most):
    """The same of the first seeds only."""
    return Numbers(
        {
            at: Field(
                field.axes,
                {
                    key: {s: x for s, x in value.items() if s is None or s <= most}
                    for key, value in field.cells.items()
                },
            )
            for at, field in numbers.items()
        }
    )


@pytest.mark.parametrize("name", built_in())
def test_every_study_has_a_report_whatever_its_verdicts(name):
    study = folder.load(built_in()[name])
    every = numbers_of(study, 5)
    for seeds in (1, 2, 3, 5):
        ours, effort = of_seeds(every, seeds), Effort(seeds, full=True)
        judged = judge_all(study, ours, strict=False, effort=effort)
        unfit = [str(where) for where in fit.unfit(study, ours, judged, effort)]
        nobody = sum(j.because == NOBODY for j in judged)
        assert nobody == sum("there is a text for" in where for where in unfit)
        if seeds == 2:
            shown = page.rendered(study, ours, judged, effort)
            left = shown.count("This text is left out")
            assert bool(left) == any("this text needs" in where for where in unfit)


def test_the_command_warns_and_writes_the_report(acklab_cli, study, tmp_path):
    (study / "text" / "answer.md").write_text(
        "{{require cubic-keeps = undecided}}\nNothing is known.\n"
    )
    done = acklab_cli("reproduce", study.name, "--strict")
    assert done.returncode == 1
    report = tmp_path / "out" / "thinned" / "report.html"
    assert done.stdout.splitlines()[-1] == str(report.relative_to(tmp_path))
    assert "This text is left out: it was written for runs in which" in report.read_text()
    told = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert re.search(r"answer\.md:1: this text needs cubic-keeps = undecided, which is", told[0])
    # Without --strict the same is no failure.
    done = acklab_cli("study", "report", study.name)
    assert done.returncode == 0
    assert [x for x in done.stderr.splitlines() if x.startswith("warning: ")] == told
    assert "Exit with 1 if a text does not fit" in acklab_cli("reproduce", "--help").stdout


def test_json_lists_what_the_report_leaves_out(acklab_cli, study):
    (study / "text" / "answer.md").write_text(
        "A word.\n\n{{require cubic-keeps = undecided}}\nNothing is known.\n"
    )
    claims = study / "claims" / "throughput.toml"
    claims.write_text(claims.read_text().replace("because.not", "because.undecided"))
    for line in ("reproduce", "study report"):
        done = acklab_cli(*line.split(), study.name, "--json")
        assert done.returncode == 0, done.stderr
        value = json.loads(done.stdout)
        left = value["studies"][0]["left_out"] if line == "reproduce" else value["left_out"]
        text, reason = left
        assert [*text] == ["file", "line", "claim", "wanted", "found", "says"]
        assert text["file"].endswith("text/answer.md")
        assert (text["line"], text["claim"]) == (3, "cubic-keeps")
        assert text["wanted"] == ["undecided"]
        assert text["found"] in ("reproduced", "partly", "not")
        assert reason["file"].endswith("claims/throughput.toml")
        assert (reason["claim"], reason["wanted"]) == ("falls", ["undecided"])
        assert reason["found"] in ("reproduced", "partly", "not")
        warnings = [x for x in done.stderr.splitlines() if x.startswith("warning: ")]
        assert warnings == [f"warning: {x['file']}:{x['line']}: {x['says']}" for x in left]
    (study / "text" / "answer.md").write_text("A word.\n")
    claims.write_text(claims.read_text().replace("because.undecided", "because.always"))
    done = acklab_cli("study", "report", study.name, "--json")
    assert json.loads(done.stdout)["left_out"] == []


def test_without_strict_it_ends_well(acklab_cli, study, monkeypatch):
    unfit = [fit.Unfit("answer.md", 1, "falls", ["not"], "partly", "it does not fit")]
    made = make.Made(files=(), report=study / "report.html", unfit=unfit)
    monkeypatch.setattr(make, "make", lambda *_: made)
    done = acklab_cli("reproduce", study.name)
    assert done.returncode == 0
    assert done.stderr == "warning: answer.md:1: it does not fit\n"


def test_a_text_with_a_claim_that_does_not_exist_is_refused_before_anything_runs(acklab_cli, study):
    (study / "text" / "answer.md").write_text("{{require fals = reproduced}}\nIt falls.\n")
    done = acklab_cli("reproduce", study.name)
    assert done.returncode == 1
    assert "require fals: there is no such claim" in done.stderr
    assert not (study.parent / "out" / "thinned" / "numbers").exists()
