"""The live half of a twin run: TACK over loopback, with the scenario's network between the ends."""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any

from acklab import _core
from acklab.errors import AcklabError
from acklab.scenario import Scenario
from acklab.tack.keys import Key

#: Distance of the samples, in seconds.
EVERY = 0.1
#: Bytes that an application writes and reads at once.
_CHUNK = 1 << 18
_HERE = ("127.0.0.1", 0)


@dataclass(frozen=True)
class Flow:
    """A flow of the scenario."""

    name: str
    #: When it opens its connection, in seconds.
    start: float


@dataclass(frozen=True)
class Sample:
    """The counters of both ends of a flow at an instant."""

    time: float
    sender: dict[str, Any]
    receiver: dict[str, Any]


@dataclass
class Ran:
    """The outcome of a live run."""

    #: By flow, samples in the order of time; the last as of the end.
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    #: Counters of the relay, and its lateness.
    relay: dict[str, Any] = field(default_factory=dict)


def check(scenario: Scenario) -> None:
    """Proves that each flow of the scenario can run live.

    Raises:
        AcklabError: if one cannot.
    """
    for i, flow in enumerate(tomllib.loads(scenario.resolved)["flow"]):
        transport = flow.get("transport", "tcp")
        name = transport if isinstance(transport, str) else transport.get("name", "tcp")
        app = flow.get("app", "bulk")
        kind = app if isinstance(app, str) else app.get("kind", "bulk")
        endless = isinstance(app, str) or not {"bytes", "until"} & app.keys()
        if name != "tack" or kind != "bulk" or not endless:
            raise AcklabError(
                f"flow.{i} of {scenario.name!r} cannot run live: only endless bulk flows of TACK"
                f" can, and it is {kind}{'' if endless else ' with an end'} over {name}\n"
                f"  help: --set flow.{i}.transport=tack --set flow.{i}.app=bulk"
            )


def run(
    scenario: Scenario,
    ways: Sequence[Flow],
    stop: float,
    seed: int,
    progress: Callable[[int, int], None],
) -> Ran:
    """Runs all flows of the scenario live until `stop`, in seconds from the network's start."""
    key = Key.pair()
    servers = [
        _core.TackEndpoint(_HERE, key.of_server, like=(scenario._core, i)) for i in range(len(ways))
    ]
    doors = [(_HERE, server.address, i) for i, server in enumerate(servers)]
    relay = _core.TackRelay(scenario._core, doors, seed)
    ran, began = Ran(), monotonic()
    ended = threading.Event()
    ends: list[_core.TackConnection] = []
    try:
        threads = [
            threading.Thread(
                target=_flow,
                args=(scenario, i, way, relay.doors[i], servers[i], key, began, ran, ended, ends),
                daemon=True,
            )
            for i, way in enumerate(ways)
        ]
        for thread in threads:
            thread.start()
        while (now := monotonic() - began) < stop:
            progress(int(now * 10), int(stop * 10))
            sleep(min(EVERY, stop - now))
    finally:
        ended.set()
        for thread in threads:
            thread.join(5)
        for end in ends:
            end.abort()
        ran.relay = relay.stop()
    return ran


def _flow(
    scenario: Scenario,
    number: int,
    way: Flow,
    door: tuple[str, int],
    server: _core.TackEndpoint,
    key: Key,
    began: float,
    ran: Ran,
    ended: threading.Event,
    ends: list[_core.TackConnection],
) -> None:
    """One flow: opens it at its start, keeps it busy, and takes samples to the end."""
    if ended.wait(way.start - (monotonic() - began)):
        return
    endpoint = _core.TackEndpoint(_HERE, None, like=(scenario._core, number))
    sender = endpoint.connect(door, key.of_client)
    receiver = server.accept(5)
    if receiver is None:
        return
    ends += [sender, receiver]
    for work in (_write, _read):
        threading.Thread(target=work, args=(sender, receiver), daemon=True).start()
    samples = ran.samples.setdefault(way.name, [])
    while True:
        over = ended.wait(EVERY)
        # The receiver first: what is under way meanwhile counts for neither.
        theirs, ours = receiver.report(), sender.report()
        samples.append(Sample(monotonic() - began, ours, theirs))
        if over:
            return


def _write(sender: _core.TackConnection, _: _core.TackConnection) -> None:
    data = bytes(_CHUNK)
    try:
        while True:
            sender.write(data)
    except OSError:
        return


def _read(_: _core.TackConnection, receiver: _core.TackConnection) -> None:
    buffer = bytearray(_CHUNK)
    try:
        while receiver.readinto(buffer):
            pass
    except OSError:
        return


def seconds(quantity: str) -> float:
    """A time of a resolved scenario in seconds."""
    value, unit = quantity.split()
    return (
        float(value)
        * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}[unit]
    )
