"""Two definitions of an RTT, both worked out from tshark's fields: tshark's own, and the sender's.

An ACK that covers several segments measures several times at once. tshark takes the newest of them,
so the time that the oldest waited for its ACK is not in it; the sender takes the oldest (RFC 6298
section 3, Linux's `tcp_clean_rtx_queue`), and `flows` has what it held at instants 100 ms apart.
"""

import shutil
import subprocess

import numpy as np
import pytest

import acklab
from acklab.formats import write_pcapng
from conftest import PATIENCE
from test_pcapng import tshark

pytestmark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")

FIELDS = ("frame.time_epoch", "ip.src", "tcp.seq_raw", "tcp.ack_raw", "tcp.len", "tcp.flags.syn")
DURATION_S, SAMPLE_S = 6.0, 0.1


@pytest.fixture(scope="module", params=[1, 8], ids=["every ACK", "one ACK of eight"])
def run(request):
    """No losses: of what is sent again, tools may differ on which copy an ACK is for."""
    thin = {"name": "aggregate", "ratio": request.param, "timeout": "5 ms"}
    scenario = {
        "name": "rtt",
        "duration": f"{DURATION_S} s",
        "record": {"packets": True},
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "100 Mbit/s", "delay": "2 ms"},
            "bottleneck": {
                "rate": "10 Mbit/s",
                "delay": "20 ms",
                "queue": "4000 packets",
                "reverse": {"ack_filter": thin},
            },
        },
        "flow": [{"name": "bulk", "cc": "vegas"}],
    }
    return acklab.load(scenario).run(seed=3)


@pytest.fixture(scope="module")
def capture(run, tmp_path_factory):
    """The packets at the sender."""
    folder = tmp_path_factory.mktemp("rtt")
    whole = write_pcapng(run, folder / "a.pcapng")
    only = ["-Y", 'frame.interface_name == "bulk@s0"', "-w", str(folder / "s.pcapng")]
    subprocess.run(["tshark", "-r", str(whole), *only], check=True, timeout=PATIENCE)
    return folder / "s.pcapng"


@pytest.fixture(scope="module")
def measured(capture):
    """Time and RTT in ms of each ACK: of the newest segment it covers, and of the oldest."""
    rows = tshark(capture, *FIELDS)
    sender = rows[0][1]
    sent, newest, oldest = {}, [], []
    for time, source, seq, ack, length, syn in rows:
        now = float(time)
        if source == sender:
            size = int(length) + (syn in ("1", "True"))
            if size:
                sent.setdefault(int(seq) + size, now)
            continue
        covered = [end for end in sent if end <= int(ack)]
        if covered:
            newest.append((now, (now - sent[max(covered)]) * 1e3))
            oldest.append((now, (now - sent[min(covered)]) * 1e3))
        for end in covered:
            del sent[end]
    return np.array(newest), np.array(oldest)


def receiver_of(capture):
    """The address that does not speak first."""
    sources = [source for (source,) in tshark(capture, "ip.src")]
    return next(s for s in sources if s != sources[0])


def test_the_newest_segments_rtt_is_tsharks(capture, measured, run):
    assert run.flows["retransmissions"][0] == 0
    newest, _ = measured
    found = tshark(capture, "ip.src", "tcp.analysis.ack_rtt", only="tcp.analysis.ack_rtt")
    receiver = receiver_of(capture)
    theirs = np.array([float(rtt) * 1e3 for source, rtt in found if source == receiver])
    assert len(theirs) == len(newest) > 300
    for of in (np.mean, np.median, lambda x: np.percentile(x, 95)):
        assert of(newest[:, 1]) == pytest.approx(of(theirs), abs=0.001)


def test_the_oldest_segments_rtt_is_the_senders(measured, run):
    _, oldest = measured
    instants = np.arange(1, round(DURATION_S / SAMPLE_S) + 1) * SAMPLE_S
    at = np.searchsorted(oldest[:, 0], instants) - 1
    latest = oldest[at, 1]
    flow = run.flows.row(0, named=True)
    assert np.mean(latest) == pytest.approx(flow["rtt_mean_ms"], abs=0.001)
    for percent in (50, 95, 99):
        rank = np.percentile(latest, percent, method="inverted_cdf")
        assert rank == pytest.approx(flow[f"rtt_p{percent}_ms"], abs=0.001)
    assert oldest[:, 1].min() == pytest.approx(flow["rtt_min_ms"], abs=0.001)


def test_only_where_acks_are_for_one_segment_they_agree(measured, run):
    newest, oldest = (m[:, 1].mean() for m in measured)
    filtered = run.links.filter(run.links["acks_seen"].is_not_null())["acks_dropped"].sum()
    assert oldest >= newest
    if filtered:
        # Eight ACKs for two segments each: the oldest waited for the others to be sent.
        assert oldest - newest > 1.0
