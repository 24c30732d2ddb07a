"""Scenarios: loading and running them."""

from __future__ import annotations

import operator
import os
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from acklab import _core, arguments
from acklab.arrays import ready
from acklab.controller import CongestionController
from acklab.errors import AcklabError, ControllerError, OverrideError, ScenarioError, UsageError
from acklab.results import Result
from acklab.source import Source, literal, read

#: Hears the seconds that have been simulated, and how many there are in all.
OnTime = Callable[[float, float], object]

Controllers = Mapping[str, type[CongestionController]]

#: The core counts seeds in 64 bits.
SEEDS = 1 << 64


class Scenario:
    """A scenario that can be run: read, checked, every default filled in."""

    def __init__(self, core: _core.Scenario, controllers: Controllers | None = None) -> None:
        self._core = core
        self._controllers = dict(controllers or {})

    @property
    def name(self) -> str:
        """Its name."""
        return self._core.name

    @property
    def seed(self) -> int:
        """The seed that it asks for."""
        return self._core.seed

    @property
    def resolved(self) -> str:
        """The whole scenario as TOML, defaults filled in; loading it gives the same run."""
        return self._core.resolved

    @property
    def warnings(self) -> list[str]:
        """Settings that run and will hardly do what was meant; `acklab run` prints them."""
        return self._core.warnings

    @property
    def files(self) -> dict[str, str]:
        """Name and text of the traces that belong beside the resolved scenario."""
        return dict(self._core.files)

    @property
    def recorded(self) -> tuple[str, ...]:
        """The streams that its runs record beside their summaries."""
        return tuple(self._core.recorded)

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of its radio channels."""
        return tuple(self._core.channels)

    def run(self, seed: int | None = None, *, on_time: OnTime | None = None) -> Result:
        """Runs it. Ctrl-C interrupts within a moment. `on_time` is that of `run_many`."""
        return run_many([(self, self.seed if seed is None else seed)], jobs=1, on_time=on_time)[0]

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}>"

    def _repr_html_(self) -> str:
        from acklab.shown import scenario

        return scenario(self)

    def __copy__(self) -> Scenario:
        return Scenario(self._core, self._controllers)

    def __deepcopy__(self, _: object) -> Scenario:
        # It never changes.
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.resolved, self.files, self._controllers)


def _again(resolved: str, files: Mapping[str, str], controllers: Controllers) -> Scenario:
    """A scenario from what a pickle has of it; its traces are read from a folder that goes away."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory(prefix="acklab-") as name:
        folder = Path(name)
        for file, text in {**files, "scenario.toml": resolved}.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
        return load(folder / "scenario.toml", controllers=controllers, replace=True)


def load(
    source: str | os.PathLike[str] | Mapping[str, Any] | Source,
    *,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    controllers: Controllers | None = None,
    replace: bool = False,
) -> Scenario:
    """Reads and checks a scenario: a path to a TOML or JSON file, a gallery name, or a mapping.

    `overrides` are `"key=value"` texts or a mapping from dotted keys to values. `controllers`
    are congestion controllers written in Python, by the name that the scenario uses for them; with
    `replace` one of them may have the name of a built-in one, whose place it then takes. Traces
    that it names are in the folder of the file, or in the current one.
    """
    overrides = arguments.overrides("load()", overrides)
    if controllers is not None:
        arguments.mapping("load()", "controllers", controllers, '{"mine": MyController}')
    classes = {name: _checked(name, cls) for name, cls in (controllers or {}).items()}
    if not replace:
        _must_be_new(classes)
    return Scenario(read(source).load(pairs(overrides), classes), classes)


def run(
    source: str | os.PathLike[str] | Mapping[str, Any] | Scenario,
    seed: int | None = None,
    *,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    on_time: OnTime | None = None,
) -> Result:
    """Runs a scenario once: a name of the gallery, a path, a mapping, or one that is loaded.

    Without `seed` it takes the scenario's own. `overrides` are those of `load`, `on_time` is that
    of `run_many`.
    """
    overrides = arguments.overrides("run()", overrides)
    if isinstance(source, Scenario):
        if overrides:
            raise AcklabError(
                "run(): overrides are for a scenario that is not loaded yet\n"
                "  help: give them to load(), or give run() the path"
            )
        return source.run(seed, on_time=on_time)
    return load(source, overrides=overrides).run(seed, on_time=on_time)


def run_many(
    runs: Iterable[Scenario | tuple[Scenario, int]],
    *,
    jobs: int | None = None,
    on_done: Callable[[int], object] | None = None,
    on_time: OnTime | None = None,
) -> list[Result]:
    """Runs scenarios, or pairs of scenario and seed, on `jobs` threads; results in their order.

    The results do not depend on `jobs`. `on_done` hears the index of each run as it ends.
    `on_time` hears about 20 times a second how many seconds all runs together have simulated so
    far, and how many they will.
    """
    jobs = arguments.jobs("run_many()", jobs)
    if not isinstance(runs, Iterable) or isinstance(runs, str | Mapping):
        raise arguments.wrong("run_many()", "runs", runs, _RUNS)
    pairs = [_run(i, r) for i, r in enumerate(runs)]
    threads = jobs or os.cpu_count() or 1
    ready()
    try:
        done = _core.run_many([(s._core, seed) for s, seed in pairs], threads, on_done, on_time)
    except _core.ControllerRaised as e:
        raise ControllerError(blame(e.__cause__)) from e.__cause__
    return [Result(s, seed, run) for (s, seed), run in zip(pairs, done, strict=True)]


_RUNS = (
    "give a list of scenarios, or of pairs of scenario and seed, such as "
    '[(acklab.load("first.toml"), seed) for seed in range(1, 6)]'
)


def _run(place: int, given: Any) -> tuple[Scenario, int]:
    """The scenario and the seed of one run."""
    pair = given if isinstance(given, tuple) else (given, None)
    if len(pair) == 2 and isinstance(pair[0], Scenario):
        scenario, seed = pair
        return scenario, scenario.seed if seed is None else checked_seed(seed)
    loads = isinstance(pair[0], str | os.PathLike)
    right = f"load it first: acklab.load({str(pair[0])!r})" if loads else _RUNS
    raise arguments.wrong("run_many()", f"runs[{place}]", given, right)


def checked_seed(seed: object) -> int:
    """`seed` if it is one."""
    try:
        number = operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(
            f"the seed {reprlib.repr(seed)} is not a whole number\n"
            "  help: give a whole number in 0..2^64-1"
        ) from None
    if 0 <= number < SEEDS:
        return number
    raise UsageError(
        f"the seed {reprlib.repr(seed)} is out of range\n"
        f"  help: give a whole number in 0..2^64-1 ({SEEDS - 1} at most)"
    )


def pairs(overrides: Sequence[str] | Mapping[str, Any]) -> list[tuple[str, str]]:
    """Overrides as pairs of key and value, both texts."""
    if isinstance(overrides, Mapping):
        return [(key, _literal(key, v)) for key, v in overrides.items()]
    return [_pair(text) for text in overrides]


def _literal(key: str, value: object) -> str:
    try:
        return literal(value)
    except TypeError:
        raise ScenarioError(
            f"a value of the type {type(value).__name__} is not allowed in a scenario\n"
            f"  in --set: {key}\n"
            "  help: give texts, numbers, booleans, lists and mappings only"
        ) from None


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise OverrideError(f"cannot set {text!r}\n  help: write KEY=VALUE, such as flow.0.cc=bbr3")
    return key.strip(), value.strip()


def _checked(name: str, cls: object) -> type[CongestionController]:
    if isinstance(cls, type) and issubclass(cls, CongestionController):
        return cls
    raise AcklabError(
        f"the controller {name!r} is {cls!r}\n"
        "  help: give a class derived from acklab.CongestionController"
    )


def _must_be_new(names: Iterable[str]) -> None:
    """A scenario that says `cubic` must not mean something else unawares."""
    builtin = {n for e in _core.catalogue("cc") for n in (e["name"], *e["aliases"])}
    taken = sorted(builtin.intersection(names))
    if taken:
        raise AcklabError(
            f"{', '.join(map(repr, taken))}: a built-in controller has that name\n"
            "  help: choose another name, or say replace=True to put yours in its place"
        )


def blame(cause: BaseException | None) -> str:
    """The exception of a controller, and the innermost line of its own code."""
    import traceback

    if cause is None:
        return "the controller failed"
    frames = traceback.extract_tb(cause.__traceback__)
    where = ""
    if frames:
        last = frames[-1]
        where = f"\n  {last.filename}:{last.lineno}, in {last.name}\n    {last.line}"
    return f"the congestion controller raised {type(cause).__name__}: {cause}{where}"
