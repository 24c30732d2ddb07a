"""Tins of CAKE and classes of HTB, beside what the links table counts of the same queue."""

import copy

import polars as pl
import pytest

import acklab
from acklab.formats import tc, tc_links
from acklab.formats.tc import text

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
    rows = result.queue_classes.filter(pl.col("place") == link["link"])
    assert rows["class"][0] == "cake"
    tins = rows[1:]
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


def test_a_cake_counts_what_its_tins_and_the_link_count():
    result = behind(CAKE | {"framing": "docsis"})
    link = bottleneck(result)
    rows = result.queue_classes.filter(pl.col("place") == link["link"])
    cake, tins = rows.row(0, named=True), rows[1:]
    assert (cake["part"], cake["class"]) == ("qdisc", "cake")
    # Packets that left may still be on the line.
    assert 0 <= cake["pkts_sent"] - link["packets_out"] < 100
    assert cake["drops"] == tins["drops"].sum() == link["dropped"]
    assert cake["backlog_bytes"] == tins["backlog_bytes"].sum()
    seen = cake["pkts_sent"] + cake["drops"] + cake["backlog_packets"]
    assert seen == tins["pkts_arrived"].sum() == link["packets_in"]
    assert cake["overlimits"] > cake["pkts_sent"]
    # 10 Mbit/s for four intervals of 100 ms are 500 kB; tc-cake(8) has 4 MiB at least.
    assert cake["memory_limit_bytes"] == 4 << 20
    # A packet of 1500 bytes takes 2304, and no queue was longer than the link's longest.
    assert 2304 < cake["memory_used_bytes"] <= 2304 * link["queue_max_packets"]
    assert cake["capacity_mbps"] == 10.0
    # SYN and data of Linux with timestamps; DOCSIS adds 18 bytes, and has 64 at least.
    sizes = [cake[f"{end}_{of}_size"] for of in ("network", "adj") for end in ("min", "max")]
    assert sizes[1] == 1500
    assert sizes[2:] == [max(sizes[0] + 18, 64), 1518]
    assert tins["memory_used_bytes"].null_count() == len(tins)


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
    assert names[:5] == ["dsl", "dsl/cake", "dsl/Bulk", "dsl/Best Effort", "dsl/Voice"]
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
    # So short a run need not meet what the scenario expects. The films give up their codepoint.
    plain = ("--set", "flow.1.dscp=CS0") if shown else ()
    made = acklab_cli("run", scenario, "--set", "duration=7s", *plain, "--out", "here")
    assert made.returncode in (0, 1), made.stderr
    assert ("av_delay" in made.stdout) == shown
    assert (tmp_path / "here" / "queue_classes.parquet").is_file() == shown
    if shown:
        assert "Voice" in made.stdout
        assert "Video" not in made.stdout  # no packet has such a codepoint
        assert (
            len(acklab.open(tmp_path / "here").queue_classes) == 10
        )  # four tins in each direction


def test_tc_prints_them_as_tc_does(acklab_cli, tmp_path):
    made = acklab_cli("run", "cake-diffserv", "--set", "duration=7s", "--out", "here", "--tc")
    assert made.returncode in (0, 1), made.stderr
    rows = acklab.open(tmp_path / "here").queue_classes
    assert text(rows) in made.stdout
    cake = rows.row(0, named=True)
    blocks = text(rows).split("\n\nqdisc ")
    assert len(blocks) == rows.filter(pl.col("part") == "qdisc")["pkts_sent"].gt(0).sum() == 2
    lines = blocks[0].splitlines()
    assert lines[:2] == [
        f"qdisc cake on {cake['place']}",
        f" Sent {cake['bytes_sent']} bytes {cake['pkts_sent']} pkt "
        f"(dropped {cake['drops']}, overlimits {cake['overlimits']} requeues 0)",
    ]
    table = [line.split() for line in lines if line.startswith("  ")]
    names = "thresh target interval pk_delay av_delay sp_delay backlog pkts bytes way_inds"
    names += " way_miss way_cols drops marks ack_drop sp_flows bk_flows un_flows max_len quantum"
    assert [line[0] for line in table[1:]] == names.split()
    values = {name: rest for name, *rest in table[1:]}
    tins = rows[1:5]
    assert values["pkts"] == [str(n) for n in tins["pkts_arrived"]]
    assert values["max_len"] == [str(n) for n in tins["max_len"]]


def test_tc_of_links_without_a_queue_is_empty():
    # Nothing but links without a limit, which have no queue.
    scenario = {
        "name": "plain",
        "duration": "1 s",
        "topology": {"preset": "dumbbell", "bottleneck": {"delay": "10 ms"}},
        "flow": [{"cc": "cubic", "app": {"kind": "bulk", "bytes": "100 kB"}}],
    }
    assert tc_links.text(acklab.load(scenario).run()) == ""


def test_tc_shows_classes_to_which_no_packet_came():
    result = acklab.load("htb", overrides=["duration=2s", "warmup=1s"]).run()
    rest = text(result.queue_classes).split("\n\n")[3]
    assert rest.splitlines() == [
        "class rest on left->right prio 0 rate 3Mbit ceil 3Mbit",
        " Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)",
        " backlog 0b 0p requeues 0",
        " lended: 0 borrowed: 0",
    ]


#: Settings as iproute2 prints them for the same `tc qdisc add`; counters as `tc -s` names them.
@pytest.mark.parametrize(
    ("qdisc", "queue", "settings", "counters"),
    [
        ("pfifo", "50 packets", "pfifo on L limit 50p", None),
        ("bfifo", "64 KiB", "bfifo on L limit 64Kb", None),
        ("pfifo-head-drop", "50 packets", "pfifo_head_drop on L limit 50p", None),
        (
            {"name": "codel", "ecn": True, "ce_threshold": "1 ms"},
            "500 packets",
            "codel on L limit 500p target 5ms ce_threshold 1ms interval 100ms ecn",
            "  ecn_mark 0 drop_overlimit {drops_queue_full} ce_mark {marks}",
        ),
        (
            {"name": "fq-codel", "quantum": 300, "target": "500 us"},
            "1000 packets",
            "fq_codel on L limit 1000p flows 1024 quantum 300 target 500us interval 100ms "
            "memory_limit 32Mb ecn drop_batch 64",
            "  drop_overlimit {drops_queue_full} ecn_mark {marks}",
        ),
        (
            {"name": "pie", "ecn": True},
            "1000 packets",
            "pie on L limit 1000p target 15ms tupdate 15ms alpha 2 beta 20 ecn",
            "  pkts_in {joined} overlimit {drops_queue_full} dropped {drops_aqm} "
            "maxq {queue_max_packets} ecn_mark {marks}",
        ),
        (
            {"name": "red", "ecn": True, "min": "10 kB"},
            "400 kB",
            "red on L limit 400000b min 10000b max 30000b ecn",
            "  marked {marks} early {drops_aqm} pdrop {drops_queue_full} other 0",
        ),
        ("red", "400 kB", "red on L limit 400000b min 33333b max 100000b", None),
        (
            {"name": "tbf", "rate": "9500 kbit/s", "burst": "16 KiB", "latency": "50 ms"},
            None,
            "tbf on L rate 9500Kbit burst 16Kb lat 50ms",
            None,
        ),
    ],
)
def test_tc_prints_other_disciplines_as_tc_does(qdisc, queue, settings, counters):
    bottleneck = {"rate": "10 Mbit/s", "delay": "10 ms", "qdisc": qdisc}
    bottleneck |= {"queue": queue} if queue else {}
    topology = {"preset": "dumbbell", "bottleneck": bottleneck}
    flows = [{"name": "bulk", "cc": "cubic", "count": 4}]
    spec = {"name": "tc", "duration": "5 s", "topology": topology, "flow": flows}
    result = acklab.load(spec | {"tcp": {"ecn": "on"}}).run()
    link = bottleneck_of(result)
    drops = link["drops_queue_full"] + link["drops_aqm"]
    link["joined"] = link["packets_in"] - drops
    assert drops + link["marks"] > 0
    lines = tc_links.text(result).split("\n\n")[0].splitlines()
    assert lines[0] == f"qdisc {settings}".replace(" L ", f" {link['link']} ")
    early = link["drops_aqm"] + link["marks"] if "red" in settings else 0
    overlimits = "" if "tbf" in settings else f" overlimits {early}"
    assert lines[1] == (
        f" Sent {link['bytes_out']} bytes {link['packets_out']} pkt "
        f"(dropped {drops},{overlimits} requeues 0)"
    )
    if counters:
        assert lines[2:] == [counters.format_map(link)]


def blocks_behind(qdisc):
    """What `--tc` prints of the bottleneck's way to the receivers, whose packets may be marked."""
    bottleneck = {"rate": "10 Mbit/s", "delay": "10 ms", "qdisc": qdisc}
    topology = {"preset": "dumbbell", "bottleneck": bottleneck}
    flows = [{"name": "bulk", "cc": "cubic", "count": 4}]
    spec = {"name": "tc", "duration": "5 s", "topology": topology, "flow": flows}
    result = acklab.load(spec | {"tcp": {"ecn": "on"}}).run()
    blocks = [b.splitlines() for b in tc_links.text(result).split("\n\n")]
    return bottleneck_of(result), [b for b in blocks if " on left->right" in b[0]]


@pytest.mark.parametrize("name", ["codel", "fq-codel"])
def test_tc_counts_marks_by_the_threshold_apart(name):
    """`fq_codel_dump_stats`, `codel_dump_stats`: ce_mark of ce_threshold, ecn_mark of the law."""
    link, [block] = blocks_behind({"name": name, "ce_threshold": "1 ms", "interval": "60 s"})
    assert link["marks"] > 0
    assert "ecn_mark 0" in block[2]
    assert block[2].endswith(f" ce_mark {link['marks']}")
    # Without a threshold all marks are the law's.
    link, [block] = blocks_behind({"name": name, "ecn": True})
    assert f"ecn_mark {link['marks']}" in block[2]
    assert "ce_mark" not in block[2]


def test_tc_has_what_is_inside_a_shaper():
    inner = {"name": "fq-codel", "queue": "100 packets", "ce_threshold": "1 ms"}
    link, (outer, block) = blocks_behind({"name": "tbf", "rate": "8 Mbit/s", "child": inner})
    assert outer[0].startswith("qdisc tbf on left->right")
    assert block[0] == (
        "qdisc fq_codel on left->right limit 100p flows 1024 quantum 1514 target 5ms "
        "ce_threshold 1ms interval 100ms memory_limit 32Mb ecn drop_batch 64"
    )
    sent = int(block[1].split()[3])
    dropped = link["drops_queue_full"] + link["drops_aqm"]
    # Some are on the line when the run ends.
    assert link["packets_out"] <= sent <= link["packets_out"] + 20
    assert f"(dropped {dropped}, overlimits 0 requeues 0)" in block[1]
    assert block[2].startswith(" backlog ")
    marks = dict(zip(block[3].split()[::2], block[3].split()[1::2], strict=True))
    assert int(marks["ecn_mark"]) + int(marks["ce_mark"]) == link["marks"] > 0


def test_tc_has_what_is_inside_classes():
    classes = [
        {"name": "dsl", "rate": "8 Mbit/s"},
        {"name": "a", "parent": "dsl", "rate": "4 Mbit/s", "flow": ["bulk-0"], "child": "fq-codel"},
        {"parent": "dsl", "rate": "4 Mbit/s", "child": {"name": "tbf", "rate": "3 Mbit/s"}},
    ]
    classes[2]["child"]["child"] = {"name": "codel", "queue": "50 packets"}
    _, blocks = blocks_behind({"name": "htb", "classes": classes})
    assert [b[0].split(" limit ")[0] for b in blocks] == [
        "qdisc fq_codel on left->right in a",
        "qdisc codel on left->right in 2",
    ]


def bottleneck_of(result):
    return result.links.filter(pl.col("link") == "left->right").row(0, named=True)


def test_tc_has_classes_and_what_is_inside():
    classes = [{"name": "dsl", "rate": "8 Mbit/s", "child": {"name": "cake"}}]
    result = behind({"name": "htb", "classes": classes})
    place = bottleneck(result)["link"]
    rows = result.queue_classes.filter(pl.col("place") == place)
    dsl, cake = rows.row(0, named=True), rows.row(1, named=True)
    block, inner = text(rows).split("\n\nqdisc ")
    assert block.splitlines() == [
        f"class dsl on {place} prio 0 rate 8Mbit ceil 8Mbit",
        f" Sent {dsl['bytes_sent']} bytes {dsl['pkts_sent']} pkt "
        f"(dropped {dsl['drops']}, overlimits {dsl['overlimits']} requeues 0)",
        f" backlog {dsl['backlog_bytes']}b {dsl['backlog_packets']}p requeues 0",
        f" lended: {dsl['lended']} borrowed: 0",
    ]
    lines = inner.splitlines()
    assert lines[0] == f"cake on {place} in dsl"
    assert lines[4] == " capacity estimate: 0bit"
    assert lines[8].split() == ["Bulk", "Best", "Effort", "Voice"]
    assert (dsl["pkts_sent"], cake["overlimits"]) == (cake["pkts_sent"], 0)


#: What `tc` prints of these numbers (iproute2 6.1, the cases of validation/kernel-virtual/tc).
@pytest.mark.parametrize(
    ("of", "value", "printed"),
    [
        (tc.printed_rate, None, "0bit"),
        (tc.printed_rate, 0.625, "625Kbit"),
        (tc.printed_rate, 10.0, "10Mbit"),
        (tc.printed_rate, 9.375, "9375Kbit"),
        (tc.printed_rate, 0.123457, "123457bit"),
        (tc.printed_time, 0.06, "60us"),
        (tc.printed_time, 3.797, "3.8ms"),
        (tc.printed_time, 124.068, "124ms"),
        (tc.printed_time, 2500.0, "2.5s"),
        (tc.printed_size, 22_800, "22800b"),
        (tc.printed_size, 65_536, "64Kb"),
        (tc.printed_size, 4_194_304, "4Mb"),
    ],
)
def test_numbers_are_spelled_as_tc_spells_them(of, value, printed):
    assert of(value) == printed
