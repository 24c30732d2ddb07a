"""Tins of CAKE and classes of HTB, beside what the links table counts of the same queue."""

import copy

import polars as pl
import pytest

import acklab

CAKE = {"name": "cake", "bandwidth": "10 Mbit/s", "diffserv": "diffserv4"}
CALL = {"name": "cbr", "rate": "100 kbit/s", "size": 200}
SPEC = {
    "name": "classes",
    "duration": "10 s",
    "topology": {
        "preset": "dumbbell",
        "bottleneck": {"rate": "100 Mbit/s", "delay": "10 ms", "qdisc": CAKE},
    },
    "flow": [
        {"name": "call", "dscp": "EF", "transport": CALL},
        {"name": "download", "cc": "cubic"},
        {"name": "backup", "cc": "cubic", "dscp": "LE"},
    ],
}


def behind(qdisc, **more):
    spec = copy.deepcopy(SPEC)
    spec["topology"]["bottleneck"]["qdisc"] = qdisc
    return acklab.load(spec | more).run()


def bottleneck(result):
    """The bottleneck's row of `links`: the only one with drops."""
    return result.links.sort("dropped").row(-1, named=True)


def test_tins_count_what_the_link_counts():
    result = behind(CAKE)
    link = bottleneck(result)
    tins = result.queue_classes.filter(pl.col("place") == link["link"])
    assert tins["class"].to_list() == ["Bulk", "Best Effort", "Video", "Voice"]
    assert set(tins["part"]) == {"tin"}
    assert tins["pkts_arrived"].sum() == link["packets_in"]
    assert tins["drops"].sum() == link["drops_aqm"] + link["drops_queue_full"] > 0
    rate = dict(tins.select("class", "threshold_mbps").iter_rows())
    # tc prints thresholds of 625, 10000, 5000 and 2500 kbit/s.
    assert rate == {"Bulk": 0.625, "Best Effort": 10.0, "Video": 5.0, "Voice": 2.5}
    voice = tins.filter(pl.col("class") == "Voice").row(0, named=True)
    assert voice["pkts_arrived"] == result.flows["data_segments"][0]
    # A frame of 200 bytes has 18 of Ethernet.
    assert (voice["max_len"], voice["drops"]) == (182, 0)
    assert tins["pkts_sent"].null_count() == len(tins)


def test_classes_count_what_the_link_counts():
    child = {"name": "fq-codel"}
    classes = [
        {"name": "all", "rate": "10 Mbit/s"},
        {"name": "slow", "parent": "all", "rate": "1 Mbit/s", "ceil": "10 Mbit/s"}
        | {"flow": ["backup"], "child": child},
        {"name": "rest", "parent": "all", "rate": "9 Mbit/s", "ceil": "10 Mbit/s", "child": child},
    ]
    result = behind({"name": "htb", "classes": classes})
    link = bottleneck(result)
    rows = {
        r["class"]: r
        for r in result.queue_classes.filter(pl.col("place") == link["link"]).iter_rows(named=True)
    }
    assert list(rows) == ["all", "slow", "rest"]
    both = rows["slow"]["pkts_sent"] + rows["rest"]["pkts_sent"]
    # Packets that left the class may still be on the line.
    assert 0 <= rows["all"]["pkts_sent"] - link["packets_out"] < 100
    assert rows["all"]["pkts_sent"] == both
    for leaf in ("slow", "rest"):
        row = rows[leaf]
        assert row["lended"] + row["borrowed"] == row["pkts_sent"] > 0
        assert (row["level"], row["prio"]) == (0, 0)
    assert rows["all"]["lended"] == rows["slow"]["borrowed"] + rows["rest"]["borrowed"] > 0
    assert rows["all"]["overlimits"] > 0
    assert rows["all"]["prio"] is None


def test_tins_within_classes_and_at_an_access_point():
    classes = [{"name": "dsl", "rate": "8 Mbit/s", "child": {"name": "cake"}}]
    names = behind({"name": "htb", "classes": classes}).queue_classes["class"].to_list()
    assert names[:4] == ["dsl", "dsl/Bulk", "dsl/Best Effort", "dsl/Voice"]
    air = {
        "name": "air",
        "duration": "2 s",
        "topology": {"preset": "wlan", "stations": 1, "direction": "down"},
        "wifi": {"standard": "ax", "down": {"qdisc": {"name": "cake", "bandwidth": "5 Mbit/s"}}},
        "flow": [{"cc": "cubic"}],
    }
    rows = acklab.load(air).run().queue_classes
    used = rows.filter(pl.col("pkts_arrived") > 0)
    assert len(used) == 1
    place, tin = used.select("place", "class").row(0)
    assert place.split("/")[1:] == ["ap", "best-effort"]
    assert tin == "Best Effort"


def test_none_without_them():
    assert len(behind("pfifo").queue_classes) == 0
    assert len(behind("fq-codel").queue_classes) == 0


@pytest.mark.parametrize(("scenario", "shown"), [("cake-diffserv", True), ("fq-codel", False)])
def test_the_command_shows_what_took_packets(acklab_cli, tmp_path, scenario, shown):
    # So short a run need not meet what the scenario expects.
    made = acklab_cli("run", scenario, "--set", "duration=7s", "--out", "here")
    assert made.returncode in (0, 1), made.stderr
    assert ("av_delay" in made.stdout) == shown
    assert (tmp_path / "here" / "queue_classes.parquet").is_file() == shown
    if shown:
        assert "Voice" in made.stdout
        assert "Video" not in made.stdout  # no packet has such a codepoint
        assert len(acklab.open(tmp_path / "here").queue_classes) == 8  # four tins in each direction
