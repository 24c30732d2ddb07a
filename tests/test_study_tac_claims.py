"""The claims of the study `tac`: what ns-3's runs say beside them, and what decides a verdict."""

import re
from collections import Counter

import polars as pl
import pytest

from acklab.scenario import load
from acklab.studies.study import Effort
from acklab.studies.tac import beside, bridge, duplicates, references
from acklab.studies.tac.evidence import Evidence
from acklab.studies.tac.findings import every, judge
from acklab.studies.tac.setup import Setting
from acklab.validate import ns3_wifi

FINDINGS = {f.id: f for f in every()}
SEEDS = (1, 2, 3)


def samples(figure, scheme, points, stack="ns2", buffer=200):
    """Runs of three seeds: by quantity and Lmax (`fig2`, `fig6`) or stations (`fig5`) a value."""
    found = {}
    for (quantity, x), value in points.items():
        stations, kilobytes = (x, 16) if figure == "fig5" else (20, x)
        at = (figure, stack, scheme, stations, kilobytes, buffer, quantity)
        found[at] = {s: value + 1e-6 * s for s in SEEDS}
    return found


def two_tcps(figure, scheme, ours, linux):
    return Evidence(
        samples(figure, scheme, ours) | samples(figure, scheme, linux, "linux"),
    )


def test_linux_alone_is_partly_unless_the_nearest_set_up_shows_the_opposite():
    rises = {("ack_loss_mean", 1): 0.01, ("ack_loss_mean", 32): 0.2}
    flat = {("ack_loss_mean", 1): 0.1, ("ack_loss_mean", 32): 0.1}
    falls = {("ack_loss_mean", 1): 0.4, ("ack_loss_mean", 32): 0.2}
    told = [judge(FINDINGS["II-loss"], two_tcps("fig2", "agg", of, rises)) for of in (flat, falls)]
    assert [c.verdict for c in told] == ["partly", "not"]
    assert judge(FINDINGS["II-loss"], two_tcps("fig2", "agg", rises, falls)).verdict == "reproduced"


def test_one_of_two_numbers_is_not_a_spread():
    one = {("ack_loss_min", 32): 0.1, ("ack_loss_max", 32): 0.198}
    wide = {("ack_loss_min", 32): 0.018, ("ack_loss_max", 32): 0.3}
    both = {("ack_loss_min", 32): 0.012, ("ack_loss_max", 32): 0.198}
    verdicts = [
        judge(FINDINGS["F3-32"], two_tcps("fig2", "agg", of, of)).verdict
        for of in (one, wide, both)
    ]
    assert verdicts == ["not", "partly", "reproduced"]


def test_uploads_that_become_less_fair_do_not_work_well():
    def case(name, stack, index, uploads, downloads):
        of = {"uploads_jain": index, "uploads_mbps": uploads, "downloads_mbps": downloads}
        of["throughput_mbps"] = uploads + downloads
        return {
            ("robust", stack, f"{name}, downloads", 20, 16, 200, q): {
                s: v + 1e-6 * s for s in SEEDS
            }
            for q, v in of.items()
        }

    fair = case("agg", "linux", 0.99, 20, 10) | case("tac", "linux", 0.995, 20, 10)
    worse = case("agg", "ns2", 0.9, 30, 4) | case("tac", "ns2", 0.8, 20, 20)
    same = case("agg", "ns2", 0.9, 30, 4) | case("tac", "ns2", 0.9, 30, 4)
    verdicts = [
        judge(FINDINGS["III-downloads"], Evidence(fair | of)).verdict for of in (worse, same)
    ]
    assert verdicts == ["not", "partly"]


def test_in_proportion_is_more_than_rising():
    def of(first, last):
        shares = {("filtered_share", 1): first, ("filtered_share", 32): last}
        sizes = samples("fig2", "agg", {("jain", 1): 1.0, ("jain", 32): 1.0})
        ours = samples("fig6", "tac", shares | {("segments_per_ack", k): 2.0 for k in (1, 32)})
        both = sizes | {("fig2", "linux", *k[2:]): v for k, v in sizes.items()}
        linux = {("fig6", "linux", *k[2:]): v for k, v in ours.items()}
        return judge(FINDINGS["F6-unnecessary"], Evidence(both | ours | linux)).verdict

    # One and 32 for each that is sent; four and 15, as the study has them.
    assert of(1 / 2, 32 / 33) == "reproduced"
    assert of(4 / 5, 15 / 16) == "partly"
    assert of(4 / 5, 4 / 5) == "not"


@pytest.mark.parametrize(
    ("name", "starts", "told"),
    [
        ("F2-severe", "index 0.985 / 0.727 (1 / 32 KB)", "holds"),
        ("F3-rises", "ACKs lost, % 3.7 / 15.1 (1 / 32 KB)", "holds"),
        ("F3-1", "flows without a loss 0.0 (1 KB)", "does not"),
        ("F5-constant", "Mbit/s 39.2 / 36.", "its runs alone cannot tell"),
        ("F5-agg", "index 1.000 / 0.996 / 0.801", "holds"),
        ("F2-small", "index 0.985", "its runs alone cannot tell"),
        ("F2-throughput", "Mbit/s 20.8 / ", "does not"),
    ],
)
def test_ns3s_runs_are_asked_by_the_same_rule(name, starts, told):
    whole = Evidence(
        {
            (figure, "ns2", scheme, *at): {1: 1.0}
            for figure, _, _, *at in beside.evidence().values
            for scheme in ("agg", "tac", "diff", "rdg")
        }
    )
    numbers, said = beside.beside(FINDINGS[name], whole)
    assert said == told
    assert numbers.startswith(starts)


def test_a_rule_about_other_schemes_has_no_numbers_of_ns3():
    assert beside.beside(FINDINGS["F5-falls"], Evidence({})) == ("", "")


def test_ns3s_losses_are_those_of_the_files():
    """Once more from the rows, and runs with other settings apart from the reference's."""
    rows = pl.read_csv(references.in_repository("validation") / "ns3" / "wifi_losses.csv")
    small = rows.filter(n=20, ampdu=1024, apq=200)
    assert small.group_by("args").len()["len"].unique().to_list() == [20]
    plain = small.filter(~pl.col("args").str.contains("delack|dist|MaxDelay"))
    each = pl.col("ap_drop_full") / (pl.col("ap_drop_full") + pl.col("acks_rx"))
    again = plain.select(each.mean()).item()
    assert bridge.ns3_losses()[bridge.REFERENCE] == pytest.approx([again] * 3, abs=0.01)
    assert sum(bridge.ns3_losses()[bridge.REFERENCE]) / 3 == pytest.approx(again)
    assert Counter(map(len, bridge.ns3_losses().values())) == {3: 10}


def test_the_bridge_is_ns3s_programs_scenario_with_one_thing_changed():
    steps = {c.keys["step"]: c.scenario for c in bridge.cells(Effort(1))}
    assert next(iter(steps)) == bridge.REFERENCE
    assert list(steps)[-3:] == [bridge.CHOSEN, *bridge.LARGE_ROWS]
    assert len(steps) == 2 ** len(bridge.CHANGES) + 4
    assert {steps[name]["wifi"]["ampdu"] for name in bridge.LARGE_ROWS} == {"32768 B"}
    assert steps["nothing expires"]["wifi"]["lifetime"] == "none"
    assert "space" not in steps["no capture"]["wifi"]
    assert "space" in steps["an ACK per packet"]["wifi"]
    assert steps["an ACK per packet"]["flow"][0]["ack"]["segments"] == 1
    assert ns3_wifi.DEFAULTS["dist"] == "1"


@pytest.mark.parametrize("step", ["an ACK per packet", "nothing expires", "no capture"])
def test_each_step_loses_more_acks_in_both_simulators(step):
    """Golden, 12 s, seed 1; ns-3's three runs of 20 s."""
    theirs = bridge.ns3_losses()
    assert min(theirs[step]) > max(theirs[bridge.REFERENCE])
    steps = {c.keys["step"]: {**c.scenario, "duration": "12 s"} for c in bridge.cells(Effort(1))}
    lost = {}
    for name in (bridge.REFERENCE, step):
        links = load(steps[name]).run(seed=1).links.filter(pl.col("link").str.starts_with("ap->"))
        lost[name] = links["drops_queue_full"].sum() / links["packets_in"].sum()
    assert lost[step] > lost[bridge.REFERENCE]


def test_duplicates_are_counted_as_a_sender_counts_them():
    """Every ACK that came less those numbers that came, and what of that was not delivered."""
    lossy = {"topology": {"wire": {"loss": 0.01}}}
    scenario = Setting(("tac",), stations=3, over=lossy).scenario(4) | duplicates.RECORD
    run = load(scenario).run(seed=1)
    counted = duplicates.counted(run)
    acks = run.packets.filter(len=0)
    came = acks.select("point", "packet", "ack").unique()
    numbers = came.select("point", "ack").unique()
    assert counted["duplicates_came"] == came.height - numbers.height > 0
    gone = acks.filter(reason="ack_thinned").select("point", "packet", "ack").unique()
    arrived = came.join(gone, on=["point", "packet"], how="anti")
    passed = arrived.height - arrived.select("point", "ack").unique().height
    share = 1 - passed / counted["duplicates_came"]
    assert counted["duplicates_dropped_share"] == pytest.approx(share)
    plain = load(Setting(("tac",), stations=3).scenario(1)).run(seed=1)
    assert not duplicates.recorded(plain) or duplicates.counted(plain)["duplicates_came"] == 0


def test_mechanisms_are_of_their_own_cells():
    """No two claims share a reason; those of Figure 6 tell of bit errors, not of N alone."""
    reasons = Counter(f.mechanism for f in FINDINGS.values())
    assert max(reasons.values()) == 1
    told = {name: f.mechanism(Evidence({}).view("ns2")) for name, f in WITHOUT_RUNS.items()}
    assert all(re.search(r"nan|\d", text) for text in told.values())


WITHOUT_RUNS = {n: f for n, f in FINDINGS.items() if n in ("F6-per", "III-rack-errors")}
