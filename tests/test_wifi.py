"""Radio channels: their tables, and what they say."""

import itertools
import json
import random

import polars as pl
import pytest

import acklab
import cells
from acklab import metrics
from acklab.cli.explain import explain

SENT = ("data", "transport_ack", "mac_ack", "control", "collision", "noise")
USES = [
    *("idle", "contention", "sifs", "data", "transport_ack", "mac_ack", "control", "collision"),
    "noise",
]


def scenario(stations=3, **wifi):
    return {
        "name": "cell",
        "duration": "2 s",
        "topology": {
            "preset": "wlan",
            "stations": stations,
            "wire": {"rate": "100 Mbit/s", "delay": "2 ms"},
        },
        "wifi": wifi,
        "record": {"ppdus": True},
        "flow": [{"cc": "newreno", "count": stations, "start_jitter": "50 ms"}],
    }


@pytest.fixture(scope="module")
def cell():
    return acklab.load(scenario(bit_error_rate=1e-6)).run()


def nanoseconds(stations):
    """Time by use, of each station."""
    return stations.select(pl.col("^.*_s$") * 1e9).select(pl.all().round().cast(pl.Int64))


def test_airtime_sums_to_the_run(cell):
    assert cell.airtime["use"].to_list() == USES
    assert cell.airtime["airtime_s"].sum() == pytest.approx(2, abs=1e-9)
    assert cell.airtime["airtime_share"].sum() == pytest.approx(1, abs=1e-9)
    assert cell.airtime.filter(pl.col("use") == "data")["airtime_share"].item() > 0.5


def test_the_time_of_each_station_sums_to_the_run(cell):
    rows = nanoseconds(cell.stations)
    assert rows.columns == [f"{use}_s" for use in (*SENT, "others", "sifs", "contention", "idle")]
    assert rows.sum_horizontal().to_list() == [2 * 10**9] * 4


def test_where_all_hear_all_a_station_hears_what_it_does_not_send(cell):
    """Each hears the same, and misses nothing of what the channel is used for."""
    busy = cell.airtime.filter(~pl.col("use").is_in(["idle", "contention", "sifs"]))
    heard = cell.stations.select(pl.sum_horizontal(*(f"{use}_s" for use in (*SENT, "others"))))
    assert heard.to_series().min() >= busy["airtime_s"].sum() - 1e-9
    ap = cell.stations.row(0, named=True)
    gaps = cell.stations["sifs_s"].to_list()
    assert gaps[0] == pytest.approx(sum(gaps[1:]), abs=1e-9), "the AP is one side of each exchange"
    assert ap["mac_ack_s"] > 0 < ap["idle_s"] + ap["contention_s"]


@pytest.mark.parametrize("seed", range(12))
def test_the_time_of_stations_sums_to_the_run_whatever_they_do(seed):
    """Set-ups by lot: hidden pairs, RTS, categories, errors, reverse grants, HACK, TAC, a start."""
    lot = random.Random(seed)
    stations = lot.randint(2, 6)
    names = [f"sta{i}" for i in range(stations)]
    pairs = [[a, b] for a, b in itertools.combinations(names, 2) if lot.random() < 0.3]
    wifi = {
        "hidden": pairs,
        "rts": lot.choice(["off", "always", "1000 B"]),
        "bit_error_rate": lot.choice([0, 1e-6, 2e-5]),
        "reverse_grant": lot.random() < 0.4,
        "ampdu": lot.choice(["off", "65535 B"]),
        "edca_defaults": lot.choice(["2012", "2020"]),
        "down": {"qdisc": lot.choice(["shared", "per-station"])},
        "up": lot.choice([{}, {"hack": True}]),
    }
    if not wifi["up"]:
        wifi["down"]["ack_filter"] = lot.choice(["none", "tac"])
    categories = ["voice", "video", "best-effort", "background"]
    flows = [
        {"name": name, "cc": "cubic", "category": lot.choice(categories)}
        | lot.choice([{"from": name, "to": "server"}, {"from": "server", "to": name}])
        for name in lot.choices(names, k=2)
    ]
    flows = [{**flow, "name": f"f{i}"} for i, flow in enumerate(flows)]
    told = {**scenario(stations, **wifi), "duration": "400 ms", "start": "100 ms", "flow": flows}
    result = acklab.load(told).run(seed=seed)
    rows = nanoseconds(result.stations)
    assert rows.sum_horizontal().to_list() == [500 * 10**6] * (stations + 1)
    assert rows.min_horizontal().min() >= 0
    assert rows["data_s"].sum() > 0


def test_ppdus_are_what_stations_and_sizes_count(cell):
    """Each counter a second time, from the PPDUs one by one."""
    sent = cell.ppdus.with_columns(
        ((pl.col("end_ns") - pl.col("time_ns")) / 1e9).alias("s"),
        pl.when("garbled")
        .then(pl.lit("collision"))
        .when("lost")
        .then(pl.lit("noise"))
        .otherwise("use")
        .alias("booked"),
    )
    under_way = {}
    for row in cell.stations.iter_rows(named=True):
        own = sent.filter(pl.col("from") == row["station"])
        for use in SENT:
            told = own.filter(pl.col("booked") == use)["s"].sum()
            if row[f"{use}_s"] != pytest.approx(told, abs=1e-9):
                under_way[row["station"], use] = row[f"{use}_s"] - told
        data = own.filter(pl.col("kind") == "data")
        # One may still have been on the air at the end.
        assert row["data_ppdus"] - len(data) in (0, 1)
        assert row["mpdus"] - data["mpdus"].sum() in range(65)
    # Of what was on the air at the end, what there was of it until then.
    assert len(under_way) <= 1
    assert all(0 < s < 2 - sent["end_ns"].max() / 1e9 + 1e-9 for s in under_way.values())
    sizes = cell.ampdu_sizes.group_by("station", maintain_order=True).agg(
        (pl.col("mpdus") * pl.col("ppdus")).sum(), pl.col("ppdus").sum()
    )
    for row in sizes.iter_rows(named=True):
        station = cell.stations.filter(pl.col("station") == row["station"])
        assert station["mpdus"].item() == row["mpdus"]
        assert station["data_ppdus"].item() == row["ppdus"]


def test_the_way_of_a_packet_is_busy_while_its_data_are_on_the_air(cell):
    data = cell.ppdus.filter(pl.col("kind") == "data")
    for station in ("sta0", "sta2"):
        for ends in ((station, "ap"), ("ap", station)):
            own = data.filter((pl.col("from") == ends[0]) & (pl.col("to") == ends[1]))
            link = cell.links.filter(pl.col("link") == "->".join(ends))
            air = (own["end_ns"] - own["time_ns"]).sum() / 2e9
            assert link["utilisation"].item() == pytest.approx(air, abs=1e-9)


def test_drops_of_a_station_are_those_of_its_ways():
    result = acklab.load(scenario(down={"queue": "2 packets"})).run()
    for column in (c for c in metrics.columns("stations") if c.startswith("drops_")):
        ap = result.stations.filter(pl.col("station") == "ap")[column].item()
        ways = result.links.filter(pl.col("link").str.starts_with("ap->sta"))
        assert ap == ways[column].sum()
    assert ap == 0
    assert result.stations["drops_queue_full"][0] > 0


def test_ppdus_do_not_overlap_unless_they_collide(cell):
    rows = cell.ppdus.filter(~pl.col("garbled")).sort("time_ns")
    assert (rows["time_ns"][1:] >= rows["end_ns"][:-1]).all()
    assert set(rows["kind"].unique()) == {"data", "ack", "block_ack", "bar"}
    assert rows.filter(pl.col("kind") == "data")["mode"].unique().to_list() == [
        "HT MCS7 20 MHz 1x 800 ns"
    ]


def test_hidden_stations_announce_their_frames():
    hidden = scenario(2, hidden=[["sta0", "sta1"]], rts="always")
    result = acklab.load(hidden).run()
    kinds = result.ppdus["kind"].value_counts(sort=True)
    assert {"rts", "cts"} <= set(kinds["kind"])
    without = acklab.load(scenario(2, hidden=[["sta0", "sta1"]])).run()
    collided = [
        r.airtime.filter(pl.col("use") == "collision")["airtime_share"].item()
        for r in (result, without)
    ]
    assert collided[0] < collided[1] / 2


def test_wired_runs_have_no_rows():
    wired = acklab.load(
        {
            "duration": "1 s",
            "topology": {"preset": "dumbbell", "bottleneck": {"rate": "1 Mbit/s"}},
            "record": {"ppdus": True},
            "flow": [{}],
        }
    ).run()
    for table in ("stations", "airtime", "ampdu_sizes", "ppdus"):
        frame = getattr(wired, table)
        assert len(frame) == 0
        assert sorted(frame.columns) == sorted(metrics.columns(table))


def test_a_folder_keeps_the_tables(tmp_path, cell, acklab_cli):
    file = tmp_path / "cell.json"
    file.write_text(json.dumps(scenario(bit_error_rate=1e-6)))
    out = acklab_cli("run", str(file), "--out", str(tmp_path / "out"))
    assert "airtime, %" in out.stdout
    assert "transport ack" in out.stdout
    saved = acklab.open(tmp_path / "out")
    for table in ("stations", "airtime", "ampdu_sizes", "ppdus"):
        assert saved.table(table).equals(getattr(cell, table)), table
    assert saved.stations.height == 4
    assert saved.ppdus.equals(cell.ppdus)
    again = acklab_cli("run", str(file), "--out", str(tmp_path / "out"))
    assert again.returncode == 0, again.stderr


def test_what_is_not_recorded_is_said():
    quiet = scenario()
    del quiet["record"]
    result = acklab.load(quiet).run()
    with pytest.raises(acklab.NotRecordedError, match="ppdus = true"):
        _ = result.ppdus
    recorded = acklab.load(scenario()).run()
    assert recorded.flows.equals(result.flows)
    assert recorded.stations.equals(result.stations)


def test_columns_are_explained(capsys):
    # In this process: starting the command for each of some eighty columns took half a minute.
    for table in ("stations", "airtime", "ampdu_sizes", "ppdus"):
        for name in metrics.columns(table):
            explain(name)
            assert capsys.readouterr().out.startswith(name)


def test_many_stations_are_warned_of_and_none_is_an_error():
    many = acklab.load(scenario(5000), overrides=["duration=1 ms"])
    assert "s of computing per simulated second" in many.warnings[0]
    with pytest.raises(acklab.ScenarioError, match="write a number from 1 to 10000"):
        acklab.load(scenario(0))


SPACE = {
    "ring": 12,
    "shadowing_db": 3,
    "capture_db": 10,
    "fading": {"name": "rayleigh", "coherence": "10 ms"},
    "place": {"sta1": {"position": [5, 0], "velocity": [8, 0], "start": "200 ms"}},
}


def test_moved_and_faded_stations_share_the_air_and_repeat():
    wifi = {"space": SPACE, "rate_control": "minstrel", "qdisc": "per-station", "hack": True}
    first, again = (acklab.load(scenario(**wifi)).run() for _ in range(2))
    assert first.airtime["airtime_s"].sum() == pytest.approx(2, abs=1e-9)
    for table in ("flows", "links", "stations", "airtime", "ampdu_sizes", "ppdus"):
        assert getattr(first, table).equals(getattr(again, table)), table
    assert (first.flows["goodput_mbps"] > 1).all()
    other = acklab.load(scenario(**wifi), overrides={"seed": 2}).run()
    assert not other.ppdus.equals(first.ppdus)


def mcs_of_data(result, station):
    data = result.ppdus.filter((pl.col("kind") == "data") & (pl.col("from") == station))
    return data.select(
        (pl.col("time_ns") / 1e9).alias("s"),
        pl.col("mode").str.extract(r"MCS(\d+)").cast(pl.Int64).alias("mcs"),
    )


@pytest.mark.parametrize("control", ["minstrel", "ideal"])
def test_who_walks_away_is_sent_slower_modes(control):
    """15 to 45 m, a loss of 14 dB more: MCS 7 needs 24 dB, of which 28 and 14 are there."""
    place = {"sta0": {"position": [15, 0], "velocity": [15, 0]}}
    walk = scenario(1, rate_control=control, space={"place": place})
    sent = mcs_of_data(acklab.load(walk).run(), "sta0")
    early, late = sent.filter(pl.col("s").is_between(0.2, 0.4)), sent.filter(pl.col("s") > 1.8)
    assert early["mcs"].median() == 7
    assert 2 <= late["mcs"].median() <= 4


def test_signals_decide_what_arrives():
    def goodput(metres):
        near = scenario(1, space={"line": metres})
        return acklab.load(near).run().flows["goodput_mbps"].item()

    assert goodput(5) > 40
    assert goodput(25) < 1


def test_stations_far_from_each_other_are_hidden():
    def collided(places, **wifi):
        space = {"place": dict(zip(["sta0", "sta1"], places, strict=True))}
        result = acklab.load(scenario(2, mcs=1, space=space, **wifi)).run()
        return result.airtime.filter(pl.col("use") == "collision")["airtime_share"].item()

    apart, beside = ([40, 0], [-40, 0]), ([40, 0], [40, 1])
    assert collided(apart) > 0.25
    assert collided(beside) < 0.2
    # An explicit list counts more than places.
    assert collided(apart, hidden=[]) < 0.2


def test_queues_per_station_share_the_air():
    def shares(**down):
        cell = scenario(down=down, station={"sta2": {"mcs": 0}})
        cell["topology"]["direction"] = "down"
        cell["duration"] = "6 s"
        del cell["record"]
        runs = acklab.run_many([(acklab.load(cell), seed) for seed in (1, 2, 3)])
        to_stations = pl.col("link").str.starts_with("ap->sta")
        found = [r.links.filter(to_stations)["utilisation"] for r in runs]
        return [sum(of) / len(found) for of in zip(*found, strict=True)]

    fair, shared = shares(qdisc="per-station"), shares()
    assert max(fair) < 1.2 * min(fair)
    assert shared[2] > 1.5 * max(shared[:2])


def test_marks_of_a_stations_queue_are_counted():
    cell = scenario(1, down={"qdisc": {"name": "per-station", "target": "2 ms"}})
    cell["topology"]["direction"] = "down"
    cell["tcp"] = {"ecn": "on"}
    result = acklab.load(cell).run()
    marks = dict(result.links.select("link", "marks").iter_rows())
    assert marks["ap->sta0"] > 0
    assert sum(marks.values()) == marks["ap->sta0"]
    assert result.flows["ecn_reductions"].item() > 0


def test_block_acks_carry_acks_where_data_say_so():
    def accesses(**wifi):
        cell = scenario(1, **wifi)
        cell["topology"]["direction"] = "down"
        stations = acklab.load(cell).run().stations
        return stations.filter(pl.col("station") == "sta0")["accesses"].item()

    without = accesses()
    assert without > 100
    assert accesses(down={"hack": True}) < without / 20
    # The other way there are no data; only the longer answers are reserved that might carry ACKs.
    assert accesses(up={"hack": True}) == pytest.approx(without, rel=0.05)


def test_the_queue_of_a_radio_channel_is_sampled():
    """Packets that were queued and have neither left nor been refused are those that wait."""
    busy = cells.cell(record={"every": "50 ms", "packets": True})
    busy["wifi"] |= {"up": {"queue": "30 packets"}}
    result = cells.run(busy)
    way = "sta1->ap"
    seen = result.packets.filter(pl.col("point") == way)
    here = result.link_series.filter(pl.col("link") == way)
    assert here["queue_packets"].max() > 5
    assert (here["queue_bytes"] > 0).to_list() == (here["queue_packets"] > 0).to_list()
    for time_s, packets in here.select("time_s", "queue_packets").iter_rows():
        so_far = seen.filter(pl.col("time_ns") <= round(time_s * 1e9))["what"]
        gone = so_far.is_in(["left", "dropped"]).sum()
        assert packets == (so_far == "queued").sum() - gone


def test_the_air_that_feedback_takes_is_told_by_flow():
    """A download to each of two stations: they send nothing but feedback, of whatever length."""
    spec = scenario(2, ampdu="off", amsdu="off")
    spec["duration"] = "5 s"
    wire = {"rate": "100 Mbit/s", "delay": "20 ms"}
    spec["topology"] |= {"direction": "down", "wire": wire}
    spec["flow"] = [{"name": "tcp"}, {"name": "tack", "transport": "tack"}]
    result = acklab.load(spec).run()
    flows, air = result.flows, result.ppdus.filter(pl.col("from") != "ap", pl.col("mpdus") > 0)
    assert flows["transport"].to_list() == ["tcp", "tack"]
    # The answer in TACK's handshake is more than feedback.
    assert air.filter(pl.col("use") != "transport_ack")["from"].to_list() == ["sta1"]
    air = air.filter(pl.col("use") == "transport_ack")
    # IACKs with what is missing, and TACKs with lists, are longer than any ACK of TCP.
    assert air.filter(pl.col("from") == "sta1")["psdu_bytes"].max() > 150
    took = air.group_by("from").agg((pl.col("end_ns") - pl.col("time_ns")).sum() / 1e6).sort("from")
    assert flows["feedback_airtime_ms"].to_list() == pytest.approx(took["end_ns"].to_list())
    assert flows["iacks_sent"][0] is None
    assert 0 < flows["iacks_sent"][1] < flows["acks_sent"][1] < flows["acks_sent"][0] / 3
    line = {"rate": "10 Mbit/s", "delay": "5 ms"}
    wired = {"topology": {"preset": "dumbbell", "bottleneck": line}, "flow": [{}]}
    wired = acklab.load(wired | {"duration": "1 s"}).run()
    assert wired.flows["feedback_airtime_ms"].null_count() == 1


def test_answers_carry_no_feedback_but_tcp_s():
    """TCP/HACK compresses headers of TCP; TACK's feedback contends as before."""
    spec = scenario(1, down={"hack": True})
    spec["topology"] |= {"direction": "down"}
    for transport, carried in (("tcp", True), ("tack", False)):
        spec["flow"] = [{"name": transport, "transport": transport}]
        stations = acklab.load(spec).run().stations
        assert (stations["acks_carried"].sum() > 0) == carried
