"""A skipped test is reported at the end, and fails where everything must be there."""

import os
import subprocess
import sys

import pytest

from conftest import PATIENCE, ROOT

TESTS = """\
import pytest


def test_that_needs_something():
    pytest.skip("frobnicate is not installed")


def test_that_does_not_arise():
    pytest.skip("fairness is of several")


def test_that_runs():
    pass
"""
CONFTEST = "from skips import pytest_sessionfinish, pytest_terminal_summary\n"


@pytest.mark.parametrize(("require", "code"), [("", 0), ("all", 1)])
def test_a_missing_tool(require, code, tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    done = run(tmp_path, require, "test_some.py")
    assert done.returncode == code, done.stdout
    assert "frobnicate is not installed: test_some.py::test_that_needs_something" in done.stdout
    assert "skipped for want of something: 1;" in done.stdout


def test_a_missing_package(tmp_path):
    (tmp_path / "test_some.py").write_text('import pytest\npytest.importorskip("frobnicate")\n')
    (tmp_path / "test_other.py").write_text("def test_that_runs(): pass\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    done = run(tmp_path, "all", "test_some.py", "test_other.py")
    assert done.returncode == 1, done.stdout
    assert "could not import 'frobnicate'" in done.stdout


def test_nothing_missing_is_not_mentioned(tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    done = run(tmp_path, "all", "test_some.py", "-k", "arise or runs")
    assert done.returncode == 0, done.stdout
    assert "not tested" not in done.stdout


def run(folder, require, *words):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tests"), "ACKLAB_REQUIRE": require}
    env.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *words],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
