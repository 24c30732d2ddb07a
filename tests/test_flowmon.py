"""FlowMonitor's XML, read as ns-3's own example reads it, against the run."""

from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import acklab
from acklab.formats import write_flowmon
from recordings import lossy, recorded


@pytest.fixture(scope="module")
def result():
    return recorded()


@pytest.fixture(scope="module")
def flows(result, tmp_path_factory):
    """Statistics and five-tuple by number of the flow."""
    path = write_flowmon(result, tmp_path_factory.mktemp("flowmon") / "flowmon.xml")
    root = ElementTree.parse(path).getroot()
    assert root.tag == "FlowMonitor"
    stats = {int(e.get("flowId")): e for e in root.findall("FlowStats/Flow")}
    tuples = {int(e.get("flowId")): e for e in root.findall("Ipv4FlowClassifier/Flow")}
    assert stats.keys() == tuples.keys()
    return {n: (stats[n], tuples[n]) for n in stats}


def of(flows, port, to_port):
    wanted = (str(port), str(to_port))
    (found,) = [
        s for s, t in flows.values() if (t.get("sourcePort"), t.get("destinationPort")) == wanted
    ]
    return found


def ns(element, name):
    text = element.get(name)
    assert text.endswith("ns")
    return float(text[:-2])


def test_either_direction_is_a_flow(flows):
    ends = [(t.get("sourceAddress"), t.get("destinationAddress")) for _, t in flows.values()]
    assert sorted(ends) == [("10.0.0.1", "10.0.0.4")] * 2 + [("10.0.0.4", "10.0.0.1")] * 2
    assert {t.get("protocol") for _, t in flows.values()} == {"6"}


@pytest.mark.parametrize("index", [0, 1])
def test_packets_and_bytes_are_the_runs(result, flows, index):
    flow = result.flows.row(index, named=True)
    there, back = of(flows, 49152 + index, 5001), of(flows, 5001, 49152 + index)
    data = result.packets.filter(
        pl.col("flow") == flow["flow"], pl.col("direction") == "forward", pl.col("len") > 0
    )
    sent = data.filter(pl.col("what") == "sent").height
    assert sent == flow["data_segments"]
    # Beside data, SYN and the handshake's ACK.
    assert int(there.get("txPackets")) == sent + 2
    assert int(back.get("txPackets")) == flow["acks_sent"] + 1
    assert int(back.get("rxPackets")) == flow["acks_received"] + 1
    headers = 40 + 12
    payload = data.filter(pl.col("what") == "sent")["len"].sum()
    assert int(there.get("txBytes")) == payload + sent * headers + 60 + headers


def test_losses_are_the_links(result, flows):
    for code, columns in {
        3: ["drops_queue_full"],
        4: ["drops_ack_thinned", "drops_filter_full"],
    }.items():
        counted = sum(
            int(e.get("number"))
            for s, _ in flows.values()
            for e in s.findall("packetsDropped")
            if int(e.get("reasonCode")) == code
        )
        assert counted == sum(result.links[c].sum() for c in columns)
        assert counted > 0
    lost = sum(int(s.get("lostPackets")) for s, _ in flows.values())
    assert lost == result.links["dropped"].sum()


def test_delay_and_jitter_are_what_flowmonitor_defines(result, flows):
    """Delays of data alone are the recorder's; sums over every packet by a loop as ns-3 has it."""
    for index, flow in enumerate(result.flows["flow"]):
        stats = of(flows, 49152 + index, 5001)
        rows = result.packets.filter(pl.col("flow") == flow, pl.col("direction") == "forward")
        sent = {}
        delays, data = [], []
        for row in rows.iter_rows(named=True):
            if row["what"] == "sent":
                sent[row["packet"]] = row["time_ns"]
            elif row["what"] == "delivered" and row["point"] == "d0" and row["packet"] in sent:
                delays.append(row["time_ns"] - sent.pop(row["packet"]))
                data += [delays[-1]] if row["len"] else []
        assert ns(stats, "delaySum") == sum(delays)
        assert ns(stats, "jitterSum") == np.abs(np.diff(delays)).sum()
        assert (ns(stats, "minDelay"), ns(stats, "maxDelay")) == (min(delays), max(delays))
        assert np.mean(data) / 1e6 == pytest.approx(result.flows["owd_mean_ms"][index], abs=1e-5)
        hops = float(stats.get("timesForwarded")) / float(stats.get("rxPackets")) + 1
        assert hops == 3


def test_a_flow_that_nothing_arrived_of(tmp_path):
    silent = lossy()
    silent["topology"]["bottleneck"]["loss"] = 1.0
    path = write_flowmon(acklab.load(silent).run(), tmp_path / "a.xml")
    first = ElementTree.parse(path).find("FlowStats/Flow")
    assert first.get("rxPackets") == "0"
    assert first.get("minDelay") == "+9223372036854775807.0ns"
    assert first.get("delaySum") == "+0.0ns"


def test_packets_at_a_few_points_are_not_enough(tmp_path):
    partly = lossy()
    partly["record"] = {"packets": ["left->right"]}
    with pytest.raises(acklab.AcklabError, match=r"s0.*\n.*record\.packets = true"):
        write_flowmon(acklab.load(partly).run(), tmp_path / "a.xml")
    with pytest.raises(acklab.AcklabError, match="--record packets"):
        write_flowmon(acklab.load(lossy() | {"record": {}}).run(), tmp_path / "a.xml")
    assert list(tmp_path.iterdir()) == []
