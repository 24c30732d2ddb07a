"""Tins of CAKE and classes of HTB beside what `tc -s` prints in a kernel that is never late."""

import json

import pytest

import acklab
from conftest import ROOT

SAID = json.loads((ROOT / "validation/kernel-virtual/tc/tc.json").read_text())
LOOK = 30
#: Ethernet's header, which CAKE's counters have on top of IP's bytes (rates do not).
ETHERNET = 14
#: Of each case the discipline here, and the codepoints of its flows; the commands are in run.py.
TINS = {f"cake {k}": k for k in ("besteffort", "diffserv3", "diffserv4")}
CODEPOINTS = {
    "cake besteffort": (0,),
    "cake diffserv3": (8, 0, 46),
    "cake diffserv4": (8, 0, 34, 46),
    "htb shares": (46, 10),
    "htb priorities": (46, 0),
}
LEAVES = {
    "htb shares": [
        {"rate": "5 Mbit/s", "dscp": [46]},
        {"rate": "2 Mbit/s", "dscp": [10]},
        {"rate": "3 Mbit/s"},
    ],
    "htb priorities": [
        {"rate": "2 Mbit/s", "prio": 1, "dscp": [46]},
        {"rate": "2 Mbit/s", "prio": 2},
    ],
}


def discipline(case):
    if case in TINS:
        return {"name": "cake", "bandwidth": "10 Mbit/s", "diffserv": TINS[case]}
    # Not one packet: at zero tokens the nanoseconds of a clock decide.
    burst = {"burst": "1600 B", "cburst": "1600 B"}
    more = burst | {"quantum": "1500 B"}
    waits = {"parent": "all", "ceil": "10 Mbit/s"} | more
    child = {"name": "pfifo", "queue": "50 packets"}
    leaves = [
        {"name": f"1:{i}0", "child": child} | waits | leaf
        for i, leaf in enumerate(LEAVES[case], start=1)
    ]
    return {
        "name": "htb",
        "classes": [{"name": "all", "rate": "10 Mbit/s"} | burst, *leaves],
    }


@pytest.fixture(scope="module", params=SAID)
def pair(request):
    """The output of tc, and the rows here."""
    case = request.param
    ends = {"rate": "unlimited", "queue": "100000 packets"}
    spec = {
        "name": "tc",
        "duration": f"{LOOK} s",
        "link": [
            {"a": "snd", "b": "r1", "delay": "0 s", **ends, "reverse": {"delay": "10 ms"}},
            {
                "a": "r1",
                "b": "r2",
                "rate": "unlimited",
                "delay": "0 s",
                "qdisc": discipline(case),
                "reverse": {"qdisc": "pfifo", "queue": "1000 packets"},
            },
            {"a": "r2", "b": "rcv", "delay": "10 ms", **ends, "reverse": {"delay": "0 s"}},
        ],
        "node": [{"name": n} for n in ("snd", "r1", "r2", "rcv")],
        "tcp": {"profile": "linux", "segment": 1448, "pacing_quantum": 1},
        "flow": [
            {"name": f"f{i}", "from": "snd", "to": "rcv", "cc": "cubic", "dscp": d}
            for i, d in enumerate(CODEPOINTS[case])
        ],
    }
    rows = acklab.load(spec).run(1).queue_classes
    return case, SAID[case], [r for r in rows.iter_rows(named=True) if r["place"] == "r1->r2"]


def near(relative=0.0, absolute=0.0):
    return lambda said, here: here == pytest.approx(said, rel=relative, abs=absolute)


def test_every_counter(pair):
    case, said, rows = pair
    of_tins(said, rows) if case in TINS else of_classes(said, rows)


def of_tins(said, rows):
    tins = said["qdisc"][0]["tins"]
    assert len(tins) == len(rows)
    for tin, row in zip(tins, rows, strict=True):
        sent = tin["sent_packets"]
        exact = {
            "threshold_mbps": tin["threshold_rate"] * 8e-6,
            "max_len": tin["max_pkt_len"] - ETHERNET,
            "quantum_bytes": tin["flow_quantum"],
            "way_inds": tin["way_indirect_hits"],
            "way_miss": tin["way_misses"],
            "way_cols": tin["way_collisions"],
            "ecn_marks": tin["ecn_mark"],
            "ack_drop": tin["ack_drops"],
            "un_flows": tin["unresponsive_flows"],
        }
        assert {k: row[k] for k in exact} == exact, row["class"]
        # A flow between two packets is sparse or bulk.
        assert row["bk_flows"] + row["sp_flows"] == tin["bulk_flows"] + tin["sparse_flows"]
        for of, value, close in (
            ("target_ms", tin["target_us"] / 1000, near(absolute=0.001)),
            ("interval_ms", tin["interval_us"] / 1000, near(absolute=0.001)),
            ("pkts_arrived", sent, near(0.08)),
            ("bytes_arrived", tin["sent_bytes"] - ETHERNET * sent, near(0.08)),
            ("drops", tin["drops"], near(0.15, 10)),
            ("av_delay_ms", tin["avg_delay_us"] / 1000, near(0.25)),
        ):
            assert close(value, row[of]), (row["class"], of, value, row[of])


def of_classes(said, rows):
    here = {"1:1" if r["class"] == "all" else r["class"]: r for r in rows}
    assert {c["class"] for c in said["class"]} == set(here)
    for c in said["class"]:
        row = here[c["class"]]
        for of, value, close in (
            ("pkts_sent", c["packets"], near(absolute=3)),
            ("bytes_sent", c["bytes"], near(absolute=4500)),
            ("lended", c["lended"], near(absolute=3)),
            ("borrowed", c["borrowed"], near(absolute=3)),
            ("drops", c["dropped"], near(absolute=2)),
            ("overlimits", c["overlimits"], near(absolute=3)),
            # At one instant of a sawtooth, of 50.
            ("backlog_packets", c["backlog_packets"], near(absolute=15)),
            ("backlog_bytes", c["backlog_bytes"], near(absolute=22_500)),
        ):
            assert close(value, row[of]), (c["class"], of, value, row[of])
