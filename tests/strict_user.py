"""A user's script, checked by `mypy --strict` and run."""

from pathlib import Path

import acklab

SCENARIO: dict[str, object] = {
    "name": "strict",
    "duration": "1 s",
    "topology": {
        "preset": "dumbbell",
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "10 Mbit/s", "delay": "5 ms", "queue": "20 packets"},
    },
    "flow": [{"name": "bulk", "cc": "cubic", "start_jitter": "50 ms"}],
}


def main(folder: Path) -> float:
    scenario: acklab.Scenario = acklab.load(SCENARIO, overrides={"flow.0.cc": "bbr3"})
    results: list[acklab.Result] = acklab.run_many([(scenario, s) for s in (1, 2)], jobs=1)
    saved: Path = results[0].save(folder / "one")
    again: acklab.SavedRun = acklab.Result.load(saved)
    means = [r.flows["goodput_mbps"].mean() for r in (results[1], again)]
    goodput: float = sum(m for m in means if isinstance(m, float))
    sweep: acklab.SweepResult = acklab.sweep(
        SCENARIO,
        grid={"flow.0.cc": ["cubic", "newreno"]},
        seeds=2,
        out=folder / "sweep",
    )
    drawn = sweep.plot.line(x="cc", y="goodput_mbps", size="column")
    paths: list[Path] = drawn.save(folder / "figure", "pdf")
    table = acklab.compare(results[0], again, names=["fresh", "saved"]).table(["goodput_mbps"])
    print(paths[0].name, len(table), sweep.complete, acklab.__version__)
    return goodput


if __name__ == "__main__":
    print(main(Path("strict-out")))
