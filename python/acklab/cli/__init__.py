"""The command line: `acklab`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

import acklab
from acklab.cli import (
    bench,
    catalogue,
    check,
    compare,
    dissector,
    doctor,
    explain,
    model,
    new,
    plot,
    report,
    reproduce,
    run,
    study,
    sweep,
    tack,
    twin,
    validate,
)
from acklab.cli.guard import INTERRUPTED, TERMINATED, guarded, listen
from acklab.cli.helping import EXIT_CODES, Command, Group
from acklab.cli.output import printing


def _examples(*lines: str) -> str:
    """The end of a help text. A blank line keeps a line to itself; brackets would be markup."""
    return "\n\n".join(
        ["[bold]Examples[/]", *(f"  {line.replace('[', chr(92) + '[')}" for line in lines)]
    )


#: `-h` helps as `--help` does.
_SHORT_HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="acklab",
    cls=Group,
    help="Simulate TCP when its acknowledgements become fewer, later or burstier.",
    epilog=_examples(
        "acklab new first.toml                       # write a scenario to begin with",
        "acklab run first.toml --record all          # run it; results go to out/first",
        "acklab plot out/first series                # see what happened",
        "acklab COMMAND --help                       # options and examples of a command",
    )
    + f"\n\n{EXIT_CODES}",
    context_settings=_SHORT_HELP,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

#: Commands in the order of the help: its panel, the name, what it does, examples.
COMMANDS: tuple[tuple[str, str, Callable[..., Any], tuple[str, ...]], ...] = (
    (
        "Start",
        "new",
        new.new,
        ("acklab new first.toml", "acklab new path.toml --template parking-lot"),
    ),
    (
        "Start",
        "bench",
        bench.bench,
        ("acklab bench", "acklab bench first.toml", "acklab bench tack-wifi --port 8000 --no-open"),
    ),
    (
        "Start",
        "list",
        catalogue.list_,
        ("acklab list scenario", "acklab list cc -v", "acklab list plot"),
    ),
    (
        "Start",
        "doctor",
        doctor.doctor,
        ("acklab doctor",),
    ),
    (
        "Run",
        "run",
        run.run,
        (
            "acklab run single-flow",
            "acklab run first.toml --set flow.0.cc=bbr3 --seed 2 --out bbr3",
            "acklab run first.toml --record all --report",
        ),
    ),
    (
        "Run",
        "sweep",
        sweep.sweep,
        (
            "acklab sweep first.toml --grid flow.0.cc=cubic,bbr3 --seeds 10",
            "acklab sweep first.toml -g 'delay:topology.bottleneck.delay=5..20+5 ms' --out delays",
        ),
    ),
    (
        "Run",
        "reproduce",
        reproduce.reproduce,
        (
            "acklab reproduce --quick",
            "acklab reproduce aggregation/table1",
            "acklab reproduce my-study --seeds 3        # a folder of `acklab study new`",
        ),
    ),
    (
        "Look",
        "plot",
        plot.plot,
        (
            "acklab plot out/first series",
            "acklab plot out/first sequence --flows cubic --from 2 --to 3 --out seq.pdf",
            "acklab plot delays line --x delay --y rtt_p95_ms --size column --out fig.pdf",
            "acklab plot delays heatmap --value rtt_p95_ms",
        ),
    ),
    (
        "Look",
        "report",
        report.report,
        ("acklab report out/first", "acklab report delays -m rtt_p95_ms -m jain"),
    ),
    (
        "Look",
        "compare",
        compare.compare,
        (
            "acklab compare out/first bbr3",
            "acklab compare delays other-delays -m rtt_p95_ms --by delay",
            "acklab compare delays other-delays --plot ellipse --out figure.pdf",
        ),
    ),
    (
        "Look",
        "explain",
        explain.explain,
        ("acklab explain goodput_mbps", "acklab explain BDP", "acklab explain slow-start"),
    ),
    (
        "Look",
        "dissector",
        dissector.dissector,
        ("acklab dissector", "acklab dissector ~/.local/lib/wireshark/plugins/tack.lua"),
    ),
    (
        "Check",
        "check",
        check.check,
        ("acklab check first.toml", "acklab check cake --resolved > cake.toml"),
    ),
    (
        "Check",
        "model",
        model.model,
        ("acklab model single-flow", "acklab model bbr-with-cubic --fit"),
    ),
    (
        "Check",
        "twin",
        twin.twin,
        (
            "acklab twin tack-path.toml",
            "acklab twin tack-path.toml --set topology.bottleneck.loss=0.01",
        ),
    ),
    (
        "Check",
        "validate",
        validate.validate,
        ("acklab validate", "acklab validate ns3 --seeds 10 --strict"),
    ),
    (
        "Check",
        "schema",
        catalogue.schema,
        ("acklab schema > scenario.schema.json",),
    ),
)

for _panel, _name, _command, _lines in COMMANDS:
    app.command(
        _name,
        cls=Command,
        rich_help_panel=_panel,
        epilog=_examples(*_lines),
        context_settings=_SHORT_HELP,
    )(printing(_command))

app.add_typer(
    study.app,
    name="study",
    rich_help_panel="Check",
    epilog=_examples(
        "acklab study new my-study                   # then: acklab reproduce my-study",
        "acklab study check my-study",
        "acklab study cell aggregation one setup=ns3 cc=vegas ratio=8",
        "acklab study words flat",
    ),
)

app.add_typer(
    tack.app,
    name="tack",
    rich_help_panel="Use",
    epilog=_examples(
        "acklab tack recv                            # here; it shows the command for there",
        "acklab tack send FILE --to HOST --key KEY",
        "acklab tack perf --to HOST --key KEY --time 5 --reverse",
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"acklab {acklab.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Runs the command line and exits with a code of `EXIT_CODES`."""
    listen()
    try:
        code = guarded(lambda: app(standalone_mode=False, prog_name="acklab"))
    except KeyboardInterrupt:
        # A second one, while the first was being told.
        code = INTERRUPTED
    # Only Python's own end is left, which a late Ctrl-C would fill with tracebacks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if code in (INTERRUPTED, TERMINATED):
        # Python would kill itself where the interrupt came within a generated function, such as
        # those of dataclasses, although it was caught.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
