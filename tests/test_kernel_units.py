"""`kernel_units` of `[tcp]`: stamps and rates as Linux counts them."""

import copy

import polars as pl
import pytest

import acklab

#: Round trips of 20 ms and some hundreds of nanoseconds.
PATH = {
    "duration": "3 s",
    "topology": {
        "preset": "dumbbell",
        "bottleneck": {"rate": "10 Mbit/s", "delay": "10.0003 ms", "queue": "50 packets"},
    },
    "flow": [{"cc": "cubic"}],
}


def run(cc="cubic", **tcp):
    spec = copy.deepcopy(PATH) | {"tcp": {"profile": "linux"} | tcp, "record": {"packets": ["s0"]}}
    spec["flow"][0]["cc"] = cc
    return acklab.load(spec).run(1)


def sent(result):
    return result.packets.filter(pl.col("what") == "sent").select("time_ns", "seq", "len").rows()


def nanoseconds(result):
    (ms,) = result.flows["rtt_min_ms"].to_list()
    return round(ms * 1e6)


def test_round_trips_are_whole_microseconds():
    assert nanoseconds(run()) % 1000 != 0
    assert nanoseconds(run(kernel_units=True)) % 1000 == 0


def test_cubic_sends_the_same_packets_and_bbr_does_not():
    assert sent(run(kernel_units=True)) == sent(run())
    for cc in ("bbr1", {"name": "bbr3", "source": "google"}):
        assert sent(run(cc, kernel_units=True)) != sent(run(cc))


def test_the_drafts_bbr_has_exact_rates():
    """Only its round trips change, and by less than a microsecond."""
    exact, stamped = (run("bbr3", kernel_units=on).flows["goodput_mbps"][0] for on in (False, True))
    assert stamped == pytest.approx(exact, rel=0.01)


def test_it_is_off_unless_asked_for():
    assert sent(run("bbr1", kernel_units=False)) == sent(run("bbr1"))
    with pytest.raises(acklab.ScenarioError, match=r"tcp\.kernel_units"):
        run(kernel_units=1)


@pytest.mark.parametrize(
    ("cc", "tcp", "said"),
    [
        ("bbr3", {}, "keeps exact rates"),
        ("bbr1", {"profile": "ns3"}, "units of its own"),
        ("bbr1", {}, None),
        ({"name": "bbr3", "source": "google"}, {}, None),
    ],
)
def test_a_warning_says_where_it_does_nothing(cc, tcp, said):
    spec = copy.deepcopy(PATH) | {"tcp": {"profile": "linux", "kernel_units": True} | tcp}
    spec["flow"][0]["cc"] = cc
    found = [w for w in map(str, acklab.load(spec).warnings) if "kernel_units" in w]
    assert len(found) == (said is not None)
    assert all(said in w for w in found)


@pytest.mark.parametrize(
    ("flow", "tcp", "said"),
    [
        ({}, {}, "`pacing_quantum` is 1"),
        ({"tcp": {"pacing_quantum": 2}}, {}, "`pacing_quantum` is 2"),
        ({"transport": "tack"}, {}, "by `pacing_horizon`"),
        ({}, {"pacing_quantum": 0}, None),
    ],
)
def test_a_warning_says_where_lump_burst_does_nothing(flow, tcp, said):
    """A sender asks the controller how much leaves at once only if the quantum is 0."""
    one = {"cc": {"name": "bbr3-wifi", "lump_burst": 4}, **flow}
    spec = {"name": "lumps", "duration": "1 s", "topology": {"preset": "dumbbell"}}
    spec |= {"flow": [one], "tcp": tcp}
    spec["topology"]["bottleneck"] = {"rate": "10 Mbit/s", "delay": "10 ms"}
    found = [w for w in map(str, acklab.load(spec).warnings) if "lump_burst" in w]
    assert len(found) == (said is not None), found
    if said:
        assert said in found[0]
        assert "flow.0.cc.lump_burst" in found[0]
        place = "the flow's `tcp`" if "tcp" in flow else "[tcp]"
        hint = "leave it out" if "transport" in flow else f"write pacing_quantum = 0 in {place}"
        assert hint in found[0]
