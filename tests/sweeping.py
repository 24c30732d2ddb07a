"""What the tests of sweeps share: a scenario of a few milliseconds, and its sweep."""

import acklab

TINY = {
    "name": "tiny",
    "duration": "300 ms",
    "topology": {
        "preset": "dumbbell",
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "5 Mbit/s", "delay": "2 ms", "queue": "20 packets"},
    },
    "flow": [{"name": "bulk", "cc": "cubic", "start_jitter": "20 ms"}],
}
TINY_TOML = """\
name = "tiny"
duration = "300 ms"

[topology]
preset = "dumbbell"
access = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "5 Mbit/s", delay = "2 ms", queue = "20 packets" }

[[flow]]
name = "bulk"
cc = "cubic"
start_jitter = "20 ms"
"""
GRID = {"flow.0.cc": ["cubic", "bbr3"], "rate:topology.bottleneck.rate": "2..6*2 Mbit/s"}


def swept(folder, **more):
    return acklab.sweep(TINY, **{"grid": GRID, "seeds": 5, "out": folder, **more})


def content(folder):
    """Every file by its path, but for the lock, which is always empty."""
    files = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}
    assert files.pop(".lock").stat().st_size == 0
    return {name: p.read_bytes() for name, p in files.items()}


class Stop(Exception):
    """Stands for whatever ends a sweep early."""


def stop_after(n):
    def on_progress(done, total):
        if done >= n:
            raise Stop

    return on_progress
