"""Reno and CUBIC as fluids (`senders`)."""

from __future__ import annotations

from math import inf

#: Packets of the first window (RFC 6928).
FIRST = 10.0


class _LossBased:
    """Slow start, and one reduction a round trip."""

    #: Part of the window that is left after a reduction.
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
        if rtt < self._least:
            self._least = rtt
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
    #: Growth that makes it as fast as Reno (4.3).
    alpha = 3 * (1 - keeps) / (1 + keeps)

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
        window, friendly, off = self.window, self._friendly, t - self._k
        target = self.scale * off * off * off + self._origin
        if target > window:
            most = 1.5 * window
            window += ((target if target < most else most) - window) / window * acked
        friendly += (1.0 if friendly >= self._prior else self.alpha) * acked / friendly
        self._friendly = friendly
        self.window = window if window > friendly else friendly
