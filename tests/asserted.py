"""Random scenarios on a core that checks its books: debug assertions and overflow checks are on.

    python tests/asserted.py                      # tests/test_random_scenarios.py
    python tests/asserted.py tests/test_wifi.py   # other tests; all that pytest understands

Releases leave these checks out, and the tests of the crates have them only for the networks that
those tests draw. The core is compiled from this checkout, in a target folder of its own: minutes
once, seconds later.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from same_results import QUICK, ROOT, packed

BUILT = ROOT / "target" / "asserted"

#: Optimised as a release is, with what a debug build checks.
CHECKED = {
    "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS": "true",
    "CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS": "true",
}


def main() -> int:
    """See the module."""
    package = compiled()
    tests = sys.argv[1:] or [str(ROOT / "tests" / "test_random_scenarios.py")]
    env = {**os.environ, "PYTHONPATH": str(package), "RUST_BACKTRACE": "1"}
    loaded = subprocess.run(
        [sys.executable, "-c", "import acklab; print(acklab.__file__)"],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    if Path(loaded.stdout.strip()).parent.parent != package:
        sys.exit(f"error: {loaded.stdout.strip()} is loaded, not the core in {package}")
    return subprocess.run([sys.executable, "-m", "pytest", "-q", *tests], env=env).returncode


def compiled() -> Path:
    """The folder that holds the package `acklab` with the checked core."""
    words = ["cargo", "build", "-q", "--release", "--locked", "-p", "acklab-py"]
    env = {**os.environ, **QUICK, **CHECKED}
    print("compiling with debug assertions", flush=True)
    subprocess.run([*words, "--target-dir", BUILT], cwd=ROOT, env=env, check=True)
    packed(ROOT / "python", BUILT / "release" / "lib_core.so", BUILT / "python")
    return BUILT / "python"


if __name__ == "__main__":
    sys.exit(main())
