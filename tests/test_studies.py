"""Studies: every artefact is a table with the promised columns, and the references are found."""

import math
import re
from dataclasses import replace

import polars as pl
import pytest

from acklab.stats import estimate
from acklab.studies import STUDIES
from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.cells import SETUPS, cells
from acklab.studies.study import Effort, Survey

COLUMNS = ["paper", "acklab", "ci_low", "ci_high", "seeds"]


KEYS = {"fig2": 4, "fig3": 4, "mechanism": 4}


@pytest.mark.parametrize(
    "name", ["table1", "table2", "table3", "fig2", "fig3", "fig4", "mechanism"]
)
def test_artefacts_have_their_columns(reproduced, name):
    table = pl.read_csv(reproduced[1].tables[name], infer_schema_length=None)
    start = KEYS.get(name, 3)
    assert table.columns[start : start + 5] == COLUMNS
    assert table["acklab"].is_finite().all()
    assert (table["seeds"] == 2).all()
    keys = table.columns[:start]
    assert table.select(keys).is_unique().all()


def test_table1_has_the_papers_and_the_references_numbers(reproduced):
    table = pl.read_csv(reproduced[1].tables["table1"], infer_schema_length=None)
    row = {(r["stack"], r["cc"], r["ratio"]): r for r in table.iter_rows(named=True)}
    assert len(row) == (6 + 5 + 4) * 5
    assert row["ns3", "cubic", 16]["paper"] == 1.96
    assert row["ns3", "cubic", 16]["ns3"] == 9.5331
    assert row["linux", "newreno", 4]["linux"] == pytest.approx(9.5174)
    assert row["linux", "bbr3", 1]["linux"] is None


def test_the_report_stands_alone(reproduced):
    out, written = reproduced
    page = written.report.read_text()
    assert written.report == out / "ack-aggregation" / "report.html"
    assert page.count("data:image/svg+xml,") == 28
    assert "Table 1: average throughput" in page
    assert page.index("In short") < page.index("Thinning ACKs") < page.index("<h2>Claims")


def test_parts_are_the_study_without_what_is_on_request():
    from acklab.cli.reproduce import choose

    ((study, wired),) = choose("ack-aggregation/wired")
    ((_, wireless),) = choose("ack-aggregation/wireless")
    assert [a.name for a in (*wired, *wireless)] == [a.name for a in study.whole]
    assert wired[0].name == "table1"
    assert wireless[0].name == "table4"


def test_one_artefact_alone(acklab_cli, tmp_path):
    args = ("reproduce", "ack-aggregation/table1", "--quick", "--seeds", 1, "--out", "o")
    done = acklab_cli(*args)
    assert done.returncode == 0, done.stderr
    made = {"table1.csv", "study.json"}
    assert {p.name for p in (tmp_path / "o" / "ack-aggregation").iterdir()} == made
    (told,) = (line for line in done.stderr.splitlines() if line.startswith("note: "))
    assert told.startswith("note: made in part: table1 (")
    assert (
        "claims and the report need all of them: `acklab reproduce ack-aggregation --quick`" in told
    )


def test_what_is_made_in_part_is_told():
    from acklab.cli.reproduce import choose, in_part

    def told(what, quick=False):
        ((study, artefacts),) = choose(what)
        return in_part(study, artefacts, quick)

    ((study, wireless),) = choose("ack-aggregation/wireless")
    assert told("ack-aggregation/wireless") == (
        f"note: made in part: {len(wireless)} of the study's artefacts ({len(study.whole)} in all)"
        "; claims and the report need all of them: `acklab reproduce ack-aggregation`"
    )
    assert told("tac/fig5", quick=True).endswith("`acklab reproduce tac --quick`")
    assert "on request only" in told("ack-aggregation/beyond")


def test_the_dumbbell_is_the_one_of_the_thesis():
    cell = cells(Effort(1))[2]
    assert cell.keys == {"stack": "linux", "cc": "bbr3", "ratio": 4}
    topology = cell.scenario["topology"]
    assert topology["access"]["rate"] == "100 Mbit/s"
    assert topology["bottleneck"]["delay"] == "20 ms"
    assert topology["bottleneck"]["reverse"]["ack_filter"]["ratio"] == 4
    assert (cell.scenario["start"], cell.scenario["duration"]) == ("2 s", "60 s")


def test_references_are_those_of_the_files():
    assert references.ns3("newreno", 1, "retx_segs") == 100
    assert references.ns3("bbr3", 1, "goodput_mbps") is None
    assert references.linux("newreno", 4, "goodput_mbps") == pytest.approx(9.5174)
    assert references.linux("vegas", 1, "goodput_mbps") is None


def test_estimates():
    e = estimate([1.0, 2.0, 3.0])
    # 4.303 is the 97.5 % quantile of Student's t with two degrees of freedom.
    assert (e.mean, e.n) == (2.0, 3)
    assert e.high - e.mean == pytest.approx(4.30265 / math.sqrt(3), rel=1e-5)
    assert math.isnan(estimate([1.0]).low)
    assert estimate([]).n == 0


def test_pairs_have_the_papers_index_and_both_flows(reproduced):
    tables = [pl.read_csv(reproduced[1].tables[n]) for n in ("table2", "table3")]
    assert [t.height for t in tables] == [3 * 4 * 5, 3 * 6 * 5]
    both = pl.concat(tables)
    assert both["acklab"].is_between(0.5 - 1e-9, 1 + 1e-9).all()
    assert both["paper"].is_not_null().all()
    # Two flows share 10 Mbit/s.
    assert (both["first"] + both["second"]).is_between(0, 9.65).all()
    row = both.filter((pl.col("pair") == "vegas-vegas") & (pl.col("ratio") == 2))
    assert set(row["paper"]) == {0.627}


def test_mechanisms_lie_within_what_the_path_allows(reproduced):
    table = pl.read_csv(reproduced[1].tables["mechanism"])

    def of(quantity, **keys):
        rows = table.filter(quantity=quantity, **keys)
        return dict(zip(zip(rows["cc"], rows["ratio"], strict=True), rows["acklab"], strict=True))

    assert min(of("rtt_min_ms").values()) >= 48
    # The 5 ms timer bounds the ratio at 1.2 ms a segment.
    segments = of("segments_per_ack", stack="ns3")
    assert segments["cubic", 16] == segments["cubic", 8] < 6
    # The held SYN-ACK costs the SYN's timeout of 3 s.
    first = of("first_data_s", stack="thesis")
    assert first["vegas", 1] < 0.5
    assert all(3 < first[cc, r] < 3.5 for cc in ("vegas", "cubic", "newreno") for r in (2, 4))


def test_the_inferred_setup_gives_the_papers_vegas():
    from acklab.scenario import load, run_many
    from acklab.studies.ack_aggregation.cells import scenario

    # At 2 s sharp, as in the thesis: a millisecond later Vegas does something else.
    sharp = replace(SETUPS["thesis"], start_jitter="0 s")
    ratios = (1, 2, 4, 8, 16)
    runs = [(load(scenario(sharp, ("vegas",), r, Effort(1))), 1) for r in ratios]
    for ratio, run in zip(ratios, run_many(runs), strict=True):
        paper = references.paper_throughput("vegas", ratio)
        assert run.flows["goodput_mbps"][0] == pytest.approx(paper, abs=0.01), ratio


def test_every_claim_has_a_verdict_and_a_figure(reproduced):
    claims = pl.read_csv(reproduced[1].tables["claims"])
    assert claims["id"].is_unique().all()
    assert set(claims["verdict"]) <= {"reproduced", "partly", "not"}
    assert set(claims["figure"]) <= {a.name for a in STUDIES["ack-aggregation"].whole}
    assert claims.null_count().sum_horizontal()[0] == 0


@pytest.mark.parametrize(
    ("where", "verdict"),
    [
        (("ns3", "linux"), "reproduced"),
        (("linux",), "partly"),
        (("thesis",), "partly"),
        ((), "not"),
    ],
)
def test_verdicts_follow_from_the_numbers(where, verdict):
    from acklab.studies.ack_aggregation import findings
    from acklab.studies.ack_aggregation.evidence import Evidence
    from acklab.studies.ack_aggregation.findings_throughput import THROUGHPUT
    from acklab.studies.runs import Runs

    drop = next(f for f in THROUGHPUT if f.id == "T1-bbr-drop")
    throughput = {
        (stack, "bbr3", ratio): 5.0 if ratio > 1 and stack in where else 9.0
        for stack in findings.ORDER
        for ratio in (1, 2, 4, 8, 16)
    }
    seeds = Runs({("mbps", *at): {1: v - 0.01, 2: v + 0.01} for at, v in throughput.items()})
    evidence = Evidence(throughput, {}, {}, {}, {}, {}, runs=seeds)
    assert findings.verdict(drop, evidence) == (verdict, list(where))


def test_a_reading_is_as_far_off_as_its_numbers():
    from acklab.studies.ack_aggregation import readings

    found = readings.readings()
    assert len({(r.walk, r.text) for r in found}) == len(found)
    assert [r.setup for r in found if r.walk == "step"][-1] == SETUPS["thesis"]


def test_heavy_artefacts_are_made_on_request_only(reproduced):
    assert "beyond" not in reproduced[1].tables
    assert STUDIES["ack-aggregation"].artefact("beyond").on_request


def test_every_cell_is_a_scenario_that_loads():
    from acklab.scenario import load

    for name, group in STUDIES["ack-aggregation"].groups.items():
        cells = group(Effort(1))
        # A survey's are looked at where its grid is.
        for cell in [] if isinstance(cells, Survey) else cells:
            assert load(cell.scenario), name


def test_figures_say_what_they_are_of(reproduced):
    """Letters are outlines in the files, so the footer is looked for before they are made."""
    from acklab.plots import style
    from acklab.studies import provenance

    study = STUDIES["ack-aggregation"]
    text = provenance.line(study, Effort(2, quick=True))
    assert text.startswith("ack-aggregation · seeds 1 to 2 · quick")
    figure, _ = style.figure(1, 1, (3, 3))
    bare = style.render(figure, "svg")
    with style.signed(text):
        assert style.render(figure, "svg") != bare
    assert figure.get_supxlabel() == text
    written = reproduced[1]
    for path in written.plots.values():
        # Figures of traced runs are of one seed and say so.
        footers = re.findall(
            r"<!-- ack-aggregation · seeds? 1.* · acklab [\d.]+ -->", path.read_text()
        )
        assert len(footers) == 1, path


def test_the_folder_says_how_it_was_made(reproduced):
    import json

    import acklab

    out, written = reproduced
    about = json.loads((out / "ack-aggregation" / "study.json").read_text())
    assert set(about["artefacts"]) == set(written.tables) - {"claims"}
    for name, made in about["artefacts"].items():
        assert made["version"] == acklab.__version__
        assert made["again"] == f"acklab reproduce ack-aggregation/{name} --seeds 2 --quick"
    cell = next(c for c in about["cells"]["main"] if c["keys"]["ratio"] == 4)
    assert cell["seeds"] == [1, 2]
    keys = cell["keys"]
    table = pl.read_csv(written.tables["table1"], infer_schema_length=None)
    row = table.filter([pl.col(k) == v for k, v in keys.items() if k in table.columns])
    scenario = acklab.load(cell["scenario"])
    goodputs = [scenario.run(seed).flows["goodput_mbps"][0] for seed in cell["seeds"]]
    assert row["acklab"][0] == pytest.approx(sum(goodputs) / 2, abs=1e-5)


def test_what_a_part_leaves_stale_is_told(reproduced, tmp_path):
    import json
    import shutil

    from acklab.studies.reproduce import reproduce

    out = tmp_path / "out"
    shutil.copytree(reproduced[0], out)
    study = STUDIES["ack-aggregation"]
    part = study.artefact("table1")
    written = reproduce(study, [part], Effort(1, quick=True), out)
    assert {p.name for p in written.stale} == {"report.html", "claims.csv"}
    about = json.loads((out / "ack-aggregation" / "study.json").read_text())
    assert about["artefacts"]["table1"]["seeds"] == 1
    assert about["artefacts"]["table2"]["seeds"] == 2


def test_intervals_of_the_tables_are_within_what_can_be(reproduced):
    for name, path in reproduced[1].tables.items():
        table = pl.read_csv(path, infer_schema_length=None)
        if "ci_low" not in table.columns:
            continue
        assert (table["ci_low"].drop_nulls().drop_nans() >= 0).all(), name
    for name in ("table2", "table3"):
        table = pl.read_csv(reproduced[1].tables[name], infer_schema_length=None)
        assert (table["ci_high"].drop_nulls().drop_nans() <= 1).all()


def test_a_cell_of_two_groups_is_run_once(small):
    from acklab.studies.once import Once
    from acklab.studies.running import run_cells
    from acklab.studies.study import Cell

    shared = {**small, "duration": "1 s"}
    first = [Cell({"of": "first"}, shared), Cell({"of": "alone"}, {**shared, "duration": "2 s"})]
    # The same scenario with other seeds is something else.
    second = [Cell({"of": "second"}, dict(shared)), Cell({"of": "one seed"}, shared, seeds=1)]
    effort, asked = Effort(2), []

    def run(cells):
        asked.append([c.keys["of"] for c in cells])
        return run_cells(cells, effort, 1)

    once = Once([first, second])
    assert once.runs(effort) == 2 + 2 + 1
    before, after = once.outcomes(first, run), once.outcomes(second, run)
    assert asked == [["first", "alone"], ["one seed"]]
    assert [o.keys["of"] for o in (*before, *after)] == ["first", "alone", "second", "one seed"]
    assert [len(o.results) for o in after] == [2, 1]
    assert after[0].results is before[0].results
    fresh = run_cells(second, effort, 1)
    for reused, alone in zip(after[0].results, fresh[0].results, strict=True):
        assert reused.flows.equals(alone.flows)


def test_threads_may_change_from_lot_to_lot_and_results_do_not(small, monkeypatch):
    from acklab.studies import running
    from acklab.studies.study import Cell

    monkeypatch.setattr(running, "LOT", 1)
    cells = [Cell({"n": n}, {**small, "duration": f"{1 + n / 10} s"}) for n in range(3)]
    whole, threads, told = running.run_many, [], []

    def watched(runs, *, jobs, on_done):
        threads.append((len(runs), jobs))
        return whole(runs, jobs=jobs, on_done=on_done)

    monkeypatch.setattr(running, "run_many", watched)
    busy = iter([True, True, False])
    lots = running.run_cells(
        cells, Effort(2), 3, lambda *of: told.append(of), busy=lambda: next(busy)
    )
    assert told == [(n, 6) for n in range(1, 7)]
    assert threads == [(2, 2), (2, 2), (2, 3)], "two lots beside the other work, and the rest"
    for a, b in zip(lots, running.run_cells(cells, Effort(2), 1), strict=True):
        assert a.keys == b.keys
        for one, other in zip(a.results, b.results, strict=True):
            assert (one.seed, one.flows.equals(other.flows)) == (other.seed, True)
