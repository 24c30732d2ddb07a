"""Live figures: where a page says `<!-- figure: ID -->`, the site shows that figure of the bench.

The bench is one file without a server behind it, so the site works from a folder and without a
network. Its figures are in `web/src/figures`. Where `make web` has not built it, the site says so
instead.
"""

from __future__ import annotations

import logging
import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "python" / "acklab" / "data" / "bench" / "index.html"
PLACE = "bench/index.html"

ASKED = re.compile(r"^<!-- figure: (\S+) -->$", re.MULTILINE)
DEFINED = re.compile(r'^ {4}id: "([^"]+)",\n {4}title: "([^"]+)",$', re.MULTILINE)

MISSING = "*A live figure belongs here: {title}. `make web` builds it, then `make site` shows it.*"


def titles() -> dict[str, str]:
    """The title of each figure that the bench has, by its id."""
    sources = sorted((ROOT / "web" / "src" / "figures").glob("*.ts"))
    return dict(found for file in sources for found in DEFINED.findall(file.read_text("utf-8")))


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page with a frame for each figure that it asks for."""
    known = titles()

    def frame(found: re.Match[str]) -> str:
        name = found[1]
        if name not in known:
            raise PluginError(
                f"{page.file.src_uri}: there is no figure {name!r}\n"
                f"  help: the bench has {', '.join(known)} (web/src/figures)"
            )
        if not BUILT.exists():
            return MISSING.format(title=known[name])
        source = f"{get_relative_url(PLACE, page.file.url)}#figure={name}"
        return (
            f'<iframe class="live-figure" title="{escape(known[name])}" src="{source}" '
            'height="560" loading="lazy"></iframe>'
        )

    return ASKED.sub(frame, markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Puts the bench into the site."""
    if not BUILT.exists():
        logging.getLogger("mkdocs.hooks.figures").info("live figures: %s is not built", BUILT)
        return
    place = Path(config["site_dir"]) / PLACE
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(BUILT, place)
