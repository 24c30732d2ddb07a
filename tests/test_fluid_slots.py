"""Eqs 4 to 8 beside a simulated channel on which all contend: a channel of 802.11 is one RU.

The slots are counted from the recorded PPDUs: what begins at one instant is one slot, and what is
silent between the end of a wait and the next beginning is idle slots.
"""

from __future__ import annotations

import csv
from math import ceil, isclose
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq

import acklab
from acklab.fluid import access, durations
from acklab.validate import published
from acklab.validate.models.bianchi import Slots, anomalous, windows

#: 802.11n at 65 Mbit/s, one MPDU of 1480 bytes in a PPDU: us.
DATA, SIFS, SLOT, ACK, SLOWEST_ACK = 220.0, 16.0, 9.0, 28.0, 44.0
DIFS = access.difs(SIFS, SLOT)
EIFS = access.eifs(SIFS, SLOWEST_ACK, DIFS)
MPDU, SECONDS = 1480, 20
DATA_OF_NS3 = Path(acklab.__file__).parent / "data/validation/ns3"
#: (W + 1) / 2 of CWmin 15 to CWmax 1023, and never given up.
STAGES = [(w + 1) / 2 for w in (16, 32, 64, 128, 256, 512)] + [512.5] * 200


def saturated(stations: int, also_ap: bool = False, bits_wrong: float = 0.0) -> acklab.Result:
    """A channel on which all always have a packet."""
    sizes = {"rate": "80 Mbit/s", "size": 1460, "feedback": {"every": 10_000, "size": 64}}
    flows = [{"from": f"sta{i}", "to": "server"} for i in range(stations)]
    flows += [{"from": "server", "to": "sta0"}] if also_ap else []
    wifi = {
        "standard": "n",
        "mcs": 7,
        "ampdu": "off",
        "lifetime": "none",
        "retry_limit": 255,
        "queue": "2000 packets",
        "slots": "edca",
        "after_silence": "everybody",
        "edca": {"aifsn": 2, "cw_min": 15, "cw_max": 1023},
    }
    if bits_wrong:
        wifi["bit_error_rate"] = bits_wrong
    return acklab.run(
        {
            "name": "slots",
            "duration": f"{SECONDS} s",
            "topology": {"preset": "wlan", "stations": stations},
            "wifi": wifi,
            "flow": [{**f, "transport": {"name": "cbr", **sizes}} for f in flows],
            "record": {"ppdus": True},
        }
    )


def count(result: acklab.Result) -> tuple[access.Slots, float, float]:
    """Idle, successful and failed slots, the mean length of one in us, and attempts per slot."""
    ppdus = result.ppdus.filter(pl.col("time_ns") > 1_000_000_000)
    data = ppdus.filter(pl.col("kind") == "data").group_by("time_ns")
    each = data.agg(pl.len().alias("at once"), pl.col("end_ns").max()).sort("time_ns")
    acks = ppdus.filter(pl.col("kind") == "ack")
    answered = set(acks["time_ns"] - round(SIFS * 1000))
    begins, ends = (each[c].to_numpy() / 1000 for c in ("time_ns", "end_ns"))
    success = np.array([x in answered for x in each["end_ns"]])
    quiet = ends + np.where(success, SIFS + ACK + DIFS, EIFS)
    idle = np.round((begins[1:] - quiet[:-1]) / SLOT).sum()
    busy = len(begins) - 1
    slots = idle + busy
    won = success[:-1].sum()
    of = access.Slots(idle / slots, won / slots, (busy - won) / slots)
    return of, (begins[-1] - begins[0]) / slots, each["at once"].sum() / slots


def solve(stations: int, p_phy: float = 0.0) -> float:
    """Eqs 4 to 6 with one RU: the probability to attempt in a slot."""

    def beta(gamma: float) -> float:
        return access.eq4(access.eq6(gamma, p_phy), STAGES)

    gamma = brentq(lambda g: access.eq5(beta(g), 1, stations) - g, 0, 1)
    return beta(gamma)


@pytest.mark.parametrize(("stations", "also_ap"), [(2, False), (5, False), (20, False), (9, True)])
def test_eqs_7_and_8_beside_counted_slots(stations, also_ap):
    result = saturated(stations, also_ap)
    counted, length, attempts = count(result)
    beta = solve(stations + also_ap)
    slots = access.eq7_probabilities(beta if also_ap else 0.0, [(stations, beta)], 0.0)
    t_s = DATA + SIFS + ACK
    success = access.eq7_success(t_s, DIFS)
    collision = access.eq7_collision(t_s, ACK, SIFS, EIFS)
    mean = access.eq7(slots, SLOT, success, collision)
    assert isclose(attempts, beta * (stations + also_ap), rel_tol=0.02)
    assert isclose(mean, length, rel_tol=0.01)
    for ours, theirs in ((slots.idle, counted.idle), (slots.success, counted.success)):
        assert isclose(ours, theirs, rel_tol=0.02)
    # Of two stations Bianchi's independence misses one collision in fourteen.
    assert isclose(slots.failure, counted.failure, rel_tol=0.04, abs_tol=0.001)
    # Eq 8: a station's successes in a mean slot. Its packets have 1460 bytes.
    gamma = access.eq5(beta, 1, stations + also_ap)
    own = access.eq8(1, 0, beta, gamma, 0.0, 1.0, mean, 0.0) * 1e6
    sent = result.stations.filter(pl.col("station") != "ap")
    won = (sent["accesses"].sum() - sent["failures"].sum()) / stations / SECONDS
    assert isclose(won, own, rel_tol=0.02)


def test_printed_collisions_do_not_last_so_long():
    """Printed, T_c is 44 us too short here, and our first correction 60: who cannot decode waits
    EIFS, not DIFS. With 20 stations that is the mean slot 4 and 6 % too short."""
    _, length, _ = count(saturated(20))
    beta = solve(20)
    slots = access.eq7_probabilities(0.0, [(20, beta)], 0.0)
    t_s = DATA + SIFS + ACK

    def mean(collision: float) -> float:
        return access.eq7(slots, SLOT, access.eq7_success(t_s, DIFS), collision) / length - 1

    assert mean(access.eq7_collision_printed(t_s, ACK, DIFS)) == pytest.approx(-0.045, abs=0.015)
    assert mean(access.eq7_collision(t_s, ACK, SIFS, DIFS)) == pytest.approx(-0.06, abs=0.015)
    assert mean(access.eq7_collision(t_s, ACK, SIFS, EIFS)) == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(("bits_wrong", "p_phy"), [(1e-5, 0.11), (5e-5, 0.45)])
def test_eq_8_holds_with_errors_of_the_channel(bits_wrong, p_phy):
    """Eq 7 has one length for failures. Stations that decode a frame that its receiver could not
    wait for the ACK's time, the others wait EIFS: 16 us of difference, which hardly matters."""
    spoilt = 1 - (1 - bits_wrong) ** (8 * MPDU)
    assert spoilt == pytest.approx(p_phy, abs=0.01)
    rows = saturated(10, bits_wrong=bits_wrong).stations
    sent = rows.filter(pl.col("station") != "ap")
    beta = solve(10, spoilt)
    slots = access.eq7_probabilities(0.0, [(10, beta)], spoilt)
    t_s = DATA + SIFS + ACK
    mean = access.eq7(slots, SLOT, t_s + DIFS, access.eq7_collision(t_s, ACK, SIFS, EIFS))
    attempts = sent["accesses"].sum() / 10 / SECONDS
    assert isclose(attempts, beta / mean * 1e6, rel_tol=0.02)
    failed = access.eq6(access.eq5(beta, 1, 10), spoilt)
    own = access.eq8(1, 0, beta, failed, spoilt, 1.0, mean, 0.0) * 1e6
    won = (sent["accesses"].sum() - sent["failures"].sum()) / 10 / SECONDS
    assert isclose(won, own, rel_tol=0.02)
    # Printed, with as many errors, more slots succeed than are not idle.
    printed = access.eq7_probabilities_printed(0.0, [(10, beta)], spoilt)
    assert printed.success > 1 - printed.idle


def rows_of_ns3() -> list[dict[str, str]]:
    rows = list(csv.DictReader((DATA_OF_NS3 / "wifi_contention.csv").read_text().splitlines()))
    assert len(rows) == 20
    return rows


def test_beside_the_numbers_that_ns3_holds_bianchis_model_to():
    """5 to 50 stations of 802.11a, which has no QoS field, and of 802.11ax, whose best effort waits
    a slot more. Where all wait equally long after a collision Eqs 4 to 7 are within 1.3 % of ns-3's
    expectations, and with EIFS up to 3.3 % below."""
    for row in rows_of_ns3():
        off = published.saturated(row) / float(row["mbps"]) - 1
        assert -0.033 < off < 0.002 if row["eifs"] == "1" else abs(off) < 0.013, row


def test_where_ns3_has_more_than_eq_7_the_slots_are_not_alike():
    """With EIFS, who has collided waits for an ACK's timeout instead, and is alone with the slots
    until the others are back. The refinement of Bianchi's model that counts these slots
    (Tinnirello, Bianchi, Xiao) is within 1.5 % of all twenty; Eq 7 is up to 3.2 % off."""
    worst = {"alike": 0.0, "anomalous": 0.0}
    for row in rows_of_ns3():
        n, expected, eifs = int(row["stations"]), float(row["mbps"]), row["eifs"] == "1"
        psdu, wait, basic = durations.mpdu(1500), DIFS + SLOT, 24
        if row["std"] == "a":
            bits = 4 * int(row["rate"].split()[0])
            psdu, wait, basic = psdu - 2, DIFS, min(bits // 4, 24)
            data = 20 + 4 * ceil((16 + 8 * psdu + 6) / bits)
        else:
            data = durations.Mode("ax", int(row["mcs"])).duration(psdu)
        success = SIFS + durations.legacy(basic, durations.ACK) + wait
        collision = wait + (EIFS - DIFS) * eifs
        # Slots count on from a wait after the data; by the end of the timeout some are over.
        late = max(0.0, durations.ack_timeout() - wait)
        back = min(wait + SLOT * -(-late // SLOT), collision)
        slots = Slots(SLOT, data, success, collision, success, back)
        found = anomalous(n, windows(16, 1024), slots).rate * 12_000
        worst["anomalous"] = max(worst["anomalous"], abs(found / expected - 1))
        worst["alike"] = max(worst["alike"], abs(published.saturated(row) / expected - 1))
    assert worst["anomalous"] < 0.015
    assert worst["alike"] > 0.03


def test_beside_the_largest_throughput_that_bianchi_printed():
    """Four numbers of 802.11b, to the printed digits but for one in the last."""
    found = published.check("models")
    printed = [c for c in found if c.reference.keys["controllers"].startswith("Eqs 5 and 7")]
    assert [c.metrics[0].reference for c in printed] == [1.669, 1.596, 6.210, 4.763]
    for c in printed:
        (m,) = c.metrics
        assert abs(m.acklab - m.reference) < 0.0011
    assert sum(bool(c.ok) for c in found) == 19
    assert len([row for c in found for row in c.rows()]) == 24
