"""When TACKs leave: the rules of docs/concepts/tack.md, written again, against whole runs.

`tack_decisions.py` has the rules. It gets what a receiver got (the packets of a recorded run and
what is in them) and has to say when each TACK left, to the nanosecond, and why.
"""

import json
import random

import polars as pl

import acklab
import tack_decisions

RUNS = 100


def scenario(draw: random.Random):
    """A path, a way of sending and parameters of TACK at random; no start-up, which is rule 2."""
    mtu = draw.choice([576, 1200, 1500, 1500])
    shortest = draw.choice([0.1, 1, 1, 10])
    transport = {
        "name": "tack",
        "start_up": "tamed",
        "beta": draw.choice([2, 4, 4, 8]),
        "l": draw.choice([1, 2, 2, 4, 16]),
        "mtu": mtu,
        "delayed": f"{draw.choice([5, 25, 25, 100])} ms",
        "interval": {
            "shortest": f"{shortest} ms",
            "longest": f"{draw.choice([30, 250, 1000])} ms",
        },
        "ack_now": draw.random() < 0.8,
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
                "reverse": {"loss": draw.choice([0, 0, 0.1])},
            },
        },
        "flow": [
            {"transport": transport, "cc": draw.choice(["cubic", "bbr1", "bbr-tack"]), "app": app}
        ],
        "record": {"packets": True, "acks": True},
    }


def received(result):
    """What came to the receiver, in order: time in ns, packet number, space and frames."""
    there = result.packets.filter(
        (pl.col("point") == "d0")
        & (pl.col("direction") == "forward")
        & (pl.col("what") == "delivered")
    )
    rows = there.select("time_ns", "packet").join(
        result.tack_contents, on="packet", how="left", maintain_order="left"
    )
    for row in rows.iter_rows(named=True):
        yield row["time_ns"], row["number"], row["feedback"], json.loads(row["frames"])


def decided(result, transport):
    """The case of a run."""
    packets, changes, seen, there = [], [], set(), set()
    accepts = [t for t, kinds in sent(result) if "accept" in kinds]
    sync, timed = None, False
    for now, number, feedback, frames in received(result):
        for frame in frames:
            kind = frame["frame_type"]
            if kind == "iack" and frame["reason"] == "confirm" and not timed:
                timed = True
                rtt = now // 1000 - frame["echo_us"] - frame["hold_us"]
                changes.append((now, 1000 * rtt))
            if kind == "sync" and (sync is None or frame["number"] > sync):
                sync = frame["number"]
                changes.append((now, 1000 * frame["rtt_min_us"]))
        # The confirmation was lost: whatever comes confirms an ACCEPT that left once.
        others = any(f["frame_type"] != "hello" for f in frames)
        if others and not timed and sum(t <= now for t in accepts) == 1:
            timed = True
            changes.append((now, now - accepts[0]))
        if feedback or number in seen:
            continue
        seen.add(number)
        data = [f for f in frames if f["frame_type"] == "stream"]
        size = sum(f["length"] for f in data)
        edges = {f["offset"] for f in data}
        # A sender cuts its stream once: what begins at an offset that came before is a copy.
        copy = bool(edges) and edges <= there
        there |= edges
        packets.append((now, size, copy or any(f.get("now") for f in frames)))
    offer = next(
        f
        for frames in result.tack_contents["frames"].head(1)
        for f in json.loads(frames)
        if f["frame_type"] == "hello"
    )["offer"]
    return {
        "beta": transport["beta"],
        "l": transport["l"],
        "mss": offer["mss"],
        # Before the handshake is confirmed the receiver knows none.
        "rtt_min": 0,
        "shortest": 1000 * offer["shortest_us"],
        "longest": 1000 * offer["longest_us"],
        "delayed": 1_000_000 * int(transport["delayed"].split()[0]),
        "packets": packets,
        "changes": changes,
    }


def sent(result):
    """What left the receiver: time in ns, and kinds of frames."""
    there = result.packets.filter(
        (pl.col("point") == "d0") & (pl.col("direction") == "reverse") & (pl.col("what") == "sent")
    )
    rows = there.select("time_ns", "packet").join(
        result.tack_contents, on="packet", how="left", maintain_order="left"
    )
    return [
        (row["time_ns"], [f["frame_type"] for f in json.loads(row["frames"])])
        for row in rows.iter_rows(named=True)
    ]


def runs():
    draw = random.Random(18)
    for number in range(RUNS):
        text = scenario(draw)
        yield text, acklab.load(text).run(seed=number)


def test_the_cases_of_the_core_are_those_of_the_rules():
    assert tack_decisions.CASES.read_text(encoding="utf-8") == tack_decisions.text()


def test_rules_and_runs_agree_on_every_tack():
    reasons: dict[str, int] = {}
    for text, result in runs():
        transport = text["flow"][0]["transport"]
        expected = tack_decisions.departures(decided(result, transport))
        times = [t for t, kinds in sent(result) if "tack" in kinds]
        end = 2_000_000_000
        assert [t for t, _ in expected if t <= end] == times, text
        # A TACK that leaves with an IACK has the reason of the IACK.
        said = result.acks.filter(
            (pl.col("what") == "sent") & pl.col("reason").str.starts_with("tack")
        )
        own = dict(zip(said["time_s"].to_list(), said["reason"].to_list(), strict=True))
        for time, reason in expected:
            if time / 1e9 in own:
                assert own[time / 1e9] == reason, (text, time)
                reasons[reason] = reasons.get(reason, 0) + 1
    assert set(reasons) == {"tack_now", "tack_byte_count", "tack_periodic", "tack_delayed"}
    assert min(reasons.values()) > 100, reasons
