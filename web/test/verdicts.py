"""Are the verdicts of the tours those of the studies?

    acklab reproduce bbr-wifi6 --out out     # and aggregation, ack-compression, tack
    python web/test/verdicts.py out

Ends with 1 if one differs. Studies that are not in the folder are named.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

TOURS = Path(__file__).resolve().parent.parent / "src" / "tours"
STEP = re.compile(r'claim: "([^/"]+)/([^"]+)",\s*says: ".*",\s*verdict: "([^"]+)"')


#: The words of the page for those of a table of claims.
WORDS = {
    "reproduced": "held",
    "partly": "held in part",
    "not": "did not hold",
    "undecided": "undecided",
}


def main(out: Path) -> int:
    """Compares all steps, prints what differs."""
    steps = [step for file in sorted(TOURS.glob("*.ts")) for step in STEP.findall(file.read_text())]
    wrong, judged = 0, 0
    for study in dict.fromkeys(study for study, _, _ in steps):
        table = out / study / "claims.csv"
        if not table.exists():
            print(f"{study}: not in {out}")
            continue
        with table.open() as lines:
            verdicts = {row["id"]: row["verdict"] for row in csv.DictReader(lines)}
        for _, claim, said in (step for step in steps if step[0] == study):
            judged += 1
            if WORDS[verdicts[claim]] != said:
                wrong += 1
                print(f"{study}/{claim}: the tour says {said!r}, the study {verdicts[claim]!r}")
    print(f"{judged} of {len(steps)} steps compared, {wrong} differ")
    return 1 if wrong or not judged else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
