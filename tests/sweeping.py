"""Common parts of the tests of sweeps: a scenario of a few milliseconds, and its sweep."""

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


def many(folder, cells, seeds):
    """A whole sweep of two flows in `folder` whose numbers are drawn, not simulated.

    The rate is in proportion to the key `load`; `kind` changes nothing.
    """
    import numpy as np
    import polars as pl

    from acklab.saving import parquet
    from acklab.source import read
    from acklab.sweeps import manifest, sums
    from acklab.sweeps.plan import plan

    two = {**TINY, "flow": [{"name": n, "start_jitter": "20 ms"} for n in ("a", "b")]}
    grid = {
        "load:topology.bottleneck.rate": f"1..{cells // 2} Mbit/s",
        "kind:flow.0.cc": ["cubic", "bbr3"],
    }
    made = plan(read(two), grid, [], seeds, [])
    one = acklab.load(two).run().flows
    folder.mkdir()
    scenario = manifest.scenario_file(made.source)
    (folder / scenario).write_text(made.source.text)
    (folder / manifest.NAME).write_text(
        manifest.Manifest.of(made, "acklab sweep ...").text("acklab sweep ...")
    )
    (folder / "flows").mkdir()
    keys = made.grid.columns(range(made.grid.cells))
    draw = np.random.default_rng(7)
    files = {}
    for first in range(0, made.runs, 1024):
        runs = np.arange(first, min(first + 1024, made.runs)).repeat(2)
        body = one[np.tile([0, 1], len(runs) // 2)]
        load = runs // seeds // 2 + 1
        noise = draw.normal(1, 0.01, len(runs))
        numbers = [
            pl.col(c).cast(pl.Float64) * noise for c, t in one.schema.items() if t.is_float()
        ]
        head = pl.DataFrame({"run": runs, "cell": runs // seeds}).hstack(keys[runs // seeds])
        seed = pl.Series("seed", runs % seeds + 1, dtype=pl.UInt64)
        body = body.with_columns(numbers).with_columns(goodput_mbps=pl.Series(load * noise / 1e3))
        path = f"flows/{first:06}-{runs[-1]:06}.parquet"
        parquet(pl.concat([head.with_columns(seed), body], how="horizontal"), folder / path)
        files[path] = sums.digest(folder / path)
    for name in (manifest.NAME, scenario):
        files[name] = sums.digest(folder / name)
    (folder / sums.NAME).write_text(sums.text(files))
    return folder
