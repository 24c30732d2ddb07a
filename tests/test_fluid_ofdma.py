"""The equations of the Wi-Fi 6 paper beside `wifi.ofdma` and ns-3: codes that share nothing."""

import csv
from math import isclose

import polars as pl
import pytest

import acklab
from acklab.fluid import access, frames
from acklab.fluid.uplink import AIFSN, Setting, uplink
from conftest import ROOT

#: Stations are called for eight seconds after their data were acknowledged, and do not contend.
CALLED = {"timer": "8 s"}
#: Bytes of payload in packets of 1500 bytes with Ethernet's frame, and of the MPDU around each.
PAYLOAD, MPDU = 1454, 1520
#: The access point gives random access the time of an MPDU of 1500 bytes, whoever may come.
ROOM = 1544
#: Tones of each of so many equal RUs in 20 MHz.
TONES = {1: 242, 2: 106, 4: 52, 9: 26}
#: AIFS of best effort, and half of its 15 slots.
BETWEEN = frames.SIFS + (AIFSN + 7.5) * frames.SLOT


def uploads(stations, ofdma, seconds, record=None, warmup=1):
    """Saturated UDP of stations with MCS 7 on 20 MHz; no packet is given up."""
    # Hardly anything comes back.
    feedback = {"every": 10_000, "size": 64}
    cbr = {"name": "cbr", "rate": "30 Mbit/s", "size": 1500, "feedback": feedback}
    scenario = {
        "name": "uploads",
        "duration": f"{seconds} s",
        "warmup": f"{warmup} s",
        "topology": {"preset": "wlan", "stations": stations},
        "wifi": {
            "standard": "ax",
            "mcs": 7,
            "queue": "200 packets",
            "lifetime": "none",
            "retry_limit": 255,
            "ofdma": {"downlink": False, "single_user": False, "mu_edca": CALLED, **ofdma},
        },
        "flow": [{"transport": cbr, "name": f"f{i}"} for i in range(stations)],
    }
    if record:
        scenario["record"] = record
    return acklab.run(scenario)


def randomly(stations, units, smallest=7, largest=31, seconds=20, **more):
    """All RUs of a trigger are for random access."""
    windows = {"units": units, "ocw_min": smallest, "ocw_max": largest, "in": "data"}
    return uploads(stations, {"users": units, "random_access": windows}, seconds, **more)


def stages_of(units, smallest=7, largest=31):
    """A packet is tried until it arrives, with the largest window in the end."""
    return access.uora_stages(units, smallest, largest, more=200)


def modelled(stations, units):
    """The same by Eqs 1, 4, 5, 7; one user field for all of random access."""
    stages = stages_of(units)
    winners = max(1, round(access.random_access(stations, units, stages).winners))
    at = frames.rate(TONES[units], 7)
    # Nothing is lost in sight of the access point: no bitmap in the answer.
    answer = frames.multi_block_ack(winners, bitmap=-2)
    tf, mb = frames.non_ht(frames.trigger(1, basic=True)), frames.non_ht(answer)
    return uplink(Setting(stations, units, tf, frames.he_tb(ROOM, at), mb, stages))


@pytest.mark.parametrize(
    ("stations", "units", "smallest", "largest"),
    [(4, 2, 7, 31), (8, 4, 7, 31), (9, 9, 7, 31), (20, 9, 7, 63)],
)
def test_random_access_is_the_fixed_point_of_eqs_4_and_5(stations, units, smallest, largest):
    rows = randomly(stations, units, smallest, largest).stations
    triggers, sent, collided = (
        rows[c].sum() for c in ("triggers", "random_accesses", "random_collisions")
    )
    model = access.random_access(stations, units, stages_of(units, smallest, largest))
    # Eqs 4 and 5 take stations for independent, which four are less than twenty.
    assert isclose(sent / triggers / stations, model.beta, rel_tol=0.01)
    assert isclose(collided / sent, model.gamma, rel_tol=0.02)
    assert isclose((sent - collided) / triggers, model.winners, rel_tol=0.02)


def share(result):
    """Mbit/s of a station after the warm-up."""
    return result.flows["goodput_warm_mbps"].mean()


@pytest.mark.parametrize("units", [4, 9])
@pytest.mark.parametrize("stations", [3, 4, 6, 9, 15])
def test_where_eqs_4_to_8_hold(stations, units):
    """At least four RUs: what a station gets, and how long a cycle is."""
    result = randomly(stations, units, seconds=16, warmup=8)
    model = modelled(stations, units)
    assert model.silent <= 0.2
    assert isclose(share(result), model.throughput(1, PAYLOAD * 8) / 1e6, rel_tol=0.01)
    # In the first moments stations contend that have not been called yet.
    cycle = 16 / result.stations["triggers"].sum()
    assert isclose(cycle, model.cycle, rel_tol=0.04)


@pytest.mark.parametrize(("stations", "units", "off"), [(2, 2, 0.34), (2, 4, 0.05), (4, 1, 0.08)])
def test_where_they_do_not_hold_because_silence_comes_in_runs(stations, units, off):
    """A station that waits many triggers will wait longer: with few stations or RUs one without
    an answer makes the next one likely, and the access point's window grows."""
    result = randomly(stations, units, seconds=16, warmup=8)
    model = modelled(stations, units)
    assert model.silent > 0.2
    error = model.throughput(1, PAYLOAD * 8) / 1e6 / share(result) - 1
    assert error == pytest.approx(off, abs=0.03 + off / 5)


@pytest.mark.parametrize(("stations", "units"), [(15, 2), (30, 4)])
def test_where_they_do_not_hold_because_stations_contend(stations, units):
    """Stations never called contend as before 802.11ax, and so many leave the access point no
    trigger that would end it. Eqs 4 to 8 know nothing of that."""
    rows = randomly(stations, units, seconds=16, warmup=8).stations
    access_point = pl.col("station") == "ap"
    own = rows.filter(~access_point)["accesses"].sum()
    assert own > 50 * rows["triggers"].sum()
    # Where the equations hold, it wins nearly always.
    calm = randomly(stations, 9, seconds=16, warmup=8).stations
    assert calm.filter(~access_point)["accesses"].sum() < 0.03 * calm["triggers"].sum()


def test_where_they_do_not_hold_because_others_are_called():
    """Four RUs go to the stations in turn, and those without contend: who failed is called soon
    and begins anew, so that it attempts more often than Eq 4 has it, which knows no turns."""
    windows = {"units": 4, "ocw_min": 7, "ocw_max": 31, "in": "data"}
    rows = uploads(12, {"users": 9, "random_access": windows}, 20).stations
    without = 12 - 5
    beta = rows["random_accesses"].sum() / rows["triggers"].sum() / without
    model = access.random_access(without, 4, stages_of(4))
    assert 1.05 < beta / model.beta < 1.15


def test_a_cycle_has_the_frames_of_eq_1():
    result = uploads(4, {"users": 4, "always_poll": True}, 3, record={"ppdus": True})
    own = (pl.col("from") != "ap") | pl.col("kind").is_in(["trigger", "multi_block_ack"])
    ppdus = result.ppdus.filter((pl.col("time_ns") > 1_000_000_000) & own)
    lasts = (pl.col("end_ns") - pl.col("time_ns")).alias("lasts")
    kinds = ppdus.select("kind", lasts).unique()
    found = {k: set(kinds.filter(pl.col("kind") == k)["lasts"]) for k in set(kinds["kind"])}
    cycle = frames.cycle(4, 52, 7, ppdu=48e-6 + 377 * 14.4e-6)
    ns = {name: round(getattr(cycle, name) * 1e9) for name in ("tfr", "bsr", "tf", "ppdu")}
    assert found["trigger"] == {ns["tfr"], ns["tf"]}
    assert found["buffer_status"] == {ns["bsr"]}
    assert found["data"] == {ns["ppdu"]}
    # Nothing is lost, so that no station needs a bitmap: 16 + 2 + 4 * 2 + 4 octets.
    assert found["multi_block_ack"] == {round(frames.non_ht(30) * 1e9)}


def test_four_who_are_called_get_what_eq_2_says():
    result = uploads(4, {"users": 4, "always_poll": True}, 20)
    cycle = frames.cycle(4, 52, 7, ppdu=48e-6 + 377 * 14.4e-6)
    t_s = cycle.length - cycle.mb + frames.non_ht(30)
    # Of 11,307 octets seven MPDUs with their delimiters are filled.
    fit = 11_307 // (MPDU + 4)
    model = access.eq2(fit, 4, 0, PAYLOAD * 8, t_s, 0, BETWEEN)
    assert fit == 7
    assert isclose(4 * share(result) * 1e6, model, rel_tol=0.005)


def test_eq_2_beside_ns_3():
    """Four or eight stations in ns-3.44, which calls so many in each cycle without asking first.

    With the guard interval of these equations, and packets so long that ns-3 fills all units.
    """
    path = ROOT / "validation" / "ns3" / "wifi_ofdma.csv"
    rows = [r for r in csv.DictReader(path.open()) if r["dir"] == "up"]
    rows = [r for r in rows if (r["gi_ns"], r["size"]) == ("1600", "1472")]
    assert len(rows) == 7
    tones = {("20", 4): 52, ("40", 4): 106, ("40", 8): 52, ("80", 4): 242}
    for row in rows:
        users = int(row["users"])
        room = int(row["args"].partition("--ulPsdu=")[2].split()[0])
        rate = frames.rate(tones[row["width_mhz"], users], int(row["mcs"]))
        ppdu = frames.he_tb(room, rate)
        # ns-3 sends triggers at 6 Mbit/s.
        tf = frames.non_ht(frames.trigger(users, basic=True), basic=6e6)
        mb = frames.non_ht(frames.multi_block_ack(users, bitmap=-2))
        t_s = access.eq1(0, 0, tf, ppdu, mb, 0) + 2 * frames.SIFS
        packets = float(row["mpdus_per_psdu"])
        model = access.eq2(packets, users, 0, int(row["size"]) * 8, t_s, 0, BETWEEN)
        assert isclose(model / 1e6, float(row["sum_mbps"]), rel_tol=0.002), row["args"]
