"""Writes docs/studies/bbr-wifi6.md, whose numbers come from a reproduction.

`.venv/bin/python docs/bbr_wifi6.py [FOLDER]` fills bbr-wifi6.in. FOLDER is where `acklab reproduce
bbr-wifi6` left its results (`out/bbr-wifi6`): the numbers that the page shows are copied from there
into bbr-wifi6.csv. Without a folder those of that file are used. Where a verdict has turned that a
sentence rests on (`{{require ...}}`), nothing is written.
"""

import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl

from acklab.folder import write_atomically
from acklab.studies.kit import folder, made, runs
from acklab.studies.kit.fields import known
from acklab.studies.kit.judge import judge_all
from acklab.studies.kit.language import Scope, truth
from acklab.studies.kit.numbers import Numbers, numbers, witnessed
from acklab.studies.kit.quantity import with_derived
from acklab.studies.kit.templates import filled
from acklab.studies.kit.truth import Truth

ROOT = Path(__file__).parents[1]
STUDY = folder.load(ROOT / "python/acklab/studies/bbr_wifi6")
PAGE, FORM, KEPT = (ROOT / f"docs/studies/bbr-wifi6.{end}" for end in ("md", "in", "csv"))
#: Runs of a Linux kernel behind a tree, which the page tells beside acklab's.
TREE = ROOT / "validation/kernel-virtual/tree/tree.csv"
#: Letters in a line.
WIDE = 135
_WRAP = partial(textwrap.wrap, break_long_words=False, break_on_hyphens=False)
VERDICTS = {
    "reproduced": "reproduced",
    "partly": "partly reproduced",
    "not": "not reproduced",
    "undecided": "undecided",
}
#: What claims say, in a few words, for the list of those that are reproduced.
SHORT = {
    "F5-v2": "BBRv2 often yields to CUBIC and sometimes gets less than 2 Mbit/s",
    "F5-v3": "BBRv3 and CUBIC swing against each other: one rises as the other falls",
    "F5-better": "beside CUBIC, BBRv3 is less extreme than BBRv1 and BBRv2",
    "F7-fq": "FQ-CoDel, uplink: both flows get about 5 Mbit/s and swing less",
    "F7-early": "FQ-CoDel, uplink: earlier signals keep CUBIC from filling the buffer",
    "F8c-pfifo": "PFIFO, uplink: both flows have moderate retransmissions, from a full buffer",
    "F9-cake": "CAKE, downlink: both flows get about 5 Mbit/s, steadily, and fill the link",
    "F10a": "for the RTT, the direction of the traffic matters little beside the queue",
    "F11-fq": "FQ-CoDel, both directions at once: steadier throughput and a much lower RTT",
    "F11-capacity": "CAKE, both directions at once: the throughput stays near the capacity",
    "T-both": "both directions at once: PFIFO fills up, FQ-CoDel is fairer and has a lower RTT, "
    "and CAKE uses the link nearly fully and has the lowest RTT",
    "M-fair": "a queue per flow gives each sender an equal share (Eq 20)",
    "M-bounded": "CoDel bounds the queue, and so how far the RTT rises (Eq 15)",
    "M-down-fifo": "PFIFO, downlink: the queue inflates the delay; the RTT is the highest (Eq 16)",
    "M-sojourn": "FQ-CoDel, downlink: it prevents excessive delay (Eq 21)",
}


def read(results: Path) -> Numbers:
    """The numbers of a reproduction."""
    tables = {}
    for group, axes in STUDY.vocabulary.grids.items():
        texts = {a: pl.String for a, keys in axes.items() if isinstance(keys[0], str)}
        path = results / "numbers" / f"{group}.csv"
        tables[group] = pl.read_csv(path, schema_overrides=texts, infer_schema_length=None)
    return with_derived(STUDY.vocabulary, numbers(tables))


def runs_of_the_study() -> int:
    """How many runs it has."""
    effort = STUDY.effort()
    return runs.how_many(STUDY.run_by(effort), list(STUDY.quantities.values()), effort)


def page(of: Numbers, seeds: int, verdicts: dict[str, str]) -> tuple[str, Scope]:
    """The page, and what it asked for."""
    text = FORM.read_text()
    for mark, value in {
        "CLAIMS": len(STUDY.claims),
        "RUNS": f"{runs_of_the_study():,}",
        "SEEDS": seeds,
        "LINUX": answered("linux"),
        "ALL": counted(verdicts.values()),
        "REPRODUCED": reproduced(verdicts),
        "MODEL": counted(v for name, v in verdicts.items() if name.startswith("M-")),
    }.items():
        text = text.replace(f"@{mark}@", str(value))
    text = re.sub(r"@verdict (\S+)@", lambda asked: VERDICTS[verdicts[asked[1]]], text)
    text = re.sub(r"@kernel (\w+) ([^@]+) (\S+) (\S+) (\w+)@", _of_the_kernel, text)
    scope = Scope(STUDY.vocabulary, Asked(of), STUDY.where("idle"), witnesses=witnesses)
    # A line is a paragraph of its own here, so that no note on keys stands below a table.
    lines = [_filled(line, scope, verdicts) for line in joined(text)]
    return wrapped("\n".join(line for line in lines if line is not None)) + "\n", scope


#: By the name of a quantity its column, and how its mean is written.
COLUMNS = {
    "goodput": ("goodput_mbps", "{:.2f}"),
    "retransmissions": ("total_retrans", "{:.0f}"),
    "delivery": ("delivery_p90_mbps", "{:.2f}"),
}


@cache
def _runs_of_the_kernel() -> pl.DataFrame:
    return pl.read_csv(TREE, schema_overrides={"rtt_ms": pl.String, "late_us": pl.String})


def _of_the_kernel(asked: re.Match[str]) -> str:
    """The mean of a cell that a kernel ran: quantity, bottleneck, RTT, lateness, flow."""
    quantity, *cell = asked.groups()
    column, form = COLUMNS[quantity]
    key = dict(zip(("bottleneck", "rtt_ms", "late_us", "cc"), cell, strict=True))
    found = _runs_of_the_kernel().filter(**key)[column]
    if found.is_empty():
        raise SystemExit(f"{TREE}: no run for {asked[0]}")
    return form.format(found.mean())


def counted(verdicts: Iterable[str]) -> str:
    """How many there are of each."""
    counts = Counter(verdicts)
    found = ((counts[v], words) for v, words in VERDICTS.items() if counts[v])
    told = [f"{n} {'is' if n == 1 else 'are'} {words}" for n, words in found]
    return ", ".join(told[:-1]) + f" and {told[-1]}"


def reproduced(verdicts: dict[str, str]) -> str:
    """A row of a table for each claim that is reproduced."""
    rows = []
    for claim in STUDY.claims:
        if verdicts[claim.id] == "reproduced":
            if claim.id not in SHORT:
                raise SystemExit(f"{claim.id} is now reproduced: say it in a few words in SHORT")
            rows.append(f"| `{claim.id}` | {claim.place} | {SHORT[claim.id]} |")
    return "\n".join(rows)


def answered(witness: str) -> int:
    """Of how many claims a witness has the numbers."""
    of = STUDY.witnesses[witness]
    asked = [(c, STUDY.scope(of, STUDY.deciding()[0], c)) for c in STUDY.claims]
    found = [truth(c.asks.get(witness, c.holds), scope) for c, scope in asked]
    return sum(t is not Truth.MISSING for t in found)


def wrapped(text: str) -> str:
    """Paragraphs and items in lines of at most `WIDE` letters; tables, headings and code stay."""
    found: list[str] = []
    code = whole = False
    for line in text.splitlines():
        code ^= line.startswith("```")
        stays = code or line.startswith(("```", "#", "|")) or not line
        if stays or whole or not found or line.startswith("- "):
            found.append(line)
        else:
            found[-1] += " " + line.strip()
        whole = stays
    lines = []
    for line in found:
        inner = "  " if line.startswith("- ") else ""
        kept_ = not line or line.startswith(("```", "#", "|")) or "  " in line
        lines += [line] if kept_ else _WRAP(line, WIDE, subsequent_indent=inner)
    return "\n".join(lines)


def joined(text: str) -> list[str]:
    """The lines; braces that go on in the next line are not cut."""
    found = [""]
    for line in text.splitlines():
        found[-1] += line
        if found[-1].count("{") == found[-1].count("}"):
            found.append("")
        else:
            found[-1] += "\n"
    return found[:-1]


def _filled(line: str, scope: Scope, verdicts: dict[str, str]) -> str | None:
    told = filled(line, scope, verdicts)
    if told == "" and line != "":
        return None
    return re.sub(r" \*In this order: [^*]*\*$", "", told)


def witnesses():
    """The kernel's and the equations' numbers."""
    return STUDY.witnesses


class Asked(dict):
    """Numbers, and which of them were looked at."""

    def __init__(self, of: Numbers) -> None:
        super().__init__(of)
        self.seen: set[tuple[str, str]] = set()

    def get(self, key: tuple[str, str], default: Any = None) -> Any:
        """As a dictionary does."""
        self.seen.add(key)
        return super().get(key, default)


def keep(of: Numbers, asked: Asked, seeds: int, verdicts: dict[str, str]) -> str:
    """The means of all quantities that the page asked for, and the verdicts, as a file."""
    rows = []
    for group, quantity in sorted(asked.seen):
        field = of[group, quantity]
        for key, value in field.cells.items():
            at = dict(zip(field.axes, key, strict=True))
            rows.append({"group": group, "quantity": quantity, **at, "value": known(value).mean})
    axes = sorted({a for row in rows for a in row} - {"group", "quantity", "value"})
    head = ["group", "quantity", *axes, "value"]
    lines = [f"# Written by docs/bbr_wifi6.py: means of {seeds} seeds that the page shows."]
    lines += [f"# verdict {name} {verdict}" for name, verdict in verdicts.items()]
    lines.append(",".join(head))
    for row in rows:
        row["value"] = f"{row['value']:.4f}"
        lines.append(",".join(str(row.get(column, "")) for column in head))
    return "\n".join(lines) + "\n"


def kept() -> tuple[Numbers, int, dict[str, str]]:
    """What stands in the file."""
    text = KEPT.read_text()
    seeds = int(re.search(r"means of (\d+) seeds", text)[1])
    return witnessed(KEPT), seeds, dict(re.findall(r"^# verdict (\S+) (\S+)$", text, re.M))


def main() -> None:
    """Copies the numbers of a folder, if one is named, and writes the page."""
    if len(sys.argv) > 1:
        results = Path(sys.argv[1])
        of, seeds = read(results), made.effort(results).seeds
        judged = judge_all(STUDY, of)
        verdicts = {j.claim.id: j.verdict for j in judged}
        scope = page(of, seeds, verdicts)[1]
        write_atomically(KEPT, keep(of, scope.numbers, seeds, verdicts).encode())
    write_atomically(PAGE, page(*kept())[0].encode())


if __name__ == "__main__":
    main()
