"""Saturated sources: senders without a transport that always have another packet.

What closed forms of Wi-Fi are about, and what a UDP flow above its share does to a channel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab import _core
from acklab.arrays import ready
from acklab.errors import AcklabError
from acklab.results import frame_of
from acklab.scenario import Scenario, checked_seed

if TYPE_CHECKING:
    import polars as pl

#: Longest IP packet, and what a block ack window of HE takes twice.
LONGEST_PACKET, WAITING = 65_535, 512


def saturate(
    scenario: Scenario,
    *,
    packet: int = 1500,
    waiting: int | None = None,
    seed: int | None = None,
) -> pl.DataFrame:
    """Runs the radio channels of a scenario, each flow a source that never runs dry.

    A flow says who sends over which way and under which access category; of the rest of it, and of
    wires, nothing counts. It begins at the radio hop of its way there and ends behind it. `packet`
    is the length of an IP packet in bytes; `waiting` of each flow are kept in its station, which is
    an error if its `queue` does not hold them. Without `waiting` there are as many as the queue
    holds (500 packets for all flows of a station, unless the scenario says more), at most 512 of
    each flow. Measured from the scenario's `start`.

    One row per flow that crosses a channel: `flow`, `medium`, `station` (that sends), `packets`
    that arrived, `packets_per_s`; and of the station, for all its flows: `accesses` (times that it
    won the medium), `failures` (of them not answered), `internal_collisions`, `data_ppdus`.

    Raises:
        AcklabError: If the scenario has no radio channel, a number is out of range, or a
            station's queue is shorter than what is to be kept waiting in it.
    """
    if not scenario.channels:
        raise AcklabError(
            f"{scenario.name!r} has no radio channel to saturate\n"
            '  help: write [wifi], or topology = { preset = "wlan" }'
        )
    for what, value, most in [
        ("packet", packet, LONGEST_PACKET),
        ("waiting", WAITING if waiting is None else waiting, 100_000),
    ]:
        if not 1 <= value <= most:
            raise AcklabError(f"{what} must be from 1 to {most}, not {value}")
    seed = checked_seed(scenario.seed if seed is None else seed)
    ready()
    kept = WAITING if waiting is None else waiting
    try:
        told = _core.saturate(scenario._core, seed, packet, kept, waiting is not None)
    except ValueError as error:
        raise AcklabError(str(error)) from None
    return frame_of(told)
