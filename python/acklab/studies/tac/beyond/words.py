"""What the tables beyond the paper say, with every number from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acklab.studies.tac.beyond.topic import Numbers

CONTROLLERS = {"newreno": "NewReno", "cubic": "CUBIC", "bbr3": "BBRv3", "vegas": "Vegas"}
#: The scheme of which the text says what switching it on changes.
ON = "tac-guarded"


def controllers(n: Numbers) -> str:
    """Whether other controllers need TAC as well."""
    rows = "; ".join(
        f"{p}: index {n.row('jain', p)}, {n.row('throughput_mbps', p, 1)} Mbit/s, "
        f"{n.row('rtt_mean_ms', p, 0)} ms RTT"
        for p in n.points
    )
    gains = {p: n("jain", p, ON).mean - n("jain", p, "agg").mean for p in n.points}
    most, least = max(gains, key=gains.__getitem__), min(gains, key=gains.__getitem__)
    return (
        f"{rows}. TAC makes most of a difference for {most} ({gains[most]:+.2f} of the index) and "
        f"least for {least} ({gains[least]:+.2f})."
    )


def te(n: Numbers) -> str:
    """How long to wait."""
    best = max(n.points, key=lambda p: n("throughput_mbps", p, "agg").mean)
    rows = "; ".join(
        f"{p}: index {n.row('jain', p, 3)}, {n.row('throughput_mbps', p, 1)} Mbit/s, "
        f"{n.row('rtt_mean_ms', p, 0)} ms RTT"
        for p in n.points
    )
    fair = next((p for p in n.points if n("jain", p, "agg").mean >= 0.99), None)
    enough = f"The index reaches 0.99 with {fair}. " if fair else "No timer reaches 0.99. "
    return f"{enough}Most throughput has {best}. {rows}."


def windows(n: Numbers) -> str:
    """What windows beyond the paper's do."""
    rows = "; ".join(
        f"{p}: index {n.row('jain', p)}, {n.row('throughput_mbps', p, 1)} Mbit/s, "
        f"{n.row('ack_loss_mean', p, 3)} of ACKs lost, {n.row('rtt_mean_ms', p, 0)} ms RTT"
        for p in n.points
    )
    return rows + "."


def downloads(n: Numbers) -> str:
    """What becomes of downloads."""
    rows = "; ".join(
        f"{p}: uploads {n.row('uploads_mbps', p, 1)} Mbit/s, downloads "
        f"{n.row('downloads_mbps', p, 1)} Mbit/s, index of the uploads {n.row('uploads_jain', p)}"
        for p in n.points
    )
    return rows + "."


def unequal(n: Numbers) -> str:
    """What unequal rates and RTTs do."""
    rows = "; ".join(
        f"{p}: index {n.row('jain', p)}, {n.row('throughput_mbps', p, 1)} Mbit/s" for p in n.points
    )
    return rows + "."


def short(n: Numbers) -> str:
    """What short uploads suffer."""
    rows = "; ".join(
        f"{p}: {n.row('exchange_ms', p, 0)} ms each, long uploads {n.row('uploads_mbps', p, 1)} "
        f"Mbit/s, their index {n.row('uploads_jain', p)}"
        for p in n.points
    )
    return rows + "."


def loss(n: Numbers) -> str:
    """What losses of data on the wire do to a filter that drops duplicate ACKs or SACKs."""
    rows = "; ".join(
        f"{p}: {n.row('throughput_mbps', p, 1)} Mbit/s, index {n.row('jain', p)}, timeouts "
        f"{n.row('rtos', p, 0)}"
        for p in n.points
    )
    return rows + "."
