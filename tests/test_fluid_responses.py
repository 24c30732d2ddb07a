"""Closed forms beside published numbers and beside the simulator."""

from __future__ import annotations

from statistics import median

import pytest

from acklab.fluid import responses
from acklab.fluid.beside import modelled
from acklab.fluid.domain import DomainError
from acklab.fluid.scenario_case import case_of
from acklab.scenario import load, run_many
from acklab.validate.kernel_virtual import rows as kernel_rows

PACKET = 1500 * 8


@pytest.mark.parametrize(
    ("p", "window"),
    # RFC 9438 table 1: C = 0.4, a round trip of 0.1 s. In the first two rows Reno has more.
    [
        (1e-2, 12),
        (1e-3, 38),
        (1e-4, 187),
        (1e-5, 1054),
        (1e-6, 5926),
        (1e-7, 33325),
        (1e-8, 187400),
    ],
)
def test_cubics_window_of_the_rfc(p, window):
    assert responses.cubic_window(0.1, p) == pytest.approx(window, rel=0.03)


def test_pftk_is_mathis_where_losses_are_rare():
    assert responses.pftk(0.1, 1e-6, 0.2) == pytest.approx(responses.mathis(0.1, 1e-6), rel=0.01)
    assert responses.pftk(0.1, 0.2, 1.0) < 0.3 * responses.mathis(0.1, 0.2)
    assert responses.pftk(0.1, 1e-6, 0.2, most=10) == 100


def _path(rtt, rate, link, flow, seconds=60):
    return load(
        {
            "name": "closed-form",
            "duration": f"{seconds} s",
            "warmup": "10 s",
            "node": [{"name": n} for n in "arb"],
            "link": [
                {"a": "a", "b": "r", "rate": "1 Gbit/s", "delay": "0 ms"},
                {
                    "a": "r",
                    "b": "b",
                    "rate": f"{rate} Mbit/s",
                    "delay": f"{rtt * 500} ms",
                    "queue": "10000 packets",
                    **link,
                },
            ],
            "flow": [{"from": "a", "to": "b", **flow}],
        }
    )


@pytest.mark.parametrize("p", [0.001, 0.003, 0.01, 0.03, 0.1])
def test_pftk_is_below_a_sender_with_sack(p):
    """SACK repairs several losses of a window without a timeout. So from 3 % on both forms of PFTK
    are below the simulated NewReno, and Mathis, who has no timeouts, is above."""
    flows = [
        r.flows.row(0, named=True)
        for r in run_many([(_path(0.1, 1000, {"loss": p}, {"cc": "newreno"}, 300), 1)])
    ]
    got = flows[0]["goodput_warm_mbps"] * 1e6 / (1448 * 8)
    whole, short = responses.pftk_full(0.1, p, 0.3), responses.pftk(0.1, p, 0.3)
    assert 0.8 * short < whole < short
    assert 0.95 * whole < got < 1.06 * responses.mathis(0.1, p)
    if p <= 0.01:
        assert got == pytest.approx(short, rel=0.1)
        assert flows[0]["rtos"] == 0
    if p >= 0.1:
        assert short < 0.75 * got


@pytest.mark.parametrize("p", [0.001, 0.003])
def test_pftk_beside_a_sender_without_sack(p):
    # ns-3's NewReno: an ACK for two packets, growth by ACK, an RTO of 1 s.
    flow = {"cc": "newreno", "tcp": {"profile": "ns3", "sack": False}}
    loaded = _path(0.1, 1000, {"loss": p}, flow, 300)
    got = median(r.flows["goodput_warm_mbps"][0] for r in run_many([(loaded, s) for s in (1, 2)]))
    expected = responses.pftk_full(0.1, p, 1.0, b=2) * 1448 * 8 / 1e6
    assert got == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize(("rate", "rtt"), [(1, 0.04), (10, 0.01), (10, 0.1), (50, 0.04)])
def test_tacks_frequency_beside_the_simulator(rate, rtt):
    flow = {"cc": "bbr1", "transport": {"name": "tack", "start_up": "tamed"}}
    of = _path(rtt, rate, {}, flow).run(1).flows.row(0, named=True)
    packets = of["goodput_warm_mbps"] * 1e6 / (1434 * 8)
    expected = responses.tack(packets, of["rtt_min_ms"] / 1e3)
    assert of["acks_per_s"] == pytest.approx(expected, rel=0.04)


@pytest.mark.parametrize("part", [0.8, 1.0, 1.2, 4 / 3])
def test_tacks_window_beside_the_simulator(part):
    """Eq 11 is safe: a quarter more than a bandwidth-delay product is enough, it asks for a
    third. The coupled model has the same."""
    bdp = 10e6 / 12000 * 0.1012
    most = int(part * bdp)
    flow = {
        "cc": "cubic",
        "transport": {"name": "tack", "start_up": "tamed", "recv_buffer": most * 1434},
    }
    loaded = _path(0.1, 10, {}, flow)
    got = loaded.run(1).flows["goodput_warm_mbps"][0]
    whole = 10 * 1434 / 1500
    assert got == pytest.approx(responses.tack_share(most, bdp) * whole, rel=0.02)
    case = case_of(loaded.resolved)
    ours = modelled(case, case.run())[0]["goodput"]
    assert ours == pytest.approx(got, rel=0.03)
    if part >= 4 / 3:
        assert most >= responses.least_window(bdp, 4) - 1
        assert got == pytest.approx(whole, rel=0.005)


def test_tacks_blocks_beside_the_simulator():
    """Eqs 7 to 9: with one block in a TACK, losses are reported as long as the way back loses no
    more than Q / (rho bdp), 30 % here. Beyond, packets are sent again that arrived."""
    bdp = 20e6 / 12000 * 0.1
    border = responses.iack_loss(1, 0.02, bdp)
    assert border == pytest.approx(0.3)
    found = {}
    for of in (0.0, 0.1, 0.5):
        flow = {
            "cc": "bbr1",
            "transport": {"name": "tack", "start_up": "tamed", "blocks": "poor"},
        }
        link = {"loss": 0.02, "reverse": {"loss": of}}
        found[of] = _path(0.1, 20, link, flow).run(1).flows.row(0, named=True)
    assert found[0.1]["rtos"] == 0
    assert found[0.1]["goodput_mbps"] > 0.95 * found[0.0]["goodput_mbps"]
    assert found[0.5]["rtos"] > 0
    assert found[0.5]["goodput_mbps"] < 0.6 * found[0.0]["goodput_mbps"]
    # As many blocks as the equation adds for 50 % end that.
    flow = {"cc": "bbr1", "transport": {"name": "tack", "start_up": "tamed", "blocks": "rich"}}
    link = {"loss": 0.02, "reverse": {"loss": 0.5}}
    rich = _path(0.1, 20, link, flow).run(1).flows.row(0, named=True)
    assert rich["goodput_mbps"] > 0.9 * found[0.0]["goodput_mbps"]


def test_asymmetry_of_the_rfc():
    # RFC 3449 section 2: 10 Mbit/s and 50 kbit/s, packets of 1000 and ACKs of 40 bytes: k is 8, so
    # with more than one ACK for every 8 packets the way back is full before the way out.
    k, part = responses.asymmetry(10e6, 50e3, 8000, 320)
    assert k == pytest.approx(8)
    assert part == pytest.approx(1 / 8)
    assert responses.asymmetry(10e6, 50e3, 8000, 320, every=8)[1] == 1


def test_frequencies_of_tack():
    # Its figure 17: L = 1, 1500 bytes. 600 Mbit/s are 50,000 packets/s.
    rate = 600e6 / PACKET
    assert responses.byte_counting(rate, 2) == 25_000
    assert responses.periodic(0.01) == 100
    assert responses.tack(rate, 0.01, 2, 4) == 400
    assert responses.tack(rate, 1e-4, 2, 4) == 25_000
    assert responses.delayed(rate, 0.04) == 25_000
    assert responses.delayed(10, 0.04) == 10
    assert responses.pivot(2, 4) == 8
    assert responses.least_window(100, 2) == 200
    assert responses.least_window(100, 4) - 100 == pytest.approx(33.3, abs=0.1)
    # B.2: Q = 4 and both loss rates 10 %.
    assert responses.most_packets(4, 0.1, 0.1) == pytest.approx(400)
    assert responses.iack_loss(4, 0.1, 200) == pytest.approx(0.2)
    assert responses.iack_loss(4, 0.1, 4, packets=2) == 1


def test_growth_by_ack_and_by_byte():
    assert responses.slow_start(1, 1) == 2
    assert responses.slow_start(4, 1) == 1.25
    assert responses.slow_start(4, 2) == 1.5
    assert responses.slow_start(4, 1e9) == 2
    assert responses.rounds_to(160, 10, 1, 1) == 4
    assert responses.avoidance(8, by_byte=False) == 0.125
    assert responses.avoidance(8, by_byte=True) == 1


def bulk(cc: str, seconds: int, loss: float = 0.0, rate: str = "100 Mbit/s", **more) -> dict:
    return {
        "name": "beside-a-closed-form",
        "duration": f"{seconds} s",
        "warmup": f"{seconds / 5} s",
        "node": [{"name": n} for n in ("a", "b")],
        "link": [
            {
                "a": "a", "b": "b", "rate": rate, "delay": "25 ms", "queue": "10000 packets",
                "loss": loss, "reverse": {"loss": 0.0},
            }
        ],
        "tcp": {"profile": "linux", **more},
        "flow": [{"name": "f", "from": "a", "to": "b", "cc": cc}],
    }  # fmt: skip


def packets_per_second(scenario: dict, seeds: int = 8) -> float:
    loaded = load(scenario)
    results = run_many([(loaded, seed) for seed in range(1, seeds + 1)])
    return median(r.flows["goodput_warm_mbps"][0] for r in results) * 1e6 / (1448 * 8)


@pytest.mark.parametrize("p", [1e-3, 3e-3])
def test_random_losses_beside_the_simulator(p):
    # RACK recovers without timeouts, so both forms say the same here. They count each loss as an
    # event; two in one window are one event, which is worth some per cent.
    found = packets_per_second(bulk("newreno", 200, p))
    assert found == pytest.approx(responses.mathis(0.05, p), rel=0.12)
    assert found == pytest.approx(responses.pftk(0.05, p, 0.25), rel=0.15)


def test_cubic_beside_the_simulator():
    p = 1e-4
    found = packets_per_second(bulk("cubic", 400, p))
    assert found == pytest.approx(responses.cubic_window(0.05, p) / 0.05, rel=0.15)


def test_a_narrow_way_back_beside_a_kernel():
    # Linux in virtual time: 10 Mbit/s, 150 kbit/s back, an ACK of 52 bytes for every second packet.
    k, part = responses.asymmetry(10e6, 150e3, PACKET, 52 * 8, every=2)
    assert k == pytest.approx(2.31, abs=0.01)
    rows = [
        r
        for r in kernel_rows()
        if r.keys.get("ack_filter") == "no-ack-filter" and "+" not in r.keys["flows"]
    ]
    assert len(rows) == 6
    for row in rows:
        goodput = median(row.values["goodput"])
        assert goodput == pytest.approx(part * 10 * 1448 / 1500, rel=0.12), row.name


@pytest.mark.parametrize(
    ("packets", "growth", "limit"),
    [
        (1, {"growth": "ns3"}, 1),
        (4, {"growth": "ns3"}, 1),
        (8, {"growth": "ns3"}, 1),
        (4, {"growth": "abc", "abc_l": 2}, 2),
        (8, {"growth": "abc", "abc_l": 4}, 4),
        (8, {"growth": "linux"}, 1e9),
    ],
)
def test_slow_start_beside_the_simulator(packets, growth, limit):
    expected = responses.slow_start(packets, limit)
    # Until the window is some hundred packets: small ones hold no whole number of ACKs.
    rounds = round(responses.rounds_to(2000, 10, packets, limit))
    scenario = bulk("newreno", 1, rate="10 Gbit/s", send_buffer="100 MB", recv_buffer="100 MB")
    scenario["duration"] = f"{(rounds + 3) * 50} ms"
    scenario["warmup"] = "0 s"
    scenario["link"][0]["reverse"] = {}
    scenario["record"] = {"every": "50 ms"}
    flow = scenario["flow"][0]
    flow["cc"] = {"name": "newreno", **growth}
    flow["ack"] = {"name": "byte-counting", "l": packets, "timeout": "none"}
    windows = load(scenario).run().series["cwnd_packets"].to_list()
    assert (windows[-1] / windows[-4]) ** (1 / 3) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: responses.mathis(0.1, 0), "Mathis: p"),
        (lambda: responses.pftk(0.1, 0.1, 0), "PFTK: T_0"),
        (lambda: responses.cubic_window(-1, 0.1), "RFC 9438: RTT"),
        (lambda: responses.asymmetry(1, 1, 0, 1), "RFC 3449: data"),
        (lambda: responses.least_window(1, 1), "TACK, Eq 11: beta"),
        (lambda: responses.slow_start(0.5, 1), "RFC 3465: packets per ACK"),
    ],
)
def test_what_is_outside_a_domain_is_named(call, says):
    with pytest.raises(DomainError, match=says):
        call()
