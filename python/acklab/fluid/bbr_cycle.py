"""BBRv3 and BBRv2 as fluids (`senders`): a cycle of phases, and bounds that losses lower."""

from __future__ import annotations

from math import inf

from acklab.fluid.bbr3 import DELTA, P_TH
from acklab.fluid.bbr_model import Bbr
from acklab.fluid.domain import Symbols, above_zero

equation = Symbols(wait=above_zero("s", 2.5, name="the time between two probes"))


@equation("BBRv3, 4.3.3")
class Bbr3(Bbr):
    """BBRv3 (draft-ietf-ccwg-bbr): DOWN, CRUISE, REFILL, UP, with bounds that losses lower.

    `wait` is the time between two probes: 2 to 3 s by chance there, a number here. The model has no
    noise of samples, no ECN and no limits of the application.
    """

    up_gain = 1.25
    down_gain = 0.9
    up_window_gain = 2.25
    #: Part of the high bound that a cruising flow leaves free (BBRHeadroom).
    headroom = 0.15
    #: Whether UP ends when three rounds have found no more; else with its gain in flight.
    up_to_plateau = True

    def __init__(self, wait: float = 2.5) -> None:
        super().__init__()
        self.wait = wait
        self.hi = inf
        self.lo = inf
        self.bw_lo = inf
        self._step = 1.0
        self._probed_at = 0.0
        self._lost_in_up = False
        self._rounds = 0
        #: Whether a loss says something of the bound, and whether UP's feedback is on its way.
        self._listens = self._heard = False
        #: Whether the last probe lost too much, and whether this one stopped before it could.
        self._too_high = self._cautious = False
        self._found = 0.0
        self._not_more = 0
        self._credit = 0.0

    def gives_up_startup(self, lost: float, rate: float) -> bool:
        """Six losses and 2 % in a round (4.3.1.3)."""
        if lost >= 6 and rate > P_TH:
            self.hi = max(self.bdp, self._round_delivered)
            return True
        return False

    def paced_bandwidth(self) -> float:
        """The lower of the long-term and the short-term bandwidth."""
        return min(self.bandwidth, self.bw_lo)

    def on_round(self, now: float, lost: float, rate: float) -> None:
        """Losses: below the high bound while it probes, below the low bounds while it does not."""
        super().on_round(now, lost, rate)
        self._rounds += 1
        if self._listens and rate > P_TH and lost >= 1:
            self.hi = max(self._in_flight, (1 - DELTA) * self.bdp)
            self._listens = False
            self._too_high = True
            self._lost_in_up = self.phase in ("UP", "REFILL")
        elif self.phase == "UP":
            self._step *= 2
            self._look_for_plateau()
        if self._heard and self.phase in ("DOWN", "CRUISE"):
            # The feedback of UP is in: forget the bandwidth of the cycle before the last.
            self._listens = self._heard = False
            self._best = [0.0, self._best[0] or self._best[1]]
            if self._cautious and not self._too_high:
                # A careful probe that lost nothing: the next follows at once.
                self._refill(now)
        if self.phase in ("DOWN", "CRUISE") and lost >= 1:
            # BBRLossLowerBounds: any loss, not only above the threshold.
            latest = self._round_delivered / max(self.min_rtt, 1e-9)
            self.bw_lo = self.bandwidth if self.bw_lo == inf else self.bw_lo
            self.lo = self.window if self.lo == inf else self.lo
            self.bw_lo = max(min(latest, self.bandwidth), (1 - DELTA) * self.bw_lo)
            self.lo = max(self._round_delivered, (1 - DELTA) * self.lo)

    _in_flight = 0.0

    def _look_for_plateau(self) -> None:
        """A round of UP has passed: a quarter more than before is more (BBRCheckFullBWReached)."""
        if self._sample >= 1.25 * self._found:
            self._found, self._not_more = self._sample, 0
        else:
            self._not_more += 1

    def drained(self, now: float) -> None:
        """DOWN is the first phase of a cycle; PROBE_RTT has drained already."""
        emptied = self.phase == "PROBE_RTT"
        self._to_down(now)
        if emptied:
            self.enter("CRUISE", now)

    def _to_down(self, now: float) -> None:
        self._probed_at = now
        self._rounds = 0
        self._lost_in_up = False
        self._heard = self.phase == "UP"
        self.new_round(self._in_flight)
        self.enter("DOWN", now)

    def probe_rtt_window(self) -> float:
        """Half of the bandwidth-delay product."""
        return 0.5 * self.bdp

    def probe_bw(self, now: float, dt: float, rtt: float, inflight: float) -> tuple[float, float]:
        """The cycle; 4.3.3."""
        self._in_flight = inflight
        past = now - self._phase_began
        bdp = self.bdp
        bound, gain, of_window = self.hi, 1.0, self.window_gain
        if self.phase == "DOWN":
            gain, bound = self.down_gain, self._cruising()
            if inflight <= min(bdp, bound):
                self.enter("CRUISE", now)
        elif self.phase == "CRUISE":
            bound = self._cruising()
        if self.phase in ("DOWN", "CRUISE"):
            # As often as a Reno flow of this size would lose: once in BDP round trips, at most 63.
            if now - self._probed_at >= self.wait or self._rounds >= min(max(bdp, 4.0), 63.0):
                self._refill(now)
        elif self.phase == "REFILL":
            if past >= rtt:
                self.new_round(inflight)
                self._step = 1.0
                self._found, self._not_more = self._sample, 0
                self.enter("UP", now)
        elif self.phase == "UP":
            gain, of_window = self.up_gain, self.up_window_gain
            # Eq 10: 1, 2, 4, ... packets more in each round trip while the bound is in use.
            limited = self.window / rtt <= self.pacing and self.window >= self.hi
            if self.hi < inf and limited:
                # For each window that is acknowledged, in whole packets.
                self._credit += self._step * self._delivered / self.window
                self.hi += int(self._credit)
                self._credit -= int(self._credit)
            elif not self.up_to_plateau:
                self._credit = 0.0
            if self.up_to_plateau:
                if self.hi < inf and limited:
                    # The bound was what limited it: look again.
                    self._found, self._not_more = self._sample, 0
                full = self._not_more >= 3
            else:
                full = past >= self.min_rtt and inflight >= self.up_gain * bdp
            if self._too_high and inflight > self.hi - 1:
                # The last probe went too far: stop where it was.
                self._cautious, full = True, True
            if full or self._lost_in_up:
                self._too_high = self._lost_in_up
                self._to_down(now)
        return gain, min(of_window * bdp, bound, self.lo)

    def _refill(self, now: float) -> None:
        self.lo = self.bw_lo = inf
        self._listens, self._cautious = True, False
        # A probe is judged by what it loses itself.
        self._part = 0.0
        self.enter("REFILL", now)

    def _cruising(self) -> float:
        return (1 - self.headroom) * self.hi if self.hi < inf else inf


class Bbr2(Bbr3):
    """BBRv2: drains with 0.75, and its window has no more gain in UP."""

    startup_gain = 2.89
    drain_gain = 1 / 2.89
    down_gain = 0.75
    up_window_gain = 2.0
    up_to_plateau = False
