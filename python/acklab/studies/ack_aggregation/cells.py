"""The wired dumbbell of the thesis, as it is stated and as its numbers suggest.

As stated there: access links of 100 Mbit/s and 2 ms, a bottleneck of 10 Mbit/s and 20 ms, one flow
(or two) of 100,000 packets of 1448 B from 2 s to 62 s, ACKs aggregated at the right router towards
the bottleneck with a 5 ms timer.

Two set-ups take that by its word, `ns3` and `linux`. Not stated there, and chosen here:

* The bottleneck's queue is drop-tail with 40 packets, about one bandwidth-delay product, as in both
  reference data sets.
* Of an aggregate the last ACK goes on and the others are dropped ("either dropped or forwarded").
* In the ns-3 stack the receiver acknowledges each segment, so that N:1 means N segments per ACK,
  and socket buffers never limit the flow; both as in the ns-3 reference. In the Linux stack the
  receiver does what Linux does.
* A flow starts up to 100 ms late, drawn from the seed, so that a coincidence of phases shows as
  spread and not as a result.

The third set-up, `thesis`, is inferred: of several variants the one whose Table 1 came nearest to
the thesis's. It explains numbers; it does not confirm them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.stacks import AMPLE, STACKS
from acklab.studies.study import Cell, Effort

RATIOS = (1, 2, 4, 8, 16)
#: In the thesis.
PAPER_CONTROLLERS = ("bbr3", "cubic", "newreno", "vegas")
#: In the reference data only.
EXTRA_CONTROLLERS = {"ns3": ("bbr1", "linuxreno"), "linux": ("bbr1",), "thesis": ()}
#: Tables 2 and 3.
PAIRS = tuple((cc, cc) for cc in PAPER_CONTROLLERS) + tuple(combinations(PAPER_CONTROLLERS, 2))
DURATION_S = 60
QUICK_DURATION_S = 20
#: Of two flows, unless they are traced.
QUICK_PAIR_DURATION_S = 10
START_S = 2
#: What a flow has to send, bytes.
VOLUME = 100_000 * 1448


@dataclass(frozen=True)
class Setup:
    """What the thesis leaves open, decided."""

    #: A stack of `acklab.stacks`, or `rfc` for the profile of that name.
    stack: str = "ns3"
    segment: int = 1448
    #: Segments per ACK of the receiver; `None`: what the stack does.
    segments_per_ack: int | None = 1
    #: Keys of the bottleneck's queue.
    queue: Mapping[str, Any] = field(default_factory=lambda: {"queue": "40 packets"})
    #: Send and receive buffers; `None`: what the stack does.
    buffers: str | None = AMPLE
    bbr3: str = "draft"
    #: Parameters of the aggregating queue besides the ratio.
    thinner: Mapping[str, str] = field(default_factory=dict)
    start_jitter: str = "100 ms"

    def cc(self, name: str) -> Mapping[str, Any] | str:
        """The controller `name` in this set-up."""
        if name == "bbr3":
            return {"name": "bbr3", "source": self.bbr3}
        return STACKS["linux" if self.stack == "rfc" else self.stack].cc(name)

    def flow(self, cc: str) -> Flow:
        """A flow with controller `cc`."""
        ack = None
        if self.segments_per_ack is not None:
            ack = {"name": "delayed", "segments": self.segments_per_ack, "count": "segments"}
        app = {"kind": "bulk", "packets": -(-VOLUME // self.segment)}
        return Flow(cc=self.cc(cc), ack=ack, app=app, start_jitter=self.start_jitter)

    def tcp(self) -> dict[str, Any]:
        """The scenario's `tcp` table."""
        buffers = {"send_buffer": self.buffers, "recv_buffer": self.buffers}
        return {
            "profile": self.stack,
            "segment": self.segment,
            **(buffers if self.buffers else {}),
        }

    def way_back(self, ratio: int) -> dict[str, Any]:
        """The reverse direction of the bottleneck, where no ACK ever waits for the line."""
        line = {"qdisc": "pfifo"} if "qdisc" in self.queue else {}
        if ratio == 1:
            return line
        return {**line, "ack_filter": {"name": "aggregate", "ratio": ratio, **self.thinner}}


#: What a device of ns-3.44 has unless told otherwise.
NS3_QUEUE = {"qdisc": "fq-codel", "device_queue": 100}
#: The queue of the thesis as inferred from its numbers: the SYN-ACK counts as an ACK, one counter
#: for all flows, each arrival starts the timer anew, and what the timer lets go waits for the next
#: arrival.
NAIVE_QUEUE = {
    "handshake": "thin",
    "scope": "queue",
    "timeout_from": "last",
    "flush": "next",
}
#: Segment, delayed ACKs, buffers and queue are ns-3.44's defaults. On the way back the aggregating
#: queue takes the place of FqCoDel.
SETUPS = {
    "linux": Setup("linux", segments_per_ack=None, buffers=None),
    "ns3": Setup(),
    "thesis": Setup(
        segment=536,
        segments_per_ack=2,
        queue=NS3_QUEUE,
        buffers="128 KiB",
        bbr3="ns3port",
        thinner=NAIVE_QUEUE,
        start_jitter="1 ms",
    ),
}


def duration(effort: Effort, flows: int = 1) -> int:
    """Seconds of a run."""
    if effort.quick:
        return QUICK_DURATION_S if flows == 1 else QUICK_PAIR_DURATION_S
    return DURATION_S


def cells(effort: Effort) -> list[Cell]:
    """One flow: every set-up, controller and ratio."""
    return [
        Cell({"stack": name, "cc": cc, "ratio": ratio}, scenario(setup, (cc,), ratio, effort))
        for name, setup in SETUPS.items()
        for cc in (*PAPER_CONTROLLERS, *EXTRA_CONTROLLERS[name])
        for ratio in RATIOS
    ]


def pair_cells(effort: Effort) -> list[Cell]:
    """Two flows: every set-up, pair and ratio."""
    return [
        Cell({"stack": name, "pair": "-".join(pair), "ratio": r}, scenario(setup, pair, r, effort))
        for name, setup in SETUPS.items()
        for pair in PAIRS
        for r in RATIOS
    ]


def scenario(
    setup: Setup, ccs: tuple[str, ...], ratio: int, effort: Effort, seconds: int | None = None
) -> dict[str, Any]:
    """One flow per controller through the bottleneck. Only single flows are sampled over time."""
    overhead = STACKS["linux" if setup.stack == "rfc" else setup.stack].overhead
    samples = {"sample_every": "100 ms"} if len(ccs) == 1 else {}
    return dumbbell(
        f"ack-aggregation-{setup.stack}-{'-'.join(ccs)}-{ratio}",
        start=f"{START_S} s",
        duration=f"{seconds or duration(effort, len(ccs))} s",
        warmup="5 s",
        pairs=len(ccs),
        access=Link(rate="100 Mbit/s", delay="2 ms", overhead=overhead),
        bottleneck=Link(
            rate="10 Mbit/s",
            delay="20 ms",
            overhead=overhead,
            **setup.queue,
            reverse=setup.way_back(ratio),
        ),
        flows=[setup.flow(cc) for cc in ccs],
        tcp=setup.tcp(),
        **samples,
    )
