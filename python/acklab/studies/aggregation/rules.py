"""The few conditions that the language of claims cannot say."""

from importlib import import_module
from importlib.util import find_spec

RULES = {
    name: rule
    for part in ("wired", "wireless")
    if find_spec(f".rules_{part}", __package__) is not None
    for name, rule in import_module(f".rules_{part}", __package__).RULES.items()
}
