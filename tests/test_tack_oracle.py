"""TACK against what its authors' own implementation did over an emulated line, and against Eq. 3.

FillP (its build of 2018 for Pantheon) over 100 Mbit/s and 200 ms: 97.8 Mbit/s on the wire and 19.2
ACKs a second, 0.19 % of the data packets.

Both ends follow Eq. 3 with beta = 4, and 100 Mbit/s over 200 ms are 2.5 MB, far above beta L MSS
(12 KB): TACKs are periodic, so L and the packets' size have no part in ACKs a second. 19.2 are 4 in
208.3 ms: FillP's RTT_min was that of the emulator and of both hosts. The simulator's is 200 ms to
the microsecond, which makes 20.0. The fair comparison of ACKs a second is therefore at 208.3 ms;
that of ACKs for a data packet has packets as short as FillP's in addition: 97.8 Mbit/s in
19.2 / 0.0019 = 10,105 packets a second are 1,210 bytes each. FillP runs the BBR that was designed
with TACK, so its peer here is `bbr-tack`.
"""

import pytest

import acklab

#: What was measured of FillP: Mbit/s on the wire, ACKs a second, and ACKs for a data packet.
WIRE, ACKS, PER_DATA = 97.8, 19.2, 0.0019
BETA = 4
#: ms; the minimum RTT that FillP's ACKs show.
THEIR_RTT = 1000 * BETA / ACKS
#: Bytes; FillP's packets on the wire.
THEIR_PACKET = WIRE * 1e6 / 8 / (ACKS / PER_DATA)
#: Payload of a packet of 1500 bytes; two bytes of its number stay away.
HEADERS = 64


def line(cc, seconds, mtu, rtt):
    transport = {"name": "tack", "mtu": mtu, "send_buffer": 1 << 24, "recv_buffer": 1 << 24}
    return {
        "name": "oracle",
        "duration": f"{seconds} s",
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "10 Gbit/s", "delay": "0.1 ms"},
            "bottleneck": {
                "rate": "100 Mbit/s",
                "delay": f"{rtt / 2 - 0.2:.6f} ms",
                "queue": "2.5 MB",
            },
        },
        "flow": [{"name": "f", "transport": transport, "cc": cc}],
    }


def steady(cc, mtu=1500, rtt=200):
    """Counts of a minute that begins after half a minute: start-up has other ACKs."""
    runs = [acklab.load(line(cc, s, mtu, rtt)).run(seed=1) for s in (30, 90)]
    first, second = (run.flows.row(0, named=True) for run in runs)
    columns = ("received_bytes", "acks_sent", "data_segments", "iacks_sent")
    return {name: second[name] - first[name] for name in columns}


def wire(took, mtu=1500):
    """Mbit/s of IP packets that are full."""
    payload = mtu - HEADERS - 2
    return took["received_bytes"] * 8 / 60e6 * (payload + HEADERS) / payload


def test_what_was_measured_of_fillp_is_one_set_of_numbers():
    assert round(THEIR_RTT, 1) == 208.3
    assert round(THEIR_PACKET) == 1210
    # Periodic: 100 Mbit/s over 200 ms are far more than beta L MSS.
    assert 100 * BETA * 2 * 1500 < 100e6 / 8 * 0.2


@pytest.mark.parametrize("probe_rtt", ["floor", "gentle"])
def test_a_long_fat_line_is_filled_with_four_acks_per_round_trip(probe_rtt):
    took = steady({"name": "bbr-tack", "probe_rtt": probe_rtt})
    assert WIRE <= wire(took) <= 100.1
    assert 0.96 * BETA / 0.2 <= took["acks_sent"] / 60 <= 1.01 * BETA / 0.2
    assert took["iacks_sent"] <= 5


def test_at_their_rtt_and_packet_size_it_is_as_good_as_theirs():
    mtu = round(THEIR_PACKET)
    took = steady("bbr-tack", mtu, THEIR_RTT)
    assert wire(took, mtu) >= WIRE
    # A TACK more or less in a minute.
    assert took["acks_sent"] / 60 <= ACKS + 2 / 60
    assert took["acks_sent"] / took["data_segments"] <= PER_DATA


def test_a_standing_queue_lowers_the_frequency():
    """RTT_min is a minimum of ten seconds: a queue that CUBIC keeps full for longer is path."""
    took = steady("cubic")
    assert (took["acks_sent"] - took["iacks_sent"]) / 60 < 17
