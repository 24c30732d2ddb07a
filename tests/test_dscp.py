"""Codepoints of flows: the classes and tins that sort by them, and captures."""

from __future__ import annotations

import pytest

import acklab
from acklab.formats import write_pcapng


def scenario(qdisc, flows, **more):
    return {
        "name": "codepoints",
        "duration": "20 s",
        "warmup": "5 s",
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
            "bottleneck": {"rate": "10 Mbit/s", "delay": "10 ms", "qdisc": qdisc},
        },
        "flow": flows,
        **more,
    }


def goodputs(of) -> list[float]:
    return acklab.load(of).run(1).flows["goodput_warm_mbps"].to_list()


def test_htb_sorts_by_codepoint():
    # Queues of one bandwidth-delay product, so that neither class is ever idle.
    child = {"name": "pfifo", "queue": "40 packets"}
    classes = [
        {"name": "all", "rate": "8 Mbit/s"},
        {"parent": "all", "rate": "6 Mbit/s", "dscp": ["AF41", 10], "child": child},
        {"parent": "all", "rate": "2 Mbit/s", "ceil": "8 Mbit/s", "child": child},
    ]
    flows = [{"name": "video", "dscp": "AF41"}, {"name": "rest"}, {"name": "number", "dscp": 10}]
    tree = {"name": "htb", "classes": classes}
    video, rest, number = goodputs(scenario(tree, flows))
    payload = 1448 / 1500
    assert video + number == pytest.approx(6 * payload, rel=0.03)
    assert rest == pytest.approx(2 * payload, rel=0.03)
    # Without codepoints all go to the last class, which borrows what the other does not use.
    plain = goodputs(scenario(tree, [{"name": f["name"]} for f in flows]))
    assert sum(plain) == pytest.approx(8 * payload, rel=0.03)


def test_cake_puts_the_lowest_tin_behind_the_others():
    flows = [{"name": "download"}, {"name": "backup", "dscp": "CS1"}]
    cake = {"name": "cake", "bandwidth": "9 Mbit/s", "diffserv": "diffserv4"}
    download, backup = goodputs(scenario(cake, flows))
    # It has a sixteenth, and what CUBIC leaves.
    assert 9 / 16 * 0.9 < backup < 1.3
    one, other = goodputs(scenario({**cake, "diffserv": "besteffort"}, flows))
    assert one == pytest.approx(other, rel=0.05)
    assert download > 1.6 * one


def test_answers_have_it_too_and_captures_show_it(tmp_path):
    flows = [{"name": "marked", "dscp": "EF"}, {"name": "tack", "dscp": 10, "transport": "tack"},
             {"name": "udp", "dscp": "LE", "transport": {"name": "cbr", "rate": "1 Mbit/s"}},
             {"name": "plain"}]  # fmt: skip
    short = {"duration": "1 s", "warmup": "0 s", "record": {"packets": True}}
    result = acklab.load({**scenario("pfifo", flows), **short}).run(1)
    capture = write_pcapng(result, tmp_path / "a.pcapng").read_bytes()
    seen: dict[int, set[int]] = {}
    at = 0
    while at < len(capture):
        kind = int.from_bytes(capture[at : at + 4], "little")
        length = int.from_bytes(capture[at + 4 : at + 8], "little")
        if kind == 6:
            packet = capture[at + 28 : at + length]
            ip = packet.find(b"\x45")
            header = packet[ip : ip + 20]
            # Ports tell which flow it is, in either direction.
            ports = packet[ip + 20 : ip + 24]
            pair = frozenset((ports[:2], ports[2:]))
            seen.setdefault(hash((pair, header[9])), set()).add(header[1] >> 2)
        at += length
    assert all(len(points) == 1 for points in seen.values())
    assert sorted(p for points in seen.values() for p in points) == [0, 1, 10, 46]


def test_a_default_changes_no_resolved_scenario():
    plain = acklab.load(scenario("pfifo", [{"name": "f"}])).resolved
    assert "dscp" not in plain
    assert acklab.load(scenario("pfifo", [{"name": "f", "dscp": "CS0"}])).resolved == plain
    marked = acklab.load(scenario("pfifo", [{"name": "f", "dscp": "EF"}])).resolved
    assert "dscp = 46" in marked


@pytest.mark.parametrize("wrong", ["AF44", 64, -1, "voice"])
def test_no_codepoint_is_named(wrong):
    with pytest.raises(acklab.ScenarioError, match="there is no codepoint called") as told:
        acklab.load(scenario("pfifo", [{"name": "f", "dscp": wrong}]))
    assert 'help: write a codepoint such as "EF"' in str(told.value)
