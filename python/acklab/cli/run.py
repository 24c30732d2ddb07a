"""`acklab run`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acklab.cli import completing, forecast
from acklab.cli.guard import kept
from acklab.cli.output import tell, tell_lines
from acklab.cli.scenarios import Overrides, ScenarioFile, given
from acklab.cli.simulated import simulated

if TYPE_CHECKING:
    from acklab.formats.exports import Export
    from acklab.results import Result
    from acklab.scenario import Scenario

Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Threads. Default: one per core."),
]


def run(
    file: ScenarioFile,
    set_: Overrides = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed, 0..2^64-1. Default: the scenario's.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Result folder. Default: out/NAME.")
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(
            "--record",
            metavar="LIST",
            autocompletion=completing.streams,
            help="Record more: all, or some of series,events,acks,delays,queues,packets,ppdus,"
            "frames.",
        ),
    ] = None,
    pcap: Annotated[
        bool,
        typer.Option(
            "--pcap",
            help="Add packets.pcapng, a capture for Wireshark, and CHANNEL.monitor.pcapng of each "
            "radio channel.",
        ),
    ] = False,
    qlog: Annotated[
        bool,
        typer.Option(
            "--qlog",
            help="Add FLOW.sqlog for each flow, for qvis; of TACK also FLOW.receiver.sqlog.",
        ),
    ] = False,
    flent: Annotated[
        bool, typer.Option("--flent", help="Add NAME.flent.gz, a data file for Flent.")
    ] = False,
    flowmon: Annotated[
        bool, typer.Option("--flowmon", help="Add flowmon.xml, as ns-3's FlowMonitor has it.")
    ] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Add report.html, an interactive page of the run.")
    ] = False,
    tc: Annotated[
        bool,
        typer.Option("--tc", help="Print the counters of queue disciplines as `tc -s` does, too."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if an expectation is not met.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Say what it would take: time, memory and disk, from a run of its first part; "
            "write nothing.",
        ),
    ] = False,
) -> int:
    """Run a scenario once and keep the results in a folder."""
    import acklab
    from acklab.cli import replacing
    from acklab.folder import result_folder
    from acklab.formats.exports import EXPORTS
    from acklab.saving import save
    from acklab.scenario import checked_seed

    source = given(file)
    overrides = list(set_ or [])
    scenario = acklab.load(source, overrides=overrides)
    asked = {"pcap": pcap, "qlog": qlog, "flent": flent, "flowmon": flowmon}
    exports = [e for e in EXPORTS if asked[e.option]]
    more = recording(streams(record), scenario.recorded) + exporting(exports, scenario)
    if more:
        overrides += dict.fromkeys(more)
        scenario = acklab.load(source, overrides=overrides)
    for warning in scenario.warnings:
        typer.echo(warning, err=True)
    seed = scenario.seed if seed is None else checked_seed(seed)
    words = ["acklab", "run", file]
    words += [w for o in set_ or [] for w in ("--set", o)]
    words += ["--seed", str(seed)]
    words += ["--out", str(out)] if out is not None else []
    words += ["--record", record] if record is not None else []
    words += [f"--{e.option}" for e in exports]
    words += ["--report"] * report + ["--tc"] * tc + ["--strict"] * strict
    target = out or Path("out") / scenario.name
    if dry_run or forecast.ONE_BY_ONE.intersection(scenario.recorded):
        found = forecast.of(source, overrides, scenario, seed)
        if dry_run:
            dry = {"scenario": scenario.name, "seed": seed, "folder": target, **vars(found)}
            tell_lines(
                dry,
                f"would run: {scenario.name}, seed {seed}",
                found.told(),
                f"results would go to {target}",
            )
            return 0
        forecast.warn(found, target)
    before = replacing.kept_in(target)
    with result_folder(target) as folder, simulated(scenario.name) as shown:
        result = scenario.run(seed=seed, on_time=shown.reached)
        shown.writes()
        save(result, folder, command=shlex.join(words))
        failed = _derived(result, folder, exports, report)
    kept(target)
    if told := replacing.note(target, before):
        typer.echo(told, err=True)
    verdicts = result.expectations()
    tell(lambda: summed(result, target), lambda: _show(result, target, tc))
    if failed is not None:
        typer.echo("acklab kept the result, but these additions failed:", err=True)
        raise failed
    return int(strict and not all(v.met for v in verdicts))


def _show(result: Result, target: Path, tc: bool) -> None:
    from acklab.cli.show import console, summary
    from acklab.formats import tc as classes
    from acklab.formats import tc_links as disciplines

    summary(result)
    if tc:
        told = [of for of in (disciplines.text(result), classes.text(result.queue_classes)) if of]
        typer.echo("\n\n".join(told) or "--tc: no packet came to a queue of a link")
    for v in result.expectations():
        console().print(f"{'met' if v.met else 'NOT MET'}: {v.text}", soft_wrap=True)
    console().print(f"results: {target}", soft_wrap=True)


def _derived(
    result: Result, folder: Path, exports: Sequence[Export], report: bool
) -> Exception | None:
    """Writes what is made of the result; the first failure, which does not cost the result."""
    from acklab.opening import open as open_saved
    from acklab.report.run import write_run_report

    jobs: list[Callable[[], object]] = [partial(e.write, result, folder) for e in exports]
    if report:
        # Of what was saved, which knows the command line.
        jobs.append(lambda: write_run_report(open_saved(folder), folder / "report.html"))
    failures = []
    for job in jobs:
        try:
            job()
        except Exception as e:
            failures.append(e)
    return failures[0] if failures else None


#: Distance of samples where the scenario names none.
SAMPLES = "10 ms"


def streams(words: str | None) -> Sequence[str]:
    """Streams that `--record` names."""
    from acklab.errors import UsageError
    from acklab.results import STREAMS

    if words is None:
        return ()
    wanted = STREAMS if words == "all" else tuple(w.strip() for w in words.split(","))
    for word in wanted:
        if word not in STREAMS:
            raise UsageError(
                f"nothing called {word!r} can be recorded\n"
                f"  help: --record all, or some of {', '.join(STREAMS)}, with commas between them"
            )
    return wanted


def recording(wanted: Sequence[str], already: Sequence[str]) -> list[str]:
    """The overrides that record what is wanted, given what the scenario records anyway."""
    keys = {"series": f"record.every={SAMPLES}"}
    return [keys.get(w, f"record.{w}=true") for w in wanted if w not in already]


def exporting(exports: Sequence[Export], scenario: Scenario) -> list[str]:
    """The overrides that record what formats need."""
    missing, already = [], scenario.recorded
    for export in exports:
        # A scenario may watch packets at a few points only.
        enough = [s for s in already if not (export.everywhere and s == "packets")]
        missing += recording(export.needs(scenario), enough)
    return missing


def summed(result: Result, folder: Path) -> dict[str, object]:
    """The summary for programs."""
    return {
        "scenario": result.scenario.name,
        "seed": result.seed,
        "version": result.version,
        "made": result.made,
        "folder": folder,
        "flows": result.flows,
        "links": result.links,
        "queue_classes": result.queue_classes,
        "airtime": result.airtime,
        "stations": result.stations,
        "expectations": result.expectations(),
    }
