"""`acklab model`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acklab.cli.guard import kept
from acklab.cli.output import tell
from acklab.cli.run import Jobs
from acklab.cli.scenarios import Overrides, ScenarioFile, given

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acklab.fluid.beside import Beside, Fit


def model(
    file: ScenarioFile,
    set_: Overrides = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Seeds of the simulation.")] = 5,
    fit: Annotated[
        bool,
        typer.Option(
            "--fit", help="Say which parameter of the model, changed, would make both agree."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for model.csv and model.svg. Default: out/NAME-model."),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Solve equations for a scenario and compare them with its simulation.

    The model is a fluid: senders (Reno, CUBIC, BBRv1 to v3; with TCP or TACK), one queue (FIFO,
    CoDel, PIE, FQ-CoDel, CAKE) or one radio channel, and feedback a round trip later. It has none
    of the simulator's code and no packets, so where both agree neither is wrong by accident, and
    where they differ something that the model leaves out matters.
    """
    import acklab
    from acklab.cli.show import console, progress
    from acklab.fluid.beside import beside
    from acklab.fluid.beside import fit as fitted
    from acklab.fluid.drawn import draw
    from acklab.fluid.scenario_case import case_of
    from acklab.folder import writable_folder, write_atomically

    overrides = list(set_ or [])
    source = given(file)
    scenario = acklab.load(source, overrides=overrides)
    # Before anything runs: whether there is a model of it at all.
    case_of(scenario.resolved)
    if "series" not in scenario.recorded:
        scenario = acklab.load(source, overrides=[*overrides, "record.every=100 ms"])
    folder = out or Path("out") / f"{scenario.name}-model"
    with writable_folder(folder):
        with progress("simulate") as advance:
            found = beside(scenario, seeds, jobs, advance)
        write_atomically(folder / "model.csv", _csv(found))
        draw(found, folder / "model")
    kept(folder)
    fits = None
    if fit:
        with progress("fit") as advance:
            fits = fitted(found, advance)

    def show() -> None:
        _show(found, seeds)
        _show_fit(fits or ())
        console().print(f"table and figure: {folder}", markup=False)

    tell(lambda: {"folder": folder, "seeds": seeds, **_summed(found), "fits": fits}, show)


def _summed(of: Beside) -> dict[str, object]:
    """The words as values for programs; cycles are mean seconds between falls of a window."""
    radio = of.case.radio
    cycles = [{"flow": f, "model": ours, "simulation": theirs} for f, ours, theirs in of.cycles()]
    return {
        "scenario": of.case.name,
        "lines": _rows(of),
        "cycles": cycles,
        "eq8": None
        if radio is None
        else {"corrected": radio.saturated(), "printed": radio.printed()},
        "not_in_the_model": of.case.notes,
    }


def _csv(of: Beside) -> str:
    import polars as pl

    return pl.DataFrame(_rows(of)).write_csv(float_precision=6)


def _rows(of: Beside) -> list[dict[str, object]]:
    return [
        {
            "flow": x.flow,
            "cc": x.cc,
            "metric": x.metric,
            "unit": x.unit,
            "model": x.model,
            "model_low": x.model_low,
            "model_high": x.model_high,
            "simulation": x.simulation,
            "simulation_low": x.low,
            "simulation_high": x.high,
            "error": x.error,
            "printed": x.printed,
        }
        for x in of.lines
    ]


def _show(of: Beside, seeds: int) -> None:
    from rich.table import Table

    from acklab.cli.show import console

    case = of.case
    table = Table(
        title=f"{case.name}: model beside simulation, median of {seeds} seeds, after the warm-up",
        title_justify="left",
        padding=(0, 1),
    )
    for column in ("flow", "cc", "metric"):
        table.add_column(column, no_wrap=True)
    printed = any(x.printed is not None for x in of.lines)
    columns = ("model", "simulation", "error", *(("as printed",) if printed else ()))
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for x in of.lines:
        error = f"{x.error:+.1%}" if x.metric != "lost" else f"{(x.model - x.simulation):+.2%}"
        values = [
            _span(*three, x.unit)
            for three in ((x.model, x.model_low, x.model_high), (x.simulation, x.low, x.high))
        ]
        extra = [_span(x.printed, x.printed, x.printed, x.unit)] if x.printed is not None else []
        table.add_row(x.flow, x.cc, x.metric, *values, error, *extra)
    console().print(table)
    if case.radio is not None:
        corrected = case.radio.saturated()
        plain = case.radio.printed()
        # Stations that are alike have one line.
        seen: dict[str, list[str]] = {}
        for i, flow_ in enumerate(case.flows):
            mine = f"{corrected[i] * flow_.payload / 1e6:.3g} Mbit/s corrected"
            said = f"{plain[i] * flow_.payload / 1e6:.3g} Mbit/s printed, " if plain else ""
            seen.setdefault(f"{said}{mine}", []).append(flow_.name)
        for what, names in seen.items():
            who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} alike"
            console().print(f"Eq 8 with full queues, {who}: {what}", markup=False)
        if plain is None:
            why = "Eq 8 as printed has no value: nobody contends, so that Eqs 4 and 5 have no beta"
            console().print(why, markup=False)
    for flow, ours, theirs in of.cycles():
        if ours is not None or theirs is not None:
            both = [f"every {x:.1f} s" if x is not None else "hardly" for x in (ours, theirs)]
            said = f"{flow}: its window falls {both[0]} in the model, {both[1]} in the simulation"
            console().print(said, markup=False)
    for note in case.notes:
        console().print(f"not in the model: {note}", markup=False)


def _span(value: float, low: float, high: float, unit: str) -> str:
    """A number, and from where to where it goes if that can be seen."""
    if unit == "":
        return f"{value:.2%}"
    text = f"{value:.4g} {unit}"
    return text if high - low < 0.01 * abs(value) else f"{text} ({low:.3g}..{high:.3g})"


def _show_fit(fits: Sequence[Fit]) -> None:
    from acklab.cli.show import console
    from acklab.fluid.beside import PARAMETERS, RANGE, SMALL

    say = console().print
    if not fits:
        return
    before = fits[0].before
    if before <= SMALL:
        say(f"model and simulation agree: the largest error is {before:.1%}", markup=False)
        return
    good = [f for f in fits if f.reconciles]
    for f in good:
        say(
            f"{PARAMETERS[f.parameter]} times {f.factor:.2f} would make them agree: the largest"
            f" error is {f.after:.1%} then, and {before:.1%} now",
            markup=False,
        )
    if len(good) > 1:
        say("one error, several parameters: they cannot be told apart", markup=False)
    best = fits[0]
    if best.after >= before:
        say(
            "no parameter makes them agree, and none makes the largest error smaller than"
            f" {before:.1%}. Each was tried from 1/{RANGE:g} to {RANGE:g} times its value.",
            markup=False,
        )
    elif not good:
        say(
            f"no parameter makes them agree. The best is {PARAMETERS[best.parameter]} times"
            f" {best.factor:.2f}: the largest error is {best.after:.1%} then, and {before:.1%} now."
            f" Each was tried from 1/{RANGE:g} to {RANGE:g} times its value.",
            markup=False,
        )
