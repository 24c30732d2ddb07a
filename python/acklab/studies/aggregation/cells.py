"""The groups of cells on the wire and over the air."""

from importlib import import_module
from importlib.util import find_spec

GROUPS = {
    name: of
    for part in ("wired", "wireless")
    if find_spec(f".cells_{part}", __package__) is not None
    for name, of in import_module(f".cells_{part}", __package__).GROUPS.items()
}
