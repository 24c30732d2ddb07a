"""Senders as fluids: Reno, CUBIC, BBRv1, BBRv2 and BBRv3, a step at a time.

A sender hears of what was delivered and lost one round trip ago, and says its rate (Eq 12): a
window in each round trip, no faster than it paces. Losses are whole packets: a fluid that
overflows gathers them until there is one. Windows are in packets, rates in packets per second.
"""

from __future__ import annotations

from typing import Protocol

from acklab.fluid.bbr_cycle import Bbr2, Bbr3
from acklab.fluid.bbr_model import Bbr1
from acklab.fluid.domain import Symbols, above_zero
from acklab.fluid.loss_based import Cubic, Reno

equation = Symbols(most=above_zero("packet", 1000.0, name="the receiver's window", infinite=True))


class Sender(Protocol):
    """Interface of a sender for the solver."""

    #: Packets that may be in flight.
    window: float
    #: Packets per second that it paces at most.
    pacing: float
    #: The phase it is in, for people.
    phase: str

    def step(
        self, now: float, dt: float, delivered: float, lost: float, rtt: float, inflight: float
    ) -> None:
        """Moves on by `dt`: packets per second `delivered`, packets `lost` in this step, the RTT of
        what was delivered, and packets in flight now."""


@equation("Eq 12")
class Bounded:
    """A sender whose receiver lets `most` packets in flight: its window is no larger."""

    def __init__(self, of: Sender, most: float) -> None:
        self._of, self._most = of, most
        self.window, self.pacing, self.phase = min(of.window, most), of.pacing, of.phase

    def step(
        self, now: float, dt: float, delivered: float, lost: float, rtt: float, inflight: float
    ) -> None:
        """See `Sender`. A window that is not in use does not grow (RFC 7661)."""
        of = self._of
        of.step(now, dt, delivered, lost, rtt, inflight)
        if of.window > self._most:
            of.window = self._most
        self.window = of.window
        self.pacing, self.phase = of.pacing, of.phase


#: By the name that a scenario has for them.
SENDERS: dict[str, type[Reno] | type[Cubic] | type[Bbr1] | type[Bbr2] | type[Bbr3]] = {
    "newreno": Reno,
    "cubic": Cubic,
    "bbr1": Bbr1,
    "bbr2": Bbr2,
    "bbr3": Bbr3,
}
