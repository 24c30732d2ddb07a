"""ECN from end to end: every controller behind every discipline that can mark."""

import pytest

import acklab
from acklab import _core

#: Queues that mark and do nothing else: they are long enough that nothing is dropped before.
MARKERS = {
    "step": {"queue": "400 packets", "mark": "20 packets"},
    "codel": {"qdisc": {"name": "codel", "ecn": True}},
    "ce_threshold": {"qdisc": {"name": "fq-codel", "ce_threshold": "10 ms"}},
    "fq-codel": {"qdisc": "fq-codel"},
    "red": {
        "queue": "600 kB",
        "qdisc": {"name": "red", "ecn": True, "min": "20 kB", "max": "300 kB"},
    },
    "pie": {"qdisc": {"name": "pie", "ecn": True}},
    "tbf": {
        "rate": "100 Mbit/s",
        "qdisc": {"name": "tbf", "rate": "10 Mbit/s", "child": {"name": "fq-codel"}},
    },
}
#: "fixed" and "rate" do as their parameters say.
CONTROLLERS = [e["name"] for e in _core.catalogue("cc") if e["name"] not in ("fixed", "rate")]
#: BBRv1 and TACK's BBR do not listen (tcp_bbr.c has no reaction to ECE). BBRv2 and BBRv3 look at
#: the share of marks only with a parameter for it.
DEAF = {"bbr1", "bbr2", "bbr3", "bbr3-wifi", "bbr-tack"}


def run(cc, marker, ecn="on"):
    bottleneck = {"rate": "10 Mbit/s", "delay": "20 ms", **MARKERS[marker]}
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
    flow, link = of(run(cc, marker))
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
    deaf, link = of(run(cc, "step"))
    lossy, _ = of(run(cc, "step", ecn="off"))
    if cc in DEAF:
        # The queue is as long with marks as without.
        assert deaf["rtt_mean_ms"] == pytest.approx(lossy["rtt_mean_ms"], rel=0.02)
    elif cc != "vegas":
        assert link["marks"] > 0
        assert deaf["rtt_mean_ms"] < 0.9 * lossy["rtt_mean_ms"]
    assert deaf["retransmissions"] <= lossy["retransmissions"]
