"""Runs the notebooks from top to bottom and keeps their outputs in them: `make notebooks`.

The same notebook gives the same outputs: times of execution and identities are left out.
"""

import sys
from pathlib import Path

import nbclient
import nbformat


def executed(path: str | Path, patience_s: int = 600) -> nbformat.NotebookNode:
    """The notebook with fresh outputs, run in its own folder."""
    path = Path(path)
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(
        notebook,
        timeout=patience_s,
        kernel_name="python3",
        resources=where,
        record_timing=False,
    ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            # A figure is kept once, and a table as HTML and as text.
            data = output.get("data", {})
            if "image/svg+xml" in data:
                output["data"] = {"image/svg+xml": data["image/svg+xml"]}
    notebook.metadata.pop("language_info", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


if __name__ == "__main__":
    here = Path(__file__).parents[1] / "python/acklab/data/notebooks"
    for path in [Path(a) for a in sys.argv[1:]] or sorted(here.glob("*.ipynb")):
        print(path.stem, flush=True)
        nbformat.write(executed(path), path)
