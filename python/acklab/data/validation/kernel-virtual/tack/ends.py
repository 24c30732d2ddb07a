"""One end of TACK inside the machine: `ends.py send|receive MBIT RTT_MS LOSS BETA SECONDS OUT`.

OUT gets what `TackConnection.report` said each 0.1 s, with the time since the handshake.
"""

import json
import os
import sys
import threading
import time
from typing import Any

EVERY = 0.1
DOOR = ("10.0.3.2", 8225)
HERE = ("10.0.1.1", 0)


def scenario(rate: int, rtt: int, loss: float, beta: int) -> dict[str, Any]:
    """The path and the flow for the simulator; the queue is one bandwidth-delay product."""
    way = {"loss": loss} if loss else {}
    packets = round(rate * rtt * 1000 / 8 / 1500)
    # Start-up overshoots by some bandwidth-delay products, and a gap holds up all of it.
    buffer = 1 << 25 if rate * rtt > 10_000 else 1 << 24
    return {
        "name": "tack-kernel",
        "duration": "40 s",
        "topology": {
            "preset": "dumbbell",
            # A burst enters the queue at an instant, as over a virtual cable.
            "access": {"rate": "unlimited", "delay": "0 ms"},
            "bottleneck": {
                "rate": f"{rate} Mbit/s",
                "delay": f"{rtt / 2:g} ms",
                "queue": f"{packets} packets",
                **way,
                **({"reverse": way} if way else {}),
            },
        },
        "flow": [
            {
                "cc": "bbr-tack",
                "transport": {
                    "name": "tack",
                    "beta": beta,
                    "send_buffer": buffer,
                    "recv_buffer": buffer,
                },
            }
        ],
    }


def _write(connection: Any) -> None:
    data = bytes(1 << 18)
    while True:
        connection.write(data)


def _read(connection: Any) -> None:
    room = bytearray(1 << 18)
    while connection.readinto(room):
        pass


def main(what: str, path: tuple[int, int, float, int], seconds: float, out: str) -> None:
    """Sends or receives for `seconds` over a `scenario`, and writes what was counted."""
    from acklab import _core, load
    from acklab.tack.keys import Key

    key = Key(shared=bytes(32))
    like = (load(scenario(*path))._core, 0)
    if what == "receive":
        connection = _core.TackEndpoint(DOOR, key.of_server, like=like).accept(60)
    else:
        connection = _core.TackEndpoint(HERE, None, like=like).connect(DOOR, key.of_client)
    began = time.monotonic()
    work = _read if what == "receive" else _write
    threading.Thread(target=work, args=(connection,), daemon=True).start()
    samples = []
    while (left := seconds - (time.monotonic() - began)) > 0:
        time.sleep(min(EVERY, left))
        samples.append((time.monotonic() - began, connection.report()))
    with open(out, "w") as f:
        json.dump(samples, f)
    # The other thread waits in the connection.
    os._exit(0)


if __name__ == "__main__":
    end, rate, rtt, loss, beta, seconds, place = sys.argv[1:]
    main(end, (int(rate), int(rtt), float(loss), int(beta)), float(seconds), place)
