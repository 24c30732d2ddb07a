"""The coupled model: its books, its steps, its numbers beside closed forms and the simulator."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acklab.fluid.case import WAITS
from acklab.fluid.coupled import Codel, Fair, Fifo, Path, Pie, Queue, Trace, _max_min, solve
from acklab.fluid.domain import DomainError, NoSolutionError
from acklab.fluid.queues import eq15, eq19, eq20
from acklab.fluid.scenario_case import case_of
from acklab.fluid.senders import SENDERS
from acklab.scenario import load, run_many

#: 10 Mbit/s of packets of 1500 bytes, and what of it is payload.
RATE = 10e6 / 12000
PAYLOAD = 1448 * 8
#: Round trip without queues, s.
RTT = 0.04
LENGTH, WARM = 60.0, 15.0


def queue_of(name: str, flows: int) -> Queue:
    return Fifo(flows, 50) if name == "fifo" else Fair(flows)


def run(names, queue="fifo", rtt=RTT, refine=1, **more) -> Trace:
    # A packet's own time on the link is part of every round trip.
    return solve(
        Path(RATE, rtt + 1 / RATE),
        [SENDERS[n]() for n in names],
        queue_of(queue, len(names)),
        LENGTH,
        refine=refine,
        **more,
    )


def goodput(trace: Trace) -> np.ndarray:
    """Mbit/s of payload."""
    return trace.goodput[trace.time > WARM].mean(0) * PAYLOAD / 1e6


def beside(names, queue: str, rtt: float = RTT, length: float = LENGTH) -> dict:
    """The same path in the simulator."""
    limit = {"queue": "50 packets"} if queue == "fifo" else {"qdisc": "fq-codel"}
    flows = [names] if isinstance(names, str) else names
    return {
        "name": "beside-a-fluid",
        "duration": f"{length} s",
        "warmup": f"{WARM} s",
        "node": [{"name": n} for n in ("a", "r", "b")],
        "link": [
            {"a": "a", "b": "r", "rate": "1 Gbit/s", "delay": "0 ms"},
            {"a": "r", "b": "b", "rate": "10 Mbit/s", "delay": f"{rtt * 500} ms", **limit},
        ],
        "tcp": {"profile": "linux"},
        "flow": [
            {"name": f"f{i}", "from": "a", "to": "b", "cc": c, "start_jitter": "1 s"}
            for i, c in enumerate(flows)
        ],
    }


@cache
def simulated(names: tuple[str, ...], queue: str) -> list[float]:
    """Goodput of the flows, the median of five seeds."""
    loaded = load(beside(names, queue))
    results = run_many([(loaded, seed) for seed in range(1, 6)])
    columns = zip(*(r.flows["goodput_warm_mbps"] for r in results), strict=True)
    return [median(c) for c in columns]


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(st.sampled_from(sorted(SENDERS)), min_size=1, max_size=4),
    kind=st.sampled_from(["fifo", "codel", "pie", "fair"]),
    rate=st.floats(20, 5e3),
    rtt=st.floats(2e-3, 0.3),
    limit=st.floats(2, 500),
    loss=st.sampled_from([0.0, 0.01, 1.0]),
    longer=st.floats(1, 5),
)
def test_what_is_sent_is_served_dropped_or_waits(names, kind, rate, rtt, limit, loss, longer):
    n = len(names)
    queue = {"fifo": Fifo(n, limit), "codel": Codel(n), "pie": Pie(n), "fair": Fair(n)}[kind]
    rtts = [rtt * longer ** (i / n) for i in range(n)]
    senders = [SENDERS[x]() for x in names]
    trace = solve(Path(rate, rtt, loss), senders, queue, 5.0, rtts=rtts)
    assert np.allclose(trace.sent, trace.served + trace.dropped + trace.left, rtol=1e-9, atol=1e-6)
    assert (trace.queue >= 0).all()
    # The last step may end a little after 5 s.
    assert trace.served.sum() <= rate * (5 + rtt)
    if kind == "fifo":
        assert trace.queue.sum(1).max() <= limit + 1e-6
    # In flight is what waits, and what was served or dropped within the last round trip.
    assert (trace.inflight >= trace.queue - 1e-6).all()


@pytest.mark.parametrize("name", sorted(SENDERS))
@pytest.mark.parametrize("queue", ["fifo", "fq-codel"])
def test_shorter_steps_change_little(name, queue):
    rough, fine = run([name], queue), run([name], queue, refine=4)
    assert goodput(rough) == pytest.approx(goodput(fine), rel=0.02)


def test_reno_in_a_fifo_is_the_saw_that_it_must_be():
    # Windows from half of BDP and buffer to all of it, a packet more in each round trip.
    trace = run(["newreno"])
    top = RATE * (RTT + 1 / RATE) + 50
    windows = trace.window[trace.time > WARM, 0]
    assert windows.max() == pytest.approx(top, rel=0.03)
    assert windows.min() == pytest.approx(top / 2, rel=0.05)
    # From top / 2 to top the queue is never empty: top / 2 round trips of the mean window's length.
    falls = trace.time[1:][np.diff(trace.window[:, 0]) < -5]
    falls = falls[falls > WARM]
    period = top / 2 * (0.75 * top / RATE)
    assert np.diff(falls).mean() == pytest.approx(period, rel=0.05)


@pytest.mark.parametrize("rtt", [0.1, 0.2])
def test_cubic_loses_as_often_as_in_the_simulator(rtt):
    # Paths on which CUBIC's own curve counts, and not Reno's: 5 to 6 s between losses.
    trace = solve(Path(RATE, rtt + 1 / RATE), [SENDERS["cubic"]()], Fifo(1, 50), 300)
    falls = trace.time[1:][np.diff(trace.window[:, 0]) < -5]
    period = np.diff(falls[falls > 60]).mean()
    simulated = 300 / load(beside("cubic", "fifo", rtt, 300)).run(1).flows["recoveries"][0]
    assert period == pytest.approx(simulated, rel=0.1)


@settings(deadline=None)
@given(
    of=st.lists(st.tuples(st.floats(0, 100), st.floats(0.1, 8)), min_size=1, max_size=6),
    budget=st.floats(1, 300),
)
def test_fair_queues_serve_by_equation_20(of, budget):
    # In a step of a second: what a flow has is what waits and what comes.
    have, weights = (list(v) for v in zip(*of, strict=True))
    served = np.array(_max_min(have, weights, budget))
    idle = np.zeros(len(have))
    assert served == pytest.approx(eq20(np.array(weights), budget, idle, np.array(have)))


def test_a_full_fifo_drops_by_equation_19():
    queue = Fifo(2, 50)
    queue.waiting = [20.0, 30.0]
    arrivals = [6.0, 9.0]
    served, dropped = queue.step(0.0, 0.01, 1000.0, arrivals)
    assert sum(served) == pytest.approx(10)
    assert dropped == pytest.approx(eq19(50, 50, np.array(arrivals) / 0.01, 1000.0) * 0.01)


def test_hosts_share_by_max_min():
    names = ["bbr3"] * 5
    queue = Fair(5, hosts=[1, 1, 1, 1, 2])
    trace = solve(Path(RATE, RTT), [SENDERS[n]() for n in names], queue, LENGTH)
    got = goodput(trace)
    assert got[4] == pytest.approx(got[:4].sum(), rel=0.1)
    even = solve(Path(RATE, RTT), [SENDERS[n]() for n in names], Fair(5), LENGTH)
    assert goodput(even) == pytest.approx(np.full(5, goodput(even).mean()), rel=0.05)


def test_bbr_probes_the_rtt_every_five_seconds():
    trace = run(["bbr3"])
    phases = [p[0] for p in trace.phases]
    began = [
        t
        for t, a, b in zip(trace.time[1:], phases, phases[1:], strict=False)
        if b == "PROBE_RTT" and a != b
    ]
    assert np.diff(began) == pytest.approx(np.full(len(began) - 1, 5.2), abs=0.1)
    assert {"STARTUP", "DRAIN", "DOWN", "CRUISE", "REFILL", "UP"} <= set(phases)


@pytest.mark.parametrize("name", sorted(SENDERS))
@pytest.mark.parametrize("queue", ["fifo", "fq-codel"])
def test_one_flow_beside_the_simulator(name, queue):
    # CoDel's drops meet packets there and a fluid here: Reno and BBRv3 keep a few per cent more.
    near = 0.03 if queue == "fifo" else 0.07
    assert goodput(run([name], queue)) == pytest.approx(simulated((name,), queue), rel=near)


@pytest.mark.parametrize("other", ["bbr1", "bbr2", "bbr3"])
def test_two_flows_in_fair_queues_beside_the_simulator(other):
    names = ("cubic", other)
    # BBRv2's probes are as short as a round trip, and find a little less here.
    near = 0.11 if other == "bbr2" else 0.07
    assert goodput(run(names, "fq-codel")) == pytest.approx(simulated(names, "fq-codel"), rel=near)


@pytest.mark.parametrize("name", ["newreno", "cubic", "bbr3"])
def test_equation_15_beside_recorded_queues(name):
    # A packet that finds q packets is acknowledged after the round trip and q packets. Records
    # are samples; the packet on the link is not in the queue, and an ACK may wait for a second
    # packet.
    scenario = beside(name, "fifo")
    scenario["record"] = {"every": "5 ms", "queues": True}
    loaded = load(scenario)
    case = case_of(loaded.resolved)
    result = loaded.run(1)
    link = result.link_series.filter(result.link_series["link"] == "r->b")
    rate, base = case.rate / case.packet, case.flows[0].rtt
    t = link["time_s"].to_numpy()
    expected = eq15(base, link["queue_packets"].to_numpy() / 1.0, rate, shared=False)
    seen_at = t + expected
    inside = (t > WARM) & (seen_at < LENGTH - 1)
    times, rtt = result.series["time_s"].to_numpy(), result.series["rtt_ms"].to_numpy() / 1e3
    seen = rtt[np.searchsorted(times, seen_at[inside])]
    packets = (seen - expected[inside]) * rate
    assert np.percentile(packets, 2.5) > -1
    assert np.percentile(packets, 97.5) < 3
    assert abs(np.median(packets) - 0.75) < 0.5


@pytest.mark.parametrize(("name", "rtt"), [("cubic", 0.04), ("cubic", 0.1), ("newreno", 0.04)])
def test_windows_are_distributed_as_recorded(name, rtt):
    scenario = beside(name, "fifo", rtt)
    scenario["record"] = {"every": "20 ms"}
    series = load(scenario).run(1).series
    recorded = series["cwnd_packets"].to_numpy()[series["time_s"].to_numpy() > WARM]
    trace = run([name], rtt=rtt)
    ours = trace.window[trace.time > WARM, 0]
    at = (10, 25, 50, 75, 90)
    assert np.percentile(ours, at) == pytest.approx(np.percentile(recorded, at), rel=0.06)


@pytest.mark.parametrize("rtt", [0.04, 0.1])
def test_bbr3s_windows_and_phases_beside_recorded_ones(rtt):
    # Its cycle has a length of chance, so phases are compared by how much of the time they take.
    scenario = beside("bbr3", "fifo", rtt)
    scenario["record"] = {"every": "20 ms"}
    series = load(scenario).run(1).series
    late = series.filter(series["time_s"] > WARM)
    trace = run(["bbr3"], rtt=rtt)
    on = trace.time > WARM
    assert np.median(trace.window[on, 0]) == pytest.approx(late["cwnd_packets"].median(), rel=0.15)
    ours = [p[0] for p, o in zip(trace.phases, on, strict=True) if o]
    for phase in ("CRUISE", "REFILL", "UP", "DOWN"):
        part = (late["state"] == f"PROBE_BW_{phase}").mean()
        assert ours.count(phase) / len(ours) == pytest.approx(part, abs=0.12)
    probing = (late["state"] == "PROBE_RTT").mean()
    assert ours.count("PROBE_RTT") / len(ours) == pytest.approx(probing, abs=0.015)


def around(times, phases, phase, values, offsets):
    """Mean values at times before and after the beginnings of a phase."""
    phases = np.asarray(phases)
    begins = times[1:][(phases[1:] == phase) & (phases[:-1] != phase)]
    begins = begins[(begins > WARM) & (begins < LENGTH - 2)]
    if phase != "PROBE_RTT":
        # A probe that PROBE_RTT cuts short is no whole one.
        rare = times[phases == "PROBE_RTT"]
        begins = [b for b in begins if not ((rare > b) & (rare < b + offsets[-1] / 2)).any()]
        begins = np.array(begins)
    return np.array([np.interp(begins + o, times, values).mean() for o in offsets])


@pytest.mark.parametrize("rtt", [0.04, 0.1])
def test_bbr3_with_its_phases_aligned(rtt):
    """From the beginning of UP on: the queue that a probe builds, how high and when."""
    scenario = beside("bbr3", "fifo", rtt)
    scenario["record"] = {"every": "10 ms"}
    series = load(scenario).run(1).series
    times, states = series["time_s"].to_numpy(), series["state"].to_list()
    trace = solve(Path(RATE, rtt + 1 / RATE), [SENDERS["bbr3"]()], Fifo(1, 50), LENGTH, sample=0.01)
    ours = [p[0] for p in trace.phases]
    # Ten round trips from UP on.
    offsets = np.arange(0, 10 * rtt, rtt / 4)
    rtts = around(times, states, "PROBE_BW_UP", series["rtt_ms"].to_numpy(), offsets)
    fluid = around(trace.time, ours, "UP", trace.rtt[:, 0] * 1e3, offsets)
    # UP ends with the same queue, within a tenth of the RTT. The recorded one is later by about two
    # round trips: packets wait for ACKs that are delayed and for whole bursts.
    assert fluid.max() == pytest.approx(rtts.max(), rel=0.1)
    late = offsets[rtts.argmax()] - offsets[fluid.argmax()]
    assert 0 <= late <= 2.5 * rtt
    # Aligned by the end of UP, the queue grew and drains alike.
    for away in (-2 * rtt, 2 * rtt):
        then = np.interp(offsets[rtts.argmax()] + away, offsets, rtts)
        assert np.interp(offsets[fluid.argmax()] + away, offsets, fluid) == pytest.approx(
            then, rel=0.15
        )
    # PROBE_RTT halves the window for as long, and the RTT is that of an empty path.
    offsets = np.array([0.05, 0.1, 0.15])
    least = around(times, states, "PROBE_RTT", series["cwnd_packets"].to_numpy(), offsets)
    ours_ = around(trace.time, ours, "PROBE_RTT", trace.window[:, 0], offsets)
    assert ours_ == pytest.approx(least, rel=0.1)


#: Places in a phase, from its beginning to its end.
PLACES = np.linspace(0.1, 0.9, 9)


def through(times, phases, phase, values) -> np.ndarray:
    """Values at `PLACES` of a phase, the median over all times that it occurs."""
    on = np.array([p == phase for p in phases])
    edges = np.flatnonzero(np.diff(on.astype(int))) + 1
    found = [
        np.interp(PLACES, np.linspace(0, 1, end - begin), values[begin:end])
        for begin, end in pairwise(edges)
        if on[begin] and end - begin > 1 and WARM < times[begin] < LENGTH - 3
    ]
    return np.median(found, axis=0)


@pytest.mark.parametrize("rtt", [0.04, 0.1])
def test_bbr3s_error_in_each_phase(rtt):
    """Each phase aligned from its beginning to its end: by how much window and RTT are off."""
    scenario = beside("bbr3", "fifo", rtt)
    scenario["record"] = {"every": "5 ms"}
    series = load(scenario).run(1).series
    times, states = series["time_s"].to_numpy(), series["state"].to_list()
    path = Path(RATE, rtt + 1 / RATE)
    trace = solve(path, [SENDERS["bbr3"]()], Fifo(1, 50), LENGTH, sample=5e-3)
    ours = [p[0] for p in trace.phases]
    window, rtts = series["cwnd_packets"].to_numpy(), series["rtt_ms"].to_numpy() / 1e3
    # Largest error of the window, and the mean error of the RTT from and to. The model's queue
    # grows in UP at once, the recorded one a round trip or two later.
    limits = {
        "REFILL": (0.12, -0.06, 0.02),
        "UP": (0.12, 0.1, 0.28),
        "DOWN": (0.16, -0.13, -0.03),
        "CRUISE": (0.08, -0.06, 0.02),
        "PROBE_RTT": (0.08, -0.06, 0.02),
    }
    for phase, (near, low, high) in limits.items():
        name = phase if phase == "PROBE_RTT" else f"PROBE_BW_{phase}"
        recorded = through(times, states, name, window)
        off = through(trace.time, ours, phase, trace.window[:, 0]) / recorded - 1
        assert np.abs(off).max() < near, phase
        recorded = through(times, states, name, rtts)
        off = through(trace.time, ours, phase, trace.rtt[:, 0]) / recorded - 1
        assert low < off.mean() < high, phase


def part_beside_cubic(cc: str, rtt: float) -> float:
    """Of the goodput in a FIFO, the median over the times between two probes."""
    parts = []
    for wait in WAITS:
        senders = [SENDERS["cubic"](), SENDERS[cc](wait=2.5 * wait)]
        got = goodput(solve(Path(RATE, rtt + 1 / RATE), senders, Fifo(2, 50), LENGTH))
        parts.append(got[1] / got.sum())
    return median(parts)


@pytest.mark.parametrize("rtt", [0.02, 0.04, 0.1])
def test_bbr2_yields_to_cubic_in_a_fifo_and_bbr3_does_not(rtt):
    """BBRv2's probes end with a queue of a quarter, BBRv3's when they find no more. In the
    simulator BBRv2 yields more at 20 and 40 ms: a fifth and a third is left to it."""
    loaded = load(beside(("cubic", "bbr2"), "fifo", rtt))
    flows = [r.flows["goodput_warm_mbps"] for r in run_many([(loaded, s) for s in range(1, 11)])]
    simulated = median(f[1] / (f[0] + f[1]) for f in flows)
    two, three = (part_beside_cubic(cc, rtt) for cc in ("bbr2", "bbr3"))
    if rtt < 0.1:
        assert simulated < 0.36
        assert simulated < two
    else:
        assert simulated == pytest.approx(two, abs=0.04)
    assert two < 0.48
    assert two + 0.03 < three


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Path(0, 0.1), "Eq 16: Theta"),
        (lambda: Path(10, -0.1), "Eq 15: tau_min"),
        (lambda: Fifo(1, 0), "Eq 19: Q_max"),
        (
            lambda: solve(Path(RATE, 0.04), [SENDERS["newreno"]()] * 2, Fifo(1, 50), 1),
            "(?s)Eq 16: the flows of the queue = 1 .*help: 2, one for each sender",
        ),
    ],
)
def test_what_is_outside_a_domain_is_named(call, says):
    with pytest.raises(DomainError, match=says):
        call()


@pytest.mark.parametrize(
    ("window", "says"),
    [(float("inf"), "Eq 15: tau_0"), (float("nan"), "Eq 15: tau_0")],
)
def test_a_sender_that_leaves_the_physical_region_is_named(window, says):
    """A window without end into a queue without end."""

    class Endless:
        pacing, phase = float("inf"), "ENDLESS"

        def __init__(self) -> None:
            self.window = window

        def step(self, *_: float) -> None:
            pass

    with pytest.raises(NoSolutionError, match=rf"{says} leaves the physical region") as caught:
        solve(Path(1000.0, 0.04), [Endless()], Fifo(1, float("inf")), 1.0)
    assert "help: " in str(caught.value)
