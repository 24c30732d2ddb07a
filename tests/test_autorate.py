"""CAKE's `autorate_ingress` behind a bottleneck: what it estimates, and what it shapes to."""

import acklab

#: Far above what arrives.
START = 100.0
CAKE = {"name": "cake", "bandwidth": f"{START} Mbit/s", "autorate_ingress": True}
ENDS = {"rate": "unlimited", "queue": "100000 packets"}


def cake_of(result, place):
    """The rows of a CAKE at the end of a run: the whole, and its tin of best effort."""
    rows = {r["class"]: r for r in result.queue_classes.to_dicts() if r["place"] == place}
    return rows["cake"], rows["Best Effort"]


def behind_a_wire(jitter):
    """A download over 20 Mbit/s, and CAKE in a router behind it."""
    spec = {
        "name": "autorate",
        "duration": "20 s",
        "warmup": "5 s",
        "node": [{"name": n} for n in ("server", "isp", "home", "client")],
        "link": [
            {"a": "server", "b": "isp", "delay": "10 ms", **ENDS},
            {
                "a": "isp",
                "b": "home",
                "rate": "20 Mbit/s",
                "jitter": jitter,
                "reverse": {"jitter": "0 s"},
            },
            {"a": "home", "b": "client", **ENDS, "queue": "10000 packets", "qdisc": CAKE},
        ],
        "flow": [{"from": "server", "to": "client", "cc": "cubic"}],
    }
    return acklab.load(spec).run()


def test_an_ideal_bottleneck_tells_it_nothing():
    """Gaps that are all alike are never longer than their mean: the rate stays what was written."""
    result = behind_a_wire("0 s")
    assert result.links.filter(result.links["link"] == "isp->home")["utilisation"][0] > 0.95
    cake, tin = cake_of(result, "home->client")
    assert tin["threshold_mbps"] == START
    # Bursts at the start of the flow moved the estimate a little.
    assert cake["capacity_mbps"] > 0.8 * START
    assert cake["drops"] == 0


def test_jitter_of_a_hair_shows_it_the_rate():
    result = behind_a_wire("10 us")
    cake, tin = cake_of(result, "home->client")
    # Measured 16.65: pauses of the flow count as well.
    assert 15.0 < tin["threshold_mbps"] < 19.0
    assert 16.0 < cake["capacity_mbps"] < 20.5
    # The queue is here now, and not in front of the bottleneck.
    assert cake["drops"] > 0
    assert result.flows["goodput_mbps"][0] < 20.0 * 15 / 16


def behind_a_radio_channel(bandwidth, duration):
    """An upload over 802.11ax, and CAKE at the access point towards the server."""
    spec = {
        "name": "autorate",
        "duration": duration,
        "warmup": "3 s",
        "topology": {
            "preset": "wlan",
            "stations": 1,
            "direction": "up",
            "wire": {
                "rate": "1 Gbit/s",
                "delay": "5 ms",
                "qdisc": CAKE | {"bandwidth": bandwidth},
            },
        },
        "wifi": {"standard": "ax"},
        "flow": [{"cc": "cubic"}],
    }
    return acklab.load(spec).run(1)


def test_it_follows_a_radio_channel():
    """The channel carries 66 Mbit/s: CAKE comes below 15/16 of that, and drops."""
    result = behind_a_radio_channel("100 Mbit/s", "25 s")
    cake, tin = cake_of(result, "ap->server")
    assert 50 < tin["threshold_mbps"] < 62
    assert cake["drops"] > 0


def test_it_comes_down_slowly():
    """A lower measurement counts 1/256: after 6 s of a gigabit a third is left."""
    result = behind_a_radio_channel("1 Gbit/s", "6 s")
    cake, tin = cake_of(result, "ap->server")
    assert 250 < tin["threshold_mbps"] < 450
    assert cake["drops"] == 0
    assert result.flows["goodput_mbps"][0] < 70
