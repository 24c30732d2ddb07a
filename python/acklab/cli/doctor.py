"""`acklab doctor`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from acklab.cli.output import tell


class State(StrEnum):
    """How a check came out."""

    FINE = "fine"
    #: Something optional is not there.
    ABSENT = "absent"
    WRONG = "WRONG"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's."""

    state: State
    what: str
    text: str


#: Programs and packages that parts of acklab use, and what for.
PROGRAMS = {"tshark": "reads captures (--pcap)", "flent": "draws data files (--flent)"}
PACKAGES = {
    "duckdb": "queries the data sets of sweeps",
    "distributed": "sweeps on a Dask cluster (--dask)",
}
#: How a package comes here.
INSTALL = {"duckdb": "pip install duckdb", "distributed": "pip install 'acklab[dask]'"}

#: Goodput of the run that the doctor makes, as the core's own tests have it: a window of ten
#: segments of 1448 bytes per 40 ms.
EXPECTED_BPS = 10 * 1448 * 8 / 0.04


def doctor(
    out: Annotated[Path, typer.Option("--out", help="Folder for results.")] = Path("out"),
) -> int:
    """Check that acklab works here, and list missing optional parts."""
    found = list(findings(out))
    tell(lambda: {"findings": found}, lambda: _show(found))
    return int(any(f.state is State.WRONG for f in found))


def _show(found: Sequence[Finding]) -> None:
    from rich.table import Table
    from rich.text import Text

    from acklab.cli.show import console

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    styles = {State.FINE: "green", State.ABSENT: "yellow", State.WRONG: "bold red"}
    for of in found:
        table.add_row(Text(of.state.value, styles[of.state]), of.what, of.text)
    console().print(table)


def findings(out: Path) -> Iterator[Finding]:
    """Findings about this installation."""
    checks: list[tuple[str, Callable[[], str]]] = [
        ("acklab", _versions),
        ("cores", _cores),
        ("a run", _known_run),
        ("determinism", _same_twice),
        ("results", lambda: _writable(out)),
    ]
    for what, check in checks:
        try:
            yield Finding(State.FINE, what, check())
        except Exception as e:
            yield Finding(State.WRONG, what, str(e))
    yield from _optional()


def _versions() -> str:
    import platform

    import polars

    import acklab
    from acklab import made

    told = made.shown(made.of_this())
    commit = f" ({told})" if told else ""
    others = f"Python {platform.python_version()}, Polars {polars.__version__}"
    return f"{acklab.__version__}{commit}, {others}"


def _cores() -> str:
    import os

    from acklab.made import processor

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores}, {processor()}"


def _scenario() -> dict[str, object]:
    return {
        "duration": "10 s",
        "node": [{"name": "a"}, {"name": "b"}],
        "link": [{"a": "a", "b": "b", "rate": "unlimited", "delay": "20 ms"}],
        "flow": [
            {"from": "a", "to": "b", "cc": {"name": "fixed", "window": 10}, "ack": "per-packet"}
        ],
    }


def _known_run() -> str:
    import time

    import acklab

    began = time.perf_counter()
    goodput = acklab.load(_scenario()).run().flows["goodput_mbps"][0] * 1e6
    took = time.perf_counter() - began
    if not 0.98 * EXPECTED_BPS <= goodput <= EXPECTED_BPS:
        raise RuntimeError(
            f"a window of ten segments per 40 ms gives {goodput:.0f} bit/s, not {EXPECTED_BPS:.0f}"
        )
    return f"10 s of ten segments per RTT in {1000 * took:.0f} ms: {goodput / 1e6:.3f} Mbit/s"


def _same_twice() -> str:
    import acklab

    scenario = acklab.load(_scenario(), overrides={"link.0.loss": 0.01})
    one, two = acklab.run_many([(scenario, 7), (scenario, 7)], jobs=2)
    if not one.flows.equals(two.flows):
        raise RuntimeError("the same scenario and seed gave two results")
    return "the same seed gives the same flows on two threads"


def _writable(out: Path) -> str:
    import os

    folder = out.absolute()
    while not folder.exists():
        folder = folder.parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise RuntimeError(f"cannot write to {folder}: choose another folder with --out")
    return f"{out} can be written"


def _optional() -> Iterator[Finding]:
    import importlib.util
    import shutil
    import sys

    for name, use in PROGRAMS.items():
        # Programs installed with acklab are beside its interpreter, in the search path or not.
        path = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
        state = State.FINE if path else State.ABSENT
        yield Finding(state, name, path or f"not installed; {use}")
    for name, use in PACKAGES.items():
        there = importlib.util.find_spec(name) is not None
        state = State.FINE if there else State.ABSENT
        yield Finding(state, name, use if there else f"not installed; {use}: {INSTALL[name]}")
