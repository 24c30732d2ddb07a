"""Random scenarios that load, drawn from the schema that the core itself gives.

The shape of a network is drawn here, since a schema knows nothing of names that refer to each
other. All else comes from the schema: a key, a word or a registry entry that is new is drawn
without a change of this file. What has been drawn least is drawn first, and what the loader
refuses is written as its help says or left out, so that a few hundred scenarios have all that
there is. The same seed gives the same scenarios for the same schema.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import acklab
from networks_at_random import TRACES, Network, network
from schema_walk import Walk

#: How often what the loader refuses is mended before another scenario is drawn instead.
MENDINGS = 60

#: A table further down has fewer keys than one further up.
CHANCE = (0.22, 0.16, 0.1)
#: Of what no scenario has yet.
CHANCE_OF_NEW = 0.5

FACTORS = (0.25, 0.5, 0.75, 1, 1, 1.5, 2, 4)
#: Values for a quantity that has no default: a run of a second has room for them.
USUAL = {
    "Time": ("1 ms", "3 ms", "10 ms", "40 ms", "150 ms", "400 ms", "250 us"),
    "Rate": ("300 kbit/s", "2 Mbit/s", "6 Mbit/s", "20 Mbit/s", "54 Mbit/s"),
    "Size": ("40 B", "1500 B", "3839 B", "7935 B", "20 kB", "100 KiB"),
    "QueueLimit": ("3 packets", "20 packets", "300 packets", "30 kB", "0.5 BDP", "2 BDP"),
}
#: Probabilities that leave something to arrive.
RARE = (0.0001, 0.001, 0.01, 0.05)
#: Of a bit.
RARER = (1e-7, 1e-6, 1e-5)
#: Of trees of classes: the last one takes what is left, so that one before it can choose.
LENGTHS = {"classes": 2, "queues": 2}
#: Keys by which a class takes packets.
MATCHES = ("flow", "from", "to", "dscp")
#: Tables that networks consist of.
SHAPE = ("topology", "node", "link", "wifi", "flow")
_NUMBER = re.compile(r"(-?[0-9][0-9_.]*(?:e-?[0-9]+)?)\s*(.*)", re.ASCII)
_DEFAULT = re.compile(r'(?:Default:|such as)\s+"?(-?[0-9][^"\n]*?)"?(?:[.,;:]?(?:\s|$)|\.$)')
_PLACE = re.compile(r'^  in <dict>: ((?:"[^"]*"|[^\s"=])+)(?: = |$)', re.MULTILINE)
_STEP = re.compile(r'"([^"]*)"|([^.]+)')


class Scenarios:
    """A source of random scenarios; `folder` holds the traces that they name, in `traces/`."""

    def __init__(self, schema: dict, folder: Path, seed: int = 1) -> None:
        self.walk = Walk(schema)
        self.folder = folder
        self.random = random.Random(seed)
        #: How many of the scenarios so far have each item of the schema, and which any has.
        self.seen: Counter[str] = Counter()
        self.drawn: set[str] = set()
        self.mended = self.redrawn = 0
        (folder / "traces").mkdir(parents=True, exist_ok=True)
        for trace in TRACES:
            (folder / "traces" / trace.name).write_bytes(trace.read_bytes())

    def take(self, count: int) -> Iterator[dict]:
        """The next scenarios, as mappings."""
        for number in range(count):
            scenario = self._one(number)
            while not self._mend(scenario):
                self.redrawn += 1
                scenario = self._one(number)
            items = self.walk.items(scenario)
            self.seen.update(items)
            self.drawn |= items
            yield scenario

    def _one(self, number: int) -> dict:
        self.network = network(self.random, number)
        scenario = {"name": f"random-{number}", **self.network.scenario}
        self._fill(self.walk.root, scenario, "", 0)
        for flow in scenario["flow"]:
            fit_transport(flow)
        fit_trees(scenario, self.random)
        return scenario

    def _fill(self, schema: dict, table: dict, label: str, depth: int) -> None:
        """Adds keys that the schema has to a table and to those below it."""
        label, known = self.walk.properties(schema, table, label)
        for key, of in known.items():
            if key in table:
                self._fill_below(of, table[key], depth + 1)
            elif not (depth == 0 and key in SHAPE) and self._wanted(of, f"{label}.{key}", depth):
                table[key] = self._value(of, key, depth + 1)

    def _fill_below(self, schema: dict, value: object, depth: int) -> None:
        schema, label = self.walk.branch(schema, value)
        if isinstance(value, dict):
            self._fill(schema, value, label, depth)
        elif isinstance(value, list) and "items" in schema:
            for item in value:
                self._fill_below(schema["items"], item, depth)

    def _wanted(self, schema: dict, item: str, depth: int) -> bool:
        new = not self.seen[item] or self._unseen(schema, item)
        chance = CHANCE_OF_NEW if new else CHANCE[min(depth, 2)]
        return self.random.random() < chance

    def _value(self, schema: dict, key: str, depth: int) -> object:
        """A value that the schema accepts; names are the network's."""
        plain, kind = self.walk.resolved(schema)
        if not plain.keys() & {"const", "enum"}:
            given = self.network.value(key, plain.get("type") or kind, self.random)
            if given is not None:
                return given
        schema, label = self._chosen(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._least(schema["enum"], lambda word: f"{label}={word}")
        match schema.get("type"):
            case "boolean":
                return self.random.random() < 0.5
            case "integer" | "number":
                return self._number(schema, key, label)
            case "string":
                return self._quantity(schema, label)
            case "array":
                length = self.network.lengths.get(key) or LENGTHS.get(key, 1)
                length = max(length, schema.get("minItems", 1))
                return [self._value(schema["items"], key, depth) for _ in range(length)]
        return self._table(schema, key, label, depth)

    def _chosen(self, schema: dict) -> tuple[dict, str]:
        """One of the forms that a value may have, of those that are rare so far."""
        schema, label = self.walk.resolved(schema)
        while forms := self.walk.forms(schema):
            made = [self.walk.form(schema, label, at) for at in range(len(forms))]
            at = self._least(range(len(forms)), lambda i: f"{label}#{i}")  # noqa: B023
            new = [self._unseen(*form) for form in made]
            if max(new) and self.random.random() < 0.85:
                at = new.index(max(new))
            schema, label = made[at]
        return schema, label

    def _unseen(self, schema: dict, label: str) -> int:
        """How much that no scenario has yet could stand below a form of a value."""
        return len(self.walk.below(schema, label) - self.drawn)

    def _least(self, choices, item):
        """Mostly one of those that fewest scenarios have."""
        choices = list(choices)
        if self.random.random() < 0.15:
            return self.random.choice(choices)
        least = min(self.seen[item(c)] for c in choices)
        return self.random.choice([c for c in choices if self.seen[item(c)] == least])

    def _table(self, schema: dict, key: str, label: str, depth: int) -> dict:
        table = {}
        for needed in schema.get("required", []):
            table[needed] = self._value(schema["properties"][needed], needed, depth + 1)
        if isinstance(more := schema.get("additionalProperties"), dict):
            for name in self.network.names(key, self.random):
                table[name] = self._value(more, name, depth + 1)
        self._fill(schema, table, label, depth)
        if not table and schema.get("properties"):
            key = self._least(sorted(schema["properties"]), lambda k: f"{label}.{k}")
            table[key] = self._value(schema["properties"][key], key, depth + 1)
        return table

    def _number(self, schema: dict, key: str, label: str) -> float:
        low, high = schema.get("minimum", 0), schema.get("maximum", 1 << 32)
        low = schema.get("exclusiveMinimum", low)
        default = _DEFAULT.search(schema.get("description", ""))
        if label.endswith("Probability") or (high == 1 and schema["type"] == "number"):
            return self.random.choice(RARER if key.startswith("bit") else RARE)
        if default:
            value = float(_NUMBER.match(default[1])[1]) * self.random.choice(FACTORS)
        else:
            value = low + self.random.choice((0, 1, 2, 7, 20)) * (1 if low >= 0 else 1.5)
        value = min(max(value, low), high)
        if schema["type"] == "integer":
            return round(value)
        return round(value, 9) or schema.get("exclusiveMinimum", -1.0) + 1.0

    def _quantity(self, schema: dict, label: str) -> str:
        """A text with a unit: near the default, one that the description has, or a usual one."""
        about = schema.get("description", "")
        fits = re.compile(schema.get("pattern", ".*")).match
        quoted = re.findall(r'"([^"\n=]+)"', about)
        told = [word for word in quoted if fits(word) and word.strip() == word]
        usual = USUAL.get(label.split("#")[0], schema.get("examples", ["x"]))
        default = _DEFAULT.search(about)
        if default and fits(default[1]) and float(_NUMBER.match(default[1])[1]):
            number, unit = _NUMBER.match(default[1]).groups()
            scaled = float(number) * self.random.choice(FACTORS)
            usual = [f"{max(1, round(scaled)) if unit in ('B', 'ns') else scaled:.12g} {unit}"]
        words = told if told and self.random.random() < 0.25 else usual
        return self.random.choice(list(words))

    def _mend(self, scenario: dict) -> bool:
        """Writes or leaves out what the loader refuses; whether the scenario loads in the end."""
        tried: set[str] = set()
        for _ in range(MENDINGS):
            try:
                self.load(scenario)
                return True
            except acklab.ScenarioError as e:
                refused = str(e)
            told = [m for m in re.split(r"^error: ", refused, flags=re.MULTILINE) if m.strip()]
            self.mended += 1
            if not [m for m in told if self._mend_one(scenario, m, tried)]:
                return False
        return False

    def _mend_one(self, scenario: dict, mistake: str, tried: set[str]) -> bool:
        place = _PLACE.search(mistake)
        if not place:
            return False
        way: list[tuple] = []
        at: object = scenario
        for step in (name or word for name, word in _STEP.findall(place[1])):
            key = int(step) if isinstance(at, list) and step.isdigit() else step
            way.append((at, key))
            try:
                at = at[key]
            except (KeyError, IndexError, TypeError):
                break
        else:
            right = [] if place[1] in tried else advice(mistake)
            tried.add(place[1])
            table, key = way.pop()
            if right:
                table[key] = self.random.choice(right)
            else:
                del table[key]
            return True
        # Something that a table must have was left out before: so must be the table.
        return len(way) > 1 and self._left_out(*way[-2])

    def _left_out(self, table: dict, key: str) -> bool:
        del table[key]
        return True

    def load(self, scenario: dict) -> acklab.Scenario:
        """The scenario, read where its traces are."""
        with contextlib.chdir(self.folder):
            return acklab.load(scenario)


def fit_trees(value: object, draw: random.Random) -> None:
    """Trees of classes, wherever they are: the last takes the rest, and a parent holds none."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key in LENGTHS and isinstance(below, list):
                fit_tree(below, draw)
            fit_trees(below, draw)
    elif isinstance(value, list):
        for item in value:
            fit_trees(item, draw)


def fit_tree(classes: list[dict], draw: random.Random) -> None:
    """One tree: its names are different, parents stand before their children, and the first of two
    leaves takes some packets only."""
    for item in classes:
        item["name"] = f"class-{draw.randrange(1 << 30):x}"
    first, last = classes[0], classes[-1]
    first.pop("parent", None)
    if last.get("parent"):
        last["parent"] = first["name"]
        for key in (*MATCHES, "child"):
            first.pop(key, None)
    elif not any(key in first for key in MATCHES):
        # It would take all packets, and leave none to the last.
        first["dscp"] = ["EF"]
    for key in MATCHES:
        last.pop(key, None)


def fit_transport(flow: dict) -> None:
    """Leaves out what the flow's transport does not have; RTP carries a video."""
    transport = flow.get("transport", "tcp")
    name = transport["name"] if isinstance(transport, dict) else transport
    if name != "tcp":
        for key in ("ack", "tcp", *(() if name == "tack" else ("cc",))):
            flow.pop(key, None)
    app = flow.get("app", "bulk")
    kind = app.get("kind", "bulk") if isinstance(app, dict) else app
    if name == "rtp" and kind != "video":
        flow["app"] = {"kind": "video"}
    if name in ("cbr", "udp"):
        flow.pop("app", None)


def advice(mistake: str) -> list[object]:
    """Values that are right according to a message: `write 1, 2 or 5.5 Mbit/s`."""
    help_ = re.search(r"^  help: .*?\bwrite (.*)$", mistake, re.MULTILINE)
    if not help_:
        return []
    # `write transport = "tcp"` is advice for another key.
    words = re.findall(r'(?<!= )"([^"]+)"', help_[1])
    listed = re.match(r"((?:[0-9.]+(?:, | or | and ))*[0-9.]+)( ?[A-Za-z][A-Za-z/]*)?", help_[1])
    if words or not listed:
        return words
    numbers = re.findall(r"[0-9.]+", listed[1])
    unit = (listed[2] or "").strip()
    return [f"{n} {unit}" for n in numbers] if unit else [int(n) for n in numbers if n.isdigit()]


__all__ = ["Network", "Scenarios", "advice"]
