"""One page that leads to the reports of several studies."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from acklab import _core
from acklab.folder import write_atomically
from acklab.report import html
from acklab.report.paper.claims import tally_of
from acklab.studies.kit.folder import Folder
from acklab.studies.kit.page import on_paper


def write_overview(studies: Sequence[Folder], out: Path) -> Path:
    """Writes `report.html` into `out`: each study's question, its tally, and the way to it."""
    import polars as pl

    parts = ""
    for study in studies:
        about = study.about
        link = f"{about.name}/report.html"
        verdicts = pl.read_csv(out / about.name / "claims.csv")["verdict"].to_list()
        parts += (
            f'<section><h2><a href="{link}">{escape(about.question)}</a></h2>'
            f"<p>{html.words(about.source)}</p>{tally_of(verdicts, link, own=about.own)}"
            f'<p><a href="{link}">Answer, tables, figures and claims</a></p></section>'
        )
    title = "Studies"
    body = (
        f'<header class="top"><p class="study">acklab {_core.version()}</p><h1>{title}</h1>'
        "<p>Each study repeats the experiments of a paper and judges each of its claims.</p>"
        f"</header>{parts}"
    )
    path = out / "report.html"
    write_atomically(path, on_paper(title, body))
    return path
