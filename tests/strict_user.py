"""A user's script, checked by `mypy --strict` and run."""

from pathlib import Path

from matplotlib.figure import Figure

import acklab
import acklab.plots

SCENARIO: dict[str, object] = {
    "name": "strict",
    "duration": "1 s",
    "topology": {
        "preset": "dumbbell",
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "10 Mbit/s", "delay": "5 ms", "queue": "20 packets"},
    },
    "flow": [{"name": "bulk", "cc": "cubic", "start_jitter": "50 ms"}],
    "record": {"every": "10 ms", "packets": True, "acks": True},
}


def figures(
    result: acklab.Result, saved: acklab.SavedRun, sweep: acklab.SweepResult, folder: Path
) -> None:
    """A figure of each sort, of runs and of a sweep."""
    result.plot.series(flows=["bulk"], start=0.2, end=0.8, window=0.1, title="A second")
    result.plot.sequence(start=0.0, end=0.1, size="slide")
    saved.plot.phases()
    saved.plot.cdf(value="srtt_ms")
    result.plot.ack_spacing()
    lines = sweep.plot.line(
        x="cc",
        y="rtt_p95_ms",
        facet=["queue"],
        where={"cc": ["cubic", "newreno"]},
        interval="range",
        log="none",
    )
    heat = sweep.plot.heatmap(x="cc", y="queue", value="goodput_mbps", style="serif")
    small = sweep.plot.ellipse(by="cc", facet="queue", size="page")
    sweep.plot.box(where={"queue": "1 BDP"})
    options: acklab.plots.Options = {"value": "goodput_mbps", "over": "queue"}
    merged = acklab.plots.plot(sweep, "cdf", **options)
    heights: list[int] = [d.data.height for d in (lines, heat, small, merged)]
    figure: Figure = heat.figure
    figure.set_size_inches(3, 2)
    written: list[list[Path]] = [small.save(folder / "small", f) for f in ("svg", "png")]
    print(heights, len(written), lines.note != "", lines.alt != "")


def refused(sweep: acklab.SweepResult, drawn: acklab.plots.Drawn) -> None:
    """Mistakes that the types find; were one not found, its `ignore` would be too many."""
    sweep.plot.line(xx="cc")  # type: ignore[call-arg]
    sweep.plot.line(window=1.0)  # type: ignore[call-arg]
    sweep.plot.heatmap(size="big")  # type: ignore[arg-type]
    sweep.plot.box(by="cc")  # type: ignore[call-arg]
    acklab.plots.plot(sweep, "line", x=1)  # type: ignore[arg-type]
    drawn.save("figure", "gif")  # type: ignore[arg-type]


def main(folder: Path) -> float:
    scenario: acklab.Scenario = acklab.load(SCENARIO, overrides={"flow.0.cc": "bbr3"})
    results: list[acklab.Result] = acklab.run_many([(scenario, s) for s in (1, 2)], jobs=1)
    saved: Path = results[0].save(folder / "one")
    again: acklab.SavedRun = acklab.Result.load(saved)
    means = [r.flows["goodput_mbps"].mean() for r in (results[1], again)]
    goodput: float = sum(m for m in means if isinstance(m, float))
    plain = {key: value for key, value in SCENARIO.items() if key != "record"}
    sweep: acklab.SweepResult = acklab.sweep(
        plain,
        grid={
            "flow.0.cc": ["cubic", "newreno"],
            "queue:topology.bottleneck.queue": ["0.5 BDP", "1 BDP"],
        },
        seeds=2,
        out=folder / "sweep",
    )
    drawn: acklab.plots.Drawn = sweep.plot.line(x="cc", y="goodput_mbps", size="column")
    paths: list[Path] = drawn.save(folder / "figure", "pdf")
    figures(results[0], again, sweep, folder)
    table = acklab.compare(results[0], again, names=["fresh", "saved"]).table(["goodput_mbps"])
    print(paths[0].name, len(table), sweep.complete, acklab.__version__)
    return goodput


if __name__ == "__main__":
    print(main(Path("strict-out")))
