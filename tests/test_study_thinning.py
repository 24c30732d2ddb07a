"""The study of thinning as a folder: it is whole, its claims turn with the numbers they rest on."""

import re
from pathlib import Path

import pytest

import acklab.studies.thinning as package
from acklab.report.paper import claims as page_of_claims
from acklab.report.paper import tables, texts
from acklab.report.paper.sources import sources
from acklab.scenario import load as load_scenario
from acklab.studies.kit.fields import Field
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.kit.judge import judge_all
from acklab.studies.kit.language import Scope, number, truth
from acklab.studies.kit.numbers import Numbers, numbers, witnessed
from acklab.studies.kit.quantity import with_derived
from acklab.studies.kit.runs import run
from acklab.studies.kit.truth import Truth
from acklab.studies.kit.words import median
from acklab.studies.study import Effort
from acklab.studies.thinning import cells, quantities

STUDY = load(Path(package.__file__).parent)
QUICK = Effort(2, quick=True, full=False)
ESSENCE = Effort(5, full=False)
#: Results of the essence, as far as claims need them; `kept` below says how they were made.
KEPT = witnessed(Path(__file__).parent / "data" / "thinning.csv")
VERDICTS = {j.claim.id: j.verdict for j in judge_all(STUDY, KEPT, strict=False)}


def test_it_is_whole_and_made_on_request_only():
    check_texts(STUDY)
    assert STUDY.about.on_request
    assert STUDY.about.own
    assert 15 <= len(STUDY.claims) <= 25
    assert all(c.because and c.weaker for c in STUDY.claims)


def test_every_cell_is_a_scenario_and_the_essence_is_a_part_of_the_whole():
    for name, of in cells.GROUPS.items():
        whole, essence, quick = of(Effort(3)), of(ESSENCE), of(QUICK)
        keys = {tuple(c.keys.items()) for c in whole}
        assert len(keys) == len(whole), name
        assert {tuple(c.keys.items()) for c in essence} < keys, name
        assert len(quick) < len(essence), name
        for cell in whole[:: max(len(whole) // 6, 1)]:
            load_scenario(cell.scenario)


def test_no_scheme_is_the_same_as_no_thinning():
    plain = cells.scenario(QUICK, "base", cells.Scheme(), "cubic")
    for name, scheme in cells.RIVALS.items():
        assert cells.scenario(QUICK, "base", scheme, "cubic") != plain, name


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """A few cells of a quick run: the base path and an RTT of 5 ms, CUBIC."""
    paths, schemes = ("base", "RTT 5 ms"), ("16:1, 50 ms", "8 per RTT", "CAKE")

    def wanted(keys):
        return (
            keys["cc"] == "cubic"
            and keys.get("path", "base") in paths
            and keys.get("rtt_ms", 48) in (5, 48)
            and keys.get("timer", 50) in (0, 50)
            and keys.get("ratio", 16) == 16
            and keys.get("scheme", "CAKE") in schemes
        )

    used = ("plain", "thinner", "open", "variant", "by_rtt")
    groups = {g: [c for c in cells.GROUPS[g](QUICK) if wanted(c.keys)] for g in used}
    journal = tmp_path_factory.mktemp("journal") / "quick"
    measured = run(groups, quantities.QUANTITIES, QUICK, journal, jobs=2)
    return with_derived(STUDY.vocabulary, numbers(measured))


def mean(text, of):
    (value,) = number(f"mean({text})", Scope(STUDY.vocabulary, of)).cells.values()
    return value[None]


def held(text, of):
    return truth(text, Scope(STUDY.vocabulary, of))


def test_runs_have_shares_of_their_own_path_and_seed(ours):
    share = mean("thinner.share(path='RTT 5 ms', timer=50)", ours)
    assert share < 0.5
    assert mean("by_rtt.kept(rtt_ms=5, timer=50)", ours) == pytest.approx(share)
    assert mean("by_rtt.kept(rtt_ms=48, timer=0)", ours) == 1.0
    assert mean("variant.share(change='as it is', path='RTT 5 ms')", ours) == pytest.approx(share)
    assert mean("open.share(scheme=CAKE, path=base)", ours) == pytest.approx(1, abs=0.01)


def test_a_hold_is_the_timer_or_the_ratios_time(ours):
    # 15 further ACKs of two segments each, 1.2 ms a segment.
    assert mean("thinner.hold(path=base)", ours) == pytest.approx(15 * 2 * 1.2 / 48)
    assert mean("thinner.hold(path='RTT 5 ms')", ours) == pytest.approx(15 * 2 * 1.2 / 5)
    assert held("thinner.hurting(cc=cubic) >= 1", ours) is Truth.YES
    assert held("thinner.gentle_settings(cc=cubic) == 0", ours) is Truth.YES


def test_the_worst_and_the_median_are_over_paths(ours):
    both = [mean(f"open.share(scheme='8 per RTT', path='{p}')", ours) for p in ("base", "RTT 5 ms")]
    assert mean("open.worst(scheme='8 per RTT')", ours) == pytest.approx(min(both))
    assert mean("open.typical(scheme='8 per RTT')", ours) == pytest.approx(sum(both) / 2)
    of = Field(("n",), {(1,): {1: 1.0}, (2,): {1: 9.0}, (3,): {1: 2.0}})
    assert median(of, "n").cells == {(): {1: 2.0}}


def changed(group, quantity, how):
    """The kept numbers with one quantity's values changed."""
    fields = dict(KEPT)
    of = fields[group, quantity]
    cells_ = {k: {s: how(v) for s, v in sample.items()} for k, sample in of.cells.items()}
    fields[group, quantity] = Field(of.axes, cells_)
    return Numbers(fields)


def to(value):
    return lambda _: value


#: Of each claim: numbers that turn it if they were these.
TURNS = {
    "rule": ("thinner", "gentle_hurting", to(9.0)),
    "rule-broken": ("thinner", "gentle_hurting", to(9.0)),
    "short-rtt": ("thinner", "share", to(0.9)),
    "long-rtt": ("thinner", "share", to(0.9)),
    "queue-room": ("thinner", "share", to(0.9)),
    "pacing-helps": ("variant", "kept_there", to(0.5)),
    "pacing-cures": ("variant", "kept_there", to(1.0)),
    "news-no-help": ("variant", "kept_there", to(0.5)),
    "fewer-is-not-it": ("variant", "kept_there", lambda v: 20 * v),
    "loss-causes": ("thinner", "hurting", to(99.0)),
    "vegas-waits": ("thinner", "from_losses", to(99.0)),
    "vegas-fast": ("thinner", "share", to(1.0)),
    "bbr3-weaker": ("thinner", "hurting", to(3.0)),
    "none-for-all": ("open", "worst", to(1.0)),
    "per-rtt": ("open", "worst", to(0.5)),
    "per-rtt-more": ("open", "least_saving", to(0.1)),
    "per-segments": ("open", "worst", to(0.6)),
    "cake-narrow": ("back", "share", to(1.0)),
    "thinner-narrow": ("back", "share", lambda v: v * v),
    "per-rtt-narrow": ("back", "share", to(1.0)),
    "advice-newreno": ("open", "worst", lambda v: v**4),
    "advice-cubic": ("open", "worst", to(1.0)),
    "advice-vegas": ("open", "worst", to(1.0)),
    "advice-bbr1": ("open", "worst", to(0.9)),
    "advice-bbr3": ("open", "worst", to(0.9)),
}
#: Claims that need more than one quantity to turn.
ALSO = {"vegas-waits": ("from_waiting", "from_window")}


def test_every_claim_has_numbers_and_none_is_undecided():
    assert set(TURNS) == set(VERDICTS)
    assert "undecided" not in VERDICTS.values()
    # The study would be useless if everything that one may think held.
    assert {"reproduced", "partly", "not"} == set(VERDICTS.values())


@pytest.mark.parametrize("name", TURNS)
def test_a_claim_turns_with_its_numbers(name):
    group, quantity, how = TURNS[name]
    of = changed(group, quantity, how)
    for more in ALSO.get(name, ()):
        fields = {**of, (group, more): changed(group, more, to(0.0))[group, more]}
        of = Numbers(fields)
    (claim,) = (c for c in STUDY.claims if c.id == name)
    before = VERDICTS[name]
    after = {j.claim.id: j.verdict for j in judge_all(STUDY, of, strict=False)}[name]
    assert after != before, claim.holds


def test_the_answer_and_the_advice_are_refused_when_their_claims_turn():
    from acklab.studies.kit.templates import Unmet, filled, required

    for name in ("answer", "advice"):
        text = STUDY.text(name)
        needed = dict(required(text))
        assert needed
        scope = Scope(STUDY.vocabulary, STUDY.vocabulary.shapes)
        filled(text, scope, dict.fromkeys(needed, "reproduced") | needed)
        for claim in needed:
            with pytest.raises(Unmet):
                filled(text, scope, {**needed, claim: "undecided"})


def test_the_page_calls_them_statements_and_not_quotations():
    judged = judge_all(STUDY, KEPT, strict=False)
    shown = page_of_claims.tally(judged, own=True)
    assert "does not hold" in shown
    assert "reproduced</a>" not in shown
    judging = texts.judging(STUDY)
    assert "<b>Holds</b>" in judging
    assert "Reproduced" not in judging


def test_a_heat_map_has_a_colour_by_its_bounds(ours):
    table = next(t for t in STUDY.about.table if t.id == "rtt-map")
    shown = tables.rendered(STUDY, table, sources(STUDY, ours, []))
    assert "at least 0.98" in shown
    assert '<td class="number d4"' in shown
    assert len(set(re.findall(r"number (d\d)\"", shown))) > 1
    # Timers that were not run have no column.
    assert ">2 ms<" not in shown
