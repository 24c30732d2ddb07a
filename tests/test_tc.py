"""CAKE, its tins and classes of HTB beside what `tc -s` prints in a kernel that is never late."""

import json

import pytest

import acklab
from conftest import ROOT

SAID = json.loads((ROOT / "validation/kernel-virtual/tc/tc.json").read_text())
LOOK = 30
#: Ethernet's header, which CAKE's counters have on top of IP's bytes (rates do not).
ETHERNET = 14
#: Of each case the discipline here, and the codepoints of its flows; the commands are in run.py.
TINS = {f"cake {k}": k for k in ("besteffort", "diffserv3", "diffserv4")} | {
    "cake ecn": "diffserv3",
    "cake ack-filter": "besteffort",
    "cake flows": "besteffort",
}
CODEPOINTS = {
    "cake besteffort": (0,),
    "cake diffserv3": (8, 0, 46),
    "cake diffserv4": (8, 0, 34, 46),
    "cake ecn": (8, 0, 46),
    "cake ack-filter": (0,),
    # Some of the 128 sets of eight queues have too few for theirs.
    "cake flows": (0,) * 800,
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


#: An upstream that its ACKs fill: the look is at this one.
UP = {
    "qdisc": {"name": "cake", "bandwidth": "150 kbit/s", "diffserv": "besteffort"},
    "ack_filter": {"name": "cake", "mode": "conservative"},
    "rate": "unlimited",
}


def discipline(case):
    if case in TINS:
        rate = "100 Mbit/s" if case == "cake flows" else "10 Mbit/s"
        return {"name": "cake", "bandwidth": rate, "diffserv": TINS[case]}
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
    filtered = case == "cake ack-filter"
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
                "reverse": UP if filtered else {"qdisc": "pfifo", "queue": "1000 packets"},
            },
            {"a": "r2", "b": "rcv", "delay": "10 ms", **ends, "reverse": {"delay": "0 s"}},
        ],
        "node": [{"name": n} for n in ("snd", "r1", "r2", "rcv")],
        # The kernel's buffers, as in acklab.validate.kernel_virtual.
        "tcp": {
            "profile": "linux",
            "ecn": "on" if case == "cake ecn" else "off",
            "segment": 1448,
            "pacing_quantum": 1,
            "recv_cushion": 16,
            "recv_share": 162,
            "recv_buffer": {"initial": "131072 B", "max": "4033824 B"},
            "send_buffer": {"initial": "87380 B", "max": "4033824 B"},
        },
        "flow": [
            {"name": f"f{i}", "from": "snd", "to": "rcv", "cc": "cubic", "dscp": d}
            for i, d in enumerate(CODEPOINTS[case])
        ],
    }
    if case == "cake flows":
        # One after the other within a second, as in the kernel.
        for i, flow in enumerate(spec["flow"]):
            flow["start"] = f"{1000 * i // 800} ms"
    elif case in TINS:
        # Which millisecond a flow starts at decides how four of them share: drops of one tin differ
        # by a third.
        for flow in spec["flow"]:
            flow["start_jitter"] = "20 ms"
    loaded = acklab.load(spec)
    seeds = range(1, 7) if case in TINS and case != "cake flows" else [1]
    starts = [loaded.run(seed).queue_classes for seed in seeds]
    place = "r2->r1" if filtered else "r1->r2"
    return case, SAID[case], [rows.filter(rows["place"] == place).to_dicts() for rows in starts]


def near(relative=0.0, absolute=0.0):
    return lambda said, here: here == pytest.approx(said, rel=relative, abs=absolute)


def test_every_counter(pair):
    case, said, starts = pair
    of_tins(said, starts) if case in TINS else of_classes(said, starts[0])


def of_cakes(whole, rows):
    """The rows of whole CAKEs, one for each start."""
    ends = ("min_network_size", "max_network_size", "min_adj_size", "max_adj_size")
    exact = {
        "memory_limit_bytes": whole["memory_limit"],
        "capacity_mbps": whole["capacity_estimate"] * 8e-6,
        **{end: whole[end] for end in ends},
    }
    assert [{k: r[k] for k in exact} for r in rows] == [exact] * len(rows)
    packets = whole["packets"]
    for of, value, close in (
        ("pkts_sent", packets, near(0.01)),
        ("bytes_sent", whole["bytes"] - ETHERNET * packets, near(0.01)),
        ("drops", whole["drops"], near(0.15, 10)),
        # The first call at an arrival and the one after each departure find the shaper shut.
        ("overlimits", whole["overlimits"], near(0.05)),
        ("backlog_packets", whole["qlen"], near(0.15, 15)),
        ("backlog_bytes", whole["backlog"] - ETHERNET * whole["qlen"], near(0.15, 22_500)),
        # The longest queue of half a minute. Of filtered ACKs the kernel counts no more than one.
        ("memory_used_bytes", whole["memory_used"], near(0.25, 2_500)),
    ):
        within(of, value, close, [r[of] for r in rows])


def within(of, value, close, here):
    """The kernel's value lies among those here, or near one of them."""
    here = sorted(here)
    assert here[0] <= value <= here[-1] or any(close(value, x) for x in here), (of, value, here)


def of_tins(said, starts):
    whole = said["qdisc"][0]
    of_cakes(whole, [rows[0] for rows in starts])
    assert {rows[0]["part"] for rows in starts} == {"qdisc"}
    tins, starts = whole["tins"], [rows[1:] for rows in starts]
    for tin, *rows in zip(tins, *starts, strict=True):
        row = rows[0]
        sent = tin["sent_packets"]
        counted = [
            ("ecn_marks", tin["ecn_mark"], near(0.10, 10)),
            ("ack_drop", tin["ack_drops"], near(0.10, 10)),
            # How many flows share a queue depends on the hash's key.
            ("way_inds", tin["way_indirect_hits"], near(0.10)),
            ("way_miss", tin["way_misses"], near(0.02)),
            ("way_cols", tin["way_collisions"], near(0.25)),
            ("un_flows", tin["unresponsive_flows"], near(0.20)),
        ]
        exact = {
            "threshold_mbps": tin["threshold_rate"] * 8e-6,
            "max_len": tin["max_pkt_len"] - ETHERNET,
            "quantum_bytes": tin["flow_quantum"],
            # Nothing, or one flow, has to be so in every start.
            **{of: value for of, value, _ in counted if value < 2},
        }
        assert [{k: r[k] for k in exact} for r in rows] == [exact] * len(rows), row["class"]
        # A flow between two packets is sparse or bulk; some of many flows share a queue.
        flows = tin["bulk_flows"] + tin["sparse_flows"]
        assert near(0.02)(flows, row["bk_flows"] + row["sp_flows"])
        for of, value, close in (
            ("target_ms", tin["target_us"] / 1000, near(absolute=0.001)),
            ("interval_ms", tin["interval_us"] / 1000, near(absolute=0.001)),
            ("pkts_arrived", sent, near(0.06)),
            ("bytes_arrived", tin["sent_bytes"] - ETHERNET * sent, near(0.06)),
            # One start of the kernel's; tins share what the shaper leaves.
            ("drops", tin["drops"], near(0.25, 10)),
            ("av_delay_ms", tin["avg_delay_us"] / 1000, near(0.25)),
            *counted,
        ):
            within((row["class"], of), value, close, [r[of] for r in rows])


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
