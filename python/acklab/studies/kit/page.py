"""The report of a study: one page that answers first and proves on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from acklab.studies.kit.folder import SETUP, Figure, Folder, Table
from acklab.studies.kit.judge import Judged
from acklab.studies.kit.numbers import Numbers
from acklab.studies.study import Effort

_QUICK = "Quick: short runs of few seeds. These numbers mean little."
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
    title = f"{of.title} ({study.about.title})"
    name = escape(place(study))
    warned = f'<p class="warn" role="note">{_QUICK}</p>' if effort.quick else ""
    body = (
        f'<header class="top"><p class="study">{escape(study.about.title)}</p>{warned}</header>'
        f"<section>{_piece(study, of.id, ours, whose)}</section>"
        f'<p class="note">No claim is judged here: <code>acklab reproduce {name}</code> makes the '
        f"whole study. {_seeds(effort)}</p>"
    )
    write_atomically(path, whole(title, body, False, ("assets/paper.css", "assets/paper.js")))
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
    # Short runs of few seeds turn verdicts; texts that rest on these need not fit then.
    turned: dict[str, str] = {j.claim.id: j.verdict for j in judged}
    verdicts = None if effort.quick else turned
    whose = sources(study, ours, [*study.setups("decides"), *study.setups("supports")])
    essence = None if effort.full else turned

    def say(name: str) -> str:
        return texts.text(study, name, ours, verdicts, essence)

    sections = _sections(study, ours, whose, say)
    drawn = {of.id for of in study.about.drawn if _has(study, of.id, ours)}
    rest = explained.rendered(study, ours, judged)
    links: list[tuple[str, str, Sequence[Table | Figure]]] = [("claims", "Claims", ())]
    links += [(id_, title, shown) for id_, title, _, shown in sections]
    links += [("explained", "Set-ups that explain", ())] if rest else []
    links += [("judging", "How claims are judged", ()), ("words", "Words and quantities", ())]
    body = "\n".join(
        [
            _top(study, whose, judged, [*differences, *[_QUICK] * effort.quick], say("answer")),
            _contents([*links, ("made", "How this was made", ())]),
            claims.rendered(study, judged, Results(folder, effort.quick), drawn),
            *(section for _, _, section, _ in sections),
            rest,
            texts.judging(study),
            texts.glossary(study, say("glossary")),
            _made(study, effort),
        ]
    )
    title = f"{study.about.question} {study.about.title}"
    return whole(title, body, False, ("assets/paper.css", "assets/paper.js"))


def _top(
    study: Folder,
    whose: Sequence[Source],
    judged: Sequence[Judged],
    warnings: Sequence[str],
    answer: str,
) -> str:
    """The first screen: question, answer, one picture, the tally; warnings stand above these."""
    about = study.about
    warned = "".join(f'<p class="warn" role="note">{html.words(w)}</p>' for w in warnings)
    picture = figures.first(study, about.figure[0], whose) if about.figure else ""
    return (
        f'<header class="top" id="answer"><div><p class="study">{escape(about.title)}</p>'
        f"<h1>{escape(about.question)}</h1>{warned}"
        f'<div class="answer">{answer}</div></div>{picture}'
        f"<div>{claims.tally(judged, about.own)}{_rest(study, judged)}{explained.said(study)}"
        f'<p class="note">{_origin(study)}</p></div></header>'
    )


def _origin(study: Folder) -> str:
    """Whose claims these are."""
    source = html.words(study.about.source)
    if study.about.own:
        return (
            f"{source}. There is no paper behind this page: its claims are statements of our own, "
            "and the runs test them."
        )
    return f"After {source}"


def _rest(study: Folder, judged: Sequence[Judged]) -> str:
    """What the essence leaves out, and the command that runs it."""
    left = len(study.claims) - len(judged)
    if not left:
        return ""
    more = f"{left} more claims need" if left > 1 else "1 more claim needs"
    return (
        f'<p class="note">This page has the essence of the study. {more} further runs: '
        f"<code>acklab reproduce {escape(place(study))} --full</code>.</p>"
    )


def _contents(links: Sequence[tuple[str, str, Sequence[Table | Figure]]]) -> str:
    """The sections, and the tables and figures of each."""
    items = ""
    for id_, title, shown in links:
        below = "".join(f'<li><a href="#{of.id}">{escape(of.title)}</a></li>' for of in shown)
        inner = f"<ul>{below}</ul>" if below else ""
        items += f'<li><a href="#{id_}">{escape(title)}</a>{inner}</li>'
    return (
        f'<nav aria-label="Contents"><details><summary>Contents ({len(links)})</summary>'
        f"<ol>{items}</ol></details></nav>"
    )


def _sections(
    study: Folder, ours: Numbers, whose: Sequence[Source], say: Callable[[str], str]
) -> list[tuple[str, str, str, list[Table | Figure]]]:
    """Anchor, title, HTML and content of each section, and of one for what none of them shows."""
    parts = [(s.title, s.text, s.shows) for s in study.about.section]
    shown = {id_ for _, _, shows in parts for id_ in shows}
    left = [of.id for of in study.about.drawn if of.id not in shown]
    parts.append(("Other tables and figures" if shown else "Results", "", left))
    found = []
    for i, (title, text, shows) in enumerate(parts, 1):
        there = [id_ for id_ in shows if _has(study, id_, ours)]
        pieces = "".join(_piece(study, id_, ours, whose) for id_ in there)
        if pieces or (text and not shows):
            html_ = (
                f'<section id="section-{i}"><h2>{escape(title)}</h2>{say(text)}{pieces}</section>'
            )
            found.append((f"section-{i}", title, html_, [study.shown(id_) for id_ in there]))
    return found


def _has(study: Folder, id_: str, ours: Numbers) -> bool:
    """Whether a table or figure has numbers; what the essence leaves out has none."""
    of = study.shown(id_)
    return ours.get((of.group, of.quantity)) is not None


def _piece(study: Folder, id_: str, ours: Numbers, whose: Sequence[Source]) -> str:
    """A table or figure; one that names its set-ups shows these, whatever their role."""
    of = study.shown(id_)
    named = of.keys.get(SETUP)
    if named is not None:
        among = named if isinstance(named, list) else [named]
        whose = sources(study, ours, [s for s in study.about.setup if s.name in among])
    if isinstance(of, Table):
        return tables.rendered(study, of, whose)
    return figures.rendered(study, of, whose)


def _made(study: Folder, effort: Effort) -> str:
    quick = " --quick" * effort.quick + " --full" * effort.full
    name = place(study)
    return (
        '<section id="made"><h2>How this was made</h2>'
        f"<p>{_seeds(effort)}</p><ul>"
        "<li>This command makes everything again: "
        f"<code>acklab reproduce {escape(name)} --seeds {effort.seeds}{quick}</code></li>"
        "<li>Every number of every run is in the folder <code>numbers</code> beside this page: a "
        "file for each group of cells, a row for each cell, quantity and seed. "
        '<a href="claims.csv">claims.csv</a> has the claims and their verdicts.</li>'
        "<li>This command runs one cell again, records everything, and writes a report over time: "
        f"<code>acklab study cell {escape(name)} GROUP KEY=VALUE ... --seed SEED</code>. The "
        "tables give the command for each of their cells, and the proofs of claims for the first "
        "and the last of theirs.</li></ul></section>"
    )


def _seeds(effort: Effort) -> str:
    seeds = f"{effort.seeds} seeds" if effort.seeds > 1 else "1 seed"
    return f"acklab {_core.version()} wrote this page. Each cell has at most {seeds}."
