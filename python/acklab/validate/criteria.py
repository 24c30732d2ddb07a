"""How close is close enough, per metric."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerance:
    """Within `relative` of the reference, or within `absolute` of it."""

    relative: float
    absolute: float = 0.0

    def holds(self, ours: float, reference: float) -> bool:
        """Whether `ours` is close enough."""
        off = abs(ours - reference)
        return off <= self.absolute or off <= self.relative * abs(reference)


#: Metrics that decide, by reference. Others are shown only.
KERNEL = {
    "goodput": Tolerance(0.03),
    "retransmissions": Tolerance(0.25, absolute=20),
    "cwnd": Tolerance(0.15),
}
#: The kernel is never late, and of two flows each is held to it.
KERNEL_VIRTUAL = {
    "goodput": Tolerance(0.01),
    "retransmissions": Tolerance(0.15, absolute=10),
    "drops": Tolerance(0.10, absolute=10),
    "ack_drops": Tolerance(0.10, absolute=10),
    "marks": Tolerance(0.10, absolute=10),
    "rtt": Tolerance(0.05),
    "rtt_p95": Tolerance(0.05),
}
NS3 = {"goodput": Tolerance(0.02)}
#: RED draws, and each side has a few seeds.
NS3_RED = {"goodput": Tolerance(0.03), "drops": Tolerance(0.15, absolute=20)}
#: Besides what chance makes of medians of few seeds (`ns2.allowed`).
NS2 = {"goodput": Tolerance(0.05)}
NS3_THESIS = {"goodput": Tolerance(0.02), "jain": Tolerance(0.0, absolute=0.05)}
NS3_WIFI = {
    "goodput": Tolerance(0.05),
    "jain": Tolerance(0.0, absolute=0.05),
    "acks": Tolerance(0.05),
}
#: Fluids have no packets: an RTT is off by one or two of them, 1.2 ms each, and drops come evenly.
FLUID_MODELS = {
    "goodput": Tolerance(0.05),
    "rtt": Tolerance(0.10, absolute=3),
    "jain": Tolerance(0.0, absolute=0.02),
}
#: Closed forms of transports, and the fluid over radio channels. PFTK's own authors are off by
#: more; the theorems on BBR are for fluids.
TRANSPORT_MODELS = {
    "pftk": Tolerance(0.10),
    "frequency": Tolerance(0.05),
    "window": Tolerance(0.02),
    "theorem": Tolerance(0.10),
    "air": Tolerance(0.06),
}
#: Numbers of the same model that others printed.
PUBLISHED = {"sum": Tolerance(0.02)}
NS3_MODES = {"goodput": Tolerance(0.05)}
#: Saturated sources, by what varies. Three runs of ns-3 with hidden stations differ by up to 5 %.
NS3_SATURATED = {
    "modes": Tolerance(0.02),
    "hidden stations": Tolerance(0.03),
    "stations": Tolerance(0.02),
    "downlink OFDMA": Tolerance(0.01),
    "uplink OFDMA": Tolerance(0.01),
}
#: Closed forms of radio channels, by model; whatever the metric.
WIFI_MODELS = {
    "bianchi": Tolerance(0.02),
    "anomalous slots": Tolerance(0.02),
    "two stations": Tolerance(0.02),
    "slot by slot": Tolerance(0.02),
    "zones": Tolerance(0.05),
    "A-MPDU": Tolerance(0.005),
    "modes": Tolerance(0.005),
}

#: Names of the metrics, with their units.
METRICS = {
    "goodput": "goodput, Mbit/s",
    "retransmissions": "retransmissions, segments",
    "timeouts": "timeouts, 1",
    "cwnd": "mean cwnd, packets",
    "rtt": "RTT, ms",
    "rtt_p95": "RTT p95, ms",
    "drops": "drops, packets",
    "ack_drops": "ACKs dropped, packets",
    "marks": "marks, packets",
    "frequency": "ACKs, 1/s",
    "sum": "goodput of all, Mbit/s",
    "jain": "fairness, Jain's index",
    "acks": "ACKs that arrive, 1",
    "ap_drops": "AP drops, packets",
    "throughput": "throughput, Mbit/s",
    "collisions": "transmissions that collide, 1",
}
