"""Which numbers a rule asks for, so that it can be asked of another simulator's runs as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: What is said beside a verdict of a rule that was asked of somebody else's numbers.
HOLDS, DOES_NOT = "holds", "does not"


def told(holds: bool) -> str:
    """Whether the rule holds there."""
    return HOLDS if holds else DOES_NOT


class Watched(Mapping[Any, Any]):
    """A mapping that notes which keys it is asked for, and may insist on having them."""

    def __init__(self, of: Mapping[Any, Any], strict: bool = False) -> None:
        self.of, self.strict = of, strict
        self.asked: list[Any] = []

    def __getitem__(self, key: Any) -> Any:
        self.asked.append(key)
        return self.of[key]

    def get(self, key: Any, default: Any = None) -> Any:
        """As of any mapping, but that a strict one does not do without."""
        if self.strict:
            return self[key]
        self.asked.append(key)
        return self.of.get(key, default)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)
