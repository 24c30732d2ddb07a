"""When TACKs and IACKs leave: the rules of docs/concepts/tack.md, written again, and whole runs.

`tack_decisions.py` has the rules. It gets what a receiver got (the packets of a recorded run and
what is in them) and has to say when each TACK left, to the nanosecond, and why; and of each gap in
the packet numbers whether and when it was a loss, and what its IACK said.
"""

import json
import random

import polars as pl

import acklab
import tack_decisions
from tack_runs import received, scenario, sent

RUNS = 100


def decided(result, transport):
    """The case of a run."""
    packets, changes, seen, there, numbers = [], [], set(), set(), []
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
        at_once = copy or any(f.get("now") for f in frames)
        packets.append((now, size, at_once, 0 if copy else size, bool(data)))
        numbers.append((now, number))
    offer = next(
        f
        for frames in result.tack_contents["frames"].head(1)
        for f in json.loads(frames)
        if f["frame_type"] == "hello"
    )["offer"]

    def rtt_at(now):
        return next((rtt for at, rtt in reversed(changes) if at <= now), 0)

    gaps = tack_decisions.losses(numbers, offer["first_number"], transport["settle"], rtt_at)
    return {
        "gaps": [(at, above - below - 1) for at, below, above in gaps],
        "losses": gaps,
        # Numbers that came late, and that no IACK had called lost by then.
        "closed": len(late(numbers, gaps)),
        "start_up": transport["start_up"],
        "start_up_packets": transport["start_up_packets"],
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


def late(numbers, losses):
    """Packets below one that came before, and inside no gap that is a loss."""
    found, largest = [], 0
    for now, number in numbers:
        told = any(at < now and below < number < above for at, below, above in losses)
        if number < largest and not told:
            found.append(number)
        largest = max(largest, number)
    return found


def iacks(result):
    """IACKs of losses that left the receiver: time in ns, largest number below, number above."""
    there = result.packets.filter(
        (pl.col("point") == "d0") & (pl.col("direction") == "reverse") & (pl.col("what") == "sent")
    )
    rows = there.select("time_ns", "packet").join(
        result.tack_contents, on="packet", how="left", maintain_order="left"
    )
    return [
        (row["time_ns"], frame["lost"][0] - 1, frame["lost"][1] + 1)
        for row in rows.iter_rows(named=True)
        for frame in json.loads(row["frames"])
        if frame["frame_type"] == "iack" and frame["reason"] == "loss"
    ]


def runs():
    draw = random.Random(18)
    for number in range(RUNS):
        text = scenario(draw)
        yield text, acklab.load(text).run(seed=number)


def test_the_cases_of_the_core_are_those_of_the_rules():
    assert tack_decisions.CASES.read_text(encoding="utf-8") == tack_decisions.text()


def test_rules_and_runs_agree_on_every_tack_and_iack():
    reasons: dict[str, int] = {}
    kinds = {"losses": 0, "settled later": 0, "closed": 0, "silent": 0}
    end = 2_000_000_000
    for text, result in runs():
        transport = text["flow"][0]["transport"]
        case = decided(result, transport)
        expected = tack_decisions.departures(case)
        times = [t for t, frames in sent(result) if "tack" in frames]
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
        lost = [loss for loss in case["losses"] if loss[0] <= end]
        assert iacks(result) == (lost if transport["iack"] else []), text
        arrivals = {t for t, *_ in case["packets"]}
        kinds["losses" if transport["iack"] else "silent"] += len(lost)
        kinds["settled later"] += sum(at not in arrivals for at, *_ in lost)
        kinds["closed"] += case["closed"]
    assert set(reasons) == {
        "tack_now",
        "tack_byte_count",
        "tack_periodic",
        "tack_delayed",
        "tack_start_up",
    }
    assert min(reasons.values()) > 100, reasons
    assert min(kinds.values()) > 50, kinds
