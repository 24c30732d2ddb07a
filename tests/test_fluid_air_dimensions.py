"""Dimensional analysis of the equations over the air: contention, triggered uplink, the channel.

The lengths of SIFS and slots are constants of the standard there, in seconds; here they have units.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pint
import pytest

from acklab.fluid import access, contention, durations, frames
from acklab.fluid.contention import Contender, Exchange
from acklab.fluid.domain import DomainError
from acklab.fluid.radio import Lane, Radio, Source
from acklab.fluid.triggered import Triggered

U = pint.UnitRegistry()
WINDOWS = (16, 32, 64, 128, 256, 512, 1024, 1024)
LONG, SHORT = 2000 * U.us, 100 * U.us
DATA = Exchange(200 * U.us, 180 * U.us, 20, 48 * U.us)
ACKS = Exchange(120 * U.us, 9 * U.us, 64, 48 * U.us)


@pytest.fixture(autouse=True)
def constants_with_units(monkeypatch):
    """Those of the standard; in `slot` the gap is a number of microseconds times 1e-6."""
    monkeypatch.setattr(contention, "_SLOT_S", 9 * U.us)
    monkeypatch.setattr(contention, "_AFTER_FAILURE", 60 * U.us)
    monkeypatch.setattr(contention, "SIFS", 16 * U.s)
    monkeypatch.setattr(contention, "SLOT", 9 * U.s)
    monkeypatch.setattr(contention, "legacy", lambda *of: durations.legacy(*of) * U.s)
    monkeypatch.setattr(frames, "SIFS", 16 * U.us)


def test_a_slot_is_a_time():
    found = contention.slot([0.1, 0.2], [LONG, SHORT], [LONG, SHORT])
    assert found.mean.check("[time]")
    assert found.rest.check("[time]")
    assert 0 < found.collision < 1
    # A length without a unit does not go with them.
    with pytest.raises(pint.DimensionalityError):
        contention.slot([0.1, 0.2], [LONG, 1.0], [LONG, SHORT])
    with pytest.raises(pint.DimensionalityError):
        contention.slot([0.1, 0.2], [LONG, 5 * U.bit], [LONG, SHORT])


def test_exchanges_are_times():
    for of in (DATA, ACKS, DATA.scaled(2.0), replace(DATA, rts=90 * U.us, rts_alone=SHORT)):
        assert of.lasts(10).check("[time]")
        assert of.spoilt(10).check("[time]")
    assert all(x.check("[time]") for x in contention.rts_cts(24))


def test_the_printed_station_has_bits_in_a_second():
    found = contention.station_printed([0.1, 0.1], 0, 0.0, 10, 12e3 * U.bit, LONG)
    assert found.check((U.bit / U.s).dimensionality)


def test_numbers_stay_numbers():
    """Probabilities and counts refuse what has a unit, at the door (and behind it, as
    test_fluid_dimensions.py looks at)."""
    second = 1 * U.s
    calls = (
        lambda: contention.attempts(0.5 * second, [8.5, 16.5]) + 1.0,
        lambda: contention.busy_part(0.1 * second, 0.1, 1)[0] + 1.0,
        lambda: contention.collides([0.1 * second, 0.2 * second], 0),
        lambda: contention.fixed_point([Contender(WINDOWS)] * 2, [0.5 * second] * 2),
        lambda: contention.gives_up(0.5 * second, 3),
        lambda: contention.has_one_point([8.5 * second, 16.5 * second]),
    )
    for call in calls:
        with pytest.raises((DomainError, pint.DimensionalityError)):
            call()
    # Rates of a slot or of a second: what counts is their ratio.
    assert contention.busy_part(0.1 / second, 0.1 / second, 3)[0] == pytest.approx(
        contention.busy_part(0.1, 0.1, 3)[0]
    )


def cell(**more) -> Triggered:
    return Triggered(
        stations=[(0,), (1,), (2,), (3,)],
        users=4,
        units=2,
        stages=access.uora_stages(2),
        tfr=30 * U.us,
        bsr=90 * U.us,
        tf=40 * U.us,
        mb=32 * U.us,
        fixed=80 * U.us,
        each=90 * U.us,
        most=50,
        acks=ACKS,
        waits=100 * U.us,
        device=500.0,
        packet=12e3 * U.bit,
        payload=11e3 * U.bit,
        **more,
    )


def test_triggered_uplink_has_times_and_rates():
    of = cell()
    assert of.t_s(10).check("[time]")
    assert of.cycle(10).check("[time]")
    assert all(x.check("1 / [time]") for x in of.saturated())
    assert all(x.check("1 / [time]") for x in of.printed())
    found = of.queue(4)
    assert all(x.check("[time]") for x in found.delays(0.0, [0.0] * 4, 0.0))
    for factor in ("rate", "access", "aggregate", "every"):
        assert of.with_factor(factor, 2.0).cycle(10).check("[time]")
    with pytest.raises(pint.DimensionalityError):
        replace(of, waits=1e-4).cycle(10)


def test_a_channel_has_times_and_rates():
    lanes = [Lane((i,), DATA, ACKS, at_most=inf / U.s) for i in range(2)]
    sources = [Source(f"sta{i}", Contender(WINDOWS), [lanes[i]], 500.0) for i in range(2)]
    answers = [(Contender(WINDOWS), [(0, 0), (1, 0)])]
    of = Radio(sources, answers, 2, 12e3 * U.bit, 11e3 * U.bit)
    assert all(x.check("1 / [time]") for x in of.saturated())
    assert all(x.check("1 / [time]") for x in of.printed())
    found = of.queue(2)
    assert all(x.check("[time]") for x in found.accesses)
    assert all((x + SHORT).check("[time]") for x in found._waits)
