"""Two saturated stations that do not hear each other, beside ns-3's: `wifi_hidden.csv`."""

import polars as pl
import pytest

import acklab
from conftest import ROOT

NS3 = pl.read_csv(ROOT / "validation" / "ns3" / "wifi_hidden.csv").with_columns(
    # The stations are twice as far apart, and hear each other up to 51 m.
    hidden=2 * pl.col("dist_m") > 51
)
CELLS = sorted(NS3.select("ampdu", "hidden", "rts").unique().rows())


def goodput(ampdu, hidden, rts, seed):
    """Of both, Mbit/s: payload of UDP."""
    wifi = {
        "standard": "n",
        "mcs": 3,
        "ampdu": f"{ampdu} B" if ampdu else "off",
        "amsdu": "off",
        "rts": "always" if rts else "off",
        # As ns-3, see `acklab validate ns3-wifi`.
        "durations": "ns3",
        "after_silence": "timeout",
        "block_ack_request_limit": "none",
    }
    if hidden:
        wifi["hidden"] = [["sta0", "sta1"]]
    flows = [{"name": f"f{i}", "from": f"sta{i}", "to": "server"} for i in range(2)]
    scenario = {
        "name": "hidden",
        "duration": "10 s",
        "topology": {"preset": "wlan", "stations": 2},
        "wifi": wifi,
        "flow": flows,
    }
    sent = acklab.saturate(acklab.load(scenario), packet=1500, waiting=400, seed=seed)
    return 8e-6 * 1472 * sent["packets_per_s"].sum()


@pytest.mark.parametrize(("ampdu", "hidden", "rts"), CELLS)
def test_stations_have_what_ns3s_have(ampdu, hidden, rts):
    mine = [goodput(ampdu, hidden, rts, seed) for seed in (1, 2, 3)]
    cell = NS3.filter(ampdu=ampdu, hidden=hidden, rts=rts)["sum_mbps"]
    assert sum(mine) / cell.sum() == pytest.approx(1, abs=0.02)
