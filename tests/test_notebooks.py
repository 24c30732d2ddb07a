"""The notebooks run from top to bottom, and what they assert holds."""

import os

import pytest

from conftest import PATIENCE, ROOT

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    # The kernel must not see a user's own settings, nor leave a sweep behind.
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    where = {"metadata": {"path": os.fspath(path.parent)}}
    nbclient.NotebookClient(
        notebook, timeout=PATIENCE, kernel_name="python3", resources=where
    ).execute()
    shown = [c.outputs for c in notebook.cells if c.cell_type == "code"]
    assert any("image/svg+xml" in o.get("data", {}) for outputs in shown for o in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert code
    assert not any(c.outputs or c.execution_count for c in code)
    assert {c.cell_type for c in notebook.cells} == {"code", "markdown"}


def test_there_are_notebooks():
    assert {p.stem for p in NOTEBOOKS} >= {"first-look", "sweep-and-mechanism"}
