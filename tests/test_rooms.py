"""A profile is named where it is chosen; elsewhere the code asks for a behaviour by its name."""

import re
from pathlib import Path

CRATES = Path(__file__).resolve().parent.parent / "crates"

#: The choice of defaults, ns-3's own room, and a hint that says which profile has a reduction.
ALLOWED = {
    "acklab-proto/src/tcp/config.rs",
    "acklab-proto/src/tcp/ns3/profile.rs",
    "acklab-sim/src/scenario/resolve/tcp.rs",
}


def test_nobody_else_asks_for_a_profile():
    found = set()
    for path in CRATES.glob("*/src/**/*.rs"):
        name = path.relative_to(CRATES).as_posix()
        if "tests" in name:
            continue
        code = path.read_text(encoding="utf-8").split("#[cfg(test)]\nmod ")[0]
        if re.search(r"\bProfile::(Ns3|Linux|Rfc)\b", code):
            found.add(name)
    assert found == ALLOWED
