"""The equations of the Wi-Fi 6 paper beside `wifi.ofdma`: two pieces of code that share nothing."""

from math import isclose

import polars as pl
import pytest

import acklab
from acklab.fluid import access, frames

#: Stations are called for a second after their data were acknowledged, and do not contend.
CALLED = {"timer": "8 s"}


def uploads(stations, ofdma, seconds, record=None):
    """Saturated UDP of stations with MCS 7 on 20 MHz."""
    # Hardly anything comes back.
    feedback = {"every": 10_000, "size": 64}
    cbr = {"name": "cbr", "rate": "30 Mbit/s", "size": 1500, "feedback": feedback}
    flow = {"transport": cbr}
    scenario = {
        "name": "uploads",
        "duration": f"{seconds} s",
        "topology": {"preset": "wlan", "stations": stations},
        "wifi": {
            "standard": "ax",
            "mcs": 7,
            "queue": "200 packets",
            "ofdma": {"downlink": False, "mu_edca": CALLED, **ofdma},
        },
        "flow": [{**flow, "name": f"f{i}"} for i in range(stations)],
    }
    if record:
        scenario["record"] = record
    return acklab.run(scenario)


@pytest.mark.parametrize(
    ("stations", "units", "smallest", "largest"),
    [(4, 2, 7, 31), (8, 4, 7, 31), (9, 9, 7, 31), (20, 9, 7, 63)],
)
def test_random_access_is_the_fixed_point_of_eqs_4_and_5(stations, units, smallest, largest):
    ofdma = {
        "users": units,
        "random_access": {"units": units, "ocw_min": smallest, "ocw_max": largest, "in": "data"},
    }
    rows = uploads(stations, ofdma, 20).stations
    triggers, sent, collided = (
        rows[c].sum() for c in ("triggers", "random_accesses", "random_collisions")
    )
    # A packet is tried until it arrives, with the largest window in the end.
    stages = access.uora_stages(units, smallest, largest, more=200)
    model = access.random_access(stations, units, stages)
    # Eqs 4 and 5 take stations for independent, which four are less than twenty.
    assert isclose(sent / triggers / stations, model.beta, rel_tol=0.01)
    assert isclose(collided / sent, model.gamma, rel_tol=0.02)
    assert isclose((sent - collided) / triggers, model.winners, rel_tol=0.02)


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
    # AIFS and half of 15 slots. Of 11,307 octets seven frames of 1544 are filled.
    between = 43e-6 + 7.5 * 9e-6
    model = access.eq2(7, 4, 0, 1500 * 8, t_s, 0, between)
    packets = result.stations.filter(pl.col("station") != "ap")["mpdus"].sum()
    received = packets * 1500 * 8 / 20
    assert isclose(received, model, rel_tol=0.01)
