"""Radio channels that are short and have everything that can be on the air."""

import acklab


def cell(**more):
    """Three stations upload a megabyte each; everything is over before the run is."""
    return {
        "name": "cell",
        "duration": "1 s",
        "topology": {
            "preset": "wlan",
            "stations": 3,
            "wire": {"rate": "100 Mbit/s", "delay": "2 ms"},
        },
        "wifi": {"bit_error_rate": 2e-6, "rts": "1000 B", "ampdu": "32 KiB"},
        "record": {"ppdus": True, "frames": True},
        "flow": [
            {
                "name": "up",
                "cc": "newreno",
                "count": 3,
                "start_jitter": "50 ms",
                "app": {"kind": "bulk", "bytes": "1 MB"},
            }
        ],
        **more,
    }


def hidden():
    """Two stations that do not hear each other."""
    wifi = {"hidden": [["sta0", "sta1"]], "rts": "off"}
    topology = {**cell()["topology"], "stations": 2}
    flow = [{**cell()["flow"][0], "count": 2}]
    return cell(name="hidden", wifi=wifi, topology=topology, flow=flow, duration="2 s")


def run(scenario):
    return acklab.load(scenario).run(seed=1)
