"""The wired dumbbell of the thesis, once as ns-3 and once as Linux would run it.

As stated there: access links of 100 Mbit/s and 2 ms, a bottleneck of 10 Mbit/s and 20 ms, one
flow of 100,000 packets of 1448 B from 2 s to 62 s, ACKs aggregated at the right router towards the
bottleneck with a 5 ms timer.

Not stated there, and chosen here:

* The bottleneck's queue is drop-tail with 40 packets, about one bandwidth-delay product, as in both
  reference data sets.
* Of an aggregate the last ACK goes on and the others are dropped ("either dropped or forwarded").
* In the ns-3 stack the receiver acknowledges each segment, so that N:1 means N segments per ACK,
  and socket buffers never limit the flow; both as in the ns-3 reference. In the Linux stack the
  receiver does what Linux does.
* The flow starts up to 100 ms late, drawn from the seed, so that a coincidence of phases shows as
  spread and not as a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.stacks import AMPLE, STACKS, Stack, thinner
from acklab.studies.study import Cell, Effort

RATIOS = (1, 2, 4, 8, 16)
#: In the thesis.
PAPER_CONTROLLERS = ("bbr3", "cubic", "newreno", "vegas")
#: In the reference data only.
EXTRA_CONTROLLERS = {"ns3": ("bbr1", "linuxreno"), "linux": ("bbr1",)}
DURATION_S = 60
QUICK_DURATION_S = 20
START_S = 2


def cells(effort: Effort) -> list[Cell]:
    """Every stack, controller and ratio."""
    duration = QUICK_DURATION_S if effort.quick else DURATION_S
    return [
        Cell({"stack": stack, "cc": cc, "ratio": ratio}, _scenario(stack, cc, ratio, duration))
        for stack, cc in _controllers()
        for ratio in RATIOS
    ]


def _controllers() -> Iterator[tuple[str, str]]:
    for stack in STACKS:
        for cc in (*PAPER_CONTROLLERS, *EXTRA_CONTROLLERS[stack]):
            yield stack, cc


def _scenario(name: str, cc: str, ratio: int, duration: int) -> dict[str, Any]:
    stack = STACKS[name]
    return dumbbell(
        f"ack-aggregation-{name}-{cc}-{ratio}",
        start=f"{START_S} s",
        duration=f"{duration} s",
        warmup="5 s",
        sample_every="100 ms",
        access=Link(rate="100 Mbit/s", delay="2 ms", overhead=stack.overhead),
        bottleneck=Link(
            rate="10 Mbit/s",
            delay="20 ms",
            queue="40 packets",
            overhead=stack.overhead,
            reverse=_filtered(ratio),
        ),
        flows=[
            Flow(
                cc=stack.cc(cc),
                ack=_per_segment(stack),
                app={"kind": "bulk", "packets": 100_000},
                start_jitter="100 ms",
            )
        ],
        tcp=_tcp(stack),
    )


def _filtered(ratio: int) -> dict[str, Any]:
    ack_filter = thinner(ratio)
    return {} if ack_filter is None else {"ack_filter": ack_filter}


def _per_segment(stack: Stack) -> dict[str, Any] | None:
    if stack.profile != "ns3":
        return None
    return {"name": "delayed", "segments": 1, "count": "segments"}


def _tcp(stack: Stack) -> dict[str, Any]:
    buffers = {"send_buffer": AMPLE, "recv_buffer": AMPLE} if stack.profile == "ns3" else {}
    return {"profile": stack.profile, "segment": 1448, **buffers}
