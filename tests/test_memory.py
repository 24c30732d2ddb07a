"""Commands that run for minutes stay below 1 GB: the process may not have more."""

import resource
import subprocess
import sys

import pytest

#: Bytes of data segments and private memory; the kernel refuses more.
MOST = 1_000_000_000
#: Runs at once. More than cores, so that ended runs wait for a slower drawer if they can.
JOBS = 8

COMMANDS = {
    "reproduce": ["reproduce", "aggregation", "--quick", "--seeds", "1"],
    "sweep": ["sweep", "single-flow", "--grid", "flow.0.cc=cubic,bbr3", "--seeds", "100"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_loaded_machine_needs_less_than_a_gigabyte(command, tmp_path):
    # Somebody else uses the cores: the main thread falls behind the workers.
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "acklab", *COMMANDS[command], "--jobs", str(JOBS)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST, MOST)),
        )
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_limit_is_one():
    """A process that asks for more than the limit does not get it."""
    done = subprocess.run(
        [sys.executable, "-c", f"bytearray({MOST})"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST, MOST)),
    )
    assert "MemoryError" in done.stderr
