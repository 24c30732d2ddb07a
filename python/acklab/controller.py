"""Congestion controllers written in Python."""

from __future__ import annotations

from typing import ClassVar

from acklab import _core


class CongestionController:
    """Base class: override what you need. One object is made for each end of each flow.

    Sizes are bytes, times are seconds, rates are bits per second. The facts (`on_*`) arrive in
    the past tense; the questions (`cwnd`, `pacing_rate`, ...) are asked after each of them. The
    sender samples the delivery rate, paces, detects losses and reduces the window proportionally
    during recovery, so a controller only says where the window should go.

    See docs/extending/controller.md.
    """

    #: The flow must be paced.
    needs_pacing: ClassVar[bool] = False
    #: The controller sets the window itself during recovery (as BBR does).
    owns_recovery: ClassVar[bool] = False

    def __init__(self, init: _core.CcInit) -> None:
        """Makes the controller of one flow; `init` has `mss`, `initial_cwnd` and `seed`."""
        self.mss: int = init.mss
        self.initial_cwnd: int = init.initial_cwnd

    def on_sent(self, sent: _core.Sent) -> None:
        """A segment left."""

    def on_ack(self, ack: _core.Ack) -> None:
        """An acknowledgement was digested."""

    def on_loss(self, loss: _core.Loss) -> None:
        """Fast recovery began: a new congestion event, not one per lost segment."""

    def on_segment_lost(self, lost: _core.SegmentLost) -> None:
        """One segment was marked lost."""

    def on_rto(self, rto: _core.Rto) -> None:
        """The retransmission timer expired."""

    def on_ecn(self, ecn: _core.EcnEcho) -> None:
        """A congestion mark was echoed."""

    def on_spurious(self, spurious: _core.Spurious) -> None:
        """The last reduction was found to be spurious."""

    def on_recovery_exit(self, exit: _core.RecoveryExit) -> None:
        """Recovery ended."""

    def on_idle_restart(self, restart: _core.IdleRestart) -> None:
        """The flow restarts after it was idle."""

    def cwnd(self) -> int:
        """The window in bytes."""
        raise NotImplementedError("a controller must have a cwnd()")

    def ssthresh(self) -> int | None:
        """The slow-start threshold in bytes; `None` without one."""
        return None

    def pacing_rate(self) -> float | None:
        """The rate to pace at in bit/s; `None` leaves it to the sender."""
        return None

    def send_quantum(self) -> int | None:
        """Bytes to release at once when pacing; `None` leaves it to the sender."""
        return None

    def state(self) -> str:
        """A word for traces."""
        return ""
