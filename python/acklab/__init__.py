"""acklab: a laboratory for what acknowledgements do to transports.

    import acklab

    result = acklab.run("single-flow")
    print(result.flows)

A name is one of the gallery's (`acklab list scenario`); a path or a mapping does as well. `load`
checks a scenario without running it, `sweep` runs it over a grid, `open` reads results again.

Importing this is cheap: Polars and Matplotlib are loaded when they are first needed.
"""

from __future__ import annotations

from acklab.errors import (
    AcklabError,
    ControllerError,
    NotRecordedError,
    OutputError,
    ScenarioError,
)

__all__ = [
    "AcklabError",
    "CongestionController",
    "ControllerError",
    "Flow",
    "Link",
    "NotRecordedError",
    "OutputError",
    "Result",
    "SavedRun",
    "Scenario",
    "ScenarioError",
    "SweepResult",
    "__version__",
    "compare",
    "describe",
    "dumbbell",
    "load",
    "open",
    "run",
    "run_many",
    "saturate",
    "sweep",
]

_LAZY = {
    "CongestionController": "acklab.controller",
    "Flow": "acklab.build",
    "Link": "acklab.build",
    "Result": "acklab.results",
    "SavedRun": "acklab.opening",
    "Scenario": "acklab.scenario",
    "SweepResult": "acklab.sweeps",
    "compare": "acklab.comparing",
    "describe": "acklab.build",
    "dumbbell": "acklab.build",
    "load": "acklab.scenario",
    "open": "acklab.opening",
    "run": "acklab.scenario",
    "run_many": "acklab.scenario",
    "saturate": "acklab.saturation",
    "sweep": "acklab.sweeps",
}

#: Modules that are found without an import of their own: `acklab.metrics.jain(result)`.
_MODULES = ("metrics", "plots")

# The command line hears Ctrl-C only after this module; `typing` would be most of the wait for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    __version__: str
    from acklab.build import Flow, Link, describe, dumbbell
    from acklab.comparing import compare
    from acklab.controller import CongestionController
    from acklab.opening import SavedRun, open
    from acklab.results import Result
    from acklab.saturation import saturate
    from acklab.scenario import Scenario, load, run, run_many
    from acklab.sweeps import SweepResult, sweep


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        from acklab import _core

        return _core.version()
    if name in _MODULES:
        return import_module(f"acklab.{name}")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'acklab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
