"""Studies: a paper's tables and figures, run again; each is a folder of claims, cells and texts."""

from __future__ import annotations

from pathlib import Path


def built_in() -> dict[str, Path]:
    """The folders of the studies that come with acklab, by the names that commands give them."""
    here = Path(__file__).parent
    return {p.parent.name.replace("_", "-"): p.parent for p in sorted(here.glob("*/study.toml"))}
