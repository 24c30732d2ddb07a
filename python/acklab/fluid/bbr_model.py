"""BBR as a fluid (`senders`): the model of the path that all versions have, and BBRv1."""

from __future__ import annotations

from math import inf

from acklab.fluid.domain import Symbols, count
from acklab.fluid.loss_based import FIRST

equation = Symbols(first=count(2, 0, name="the first gain"))


class Bbr:
    """Common parts of the versions: the model of the path, STARTUP and DRAIN."""

    startup_gain = 2.77
    drain_gain = 0.35
    window_gain = 2.0
    #: BBR paces 1 % below what it wants (BBRPacingMarginPercent).
    margin = 0.99
    #: Seconds that an RTT is remembered, and a PROBE_RTT lasts.
    remembers = 10.0
    probe_rtt_every = 5.0
    probe_rtt_lasts = 0.2
    #: Ratio of the largest sample of a varying rate to its mean; a fluid has only the mean.
    exceeds = 1.0
    #: Whether bursts are shorter than a round trip; BBRv1's fill one.
    spreads = True

    def __init__(self) -> None:
        self.window = FIRST
        self.pacing = inf
        self.phase = "STARTUP"
        self.bandwidth = 0.0
        self._best = [0.0, 0.0]
        self._sums = [0.0]
        self._delivered = 0.0
        self._sample = 0.0
        self._least = [inf, inf]
        #: Smallest RTT that it remembers.
        self.min_rtt = inf
        self._turned = 0.0
        self._full = 0.0
        self._flat = 0
        self._told = 0.0
        self._round_ends = 0.0
        self._part = 0.0
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
        sample = self.sampled(dt, delivered) if self.spreads else delivered
        self._sample = sample
        if sample > self._best[0]:
            self._best[0] = sample
        # Packets are lost whole: parts of one are gathered.
        self._part += lost
        whole = int(self._part)
        self._part -= whole
        amount = delivered * dt
        self._round_lost += whole
        self._round_delivered += amount
        self._delivered = amount
        self._told += amount + lost
        if self._told >= self._round_ends:
            self.new_round(inflight)
            sent = self._round_lost + self._round_delivered
            self.on_round(now, self._round_lost, self._round_lost / sent if sent > 0 else 0.0)
            self._round_lost = self._round_delivered = 0.0
        a, b = self._best
        self.bandwidth = self.exceeds * (a if a > b else b)
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
        self.window = cwnd if cwnd > 4.0 else 4.0
        if self.bandwidth > 0:
            self.pacing = self.margin * gain * self.paced_bandwidth()

    def new_round(self, inflight: float) -> None:
        """A round ends when what is sent in this step is known, and all that flew before it."""
        self._round_ends = self._told + max(inflight, 1.0) + self._delivered

    def sampled(self, dt: float, delivered: float) -> float:
        """Delivery rate over the last round trip: a shorter burst is spread over it. The queue,
        which is well mixed, spreads over its own part of the round trip."""
        sums = self._sums
        sums.append(sums[-1] + delivered * dt)
        back = int(self.min_rtt / dt + 0.5) or 1
        if back >= len(sums):
            back = len(sums) - 1
        return (sums[-1] - sums[-1 - back]) / (back * dt)

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


@equation("BBRv1")
class Bbr1(Bbr):
    """BBRv1: gains 1.25, 0.75 and six times 1, each for a smallest RTT; losses say nothing."""

    startup_gain = 2.89
    drain_gain = 1 / 2.89
    probe_rtt_every = 10.0
    spreads = False
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
