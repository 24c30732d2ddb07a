"""The report of a study."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.report.build import MOST_BYTES, build, save
from acklab.report.parts import Claim, Picture, Section

if TYPE_CHECKING:
    import polars as pl

    from acklab.studies.study import Artefact, Effort, Study


def write_report(
    study: Study,
    tables: Mapping[str, pl.DataFrame],
    plots: Mapping[str, Path],
    effort: Effort,
    folder: Path,
    claims: Sequence[Claim] = (),
) -> Path:
    """Writes report.html into `folder`; returns its path."""
    again = f"acklab reproduce {study.name}" + (" --quick" if effort.quick else "")
    meta = {
        "source": study.source,
        "seeds": str(effort.seeds),
        "again": f"`{again} --seeds {effort.seeds}`",
    }
    note = study.note(effort) if study.note else ""
    answer = study.answer(tables, claims) if study.answer else ""
    if answer and effort.quick:
        answer = f"**Quick: short runs of few seeds; these numbers mean little.**\n\n{answer}"
    method = Section("Method and reading", study.report(tables, effort), name="method")

    def page(within: Mapping[str, Path]) -> str:
        made = [
            artefact_section(a, tables[a.name], plots.get(a.name), within=a.name in within)
            for a in study.whole
        ]
        return build(study.title, claims, [method, *made], meta, note, answer)

    figures = {a.name: plots[a.name] for a in study.whole if a.name in plots}
    whole = page(figures)
    while figures and len(whole.encode()) > MOST_BYTES:
        figures.pop(max(figures, key=lambda name: figures[name].stat().st_size))
        whole = page(figures)
    return save(whole, folder / "report.html")


def artefact_section(
    artefact: Artefact, table: pl.DataFrame, plot: Path | None, within: bool = True
) -> Section:
    """A study's table or figure; claims refer to it by the artefact's name.

    A figure for which the page has no room is not `within`, but a link to its file.
    """
    numbered = re.fullmatch(r"(fig|table)(\d+)", artefact.name)
    kinds = {"fig": "Figure", "table": "Table"}
    number = f"{kinds[numbered[1]]} {numbered[2]}: " if numbered else ""
    figure = Picture(plot, artefact.title, artefact.caption) if plot and within else None
    text = f"Every cell: [{artefact.name}.csv]({artefact.name}.csv), beside this page."
    if plot and not within:
        beside = f"The figure: [{plot.name}]({plot.name}), beside this page."
        text = f"{beside} {artefact.caption}\n\n{text}"
    if artefact.text:
        text = f"{artefact.text(table)}\n\n{text}"
    title = number + artefact.title
    charts = artefact.charts(table) if artefact.charts else ()
    return Section(title, text, table=table, figure=figure, series=charts, name=artefact.name)
