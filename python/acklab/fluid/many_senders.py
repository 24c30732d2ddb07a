"""The senders of `senders`, for many points of a map at once.

Each does for arrays what its namesake does for numbers, in the same order, so that both give the
same to the last digit (tests/test_fluid_many.py). Arrays have a number for each point. Windows are
in packets, rates in packets per second, times in seconds.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from acklab.fluid import bbr_cycle, bbr_model
from acklab.fluid.bbr3 import DELTA, P_TH
from acklab.fluid.domain import Symbols, above_zero, count
from acklab.fluid.loss_based import FIRST, Cubic, Reno

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

equation = Symbols(
    points=count(3, name="the number of points"),
    steps=count(100, name="the number of steps"),
    wait=above_zero("s", 2.5, name="the time between two probes"),
)

STARTUP, DRAIN, PROBE_RTT, DOWN, CRUISE, REFILL, UP = range(7)
#: BBRv1's only phase after those.
PROBE_BW = DOWN


class Senders(Protocol):
    """A sender of each point (`senders.Sender`)."""

    window: Floats
    pacing: Floats

    def step(
        self,
        now: Floats,
        dt: Floats,
        delivered: Floats,
        lost: Floats,
        rtt: Floats,
        inflight: Floats,
    ) -> None:
        """Moves on by `dt`."""


@equation("Reno")
class Renos:
    """See `loss_based.Reno`."""

    keeps = Reno.keeps
    hystart = Reno.hystart

    def __init__(self, points: int, steps: int) -> None:
        del steps
        self.window = np.full(points, FIRST)
        self.pacing = np.full(points, np.inf)
        self._threshold = np.full(points, np.inf)
        self._lost = np.zeros(points)
        self._until = np.zeros(points)
        self._least = np.full(points, np.inf)

    def step(
        self,
        now: Floats,
        dt: Floats,
        delivered: Floats,
        lost: Floats,
        rtt: Floats,
        inflight: Floats,
    ) -> None:
        """See `Senders`."""
        del inflight
        np.minimum(self._least, rtt, out=self._least)
        self._lost += lost
        same = now < self._until
        self._lost[same] = 0.0
        acked = delivered * dt
        slow = self.window < self._threshold
        fast = ~slow
        reduced = np.flatnonzero(self._lost >= 1)
        if reduced.size:
            slow[reduced] = fast[reduced] = False
        if slow.any():
            i = np.flatnonzero(slow)
            self.window[i] += acked[i]
            if self.hystart:
                least = self._least[i]
                rises = rtt[i] > least + np.minimum(np.maximum(least / 8, 4e-3), 16e-3)
                self._threshold[i[rises]] = self.window[i[rises]]
        if reduced.size:
            i = reduced
            self._lost[i] = 0.0
            self._until[i] = now[i] + rtt[i]
            self.reduce(i)
            self._threshold[i] = self.window[i]
        self.grow(fast, now, acked, rtt)

    def reduce(self, i: Indices) -> None:
        """After a loss."""
        self.window[i] = np.maximum(self.keeps * self.window[i], 2.0)

    def grow(self, fast: NDArray[np.bool_], now: Floats, acked: Floats, rtt: Floats) -> None:
        """In congestion avoidance."""
        del now, rtt
        self.window += np.where(fast, acked, 0.0) / self.window


@equation("RFC 9438")
class Cubics(Renos):
    """See `loss_based.Cubic`."""

    keeps = Cubic.keeps
    hystart = Cubic.hystart

    def __init__(self, points: int, steps: int) -> None:
        super().__init__(points, steps)
        self._max = np.zeros(points)
        #: When an epoch began; NaN before it has.
        self._since = np.full(points, np.nan)
        self._k = np.zeros(points)
        self._origin = np.zeros(points)
        self._friendly = np.ones(points)
        self._prior = np.zeros(points)

    def reduce(self, i: Indices) -> None:
        """4.6 and fast convergence, 4.7."""
        window = self.window[i]
        self._prior[i] = window
        lower = window < self._max[i]
        self._max[i] = np.where(lower, window * (1 + self.keeps) / 2, window)
        super().reduce(i)
        self._since[i] = np.nan

    def grow(self, fast: NDArray[np.bool_], now: Floats, acked: Floats, rtt: Floats) -> None:
        """4.2 to 4.5."""
        window = self.window
        new = np.flatnonzero(fast & np.isnan(self._since))
        if new.size:
            self._since[new] = now[new]
            self._friendly[new] = window[new]
            self._origin[new] = np.maximum(self._max[new], window[new])
            cubes = (self._origin[new] - window[new]) / Cubic.scale
            # Python's power: NumPy's may differ in the last digit.
            self._k[new] = [x ** (1 / 3) for x in cubes.tolist()]
        off = now - self._since + rtt - self._k
        target = Cubic.scale * off * off * off + self._origin
        # What does not grow compares as false: its NaN, and the mask.
        more = fast & (target > window)
        grown = window + (np.minimum(target, 1.5 * window) - window) / window * acked
        grown = np.where(more, grown, window)
        friendly = self._friendly
        speed = np.where(friendly >= self._prior, 1.0, Cubic.alpha)
        friendly = np.where(fast, friendly + speed * acked / friendly, friendly)
        self._friendly = friendly
        self.window = np.where(fast, np.maximum(grown, friendly), window)


@equation("BBR")
class Bbrs:
    """See `bbr_model.Bbr`."""

    like: type[bbr_model.Bbr] = bbr_model.Bbr

    def __init__(self, points: int, steps: int) -> None:
        of = self.like
        self.window = np.full(points, FIRST)
        self.pacing = np.full(points, np.inf)
        self.phase = np.full(points, STARTUP)
        self.bandwidth = np.zeros(points)
        self._best = np.zeros((2, points))
        #: Packets delivered until each step, where bursts are spread.
        self._sums = np.zeros((steps + 1 if of.spreads else 1, points))
        self._steps = 0
        self._columns = np.arange(points)
        self._delivered = np.zeros(points)
        self._sample = np.zeros(points)
        self._least = np.full((2, points), np.inf)
        self.min_rtt = np.full(points, np.inf)
        self._turned = np.zeros(points)
        self._full = np.zeros(points)
        self._flat = np.zeros(points, int)
        self._told = np.zeros(points)
        self._round_ends = np.zeros(points)
        self._part = np.zeros(points)
        self._round_lost = np.zeros(points)
        self._round_delivered = np.zeros(points)
        self._phase_began = np.zeros(points)
        self._probe_rtt_at = np.full(points, of.probe_rtt_every)
        self._probing_least = np.full(points, np.inf)

    def enter(self, i: Indices, phase: int, now: Floats) -> None:
        """Begins a phase."""
        self.phase[i] = phase
        self._phase_began[i] = now[i]

    def step(
        self,
        now: Floats,
        dt: Floats,
        delivered: Floats,
        lost: Floats,
        rtt: Floats,
        inflight: Floats,
    ) -> None:
        """See `Senders`."""
        of = self.like
        self._watch_rtt(now, rtt)
        amount = delivered * dt
        self._sample = sample = self._sampled(dt, amount) if of.spreads else delivered
        np.maximum(self._best[0], sample, out=self._best[0])
        self._part += lost
        whole = np.trunc(self._part)
        self._part -= whole
        self._round_lost += whole
        self._round_delivered += amount
        self._delivered = amount
        self._told += amount + lost
        ended = np.flatnonzero(self._told >= self._round_ends)
        if ended.size:
            self.new_round(ended, inflight[ended])
            gone = self._round_lost[ended]
            sent = gone + self._round_delivered[ended]
            self.on_round(
                ended,
                now,
                gone,
                np.divide(gone, sent, out=np.zeros_like(sent), where=sent > 0),
            )
            self._round_lost[ended] = self._round_delivered[ended] = 0.0
        self.bandwidth = of.exceeds * np.maximum(self._best[0], self._best[1])
        bdp = self.bandwidth * self.min_rtt
        phase = self.phase
        probes = phase > PROBE_RTT
        if probes.all():
            gain, cwnd = self.probe_bw(probes, now, rtt, inflight, bdp)
        else:
            starts, drains, rtts = (np.flatnonzero(phase == p) for p in (STARTUP, DRAIN, PROBE_RTT))
            gain, cwnd = self.probe_bw(probes, now, rtt, inflight, bdp)
            gain[starts] = of.startup_gain
            cwnd[starts] = of.startup_gain * bdp[starts]
            gain[drains] = of.drain_gain
            cwnd[drains] = of.window_gain * bdp[drains]
            if drains.size:
                self.drained(drains[inflight[drains] <= bdp[drains]], now)
            if rtts.size:
                gain[rtts] = 1.0
                cwnd[rtts] = self.probe_rtt_window(bdp[rtts])
                self._probing_least[rtts] = np.minimum(self._probing_least[rtts], rtt[rtts])
                lasts = np.maximum(of.probe_rtt_lasts, rtt[rtts])
                i = rtts[now[rtts] >= self._phase_began[rtts] + lasts]
                self._least[0, i] = self.min_rtt[i] = self._probing_least[i]
                self._least[1, i] = np.inf
                self._turned[i] = now[i]
                self._probe_rtt_at[i] = now[i] + of.probe_rtt_every
                self.drained(i, now)
        due = now >= self._probe_rtt_at
        if due.any():
            i = np.flatnonzero(due & (self.phase > PROBE_RTT))
            self.enter(i, PROBE_RTT, now)
            self._probing_least[i] = np.inf
        self.window = np.maximum(cwnd, 4.0)
        paces = of.margin * gain * self.paced_bandwidth()
        self.pacing = np.where(self.bandwidth > 0, paces, self.pacing)

    def new_round(self, i: Indices, inflight: Floats) -> None:
        """A round ends when what is in flight now is known."""
        self._round_ends[i] = self._told[i] + np.maximum(inflight, 1.0) + self._delivered[i]

    def _sampled(self, dt: Floats, amount: Floats) -> Floats:
        """What the last round trip delivered."""
        sums, k = self._sums, self._steps
        self._steps = k + 1
        np.add(sums[k], amount, out=sums[k + 1])
        back = np.maximum((self.min_rtt / dt + 0.5).astype(np.intp), 1)
        np.minimum(back, k + 1, out=back)
        before = sums.ravel().take((k + 1 - back) * len(amount) + self._columns)
        sample: Floats = (sums[k + 1] - before) / (back * dt)
        return sample

    def _watch_rtt(self, now: Floats, rtt: Floats) -> None:
        least = self._least
        turns = now >= self._turned + self.like.remembers / 2
        if turns.any():
            i = np.flatnonzero(turns)
            self._turned[i] = now[i]
            least[1, i] = least[0, i]
            least[0, i] = rtt[i]
            self.min_rtt[i] = np.minimum(least[0, i], least[1, i])
        lower = np.flatnonzero(rtt < least[0])
        if lower.size:
            least[0, lower] = rtt[lower]
            self.min_rtt[lower] = np.minimum(rtt[lower], least[1, lower])

    def paced_bandwidth(self) -> Floats:
        """The bandwidth that pacing goes by."""
        return self.bandwidth

    def on_round(self, i: Indices, now: Floats, lost: Floats, rate: Floats) -> None:
        """A round trip of the points `i` has passed, with so many lost packets, and their rate."""
        own = self.phase[i] == STARTUP
        if not own.any():
            return
        i, lost, rate = i[own], lost[own], rate[own]
        best = self._best[0, i]
        more = best > 1.25 * self._full[i]
        self._full[i] = np.where(more, best, self._full[i])
        self._flat[i] = np.where(more, 0, self._flat[i] + 1)
        flat = self._flat[i] >= 3
        lossy = ~flat & self.gives_up_startup(i, ~flat, lost, rate)
        self.enter(i[flat | lossy], DRAIN, now)

    def gives_up_startup(
        self, i: Indices, asked: NDArray[np.bool_], lost: Floats, rate: Floats
    ) -> NDArray[np.bool_]:
        """Whether losses end STARTUP, of those that are `asked`."""
        del i, lost, rate
        return np.zeros_like(asked)

    def drained(self, i: Indices, now: Floats) -> None:
        """The queue is drained."""
        raise NotImplementedError

    def probe_rtt_window(self, bdp: Floats) -> Floats:
        """Window while the RTT is probed."""
        raise NotImplementedError

    def probe_bw(
        self, probes: NDArray[np.bool_], now: Floats, rtt: Floats, inflight: Floats, bdp: Floats
    ) -> tuple[Floats, Floats]:
        """Gain and window while the bandwidth is probed; of all, and right where it `probes`."""
        raise NotImplementedError


@equation("BBRv1")
class Bbr1s(Bbrs):
    """See `bbr_model.Bbr1`, with its first gain."""

    like = bbr_model.Bbr1
    first = 2

    def __init__(self, points: int, steps: int) -> None:
        super().__init__(points, steps)
        self._gains = np.array(bbr_model.Bbr1.gains)
        self._at = np.full(points, self.first)
        self._rounds = np.zeros(points, int)

    def on_round(self, i: Indices, now: Floats, lost: Floats, rate: Floats) -> None:
        """Bandwidth is the largest of ten rounds."""
        super().on_round(i, now, lost, rate)
        self._rounds[i] += 1
        i = i[self._rounds[i] % 5 == 0]
        self._best[1, i] = self._best[0, i]
        self._best[0, i] = 0.0

    def drained(self, i: Indices, now: Floats) -> None:
        """The first gain."""
        self._at[i] = self.first
        self.enter(i, PROBE_BW, now)

    def probe_rtt_window(self, bdp: Floats) -> Floats:
        """Four packets."""
        return np.full_like(bdp, 4.0)

    def probe_bw(
        self, probes: NDArray[np.bool_], now: Floats, rtt: Floats, inflight: Floats, bdp: Floats
    ) -> tuple[Floats, Floats]:
        """The next gain after a smallest RTT."""
        gain = self._gains[self._at]
        past = now - self._phase_began
        bursts = 3 * np.minimum(np.maximum(self.bandwidth / 1024, 2.0), 44.0)
        done = past >= self.min_rtt
        up, down = gain > 1, gain < 1
        done &= ~up | (inflight >= gain * bdp + bursts) | (past >= 2 * self.min_rtt)
        done |= down & (inflight <= bdp + bursts)
        i = np.flatnonzero(done & probes)
        self._at[i] = (self._at[i] + 1) % len(self._gains)
        self._phase_began[i] = now[i]
        return gain, self.like.window_gain * bdp + bursts


@equation("BBRv3, 4.3.3")
class Bbr3s(Bbrs):
    """See `bbr_cycle.Bbr3`; `wait` seconds between two probes."""

    like: type[bbr_cycle.Bbr3] = bbr_cycle.Bbr3

    def __init__(self, points: int, steps: int, wait: float = 2.5) -> None:
        super().__init__(points, steps)
        self.wait = wait
        self.hi = np.full(points, np.inf)
        self.lo = np.full(points, np.inf)
        self.bw_lo = np.full(points, np.inf)
        self._step = np.ones(points)
        self._probed_at = np.zeros(points)
        self._lost_in_up = np.zeros(points, bool)
        self._rounds = np.zeros(points, int)
        self._listens = np.zeros(points, bool)
        self._heard = np.zeros(points, bool)
        self._too_high = np.zeros(points, bool)
        self._cautious = np.zeros(points, bool)
        self._found = np.zeros(points)
        self._not_more = np.zeros(points, int)
        self._credit = np.zeros(points)
        self._in_flight = np.zeros(points)

    def gives_up_startup(
        self, i: Indices, asked: NDArray[np.bool_], lost: Floats, rate: Floats
    ) -> NDArray[np.bool_]:
        """Six losses and 2 % in a round."""
        gives_up: NDArray[np.bool_] = asked & (lost >= 6) & (rate > P_TH)
        j = i[gives_up]
        self.hi[j] = np.maximum(self.bandwidth[j] * self.min_rtt[j], self._round_delivered[j])
        return gives_up

    def paced_bandwidth(self) -> Floats:
        """The lower of the long-term and the short-term bandwidth."""
        lower: Floats = np.minimum(self.bandwidth, self.bw_lo)
        return lower

    def on_round(self, i: Indices, now: Floats, lost: Floats, rate: Floats) -> None:
        """Losses: below the high bound while it probes, below the low bounds while it does not."""
        super().on_round(i, now, lost, rate)
        self._rounds[i] += 1
        hit = self._listens[i] & (rate > P_TH) & (lost >= 1)
        j = i[hit]
        if j.size:
            bdp = self.bandwidth[j] * self.min_rtt[j]
            self.hi[j] = np.maximum(self._in_flight[j], (1 - DELTA) * bdp)
            self._listens[j] = False
            self._too_high[j] = True
            self._lost_in_up[j] = self.phase[j] >= REFILL
        j = i[~hit & (self.phase[i] == UP)]
        if j.size:
            self._step[j] *= 2
            more = self._sample[j] >= 1.25 * self._found[j]
            self._found[j] = np.where(more, self._sample[j], self._found[j])
            self._not_more[j] = np.where(more, 0, self._not_more[j] + 1)
        # DOWN or CRUISE.
        quiet = (self.phase[i] == DOWN) | (self.phase[i] == CRUISE)
        j = i[quiet & self._heard[i]]
        if j.size:
            self._listens[j] = self._heard[j] = False
            best = self._best[:, j]
            self._best[1, j] = np.where(best[0] != 0, best[0], best[1])
            self._best[0, j] = 0.0
            self._refill(j[self._cautious[j] & ~self._too_high[j]], now)
        quiet = ((self.phase[i] == DOWN) | (self.phase[i] == CRUISE)) & (lost >= 1)
        j = i[quiet]
        if j.size:
            got, bandwidth = self._round_delivered[j], self.bandwidth[j]
            latest = got / np.maximum(self.min_rtt[j], 1e-9)
            bw_lo = np.where(np.isinf(self.bw_lo[j]), bandwidth, self.bw_lo[j])
            lo = np.where(np.isinf(self.lo[j]), self.window[j], self.lo[j])
            self.bw_lo[j] = np.maximum(np.minimum(latest, bandwidth), (1 - DELTA) * bw_lo)
            self.lo[j] = np.maximum(got, (1 - DELTA) * lo)

    def drained(self, i: Indices, now: Floats) -> None:
        """DOWN is the first phase of a cycle; PROBE_RTT has drained already."""
        emptied = i[self.phase[i] == PROBE_RTT]
        self._to_down(i, now)
        self.enter(emptied, CRUISE, now)

    def _to_down(self, i: Indices, now: Floats) -> None:
        self._probed_at[i] = now[i]
        self._rounds[i] = 0
        self._lost_in_up[i] = False
        self._heard[i] = self.phase[i] == UP
        self.new_round(i, self._in_flight[i])
        self.enter(i, DOWN, now)

    def probe_rtt_window(self, bdp: Floats) -> Floats:
        """Half of the bandwidth-delay product."""
        return 0.5 * bdp

    def probe_bw(
        self, probes: NDArray[np.bool_], now: Floats, rtt: Floats, inflight: Floats, bdp: Floats
    ) -> tuple[Floats, Floats]:
        """The cycle; 4.3.3."""
        of, phase = self.like, self.phase
        self._in_flight = np.where(probes, inflight, self._in_flight)
        down, quiet = phase == DOWN, (phase == DOWN) | (phase == CRUISE)
        refills, ups = np.flatnonzero(phase == REFILL), np.flatnonzero(phase == UP)
        bound = np.where(quiet, (1 - of.headroom) * self.hi, self.hi)
        gain = np.where(down, of.down_gain, 1.0)
        of_window = np.full_like(bdp, of.window_gain)
        drained = down & (inflight <= np.minimum(bdp, bound))
        if drained.any():
            self.enter(np.flatnonzero(drained), CRUISE, now)
        often = np.minimum(np.maximum(bdp, 4.0), 63.0)
        again = quiet & ((now - self._probed_at >= self.wait) | (self._rounds >= often))
        if again.any():
            self._refill(np.flatnonzero(again), now)
        if refills.size:
            i = refills[now[refills] - self._phase_began[refills] >= rtt[refills]]
            self.new_round(i, inflight[i])
            self._step[i] = 1.0
            self._found[i] = self._sample[i]
            self._not_more[i] = 0
            self.enter(i, UP, now)
        if ups.size:
            gain[ups] = of.up_gain
            of_window[ups] = of.up_window_gain
            self._up(ups, now, rtt[ups], inflight[ups], bdp[ups])
        return gain, np.minimum(np.minimum(of_window * bdp, bound), self.lo)

    def _up(self, i: Indices, now: Floats, rtt: Floats, inflight: Floats, bdp: Floats) -> None:
        of, window, hi = self.like, self.window[i], self.hi[i]
        # Eq 10: 1, 2, 4, ... packets more in each round trip while the bound is in use.
        limited = (window / rtt <= self.pacing[i]) & (window >= hi) & (hi < np.inf)
        j = i[limited]
        self._credit[j] += self._step[j] * self._delivered[j] / self.window[j]
        whole = np.trunc(self._credit[j])
        self.hi[j] += whole
        self._credit[j] -= whole
        if of.up_to_plateau:
            self._found[j] = self._sample[j]
            self._not_more[j] = 0
            full = self._not_more[i] >= 3
        else:
            self._credit[i[~limited]] = 0.0
            past = now[i] - self._phase_began[i]
            full = (past >= self.min_rtt[i]) & (inflight >= of.up_gain * bdp)
        far = self._too_high[i] & (inflight > self.hi[i] - 1)
        self._cautious[i[far]] = True
        ends = full | far | self._lost_in_up[i]
        i = i[ends]
        self._too_high[i] = self._lost_in_up[i]
        self._to_down(i, now)

    def _refill(self, i: Indices, now: Floats) -> None:
        self.lo[i] = self.bw_lo[i] = np.inf
        self._listens[i], self._cautious[i] = True, False
        self._part[i] = 0.0
        self.enter(i, REFILL, now)


class Bbr2s(Bbr3s):
    """See `bbr_cycle.Bbr2`."""

    like = bbr_cycle.Bbr2


#: By the name that a scenario has for them.
SENDERS: dict[str, type[Renos] | type[Cubics] | type[Bbr1s] | type[Bbr2s] | type[Bbr3s]] = {
    "newreno": Renos,
    "cubic": Cubics,
    "bbr1": Bbr1s,
    "bbr2": Bbr2s,
    "bbr3": Bbr3s,
}
