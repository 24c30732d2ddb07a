"""Random runs of TACK, and what each end got and sent: the tests of decisions share this."""

import itertools
import json
import random

import polars as pl

import acklab
import tack_decisions


def scenario(draw: random.Random):
    """A path, a way of sending and parameters of TACK at random."""
    mtu = draw.choice([576, 1200, 1500, 1500])
    shortest = draw.choice([0.1, 1, 1, 10])
    transport = {
        "name": "tack",
        "start_up": draw.choice(tack_decisions.START_UPS),
        "start_up_packets": draw.choice([0, 20, 128]),
        "settle": draw.choice(["once-reordered", "once-reordered", "never", "always"]),
        "iack": draw.random() < 0.8,
        "beta": draw.choice([2, 4, 4, 8]),
        "l": draw.choice([1, 2, 2, 4, 16]),
        "mtu": mtu,
        "delayed": f"{draw.choice([5, 25, 25, 100])} ms",
        "interval": {
            "shortest": f"{shortest} ms",
            "longest": f"{draw.choice([30, 250, 1000])} ms",
        },
        "ack_now": draw.random() < 0.8,
        # The defaults, which the rules have to know.
        "recv_buffer": 6_291_456,
        "window_iack": 25,
        "ecn": False,
    }
    mbits = 10 ** draw.uniform(-0.5, 1.3)
    app = draw.choice(
        [
            {"kind": "bulk"},
            {"kind": "bulk", "bytes": f"{draw.randint(1, 200)} kB"},
            {"kind": "on-off", "rate": f"{mbits / 4:.3f} Mbit/s", "on": "80 ms", "off": "60 ms"},
            {"kind": "on-off", "rate": "0.1 Mbit/s", "chunk": f"{draw.randint(50, 400)} B"},
        ]
    )
    return {
        "name": "decided",
        "duration": "2 s",
        "topology": {
            "preset": "dumbbell",
            "bottleneck": {
                "rate": f"{mbits:.3f} Mbit/s",
                "delay": f"{10 ** draw.uniform(-0.3, 2):.3f} ms",
                "queue": f"{draw.randint(5, 60)} packets",
                "loss": draw.choice([0, 0, 0.01, 0.05]),
                "reorder": {
                    "probability": draw.choice([0, 0, 0.02, 0.1]),
                    "delay": f"{draw.choice([1, 5, 20])} ms",
                },
                "reverse": {"loss": draw.choice([0, 0, 0.1])},
            },
        },
        "flow": [
            {"transport": transport, "cc": draw.choice(["cubic", "bbr1", "bbr-tack"]), "app": app}
        ],
        "record": {"packets": True, "acks": True},
    }


def received(result):
    """Packets that reached the receiver, in order: time in ns, packet number, space and frames."""
    for row in _packets(result, "d0", "forward", "delivered"):
        yield row["time_ns"], row["number"], row["feedback"], json.loads(row["frames"])


def _packets(result, point, direction, what):
    there = result.packets.filter(
        (pl.col("point") == point) & (pl.col("direction") == direction) & (pl.col("what") == what)
    )
    rows = there.select("time_ns", "packet", "ecn").join(
        result.tack_contents, on="packet", how="left", maintain_order="left"
    )
    return rows.iter_rows(named=True)


def sent(result):
    """Packets that left the receiver: time in ns, and kinds of frames."""
    return [
        (row["time_ns"], [f["frame_type"] for f in json.loads(row["frames"])])
        for row in _packets(result, "d0", "reverse", "sent")
    ]


def marking_scenario(draw: random.Random):
    """As `scenario`, with queues that mark, and receivers with little room."""
    text = scenario(draw)
    transport = text["flow"][0]["transport"]
    transport["recv_buffer"] = draw.choice([10_000, 14_000, 20_000, 30_000, 6_291_456])
    transport["window_iack"] = draw.choice([0, 10, 25, 25, 60])
    transport["ecn"] = draw.random() < 0.6
    bottleneck = text["topology"]["bottleneck"]
    bottleneck["loss"] = draw.choice([0, 0.01, 0.05, 0.1])
    # IACKs of windows are lost, too, and SYNCs come late.
    bottleneck["reverse"] = {"loss": draw.choice([0, 0.1, 0.4, 0.7])}
    if draw.random() < 0.6:
        target = f"{draw.choice([1, 2, 5])} ms"
        bottleneck["qdisc"] = {
            "name": "codel",
            "ecn": True,
            "target": target,
            "ce_threshold": target,
        }
    return text


def feedback_case(text, result):
    """What a decision of the receiver may depend on, under the names of the documentation.

    Times are in ns. `received` is in the order of arrival.
    """
    transport = text["flow"][0]["transport"]
    arrivals = [
        {
            "time": row["time_ns"],
            "number": row["number"],
            "space": "feedback" if row["feedback"] else "data",
            "ecn": row["ecn"],
            "frames": json.loads(row["frames"]),
        }
        for row in _packets(result, "d0", "forward", "delivered")
    ]
    accepts = [
        {"time": row["time_ns"], "frames": json.loads(row["frames"])}
        for row in _packets(result, "d0", "reverse", "sent")
        if "accept" in row["frames"]
    ]
    keys = ("beta", "l", "start_up", "start_up_packets", "settle", "iack", "ecn", "window_iack")
    parameters = {k: transport[k] for k in keys} | {"recv_buffer": transport["recv_buffer"]}
    ns = {"ms": 1_000_000}
    for key in ("delayed", "interval.shortest", "interval.longest"):
        value = transport
        for part in key.split("."):
            value = value[part]
        number, unit = value.split()
        parameters[key] = round(float(number) * ns[unit])
    hello = next(f for a in arrivals for f in a["frames"] if f["frame_type"] == "hello")
    parameters["mss"] = hello["offer"]["mss"]
    return {
        "parameters": parameters,
        "end": 2_000_000_000,
        "received": arrivals,
        "accepts_sent": accepts,
    }


def feedback_of(result):
    """What the receiver sent apart from ACCEPTs, packet by packet.

    `reason` is that of a TACK without IACKs.
    """
    own = {
        round(row["time_s"] * 1e9): row["reason"]
        for row in result.acks.filter(pl.col("what") == "sent").iter_rows(named=True)
    }
    packets = []
    for row in _packets(result, "d0", "reverse", "sent"):
        iacks, tack = [], False
        for frame in json.loads(row["frames"]):
            if frame["frame_type"] == "tack":
                tack = True
            elif frame["frame_type"] == "iack" and frame["reason"] == "loss":
                iacks.append(["loss", frame["lost"][0] - 1, frame["lost"][1] + 1])
            elif frame["frame_type"] == "iack" and frame["reason"] == "mark":
                iacks.append(["mark", *(frame["ecn"][k] for k in ("ect0", "ect1", "ce"))])
            elif frame["frame_type"] == "iack":
                iacks.append([frame["reason"], frame["cumulative"] + frame["window"]])
        if tack or iacks:
            reason = own[row["time_ns"]] if tack and not iacks else None
            # A TACK that leaves in the place of a window's IACK has the reason of that.
            if reason and not reason.startswith("tack"):
                reason = None
            packets.append({"time": row["time_ns"], "tack": tack, "reason": reason, "iacks": iacks})
    return packets


def feedback_runs(first: int, count: int):
    """Cases and answers, of runs in which the ends met; every other run has queues that mark."""
    draw = random.Random(first)
    for seed in itertools.count(first):
        if count == 0:
            return
        text = (marking_scenario if seed % 2 else scenario)(draw)
        result = acklab.load(text).run(seed=seed)
        if any(frames for _, _, _, frames in received(result)):
            count -= 1
            yield feedback_case(text, result), feedback_of(result)
