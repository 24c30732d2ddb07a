"""`acklab validate`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acklab.cli.guard import kept
from acklab.cli.output import tell
from acklab.cli.run import Jobs

if TYPE_CHECKING:
    from rich.text import Text

    from acklab.validate import Comparison


class Source(StrEnum):
    """References to compare with."""

    KERNEL = "kernel"
    KERNEL_QUIET = "kernel-quiet"
    KERNEL_PAUSED = "kernel-paused"
    KERNEL_VIRTUAL = "kernel-virtual"
    NS2 = "ns2"
    NS3 = "ns3"
    NS3_THESIS = "ns3-thesis"
    NS3_WIFI = "ns3-wifi"
    NS3_MODES = "ns3-modes"
    NS3_SATURATED = "ns3-saturated"
    WIFI_MODELS = "wifi-models"
    MODELS = "models"


#: Seeds of saturated channels unless a number is asked for.
_SEEDS = 5


def validate(
    source: Annotated[
        Source | None, typer.Argument(help="Compare with this only. Default: with all.")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds", min=1, help="Seeds per cell. Default: 5; in kernel-virtual 20 for draws."
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for validation.csv.")] = Path("out"),
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a criterion is not met.")
    ] = False,
    jobs: Jobs = None,
) -> int:
    """Compare our numbers with those of the Linux kernel, of ns-3 and ns-2, and of closed forms.

    kernel: the reference, over an emulator that is late at times; our numbers are for an ideal link
    and, in brackets, for one that pauses as much. kernel-quiet: the same over an emulator that is
    hardly late. kernel-paused: the same over an emulator with forced pauses. kernel-virtual: a
    whole kernel in virtual time, one or two flows behind each queue discipline. ns2: one TCP that
    loses acknowledgements. ns3: a wired dumbbell, and RED. ns3-thesis: the dumbbell in the set-up
    that the study `aggregation` infers, single flows and pairs. ns3-wifi: radio channels.
    ns3-modes: TCP over each mode. ns3-saturated: UDP over each mode, and hidden stations.
    wifi-models: saturated channels beside closed forms and arithmetic from the standard. models:
    senders and queues beside fluids (see `acklab model`); Eqs 4 to 7 beside printed numbers of
    Bianchi's model, where nothing is simulated.
    """
    from acklab.cli.show import console, progress
    from acklab.folder import writable_folder, write_atomically
    from acklab.validate import (
        compare,
        kernel_rows,
        kernel_virtual_rows,
        models_rows,
        ns2_rows,
        ns3_modes,
        ns3_modes_rows,
        ns3_red_rows,
        ns3_rows,
        ns3_thesis_rows,
        ns3_wifi_rows,
        paused_rows,
        published,
        quiet_rows,
        wifi_models,
    )
    from acklab.validate.criteria import NS3_SATURATED, WIFI_MODELS

    rows = {
        Source.KERNEL: kernel_rows,
        Source.KERNEL_QUIET: quiet_rows,
        Source.KERNEL_PAUSED: paused_rows,
        Source.KERNEL_VIRTUAL: kernel_virtual_rows,
        Source.NS2: ns2_rows,
        Source.NS3: lambda: [*ns3_rows(), *ns3_red_rows()],
        Source.NS3_THESIS: ns3_thesis_rows,
        Source.NS3_WIFI: ns3_wifi_rows,
        Source.NS3_MODES: ns3_modes_rows,
        Source.MODELS: models_rows,
    }
    references = [r for name, of in rows.items() if source in (None, name) for r in of()]
    printed = published.check(Source.MODELS.value) if source in (None, Source.MODELS) else []
    saturated = {
        Source.NS3_SATURATED: (ns3_modes.saturated, NS3_SATURATED),
        Source.WIFI_MODELS: (wifi_models.rows, WIFI_MODELS),
    }
    path = out / "validation.csv"
    with writable_folder(out):
        with progress("validate") as advance:
            comparisons = compare(references, seeds, jobs, advance) + printed
        for name, (cells, criteria) in saturated.items():
            if source in (None, name):
                with progress(name.value) as advance:
                    comparisons += wifi_models.check(
                        cells(),
                        seeds or _SEEDS,
                        jobs,
                        advance,
                        source=name.value,
                        criteria=criteria,
                    )
        write_atomically(path, _csv(comparisons))
    kept(path)
    counts = Counter(c.verdict for c in comparisons)

    def show() -> None:
        for part in dict.fromkeys(c.reference.source for c in comparisons):
            of = _show_saturated if part in set(saturated) else _show
            of([c for c in comparisons if c.reference.source == part])
        within = f"{counts['ok']} of {len(comparisons)} cells within the criteria"
        console().print(f"{within}{_besides(counts)}: {path}", markup=False)

    said = {
        "file": path,
        "cells": len(comparisons),
        "within": counts["ok"],
        "alike": counts["alike"],
        "untested": counts["untested"],
    }
    tell(lambda: {**said, "rows": [row for c in comparisons for row in c.rows()]}, show)
    return int(strict and counts["off"] > 0)


def _csv(comparisons: Sequence[Comparison]) -> str:
    import polars as pl

    rows = [row for c in comparisons for row in c.rows()]
    return pl.DataFrame(rows, infer_schema_length=None).write_csv(float_precision=6)


def _show(comparisons: Sequence[Comparison]) -> None:
    from rich.table import Table

    from acklab.cli.show import console
    from acklab.validate.criteria import METRICS

    first = comparisons[0].reference
    title = (
        f"{first.source}: acklab's median : range of the reference's repeats, error to their median"
    )
    if any(c.reference.late_scenarios for c in comparisons):
        title += " (with the emulator's lateness)"
    table = Table(title=title, title_justify="left", padding=(0, 1))
    table.add_column("cell\n" + " ".join(first.keys), no_wrap=True)
    for metric in first.measures:
        table.add_column(METRICS[metric].replace(", ", "\n"), justify="right", no_wrap=True)
    table.add_column("verdict")
    for c in comparisons:
        cells: list[Text] = []
        found = {m.name: m for m in c.metrics}
        for m in map(found.get, first.measures):
            if m is None:
                cells.append(_marked("", True))
                continue
            span = f"{m.low:.4g}..{m.high:.4g}" if m.high > m.low else f"{m.low:.4g}"
            text = f"{m.acklab:.4g} : {span} {m.error:+.1%}" + _MARKS.get(m.verdict, "")
            if m.late_error is not None:
                text += f" ({m.late_error:+.1%})"
            cells.append(_marked(text, m.ok is not False))
        table.add_row(c.reference.name, *cells, _verdict(c.ok))
    console().print(table)
    _summarise(comparisons)


#: How the table marks what only a rank test passes, and what has too few runs for one.
_MARKS = {"alike": "~", "untested": "?"}
#: Of the arithmetic there are hundreds: those that are farthest off say it all.
_MODEL_ROWS = 30


def _show_saturated(comparisons: Sequence[Comparison]) -> None:
    """Model by model: what it says, what came here, how far apart they are."""
    from rich.table import Table

    from acklab.cli.show import console
    from acklab.validate.criteria import METRICS

    source = comparisons[0].reference.source
    theirs = "the model" if source == Source.WIFI_MODELS else "ns-3"
    for model in dict.fromkeys(c.reference.keys["model"] for c in comparisons):
        own = [c for c in comparisons if c.reference.keys["model"] == model]
        (tolerance, *_) = own[0].reference.criteria.values()
        title = f"{source}, {model}: within {tolerance.relative:.1%} of {theirs}"
        table = Table(title=title, title_justify="left", padding=(0, 1))
        for column in ("cell", "metric"):
            table.add_column(column, no_wrap=True)
        for column in (theirs.removeprefix("the "), "acklab", "deviation"):
            table.add_column(column, justify="right", no_wrap=True)
        table.add_column("verdict")
        found = [(c.reference.keys["cell"], m) for c in own for m in c.metrics]
        shown = {id(m) for _, m in sorted(found, key=lambda f: -abs(f[1].error))[:_MODEL_ROWS]}
        for cell, m in found:
            if id(m) not in shown and m.ok:
                continue
            what = METRICS[m.name].replace(", 1", "")
            ours = (f"{m.reference:.5g}", f"{m.acklab:.5g}", f"{m.error:+.2%}")
            table.add_row(cell, what, *ours, _verdict(m.ok is True))
        console().print(table)
        if len(found) > table.row_count:
            console().print(f"and {len(found) - table.row_count} that are nearer, in the file")
        _summarise(own)


def _verdict(ok: bool) -> Text:
    return _marked("ok" if ok else "off", ok)


def _marked(text: str, fine: bool) -> Text:
    """A cell that stands out if it is not fine."""
    from rich.text import Text

    return Text(text, "" if fine else "bold red")


def _besides(counts: Counter[str]) -> str:
    """Note on comparisons that do not meet the criterion and are no misses."""
    alike, untested = counts["alike"], counts["untested"]
    by_rank = f", {alike} more (~) only by a rank test of the samples" if alike else ""
    few = f", {untested} (?) not tested: too few runs, within our range" if untested else ""
    return by_rank + few


def _summarise(comparisons: Sequence[Comparison]) -> None:
    from statistics import median

    from acklab.cli.show import console
    from acklab.validate.criteria import METRICS

    for metric in comparisons[0].reference.criteria:
        judged = [m for c in comparisons for m in c.metrics if m.name == metric]
        counts = Counter(m.verdict for m in judged)
        errors = sorted(abs(m.error) for m in judged)
        console().print(
            f"{METRICS[metric]}: {counts['ok']} of {len(judged)} within the criterion"
            f"{_besides(counts)}; "
            f"median error {median(errors):.1%}, largest {errors[-1]:.1%}",
            markup=False,
        )
        late = [m for m in judged if m.late is not None]
        if late:
            good = sum(m.late_ok is not False for m in late)
            text = f"  with the emulator's lateness as pauses: {good} of {len(late)}"
            console().print(text, markup=False)
