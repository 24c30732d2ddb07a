"""The wireless part of the study: tables, references, the search, claims that can fail."""

from itertools import product
from statistics import fmean

import polars as pl
import pytest

from acklab.scenario import load, run_many
from acklab.studies import STUDIES
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.findings_summary import unpredictable
from acklab.studies.ack_aggregation.wireless import (
    cells,
    findings,
    grid,
    interference,
    readings,
    references,
    ticks,
    wlan,
)
from acklab.studies.ack_aggregation.wireless.evidence import GOODPUT, Evidence
from acklab.studies.ack_aggregation.wireless.findings_throughput import THROUGHPUT
from acklab.studies.ack_aggregation.wireless.tables import USES
from acklab.studies.runs import Runs
from acklab.studies.study import Effort

LIMITS = {4: "4096 B", 8: "8192 B", 16: "16384 B", 32: "32768 B"}


def table(reproduced, name):
    return pl.read_csv(reproduced[1].tables[name], infer_schema_length=None)


def test_tables_have_the_papers_and_ns3s_numbers(reproduced):
    table4, table5 = table(reproduced, "table4"), table(reproduced, "table5")
    assert (table4.height, table5.height) == (3 * 4 * 4, 3 * 4 * 5)
    row = table4.row(by_predicate=pl.all_horizontal(stack_is("ns3", "cubic", "amsdu")), named=True)
    assert (row["paper"], row["ns3"], row["seeds"]) == (37.23, 43.172, 2)
    assert references.paper("newreno", 8) == references.paper("newreno", 16) == 38.46
    assert references.paper("vegas", 64) == references.paper("vegas", "ampdu")
    assert references.ns3("thesis", "cubic", "amsdu") == 37.572
    assert references.ns3("linux", "cubic", "none") is None


def stack_is(stack, cc, how):
    return [pl.col("stack") == stack, pl.col("cc") == cc, pl.col("aggregation") == how]


def test_64_kb_is_table_4s_ampdu(reproduced):
    """Two groups of runs that are one setting: the same seeds, hence the same numbers."""
    keys = ["stack", "cc", "acklab"]
    alone = table(reproduced, "table4").filter(aggregation="ampdu").select(keys)
    assert alone.equals(table(reproduced, "table5").filter(kilobytes=64).select(keys))


def test_the_air_is_used_for_something_all_the_time(reproduced):
    shares = table(reproduced, "wifi-airtime").filter(
        pl.col("quantity").is_in([f"{use}_share" for use in USES])
    )
    sums = shares.group_by("stack", "cc", "aggregation").agg(pl.col("acklab").sum())
    assert sums.height == 48
    # The file has six digits of each of eight shares.
    assert sums["acklab"].is_between(1 - 1e-5, 1 + 1e-5).all()
    assert shares["acklab"].min() >= 0


def test_the_report_shows_who_holds_the_air(reproduced):
    rows = table(reproduced, "wifi-air")
    assert (rows["time_s"] < rows["end_s"]).all()
    assert rows["time_s"].is_between(0, 0.02, closed="left").all()
    data = rows.filter(pl.col("mpdus") > 0)
    carried = {
        how: (len(of), of["mpdus"].sum(), (of["end_s"] - of["time_s"]).sum())
        for (how,), of in data.group_by("aggregation")
    }
    assert set(carried) == {"none", "ampdu"}
    # More goes in fewer PPDUs, which hold more of the air.
    assert carried["none"][0] == carried["none"][1]
    assert carried["ampdu"][0] < carried["none"][0]
    assert carried["ampdu"][1] > carried["none"][1]
    assert carried["ampdu"][2] > carried["none"][2]
    words = reproduced[1].texts["wifi-air"].read_text()
    assert f"{carried['ampdu'][1]} MPDUs of both sides go in {carried['ampdu'][0]} PPDUs" in words
    page = reproduced[1].report.read_text()
    assert "Who holds the air: Cubic without aggregation, and with A-MPDUs" in page
    assert f"{len(rows)} PPDUs: each that began in 20 ms" in page


def test_a_line_over_time_carries_what_the_table_has(reproduced):
    """Mean of Figure 5's bins against Table 4: acknowledged and read differ by what is queued."""
    line = (
        table(reproduced, "fig5")
        .group_by("stack", "cc", "aggregation")
        .agg(pl.col("acklab").mean().alias("rate"), pl.len())
    )
    both = line.join(table(reproduced, "table4"), on=["stack", "cc", "aggregation"])
    assert set(both["len"]) == {2 * cells.QUICK_DURATION_S}
    assert ((both["rate"] - both["acklab"]) / both["acklab"]).abs().max() < 0.03


#: Cells that ns-3.44 ran in the same set-up; 5 % is what the model is held to against ns-3.
AGAINST_NS3 = [
    ("none", 0.02),
    ("amsdu", 0.02),
    ("ampdu", 0.05),
    ("both", 0.05),
    (4, 0.05),
    (8, 0.05),
]


@pytest.mark.parametrize(("cell", "bound"), AGAINST_NS3)
def test_the_inferred_setup_is_that_of_ns3(cell, bound):
    how = {**cells.AGGREGATIONS, **cells.sizes()}[cell]
    run = load(cells.scenario(cells.SETTINGS["thesis"], "cubic", how, 10)).run(seed=1)
    ns3 = references.ns3("thesis", "cubic", cell)
    assert run.flows["goodput_mbps"][0] == pytest.approx(ns3, rel=bound)


def test_small_segments_explain_what_rts_does_not():
    """BBRv3, CUBIC and NewReno in both tables: the text's segment, RTS with it, and 536 B.

    Bounds: 15 s runs are 4.1 %, 14 % and 29 % away; noise of shorter ones is about 1 %.
    """
    found = {(r.base, r.text): r.setting for r in readings.readings(quick=False)}
    hint = "an ACK per segment, RTS at 6 Mbit/s"
    wanted = [("536 B", "nothing else"), ("1448 B", hint), ("1448 B", "nothing else")]
    limits = {s: {"ampdu": limit, "amsdu": "off"} for s, limit in LIMITS.items()}
    grid = list(product(("bbr3", "cubic", "newreno"), {**cells.AGGREGATIONS, **limits}.items()))
    runs = [(load(cells.scenario(found[w], cc, k, 4)), 1) for w in wanted for cc, (_, k) in grid]
    goodputs = iter([r.flows["goodput_mbps"][0] for r in run_many(runs)])
    off = []
    for _ in wanted:
        papers = [references.paper(cc, cell) for cc, (cell, _) in grid]
        off.append(sum(abs(next(goodputs) - p) / p for p in papers) / len(papers))
    assert off[0] < 0.05 < 0.10 < off[1] < 0.15 < 0.22 < off[2]


def test_vegas_rests_twice_as_high_just_before_a_tick(reproduced):
    starts = table(reproduced, "wifi-vegas").filter(pl.col("aggregation") == "ampdu")
    late = starts.filter(pl.col("start_us") == 900).row(0, named=True)
    sharp = starts.filter(pl.col("start_us") == 0).row(0, named=True)
    assert sharp["rtt_min_ms"] == 8.0 < late["rtt_min_ms"]
    assert late["goodput_mbps"] > 1.2 * sharp["goodput_mbps"]


@pytest.mark.parametrize("how", cells.AGGREGATIONS)
def test_vegas_has_the_levels_of_ns3_without_arp(how):
    """Where the levels lie among the starts differs, by what comes before the handshake there.

    A level is a window in whole packets: the bounds are one and a half steps of 0.9 Mbit/s.
    """
    starts = [c for c in ticks.cells(Effort(1)) if c.keys["aggregation"] == how]
    runs = run_many([(load(c.scenario), 1) for c in starts])
    ours = [float(r.flows["goodput_mbps"][0]) for r in runs]
    known = [goodput for _, goodput in references.vegas_by_start(how, arp=False)]
    resolved = [goodput for _, goodput in references.vegas_by_start(how, arp=True)]
    assert min(ours) == pytest.approx(min(known), abs=1.4)
    assert max(ours) == pytest.approx(max(known), abs=1.4)
    # Of ns-3's own runs: what ARP adds to the first RTT lifts every start to the higher level.
    assert min(resolved) > 0.99 * max(known)


def test_a_grid_has_every_combination_and_its_wire():
    runs = grid.cells(Effort(1, quick=True))
    combinations = len(grid.QUICK_SEGMENTS) * len(grid.ACKS)
    wireless = [c for c in runs if c.keys["control"] != grid.WIRED]
    assert len(wireless) == combinations * len(grid.QUICK_CONTROL) * 4 * 8
    assert len(runs) - len(wireless) == combinations * 4 * 5
    text = {str(c.scenario["tcp"]) for c in wireless}
    assert len(text) == len(grid.QUICK_SEGMENTS)


def test_readings_are_all_different_and_ranked(reproduced):
    found = readings.readings(quick=False)
    assert len({(r.base, r.text) for r in found}) == len(found)
    # One setting per name, but for the starts, which are no key of the channel.
    assert len({str((r.setting.stack, r.setting.channel, r.setting.late_us)) for r in found}) > 40
    ranked = table(reproduced, "wifi-readings")
    assert ranked["distance"].is_sorted()
    assert ranked["segment"][0] == "536 B"


def test_a_reading_tries_each_different_cell_once():
    runs = readings.cells(Effort(1, quick=True))
    keys = [tuple(sorted((k, str(v)) for k, v in c.keys.items())) for c in runs]
    assert len(set(keys)) == len(keys) == len(readings.readings(quick=True)) * 4 * 8


def test_every_wireless_claim_has_its_row(reproduced):
    claims = table(reproduced, "claims")
    wanted = {f.id for f in THROUGHPUT}
    assert wanted <= set(claims["id"])
    row = claims.row(by_predicate=pl.col("id") == "T4-amsdu-three", named=True)
    # 1448 B gain less than two, 536 B three: it holds where it was inferred, and there alone.
    assert row["verdict"] == "partly"
    assert "inferred set-up" in row["numbers"]


@pytest.mark.parametrize(("amsdu", "verdict"), [(30.0, "reproduced"), (18.0, "not"), (45.0, "not")])
def test_three_times_is_neither_two_nor_four(amsdu, verdict):
    finding = next(f for f in THROUGHPUT if f.id == "T4-amsdu-three")
    rate = {"none": 10.0, "amsdu": amsdu, "ampdu": 40.0, "both": 41.0}
    numbers = {
        (GOODPUT, stack, cc, how): (rate[how], 0.1)
        for stack in cells.SETTINGS
        for cc in PAPER_CONTROLLERS
        for how in rate
    }
    seeds = Runs({key: {1: mean - 0.1, 2: mean + 0.1} for key, (mean, _) in numbers.items()})
    numbers |= {
        ("segments_per_access", *key[1:]): (1.0, 0.0) for key in numbers if key[0] == GOODPUT
    }
    assert findings.judge(finding, Evidence(numbers, runs=seeds)).verdict == verdict


def of_vegas(**quantities):
    """Evidence on Vegas in every set-up: by quantity and cell, by seed."""
    found = {
        (quantity, stack, "vegas", how): dict(enumerate(values, 1))
        for quantity, by in quantities.items()
        for how, values in by.items()
        for stack in cells.SETTINGS
    }
    return Evidence({}, runs=Runs(found)).view("ns3")


@pytest.mark.parametrize(
    ("ampdu", "holds"),
    [
        ((21.0, 21.2, 21.1), True),
        # Overlapping intervals decide nothing: seed by seed two are less and one is more.
        ((21.0, 23.2, 21.1), False),
        # So small a difference is none, however sure.
        ((21.98, 22.18, 21.88), False),
    ],
)
def test_slightly_more_is_seen_seed_by_seed(ampdu, holds):
    finding = next(f for f in THROUGHPUT if f.id == "T4-vegas-amsdu")
    goodput = {"amsdu": (22.0, 22.2, 21.9), "ampdu": ampdu}
    assert finding.holds(of_vegas(goodput_mbps=goodput)) == holds


@pytest.mark.parametrize(
    ("bursts", "deviations", "holds"),
    [
        ((6.0, 6.1), (1.5, 1.6), True),
        # RTTs that vary more without larger bursts have another cause.
        ((3.0, 3.1), (1.5, 1.6), False),
        ((6.0, 6.1), (1.0, 1.1), False),
    ],
)
def test_variable_rtts_need_their_bursts(bursts, deviations, holds):
    finding = next(f for f in THROUGHPUT if f.id == "T4-vegas-why")
    view = of_vegas(
        segments_per_access={"amsdu": (3.0, 3.1), "ampdu": bursts},
        rtt_deviation_ms={"amsdu": (1.0, 1.1), "ampdu": deviations},
    )
    assert finding.holds(view) == holds


def test_unpredictable_is_what_scatters_far_more_than_others():
    def seeds(vegas, other):
        return Runs(
            {
                ("goodput_mbps", "ns3", cc, how): vegas if cc == "vegas" else other
                for cc in PAPER_CONTROLLERS
                for how in ("amsdu", "ampdu", "both")
            }
        )

    def met(vegas, other):
        cells = ("amsdu", "ampdu", "both")
        return unpredictable(seeds(vegas, other), "ns3", "goodput_mbps", cells)

    wide, narrow = {1: 10.0, 2: 20.0, 3: 12.0}, {1: 40.0, 2: 40.1, 3: 40.2}
    assert met(wide, narrow)
    assert not met(wide, wide)
    assert not met({1: 10.0, 2: 10.5, 3: 10.2}, narrow)


def test_figures_that_claims_name_are_made(reproduced):
    names = {a.name for a in STUDIES["ack-aggregation"].whole}
    assert set(table(reproduced, "claims")["figure"]) <= names


FUTURE = ("wifi-fairness", "wifi-interference", "wifi-mobility", "wifi-errors")


@pytest.mark.parametrize("name", FUTURE)
def test_what_the_thesis_leaves_open_has_a_table_a_figure_and_words(reproduced, name):
    found = table(reproduced, name)
    assert {"quantity", "value", "ci_low", "ci_high", "n"} <= set(found.columns)
    # Without numbers of its own no cell is silent: two seeds have an interval around their mean.
    assert found["value"].is_finite().all()
    assert (found["ci_low"] <= found["value"]).all()
    assert (found["value"] <= found["ci_high"]).all()
    assert set(found["n"]) == {2}
    assert reproduced[1].plots[name].stat().st_size > 10_000
    words = reproduced[1].texts[name].read_text()
    assert "nan" not in words
    assert "**Advice.**" in words
    assert "Advice." in reproduced[1].report.read_text()


def test_shares_are_between_even_and_one_who_has_all(reproduced):
    found = table(reproduced, "wifi-fairness")
    indices = found.filter(quantity="jain")
    assert indices["value"].is_between(0.5, 1).all()
    # Two stations that want the medium get it equally often, and as much of it.
    two = indices.filter((pl.col("layout") == "stations") & (pl.col("flows") == 2))
    assert two.filter(pl.col("cc") != "mixed")["value"].min() > 0.95
    # In CUBIC's queue BBRv3 has less than its half, whatever is aggregated.
    shares = found.filter(quantity="bbr3_share", layout="flows", flows=2)
    assert shares.height == 2
    assert shares["value"].max() < 0.4


def interference_of(reproduced, **keys):
    found = table(reproduced, "wifi-interference").filter(cc="cubic", **keys)
    return {(r["neighbour"], r["rts"]): r["value"] for r in found.iter_rows(named=True)}


def test_hidden_stations_lose_goodput_without_rts(reproduced):
    """Golden: 47.7, 34.8 and 52.8 Mbit/s in five seconds; the quick runs are shorter."""
    rates = interference_of(reproduced, aggregation="ampdu", quantity="goodput_mbps")
    assert rates["hidden", "off"] < 0.85 * rates["heard", "off"]
    assert rates["hidden", "always"] > 0.9 * rates["heard", "always"]
    # Without block ack it is not the sum that suffers, but one of the two.
    worse = interference_of(reproduced, aggregation="amsdu", quantity="worse_mbps")
    assert worse["hidden", "off"] < 0.2 * worse["heard", "off"]
    assert worse["hidden", "always"] > 5 * worse["hidden", "off"]


def test_hidden_stations_have_their_goodput_over_many_seeds():
    """Golden: 35.8 Mbit/s in ten seconds, the mean of forty seeds, whose standard error is 0.95."""
    keys = {"cc": "cubic", "aggregation": "ampdu", "neighbour": "hidden", "rts": "off"}
    (cell,) = (c for c in interference.cells(Effort(1)) if c.keys == keys)
    hidden = load({**cell.scenario, "duration": "10 s"})
    rates = [r.flows["goodput_mbps"].sum() for r in run_many([(hidden, s) for s in range(1, 41)])]
    assert fmean(rates) == pytest.approx(35.8, abs=3 * 0.95)


def test_selective_retries_survive_errors_and_long_frames_do_not(reproduced):
    """Golden: 44.2 against 22.0 Mbit/s at 1e-5, 15.0 against 0.3 at 1e-4."""
    found = table(reproduced, "wifi-errors").filter(quantity="goodput_mbps", cc="cubic")
    # Read back from a file, "0" and "1e-4" are numbers.
    rate = {
        (r["aggregation"], float(r["bit_error_rate"])): r["value"]
        for r in found.iter_rows(named=True)
    }
    assert rate["ampdu-64k", 1e-5] == pytest.approx(44.7, rel=0.06)
    assert rate["amsdu-8k", 1e-5] == pytest.approx(22.4, rel=0.08)
    assert 12 < rate["ampdu-64k", 1e-4] < 18
    assert rate["amsdu-8k", 1e-4] < 1
    kept = {how: rate[how, 1e-5] / rate[how, 0] for how, _ in rate}
    assert kept["ampdu-64k"] > kept["amsdu-4k"] > kept["amsdu-8k"]


def test_an_mpdu_fails_as_often_as_its_bits_do(reproduced):
    """Repetitions without aggregation at 1e-5: a packet of 1448 B and 100 B of headers or so."""
    found = table(reproduced, "wifi-errors").filter(quantity="retries_share", cc="bbr3")
    at = {(r["aggregation"], float(r["bit_error_rate"])): r["value"] for r in found.to_dicts()}
    expected = 1 - (1 - 1e-5) ** (8 * 1550)
    assert at["none", 1e-5] - at["none", 0] == pytest.approx(expected, rel=0.2)


def test_who_walks_away_needs_a_rate_control(reproduced):
    whole = table(reproduced, "wifi-mobility").filter(pl.col("time_s").is_null())
    silent = whole.filter(quantity="silence_s")
    assert silent.filter(rate_control="fixed")["value"].min() >= 2
    assert silent.filter(rate_control="minstrel")["value"].max() == 0
    lines = table(reproduced, "wifi-mobility").filter(quantity="rate_mbps", cc="cubic")
    assert lines["distance_m"].min() == 5
    learnt = lines.filter(rate_control="minstrel", aggregation="ampdu").sort("distance_m")
    assert learnt["value"].tail(1)[0] < 0.6 * learnt["value"][1]


def test_words_claim_only_what_seeds_tell():
    def at(low, mean, high):
        return wlan.Estimate(mean, low, high, 5)

    assert wlan.above(at(2, 3, 4), at(0, 1, 1.5))
    assert not wlan.above(at(2, 3, 4), at(1, 2, 2.5))
    # One seed has no interval, and tells nothing.
    nan = float("nan")
    assert not wlan.above(at(nan, 9, nan), at(nan, 1, nan))
