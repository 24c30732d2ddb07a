"""Senders as fluids: Reno, CUBIC, BBRv1, BBRv2 and BBRv3, a step at a time.

A sender hears of what was delivered and lost one round trip ago, and says its rate (Eq 12): a
window in each round trip, no faster than it paces. Losses are whole packets: a fluid that
overflows gathers them until there is one. Windows are in packets, rates in packets per second.
"""

from __future__ import annotations

from math import inf
from typing import Protocol

from acklab.fluid.bbr3 import DELTA, P_TH

#: Packets of the first window (RFC 6928).
FIRST = 10.0


class Sender(Protocol):
    """What the solver needs of a sender."""

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


class _LossBased:
    """Slow start, and one reduction a round trip."""

    #: What a reduction leaves.
    keeps = 0.5

    def __init__(self) -> None:
        self.window = FIRST
        self.pacing = inf
        self.phase = "slow start"
        self._threshold = inf
        self._lost = 0.0
        self._until = 0.0
        self._least = inf

    def step(
        self, now: float, dt: float, delivered: float, lost: float, rtt: float, inflight: float
    ) -> None:
        """See `Sender`."""
        del inflight
        self._least = min(self._least, rtt)
        self._lost += lost
        if now < self._until:
            # Losses of the same window are one event.
            self._lost = 0.0
        elif self._lost >= 1:
            self._lost = 0.0
            self._until = now + rtt
            self.reduce(now)
            self._threshold = self.window
            self.phase = "avoidance"
            return
        acked = delivered * dt
        if self.window < self._threshold:
            self.window += acked
            # HyStart leaves when the RTT rises by an eighth, 4 to 16 ms (Linux `tcp_cubic.c`).
            if self.hystart and rtt > self._least + min(max(self._least / 8, 4e-3), 16e-3):
                self._threshold = self.window
                self.phase = "avoidance"
        else:
            self.grow(now, acked, rtt)

    hystart = False

    def reduce(self, now: float) -> None:
        """After a loss."""
        self.window = max(self.keeps * self.window, 2.0)

    def grow(self, now: float, acked: float, rtt: float) -> None:
        """In congestion avoidance."""
        self.window += acked / self.window


class Reno(_LossBased):
    """RFC 5681: a packet more in each round trip, half after a loss."""


class Cubic(_LossBased):
    """RFC 9438: C (t - K)^3 + W_max, and no less than Reno would have."""

    keeps = 0.7
    hystart = True
    #: Segments per second cubed (4.1.2).
    scale = 0.4

    def __init__(self) -> None:
        super().__init__()
        self._max = 0.0
        self._since: float | None = None
        self._k = 0.0
        self._origin = 0.0
        self._friendly = 0.0
        self._prior = 0.0

    def reduce(self, now: float) -> None:
        """4.6 and fast convergence, 4.7."""
        self._prior = self.window
        before = self._max
        self._max = self.window * (1 + self.keeps) / 2 if self.window < before else self.window
        super().reduce(now)
        self._since = None

    def grow(self, now: float, acked: float, rtt: float) -> None:
        """4.2 to 4.5."""
        if self._since is None:
            self._since = now
            self._friendly = self.window
            self._origin = max(self._max, self.window)
            self._k = ((self._origin - self.window) / self.scale) ** (1 / 3)
        t = now - self._since + rtt
        target = self.scale * (t - self._k) ** 3 + self._origin
        target = min(max(target, self.window), 1.5 * self.window)
        self.window += (target - self.window) / self.window * acked
        alpha = 1.0 if self._friendly >= self._prior else 3 * (1 - self.keeps) / (1 + self.keeps)
        self._friendly += alpha * acked / self._friendly
        self.window = max(self.window, self._friendly)


class _Bbr:
    """What the versions share: the model of the path, STARTUP and DRAIN."""

    startup_gain = 2.77
    drain_gain = 0.35
    window_gain = 2.0
    #: BBR paces 1 % below what it wants (BBRPacingMarginPercent).
    margin = 0.99
    #: Seconds that an RTT is remembered, and a PROBE_RTT lasts.
    remembers = 10.0
    probe_rtt_every = 5.0
    probe_rtt_lasts = 0.2

    def __init__(self) -> None:
        self.window = FIRST
        self.pacing = inf
        self.phase = "STARTUP"
        self.bandwidth = 0.0
        self._best = [0.0, 0.0]
        self._least = [inf, inf]
        #: Smallest RTT that it remembers.
        self.min_rtt = inf
        self._turned = 0.0
        self._full = 0.0
        self._flat = 0
        self._round_ends = 0.0
        self._round_lost = 0.0
        self._round_delivered = 0.0
        self._phase_began = 0.0
        self._probe_rtt_at = self.probe_rtt_every
        self._probing_least = inf

    @property
    def bdp(self) -> float:
        """Its bandwidth times its smallest RTT."""
        return self.bandwidth * self.min_rtt

    def enter(self, phase: str, now: float) -> None:
        """Begins a phase."""
        self.phase = phase
        self._phase_began = now

    def step(
        self, now: float, dt: float, delivered: float, lost: float, rtt: float, inflight: float
    ) -> None:
        """See `Sender`."""
        self._watch_rtt(now, rtt)
        if delivered > self._best[0]:
            self._best[0] = delivered
        self._round_lost += lost
        self._round_delivered += delivered * dt
        if now >= self._round_ends:
            self._round_ends = now + rtt
            sent = self._round_lost + self._round_delivered
            self.on_round(now, self._round_lost, self._round_lost / sent if sent > 0 else 0.0)
            self._round_lost = self._round_delivered = 0.0
        self.bandwidth = max(self._best)
        if self.phase == "STARTUP":
            gain = self.startup_gain
            cwnd = self.startup_gain * self.bdp
        elif self.phase == "DRAIN":
            gain = self.drain_gain
            cwnd = self.window_gain * self.bdp
            if inflight <= self.bdp:
                self.drained(now)
        elif self.phase == "PROBE_RTT":
            gain = 1.0
            cwnd = self.probe_rtt_window()
            self._probing_least = min(self._probing_least, rtt)
            if now >= self._phase_began + max(self.probe_rtt_lasts, rtt):
                self._least = [self._probing_least, inf]
                self.min_rtt = self._probing_least
                self._turned = now
                self._probe_rtt_at = now + self.probe_rtt_every
                self.drained(now)
        else:
            gain, cwnd = self.probe_bw(now, dt, rtt, inflight)
        if now >= self._probe_rtt_at and self.phase not in ("STARTUP", "DRAIN", "PROBE_RTT"):
            self.enter("PROBE_RTT", now)
            self._probing_least = inf
        self.window = max(cwnd, 4.0)
        if self.bandwidth > 0:
            self.pacing = self.margin * gain * self.paced_bandwidth()

    def _watch_rtt(self, now: float, rtt: float) -> None:
        if now >= self._turned + self.remembers / 2:
            self._turned = now
            self._least = [rtt, self._least[0]]
            self.min_rtt = min(self._least)
        if rtt < self._least[0]:
            self._least[0] = rtt
            self.min_rtt = min(self._least)

    def paced_bandwidth(self) -> float:
        """The bandwidth that pacing goes by."""
        return self.bandwidth

    def on_round(self, now: float, lost: float, rate: float) -> None:
        """A round trip has passed, in which `lost` packets were lost, `rate` of all."""
        if self.phase == "STARTUP":
            if self._best[0] > 1.25 * self._full:
                self._full, self._flat = self._best[0], 0
            else:
                self._flat += 1
            if self._flat >= 3 or self.gives_up_startup(lost, rate):
                self.enter("DRAIN", now)

    def gives_up_startup(self, lost: float, rate: float) -> bool:
        """Whether losses end STARTUP."""
        del lost, rate
        return False

    def drained(self, now: float) -> None:
        """The queue is drained."""
        raise NotImplementedError

    def probe_rtt_window(self) -> float:
        """Window while the RTT is probed."""
        raise NotImplementedError

    def probe_bw(self, now: float, dt: float, rtt: float, inflight: float) -> tuple[float, float]:
        """Gain and window while the bandwidth is probed."""
        raise NotImplementedError


class Bbr1(_Bbr):
    """BBRv1: gains 1.25, 0.75 and six times 1, each for a smallest RTT; losses say nothing."""

    startup_gain = 2.89
    drain_gain = 1 / 2.89
    probe_rtt_every = 10.0
    gains = (1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)

    def __init__(self, first: int = 2) -> None:
        super().__init__()
        self._first = first % len(self.gains)
        self._at = self._first
        self._rounds = 0

    def on_round(self, now: float, lost: float, rate: float) -> None:
        """Bandwidth is the largest of ten rounds; two halves of five forget it."""
        super().on_round(now, lost, rate)
        self._rounds += 1
        if self._rounds % 5 == 0:
            self._best = [0.0, self._best[0]]

    def drained(self, now: float) -> None:
        """Any of the gains but 0.75 may be the first."""
        self._at = self._first
        self.enter("PROBE_BW", now)

    def probe_rtt_window(self) -> float:
        """Four packets."""
        return 4.0

    def probe_bw(self, now: float, dt: float, rtt: float, inflight: float) -> tuple[float, float]:
        """The next gain after a smallest RTT; 0.75 ends early when the queue is drained."""
        del dt, rtt
        gain = self.gains[self._at]
        past = now - self._phase_began
        # Linux lets three bursts more in flight than it aims at, for offloads: a burst is 1/1024 s
        # of packets, two at least (`bbr_quantization_budget`). At slow rates they are a queue.
        bursts = 3 * min(max(self.bandwidth / 1024, 2.0), 44.0)
        done = past >= self.min_rtt
        if gain > 1:
            done = done and (inflight >= gain * self.bdp + bursts or past >= 2 * self.min_rtt)
        elif gain < 1:
            done = done or inflight <= self.bdp + bursts
        if done:
            self._at = (self._at + 1) % len(self.gains)
            self._phase_began = now
        return gain, self.window_gain * self.bdp + bursts


class Bbr3(_Bbr):
    """BBRv3 (draft-ietf-ccwg-bbr): DOWN, CRUISE, REFILL, UP, with bounds that losses lower.

    `wait` is the time between two probes: 2 to 3 s by chance there, a number here. The model has no
    noise of samples, no ECN and no limits of the application.
    """

    up_gain = 1.25
    down_gain = 0.9
    up_window_gain = 2.25
    #: What a cruising flow leaves of its high bound (BBRHeadroom).
    headroom = 0.15

    def __init__(self, wait: float = 2.5) -> None:
        super().__init__()
        self.wait = wait
        self.hi = inf
        self.lo = inf
        self.bw_lo = inf
        self._step = 1.0
        self._probed_at = 0.0
        self._lost_in_up = False

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
        if self.phase in ("UP", "REFILL"):
            if rate > P_TH and lost >= 1:
                self.hi = max(self._in_flight, (1 - DELTA) * self.bdp)
                self._lost_in_up = True
            elif self.phase == "UP":
                self._step *= 2
        elif self.phase in ("DOWN", "CRUISE") and lost >= 1:
            # BBRLossLowerBounds: any loss, not only above the threshold.
            latest = self._round_delivered / max(self.min_rtt, 1e-9)
            self.bw_lo = self.bandwidth if self.bw_lo == inf else self.bw_lo
            self.lo = self.window if self.lo == inf else self.lo
            self.bw_lo = max(min(latest, self.bandwidth), (1 - DELTA) * self.bw_lo)
            self.lo = max(self._round_delivered, (1 - DELTA) * self.lo)

    _in_flight = 0.0

    def drained(self, now: float) -> None:
        """DOWN is the first phase of a cycle."""
        self._to_down(now)

    def _to_down(self, now: float) -> None:
        self._probed_at = now
        self._lost_in_up = False
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
            if inflight <= min(bdp, bound) and past >= rtt:
                # The feedback of UP is in: forget the bandwidth of the cycle before the last.
                self._best = [0.0, self._best[0] or self._best[1]]
                self.enter("CRUISE", now)
        elif self.phase == "CRUISE":
            bound = self._cruising()
        if self.phase in ("DOWN", "CRUISE"):
            # As often as a Reno flow of this size would lose: once in BDP round trips, at most 63.
            if now - self._probed_at >= min(self.wait, min(max(bdp, 4.0), 63.0) * self.min_rtt):
                self.lo = self.bw_lo = inf
                self.enter("REFILL", now)
        elif self.phase == "REFILL":
            if past >= self.min_rtt:
                self._step = 1.0
                self.enter("UP", now)
        elif self.phase == "UP":
            gain, of_window = self.up_gain, self.up_window_gain
            # Eq 10: 1, 2, 4, ... packets more in each round trip while the bound is in use.
            limited = self.window / rtt <= self.pacing and self.window >= self.hi
            if self.hi < inf and limited:
                self.hi += self._step * dt / self.min_rtt
            full = past >= self.min_rtt and inflight >= self.up_gain * bdp
            if full or self._lost_in_up:
                self._to_down(now)
        return gain, min(of_window * bdp, bound, self.lo)

    def _cruising(self) -> float:
        return (1 - self.headroom) * self.hi if self.hi < inf else inf


class Bbr2(Bbr3):
    """BBRv2: drains with 0.75, and its window has no more gain in UP."""

    startup_gain = 2.89
    drain_gain = 1 / 2.89
    down_gain = 0.75
    up_window_gain = 2.0


#: By the name that a scenario has for them.
SENDERS: dict[str, type[Reno] | type[Cubic] | type[Bbr1] | type[Bbr2] | type[Bbr3]] = {
    "newreno": Reno,
    "cubic": Cubic,
    "bbr1": Bbr1,
    "bbr2": Bbr2,
    "bbr3": Bbr3,
}
