"""`acklab check`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from acklab.cli.output import tell
from acklab.cli.scenarios import Overrides, ScenarioFile, given


def check(
    file: ScenarioFile,
    set_: Overrides = None,
    resolved: Annotated[
        bool,
        typer.Option("--resolved", help="Print the whole scenario as TOML, defaults filled in."),
    ] = False,
) -> None:
    """Check a scenario without running it: mistakes, warnings, and what would run."""
    import tomllib

    import acklab

    scenario = acklab.load(given(file), overrides=list(set_ or []))
    for warning in scenario.warnings:
        typer.echo(warning, err=True)
    whole = tomllib.loads(scenario.resolved)
    n = len(scenario.warnings)
    valid = f"{file} is valid{f', with {n} warnings' if n > 1 else ', with a warning' * n}"

    def show() -> None:
        if resolved:
            typer.echo(scenario.resolved, nl=False)
        else:
            typer.echo("\n".join([*_said(whole, scenario.recorded), valid]))

    tell(
        lambda: {
            "file": file,
            "warnings": scenario.warnings,
            "recorded": scenario.recorded,
            "scenario": whole,
        },
        show,
    )


def _said(of: Mapping[str, Any], recorded: tuple[str, ...]) -> Iterator[str]:
    """A scenario's run in a few lines, before it starts."""
    yield of["name"]
    if of.get("description"):
        yield f"  {of['description']}"
    begins = "" if of["start"] == "0 s" else f" from {of['start']} on"
    warm = "" if of["warmup"] == "0 s" else f", means without the first {of['warmup']}"
    yield f"  time      {of['duration']}{begins}{warm}; seed {of['seed']}"
    flows = Counter(_kind(flow) for flow in of["flow"])
    for i, (kind, n) in enumerate(flows.items()):
        yield f"  {'flows' if i == 0 else '':9} {n} x {kind}"
    links = [way for link in of.get("link", ()) for way in (link, link["reverse"])]
    for i, way in enumerate(_narrowest(links)):
        yield f"  {'links' if i == 0 else '':9} {way}"
    for channel in of.get("wifi", ()):
        yield f"  {'channel':9} {_channel(channel)}"
    yield f"  {'records':9} {', '.join(recorded) or 'summaries only'}"


def _kind(flow: Mapping[str, Any]) -> str:
    transport = flow.get("transport", "tcp")
    name = transport if isinstance(transport, str) else transport["name"]
    words = [name.upper() if name in ("tcp", "cbr", "rtp", "tack") else name]
    if "cc" in flow:
        words.append(flow["cc"]["name"])
    if "ack" in flow:
        words.append(f"ACKs {flow['ack']['name']}")
    words.append(flow["app"]["kind"])
    return ", ".join(words)


#: So many links are listed one by one; of more the rest is counted.
_MOST = 6


def _narrowest(ways: list[Mapping[str, Any]]) -> Iterator[str]:
    for way in ways[:_MOST]:
        rate = way["rate"] if isinstance(way["rate"], str) else "a rate that changes"
        qdisc = way["qdisc"] if isinstance(way["qdisc"], str) else way["qdisc"]["name"]
        limit = f" of {way['queue']}" if "queue" in way else ""
        words = [f"{way['name']}: {rate}, {way['delay']}, {qdisc}{limit}"]
        if way["loss"] != "none":
            words.append("loses packets")
        if way["ack_filter"] != "none":
            words.append("ACK filter")
        yield ", ".join(words)
    if len(ways) > _MOST:
        yield f"and {len(ways) - _MOST} more"


def _channel(of: Mapping[str, Any]) -> str:
    n = len(of["stations"])
    stations = f"{n} stations" if n > 1 else of["stations"][0]
    return f"802.11{of['standard']}, {of['band']}, {of['ap']} and {stations}"
