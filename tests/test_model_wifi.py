"""`acklab model` over a radio channel: Eq 8's service in Eqs 15 and 16, beside the simulator."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from acklab.fluid import access
from acklab.fluid.air import Air
from acklab.fluid.beside import beside, fit, modelled, simulated
from acklab.fluid.contention import (
    RESIDUAL,
    Contender,
    busy_part,
    fixed_point,
    slot,
    station_printed,
)
from acklab.fluid.domain import DomainError, NoCaseError
from acklab.fluid.scenario_case import case_of
from acklab.scenario import load
from conftest import ROOT

GALLERY = ROOT / "scenarios"
WINDOWS = (16, 32, 64, 128, 256, 512, 1024, 1024)


def cell(n, cc, direction="up", wifi=None, delay="10 ms", transport=None, length=40):
    flow = {"count": n, "cc": cc, "start_jitter": "100 ms"}
    wire = {"rate": "1 Gbit/s", "delay": delay}
    return load(
        {
            "name": "cell",
            "duration": f"{length} s",
            "warmup": f"{length * 3 // 8} s",
            "topology": {"preset": "wlan", "stations": n, "direction": direction, "wire": wire},
            "wifi": {"standard": "n", "mcs": 7, **(wifi or {})},
            "flow": [{**flow, "transport": transport} if transport else flow],
        }
    )


def both(scenario):
    """Sum of goodputs in Mbit/s and the median RTT in ms, of the model and of a run."""
    case = case_of(scenario.resolved)
    found = []
    for of in (modelled(case, case.runs(1)[0]), simulated(scenario.run(1))):
        found.append((sum(x["goodput"] for x in of), float(np.median([x["rtt"] for x in of]))))
    return found


SINGLE = {"ampdu": "off", "amsdu": "off"}


@pytest.mark.parametrize(
    ("name", "near", "rtt"),
    [
        ("wifi-station", 0.03, 0.2),
        ("wifi-dumbbell", 0.03, 0.22),
        ("wifi-hack", 0.02, 0.1),
        ("wifi-airtime", 0.05, 0.15),
        ("tack-wifi", 0.05, 0.2),
    ],
)
def test_gallery_scenarios_on_wifi(name, near, rtt):
    # Long enough for windows to have come to where they stay.
    scenario = load(GALLERY / f"{name}.toml", overrides=["duration=60 s", "warmup=20 s"])
    ours, theirs = both(scenario)
    assert ours[0] == pytest.approx(theirs[0], rel=near)
    assert ours[1] == pytest.approx(theirs[1], rel=rtt)


def test_thirty_windows_of_fifty_packets():
    """Where windows are shorter than a turn of all stations, Eq 8 has no full queues: packets come
    together, as their ACKs did, and the model has a sixth too much."""
    scenario = load(GALLERY / "wifi-uploads.toml", overrides=["duration=10 s", "warmup=3 s"])
    ours, theirs = both(scenario)
    assert theirs[0] < ours[0] < 1.25 * theirs[0]


@pytest.mark.parametrize("cc", ["newreno", "cubic", "bbr1", "bbr3"])
@pytest.mark.parametrize(
    ("n", "direction", "wifi"),
    [
        (1, "up", {}),
        (2, "up", {}),
        (5, "up", {}),
        (2, "down", {}),
        (2, "up", SINGLE),
        (2, "down", {"down": {"qdisc": "fq-codel"}}),
        (2, "down", {"down": {"qdisc": "per-station"}}),
        (1, "up", {"standard": "ax"}),
    ],
)
def test_goodput_of_contenders(cc, n, direction, wifi):
    """Eq 8 with data and ACKs that contend: within 6 %."""
    ours, theirs = both(cell(n, cc, direction, wifi))
    assert ours[0] == pytest.approx(theirs[0], rel=0.065)


@pytest.mark.parametrize(
    ("cc", "wifi"),
    [
        ("cubic", {"rts": "always"}),
        ("cubic", {"bit_error_rate": 1e-5}),
        ("cubic", {**SINGLE, "bit_error_rate": 1e-5}),
    ],
)
def test_goodput_with_rts_and_with_errors(cc, wifi):
    ours, theirs = both(cell(2, cc, "up", wifi))
    assert ours[0] == pytest.approx(theirs[0], rel=0.05)


@pytest.mark.parametrize("cc", ["cubic", "bbr1", "bbr3"])
def test_tack_has_the_air_that_its_frequency_leaves(cc):
    """Without aggregation an ACK costs an access: Eq 3's frequency instead of every second packet
    is 20 % more goodput, in both."""
    of = {"direction": "up", "wifi": SINGLE, "delay": "40 ms"}
    tack, theirs = both(cell(1, cc, transport="tack", **of))
    tcp, _ = both(cell(1, cc, **of))
    assert tack[0] == pytest.approx(theirs[0], rel=0.03)
    assert tack[0] > 1.15 * tcp[0]


@pytest.mark.parametrize(
    ("n", "users", "units", "near", "long"),
    [
        (4, 4, 0, 0.01, 0.041),
        (8, 4, 0, 0.01, 0.085),
        (8, 4, 2, 0.015, 0.25),
        (8, 4, 4, 0.06, 0.27),
    ],
)
def test_triggered_uplink(n, users, units, near, long):
    """Eqs 1 to 8: RUs of one's own in turn, and random access, with ACKs between the cycles."""
    ofdma = {
        "downlink": False,
        "single_user": False,
        "users": users,
        "always_poll": units == 0,
        "mu_edca": {"aifsn": 0, "timer": "8 s"},
    }
    if units:
        ofdma["random_access"] = {"units": units, "in": "data"}
    scenario = cell(n, "cubic", wifi={"standard": "ax", "ofdma": ofdma})
    case = case_of(scenario.resolved)
    result = scenario.run(1)
    ours, theirs = modelled(case, case.run()), simulated(result)
    total = sum(x["goodput"] for x in theirs)
    assert sum(x["goodput"] for x in ours) == pytest.approx(total, rel=near)
    # The model's RTT is so much too long, as the page says.
    rtts = [sum(x["rtt"] for x in of) for of in (ours, theirs)]
    assert rtts[0] / rtts[1] - 1 == pytest.approx(long, abs=0.03)
    cycle = 40 / result.stations["triggers"].sum()
    assert case.radio.cycle(case.radio.most) == pytest.approx(cycle, rel=0.045)
    # Printed, Eq 8 has no value without random access, and too much with it.
    if units == 0:
        assert case.printed() is None
    else:
        printed = sum(x["goodput"] for x in modelled(case, case.printed()))
        assert printed > 1.5 * total


def test_equal_stations_are_the_fixed_point_of_one_ru():
    of = [Contender(WINDOWS)] * 7
    stages = [(w + 1) / 2 for w in WINDOWS]
    alone = access.random_access(7, 1, stages)
    for beta in fixed_point(of, [1.0] * 7):
        assert beta == pytest.approx(alone.beta, rel=1e-9)


def test_a_mean_slot_is_that_of_eq_7():
    betas, lasts, spoilt = [0.05] * 4, [2e-3] * 4, [1.9e-3] * 4
    found = slot(betas, lasts, spoilt)
    by_eq_7 = access.eq7_probabilities(0.0, [(4, 0.05)], 0.0)
    assert found.success == pytest.approx([by_eq_7.success / 4] * 4)
    assert found.collision == pytest.approx(by_eq_7.failure)
    # A collision of a long and a short frame is as long as the long one.
    uneven = slot([0.5, 0.5], [1.0, 1.0], [1.0, 3.0])
    assert uneven.collision == pytest.approx(0.25)
    assert uneven.mean > 0.25 * 3


def test_what_an_ack_sender_finds_to_do():
    # Alike in strength it sends once for RESIDUAL + 1 exchanges of data.
    part, _ = busy_part(0.1, 0.1, 1)
    assert part == pytest.approx(1 / (1 + RESIDUAL))
    # Rarely asked it sends each time; asked by many it is never idle.
    assert busy_part(1e-6, 0.1, 1)[0] * 0.1 == pytest.approx(1e-6, rel=1e-3)
    part, pending = busy_part(0.1, 0.1, 30)
    assert part > 0.999999
    assert pending == pytest.approx(29, abs=0.01)
    assert busy_part(0.0, 0.1, 5) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("arrives", "serves", "customers"),
    [("0.5", "0.02", 150), ("5", "1e-9", 300), ("0.01", "2", 400)],
)
def test_an_ack_sender_of_hundreds_is_that_of_exact_fractions(arrives, serves, customers):
    """Terms of machine repair are larger than any float; fractions have no such end."""
    load, terms = Fraction(arrives) / Fraction(serves), [Fraction(1)]
    for k in range(customers):
        terms.append(terms[-1] * (customers - k) * load)
    total = sum(terms)
    part, waiting = busy_part(float(arrives), float(serves), customers)
    assert part == pytest.approx(float(1 - terms[0] / total))
    assert waiting == pytest.approx(float(sum(k * t for k, t in enumerate(terms)) / total))


def test_residual_backoffs_by_chance():
    """The constant of the ACK's backoff, by drawing backoffs."""
    rng = np.random.default_rng(1)
    left = 1 - np.sqrt(rng.random(200_000))
    passed = np.zeros(len(left))
    total = np.zeros(len(left))
    for _ in range(12):
        total += rng.random(len(left))
        passed += total < left
    assert passed.mean() == pytest.approx(RESIDUAL, abs=0.005)


def test_service_grows_with_the_queue_and_sums_to_the_whole():
    case = case_of(cell(3, "bbr3").resolved)
    air = Air(case.radio, 3)
    # Betas and what ACK senders have follow the queues, half of the way at a time.
    short, long = ([air.service([q] * 3) for _ in range(60)][-1] for q in (1.0, 400.0))
    assert sum(long) > 1.5 * sum(short)
    assert sum(long) == pytest.approx(sum(case.radio.saturated()), rel=0.05)
    trace = case.run()
    assert np.allclose(trace.sent, trace.served + trace.dropped + trace.left, rtol=1e-9, atol=1e-6)
    assert (trace.queue >= 0).all()


def test_printed_stations_get_a_part_of_a_part():
    # Of two stations each attempts in one slot of eight: Eq 8 printed is an eighth of Eq 2.
    betas = fixed_point([Contender(WINDOWS)] * 2, [1.0, 1.0])
    got = station_printed(betas, 0, 0.0, 10, 12_000, 2e-3)
    assert got == pytest.approx(betas[0] * (1 - betas[1]) * 10 * 12_000 / 2e-3)
    case = case_of(load(GALLERY / "wifi-station.toml").resolved)
    assert case.radio.printed()[0] * case.radio.payload < 6e6
    assert case.radio.saturated()[0] * case.radio.payload > 50e6


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("wifi-hidden", "Eq 5: gamma: some stations do not hear"),
        ("wifi-interference", "Eq 6: p_phy: it follows from places"),
        ("wifi-mobility", "Eq 6: p_phy"),
        ("wifi6-ofdma", "Eq 2: s_A: it counts RUs of the uplink"),
        ("wifi-video", "does not send without end"),
        ("wifi-fq-codel", "does not send without end"),
        ("wifi-feedback", "is cbr"),
    ],
)
def test_gallery_scenarios_that_have_no_model(name, says):
    with pytest.raises(NoCaseError, match=says):
        case_of(load(GALLERY / f"{name}.toml").resolved)


OFDMA = {"downlink": False, "single_user": False, "mu_edca": {"aifsn": 0, "timer": "8 s"}}


@pytest.mark.parametrize(
    ("wifi", "says"),
    [
        ({"rts": "3000 B"}, "Eq 7: T_c"),
        ({"rate_control": "minstrel"}, "Eq 3: T_r: sta0 changes its mode"),
        ({"amsdu": "3839 B", "ampdu": "off"}, "Eq 3: s_h"),
        ({"reverse_grant": True}, "Eq 3: s_h: RDG"),
        ({"standard": "g", "rate": "54 Mbit/s"}, "Eq 3: T_r: 802.11g"),
        ({"up": {"edca": {"aifsn": 7}}}, "Eq 7: sigma: AIFSN differ"),
        ({"edca": {"txop": "2 ms"}}, "Eq 3: t_d"),
        ({"up": {"qdisc": "cake"}}, "Eqs 18 to 24: s_i: sta0 has the queue cake"),
        ({"standard": "ax", "ofdma": {**OFDMA, "mu_edca": {"aifsn": 2}}}, "Eq 7: beta_j"),
        ({"standard": "ax", "ofdma": {**OFDMA, "users": 2}}, "Eq 2: s_A: a station that has told"),
        (
            {"standard": "ax", "ofdma": {**OFDMA, "single_user": True}},
            "Eq 2: s_A: the access point",
        ),
        (
            {"standard": "ax", "ofdma": {**OFDMA, "random_access": {"units": 2}}},
            "Eq 5: r_A: random access is for reports",
        ),
    ],
)
def test_a_refusal_names_equation_and_symbol(wifi, says):
    if wifi.get("standard") == "g":
        scenario = load(
            {
                "name": "g",
                "duration": "5 s",
                "topology": {"preset": "wlan"},
                "wifi": wifi,
                "flow": [{"cc": "cubic"}],
            }
        )
    elif "rate_control" in wifi:
        scenario = load(GALLERY / "wifi-station.toml", overrides=["wifi.rate_control=minstrel"])
    else:
        scenario = cell(3, "cubic", wifi=wifi)
    with pytest.raises(NoCaseError, match=says) as caught:
        case_of(scenario.resolved)
    assert "help:" in str(caught.value)


def test_flows_both_ways_and_twice_over_the_air_are_refused():
    spec = {
        "name": "x",
        "duration": "5 s",
        "topology": {"preset": "wlan", "stations": 2},
        "flow": [
            {"name": "up", "from": "sta0", "to": "server", "cc": "cubic"},
            {"name": "down", "from": "server", "to": "sta1", "cc": "cubic"},
        ],
    }
    with pytest.raises(NoCaseError, match="Eq 8: the share of the access point"):
        case_of(load(spec).resolved)
    spec["flow"] = [{"from": "sta0", "to": "sta1", "cc": "cubic"}]
    with pytest.raises(NoCaseError, match="Eq 8: beta_ap"):
        case_of(load(spec).resolved)


def test_a_domain_is_named():
    case = case_of(cell(1, "cubic").resolved)
    with pytest.raises(DomainError, match="Eq 2: s_p"):
        replace(case.radio, payload=0.0)
    with pytest.raises(DomainError, match="Eq 6: p_phy"):
        Contender(WINDOWS, 1.5)


def test_a_narrower_wire_is_the_bottleneck():
    of = load(
        {
            "name": "narrow",
            "duration": "30 s",
            "warmup": "10 s",
            "topology": {
                "preset": "wlan",
                "direction": "down",
                "wire": {"rate": "10 Mbit/s", "delay": "20 ms", "queue": "50 packets"},
            },
            "flow": [{"cc": "cubic"}],
        }
    )
    case = case_of(of.resolved)
    assert case.wire == (10e6, True)
    ours, theirs = both(of)
    assert ours[0] == pytest.approx(theirs[0], rel=0.03)


def test_the_command_prints_both_forms(acklab_cli, tmp_path):
    out = tmp_path / "m"
    done = acklab_cli("model", "wifi-station", "--seeds", "1", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "as printed" in done.stdout
    assert (
        "Eq 8 with full queues, upload: 5.62 Mbit/s printed, 52.1 Mbit/s corrected" in done.stdout
    )
    rows = list(csv.DictReader((out / "model.csv").open()))
    assert float(rows[0]["printed"]) < 0.2 * float(rows[0]["simulation"])


def test_a_wrong_number_of_packets_in_a_ppdu_is_found_again():
    # CUBIC draws nothing: one run of the model for each try, where BBRv3 has three.
    scenario = cell(1, "cubic", length=16)
    of = beside(scenario, 1)
    wrong = type(of)(of.case.with_factor("aggregate", 0.4), of.trace, of.lines, of.result)
    found = {f.parameter: f for f in fit(wrong)}
    assert {"rate", "access", "aggregate", "every", "rtt", "limit"} <= set(found)
    assert "target" not in found
    assert found["aggregate"].factor > 1.5
    assert found["aggregate"].after < found["aggregate"].before
