"""Flows that are alike: one of them is solved, and the numbers are those of all, to the bit."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from acklab.fluid.air import Air
from acklab.fluid.case import Case
from acklab.fluid.domain import DomainError
from acklab.fluid.loss_based import Reno
from acklab.fluid.scenario_case import case_of
from acklab.scenario import load


def channel(flows, direction="up", wifi=None, stations=None) -> Case:
    spec = {
        "name": "alike",
        "duration": "6 s",
        "topology": {
            "preset": "wlan",
            "stations": stations or sum(f.get("count", 1) for f in flows),
            "direction": direction,
            "wire": {"rate": "1 Gbit/s", "delay": "10 ms"},
        },
        "wifi": {"standard": "n", "mcs": 7, **(wifi or {})},
        "flow": flows,
    }
    return case_of(load(spec).resolved)


def apart(monkeypatch, case: Case):
    """The run without kinds: every flow by itself."""
    with monkeypatch.context() as m:
        m.setattr(Case, "_kinds", lambda self: list(range(len(self.flows))))
        return case.run()


SINGLE = {"ampdu": "off", "amsdu": "off"}


@pytest.mark.parametrize(
    ("flows", "direction", "wifi", "stations", "kinds"),
    [
        ([{"cc": "newreno", "count": 5}], "up", {}, None, [0] * 5),
        ([{"cc": "bbr1", "count": 5}], "up", SINGLE, None, [0] * 5),
        ([{"cc": "bbr3", "count": 3}], "down", SINGLE, None, [0] * 3),
        ([{"cc": "cubic", "count": 4}], "down", {"down": {"qdisc": "fq-codel"}}, None, [0] * 4),
        ([{"cc": "bbr1", "count": 4}], "down", {"down": {"qdisc": "per-station"}}, None, [0] * 4),
        # Of a station.
        ([{"cc": "cubic", "count": 4}], "up", {}, 1, [0] * 4),
        # Two kinds of senders, and of stations.
        (
            [{"cc": "newreno", "count": 3}, {"cc": "bbr3", "count": 2}],
            "up",
            {},
            None,
            [0, 0, 0, 1, 1],
        ),
        (
            [{"cc": "cubic", "count": 4}],
            "down",
            {"station": {"sta1": {"down": {"mcs": 0}}}},
            None,
            [0, 1, 0, 0],
        ),
    ],
)
def test_flows_that_are_alike_have_the_numbers_of_each(
    monkeypatch, flows, direction, wifi, stations, kinds
):
    case = channel(flows, direction, wifi, stations)
    assert case.radio.kinds([f.cc for f in case.flows]) == kinds
    once, each = case.run(), apart(monkeypatch, case)
    for f in fields(each):
        ours, theirs = getattr(once, f.name), getattr(each, f.name)
        assert ours == theirs if f.name == "phases" else np.array_equal(ours, theirs), f.name


def test_thirty_windows_of_fifty_packets_are_one_sender(monkeypatch):
    """The work of a run over the air is that of the kinds of its flows, not of their number."""
    case = replace(case_of(load("wifi-uploads").resolved), duration=6.0)
    calls = []
    step = Reno.step
    monkeypatch.setattr(Reno, "step", lambda self, *of: (calls.append(self), step(self, *of))[1])
    once = case.run()
    ours = len(calls)
    each = apart(monkeypatch, case)
    assert len(calls) - ours == 30 * ours > 0
    assert np.array_equal(once.goodput, each.goodput)
    assert once.goodput.shape[1] == 30
    printed = case.printed()
    assert (printed.goodput == printed.goodput[:, :1]).all()


def test_who_differs_anywhere_is_of_another_kind():
    case = channel(
        [{"cc": "cubic", "count": 3}], wifi={"station": {"sta2": {"queue": "9 packets"}}}
    )
    radio = case.radio
    assert radio.kinds(["a", "a", "a"]) == [0, 0, 1]
    with pytest.raises(DomainError, match=r"(?s)Eq 16: what tells flows apart .* of 3 flows"):
        radio.kinds(["a"])
    assert radio.kinds(["a", "b", "a"]) == [0, 1, 2]
    # Who is answered by another sender of ACKs, or with other lanes.
    (contender, _) = radio.answers[0]
    alone = replace(radio, answers=[(contender, [(0, 0)]), (contender, [(1, 0), (2, 0)])])
    assert alone.kinds(["a", "a", "a"]) == [0, 1, 2]
    with pytest.raises(DomainError, match="Eq 16: the kinds"):
        Air(radio, 2, [0, 1])
