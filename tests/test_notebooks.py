"""The notebooks run from top to bottom, their assertions hold, and their outputs are today's."""

import re
import shutil
import sys

import pytest

from acklab.places import packaged
from conftest import PATIENCE, ROOT

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted(packaged("notebooks").glob("*.ipynb"))
sys.path.insert(0, str(ROOT / "docs"))


def words(notebook):
    """The numbers and names that each cell shows: Polars' frames may change, these may not."""
    shown = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            shown.setdefault(cell.id, []).extend(re.findall(r"[\w.-]+", text))
    return shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_has_the_outputs_of_today(path, tmp_path, monkeypatch):
    from notebooks import executed

    # The kernel must not see a user's own settings, nor leave a sweep behind; nor need the clone.
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    kept = nbformat.read(path, as_version=4)
    nbformat.validate(kept)
    fresh = executed(shutil.copy(path, tmp_path), PATIENCE)
    assert words(fresh) == words(kept), "`make notebooks` runs them again"
    for notebook in (fresh, kept):
        shown = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
        assert any("image/svg+xml" in o.get("data", {}) for o in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_cell_of_a_notebook_has_been_run_in_order(path):
    notebook = nbformat.read(path, as_version=4)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == list(range(1, len(code) + 1))
    assert {c.cell_type for c in notebook.cells} == {"code", "markdown"}


def test_there_are_notebooks():
    assert {p.stem for p in NOTEBOOKS} == {"first-look", "own-question", "sweep-and-mechanism"}
