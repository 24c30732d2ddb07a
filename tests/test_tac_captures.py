"""The quantities of the study `tac` a second time, from a capture that tshark has read.

Nothing of the tables is used: goodput is what came in order at the server's interface, and a lost
ACK is one that left the wire into the access point and has a drop as its comment.
"""

import shutil
from statistics import fmean, pstdev

import polars as pl
import pytest

from acklab.formats import write_pcapng
from acklab.scenario import load
from acklab.studies.tac.quantities import SERIOUS, SMALL, ack_losses, measured
from acklab.studies.tac.setup import START_S, Setting
from test_pcapng import tshark

pytestmark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")

STATIONS = 8
SECONDS = 3
BUFFER = 40
SERVER = "10.0.0.10"
#: The wire from the server to the access point.
WIRE_BPS, WIRE_NS = 100e6, 2_000_000
SYN = 0x02

FIELDS = {
    "time": "frame.time_epoch",
    "point": "frame.interface_name",
    "from": "ip.src",
    "to_port": "tcp.dstport",
    "from_port": "tcp.srcport",
    "seq": "tcp.seq_raw",
    "payload": "tcp.len",
    "bytes": "ip.len",
    "flags": "tcp.flags",
    "comment": "frame.comment",
}


@pytest.fixture(scope="module", params=["agg", "tac", "cake", "android-replace"])
def both(request, tmp_path_factory):
    """A cell of the study, and its capture. The queue is short, so that ACKs are lost."""
    cell = Setting((request.param,), stations=STATIONS, buffer=BUFFER).scenario(SECONDS)
    result = load({**cell, "record": {"packets": True}}).run(seed=1)
    file = write_pcapng(result, tmp_path_factory.mktemp("tac") / "a.pcapng")
    rows = tshark(file, *FIELDS.values())
    packets = pl.DataFrame(rows, schema=dict.fromkeys(FIELDS, pl.String), orient="row")
    numbers = pl.col("seq", "payload", "bytes").cast(pl.Int64)
    flags = pl.col("flags").map_elements(lambda f: int(f, 16), return_dtype=pl.Int64)
    time = (pl.col("time").cast(pl.Decimal(30, 9)) * 1_000_000_000).cast(pl.Int64)
    return result, packets.with_columns(numbers, flags, time)


def in_order(packets, station):
    """Bytes of the upload that came in order, as the server's interface saw them."""
    here = packets.filter(point=f"upload-{station}@server").filter(pl.col("from") != SERVER)
    first = here.filter(pl.col("flags") & SYN != 0)["seq"]
    if first.is_empty():
        return 0
    edge, ahead = first[0] + 1, {}
    for seq, payload in here.filter(pl.col("payload") > 0)["seq", "payload"].iter_rows():
        ahead[seq] = max(ahead.get(seq, 0), payload)
        while edge in ahead:
            edge = (edge + ahead.pop(edge)) % (1 << 32)
    return (edge - first[0] - 1) % (1 << 32)


def offered(packets, station):
    """What came out of the wire into the access point, for a station, before the end."""
    end = (START_S + SECONDS) * 10**9
    left = packets.filter(point="server->ap")
    # Every client connects from a port of its own.
    own = packets.filter(point=f"upload-{station}@sta{station}").filter(pl.col("from") != SERVER)
    ports = own["from_port"].unique().to_list()
    came = pl.col("time") + pl.col("bytes") * 8e9 / WIRE_BPS + WIRE_NS
    return left.filter(pl.col("to_port").is_in(ports), came <= end)


def dropped(packets, station, reason):
    here = packets.filter(point=f"ap->sta{station}")
    return here.filter(comment=f"dropped: {reason}").height


def jain(shares):
    return sum(shares) ** 2 / (len(shares) * sum(x * x for x in shares))


def test_fairness_and_throughput_are_those_of_the_packets(both):
    result, packets = both
    mbps = [in_order(packets, i) * 8 / SECONDS / 1e6 for i in range(STATIONS)]
    found = measured(result)
    assert sum(m > 0 for m in mbps) > STATIONS / 2
    assert found["jain"] == pytest.approx(jain(mbps), rel=1e-9)
    assert found["throughput_mbps"] == pytest.approx(sum(mbps), rel=1e-9)
    assert found["worst_share"] == pytest.approx(min(mbps) / fmean(mbps), rel=1e-9)


def test_lost_acks_of_each_flow_are_those_of_the_packets(both):
    result, packets = both
    offers = [offered(packets, i).height for i in range(STATIONS)]
    lost = [dropped(packets, i, "queue_full") for i in range(STATIONS)]
    losses = [n / max(of, 1) for n, of in zip(lost, offers, strict=True)]
    assert ack_losses(result) == pytest.approx(losses, rel=1e-12)
    found = measured(result)
    assert found["ack_loss_mean"] == pytest.approx(fmean(losses))
    assert found["ack_loss_sd"] == pytest.approx(pstdev(losses))
    assert (found["ack_loss_min"], found["ack_loss_max"]) == pytest.approx(
        (min(losses), max(losses))
    )
    assert found["flows_under_2_percent"] == sum(v < SMALL for v in losses)
    assert found["flows_over_12_percent"] == sum(v > SERIOUS for v in losses)
    assert (sum(lost) > 0) == ("agg" in result.scenario.name)


def test_filtered_acks_are_those_of_the_packets(both):
    result, packets = both
    acks = [offered(packets, i).filter(pl.col("flags") & SYN == 0).height for i in range(STATIONS)]
    gone = [dropped(packets, i, "ack_thinned") for i in range(STATIONS)]
    if "agg" in result.scenario.name:
        assert not any(gone)
    else:
        assert measured(result)["filtered_share"] == pytest.approx(sum(gone) / sum(acks), rel=1e-12)
        assert sum(gone) > 100


def test_every_ack_that_came_left_was_dropped_or_waits(both):
    """Station by station; what waits at the end fits the queue, and a filter for each."""
    _, packets = both
    waits = []
    for i in range(STATIONS):
        here = packets.filter(point=f"ap->sta{i}")
        left = here.filter(comment="").height
        lost = dropped(packets, i, "queue_full") + dropped(packets, i, "ack_thinned")
        waits.append(offered(packets, i).height - left - lost)
    assert min(waits) >= 0
    assert sum(waits) <= BUFFER + STATIONS
