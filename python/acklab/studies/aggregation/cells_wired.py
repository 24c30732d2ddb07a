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
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.stacks import AMPLE, STACKS
from acklab.studies.study import Cell, Effort

RATIOS = (1, 2, 4, 8, 16)
CONTROLLERS = ("bbr3", "cubic", "newreno", "vegas")
#: Tables 2 and 3.
PAIRS = tuple((cc, cc) for cc in CONTROLLERS) + tuple(combinations(CONTROLLERS, 2))
#: Controllers that only ns-3's and Linux's own runs have.
OTHERS = {"ns3": ("bbr1", "linuxreno"), "linux": ("bbr1",)}
START_S = 2
#: Payload of a flow, bytes.
VOLUME = 100_000 * 1448
#: The bottleneck's two directions.
DATA, ACKS = "left->right", "right->left"
#: Between samples of a recorded run, s.
SAMPLE_S = 0.05
#: Pairs as stated are recorded without and with much aggregation.
TRACED_PAIRS = {"ns3": (1, 8), "linux": (1, 8), "thesis": RATIOS}


@dataclass(frozen=True)
class Wired:
    """A choice where the thesis leaves one open."""

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
        own = {"send_buffer": self.buffers, "recv_buffer": self.buffers} if self.buffers else {}
        return {"profile": self.stack, "segment": self.segment, **own}

    def way_back(self, ratio: int) -> dict[str, Any]:
        """The reverse direction of the bottleneck, where no ACK ever waits for the line."""
        line = {"qdisc": "pfifo"} if "qdisc" in self.queue else {}
        if ratio == 1:
            return line
        return {**line, "ack_filter": {"name": "aggregate", "ratio": ratio, **self.thinner}}

    def thinned(self, **changed: str) -> Wired:
        """The same with other parameters of the aggregating queue."""
        return replace(self, thinner={**self.thinner, **changed})


#: Default queues of a device of ns-3.44.
NS3_QUEUE = {"qdisc": {"name": "fq-codel", "mtu_counts": "flow"}, "device_queue": 100}
#: The queue of the thesis as inferred from its numbers: the SYN-ACK counts as an ACK, one counter
#: for all flows, each arrival starts the timer anew, and what the timer lets go waits for the next
#: arrival.
NAIVE_QUEUE = {
    "handshake": "thin",
    "scope": "queue",
    "timeout_from": "last",
    "flush": "next",
}
#: Segment, delayed ACKs, buffers and queue of `thesis` are ns-3.44's defaults.
SETUPS = {
    "ns3": Wired(),
    "linux": Wired("linux", segments_per_ack=None, buffers=None),
    "thesis": Wired(
        segment=536,
        segments_per_ack=2,
        queue=NS3_QUEUE,
        buffers="128 KiB",
        bbr3="ns3port",
        thinner=NAIVE_QUEUE,
        start_jitter="1 ms",
    ),
}


def scenario(
    setup: Wired, ccs: tuple[str, ...], ratio: int, effort: Effort, **recorded: Any
) -> dict[str, Any]:
    """One flow per controller through the bottleneck. Only single flows are sampled over time."""
    overhead = STACKS["linux" if setup.stack == "rfc" else setup.stack].overhead
    seconds = 60 if not effort.quick else 10 if len(ccs) > 1 and not recorded else 20
    described = dumbbell(
        f"ack-aggregation-{setup.stack}-{'-'.join(ccs)}-{ratio}",
        start=f"{START_S} s",
        duration=f"{seconds} s",
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
        **({"sample_every": "100 ms"} if len(ccs) == 1 and not recorded else {}),
    )
    record = {"every": f"{1e3 * SAMPLE_S:g} ms", "events": True, **recorded}
    return {**described, "record": record} if recorded else described


def one(effort: Effort) -> list[Cell]:
    """One flow: every set-up, controller and ratio."""
    return [
        Cell({"setup": name, "cc": cc, "ratio": ratio}, scenario(setup, (cc,), ratio, effort))
        for name, setup in SETUPS.items()
        for cc in CONTROLLERS
        for ratio in RATIOS
    ]


def others(effort: Effort) -> list[Cell]:
    """One flow with a controller that the thesis does not have and the references do."""
    return [
        Cell({"setup": name, "cc": cc, "ratio": r}, scenario(SETUPS[name], (cc,), r, effort))
        for name, ccs in OTHERS.items()
        for cc in ccs
        for r in RATIOS
    ]


def pairs(effort: Effort) -> list[Cell]:
    """Two flows: every set-up, pair and ratio."""
    return [
        Cell({"setup": name, "pair": "-".join(pair), "ratio": r}, scenario(setup, pair, r, effort))
        for name, setup in SETUPS.items()
        for pair in PAIRS
        for r in RATIOS
    ]


def traces(effort: Effort) -> list[Cell]:
    """One flow and one seed, with everything recorded that its mechanisms are read from."""
    return [
        Cell(
            {"setup": name, "cc": cc, "ratio": ratio},
            scenario(setup, (cc,), ratio, effort, acks=True, packets=_packets(name, cc, ratio)),
            seeds=1,
        )
        for name, setup in SETUPS.items()
        for cc in CONTROLLERS
        for ratio in RATIOS
    ]


def _packets(setup: str, cc: str, ratio: int) -> list[str] | bool:
    """Packets matter for Vegas's RTTs, for bursts and for ns-3's lost repetitions."""
    watched = cc == "vegas" or (setup, cc) == ("ns3", "cubic") or (cc == "bbr3" and ratio in (1, 8))
    return [DATA] if watched else False


def untimed(effort: Effort) -> list[Cell]:
    """The same at 16:1 without the queue's timer."""
    return [
        Cell(
            {"setup": name, "cc": cc},
            scenario(setup.thinned(timeout="none"), (cc,), 16, effort, acks=True),
            seeds=1,
        )
        for name, setup in SETUPS.items()
        for cc in CONTROLLERS
    ]


def pair_traces(effort: Effort) -> list[Cell]:
    """Two flows, one seed; of `thesis` the ACKs' way too, where handshakes get lost."""
    return [
        Cell(
            {"setup": name, "pair": "-".join(pair), "ratio": r},
            scenario(
                SETUPS[name],
                pair,
                r,
                effort,
                packets=[ACKS] if name == "thesis" and r > 1 else False,
            ),
            seeds=1,
        )
        for name, ratios in TRACED_PAIRS.items()
        for pair in PAIRS
        for r in ratios
    ]


def transparent(effort: Effort) -> list[Cell]:
    """Each set-up and controller, without the queue and with it at 1:1."""
    found = []
    for name, setup in SETUPS.items():
        for cc in CONTROLLERS:
            for queue in ("without", "within"):
                described = scenario(setup, (cc,), 1, effort)
                if queue == "within":
                    at_one = {"ack_filter": {"name": "aggregate", "ratio": 1, **setup.thinner}}
                    described["topology"]["bottleneck"]["reverse"] = at_one
                found.append(Cell({"setup": name, "cc": cc, "queue": queue}, described, seeds=1))
    return found


#: Single changes of the stated set-up: what they are called, fields of `Wired`.
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "the RFCs' stack": {"stack": "rfc"},
    "segments of 536 B": {"segment": 536},
    "delayed ACKs": {"segments_per_ack": 2},
    "buffers of 128 KiB": {"buffers": "128 KiB"},
    "bottleneck of 100 packets": {"queue": {"queue": "100 packets"}},
    "bottleneck of 20 packets": {"queue": {"queue": "20 packets"}},
    "FQ-CoDel over a device of 100 packets": {"queue": NS3_QUEUE},
    "BBRv3 of Google's kernel": {"bbr3": "google"},
    "BBRv3 of the public port to ns-3": {"bbr3": "ns3port"},
}
#: The same of the queue that aggregates.
_QUEUE: Mapping[str, Mapping[str, str]] = {
    "no timer": {"timeout": "none"},
    "timer of 1 ms": {"timeout": "1 ms"},
    "timer of 20 ms": {"timeout": "20 ms"},
    "timer of 50 ms": {"timeout": "50 ms"},
    "timer from the last ACK": {"timeout_from": "last"},
    "timer does not wake the link": {"flush": "next"},
    "SYN-ACK counts as an ACK": {"handshake": "thin"},
    "one counter for all flows": {"scope": "queue"},
    "duplicates pass": {"duplicates": "pass"},
    "new SACK blocks pass": {"sack": "pass"},
    "all ACKs released in a burst": {"release": "burst"},
}
#: From the stated set-up to `thesis`, step by step.
_STEPS: tuple[tuple[str, Mapping[str, Any], Mapping[str, str]], ...] = (
    ("ns-3's segments and delayed ACKs", {"segment": 536, "segments_per_ack": 2}, {}),
    ("ns-3's buffers and queue", {"buffers": "128 KiB", "queue": NS3_QUEUE}, {}),
    ("BBRv3 of the public port", {"bbr3": "ns3port"}, {}),
    ("SYN-ACK held", {}, {"handshake": "thin"}),
    ("timer asleep", {}, {"flush": "next"}),
    ("timer from the last", {}, {"timeout_from": "last"}),
    ("one counter", {}, {"scope": "queue"}),
)


def _readings(quick: bool) -> dict[str, Wired]:
    """Set-ups by name: as stated, single changes, steps, and steps taken back alone."""
    stated, thesis = SETUPS["ns3"], SETUPS["thesis"]
    found = {"as stated, ns-3's TCP": stated, "as stated, Linux's TCP": SETUPS["linux"]}
    if not quick:
        found |= {name: replace(stated, **of) for name, of in _FIELDS.items()}
        found |= {name: stated.thinned(**of) for name, of in _QUEUE.items()}
        found["Linux's TCP, no timer"] = SETUPS["linux"].thinned(timeout="none")
    at = stated
    for n, (name, fields, queue) in enumerate(_STEPS, 1):
        at = replace(at, **fields).thinned(**queue)
        found[f"step {n}: {name}"] = at
    for name, fields, queue in () if quick else _STEPS:
        kept = {k: v for k, v in thesis.thinner.items() if k not in queue}
        back = {k: getattr(stated, k) for k in fields}
        found[f"inferred without: {name}"] = replace(thesis, **back, thinner=kept)
    if not quick:
        kept = {k: v for k, v in NAIVE_QUEUE.items() if k != "flush"}
        found["inferred without: any timer"] = replace(thesis, thinner={**kept, "timeout": "none"})
    return found


def readings(effort: Effort) -> list[Cell]:
    """The three tables in every reading; each flow starts at 2 s sharp, as in the thesis."""
    few = effort.quick
    runs: list[tuple[str, tuple[str, ...], int]] = [
        ("table1", (cc,), r) for cc in CONTROLLERS for r in ((1, 16) if few else RATIOS)
    ]
    # As stated 8:1 is 16:1, so pairs go without it.
    for pair in (PAIRS[0], PAIRS[1], PAIRS[4], PAIRS[7]) if few else PAIRS:
        name = "table2" if pair[0] == pair[1] else "table3"
        runs += [(name, pair, r) for r in ((1, 16) if few else (1, 2, 4, 16))]
    return [
        Cell(
            {"reading": reading, "table": table, "flows": "-".join(ccs), "ratio": ratio},
            {
                **scenario(replace(setup, start_jitter="0 s"), ccs, ratio, effort),
                "sample_every": "off",
            },
            seeds=1,
        )
        for reading, setup in _readings(few).items()
        for table, ccs, ratio in runs
    ]


GROUPS = {
    "one": one,
    "others": others,
    "pairs": pairs,
    "traces": traces,
    "untimed": untimed,
    "pair_traces": pair_traces,
    "transparent": transparent,
    "readings": readings,
}
