"""`acklab new`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from acklab.cli.output import tell_lines
from acklab.errors import AcklabError


class Template(StrEnum):
    """Networks that a new scenario can begin with."""

    DUMBBELL = "dumbbell"
    LINE = "line"
    PARKING_LOT = "parking-lot"
    WIFI = "wifi"


def new(
    file: Annotated[Path, typer.Argument(help="The file to write.")] = Path("scenario.toml"),
    template: Annotated[
        Template,
        typer.Option(
            "--template",
            "-t",
            help="dumbbell: flows share a bottleneck; line: two nodes and an asymmetric link; "
            "parking-lot: several bottlenecks in a row; wifi: stations and an access point.",
        ),
    ] = Template.DUMBBELL,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Write a commented scenario to begin with, or a notebook.

    A name that ends in .ipynb writes the notebook "Your own question in 15 minutes";
    first-look.ipynb and sweep-and-mechanism.ipynb are two more.
    """
    import shlex

    from acklab.folder import write_atomically

    if file.is_dir():
        raise AcklabError(f"{file} is a folder\n  help: name a file, for example {file}/a.toml")
    if file.exists() and not force:
        raise AcklabError(f"{file} exists\n  help: choose another name, or --force to replace it")
    if file.suffix == ".ipynb":
        write_atomically(file, notebook(file.stem))
        tell_lines({"file": file}, f"wrote {file}; open it in VS Code or JupyterLab")
        return
    if file.suffix != ".toml":
        raise AcklabError(
            f"{file} would not be read as TOML\n  help: call it {file.with_suffix('.toml')}"
        )
    write_atomically(file, scenario(template, file))
    run = f"acklab run {shlex.quote(str(file))}"
    tell_lines({"file": file, "template": template}, f"wrote {file}; run it:\n  {run}")


def notebook(name: str) -> str:
    """The text of the notebook of that name, or of the one for a question of your own."""
    from acklab.places import packaged

    every = {path.stem: path for path in packaged("notebooks").glob("*.ipynb")}
    return every.get(name, every["own-question"]).read_text(encoding="utf-8")


def scenario(template: Template, file: Path) -> str:
    """The text of a new scenario that will be called `file`."""
    import importlib.resources
    import shlex

    text = importlib.resources.files("acklab.templates").joinpath(f"{template.value}.toml")
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in file.stem)
    return text.read_text().format(name=name, file=shlex.quote(str(file)))
