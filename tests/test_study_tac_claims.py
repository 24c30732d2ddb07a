"""The claims of the study `tac`: what ns-3's runs say beside them, and what decides a verdict."""

import re
from collections import Counter

import polars as pl
import pytest

from acklab.scenario import load
from acklab.studies.study import Effort
from acklab.studies.tac import (
    asked,
    beside,
    bridge,
    delays,
    duplicates,
    gaps,
    growth,
    on_air,
    references,
    robust,
)
from acklab.studies.tac.evidence import Evidence
from acklab.studies.tac.findings import every, judge
from acklab.studies.tac.quantities import measured
from acklab.studies.tac.setup import Setting
from acklab.studies.tac.stacks import SEGMENT, WINDOW
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


def cases(values):
    """Cases of `robust` with either TCP: by name, stations and quantity a value."""
    return Evidence(
        {
            ("robust", stack, case, n, 16, 200, quantity): {s: v + 1e-6 * s for s in SEEDS}
            for (case, n, quantity), v in values.items()
            for stack in ("ns2", "linux")
        }
    )


def test_a_delay_is_longer_with_few_stations_and_with_many_or_partly():
    def of(few, many):
        found = {}
        for n, delays_ms in ((1, few), (20, many)):
            for ms, value in zip((5, 50), delays_ms, strict=True):
                found[robust.delayed(ms), n, "rack_delay_ms"] = value
        return judge(FINDINGS["III-large"], cases(found)).verdict

    assert of((5, 50), (85, 95)) == "reproduced"
    assert of((5, 50), (85, 76)) == "partly"
    assert of((50, 5), (85, 76)) == "not"


@pytest.mark.parametrize(
    ("alone", "verdicts"), [(44, ("reproduced", "reproduced")), (24, ("not", "partly"))]
)
def test_a_timer_must_not_halve_the_throughput_of_a_lone_station(alone, verdicts):
    """However harmless it is with 20."""
    found = {}
    for ms in (0, 5, 20):
        for name, n, mbps in ((robust.te(ms), 20, 38), (robust.alone(ms), 1, alone)):
            found[name, n, "jain"] = 1.0
            found[name, n, "throughput_mbps"] = mbps if ms else (38 if n == 20 else 45)
    names = ("III-timer", "III-guideline")
    assert tuple(judge(FINDINGS[n], cases(found)).verdict for n in names) == verdicts


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [((0.999, 0.99), "reproduced"), ((0.99, 0.92), "partly"), ((0.8, 0.8), "not")],
)
def test_who_assures_fairness_is_fair_and_not_only_fairer(ends, verdict):
    found = samples("fig2", "agg", {("jain", k): 1.0 for k in (1, 32)})
    for scheme, jain, mbps in (("agg", (0.94, 0.8), 35), ("diff", ends, 28), ("rdg", ends, 30)):
        of = {("jain", k): v for k, v in zip((1, 32), jain, strict=True)}
        found |= samples("fig6", scheme, of | {("throughput_mbps", k): mbps for k in (1, 32)})
    found |= {(figure, "linux", *rest): v for (figure, _, *rest), v in found.items()}
    assert judge(FINDINGS["F6-tradeoff"], Evidence(found)).verdict == verdict


@pytest.mark.parametrize(
    ("shares", "verdict"), [((0.005, 0.006), "reproduced"), ((0.007, 0.1), "partly")]
)
def test_gaps_that_exceed_the_rtt_are_counted_between_bursts(shares, verdict):
    """Of all gaps the share is small whatever becomes of those between bursts."""
    found = {
        (robust.GAPS, n, "gaps_between_beyond_rtt_share"): share
        for n, share in zip((5, 20), shares, strict=True)
    }
    found |= {(robust.GAPS, n, "gaps_beyond_rtt_share"): 0.001 for n in (5, 20)}
    assert judge(FINDINGS["III-gap-rtt"], cases(found)).verdict == verdict


def fallen(name, figure, scheme, quantity, ends, linux):
    """The verdict of a claim whose index falls so with ns-2's TCP, and is that with Linux's."""
    ours = {(quantity, x): value for x, value in ends.items()}
    theirs = {(quantity, x): linux for x in ends}
    both = Evidence({})
    for one in ("agg", "diff", "rdg", "tac"):
        mine = ours if one in scheme else dict.fromkeys(ours, 0.9)
        extra = {("throughput_mbps", x): 40.0 if one == "tac" else 30.0 for x in ends}
        both.values.update(samples(figure, one, mine | extra))
        both.values.update(samples(figure, one, theirs | extra, "linux"))
    both.values.update(samples("fig2", "agg", {("jain", x): 1.0 for x in ends}))
    both.values.update(samples("fig2", "agg", {("jain", x): 1.0 for x in ends}, "linux"))
    return judge(FINDINGS[name], both).verdict


@pytest.mark.parametrize(
    ("name", "figure", "schemes", "ends"),
    [
        ("F5-both", "fig5", ("tac",), {1: 1.0, 30: 0.89}),
        ("F5-tight", "fig5", ("rdg", "tac"), {1: 1.0, 30: 0.82}),
        ("F6-immune", "fig6", ("rdg", "tac"), {1: 0.99, 32: 0.9}),
        ("F6-outperforms", "fig6", ("tac",), {1: 0.8, 32: 0.8}),
    ],
)
def test_linux_alone_does_not_make_good_what_falls_with_ns2s_tcp(name, figure, schemes, ends):
    assert fallen(name, figure, schemes, "jain", ends, 0.999) == "not"
    held = dict.fromkeys(ends, 0.97 if name == "F6-outperforms" else 0.999)
    assert fallen(name, figure, schemes, "jain", held, 0.999) == "reproduced"


def test_overflow_is_prevented_by_a_moderate_queue_and_not_by_luck():
    """Nothing lost at a nearly full queue is not what the sentence says."""

    def of(packets, loss):
        points = {("queue_packets", n): packets for n in (1, 30)}
        points |= {("ack_loss_mean", n): loss for n in (1, 30)}
        found = {}
        for scheme in ("rdg", "tac"):
            found |= samples("fig5", scheme, points)
            found |= samples("fig5", scheme, points, "linux")
        return judge(FINDINGS["F5-tight-why"], Evidence(found)).verdict

    assert of(40, 0.0) == "reproduced"
    assert of(180, 0.0) == "not"
    assert of(40, 0.1) == "not"


def test_collisions_explain_what_data_lose_or_do_not():
    def of(collision, contention):
        points = {("throughput_mbps", 1): 40.0, ("throughput_mbps", 30): 30.0}
        points |= {("failed_share", 1): 0.1, ("failed_share", 30): 0.4}
        points |= {("data_share", 1): 0.7, ("data_share", 30): 0.5}
        points |= {("collision_share", 1): 0.0, ("collision_share", 30): collision}
        points |= {("contention_share", 1): 0.0, ("contention_share", 30): contention}
        found = {}
        for scheme in ("diff", "rdg"):
            found |= samples("fig5", scheme, points)
            found |= samples("fig5", scheme, points, "linux")
        return judge(FINDINGS["F5-collisions"], Evidence(found)).verdict

    assert of(0.15, 0.05) == "reproduced"
    assert of(0.05, 0.15) == "not"


@pytest.mark.parametrize(
    ("name", "starts", "told"),
    [
        ("F2-severe", "index 0.985 / 0.727 (1 / 32 KB)", "holds"),
        ("F3-rises", "ACKs lost, % 3.7 / 15.1 (1 / 32 KB)", "holds"),
        ("F3-1", "flows without a loss 0.0 (1 KB)", "does not"),
        ("F5-constant", "Mbit/s 39.2 / 36.", "its runs alone cannot tell"),
        ("F5-agg", "index 1.000 / 0.996 / 0.801", "holds"),
        ("F2-small", "index 0.985", "does not"),
        ("F2-tradeoff", "index 0.985 / 0.727 (1 / 32 KB)", "does not"),
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
    # With one station, and with room for every window.
    for at in ((1, 16, 200), (20, 1, 10_000), (20, 2, 10_000), (20, 32, 10_000)):
        assert len(references.ns3_runs()[at]) == 3, at
        assert all(of["ack_loss_mean"] == 0 for of in references.ns3_runs()[at].values()), at


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


def test_errors_are_those_of_mpdus_that_nothing_collided_with():
    """With one station they are as many as an MPDU of 1102 B, or of 78, has at 1e-5."""
    scenario = Setting(stations=1, bit_error_rate=1e-5).scenario(12) | on_air.RECORD
    run = load(scenario).run(seed=1)
    counted = on_air.counted(run)
    for size, name in ((1102, "errors_share"), (78, "errors_share_ap")):
        assert counted[name] == pytest.approx(1 - (1 - 1e-5) ** (8 * size), rel=0.25), name
    # What was repeated in all is far more: collisions.
    assert measured(run)["retries_share_ap"] > 5 * counted["errors_share_ap"]


def test_reverse_opportunities_are_counted_from_the_frames():
    """Used are as many as there are frames that follow the access point's own (block) ACK."""
    scenario = Setting(("rdg",), stations=5).scenario(4) | on_air.RECORD
    run = load(scenario).run(seed=1)
    counted = on_air.counted(run)
    used = counted["reverse_offered"] * (1 - counted["reverse_wasted_share"])
    before = run.ppdus.sort("time_ns").with_columns(pl.all().shift(1).name.prefix("last_"))
    follows = before.filter(
        (pl.col("from") == "ap") & (pl.col("last_from") == "ap") & (pl.col("kind") == "data")
    ).filter(pl.col("time_ns") - pl.col("last_end_ns") == 16_000)
    assert used == pytest.approx(follows.height)
    # The other frames of the access point began an access of its own.
    assert run.stations["data_ppdus"][0] - follows.height < run.stations["accesses"][0]
    plain = load(Setting(stations=5).scenario(2) | on_air.RECORD).run(seed=1)
    assert on_air.counted(plain)["reverse_wasted_share"] == 1


def test_an_ack_opens_a_window_of_ns2s_tcp_by_a_packet():
    run = load(Setting(stations=5).scenario(3) | growth.RECORD).run(seed=1)
    grown = growth.measured(run)
    assert grown["growth_per_ack_many"] == pytest.approx(1, abs=0.1)
    assert grown["acks_per_frame_many"] > growth.MANY > growth.FEW >= grown["acks_per_frame_few"]


def test_gaps_are_between_acks_that_came_whatever_became_of_them():
    run = load(Setting(stations=5).scenario(3) | duplicates.RECORD).run(seed=1)
    told = gaps.measured(run)
    came = run.packets.filter(len=0).group_by("point", "packet").agg(pl.col("time_ns").min())
    spans = came.group_by("point").agg(
        (pl.col("time_ns").max() - pl.col("time_ns").min()).alias("span"), pl.len().alias("acks")
    )
    mean = spans["span"].sum() / 1e6 / (spans["acks"].sum() - spans.height)
    assert told["gap_mean_ms"] == pytest.approx(mean)
    assert told["gaps_below_link_share"] < 0.01 < told["gaps_within_te_share"]
    # No gap within a burst is longer than an RTT: those that are, are of the ones between.
    between = 1 - told["gaps_within_te_share"]
    assert told["gaps_between_beyond_rtt_share"] == pytest.approx(
        told["gaps_beyond_rtt_share"] / between
    )


@pytest.mark.parametrize("stations", [1, 5])
def test_a_rack_is_delayed_by_the_timer_and_what_it_waits_in_the_queue(stations):
    over = {"wifi": {"down": {"ack_filter": {"name": "tac-paper", "timeout": "20 ms"}}}}
    scenario = Setting(stations=stations, over=over).scenario(4) | delays.record(stations)
    run = load(scenario).run(seed=1)
    told = measured(run)
    by_timer = run.links["acks_by_timer"].sum() / run.links["acks_passed"].sum()
    assert by_timer > 0.9
    hold = 20 * by_timer
    assert told["rack_delay_ms"] == pytest.approx(hold + told["queue_wait_ms"], rel=0.05)
    # What else such a run records is not asked of the wire.
    assert "gap_mean_ms" not in told


def test_littles_law_counts_what_waits():
    """Against the queue's own events."""
    record = {"packets": [f"ap->sta{i}" for i in range(20)]}
    run = load(Setting(stations=20).scenario(6) | {"record": record}).run(seed=1)
    steps = run.packets.select(
        (pl.col("time_ns") / 1e9).alias("t"),
        (
            (pl.col("what") == "queued").cast(pl.Int32)
            - ((pl.col("what") == "left") | (pl.col("reason") == "queue_full"))
            .fill_null(False)
            .cast(pl.Int32)
        ).alias("step"),
    ).sort("t")
    level = steps.with_columns(pl.col("step").cum_sum(), (pl.col("t").diff().shift(-1)).alias("d"))
    waits = (level["step"] * level["d"]).sum() / 6
    assert measured(run)["queue_packets"] == pytest.approx(waits, rel=0.02)


@pytest.mark.parametrize("stack", ["ns2", "linux", "ns3"])
def test_every_tcp_has_the_window_of_the_paper(stack):
    """50 packets in flight at most, and as many where nothing is lost."""
    scenario = Setting(stations=1, stack=stack).scenario(4) | {"record": {"every": "10 ms"}}
    run = load(scenario).run(seed=1)
    assert max(run.series["inflight_bytes"]) == WINDOW * SEGMENT


def test_mechanisms_are_of_their_own_cells():
    """No two claims share a reason; those of Figure 6 tell of bit errors, not of N alone."""
    reasons = Counter(f.mechanism for f in FINDINGS.values())
    assert max(reasons.values()) == 1
    told = {name: f.mechanism(Evidence({}).view("ns2")) for name, f in WITHOUT_RUNS.items()}
    assert all(re.search(r"nan|\d", text) for text in told.values())


WITHOUT_RUNS = {n: f for n, f in FINDINGS.items() if n in ("F6-per", "III-rack-errors")}


def test_every_claim_has_the_papers_acklabs_and_ns3s_column():
    """A number where the paper has one, its words where not; ns-3's where it has the cell."""
    worded = {f.id for f in FINDINGS.values() if f.ours is None}
    assert worded == set(asked.SAID)
    rises = {("ack_loss_mean", 1): 0.01, ("ack_loss_mean", 32): 0.2}
    evidence = judge(FINDINGS["II-loss"], two_tcps("fig2", "agg", rises, rises)).evidence
    assert evidence["paper"] == "rises with Lmax"
    assert evidence["acklab"] == "ACKs lost, %; 1.00 / 20.00 (1 / 32 KB)"
    assert evidence["ns3"].startswith("ACKs lost, % 3.7 / 15.1")


def test_a_brief_row_has_its_ends_and_no_criterion():
    whole = (
        "lost, %; 4.1 ± 0.2 / 3.0 ± 0.1 / 2.0 ± 0.1 / 1.5 ± 0.1 (1 / 2 / 4 / 8 KB); criterion: less"
    )
    assert asked.brief(whole) == "lost, %; 4.1 … 1.5 (1 … 8 KB)"
    assert asked.brief("1 ± 0 / 2 ± 0 / 3 ± 0 (N = 1 / 5 / 20)") == "1 / 2 / 3 (N = 1 / 5 / 20)"
