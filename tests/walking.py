"""The pages of the documentation, walked: their commands and programs in order, in this folder.

`python tests/walking.py PAGE...` does it with the `acklab` on the path. It needs nothing but
Python, so that an installed wheel can be walked where the clone does not help.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

#: Commands that set up the machine: where a page is walked acklab is installed already.
SETUP = ("make ", ". ", "pip ", "python3 -m venv ", "tshark ", "jupyter ")


def steps(page, left_out=SETUP):
    """The blocks of a page that a reader would run, each with its language."""
    for language, block in re.findall(
        r"^```(sh|python)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        if language == "sh":
            commands = block.replace("\\\n", " ").replace(".venv/bin/", "").splitlines()
            kept = [c for c in commands if not c.startswith(left_out) and "--dask" not in c]
            block = "\n".join(kept)
        if block.strip():
            yield language, block


def walk(page):
    """Every step of the page; the first that fails ends it."""
    names = {}
    for language, block in steps(page):
        for step in block.splitlines() if language == "sh" else [block]:
            print(f"$ {step}" if language == "sh" else step, flush=True)
            began = time.monotonic()
            if language == "sh":
                subprocess.run(["sh", "-e", "-c", step], check=True)
            else:
                exec(block, names)
            print(f"# {time.monotonic() - began:.1f} s\n", flush=True)


if __name__ == "__main__":
    # This folder has nothing that a user has.
    sys.path.pop(0)
    for given in sys.argv[1:]:
        walk(Path(given))
