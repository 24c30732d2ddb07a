"""All public functions and classes of `acklab.fluid`, found, and arguments for each."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import acklab.fluid
from acklab.fluid import access, uplink
from acklab.fluid.air import Air
from acklab.fluid.contention import Contender, Exchange
from acklab.fluid.coupled import Fifo, Path
from acklab.fluid.durations import Mode
from acklab.fluid.loops import Bottleneck
from acklab.fluid.many import Runs
from acklab.fluid.radio import Lane, Radio, Source
from acklab.fluid.red import Red, equilibrium
from acklab.fluid.scherrer import Dumbbell
from acklab.fluid.senders import SENDERS
from acklab.fluid.system import Home
from acklab.fluid.triggered import Triggered

WINDOWS = (16, 32, 64, 128)
DATA = Exchange(200e-6, 180e-6, 20, 48e-6)
LANE = Lane((0,), DATA, DATA)
SOURCE = Source("station", Contender(WINDOWS), [LANE], 500.0)
RADIO = Radio([SOURCE], [(Contender(WINDOWS), [(0, 0)])], 2, 12e3, 11e3)
RED = Red(60, 3750, 0.2, 150, 200, 0.0166, 1.33e-6)
#: What an equation takes beside numbers, by the name of the parameter.
THINGS: dict[str, Callable[[], Any]] = {
    "access.eq7.slots": lambda: access.Slots(0.5, 0.3, 0.2),
    "contention.fixed_point.of": lambda: [Contender(WINDOWS)] * 2,
    "coupled.solve.path": lambda: Path(1000.0, 0.04),
    "coupled.solve.senders": lambda: [SENDERS["cubic"]()],
    "coupled.solve.queue": lambda: Fifo(1, 50.0),
    "cycles.between_falls.values": lambda: np.sin(np.arange(200) / 5) + 2,
    "cycles.period.values": lambda: np.sin(np.arange(200) / 5) + 2,
    "delays.solve_delayed.right": lambda: lambda t, y, then: -then,
    "delays.Bound.symbol": lambda: "y",
    "delays.Bound.equation": lambda: "Eq 0",
    "durations.Mode.standard": lambda: "n",
    "durations.longest_exchange.mode": lambda: Mode("n", 7),
    "loops.Bbr.full": lambda: False,
    "loops.Bbr.of": lambda: Bottleneck(4.0, 1000.0, 0.04),
    "loops.CubicDropTail.of": lambda: Bottleneck(4.0, 1000.0, 0.04),
    "loops.DropTail.of": lambda: Bottleneck(4.0, 1000.0, 0.04),
    "loops.RenoPie.of": lambda: Bottleneck(4.0, 1000.0, 0.04),
    "many.Runs.senders": lambda: ["cubic"],
    "many.Runs.queue": lambda: "pfifo",
    "many.work.of": lambda: Runs(["cubic"], "pfifo", 1000.0),
    "many_queues.queues.kind": lambda: "pfifo",
    "maps.growth.loop": lambda: "bbr2",
    "maps.over.of": lambda: lambda x, y: x + y,
    "queues.eq15.shared": lambda: True,
    "bbr3.eq14.probing_rtt": lambda: False,
    "paths.Series.channel": lambda: Air(RADIO, 1),
    "paths.Series.first": lambda: True,
    "paths.Series.wire": lambda: Fifo(1, 50.0),
    "radio.Above.name": lambda: "codel",
    "air.Air.of": lambda: RADIO,
    "radio.Lane.acks": lambda: DATA,
    "radio.Lane.data": lambda: DATA,
    "radio.Radio.answers": lambda: [(Contender(WINDOWS), [(0, 0)])],
    "radio.Radio.sources": lambda: [SOURCE],
    "radio.Source.contender": lambda: Contender(WINDOWS),
    "radio.Source.lanes": lambda: [LANE],
    "radio.Source.name": lambda: "station",
    "red.loop.at": lambda: equilibrium(RED),
    "red.loop.of": lambda: RED,
    "red.run.of": lambda: RED,
    "responses.avoidance.by_byte": lambda: False,
    "scherrer.run.of": lambda: Dumbbell(1000.0, [0.04], 40.0),
    "scherrer.run.versions": lambda: ["bbr1"],
    "senders.Bounded.of": lambda: SENDERS["cubic"](),
    "stability.linearised.field": lambda: lambda y, then: -y - 0.5 * then,
    "stability.steady_state.field": lambda: lambda y, then: 1 - y,
    "stability.steady_state.name": lambda: "a loop",
    "stability.verdict.field": lambda: lambda y, then: -y - 0.5 * then,
    "system.corrected.of": lambda: Home(1000.0, 0.04, 50.0),
    "system.printed.of": lambda: Home(1000.0, 0.04, 50.0),
    "system.printed.reading": lambda: "throughput",
    "triggered.Cell.of": lambda: Triggered(
        [(0,)], 4, 0, (), 3e-5, 9e-5, 4e-5, 3e-5, 8e-5, 9e-5, 50, DATA, 1e-4, 500, 12e3, 11e3
    ),
    "triggered.Triggered.acks": lambda: DATA,
    "triggered.Triggered.stations": lambda: [(0,), (1,), (2,), (3,)],
    "uplink.uplink.of": lambda: uplink.Setting(8, 4, 4e-5, 1e-3, 3e-5, access.uora_stages(4)),
}


def public(kind: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """Names and objects of a kind that the modules of the package define."""
    for module in pkgutil.iter_modules(acklab.fluid.__path__):
        of = importlib.import_module(f"acklab.fluid.{module.name}")
        for name, found in inspect.getmembers(of, kind):
            if found.__module__ == of.__name__ and not name.startswith("_"):
                yield f"{module.name}.{name}", found


FUNCTIONS = dict(public(inspect.isfunction))
CLASSES = dict(public(inspect.isclass))


def numeric(of: Any) -> list[str]:
    """Parameters that take numbers, by their annotations."""
    number = re.compile(r"\b(float|int|Any|Floats|float64)\b")
    found = inspect.signature(of.__init__ if inspect.isclass(of) else of).parameters
    return [
        name
        for name, p in found.items()
        if number.search(str(p.annotation)) and "Callable" not in str(p.annotation)
    ]


def arguments(name: str, of: Any, plain: Callable[[Any], Any] = lambda s: s.example) -> dict:
    """An argument for each parameter without a default, and for each symbol."""
    symbols = of.__symbols__
    found = {}
    for p in inspect.signature(of.__init__ if inspect.isclass(of) else of).parameters.values():
        thing = f"{name}.{p.name}"
        if p.name in symbols:
            found[p.name] = plain(symbols[p.name])
        elif thing in THINGS:
            found[p.name] = THINGS[thing]()
        elif p.default is p.empty and p.name != "self":
            raise AssertionError(f"{thing}: tests/fluid_functions.py has no argument for it")
    return found
