"""First packets of flows, and 58 s in numbers, beside captures of a kernel that is never late."""

import copy
import csv
import gzip
import json
import statistics
import sys

import polars as pl
import pytest

import acklab
from acklab.studies.bbr_wifi6 import cells
from acklab.studies.study import Effort
from acklab.validate import kernel_virtual_rows
from acklab.validate.compare import rank_test
from conftest import ROOT

FOLDER = ROOT / "validation/kernel-virtual/captures"
sys.path.insert(0, str(FOLDER))
import wire  # noqa: E402

SAID = json.loads((FOLDER / "captures.json").read_text())
UNTIL = 58_000_000
#: Of each cell the first segments and ACKs that are the kernel's, those whose windows are, too, and
#: microseconds within which 95 % of them are.
FIRST = {
    "pfifo limit 50 reno": (3000, 504, 5),
    "pfifo limit 50 cubic": (3000, 3000, 5),
    "pfifo limit 50 vegas": (3000, 3000, 5),
    # In another phase of PROBE_BW from 0.4 s on: the same packets, at other times.
    "pfifo limit 50 bbr": (3000, 3000, 5000),
    "fq_codel cubic": (3000, 3000, 25),
    "cake cubic": (3000, 3000, 40),
    "cake bbr": (3000, 3000, 10),
    "codel bbr": (3000, 3000, 10),
    # RED drops another packet.
    "red bbr": (125, 125, 10),
}
#: A seed with which PROBE_BW begins in the kernel's phase: of 100 seeds 11 and 17 do.
SEEDS = {"cake bbr": 16, "codel bbr": 40}
#: Later draws choose between steady patterns. Of seeds 1 to 12 four have the kernel's, 647 to 654
#: retransmissions.
WHOLE_SEEDS = {"cake bbr": 12}
SCENARIOS = {r.name: r.scenarios[0] for r in kernel_virtual_rows()}


@pytest.fixture(scope="module", params=SAID)
def pair(request):
    """The cell, and all that passes the sender's interface here."""
    return request.param, flow(request.param, SEEDS.get(request.param, 1))


def flow(cell, seed, **tcp):
    spec = copy.deepcopy(SCENARIOS[f"linux-6.12 {cell}"])
    spec["record"] = {"packets": ["snd"]}
    (one,) = spec["flow"]
    one["tcp"] |= tcp
    del one["start_jitter"]
    # Against the kernel's ticks.
    one["start"] = f"{SAID[cell]['start_us']} us"
    found = rows(acklab.load(spec).run(seed).packets)
    return [r for r in found if r.time < UNTIL]


def rows(packets):
    names = ("time_ns", "direction", "flags", "seq", "ack", "len", "window_bytes", "sack")
    found = zip(*(packets[n].to_list() for n in names), strict=True)
    began, out, _, isn, *_ = next(found)
    base = isn + 1
    for time_ns, direction, flags, seq, ack, size, window, sack in found:
        time = (time_ns - began) // 1000
        if direction == out and size:
            yield wire.Row(time, "D", (seq - base) % (1 << 32), size, ())
        elif direction != out and not flags & 2:
            edges = [(n - base) % (1 << 32) for n in sack]
            blocks = tuple(zip(edges[::2], edges[1::2], strict=True))
            yield wire.Row(time, "A", (ack - base) % (1 << 32), window, blocks)


def kept(cell):
    return wire.load(FOLDER / f"{cell.replace(' ', '-')}.csv.gz")


def test_the_first_segments_and_acks(pair):
    cell, here = pair
    first, windows, close = FIRST[cell]
    same, apart = wire.same(kept(cell), here, windows=False)
    assert same >= first
    assert apart <= close
    assert wire.same(kept(cell), here, windows=True)[0] >= windows


def test_the_whole_flow(pair):
    """What a capture counts; BBR's phases are a draw, so of them means are compared."""
    cell, here = pair
    if cell in WHOLE_SEEDS:
        here = flow(cell, WHOLE_SEEDS[cell])
    said, found = SAID[cell], wire.summary(here, "bbr" in cell)
    assert set(found) == set(said) - {"start_us", "sha256"}
    assert found["segments"] == pytest.approx(said["segments"], rel=0.01)
    if cell == "red bbr":
        # RED draws: as many as ten starts of the kernel have.
        (row,) = (r for r in kernel_virtual_rows() if r.name == "linux-6.12 red bbr")
        starts = row.values["retransmissions"]
        assert min(starts) <= found["retransmissions"] <= max(starts)
    else:
        assert found["retransmissions"] == pytest.approx(said["retransmissions"], rel=0.1, abs=2)
    # RED drops at random: its episodes are another draw.
    rel, packets = (0.25, 0.8) if cell == "red bbr" else (0.05, 0.5)
    assert count(found["episodes"]) == pytest.approx(count(said["episodes"]), rel=rel, abs=1)
    for end in {"up", "cruise", "down"} & set(found):
        assert mean(found[end]) == pytest.approx(mean(said[end]), abs=packets), end


def count(counter):
    return sum(counter.values())


def mean(counter):
    return sum(int(k) * n for k, n in counter.items()) / count(counter)


def test_vegas_is_the_kernels_packet_by_packet(pair):
    """Segments and ACKs, with windows and SACK: nothing differs in 58 s."""
    cell, here = pair
    if cell == "pfifo limit 50 vegas":
        assert len(here) > 70_000
        assert wire.digest(here) == SAID[cell]["sha256"]


def test_a_delayed_ack_leaves_when_the_jiffy_after_its_own_begins():
    """As the timer of `ack/linux/ato.rs` does: 10 jiffies of 4 ms, and the next one's beginning."""
    found = json.loads((FOLDER / "delack.json").read_text())
    assert len(found) == 100
    assert all(delay == 44_000 - phase for phase, delay in found)


def test_pie_updates_its_probability_a_tick_later_than_tupdate_in_ticks():
    found = json.loads((FOLDER / "pie.json").read_text())
    assert sum(found) / len(found) == pytest.approx(20, abs=0.1)
    spec = next(s for name, s in SCENARIOS.items() if name == "linux-6.12 pie reno")
    (bottleneck,) = [link for link in spec["link"] if link["a"] == "r1"]
    assert bottleneck["qdisc"]["classes"][0]["child"]["tupdate"] == "20 ms"


#: Microseconds from an update of PIE's probability to the SYN of a flow with a `start_us` of 0. The
#: sender's timer adds 45 us to the 8 ms.
PIE_PHASE = 8_045


def test_flows_behind_pie_start_8_ms_after_an_update():
    """With and without ECN, with one flow and two, and with 7.3."""
    found = json.loads((FOLDER / "pie_phase.json").read_text())
    assert len({run["cell"] for run in found}) == 6
    for run in found:
        phase = PIE_PHASE + run["start_us"]
        assert len(run["updates"]) >= 18
        for before, after in run["updates"]:
            update = 20_000 * round((after + phase) / 20_000) - phase
            assert before < update <= after
    starts = {f["start"] for name, s in SCENARIOS.items() if " pie " in name for f in s["flow"]}
    assert starts == {"8 ms", "9 ms"}
    pairs = SCENARIOS["linux-6.12 pie reno+reno 0"]["flow"]
    assert [f["start"] for f in pairs] == ["8 ms", "8 ms"]


TIES = json.loads((FOLDER / "ties.json").read_text())
#: What a timer of Linux's own clock decides: 600 us after its start a packet comes.
AT_THE_TIE = {"slack": "100", "delay": "5000"}


def retransmissions(bottleneck, **changed):
    """Of Reno in 30 s of 40 Mbit/s, with a slack of SACK compression or a delay each way in us."""
    spec = copy.deepcopy(SCENARIOS[f"linux-6.12 40M10ms {bottleneck} reno"])
    (one,) = spec["flow"]
    del one["start_jitter"]
    if slack := changed.get("slack"):
        one["tcp"]["sack_compression"] = {"slack": f"{slack} us"}
    if delay := changed.get("delay"):
        for way in (w for link in spec["link"] for w in (link, link["reverse"])):
            if way.get("delay") == "5 ms":
                way["delay"] = f"{delay} us"
    return int(acklab.load(spec).run(1).flows["retransmissions"][0])


@pytest.mark.parametrize("bottleneck", TIES)
def test_reno_retransmits_as_often_but_where_a_timer_ends_as_a_packet_comes(bottleneck):
    for what, counts in TIES[bottleneck].items():
        for us, count in counts.items():
            if us != AT_THE_TIE[what]:
                # Next to the tie some of the kernel's timers are on its other side.
                near = bottleneck == "netem" and us in ("99", "4990")
                here = retransmissions(bottleneck, **{what: us})
                assert here == pytest.approx(count, abs=7 if near else 3), (what, us)
    # At the tie acklab has what the kernel has with a slack of a microsecond more.
    assert retransmissions(bottleneck) == pytest.approx(TIES[bottleneck]["slack"]["101"], abs=3)
    before, tie, after = (TIES[bottleneck]["slack"][us] for us in ("98", "100", "101"))
    assert min(before, after) < tie < max(before, after)


def test_reno_behind_pie_drops_as_often():
    """After slow start retransmissions are lost, too, and SACKs tell which (`sacks_need_echo`).

    By RFC 8985's rule for SACKs half of the runs wait for a timeout and have less than 250 drops.
    """
    kernel = json.loads((FOLDER / "pie_drops.json").read_text())
    assert {span: len(found) for span, found in kernel.items()} == {"1000": 50, "20000": 60}
    for span, drops in kernel.items():
        spec = copy.deepcopy(SCENARIOS["linux-6.12 pie reno"])
        spec["flow"][0] |= {"start": "8 ms", "start_jitter": f"{span} us"}
        scenario = acklab.load(spec)
        here = [float(scenario.run(seed).links["dropped"].sum()) for seed in range(1, 31)]
        assert min(here) >= 250
        assert rank_test([float(n) for n in drops], here) > 0.05


def test_bbr_behind_cake_has_the_patterns_of_30_more_starts():
    """The eleven starts that the comparison has, and acklab misses, differ from these, too."""
    kernel = [float(n) for n in json.loads((FOLDER / "cake_bbr.json").read_text())]
    (row,) = [r for r in kernel_virtual_rows() if r.name == "linux-6.12 cake bbr"]
    assert (len(kernel), len(row.values["drops"])) == (30, 11)
    scenario = acklab.load(row.scenarios[0])
    here = [float(scenario.run(seed).links["dropped"].sum()) for seed in range(1, 41)]
    assert rank_test(kernel, here) > 0.05
    assert rank_test(kernel, row.values["drops"]) < 0.05


def test_the_slack_of_7_3_makes_another_pattern_of_bbr_behind_cake():
    """A kernel of 6.12 with that slack has it, too."""
    kernel = [float(n) for n in json.loads((FOLDER / "cake_bbr_slack.json").read_text())]
    (row,) = [r for r in kernel_virtual_rows() if r.name == "linux-6.12 cake bbr"]
    spec = copy.deepcopy(row.scenarios[0])
    spec["flow"][0]["tcp"]["sack_compression"] = {"slack": "10 us"}
    scenario = acklab.load(spec)
    here = [float(scenario.run(seed).links["dropped"].sum()) for seed in range(1, 41)]
    assert rank_test(kernel, here) > 0.05
    assert max(row.values["drops"]) < 1640 < min(max(kernel), max(here))


def test_rack_judges_by_the_segment_sent_last_in_whatever_order_blocks_come():
    """A filter leaves ACKs that show several new blocks, the latest first; Linux sorts them.

    In the order of the option RACK takes the RTT of the first hole's neighbour, and finds the third
    hole a tick later: 339 rows were the kernel's.
    """
    kernel = wire.load(FOLDER / "sack_order.csv.gz")
    spec = copy.deepcopy(SCENARIOS["linux-6.12 netem ack-filter overhead 18 mpu 96 bbr"])
    spec["record"] = {"packets": ["snd"], "until": "1 s"}
    (one,) = spec["flow"]
    del one["start_jitter"]
    one["start"] = "665 us"
    here = list(rows(acklab.load(spec).run(1).packets))
    same, apart = wire.same(kernel, here, windows=False)
    assert (same, len(kernel)) == (661, 661)
    assert apart <= 20


def test_a_reader_acknowledges_all_that_arrives_at_one_instant():
    """CUBIC beside Vegas: two segments at one instant, and the ACK of the reader covers both.

    With an ACK for the first of them CUBIC's rows were the kernel's for 1.1 s, and with CoDel's
    exact roots for 0.3 s.
    """
    kernel = wire.load(FOLDER / "one_instant.csv.gz")
    spec = copy.deepcopy(SCENARIOS["linux-6.12 fq_codel vegas+cubic 0"])
    spec["record"] = {"packets": ["rcv"], "until": "3 s"}
    for one, start in zip(spec["flow"], (297, 466), strict=True):
        del one["start_jitter"]
        one["start"] = f"{start} us"
    packets = acklab.load(spec).run(1).packets
    here = list(rows(packets.filter(packets["flow"] == "cubic1")))
    same, apart = wire.same(kernel, here, windows=False)
    assert (same, len(kernel)) == (1441, 1441)
    assert apart <= 20


def departures(keys):
    """What leaves the bottleneck in 12 s of the pair's third start: time, flow, first byte."""
    starts = json.loads((FOLDER / "codel_pair.json").read_text())["3"]
    return passes("codel reno+vegas", starts, 12, keys)[0]


def passes(cell, starts, seconds, keys):
    """What leaves the bottleneck, and when each packet first entered it."""
    spec = copy.deepcopy(SCENARIOS[f"linux-6.12 {cell} 0"]) | {
        "duration": f"{seconds} s",
        "warmup": "0 s",
    }
    spec["record"] = {"packets": ["r1->r2"]}
    for one, start in zip(spec["flow"], starts, strict=True):
        del one["start_jitter"]
        one["start"] = f"{start} ns"
        one["tcp"] |= keys
    packets = acklab.load(spec).run(1).packets
    first = {f["name"]: None for f in spec["flow"]}
    left, entered = [], {}
    for t, what, flow, seq in (
        packets.filter(pl.col("len") > 0).select("time_ns", "what", "flow", "seq").iter_rows()
    ):
        if first[flow] is None:
            first[flow] = seq
        packet = list(first).index(flow), (seq - first[flow]) % 2**32
        if what == "left":
            left.append((t, *packet))
        else:
            entered.setdefault(packet, t)
    return left, entered


@pytest.mark.parametrize("start", ["1", "2"])
@pytest.mark.parametrize(
    "cell",
    [
        "cake vegas+vegas",
        "cake vegas+cubic",
        "cake reno+vegas",
        "cake pppoe-llcsnap vegas+cubic",
    ],
)
def test_pairs_behind_cake_part_at_a_tie(cell, start):
    """The first packet in another order came as another one left; the kernel's clock is late."""
    starts = json.loads((FOLDER / "cake_ties.json").read_text())[cell][start]
    with gzip.open(FOLDER / "cake_ties.csv.gz", "rt") as f:
        rows = [r for r in csv.DictReader(f) if (r["cell"], r["start"]) == (cell, start)]
    kernel = [tuple(int(r[k]) for k in ("time_ns", "flow", "number", "entered_ns")) for r in rows]
    left, entered = passes(cell, starts, 1, {})
    i = next(i for i, (a, b) in enumerate(zip(kernel, left, strict=False)) if a[1:3] != b[1:])
    time, flow, number, came = kernel[i]
    # One nanosecond here, two steps of the clock there.
    assert entered[flow, number] == left[i][0]
    assert time - came == 512


def test_a_pair_behind_codel_is_the_kernels_packet_for_packet():
    """Reno beside Vegas, 12 s from the kernel's starts: 67 drops, and timers that fire at ticks.

    Other starts differ after 1 to 29 s, where two packets change places.
    """
    with gzip.open(FOLDER / "codel_pair.csv.gz", "rt") as f:
        kernel = [tuple(map(int, r.values())) for r in csv.DictReader(f)]

    def same(here):
        pairs = zip(kernel, here, strict=False)
        return next((i for i, (a, b) in enumerate(pairs) if a[1:] != b[1:]), len(kernel))

    here = departures({})
    assert same(here) == len(kernel) == 9944
    # The kernel's clock has steps of 256 ns; its shaper is late by 3 us a second.
    assert all(-1_000 < a[0] - b[0] < 50_000 for a, b in zip(kernel, here, strict=False))
    assert same(departures({"jiffy": "0 s"})) < 5000


def test_bbr_is_the_kernels_in_the_kernels_units():
    """Behind CoDel, with the kernel's phase of PROBE_BW (`FIRST` has the same with them)."""
    cell = "codel bbr"
    exact = flow(cell, SEEDS[cell], kernel_units=False)
    assert wire.same(kept(cell), exact, windows=True)[0] < 2000


def overlap(one, other):
    """The share of the first flow's visits that falls into the second one's."""
    inside = (max(0, min(b, d) - max(a, c)) for a, b in one for c, d in other)
    return sum(inside) / sum(b - a for a, b in one)


def visits(jitter, seed=1):
    """When each of two BBRv3 behind CoDel is in PROBE_RTT, on a path late by up to `jitter`.

    And how many packets CoDel drops.
    """
    name = "linux-6.12-bbr3 codel bbr+bbr 0"
    spec = copy.deepcopy(SCENARIOS[name])
    spec["record"] = {"events": True}
    for one in (d for link in spec["link"] for d in (link, link["reverse"])):
        if one.get("delay") == "10 ms":
            one["jitter"] = jitter
    result = acklab.load(spec).run(seed)
    states = result.events.filter(pl.col("event") == "state")
    (row,) = (r for r in kernel_virtual_rows() if r.name == name)
    found = []
    for flow in spec["flow"]:
        mine = states.filter(pl.col("flow") == flow["name"])
        times, names = mine["time_s"].to_list(), mine["cause"].to_list()
        spans = zip(names, times, times[1:], strict=False)
        found.append([(a, b) for state, a, b in spans if state == "PROBE_RTT"])
    return found, row.measures["drops"](result)


def test_equal_round_trips_bring_two_flows_into_probe_rtt_at_once():
    """Of BBRv3 only a strictly lower RTT postpones a visit, and on an exact path none is.

    In the kernel, whose round trips differ by a microsecond, the visits coincide in some starts.
    Those have fewer drops, as many as acklab, and a shorter RTT.
    """
    kernel = json.loads((FOLDER / "probe_rtt.json").read_text()).values()
    assert all(8 <= len(one) <= 12 for start in kernel for one in start["visits"])
    shares = [overlap(*start["visits"]) for start in kernel]
    assert statistics.correlation(shares, [start["drops"] for start in kernel]) < -0.7
    assert statistics.correlation(shares, [sum(start["rtt_p95_us"]) for start in kernel]) < -0.7
    at_once = [start["drops"] for start, share in zip(kernel, shares, strict=True) if share > 0.5]
    exact = [visits("0 s", seed) for seed in (1, 2, 3)]
    assert all(overlap(*both) > 0.9 for both, _ in exact)
    drops = statistics.median(n for _, n in exact)
    assert drops == pytest.approx(statistics.median(at_once), rel=0.05)
    assert overlap(*visits("5 us")[0]) < 0.6


def test_a_difference_is_seen():
    rows = kept("pfifo limit 50 reno")
    assert wire.same(rows, rows, windows=True) == (len(rows), 0)
    i, ack = next((i, r) for i, r in enumerate(rows) if r.sack)
    other = list(rows)
    other[i] = ack._replace(sack=ack.sack[1:])
    before = sum(r.time < ack.time for r in rows)
    assert wire.same(rows, other, windows=False)[0] == before
    assert wire.digest(rows) != wire.digest(other)
    other[i] = ack._replace(size=ack.size + 64)
    assert wire.same(rows, other, windows=False)[0] == len(rows)
    assert wire.same(rows, other, windows=True)[0] == before
    shifted = [r._replace(time=r.time + 20) for r in rows]
    assert wire.same(rows, shifted, windows=True) == (len(rows), 20)


def test_the_summary_counts_episodes_of_loss():
    segment = [wire.Row(0, "D", 1448 * i, 1448, ()) for i in range(10)]
    late = wire.WARM + 1
    again = [segment[i]._replace(time=late) for i in (0, 2, 4)]
    ack = wire.Row(late, "A", 14_480, 0, ())
    new = [r._replace(time=late, number=r.number + 14_480) for r in segment]
    rows = [*segment, *again, ack, *new, new[0]]
    assert wire.summary(rows, bbr=False) == {
        "segments": 24,
        "retransmissions": 4,
        "episodes": {"1": 1, "3": 1},
    }


def test_the_table_of_trees_has_the_medians_of_its_runs():
    """The kernel's side of each row of CAKE and FQ-CoDel."""
    kept = pl.read_csv(
        FOLDER.parent / "tree/tree.csv",
        schema_overrides={"rtt_ms": pl.Float64, "delivery_p90_mbps": pl.String},
    )
    text = (FOLDER.parent / "README.md").read_text()
    table = text.split("## A CAKE in a tree")[1].split("\n\n")[2]
    names = {
        "CAKE in the tree": "tree cake",
        "below a bucket of one packet": "htb cake",
        "CAKE that shapes": "cake",
        "FQ-CoDel in the tree": "tree fq_codel",
    }
    seen, name = 0, ""
    for line in table.splitlines()[2:]:
        where, rtt, *pairs = (c.strip() for c in line.strip("|").split("|"))
        name = names[where] if where else name
        cell = kept.filter(
            bottleneck=name, rtt_ms=float(rtt.split(",")[0]), late_us=1200 * ("late" in rtt)
        )
        for cc, pair in zip(("bbr", "cubic"), pairs, strict=True):
            median = cell.filter(cc=cc)["total_retrans"].median()
            assert float(pair.split(" : ")[1]) == pytest.approx(median, abs=0.51), line
            seen += 1
    assert seen == 24


def test_the_row_of_a_fifo_by_round_trip_is_made_again():
    """Both sides of it: the goodput of BBRv3 from 5 s on, medians."""
    text = (FOLDER.parent / "README.md").read_text()
    table = text.split("Behind a FIFO of 50 packets BBRv3's goodput hangs")[1].split("\n\n")[1]
    head, _, ours, theirs = (
        [c.strip() for c in x.strip("|").split("|")] for x in table.split("\n")
    )
    kept = pl.read_csv(
        FOLDER.parent / "tree/tree.csv",
        schema_overrides={"rtt_ms": pl.Float64, "delivery_p90_mbps": pl.String},
    ).filter(bottleneck="tree pfifo", late_us=0, cc="bbr")
    rtts = [float(x) for x in head[1:]]
    assert len(rtts) == 8
    for rtt, mine, kernel in zip(rtts, ours[1:], theirs[1:], strict=True):
        median = kept.filter(rtt_ms=rtt)["goodput_mbps"].median()
        assert float(kernel) == pytest.approx(median, abs=0.006), rtt
        spec = acklab.load(cells._phase(Effort(10), round(rtt * 1000), "none"))
        runs = acklab.run_many([(spec, seed) for seed in range(1, 11)], jobs=1)
        goodputs = [run.flows.filter(flow="bbr")["goodput_warm_mbps"][0] for run in runs]
        assert float(mine) == pytest.approx(statistics.median(goodputs), abs=0.006), rtt
