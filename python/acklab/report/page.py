"""The report of a study."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import acklab
from acklab.folder import write_atomically
from acklab.report.html import to_html

if TYPE_CHECKING:
    import polars as pl

    from acklab.studies.study import Effort, Study


def write_report(
    study: Study,
    tables: Mapping[str, pl.DataFrame],
    plots: Mapping[str, Path],
    effort: Effort,
    folder: Path,
) -> Path:
    """Writes report.md and report.html into `folder`; returns the path of the latter."""
    text = markdown(study, tables, plots, effort)
    write_atomically(folder / "report.md", text)
    # The HTML carries its pictures, so that it can be sent around.
    inline = {p.name: _data_url(p) for p in plots.values()}
    path = folder / "report.html"
    write_atomically(path, to_html(text, study.title, inline))
    return path


def markdown(
    study: Study,
    tables: Mapping[str, pl.DataFrame],
    plots: Mapping[str, Path],
    effort: Effort,
) -> str:
    """The report as Markdown."""
    parts = [f"# {study.title}", f"{study.source}.", study.report(tables, effort)]
    for artefact in study.artefacts:
        if artefact.name in plots:
            picture = f"![{artefact.title}]({plots[artefact.name].name})"
            parts += [f"### {_heading(artefact.name)}: {artefact.title}", picture]
    files = ", ".join(f"[{a.name}.csv]({a.name}.csv)" for a in study.artefacts)
    again = f"acklab reproduce {study.name}"
    again += " --quick" if effort.quick else ""
    again += f" --seeds {effort.seeds}"
    parts.append(f"Every cell: {files}.")
    parts.append(f"Made by acklab {acklab.__version__}. Again: `{again}`")
    return "\n\n".join(parts) + "\n"


def _heading(name: str) -> str:
    return name.replace("fig", "Figure ").replace("table", "Table ")


def _data_url(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
