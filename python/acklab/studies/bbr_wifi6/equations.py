"""The corrected equations, as a witness.

`python -m acklab.studies.bbr_wifi6.equations` prints what stands in model.csv. The cells are those
of the group `wire`, that of `tree` whose round trip is the air's, and of `home` one direction at a
time: the access point shapes to 10 Mbit/s, so
that its shaper is the queue of Eqs 15 to 24, and the air, which Eq 8 gives many times as much, is a
part of the round trip (`air`). What takes the air twice is not Eq 8's (the access point receives
and sends it, beta_ap), so that there is no queue in the air. Both directions at once would be two
queues that know nothing of each other: Eq 16 has no ACKs.

A fluid has no seed. The time of 2 to 3 s that BBRv2 and BBRv3 draw between two probes makes no
difference here: they probe after as many round trips as the bandwidth-delay product has packets,
which is sooner.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np

from acklab.fluid import durations
from acklab.fluid.case import Case, Flow
from acklab.fluid.coupled import Trace
from acklab.studies.bbr_wifi6.cells import (
    LENGTH,
    LIMIT,
    QUEUES,
    TREES_MS,
    VERSIONS,
    WARMUP,
    WIRES_MS,
)

#: Bits of a packet, and of its payload.
_PACKET, _PAYLOAD = 12_000, 1448 * 8
#: Samples of the model are 20 ms, the figures' throughput is over a second.
_SECOND = 50
#: KB of a segment.
_KB = 1.448
#: Seconds of a step where the round trip is that of the air.
_STEP = 0.5e-3
HEAD = "# The corrected equations of acklab.fluid, 10 Mbit/s, 60 s: over a wire, and at home.\n"
COLUMNS = ("group", "quantity", "queue", "version", "rtt_ms", "direction", "flow", "value")


def case(rtt_ms: int, queue: str, version: str) -> Case:
    """CUBIC and a version of BBR."""
    rtt = rtt_ms * 1e-3 + _PACKET / (LIMIT * 1e6)
    flows = [Flow(n, c, 0.0, rtt, _PAYLOAD) for n, c in (("cubic", "cubic"), ("bbr", version))]
    return Case("wire", LENGTH, WARMUP, flows, "wire", LIMIT * 1e6, _PACKET, 0.0, queue, 50)


def air() -> float:
    """Seconds of a round trip over an idle channel at home, by the standard's arithmetic: data and
    ACK take the air twice each, alone, after an AIFS and half of CWmin."""
    mode = durations.Mode("ax", 9, 80, 800, 2)
    wait = durations.SIFS + (3 + 15 / 2) * durations.SLOT
    answer = durations.SIFS + durations.legacy(mode.control_rate, durations.block_ack(256))

    def exchange(packet: int) -> float:
        return wait + mode.duration(durations.DELIMITER + durations.mpdu(packet)) + answer

    return 2e-6 * (exchange(1500) + exchange(52))


def home(queue: str) -> Case:
    """CUBIC and BBRv3 through the shaper; both directions are alike."""
    rtt = air() + _PACKET / (LIMIT * 1e6)
    wire = case(WIRES_MS[0], queue, "bbr3")
    return replace(wire, flows=[replace(f, rtt=rtt) for f in wire.flows], step=_STEP)


def _home(trace: Trace) -> dict[tuple[str, str], float]:
    """The quantities of the group `home` that a fluid has."""
    late = trace.time > WARMUP
    found = _of(trace)
    found = {key: v for key, v in found.items() if key[0] in ("goodput", "rtt", "retransmissions")}
    for i, flow in enumerate(("cubic", "bbr")):
        found["rtt_p95", flow] = float(np.percentile(trace.rtt[late, i], 95) * 1e3)
        window = _KB * trace.window[late, i]
        found["cwnd", flow] = float(window.mean())
        found["cwnd_low", flow], found["cwnd_high", flow] = map(
            float, np.percentile(window, (5, 95))
        )
        found["cwnd_most", flow] = float(window.max())
        found["unsteady", flow] = float(_by_seconds(trace.goodput[late, i]).std() * _PAYLOAD / 1e6)
        found["delivery", flow] = float(np.median(trace.goodput[late, i]) * _PAYLOAD / 1e6)
        if np.isfinite(trace.pacing[late, i]).all():
            found["pacing", flow] = float(np.median(trace.pacing[late, i]) * _PAYLOAD / 1e6)
    return found


def _by_seconds(rates: np.ndarray) -> np.ndarray:
    """Averages over a second, one for each sample."""
    return np.convolve(rates, np.ones(_SECOND) / _SECOND, "valid")


def _of(trace: Trace) -> dict[tuple[str, str], float]:
    """Each quantity, by flow; of the pair the flow is empty."""
    late = trace.time > WARMUP
    rate = trace.goodput * _PAYLOAD / 1e6
    found = {}
    for i, flow in enumerate(("cubic", "bbr")):
        found["goodput", flow] = float(rate[late, i].mean())
        found["rtt", flow] = float(np.median(trace.rtt[late, i]) * 1e3)
        found["retransmissions", flow] = float(trace.dropped[i])
    cubic, bbr = (_by_seconds(rate[late, i]) for i in (0, 1))
    lead = bbr - cubic
    ahead = np.sign(lead[np.abs(lead) > LIMIT / 20])
    minutes = len(lead) * float(trace.time[0]) / 60
    found["crossings", ""] = float(np.count_nonzero(np.diff(ahead)) / minutes)
    found["high", ""] = float(np.percentile(bbr, 95))
    found["low", ""] = float(np.percentile(bbr, 5))
    # Shares that stay have no correlation.
    if min(bbr.std(), cubic.std()) > 1e-9:
        found["opposed", ""] = float(np.corrcoef(bbr, cubic)[0, 1])
    return found


def table() -> str:
    """The file."""
    out = io.StringIO()
    out.write(HEAD)
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for rtt_ms in WIRES_MS:
        for queue in QUEUES:
            for version in VERSIONS:
                found = _of(case(rtt_ms, queue, version).run())
                for (quantity, flow), value in found.items():
                    key = ("wire", quantity, queue, version, rtt_ms, "", flow)
                    rows.writerow([*key, f"{value:.4f}"])
    air_ms = TREES_MS[0]
    alike = replace(case(air_ms, "pfifo", "bbr3"), step=_STEP)
    for (quantity, flow), value in _of(alike.run()).items():
        key = ("tree", quantity, "pfifo", "bbr3", air_ms, "", flow)
        rows.writerow([*key, f"{value:.4f}"])
    for queue in QUEUES:
        found = _home(home(queue).run())
        for direction in ("up", "down"):
            for (quantity, flow), value in found.items():
                rows.writerow(["home", quantity, queue, "", "", direction, flow, f"{value:.4f}"])
    return out.getvalue()


if __name__ == "__main__":
    print(table(), end="")
