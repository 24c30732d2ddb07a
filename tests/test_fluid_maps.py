"""Maps of stability and of runs over two parameters."""

from functools import partial

import numpy as np
import pytest

from acklab.fluid.coupled import Fifo, Path, solve
from acklab.fluid.domain import DomainError
from acklab.fluid.maps import LOOPS, growth, over
from acklab.fluid.senders import SENDERS

RATE = 10e6 / 12_000


def shares(flows: float, rtt: float) -> float:
    """BBRv3's part of the goodput beside CUBIC, in 10 s."""
    queue = Fifo(2, 25 * flows)
    trace = solve(Path(RATE, rtt), [SENDERS["cubic"](), SENDERS["bbr3"]()], queue, 10.0)
    return float(trace.served[1] / trace.served.sum())


def test_a_map_is_the_same_on_any_number_of_cores():
    xs, ys = [1.0, 2.0], [0.02, 0.04]
    here, there = over(shares, xs, ys, jobs=1), over(shares, xs, ys, jobs=2)
    assert here.shape == (2, 2)
    assert (here == there).all()
    assert here[1, 0] == shares(1.0, 0.04)


def test_stability_over_flows_and_round_trips():
    flows, rtts = np.arange(1, 41, dtype=float), np.linspace(0.01, 0.2, 25)
    maps = {name: over(partial(growth, name, RATE, 20), flows, rtts, jobs=1) for name in LOOPS}
    for name, found in maps.items():
        assert found.shape == (25, 40), name
    # Reno behind a full buffer swings where windows are larger than pi or so.
    drop = maps["reno, drop tail"]
    window = (RATE * rtts[:, None] + 20) / flows[None, :]
    assert (drop[window > 3.8] > 0).all()
    assert (drop[window < 2.4] < 0).all()
    # CUBIC's linear part decides nothing, and neither does BBRv1's in a long buffer.
    assert (maps["cubic, drop tail"] == 0).all()
    assert (maps["bbr1, long buffer"][:, 1:] == 0).all()
    # BBRv2 comes to even shares everywhere, the slower the more flows there are.
    assert (maps["bbr2"] < 0).all()
    assert (np.diff(maps["bbr2"], axis=1) > 0).all()
    # Behind PIE there is no steady state for flows that would need half of their packets lost.
    pie = maps["reno, pie"]
    needed = 2 / (RATE * (rtts[:, None] + 0.015) / flows[None, :]) ** 2
    assert np.isnan(pie[needed >= 0.5]).all()
    assert not np.isnan(pie[needed < 0.5]).any()


def test_an_unknown_loop_is_named():
    with pytest.raises(DomainError, match="the map: the loop = vegas"):
        growth("vegas", 1.0, 1.0, 1.0, 1.0)
