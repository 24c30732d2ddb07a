"""JSON that is kept and read again: sealed with a sum, so that a wrong bit is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

#: The key that has the sum of the others.
SUM = "sum"


def sealed(about: Mapping[str, Any], indent: int = 2) -> str:
    """`about` as JSON, with its sum."""
    whole = json.loads(json.dumps(about, default=str))
    return json.dumps({**whole, SUM: _sum(whole)}, indent=indent) + "\n"


def unsealed(data: bytes, older: Collection[str] = ()) -> dict[str, Any]:
    """The content that `sealed` got; a `ValueError` if `data` has another.

    Files from before there were sums have none; they are taken if they have no key but `older`.
    """
    try:
        about = json.loads(data.decode())
    except RecursionError:
        raise ValueError("it nests too deep") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    except json.JSONDecodeError as e:
        where = f"line {e.lineno}, column {e.colno}: {e.msg}"
        raise ValueError(f"it is not JSON ({where})" if data.strip() else "it is empty") from None
    if not isinstance(about, dict):
        raise ValueError("it is no JSON object")
    found = about.pop(SUM, None)
    if found is None and older and not about.keys() - set(older):
        return about
    if found != _sum(about):
        raise ValueError(f"it is not what was written (its {SUM} is another)")
    return about


def _sum(about: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
