"""The study `tac`: its tables, references and claims on a quick slice, and its set-up."""

import re
from itertools import combinations

import polars as pl
import pytest

from acklab.errors import AcklabError
from acklab.scenario import load, run_many
from acklab.stats import Estimate
from acklab.studies import STUDIES
from acklab.studies.reproduce import reproduce
from acklab.studies.study import Effort
from acklab.studies.tac import beyond, cells, readings, references, rivals, rivals_today, robust
from acklab.studies.tac.beyond import words
from acklab.studies.tac.beyond.topic import Numbers
from acklab.studies.tac.findings import every
from acklab.studies.tac.quantities import USES, ack_losses, measured
from acklab.studies.tac.schemes import PAPER, SCHEMES
from acklab.studies.tac.setup import MPDU_BYTES, Setting

FINDINGS = every()
QUICK = Effort(2, quick=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The study, quick, with two seeds."""
    study = STUDIES["tac"]
    return reproduce(study, study.whole, QUICK, tmp_path_factory.mktemp("out"))


def table(made, name):
    return pl.read_csv(made.tables[name], infer_schema_length=None)


def test_figures_have_their_columns(made):
    for name in ("fig2", "fig5", "fig6", "modern"):
        found = table(made, name)
        assert found.columns[-8:-1] == [
            "paper",
            "paper_is",
            "acklab",
            "ci_low",
            "ci_high",
            "seeds",
            "ns3",
        ]
        assert found["acklab"].is_finite().all()
        assert found.filter(quantity="jain")["acklab"].is_between(0, 1).all()
        assert made.plots[name].stat().st_size > 10_000


def test_tables_have_the_papers_and_ns3s_numbers(made):
    found = table(made, "fig5").filter(stations=30)
    by = {(r["scheme"], r["quantity"]): r for r in found.iter_rows(named=True)}
    assert by["agg", "jain"]["paper"] == 0.6
    assert (by["tac", "jain"]["paper"], by["tac", "jain"]["paper_is"]) == (0.99, "at least")
    assert by["diff", "throughput_mbps"]["paper"] == 35
    assert by["tac", "throughput_mbps"]["paper"] is None
    keys = {"stack": "ns2", "scheme": "agg", "buffer": 200, "stations": 20, "kilobytes": 32}
    assert references.ns3(keys, "jain") == pytest.approx((0.7661 + 0.7350 + 0.6801) / 3)
    assert references.ns3({**keys, "buffer": 50}, "jain") is None
    # Runs with other receivers, lifetimes or places are no references.
    small = {**keys, "kilobytes": 1}
    assert 0.03 < references.ns3(small, "ack_loss_mean") < 0.05
    assert references.ns3(small, "rtt_mean_ms") is None
    assert references.ns3({**keys, "stack": "linux"}, "jain") is None
    assert references.ns3({**keys, "scheme": "tac"}, "jain") is None


def test_the_air_is_used_for_something_all_the_time(made):
    shares = table(made, "air").filter(pl.col("quantity").is_in([f"{u}_share" for u in USES]))
    sums = shares.group_by("scheme", "stations").agg(pl.col("acklab").sum())
    assert sums.height == 8
    assert sums["acklab"].is_between(1 - 1e-5, 1 + 1e-5).all()


def test_the_air_is_used_for_something_all_the_time_with_bit_errors_too(made):
    shares = [f"{use}_share" for use in (*USES, "noise")]
    found = table(made, "fig6-runs").filter(pl.col("quantity").is_in(shares))
    assert (found.filter(quantity="noise_share")["value"] > 0).any()
    whole = found.group_by("scheme", "kilobytes", "seed").agg(pl.col("value").sum())
    assert whole["value"].to_list() == pytest.approx([1.0] * len(whole), abs=1e-4)


def test_every_finding_has_its_row_and_its_figure(made):
    claims = table(made, "claims")
    assert claims["id"].to_list() == [f.id for f in FINDINGS]
    assert set(claims["verdict"]) <= {"reproduced", "partly", "not"}
    assert set(claims["figure"]) <= {a.name for a in STUDIES["tac"].whole}
    for column in ("numbers", "mechanism"):
        assert claims[column].str.len_chars().min() > 20
    # Paper, acklab and ns-3 stand beside each other in every row.
    assert claims.columns[4:7] == ["paper", "acklab", "ns3"]
    assert claims.select("paper", "acklab", "ns3").null_count().sum_horizontal().item() == 0
    without = claims.filter(ns3="not run so")["id"]
    assert {"F5-falls", "F6-agg", "III-zero"} <= set(without)
    assert not {"II-loss", "F3-rises"} & set(without)
    page = made.report.read_text()
    assert all(f"claim-{f.id}" in page for f in FINDINGS)
    # Numbers stand beside the paper's, and beside ns-3's where it has the cell.
    assert "1.2 / 19.8 %" in page
    assert "9.9% / 25.2% (does not)" in page


def test_the_papers_numbers_are_all_judged():
    """Each row of the list of targets is a number in some sentence."""
    said = " ".join(f.sentence for f in FINDINGS)
    for number in (
        "0.6",
        "0.9",
        "0.99",
        "51 and 49",
        "35 and 38",
        "32% and 21%",
        "0.98",
        "0.91",
        "10%, 29%, and 23%",
        "18% and 12%",
        "8% and 0.3%",
        "2.6%",
        "8 TCP flows",
        "4 TCP flows",
        "1.2% and 19.8%",
        "63 and 22",
    ):
        assert number in said, number


def test_what_is_fair_and_what_is_not():
    """Golden, 20 s, seed 1, 30 stations: AGG 0.6 to 0.8, TAC with Linux's TCP above 0.99."""
    wanted = [("agg", "ns2"), ("tac", "ns2"), ("agg", "linux"), ("tac", "linux")]
    runs = [
        (load(Setting((scheme,), stations=30, stack=stack).scenario(15)), 1)
        for scheme, stack in wanted
    ]
    found = {key: measured(r) for key, r in zip(wanted, run_many(runs), strict=True)}
    jain = {key: m["jain"] for key, m in found.items()}
    assert 0.4 < jain["agg", "ns2"] < 0.85
    assert jain["tac", "ns2"] > jain["agg", "ns2"]
    assert jain["agg", "linux"] < 0.98 < 0.99 < jain["tac", "linux"]
    for stack in ("ns2", "linux"):
        assert found["tac", stack]["ack_loss_mean"] == 0
        assert found["agg", stack]["ack_loss_mean"] > 0.1
        assert 30 < found["agg", stack]["throughput_mbps"] < 45
        assert found["tac", stack]["filtered_share"] > 0.8


def test_a_queue_that_holds_all_windows_loses_nothing():
    run = load(Setting(stations=20, buffer=10_000).scenario(4)).run(seed=1)
    assert measured(run)["ack_loss_max"] == 0
    # 20 windows of 50 packets: what waits can never be more.
    assert max(run.columns("links")["queue_max_packets"]) <= 1000


def test_losses_are_those_of_the_links(made):
    """A flow's rate from the tables of the run itself, once more and otherwise."""
    run = load(Setting(stations=10).scenario(4)).run(seed=2)
    links = run.links.filter(pl.col("link").str.starts_with("ap->sta"))
    again = (links["drops_queue_full"] / links["packets_in"].clip(1)).to_list()
    assert ack_losses(run) == pytest.approx(again)
    flows = table(made, "fig3").filter(quantity="flow", kilobytes=16)
    whole = table(made, "fig3").filter(quantity="ack_loss_max", kilobytes=16)
    assert flows.height == 20
    assert whole["ci_low"][0] - 1e-9 <= flows["acklab"].max() <= whole["ci_high"][0] + 1e-9


def test_lmax_counts_packets():
    """Of A-MPDUs of stations the longest has as many packets as Lmax has KB."""
    for kilobytes in (1, 2, 16):
        for stack in ("ns2", "linux"):
            setting = Setting(("rdg",), stations=2, kilobytes=kilobytes, stack=stack)
            run = load(setting.scenario(2)).run(seed=1)
            sent = run.ampdu_sizes.filter(pl.col("station") != "ap")
            assert sent["mpdus"].max() == kilobytes, (kilobytes, stack)
    assert MPDU_BYTES % 4 == 0


@pytest.mark.parametrize(("a", "b"), list(combinations(PAPER, 2)))
def test_any_two_of_the_papers_schemes_combine(a, b):
    run = load(Setting((a, b), stations=5).scenario(1)).run(seed=1)
    assert sum(run.flows["goodput_mbps"]) > 10


#: Of each, at most one at a time: filters that keep ACKs back, filters that look into the queue,
#: policies of receivers, queues of the access point; and the words that say so.
ONE_OF = {
    ("tac", "tac-guarded", "android-thin"): "keeps ACKs back by its own count or timer",
    ("cake", "cake-aggressive", "android-replace"): "takes ACKs out of the same queue",
    ("delayed", "byte-counting"): "do not combine",
    ("per-station", "deep"): "do not combine",
}


@pytest.mark.parametrize(("a", "b"), list(combinations(SCHEMES, 2)))
def test_any_two_schemes_combine_but_those_of_a_kind(a, b):
    said = [words for kind, words in ONE_OF.items() if a in kind and b in kind]
    if not said:
        for both in ((a, b), (b, a)):
            run = load(Setting(both, stations=3).scenario(2)).run(seed=1)
            # With a second after the start; two packets get no ACK of a receiver that counts to
            # eight, and the sender's first timeout is 3 s.
            assert min(run.flows["goodput_mbps"]) > 0
            assert sum(run.flows["goodput_mbps"]) > 10 or "byte-counting" in both
        return
    with pytest.raises(AcklabError, match=said[0]):
        load(Setting((a, b), stations=3).scenario(1))


def test_every_scenario_of_the_study_loads():
    for name, group in STUDIES["tac"].groups.items():
        found = group(Effort(1))
        assert len({str(sorted(map(str, c.keys.items()))) for c in found}) == len(found), name
        for c in found:
            load(c.scenario)


def test_a_timer_of_zero_is_no_filter():
    settings = robust.cases("ns2", quick=True)
    runs = [load(settings[n].scenario(2)).run(seed=1) for n in ("agg", robust.te(0))]
    a, b = (r.flows.drop("flow") for r in runs)
    assert a.equals(b)


def test_readings_and_rivals_differ():
    scenarios = [str(r.setting().scenario(1)) for r in readings.READINGS]
    assert len(set(scenarios)) == len(scenarios)
    assert len({r.text for r in readings.READINGS}) == len(scenarios)
    assert {s for names in (*rivals.RIVALS, *rivals.ANNOUNCED) for s in names} == set(SCHEMES)
    assert set(rivals.WHERE) == set(SCHEMES)


def test_advice_has_its_numbers_from_the_table(made):
    for name in ("rivals", "readings"):
        told = made.texts[name].read_text()
        assert "nan" not in told
    told = made.texts["rivals"].read_text()
    # Stations of today come first.
    assert told.startswith("**Advice for stations of today")
    assert told.index("Where it can be had") < told.index("**With windows of 50 packets**")
    # Few stations have their rows, and the reason why TAC is best with some of them.
    _, _, few = told.partition("with few stations and with many:")
    assert [line.split("|")[1].strip() for line in few.splitlines() if line[:1] == "|"] == [
        *("stations", "--:", "1", "2", "3", "5", "30")
    ]
    assert "**Few stations with TAC**, N = 1 / 2 / 3 / 5" in told
    # Two seeds of short runs tell no reading from another; what they say has numbers anyway.
    assert "0.6" in made.texts["readings"].read_text()


def test_the_rise_of_unfairness_is_told_from_the_samples(made):
    """How full the queue is, once more from the table."""
    found = table(made, "mechanism").filter(quantity="queue_packets", scheme="agg", buffer=200)
    told = made.texts["mechanism"].read_text()
    for n in (5, 20, 30):
        queue = found.filter(stations=n)["value"]
        row = next(line for line in told.splitlines() if line.startswith(f"| AGG, N = {n} |"))
        assert row.split("|")[3].strip() == f"{(queue >= 190).mean():.0%}"
    assert "full" not in STUDIES["tac"].artefact("mechanism").caption


def test_modern_runs_of_figure_5_are_figure_5(made):
    keys = ["scheme", "stations", "quantity", "acklab"]
    here = table(made, "modern").filter(pl.col("stack") == "ns2", pl.col("scheme") != "tac-guarded")
    assert here.select(keys).sort(keys).equals(table(made, "fig5").select(keys).sort(keys))


@pytest.mark.parametrize("topic", [t.name for t in beyond.ARTEFACTS])
def test_what_is_beyond_is_in_the_report(made, topic):
    artefact = STUDIES["tac"].artefact(topic)
    assert artefact.text
    assert not artefact.on_request
    told = made.texts[topic].read_text()
    assert re.match(r"\*\*Advice(\*\* \(2 seeds; 20 stations, [^)]+\)|\.\*\*)\.? \*\*", told)
    assert "nan" not in told
    assert "\n| --- |" in told
    assert f'id="{topic}"' in made.report.read_text()


def test_what_is_picked_for_stations_of_today_is_even_free_and_to_be_had():
    """Of what is as even as the best the fastest; what is slow, or nobody ships, is left out."""
    numbers = {
        "agg": (0.6, 42.0),
        "cake": (0.75, 43.0),
        "per-station": (0.895, 42.0),
        "per-station+rts": (0.890, 55.0),
        "diff": (0.95, 35.0),
        "hack": (0.99, 60.0),
    }

    def found(quantity, scheme, stations):
        mean = numbers[scheme][quantity == "throughput_mbps"]
        return Estimate(mean, mean - 0.01, mean + 0.01, 10)

    told = rivals_today._pick(found, list(numbers), [1, 30])
    assert "switch on per-station queues + RTS/CTS.**" in told
    numbers["per-station+rts"] = (0.8, 55.0)
    assert "switch on per-station queues.**" in rivals_today._pick(found, list(numbers), [1, 30])


def test_all_that_is_beyond_has_one_name():
    assert STUDIES["tac"].parts["beyond"] == [a.name for a in beyond.ARTEFACTS]
    assert len(beyond.ARTEFACTS) == 9


def test_a_station_of_today():
    """CUBIC, windows by Linux, full segments, the longest A-MPDUs, a lifetime; RTS where asked."""
    scenario = Setting(("cake", "rts"), stations=5, stack="today").scenario(1)
    assert scenario["tcp"] == {"profile": "linux", "segment": 1448}
    assert scenario["flow"][0]["cc"] == "cubic"
    wifi = scenario["wifi"]
    assert (wifi["ampdu"], wifi["lifetime"], wifi["rts"]) == ("65535 B", "500 ms", "always")
    run = load(Setting(stations=1, stack="today").scenario(3)).run(seed=1)
    assert run.ampdu_sizes["mpdus"].max() > 40


def rows(values):
    """A table of a question beyond the paper: index and Mbit/s by point and scheme."""
    return pl.DataFrame(
        [
            {
                "point": point,
                "scheme": scheme,
                "quantity": quantity,
                "value": value,
                "ci_low": value - 0.002,
                "ci_high": value + 0.002,
                "n": 3,
            }
            for (point, scheme), both in values.items()
            for quantity, value in zip(("jain", "throughput_mbps"), both, strict=True)
        ]
    )


def test_advice_follows_the_numbers():
    """What is uneven or dear is not advised, and where nothing is both even and free it says so."""
    found = Numbers(
        rows(
            {
                ("few", "agg"): (0.995, 40.0),
                ("few", "cake"): (0.999, 40.0),
                ("many", "agg"): (0.7, 40.0),
                ("many", "cake"): (0.999, 39.5),
                ("many", "per-station"): (0.999, 38.0),
                ("more", "agg"): (0.6, 40.0),
                ("more", "cake"): (0.98, 40.0),
                ("more", "per-station"): (0.999, 36.0),
            }
        )
    )
    assert words.choices(found).startswith(
        "**With “few” nothing is needed; with “many” switch on CAKE ack-filter; with “more” "
        "nothing is even and free, and the most even is per-station queues (0.999, -10%).**"
    )


def test_a_lossy_wire_speaks_against_what_it_harms():
    """Slower than nothing, and more so than without losses; what was slow before is not blamed."""
    found = Numbers(
        rows(
            {
                ("2 stations, no loss", "agg"): (1.0, 42.0),
                ("2 stations, no loss", "tac-guarded"): (1.0, 48.0),
                ("2 stations, no loss", "cake"): (1.0, 40.0),
                ("2 stations, loss 1 %", "agg"): (1.0, 33.0),
                ("2 stations, loss 1 %", "tac-guarded"): (1.0, 18.0),
                ("2 stations, loss 1 %", "cake"): (1.0, 31.5),
            }
        )
    )
    told = words.loss(found)
    assert told.startswith("**A lossy wire is no reason against CAKE ack-filter.**")
    assert "**It speaks against TAC, guarded (-45% at worst)**" in told
    assert "TAC, guarded: “2 stations, loss 1 %” -45%, without losses +14%." in told


def test_one_question_beyond(tmp_path):
    study = STUDIES["tac"]
    made = reproduce(study, [study.artefact("beyond-loss")], Effort(1, quick=True), tmp_path)
    told = made.texts["beyond-loss"].read_text()
    assert told.startswith("**Advice** (one seed; 20 stations, Linux's TCP, windows of 50 packets,")
    assert "A lossy wire is no reason against" in told or "speaks against" in told
    assert "without room, %" in told
    assert "nan" not in told


def test_seeds_are_as_many_as_the_paper_does_not_say():
    assert STUDIES["tac"].default_seeds == 10
    assert all(c.seeds is None for c in cells.by_stations(Effort(10)))


MISTAKES = {
    "negative timer": ('wifi.down.ack_filter={ name = "tac", timeout = "-1 ms" }', "timeout"),
    "timer above a minute": ('wifi.down.ack_filter={ name = "tac", timeout = "61 s" }', "timeout"),
    "no stations": ("topology.stations=0", "topology.stations"),
    "no room": ("wifi.down.queue=0 packets", "wifi.down.queue"),
    "grant on 802.11g": (
        ("wifi.standard=g", "wifi.ampdu=off", "wifi.reverse_grant=true"),
        "802.11g does not have the reverse direction protocol",
    ),
    "grant of stations on 802.11a": (
        ("wifi.standard=a", "wifi.ampdu=off", "wifi.up.reverse_grant=true"),
        "802.11a does not have the reverse direction protocol",
    ),
    "filter of no side": ("wifi.ack_filter=tac", "write it in `down`"),
    "two that keep ACKs back": (
        'wifi.down.ack_filter=["tac", "aggregate"]',
        "each keeps ACKs back by its own count or timer",
    ),
    "two that look into the queue": (
        'wifi.down.ack_filter=["cake", "android-replace"]',
        "each takes ACKs out of the same queue by its own rule",
    ),
    "the wrong order": (
        'wifi.down.ack_filter=["cake", "tac"]',
        'in the order in which an ACK meets them: ["tac", "cake"]',
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told(name, acklab_cli):
    sets, said = MISTAKES[name]
    sets = (sets,) if isinstance(sets, str) else sets
    args = [word for one in sets for word in ("--set", one)]
    done = acklab_cli("run", "wifi-uploads", *args)
    assert done.returncode == 1
    assert said in done.stderr
    assert "help:" in done.stderr
    assert "Traceback" not in done.stderr


def test_five_thousand_stations_are_allowed_and_said_to_take_time(acklab_cli):
    sets = ("topology.stations=5000", "flow.0.count=5000", "duration=0.1 s", "start=0 s")
    done = acklab_cli("run", "wifi-uploads", *(word for one in sets for word in ("--set", one)))
    assert "computing per simulated second" in done.stderr
    assert "and 4900 more flows" in done.stdout
    assert done.stdout.count("upload-") == 100
    one_more = acklab_cli("run", "wifi-uploads", "--set", "topology.stations=5001")
    assert one_more.returncode == 1
    assert "5000" in one_more.stderr


def test_a_filter_on_the_way_of_the_data_is_warned_of(acklab_cli):
    sets = ("--set", "wifi.up.ack_filter=tac", "--set", "duration=0.1 s")
    done = acklab_cli("run", "wifi-uploads", *sets)
    assert "the filter never sees one" in done.stderr


def test_footers_have_the_seeds_of_their_own_cells(tmp_path):
    from acklab.studies.reproduce import reproduce

    study = STUDIES["tac"]
    wanted = [study.artefact("beyond-te")]
    written = reproduce(study, wanted, Effort(4, quick=True), tmp_path)
    assert "seeds 1 to 3 · quick" in written.plots["beyond-te"].read_text()


def test_figure_6_has_bit_errors_and_ns3_none(made):
    tables = {name: pl.read_csv(made.tables[name]) for name in ("fig5", "fig6")}
    missing = {name: of["ns3"].null_count() / of.height for name, of in tables.items()}
    assert missing["fig6"] == 1
    assert missing["fig5"] < 1
