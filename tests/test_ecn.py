"""ECN from end to end: every controller behind every discipline that can mark."""

import pytest

import acklab
from acklab import _core

#: CoDel whose target is never reached: it neither drops nor marks, but for `ce_threshold`.
IDLE = {"name": "codel", "target": "1 s"}
#: Queues that mark and do nothing else: they are long enough that nothing is dropped before.
MARKERS = {
    "step": {"queue": "400 packets", "mark": "20 packets"},
    "codel": {"qdisc": {"name": "codel", "ecn": True}},
    "ce_threshold": {"qdisc": IDLE | {"ce_threshold": "10 ms"}},
    "fq-codel": {"qdisc": "fq-codel"},
    "red": {
        "queue": "600 kB",
        "qdisc": {"name": "red", "ecn": True, "min": "20 kB", "max": "300 kB"},
    },
    "pie": {"qdisc": {"name": "pie", "ecn": True}},
    "cake": {"rate": "100 Mbit/s", "qdisc": {"name": "cake", "bandwidth": "10 Mbit/s"}},
    "tbf": {
        "rate": "100 Mbit/s",
        "qdisc": {"name": "tbf", "rate": "10 Mbit/s", "child": {"name": "fq-codel"}},
    },
}
#: "fixed" and "rate" do as their parameters say.
CONTROLLERS = [e["name"] for e in _core.catalogue("cc") if e["name"] not in ("fixed", "rate")]
#: BBRv1 and TACK's BBR do not listen (tcp_bbr.c has no reaction to ECE). BBRv2 does if its
#: parameter says so, BBRv3 unless it says no, and both only while min_rtt is at most 5 ms; here it
#: is 40 ms.
DEAF = {"bbr1", "bbr2", "bbr3", "bbr3-wifi", "bbr-tack"}


def run(cc, bottleneck, ecn="on"):
    bottleneck = {"rate": "10 Mbit/s", "delay": "20 ms", **bottleneck}
    scenario = {
        "duration": "20 s",
        "warmup": "5 s",
        "topology": {"preset": "dumbbell", "bottleneck": bottleneck},
        "tcp": {"ecn": ecn},
        "flow": [{"name": "f", "cc": cc}],
    }
    return acklab.load(scenario).run()


def of(result):
    flow = result.flows.row(0, named=True)
    link = next(r for r in result.links.iter_rows(named=True) if r["link"] == "left->right")
    return flow, link


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("cc", ["cubic", "newreno", "vegas"])
def test_a_mark_shrinks_the_window_and_nothing_is_sent_again(cc, marker):
    flow, link = of(run(cc, MARKERS[marker]))
    if cc != "vegas":  # which keeps its queue at a few packets, and rarely meets a mark
        assert link["marks"] > 0
        assert flow["ecn_reductions"] > 0
    assert (flow["ecn_reductions"] > 0) == (link["marks"] > 0)
    if marker not in ("pie", "red"):  # which drop above a tenth, and above `max`
        assert flow["retransmissions"] == 0
    # A window that is halved at 10 ms of queue leaves a quarter of the line unused.
    assert flow["goodput_mbps"] > 7


@pytest.mark.parametrize("cc", CONTROLLERS)
def test_each_controller_reacts_as_its_source_does(cc):
    deaf, link = of(run(cc, MARKERS["step"]))
    lossy, _ = of(run(cc, MARKERS["step"], ecn="off"))
    if cc in DEAF:
        # The queue is as long with marks as without.
        assert deaf["rtt_mean_ms"] == pytest.approx(lossy["rtt_mean_ms"], rel=0.02)
    elif cc != "vegas":
        assert link["marks"] > 0
        assert deaf["rtt_mean_ms"] < 0.9 * lossy["rtt_mean_ms"]
    assert deaf["retransmissions"] <= lossy["retransmissions"]


@pytest.mark.parametrize("cc", ["cubic", "newreno"])
def test_only_the_threshold_marks_where_the_target_is_never_reached(cc):
    _, marking = of(run(cc, MARKERS["ce_threshold"]))
    _, idle = of(run(cc, {"qdisc": IDLE}))
    assert marking["marks"] > 0
    assert idle["marks"] == 0
    # A queue above 10 ms is 8 packets of 1.2 ms; one round trip later it is below.
    assert marking["queue_max_packets"] < 0.2 * idle["queue_max_packets"]


@pytest.mark.parametrize(
    "cc",
    [
        {"name": "bbr2"},
        {"name": "bbr3", "source": "google"},
        {"name": "bbr3", "source": "draft"},
        {"name": "bbr3-wifi"},
    ],
    ids=lambda cc: " ".join(cc.values()),
)
def test_bbr2_and_bbr3_answer_marks_on_a_short_path(cc):
    short = {"rate": "100 Mbit/s", "delay": "1 ms", "queue": "400 packets", "mark": "2 packets"}
    heard, marks = of(run(cc | {"ecn": True}, short))
    deaf, all_marks = of(run(cc | {"ecn": False}, short))
    assert heard["rtt_mean_ms"] < deaf["rtt_mean_ms"]
    assert 0 < marks["marks"] < 0.6 * all_marks["marks"]
    # Deaf, most packets are marked.
    assert all_marks["marks"] > 0.75 * all_marks["packets_out"]
    # BBRv2 answers only if it is told to, BBRv3 unless it is told not to.
    usual, _ = of(run(cc, short))
    assert usual == (deaf if cc["name"] == "bbr2" else heard)


@pytest.mark.parametrize("name", ["bbr2", "bbr3"])
def test_bbr2_and_bbr3_are_deaf_above_5_ms(name):
    far = {"rate": "100 Mbit/s", "delay": "3 ms", "queue": "400 packets", "mark": "2 packets"}
    told, marks = of(run({"name": name, "ecn": True}, far))
    deaf, _ = of(run({"name": name, "ecn": False}, far))
    assert marks["marks"] > 0
    assert told == deaf
    # It is the limit that makes them so.
    any_rtt, _ = of(run({"name": name, "ecn": True, "ecn_max_rtt": "0 s"}, far))
    assert any_rtt["goodput_mbps"] != deaf["goodput_mbps"]
