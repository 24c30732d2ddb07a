"""Each scenario of the gallery keeps to its own expectations, and to the schema."""

import json
import tomllib

import jsonschema
import pytest

import acklab
from acklab import _core
from acklab.places import gallery
from conftest import ROOT

SCENARIOS = {p.stem: p for p in gallery()}


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(_core.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_keeps_its_expectations(name):
    verdicts = acklab.load(SCENARIOS[name]).run().expectations()
    assert verdicts, "a gallery scenario must expect something"
    assert [v.text for v in verdicts if not v.met] == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_fits_the_schema_and_so_does_its_resolved_form(name, validator):
    text = SCENARIOS[name].read_text()
    validator.validate(tomllib.loads(text))
    validator.validate(tomllib.loads(acklab.load(SCENARIOS[name]).resolved))


@pytest.mark.parametrize("name", SCENARIOS)
def test_its_resolved_form_is_a_fixed_point(name, tmp_path):
    scenario = acklab.load(SCENARIOS[name])
    resolved = scenario.resolved
    for file, text in scenario.files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    path = tmp_path / "resolved.toml"
    path.write_text(resolved)
    assert acklab.load(path).resolved == resolved


def test_the_schema_refuses_what_the_loader_refuses(validator):
    spec = tomllib.loads((ROOT / "scenarios" / "single-flow.toml").read_text())
    for key, value in {"duratoin": "1 s", "duration": 5, "flow": [{"cc": "qubic"}]}.items():
        broken = {**spec, key: value}
        assert not validator.is_valid(broken), key
        with pytest.raises(acklab.ScenarioError):
            acklab.load(broken)


QDISC = "topology.bottleneck.qdisc"
QUEUE = "topology.bottleneck.queue"
FILTER = "topology.bottleneck.reverse.ack_filter"
AIR = "wifi.down.qdisc"

FIFO = {"name": "pfifo", "queue": "50 packets"}


def tbf(child="fq-codel", rate="10 Mbit/s", **others):
    return {"name": "tbf", "rate": rate, "child": child, **others}


def classes(*several, **others):
    return {"name": "htb", "classes": list(several), **others}


def queues(*several):
    return {"name": "queue-tree", "queues": list(several)}


def cake(**others):
    return {"name": "cake", **others}


def share(name, rate, child, **others):
    """A class of the scenario `htb`, as it is there."""
    return {"name": name, "parent": "all", "rate": rate, "child": child, **others}


def leaf(name, own, child, most="10 Mbit/s"):
    """The same as a queue of RouterOS: its bucket holds 1600 bytes at 10 Mbit/s."""
    below = {"parent": "all", "limit_at": own, "max_limit": most, "bucket_size": 0.00128}
    return {"name": name, "child": child, **below}


def borrowing(name, rate, prio, burst, **others):
    """A queue of the scenario `queue-tree` as a class of HTB, whose own bucket is 1600 bytes."""
    least = {"burst": burst, "quantum": "1514 B", "child": FIFO}
    own = {"name": name, "parent": "all", "rate": rate, "ceil": "10 Mbit/s", "prio": prio}
    return {**own, **least, **others}


#: By scenario other disciplines than the one that it is about, the nearest first.
OTHERS = {
    "pfifo": {
        "head drop": {QDISC: "pfifo-head-drop"},
        "as many full packets": {QDISC: "bfifo", QUEUE: "150 kB"},
        "as long with small packets": {QDISC: "bfifo", QUEUE: "71 kB"},
        "codel": {QDISC: "codel"},
        "pie": {QDISC: "pie"},
        "red": {QDISC: "red", QUEUE: "150 kB"},
    },
    "bfifo": {
        "as many full packets": {QDISC: "pfifo", QUEUE: "43 packets"},
        "as long with small packets": {QDISC: "pfifo", QUEUE: "92 packets"},
        "head drop": {QDISC: "pfifo-head-drop", QUEUE: "43 packets"},
        "red": {QDISC: "red", QUEUE: "64 KiB"},
    },
    "pfifo-head-drop": {
        "tail drop": {QDISC: "pfifo"},
        "in bytes": {QDISC: "bfifo", QUEUE: "150 kB"},
        "codel": {QDISC: "codel"},
    },
    "codel": {
        "fq-codel": {QDISC: "fq-codel"},
        "cake": {QDISC: "cake"},
        "pie": {QDISC: "pie"},
        "red": {QDISC: "red", QUEUE: "400 kB"},
        "red with as short a queue": {
            QDISC: {"name": "red", "min": "6 kB", "max": "20 kB"},
            QUEUE: "400 kB",
        },
        "pfifo": {QDISC: "pfifo"},
    },
    "fq-codel": {
        "codel": {QDISC: "codel"},
        "cake": {QDISC: "cake"},
        "one queue of cake": {QDISC: cake(isolation="flowblind")},
        "pie": {QDISC: "pie"},
        "pfifo": {QDISC: "pfifo"},
    },
    "cake": {
        "fair to flows": {"link.2.qdisc.isolation": "flows"},
        "to both hosts": {"link.2.qdisc.isolation": "triple-isolate"},
        "one queue for a host": {"link.2.qdisc.isolation": "srchost"},
        "one queue for two hosts": {"link.2.qdisc.isolation": "hosts"},
        "other framing": {"link.2.qdisc.framing": "raw"},
        "fq-codel": {"link.2.qdisc": "fq-codel"},
        "shaped fq-codel": {"link.2.qdisc": tbf(rate="20 Mbit/s", overhead=18)},
    },
    "cake-diffserv": {
        "diffserv3": {f"{QDISC}.diffserv": "diffserv3"},
        "diffserv8": {f"{QDISC}.diffserv": "diffserv8"},
        "besteffort": {f"{QDISC}.diffserv": "besteffort"},
        "shaped fq-codel": {QDISC: tbf()},
    },
    "cake-ack-filter": {
        "conservative": {FILTER: {"name": "cake", "mode": "conservative"}},
        "none": {FILTER: "none"},
        "android-replace": {FILTER: "android-replace"},
        "aggregate": {FILTER: {"name": "aggregate", "ratio": 4, "timeout": "5 ms"}},
    },
    "pie": {
        "codel": {QDISC: "codel"},
        "its target": {QDISC: {"name": "codel", "target": "15 ms"}},
        "red": {QDISC: "red", QUEUE: "400 kB"},
        "red around the target": {
            QDISC: {"name": "red", "min": "12 kB", "max": "36 kB"},
            QUEUE: "400 kB",
        },
        "fq-codel": {QDISC: "fq-codel"},
        "cake": {QDISC: "cake"},
        "pfifo of the target": {QDISC: "pfifo", QUEUE: "13 packets"},
    },
    "red": {
        "pie": {QDISC: "pie", QUEUE: "1000 packets"},
        "pie in the middle": {
            QDISC: {"name": "pie", "target": "24 ms"},
            QUEUE: "1000 packets",
        },
        "codel": {QDISC: "codel", QUEUE: "1000 packets"},
        "fq-codel": {QDISC: "fq-codel", QUEUE: "1000 packets"},
        "bfifo": {QDISC: "bfifo"},
    },
    "tbf": {
        "no burst": {QDISC: tbf(burst="3 kB")},
        "drop-tail": {QDISC: tbf(FIFO, burst="64 kB")},
        "cake": {QDISC: cake(bandwidth="10 Mbit/s")},
        "htb": {QDISC: classes({"rate": "10 Mbit/s", "child": "fq-codel"})},
    },
    "htb": {
        "nothing borrowed": {f"{QDISC}.classes.{i}.ceil": "none" for i in (1, 2)},
        "tbf": {QDISC: tbf()},
        "cake": {QDISC: cake(bandwidth="10 Mbit/s")},
    },
    "queue-tree": {
        "tbf": {QDISC: tbf(FIFO)},
        "tbf with a longer queue": {QDISC: tbf({"name": "pfifo", "queue": "1000 packets"})},
        "tbf with fq-codel": {QDISC: tbf()},
        "cake": {QDISC: cake(bandwidth="10 Mbit/s")},
    },
    "wifi-fq-codel": {"codel": {AIR: "codel"}, "pfifo": {AIR: "pfifo"}},
    "wifi-cbr-fq-codel": {"codel": {AIR: "codel"}, "pfifo": {AIR: "pfifo"}},
    "wifi6-ofdma": {"one at a time": {"wifi.ofdma": False}},
}

#: By scenario the same discipline under another name, or one that differs in what is not expected.
EQUALS = {
    "codel": {"one queue of cake": {QDISC: cake(isolation="flowblind")}},
    "fq-codel": {"cake, fair to flows": {QDISC: cake(isolation="flows")}},
    "cake": {
        "a class for each host": {
            "link.2.qdisc": classes(
                {"name": "all", "rate": "20 Mbit/s"},
                share("office", "10 Mbit/s", "fq-codel", ceil="20 Mbit/s", **{"from": "office"}),
                share("kitchen", "10 Mbit/s", "fq-codel", ceil="20 Mbit/s"),
                overhead=18,
            )
        }
    },
    "tbf": {
        "htb with this bucket": {
            QDISC: classes(
                {"rate": "10 Mbit/s", "burst": "64 kB", "cburst": "64 kB", "child": "fq-codel"}
            )
        },
        "queue-tree with this bucket": {
            QDISC: queues({"max_limit": "10 Mbit/s", "bucket_size": 0.0512, "child": "fq-codel"})
        },
    },
    "htb": {
        "queue-tree": {
            QDISC: queues(
                {"name": "all", "max_limit": "10 Mbit/s", "bucket_size": 0.00128},
                {**leaf("gold", "5 Mbit/s", "fq-codel"), "flow": "gold"},
                {**leaf("silver", "2 Mbit/s", "fq-codel"), "flow": "silver"},
                leaf("rest", "3 Mbit/s", FIFO, most="3 Mbit/s"),
            )
        }
    },
    "queue-tree": {
        "htb": {
            QDISC: classes(
                {"name": "all", "rate": "10 Mbit/s"},
                borrowing("call", "1 Mbit/s", 0, "160 B", flow="call"),
                borrowing("rest", "1 bit/s", 7, "1 B"),
            )
        }
    },
}


def swaps(table):
    return [(name, other) for name, others in table.items() for other in others]


def broken(name, overrides):
    run = acklab.load(SCENARIOS[name], overrides=overrides).run()
    return [v.text for v in run.expectations() if not v.met]


@pytest.mark.parametrize(("name", "other"), swaps(OTHERS))
def test_its_expectations_notice_another_discipline(name, other):
    assert broken(name, OTHERS[name][other])


@pytest.mark.parametrize(("name", "other"), swaps(EQUALS))
def test_its_expectations_hold_for_an_equal_discipline(name, other):
    assert broken(name, EQUALS[name][other]) == []


def test_a_queue_tree_is_htb_to_the_packet():
    """1600 bytes are 1.28 ms at 10 Mbit/s."""
    tree = {f"{QDISC}.queues.{i}.bucket_size": 0.00128 for i in range(3)}
    (htb,) = EQUALS["queue-tree"].values()
    one, other = (acklab.load(SCENARIOS["queue-tree"], overrides=o).run() for o in (tree, htb))
    assert one.flows.equals(other.flows)


def test_each_discipline_has_a_scenario_that_notices_others():
    assert {block["name"] for block in _core.catalogue("qdisc")} <= set(OTHERS)
