"""The corrected equations over the wire, as a witness.

`python -m acklab.studies.bbr_wifi6.equations` prints what stands in model.csv. The cells are those
of the group `wire`. A fluid has no seed. The time of 2 to 3 s that BBRv2 and BBRv3 draw between two
probes makes no difference here: they probe after as many round trips as the bandwidth-delay product
has packets, which is sooner.
"""

from __future__ import annotations

import csv
import io

import numpy as np

from acklab.fluid.case import Case, Flow
from acklab.fluid.coupled import Trace
from acklab.studies.bbr_wifi6.cells import LENGTH, LIMIT, QUEUES, VERSIONS, WARMUP, WIRES_MS

#: Bits of a packet, and of its payload.
_PACKET, _PAYLOAD = 12_000, 1448 * 8
#: Samples of the model are 20 ms, the figures' throughput is over a second.
_SECOND = 50
HEAD = "# The corrected equations of acklab.fluid over a wire of 10 Mbit/s, 60 s.\n"
COLUMNS = ("group", "quantity", "queue", "version", "rtt_ms", "flow", "value")


def case(rtt_ms: int, queue: str, version: str) -> Case:
    """CUBIC and a version of BBR."""
    rtt = rtt_ms * 1e-3 + _PACKET / (LIMIT * 1e6)
    flows = [Flow(n, c, 0.0, rtt, _PAYLOAD) for n, c in (("cubic", "cubic"), ("bbr", version))]
    return Case("wire", LENGTH, WARMUP, flows, "wire", LIMIT * 1e6, _PACKET, 0.0, queue, 50)


def _of(trace: Trace) -> dict[tuple[str, str], float]:
    """Each quantity, by flow; of the pair the flow is empty."""
    late = trace.time > WARMUP
    rate = trace.goodput * _PAYLOAD / 1e6
    found = {}
    for i, flow in enumerate(("cubic", "bbr")):
        found["goodput", flow] = float(rate[late, i].mean())
        found["rtt", flow] = float(np.median(trace.rtt[late, i]) * 1e3)
        found["retransmissions", flow] = float(trace.dropped[i])
    seconds = np.ones(_SECOND) / _SECOND
    cubic, bbr = (np.convolve(rate[late, i], seconds, "valid") for i in (0, 1))
    lead = bbr - cubic
    ahead = np.sign(lead[np.abs(lead) > LIMIT / 20])
    minutes = len(lead) * float(trace.time[0]) / 60
    found["crossings", ""] = float(np.count_nonzero(np.diff(ahead)) / minutes)
    found["high", ""] = float(np.percentile(bbr, 95))
    found["low", ""] = float(np.percentile(bbr, 5))
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
                    key = ("wire", quantity, queue, version, rtt_ms, flow)
                    rows.writerow([*key, f"{value:.4f}"])
    return out.getvalue()


if __name__ == "__main__":
    print(table(), end="")
