"""The report of a study: one page that answers first and proves on demand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from pathlib import Path

from acklab import _core
from acklab.errors import AcklabError
from acklab.folder import write_atomically
from acklab.report import html
from acklab.report.build import whole
from acklab.report.paper import claims, explained, figures, tables, texts
from acklab.report.paper.again import Results, place
from acklab.report.paper.sources import Source, sources
from acklab.studies.kit import made
from acklab.studies.kit.fields import listed
from acklab.studies.kit.folder import SETUP, Figure, Folder, Section, Table
from acklab.studies.kit.judge import Judged
from acklab.studies.kit.numbers import Numbers
from acklab.studies.study import Effort

_QUICK = "Quick: short runs of few seeds. These numbers mean little."
#: Of a page whose texts would explain numbers that it does not have.
_SILENT = (
    _QUICK + " The page leaves out the texts that tell what the whole study shows, and the reasons "
    "for verdicts. `acklab reproduce {place}` makes a page with both."
)
#: Bytes; a larger page would not be opened on a phone.
MOST_BYTES = 5_000_000


def write_page(
    study: Folder, ours: Numbers, judged: Sequence[Judged], effort: Effort, folder: Path
) -> Path:
    """Writes `report.html` into `folder`."""
    path = folder / "report.html"
    page = rendered(study, ours, judged, effort, made.differences(study, folder), folder)
    size = len(page.encode())
    if size > MOST_BYTES:
        raise AcklabError(
            f"{path} would have {size / 1e6:.1f} MB, more than {MOST_BYTES / 1e6:.0f} MB\n"
            "  help: show fewer tables and figures, or name fewer keys in them"
        )
    write_atomically(path, page)
    return path


def write_part(
    study: Folder, of: Table | Figure, ours: Numbers, effort: Effort, folder: Path
) -> Path:
    """Writes a page of one table or figure into `folder`."""
    path = folder / f"{of.id}.html"
    whose = sources(study, ours, study.about.setup)
    body = (
        f'<header class="top"><p class="study">{escape(study.about.title)}</p>'
        f"{_warned([_QUICK] * effort.quick)}</header>"
        f"<section>{_piece(study, of.id, ours, whose)}</section>"
        f'<p class="note">No claim is judged here: <code>acklab reproduce {escape(place(study))}'
        f"{' --full' * effort.full}</code> makes the whole study. {_seeds(effort)}</p>"
    )
    write_atomically(path, on_paper(f"{of.title} ({study.about.title})", body))
    return path


def rendered(
    study: Folder,
    ours: Numbers,
    judged: Sequence[Judged],
    effort: Effort,
    differences: Sequence[str] = (),
    folder: Path | None = None,
) -> str:
    """The page; the same input gives the same bytes.

    `folder` is where the page will be: links to cells that were made again lead from there.
    """
    about = study.about
    turned: dict[str, str] = {j.claim.id: j.verdict for j in judged}
    essence = None if effort.full else turned
    text = partial(
        texts.text, study, ours=ours, verdicts=turned, essence=essence, quick=effort.quick
    )
    whose = sources(study, ours, [*study.setups("decides"), *study.setups("supports")])
    drawn = [of.id for of in about.drawn if (of.group, of.quantity) in ours]
    links, sections = [_link("claims", "Claims")], ""
    rest = [id_ for id_ in drawn if not any(id_ in section.shows for section in about.section)]
    title = "Other tables and figures" if len(rest) < len(about.drawn) else "Results"
    for i, section in enumerate([*about.section, Section(title=title, shows=rest)], 1):
        shows = [id_ for id_ in section.shows if id_ in drawn]
        words = text(name=section.text)
        if shows or (words and not section.shows):
            pieces = "".join(_piece(study, id_, ours, whose) for id_ in shows)
            name = escape(section.title)
            sections += f'<section id="section-{i}"><h2>{name}</h2>{words}{pieces}</section>\n'
            inner = "".join(_link(id_, study.shown(id_).title) for id_ in shows)
            links.append(_link(f"section-{i}", section.title, inner))
    explains = explained.rendered(study, ours, judged)
    links += [_link("explained", "Set-ups that explain")] if explains else []
    links += [_link("judging", "How claims are judged"), _link("words", "Words and quantities")]
    links += [_link("made", "How this was made")]
    answer, glossary = text(name="answer"), text(name="glossary")
    warnings = [*differences, *[_SILENT.format(place=place(study))] * effort.quick]
    body = (
        f"{_top(study, whose, judged, warnings, answer)}\n"
        f'<nav aria-label="Contents"><details><summary>Contents ({len(links)})</summary>'
        f"<ol>{''.join(links)}</ol></details></nav>\n"
        f"{claims.rendered(study, judged, Results(folder, effort.quick), drawn)}\n"
        f"{sections}{explains}\n{texts.judging(study)}\n{texts.glossary(study, glossary)}\n"
        f"{_made(study, effort)}"
    )
    return on_paper(f"{about.question} {about.title}", body)


def on_paper(title: str, body: str) -> str:
    """A page with the look of studies."""
    return whole(title, body, False, ("assets/paper.css", "assets/paper.js"))


def _warned(warnings: Sequence[str]) -> str:
    return "".join(f'<p class="warn" role="note">{html.words(w)}</p>' for w in warnings)


def _link(id_: str, title: str, inner: str = "") -> str:
    """A line of the contents, and those below it."""
    below = f"<ul>{inner}</ul>" if inner else ""
    return f'<li><a href="#{id_}">{escape(title)}</a>{below}</li>'


def _top(
    study: Folder,
    whose: Sequence[Source],
    judged: Sequence[Judged],
    warnings: Sequence[str],
    answer: str,
) -> str:
    """The first screen: question, answer, one picture, the tally; warnings stand above these."""
    about = study.about
    picture = figures.first(study, about.figure[0], whose) if about.figure else ""
    origin = f"After {html.words(about.source)}"
    if about.own:
        origin = (
            f"{html.words(about.source)}. There is no paper behind this page: its claims are "
            "statements of our own, and the runs test them."
        )
    rest = ""
    if left := len(study.claims) - len(judged):
        more = f"{left} more claims need" if left > 1 else "1 more claim needs"
        rest = (
            f'<p class="note">This page covers the core of the study. {more} further runs: '
            f"<code>acklab reproduce {escape(place(study))} --full</code>.</p>"
        )
    return (
        f'<header class="top" id="answer"><div><p class="study">{escape(about.title)}</p>'
        f"<h1>{escape(about.question)}</h1>{_warned(warnings)}"
        f'<div class="answer">{answer}</div></div>{picture}'
        f"<div>{claims.tally(judged, about.own)}{rest}{explained.said(study)}"
        f'<p class="note">{origin}</p></div></header>'
    )


def _piece(study: Folder, id_: str, ours: Numbers, whose: Sequence[Source]) -> str:
    """A table or figure; one that names its set-ups shows these, whatever their role."""
    of = study.shown(id_)
    if SETUP in of.keys:
        named = listed(of.keys[SETUP])
        whose = sources(study, ours, [s for s in study.about.setup if s.name in named])
    if isinstance(of, Table):
        return tables.rendered(study, of, whose)
    return figures.rendered(study, of, whose)


def _made(study: Folder, effort: Effort) -> str:
    name = escape(place(study))
    options = " --quick" * effort.quick + " --full" * effort.full
    return (
        '<section id="made"><h2>How this was made</h2>'
        f"<p>{_seeds(effort)}</p><ul>"
        "<li>This command makes everything again: "
        f"<code>acklab reproduce {name} --seeds {effort.seeds}{options}</code></li>"
        "<li>Every number of every run is in the folder <code>numbers</code> beside this page: a "
        "file for each group of cells, a row for each cell, quantity and seed. "
        '<a href="claims.csv">claims.csv</a> has the claims and their verdicts.</li>'
        "<li>This command runs one cell again, records everything, and writes a report over time: "
        f"<code>acklab study cell {name} GROUP KEY=VALUE ... --seed SEED</code>. The "
        "tables give the command for each of their cells, and the proofs of claims for the first "
        "and the last of theirs.</li></ul></section>"
    )


def _seeds(effort: Effort) -> str:
    seeds = f"{effort.seeds} seeds" if effort.seeds > 1 else "1 seed"
    return f"acklab {_core.version()} wrote this page. Each cell has at most {seeds}."
