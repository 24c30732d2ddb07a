"""TACK counts of Figure 13: beta / RTT times the time, and one IACK for each loss event.

The study counts loss events by the IACKs that left, so it cannot tell whether each has one. Here
they are counted from the packets that the path has delivered: by the rule of docs/concepts/tack.md
(`tack_decisions.losses`), and once more by gaps in their numbers alone.
"""

import json
from itertools import pairwise

import polars as pl
import pytest

import acklab
import tack_decisions
from acklab.studies.study import Effort
from acklab.studies.tack import cells, laws
from acklab.studies.tack.quantities import _numbers

#: s of each case, of the paper's 130.
LENGTH = 13


def run(case, noisy):
    made = (cells._noisy if noisy else cells._wan)(Effort(1, quick=True), case, "tack")
    made["record"] = {"acks": True, "packets": ["sta0"]}
    return acklab.load(made).run(seed=1)


def arrivals(result):
    """Packets with a PKT.SEQ that reached the station, in order: time in ns, number."""
    there = result.packets.filter(
        (pl.col("point") == "sta0")
        & (pl.col("direction") == "forward")
        & (pl.col("what") == "delivered")
    )
    rows = there.select("time_ns", "packet").join(
        result.tack_contents, on="packet", how="left", maintain_order="left"
    )
    return rows.filter(pl.col("feedback") == 0).select("time_ns", "number").rows()


def first_number(result):
    (hello,) = json.loads(result.tack_contents["frames"][0])
    return hello["offer"]["first_number"]


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("case", cells.CASES)
def test_a_loss_event_has_one_iack(case, noisy):
    result = run(case, noisy)
    numbers = arrivals(result)
    of = result.flows.row(0, named=True)
    # The path keeps the order, so a gap is a loss at once.
    assert all(a[1] < b[1] for a, b in pairwise(numbers))
    gaps = sum(b[1] > a[1] + 1 for a, b in pairwise(numbers))
    events = tack_decisions.losses(numbers, first_number(result), "once-reordered", lambda _: 0)
    assert len(events) == gaps
    # Skipped numbers are gaps, too; a gap that shows when a
    # TACK is due has no packet of its own, but its reason.
    told = result.acks.filter(pl.col("what") == "sent")
    losses = told.filter(pl.col("reason") == "iack_loss").height
    assert losses == gaps
    # In the paper's 130 s the acknowledgements of start-up, up to 128, are few.
    start_up = told.filter(pl.col("reason") == "tack_start_up").height
    assert start_up <= 128
    expected = laws.BETA / (_numbers(result)[-2] / 1e3) * LENGTH + gaps
    assert of["acks_sent"] - start_up == pytest.approx(expected, rel=0.1)
