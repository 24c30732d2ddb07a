"""A run with losses of every kind, everything recorded."""

import acklab


def lossy():
    return {
        "name": "lossy",
        "duration": "8 s",
        "record": {
            "every": "10 ms",
            "packets": True,
            "acks": True,
            "events": True,
            "delays": True,
            "queues": True,
        },
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "100 Mbit/s", "delay": "2 ms"},
            "bottleneck": {
                "rate": "10 Mbit/s",
                "delay": "20 ms",
                "queue": "12 packets",
                "loss": 0.001,
                "reverse": {"ack_filter": {"name": "aggregate", "ratio": 2, "timeout": "5 ms"}},
            },
        },
        "flow": [
            {"name": "bulk", "cc": "cubic", "from": "s0", "to": "d0"},
            {"name": "late", "cc": "bbr3", "from": "s0", "to": "d0", "start": "1 s"},
        ],
    }


def recorded():
    return acklab.load(lossy()).run(seed=3)
