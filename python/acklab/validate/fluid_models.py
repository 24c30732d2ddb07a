"""The coupled model of `acklab.fluid` as a reference: senders and queues as fluids.

One flow of each controller, and CUBIC beside each BBR in fair queues. Two flows in a FIFO are left
out: what they share depends on which of them is probing when the queue overflows, in the simulator
as in a kernel, and the model has one such order.
"""

from __future__ import annotations

from typing import Any

from acklab.fluid.beside import modelled
from acklab.fluid.scenario_case import case_of
from acklab.fluid.senders import SENDERS
from acklab.scenario import load
from acklab.validate import transport_models
from acklab.validate.criteria import FLUID_MODELS as CRITERIA
from acklab.validate.reference import Reference

#: The name of the source.
SOURCE = "models"
_QUEUES: dict[str, dict[str, Any]] = {
    "pfifo": {"queue": "50 packets"},
    "codel": {"qdisc": "codel"},
    "pie": {"qdisc": "pie"},
    "fq-codel": {"qdisc": "fq-codel"},
}
_RTTS = (20, 40, 100)


def rows() -> list[Reference]:
    """Every cell."""
    ones: list[tuple[str, ...]] = [(cc,) for cc in SENDERS]
    pairs: list[tuple[str, ...]] = [("cubic", cc) for cc in SENDERS if cc.startswith("bbr")]
    return [
        *(_reference(flows, queue, rtt) for queue in _QUEUES for rtt in _RTTS for flows in ones),
        *(_reference(flows, "fq-codel", rtt) for rtt in _RTTS for flows in pairs),
        *transport_models.rows(SOURCE),
    ]


def scenario(flows: tuple[str, ...], queue: str, rtt: int) -> dict[str, Any]:
    """10 Mbit/s, and a minute."""
    named = ({"name": f"{cc}-{i}", "cc": cc} for i, cc in enumerate(flows))
    return transport_models.path(rtt, 10, _QUEUES[queue], *named)


def _reference(flows: tuple[str, ...], queue: str, rtt: int) -> Reference:
    this = scenario(flows, queue, rtt)
    case = case_of(load(this).resolved)
    each = [modelled(case, trace) for trace in case.runs()]
    values = {m: [of[0][m] for of in each] for m in ("goodput", "rtt")}
    values["jain"] = [_jain([flow["goodput"] for flow in of]) for of in each]
    return Reference(
        source=SOURCE,
        keys={"controllers": "+".join(flows), "queue": queue, "RTT": f"{rtt} ms"},
        values={m: values.get(m, []) for m in transport_models.MEASURES},
        measures=transport_models.MEASURES,
        criteria=CRITERIA,
        scenarios=[this],
    )


def _jain(of: list[float]) -> float:
    return sum(of) ** 2 / (len(of) * sum(x * x for x in of))
