"""Training runs for a profile-guided build of the core: the gallery, one run each.

`make fast` builds an instrumented core, runs this with it, and compiles the core again with what
was counted. The gallery has every kind of link, queue, filter, controller and receiver, on wires
and over the air, so that no part is compiled for others' cost.
"""

from pathlib import Path

import acklab

GALLERY = Path(__file__).resolve().parent.parent / "scenarios"


def main() -> None:
    """Runs each scenario of the gallery with its first seed."""
    for file in sorted(GALLERY.glob("*.toml")):
        acklab.load(file).run(1)


if __name__ == "__main__":
    main()
