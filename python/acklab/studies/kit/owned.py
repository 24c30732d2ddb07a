"""Errors in a study's own Python are its author's, not bugs in acklab."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from acklab.errors import AcklabError
from acklab.studies.kit.claims import Flaw


def owned(of: Callable[..., Any], study: Path) -> Callable[..., Any]:
    """`of`, which runs Python of the study in that folder: what it raises names the line there."""

    @wraps(of)
    def call(*words: object) -> Any:
        try:
            return of(*words)
        except (AcklabError, SyntaxError):
            raise
        except Exception as e:
            place = _place(e, study)
            if place is None:
                raise
            raise Flaw(*place, f"{type(e).__name__}: {e}") from e

    return call


def _place(e: Exception, study: Path) -> tuple[Path, int] | None:
    """The innermost line of the study that an exception came through."""
    for frame in reversed(traceback.extract_tb(e.__traceback__)):
        if (file := Path(frame.filename)).is_relative_to(study.resolve()):
            return study / file.relative_to(study.resolve()), frame.lineno or 0
    return None
