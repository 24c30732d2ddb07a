"""What `acklab run` says of a result that it replaced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acklab.folder import MARKER
from acklab.saving import SCENARIO
from acklab.sealed import unsealed


def kept_in(folder: Path) -> Mapping[str, Any] | None:
    """What `run.json` in `folder` says: nothing if it cannot be read, none if there is none."""
    try:
        return unsealed((folder / MARKER).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return {}


def note(target: Path, before: Mapping[str, Any] | None) -> str:
    """A line on the run that `target` held before, `before`; none if it has all of it now.

    The same scenario, seed and version give the same tables, to the byte.
    """
    if before is None:
        return ""
    after = kept_in(target) or {}
    sums, now = before.get("sha256", {}), after.get("sha256", {})
    lost = {name for name in sums if name != SCENARIO and sums[name] != now.get(name)}
    same_seed = before.get("seed") == after.get("seed")
    if sums and same_seed and not lost:
        return ""
    others = [key for key in ("seed", "version") if before and before.get(key) != after.get(key)]
    others += ["scenario"] * bool(sums and sums.get(SCENARIO) != now.get(SCENARIO))
    which = f" with another {' and another '.join(others)}" if others else ""
    if sums and same_seed and lost.isdisjoint(now):
        which = " with more tables"
    return f"note: {target} held an earlier run{which}; this one replaced it (--out DIR keeps both)"
