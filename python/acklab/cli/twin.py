"""`acklab twin`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acklab.cli.guard import kept
from acklab.cli.output import tell
from acklab.cli.scenarios import Overrides, ScenarioFile, given

if TYPE_CHECKING:
    from acklab.twin import Twin


def twin(
    file: ScenarioFile,
    set_: Overrides = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed, 0..2^64-1. Default: the scenario's.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for twin.csv and twin.svg. Default: out/NAME-twin."),
    ] = None,
) -> None:
    """Run flows of TACK simulated and live, and compare.

    Live means: the same protocol code over UDP sockets of this machine, encrypted, through the
    scenario's network in real time. It takes as long as the scenario lasts. The network is late
    at times, as every program is; the end of the output says how late. The simulation runs with
    eight seeds, since a live run draws random numbers of its own.
    """
    import acklab
    from acklab.cli.show import console, progress
    from acklab.folder import writable_folder, write_atomically
    from acklab.scenario import checked_seed
    from acklab.twin import live
    from acklab.twin import twin as both
    from acklab.twin.beside import draw

    overrides = list(set_ or [])
    source = given(file)
    scenario = acklab.load(source, overrides=overrides)
    # Before anything runs: whether it can run live at all.
    live.check(scenario)
    if "series" not in scenario.recorded:
        scenario = acklab.load(source, overrides=[*overrides, "record.every=100 ms"])
    chosen = scenario.seed if seed is None else checked_seed(seed)
    folder = out or Path("out") / f"{scenario.name}-twin"
    with writable_folder(folder):
        with progress("live") as advance:
            found = both(scenario, chosen, advance)
        write_atomically(folder / "twin.csv", _csv(found))
        draw(found, folder / "twin")
    kept(folder)

    def show() -> None:
        _show(found, scenario.name, chosen)
        console().print(f"table and figure: {folder}", markup=False)

    said = {"folder": folder, "scenario": scenario.name, "seed": chosen}
    tell(lambda: {**said, "lines": _rows(found), "relay": found.ran.relay}, show)


def _csv(of: Twin) -> str:
    import polars as pl

    return pl.DataFrame(_rows(of)).write_csv(float_precision=6)


def _rows(of: Twin) -> list[dict[str, object]]:
    return [
        {
            "flow": x.flow,
            "metric": x.metric,
            "unit": x.unit,
            "simulated": x.simulated,
            "simulated_least": x.least,
            "simulated_most": x.most,
            "live": x.live,
            "difference": x.difference,
        }
        for x in of.lines
    ]


def _show(of: Twin, name: str, seed: int) -> None:
    from rich.table import Table

    from acklab.cli.show import console
    from acklab.twin.beside import SEEDS

    first, last = f"{seed}", f"{seed + SEEDS - 1}"
    title = f"{name}: simulated, median and range of seeds {first} to {last}, and live"
    table = Table(title=title, title_justify="left")
    for column in ("flow", "metric"):
        table.add_column(column, no_wrap=True)
    for column in ("simulated", "range", "live", "live is"):
        table.add_column(column, justify="right", no_wrap=True)
    for x in of.lines:
        metric = f"{x.metric}, {x.unit}" if x.unit else x.metric
        bounds = f"{x.least:.5g} to {x.most:.5g}"
        table.add_row(
            x.flow, metric, f"{x.simulated:.5g}", bounds, f"{x.live:.5g}", f"{x.difference:+.1%}"
        )
    console().print(table)
    relay = of.ran.relay
    late = relay["left_late_us"]
    console().print(
        f"the live network carried {relay['crossed']} packets and dropped {relay['dropped']};"
        f" they left {late['p50']:.0f} us late (median), {late['p99']:.0f} us (99 of 100),"
        f" {late['max']:.0f} us (the latest)",
        markup=False,
    )
    if relay["missed"]:
        console().print(
            f"{relay['missed']} packets were lost because this machine was too busy: the comparison"
            " does not count",
            markup=False,
        )
