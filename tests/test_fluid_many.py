"""Many points at once: the same as the coupled model, point by point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acklab.fluid.coupled import Codel, Fair, Fifo, Path, Pie, Queue, Trace, solve, step_of
from acklab.fluid.domain import DomainError
from acklab.fluid.many import Runs, Totals
from acklab.fluid.many_queues import KINDS
from acklab.fluid.maps import over
from acklab.fluid.senders import SENDERS

RATE = 10e6 / 12_000


def one(names, kind: str, rate: float, rtt: float, limit: float, loss: float, seconds: float):
    """A point by `coupled.solve`, with a sample for each step."""
    n = len(names)
    queues: dict[str, Queue] = {
        "pfifo": Fifo(n, limit),
        "codel": Codel(n),
        "pie": Pie(n),
        "fq-codel": Fair(n),
    }
    senders = [SENDERS[x]() for x in names]
    return solve(Path(rate, rtt, loss), senders, queues[kind], seconds, sample=step_of(rtt))


def check(trace: Trace, totals: Totals, i: int, late: float = 0.0, **exact: float) -> None:
    # Of the steps that begin after the warm-up.
    span = trace.time - trace.time[0] > late - 1e-6
    for name in ("sent", "served", "dropped", "left"):
        ours, theirs = getattr(totals, name)[:, i], getattr(trace, name)
        assert ours == pytest.approx(theirs, **exact), name
    for name in ("goodput", "queue", "rtt"):
        ours, theirs = getattr(totals, name)[:, i], getattr(trace, name)[span].mean(0)
        assert ours == pytest.approx(theirs, **exact), name


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        *((kind, names) for kind in sorted(KINDS) for names in (["cubic", "bbr3"], list(SENDERS))),
        *(("pfifo", [name]) for name in sorted(SENDERS)),
    ],
)
def test_points_at_once_are_points_one_by_one(kind, names):
    """To the last digits of sums, over phases, losses and probes: no event comes a step earlier or
    later."""
    limits, rtts = [6.0, 30.0, 90.0], [0.031, 0.043, 0.1]
    totals = Runs(names, kind, RATE, seconds=20.0, warmup=5.0).totals(limits, rtts)
    for i, (limit, rtt) in enumerate(zip(limits, rtts, strict=True)):
        trace = one(names, kind, RATE, rtt, limit, 0.0, 20.0)
        check(trace, totals, i, 5.0, rel=1e-9, abs=1e-9)


@settings(max_examples=12, deadline=None)
@given(
    names=st.lists(st.sampled_from(sorted(SENDERS)), min_size=1, max_size=4),
    kind=st.sampled_from(sorted(KINDS)),
    rate=st.floats(20, 5e3),
    rtts=st.lists(st.floats(0.02, 0.3), min_size=1, max_size=3),
    limit=st.floats(2, 500),
    loss=st.sampled_from([0.0, 0.01, 1.0]),
)
def test_it_holds_in_the_whole_box(names, kind, rate, rtts, limit, loss):
    """The books balance, and so long as rounding decides no event, so do the numbers."""
    runs = Runs(names, kind, rate, limit=limit, seconds=5.0, x="loss", y="rtt")
    totals = runs.totals([loss] * len(rtts), rtts)
    books = totals.served + totals.dropped + totals.left
    assert np.allclose(totals.sent, books, rtol=1e-9, atol=1e-6)
    for i, rtt in enumerate(rtts):
        check(one(names, kind, rate, rtt, limit, loss, 5.0), totals, i, rel=1e-6, abs=1e-6)


def test_a_map_of_runs_has_a_row_for_each_round_trip_on_any_number_of_cores(monkeypatch):
    runs = Runs(["cubic", "bbr3"], "pfifo", RATE, seconds=10.0)
    xs, ys = [25.0, 50.0, 75.0], [0.02, 0.04]
    found = over(runs, xs, ys, jobs=1)
    assert found.shape == (2, 3)
    trace = one(["cubic", "bbr3"], "pfifo", RATE, 0.04, 25.0, 0.0, 10.0)
    assert found[1, 0] == pytest.approx(trace.served[1] / trace.served.sum(), rel=1e-9)
    monkeypatch.setattr("acklab.fluid.maps.TOGETHER", 2)
    assert (over(runs, xs, ys, jobs=1) == found).all()
    assert (over(runs, xs, ys, jobs=2) == found).all()


def test_what_a_map_cannot_be_names_symbol_and_right():
    with pytest.raises(DomainError, match="Eq 12: the sender = vegas"):
        Runs(["vegas"], "pfifo", RATE)
    with pytest.raises(DomainError, match="Eqs 18 to 21: the queue = red"):
        Runs(["cubic"], "red", RATE)
    with pytest.raises(DomainError, match="the map: the parameter = colour"):
        Runs(["cubic"], "pfifo", RATE, x="colour")
    with pytest.raises(DomainError, match="the map: the parameter = rtt"):
        Runs(["cubic"], "pfifo", RATE, x="rtt")
    with pytest.raises(DomainError, match="the map: warmup = 60"):
        Runs(["cubic"], "pfifo", RATE, warmup=60.0)
    with pytest.raises(DomainError, match="Eq 15: tau_min"):
        over(Runs(["cubic"], "pfifo", RATE), [50.0], [0.0], jobs=1)
    with pytest.raises(DomainError, match="Eq 19: Q_max"):
        over(Runs(["cubic"], "pfifo", RATE), [0.0], [0.04], jobs=1)
