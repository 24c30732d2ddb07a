"""Two independent computations of every recorded metric agree: the core's, and one from packets."""

import numpy as np
import polars as pl
import pytest

import acklab
from acklab.metrics import nearest_rank

EVERYTHING = {
    "every": "50 ms",
    "events": True,
    "acks": True,
    "delays": True,
    "queues": True,
    "packets": True,
    "ppdus": True,
}
SEGMENT = 1448
DURATION_S, WARMUP_S = 6, 2
ACK, SYN = 16, 2

#: Congested, random loss, thinned ACKs, jitter with copies and overtaking; and ns-3's stack.
WAYS = {
    "congested": {},
    "thinned": {"reverse": {"ack_filter": {"name": "aggregate", "ratio": 4}}},
    "cake": {"reverse": {"rate": "200 kbit/s", "ack_filter": "cake"}},
    "both": {"reverse": {"rate": "200 kbit/s", "ack_filter": ["tac", "cake"]}},
    "replaced": {"reverse": {"rate": "100 kbit/s", "ack_filter": "android-replace"}},
    "lossy": {"loss": 0.01, "reverse": {"loss": 0.02}},
    "messy": {
        "jitter": "1 ms",
        "duplicate": 0.01,
        "reorder": {"probability": 0.01, "delay": "3 ms"},
    },
    "marked": {"mark": "5 packets", "ce": 0.01},
    "ns3": {"loss": 0.002},
}


def scenario(way, flows=1):
    return {
        "name": way,
        "duration": f"{DURATION_S} s",
        "warmup": f"{WARMUP_S} s",
        "record": EVERYTHING,
        "tcp": {"ns3": {"profile": "ns3"}, "marked": {"ecn": "on"}}.get(way, {}),
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
            "bottleneck": {
                "rate": "10 Mbit/s",
                "delay": "10 ms",
                "queue": "20 packets",
                **WAYS[way],
            },
        },
        "flow": [{"name": f"f{i}", "cc": "cubic"} for i in range(flows)],
    }


@pytest.fixture(scope="module", params=WAYS)
def run(request):
    return acklab.load(scenario(request.param)).run(seed=3)


def at(run, point, what):
    return run.packets.filter((pl.col("point") == point) & (pl.col("what") == what))


def data(rows):
    return rows.filter(pl.col("len") > 0)


def pure_acks(rows):
    return rows.filter((pl.col("len") == 0) & (pl.col("flags") & (ACK | 1 | SYN | 4 | 32) == ACK))


def offsets(numbers, origin):
    """Wire numbers as offsets from `origin`, for streams shorter than 2^31 bytes."""
    return (numbers.to_numpy().astype(np.int64) - origin) % (1 << 32)


def origin(run):
    """Number of the first byte of the data."""
    syn = at(run, "s0", "sent").filter(pl.col("flags") & SYN != 0)
    return int(syn["seq"][0]) + 1


def in_order(run):
    """Of each data packet that arrived: time, and bytes in order from then on."""
    arrived = data(at(run, "d0", "delivered"))
    starts = offsets(arrived["seq"], origin(run))
    times, edge, held, edges = arrived["time_ns"].to_numpy(), 0, {}, []
    for start, length in zip(starts.tolist(), arrived["len"].to_list(), strict=True):
        held[start] = max(held.get(start, 0), start + length)
        while any(s <= edge < e for s, e in held.items()):
            edge = max(e for s, e in held.items() if s <= edge)
            held = {s: e for s, e in held.items() if e > edge}
        edges.append(edge)
    return times, np.array(edges)


def flow(run):
    return run.flows.row(0, named=True)


def test_goodput_is_what_came_in_order(run):
    _, edges = in_order(run)
    assert flow(run)["received_bytes"] == edges[-1]
    assert flow(run)["goodput_mbps"] == pytest.approx(edges[-1] * 8 / DURATION_S / 1e6)


def test_throughput_is_what_was_sent(run):
    # A packet sent at the very instant at which measuring begins is not measured: the SYN.
    sent = at(run, "s0", "sent").filter(pl.col("time_ns") > 0)["size"].sum()
    assert flow(run)["sent_mbps"] == pytest.approx(sent * 8 / DURATION_S / 1e6)
    assert flow(run)["data_segments"] == data(at(run, "s0", "sent")).height


def test_series_add_up_to_what_packets_say(run):
    step = 0.05
    last = run.series["time_s"].max()
    sent = at(run, "s0", "sent")
    first = run.series["time_s"].min()
    between = sent.filter(
        (pl.col("time_ns") > first * 1e9) & (pl.col("time_ns") <= round(last * 1e9))
    )
    rates = run.series["throughput_mbps"].drop_nulls().sum()
    assert rates * step * 1e6 / 8 == pytest.approx(between["size"].sum())
    times, edges = in_order(run)
    read = edges[times <= round(last * 1e9)][-1]
    goodput = run.series["goodput_mbps"].drop_nulls().sum()
    assert goodput * step * 1e6 / 8 == pytest.approx(read, abs=1e-3)


def test_retransmissions_are_segments_seen_before(run):
    sent = data(at(run, "s0", "sent"))
    starts = offsets(sent["seq"], origin(run))
    again = starts < np.maximum.accumulate(np.append(-1, (starts + sent["len"].to_numpy())[:-1]))
    assert flow(run)["retransmissions"] == again.sum()
    assert flow(run)["retransmitted_bytes"] == sent["len"].to_numpy()[again].sum()
    told = run.events.filter(pl.col("event") == "retransmit")
    assert told.height == again.sum()
    assert told["value"].sum() == flow(run)["retransmitted_bytes"]
    by_cause = dict(told["cause"].value_counts().iter_rows())
    for cause in ("rack", "dupack", "tlp", "rto"):
        assert flow(run)[f"retransmissions_{cause}"] == by_cause.get(cause, 0)


def test_events_add_up_to_the_counters(run):
    events = run.events
    kinds = dict(events["event"].value_counts().iter_rows())
    lost = events.filter(pl.col("event") == "loss_detected")["value"].sum()
    spurious = events.filter(pl.col("event") == "spurious")["value"].sum()
    f = flow(run)
    assert (f["lost_segments"], f["spurious_retransmissions"]) == (lost, spurious)
    assert (f["rtos"], f["undos"]) == (kinds.get("rto", 0), kinds.get("undo", 0))
    assert abs(kinds.get("recovery_enter", 0) - kinds.get("recovery_exit", 0)) <= 1
    assert events["time_s"].is_sorted()


def test_duplicates_held_nothing_new(run):
    arrived = data(at(run, "d0", "delivered"))
    starts = offsets(arrived["seq"], origin(run)).tolist()
    had, duplicates = set(), 0
    for start, length in zip(starts, arrived["len"].to_list(), strict=True):
        new = set(range(start, start + length)) - had if start < 3_000_000 else {0}
        duplicates += not new
        had |= new
    if max(starts) < 3_000_000:
        assert flow(run)["duplicate_segments"] == duplicates
    assert flow(run)["spurious_retransmissions"] <= flow(run)["duplicate_segments"]


def one_way(run):
    """Arrivals of data packets and how long they took."""
    sent = data(at(run, "s0", "sent")).select("packet", sent="time_ns")
    here = data(at(run, "d0", "delivered")).join(sent, on="packet", maintain_order="left")
    return here["time_ns"].to_numpy(), (here["time_ns"] - here["sent"]).to_numpy().astype(float)


def test_one_way_delay_and_jitter(run):
    times, delays = one_way(run)
    warm = times >= WARMUP_S * 1e9
    assert flow(run)["owd_mean_ms"] == pytest.approx(delays[warm].mean() / 1e6, abs=1e-6)
    for percent in (50, 95, 99):
        ours = nearest_rank(pl.Series(delays[warm]), percent) / 1e6
        assert flow(run)[f"owd_p{percent}_ms"] == pytest.approx(ours, abs=1.01e-4)
    estimate, estimates = 0.0, []
    for d in np.abs(np.diff(delays, prepend=delays[0])):
        estimate += (d - estimate) / 16
        estimates.append(estimate)
    # The first packet has none before it to be compared with, as D = 0 says.
    assert flow(run)["jitter_ms"] == pytest.approx(np.array(estimates)[warm].mean() / 1e6)
    last = run.series.row(-1, named=True)
    assert (last["owd_ms"], last["jitter_ms"]) == pytest.approx((delays[-1] / 1e6, estimate / 1e6))


def test_sojourn_is_from_queued_to_left(run):
    for link in run.links.iter_rows(named=True):
        queued = at(run, link["link"], "queued").select("packet", since="time_ns")
        left = at(run, link["link"], "left").select("packet", "time_ns")
        if queued["packet"].n_unique() < queued.height:
            continue  # Copies of one packet cannot be told apart.
        waits = left.join(queued, on="packet").filter(pl.col("time_ns") >= WARMUP_S * 10**9)
        waited = (waits["time_ns"] - waits["since"]).cast(pl.Float64)
        assert link["sojourn_mean_ms"] == pytest.approx(waited.mean() / 1e6, abs=1e-6)
        p95 = nearest_rank(waited, 95) / 1e6
        assert link["sojourn_p95_ms"] == pytest.approx(p95, abs=1.01e-4)


def test_drops_by_reason(run):
    reasons = [c.removeprefix("drops_") for c in run.links.columns if c.startswith("drops_")]
    assert len(reasons) == 8
    for link in run.links.iter_rows(named=True):
        drops = at(run, link["link"], "dropped")
        counts = dict(drops["reason"].value_counts().iter_rows())
        assert [link[f"drops_{r}"] for r in reasons] == [counts.get(r, 0) for r in reasons]
        assert link["dropped"] == drops.height
        assert link["packets_out"] == at(run, link["link"], "delivered").height


def test_marks_are_changes_to_ce(run):
    for link in run.links.iter_rows(named=True):
        marked = at(run, link["link"], "marked")
        # A packet that the queue has marked and still holds is not seen to have left yet.
        waiting = at(run, link["link"], "queued").height - at(run, link["link"], "left").height
        assert marked.height <= link["marks"] <= marked.height + waiting
        assert set(marked["ecn"]) <= {"CE"}
    if run.scenario.name == "marked":
        (row,) = run.links.filter(pl.col("link") == "left->right").iter_rows(named=True)
        assert row["marks"] > 0
        assert flow(run)["ecn_reductions"] > 0
        told = run.events.filter(pl.col("event") == "ecn_reduce").height
        assert told == flow(run)["ecn_reductions"]


def test_acks_are_those_of_the_packets(run):
    acks, f = run.acks, flow(run)
    here, there = pure_acks(at(run, "s0", "delivered")), pure_acks(at(run, "d0", "sent"))
    received = acks.filter(pl.col("what") == "received")
    assert f["acks_received"] == here.height == received.height
    assert f["acks_sent"] == there.height == acks.filter(pl.col("what") == "sent").height
    assert f["acks_per_s"] == pytest.approx(here.height / DURATION_S)
    rtts = f["srtt_mean_ms"] / 1e3
    assert f["acks_per_rtt"] == pytest.approx(here.height / DURATION_S * rtts)
    assert f["segments_per_ack"] == pytest.approx(f["data_segments"] / here.height)
    covered = np.maximum.accumulate(offsets(here["ack"], origin(run)))
    news = np.ceil(np.diff(covered, prepend=0) / SEGMENT)
    assert received["segments"].to_list() == news.tolist()
    assert received["ack_bytes"].to_list() == offsets(here["ack"], origin(run)).tolist()


def test_an_acks_delay_is_since_its_first_new_byte_came(run):
    times, edges = in_order(run)
    sent = pure_acks(at(run, "d0", "sent"))
    numbers, said, delays = offsets(sent["ack"], origin(run)), 0, []
    for now, ack in zip(sent["time_ns"].to_list(), numbers.tolist(), strict=True):
        came = times[np.searchsorted(edges, said, side="right")] if ack > said else None
        delays.append(None if came is None else (now - int(came)) / 1e9)
        said = max(said, ack)
    told = run.acks.filter(pl.col("what") == "sent")["delay_s"].to_list()
    assert told == pytest.approx(delays)
    ours = [d for d, t in zip(delays, sent["time_ns"], strict=True) if d is not None and t >= 2e9]
    assert flow(run)["ack_delay_mean_ms"] == pytest.approx(np.mean(ours) * 1e3, abs=1e-6)


def test_what_a_filter_held_came_out_or_was_merged(run):
    link = run.links.filter(pl.col("acks_seen").is_not_null())
    counts = dict(run.acks["what"].value_counts().iter_rows())
    if link.is_empty():
        assert not {"held", "released", "merged"} & set(counts)
        return
    (row,) = link.iter_rows(named=True)
    assert counts.get("merged", 0) == row["acks_dropped"]
    merged = run.acks.filter(pl.col("what") == "merged")
    assert merged["delay_s"].null_count() == row["acks_dropped_queued"]
    moves = run.acks.filter(pl.col("what").is_in(["released", "merged"]) & (pl.col("delay_s") > 0))
    assert counts.get("held", 0) >= moves.height
    assert (moves["delay_s"] <= 0.005 + 1e-9).all() or run.scenario.name == "cake"


def test_the_link_series_show_the_packet_that_left_last(run):
    left = at(run, "left->right", "left").select("packet", "time_ns")
    queued = at(run, "left->right", "queued").select("packet", since="time_ns")
    if queued["packet"].n_unique() < queued.height:
        return
    waits = left.join(queued, on="packet", maintain_order="left")
    samples = run.link_series.filter(pl.col("link") == "left->right")
    for time, told in samples.select("time_s", "sojourn_ms").iter_rows():
        before = waits.filter(pl.col("time_ns") <= round(time * 1e9))
        if before.is_empty():
            assert told is None
        else:
            row = before.row(-1, named=True)
            assert told == pytest.approx((row["time_ns"] - row["since"]) / 1e6)
