"""Domains of symbols, and errors for values outside.

A module has one table of its symbols (`Symbols`): unit, allowed values, an example. The table is
the decorator of the module's equations, and checks arguments by their names at the door: a solver
that calls an equation a million times takes it without the door (`unchecked`), after its own
arguments were checked. The door looks at shapes too (`Shapes`): arrays that do not go together.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from inspect import isclass, signature
from itertools import chain
from math import inf
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from acklab.errors import AcklabError

F = TypeVar("F", bound=Callable[..., Any])
#: Unit of a result: of a number, of each of a tuple, or of each attribute.
Units = str | tuple[str, ...] | dict[str, str]


class DomainError(AcklabError):
    """A parameter outside the domain of its equation; the text says what would be right."""


class NoCaseError(AcklabError):
    """A scenario that the model does not cover; the text says what it covers."""


class NoSolutionError(AcklabError):
    """A fixed point that does not exist, or a solver that left the physical region."""


def need(ok: Any, equation: str, symbol: str, value: Any, right: str) -> None:
    """Refuses `value` for `symbol` unless `ok`, which may be an array."""
    every = ok if isinstance(ok, bool) else bool(getattr(ok, "all", lambda: ok)())
    if not every:
        raise DomainError(f"{equation}: {symbol} = {value} is outside its domain\n  help: {right}")


@dataclass(frozen=True)
class Symbol:
    """A symbol: its unit, the values that it may have, and one of them.

    A value may be an array or a sequence: each element is one. NaN is never in a domain.
    """

    unit: str
    example: Any
    low: float = -inf
    high: float = inf
    #: Whether the ends themselves are outside.
    above: bool = False
    below: bool = False
    #: Whether it may be infinite: a bound or a limit that does not exist.
    infinite: bool = False
    whole: bool = False
    optional: bool = False
    #: As the source writes it; by default the name of the parameter.
    name: str = ""
    #: Its own equation, where the parameters of a class are those of several.
    equation: str = ""
    #: Whether it is an array with one element for each flow, and never a number.
    flows: bool = False
    #: Whether an array may have no element.
    empty: bool = False
    #: Whether its length is its own, and not that of the other arrays of its equation.
    own: bool = False

    def has(self, value: Any) -> bool:
        """Whether all of `value` is in the domain.

        A quantity with a unit counts by its magnitude: of such symbols the ends are 0 or infinite.
        """
        if value is None:
            return self.optional
        if type(value) is float or type(value) is int:
            return self._has(value)
        try:
            if isinstance(value, (list, tuple)):
                if self._flat and any(isinstance(v, (list, tuple)) for v in value):
                    return False
                value = [self._plain(v) for v in value]
            plain = np.asarray(self._plain(value))
            # Text that looks like a number is text, and a complex number has no order.
            if plain.dtype.kind in "USc":
                return False
            each = plain.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            return False
        if each.size == 1:
            return self._has(float(each.reshape(())[()] if each.ndim == 0 else each.ravel()[0]))
        inside = (each > self.low) if self.above else (each >= self.low)
        inside &= (each < self.high) if self.below else (each <= self.high)
        if not self.infinite:
            inside &= np.isfinite(each)
        if self.whole:
            inside &= np.floor(each) == each
        return bool(inside.all())

    @property
    def _flat(self) -> bool:
        """Whether it is a sequence of numbers, and not one of sequences."""
        of = self.example
        return isinstance(of, (list, tuple)) and not (of and isinstance(of[0], (list, tuple)))

    def _plain(self, value: Any) -> Any:
        if not hasattr(value, "magnitude"):
            return value
        return value.magnitude if self.unit else value.m_as("dimensionless")

    def _has(self, value: float) -> bool:
        # Comparisons with NaN are false.
        if not (self.low < value if self.above else self.low <= value):
            return False
        if not (value < self.high if self.below else value <= self.high):
            return False
        if value == inf or value == -inf:
            return self.infinite
        return not self.whole or value == int(value)

    @property
    def text(self) -> str:
        """The domain in words."""
        if self.low > -inf and self.high < inf:
            ends = [f"above {self.low:g}" if self.above else f"from {self.low:g}"]
            ends.append(f"below {self.high:g}" if self.below else f"to {self.high:g}")
            text = " ".join(ends)
        elif self.low > -inf:
            text = f"above {self.low:g}" if self.above else f"{self.low:g} or more"
        else:
            text = "any number"
        if self.whole:
            text += ", a whole number"
        return text if self.infinite or self.high < inf else f"{text}, and finite"

    def like(self, example: Any, **more: Any) -> Symbol:
        """The same with another example, and whatever else differs."""
        return replace(self, example=example, **more)


def above_zero(unit: str, example: Any, **more: Any) -> Symbol:
    """Above 0, and finite."""
    return Symbol(unit, example, low=0.0, above=True, **more)


def from_zero(unit: str, example: Any, **more: Any) -> Symbol:
    """0 or more, and finite."""
    return Symbol(unit, example, low=0.0, **more)


def probability(example: Any, **more: Any) -> Symbol:
    """A probability, or a part of something: from 0 to 1."""
    return Symbol("", example, low=0.0, high=1.0, **more)


def count(example: Any, least: int = 1, **more: Any) -> Symbol:
    """A whole number."""
    return Symbol("", example, low=least, whole=True, **more)


def real(unit: str, example: Any, **more: Any) -> Symbol:
    """Any finite number: a difference."""
    return Symbol(unit, example, **more)


class Symbols:
    """The symbols of a module, by the names of parameters: the decorator of its equations.

    `@equation("Eq 15", "s")` checks each parameter that the table has, and says that the result is
    in seconds; a symbol that means something else in one equation is given there. On a class it
    checks the arguments of `__init__`.
    """

    def __init__(self, **of: Symbol) -> None:
        self._of = of

    def __call__(
        self,
        equation: str,
        result: Units | None = None,
        *,
        gaps: bool = False,
        **other: Symbol | None,
    ) -> Callable[[F], F]:
        """For one equation; `result` is the unit of what it returns, and `None` for a parameter
        that has the name of a symbol but is none. Where `gaps`, NaN in the result says that there
        is none; elsewhere it is refused."""

        def decorate(of: F) -> F:
            door: Any = cast(Any, of).__init__ if isclass(of) else of
            names = list(signature(door).parameters)
            table = {**self._of, **other}
            symbols = {n: s for n in names if (s := table.get(n)) is not None}
            unknown = other.keys() - set(names)
            if unknown:
                raise TypeError(f"{of.__qualname__} has no parameter {', '.join(sorted(unknown))}")

            shape = Shapes(equation, door, symbols)

            @wraps(door)
            def checked(*args: Any, **kwargs: Any) -> Any:
                plain = True
                for name, value in chain(zip(names, args, strict=False), kwargs.items()):
                    symbol = symbols.get(name)
                    if symbol is None or (type(value) is not float and type(value) is not int):
                        plain = False
                    if symbol is not None and not symbol.has(value):
                        _refuse(equation, name, symbol, value)
                if not plain or shape.arrays:
                    args, kwargs = shape.fit(names, args, kwargs)
                try:
                    found = door(*args, **kwargs)
                except (OverflowError, ZeroDivisionError) as e:
                    raise _no_number(equation, names, args, kwargs) from e
                if not gaps and _has_nan(found):
                    raise _no_number(equation, names, args, kwargs)
                return found

            if isclass(of):
                type.__setattr__(of, "__init__", checked)
                checked = cast(Any, of)
            checked.__equation__ = equation  # type: ignore[attr-defined]
            checked.__symbols__ = symbols  # type: ignore[attr-defined]
            checked.__result__ = result  # type: ignore[attr-defined]
            return cast(F, checked)

        return decorate


def _has_nan(found: Any) -> bool:
    if isinstance(found, float):
        return found != found
    if isinstance(found, np.ndarray) and found.dtype.kind in "fc":
        return bool(np.isnan(found).any())
    return False


def _no_number(
    equation: str, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> NoSolutionError:
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    given.pop("self", None)
    values = ", ".join(f"{n} = {_short(v)}" for n, v in given.items())
    return NoSolutionError(
        f"{equation}: the result is no number with {values}\n"
        "  help: values nearer to each other in size; one of them is too large or too small"
    )


def unchecked(of: F) -> F:
    """An equation without its door, for a loop whose arguments were checked before."""
    return cast(F, cast(Any, of).__wrapped__)


class Shapes:
    """What the parameters of one equation may be, by its annotations and symbols.

    `float` and `int` are one number. `Any` is a number or an array, and arrays go together as NumPy
    broadcasts them. `Sequence` and `Floats` have the dimensions of the example, and equal lengths.
    Whatever is no symbol has the type that is written.
    """

    def __init__(self, equation: str, door: Any, symbols: Mapping[str, Symbol]) -> None:
        self._equation, self._door, self._symbols = equation, door, symbols
        self._kinds = {
            name: _kind(str(p.annotation)) for name, p in signature(door).parameters.items()
        }
        #: Whether a number is not enough for one of the symbols, or has to be NumPy's.
        self.arrays = any(
            self._kinds[n] != "number" and isinstance(s.example, (list, tuple, np.ndarray))
            for n, s in symbols.items()
        ) or any(self._kinds[n] == "number" and s.whole for n, s in symbols.items())
        self._types: Mapping[str, Any] | None = None

    def fit(
        self, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments in the form that the equation takes, or an error about the first that has
        none."""
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        shapes = {}
        for name, value in given.items():
            symbol = self._symbols.get(name)
            if symbol is None:
                self._must_be(name, value)
            elif value is not None:
                shapes[name] = _shape(value)
                self._must_fit(name, symbol, shapes[name])
        self._must_go_together(shapes)
        return (
            tuple(self._plain(n, v) for n, v in zip(names, args, strict=False))
            + args[len(names) :],
            {n: self._plain(n, v) for n, v in kwargs.items()},
        )

    def _must_be(self, name: str, value: Any) -> None:
        if self._types is None:
            try:
                self._types = get_type_hints(self._door)
            except NameError:
                self._types = {}
        if name != "self" and not _is(value, self._types.get(name, Any)):
            right = f"it is of the type {self._door.__annotations__[name]}"
            need(False, self._equation, name, _short(value), right)

    def _must_fit(self, name: str, symbol: Symbol, shape: tuple[int, ...]) -> None:
        kind, example = self._kinds[name], symbol.example
        if kind == "number":
            ok, right = shape == (), "one number"
        elif kind == "any" and not symbol.flows:
            ok, right = 0 not in shape or symbol.empty, "a number, or an array that is not empty"
        else:
            dims: tuple[int, ...] = (np.ndim(example) or 1,)
            # Pairs have errors of their own.
            dims = (1, 2) if isinstance(example, (list, tuple)) and dims == (2,) else dims
            ok = len(shape) in dims and (0 not in shape or symbol.empty)
            right = f"{dims[-1]} dimension{'s' if dims[-1] > 1 else ''}, and not empty"
        if not ok:
            self._refuse({name: shape}, f"{right}, for example {_short(example)}")

    def _must_go_together(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        mine = {n: s for n, s in shapes.items() if s and not self._symbols[n].own}
        whole = {n: s for n, s in mine.items() if self._kinds[n] in ("array", "list")}
        flows = {n: s for n, s in mine.items() if self._symbols[n].flows}
        for equal in (whole, flows):
            if len(set(equal.values())) > 1:
                self._refuse(equal, "arrays of one length, an element for each")
        free = {n: s for n, s in mine.items() if self._kinds[n] == "any"}
        try:
            np.broadcast_shapes(*free.values())
        except ValueError:
            self._refuse(free, "arrays of one length, or numbers")

    def _plain(self, name: str, value: Any) -> Any:
        """NumPy's arrays where an equation counts with them, lists where it goes through them, and
        whole numbers as such."""
        symbol, kind = self._symbols.get(name), self._kinds.get(name)
        if symbol is None or value is None or hasattr(value, "magnitude"):
            return value
        if kind == "number":
            if isinstance(value, np.ndarray):
                value = value.item()
            return int(value) if symbol.whole and isinstance(value, float) else value
        if kind == "list":
            return value.tolist() if isinstance(value, np.ndarray) else value
        if isinstance(value, (list, tuple)):
            return value if any(hasattr(v, "magnitude") for v in value) else np.array(value)
        if isinstance(symbol.example, np.ndarray) and type(value) in (float, int):
            return np.float64(value)
        return value

    def _refuse(self, shapes: Mapping[str, tuple[int, ...]], right: str) -> None:
        said = ", ".join(
            f"{self._symbols[n].name or n} has the shape {s}"
            if s
            else f"{self._symbols[n].name or n} is one number"
            for n, s in shapes.items()
        )
        equation = next((e for n in shapes if (e := self._symbols[n].equation)), self._equation)
        raise DomainError(f"{equation}: {said}\n  help: {right}")


def _kind(annotation: str) -> str:
    """What an annotation takes: "number", "any", "list" or "array"."""
    if "Sequence" in annotation or "list" in annotation or "tuple" in annotation:
        return "list"
    if "Floats" in annotation or "NDArray" in annotation:
        return "array"
    return "any" if "Any" in annotation else "number"


def _shape(value: Any) -> tuple[int, ...]:
    if isinstance(value, (list, tuple)):
        value = [getattr(v, "magnitude", v) for v in value]
    try:
        return tuple(np.shape(getattr(value, "magnitude", value)))
    except ValueError:
        # Elements of different lengths.
        return (len(value),)


def _is_numeric(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:
        # Rows of different lengths.
        return False


def _is(value: Any, hint: Any) -> bool:
    """Whether a value is of a type as it is written, as far as one can see."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is None or hint is type(None):
        return value is None
    if origin in (Union, UnionType):
        return any(_is(value, p) for p in parts)
    if origin is Literal:
        return isinstance(value, str)
    if origin is abc.Callable:
        return callable(value)
    if origin is tuple:
        return isinstance(value, tuple) and (Ellipsis in parts or len(value) == len(parts))
    if origin in (abc.Sequence, list):
        several = isinstance(value, (list, tuple, range)) or (
            isinstance(value, np.ndarray) and value.ndim == 1
        )
        return several and all(_is(v, parts[0]) for v in value)
    if origin is np.ndarray:
        return _is_numeric(value)
    if hint is Any:
        return not isinstance(value, (list, tuple)) or _is_numeric(value)
    if hint is float or hint is int:
        return isinstance(value, (int, float, np.number)) and value == value
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if getattr(hint, "_is_protocol", False):
        wanted = [n for n in {**vars(hint), **hint.__annotations__} if not n.startswith("_")]
        return all(hasattr(value, n) for n in wanted)
    return not isclass(hint) or isinstance(value, hint)


def _refuse(equation: str, name: str, symbol: Symbol, value: Any) -> None:
    unit = f" {symbol.unit}" if symbol.unit else ""
    need(
        False,
        symbol.equation or equation,
        symbol.name or name,
        _first_outside(symbol, value),
        f"{symbol.text}, for example {_short(symbol.example)}{unit}",
    )


def _first_outside(symbol: Symbol, value: Any) -> str:
    """Of several elements the first that is outside, and where it is."""
    if isinstance(value, (list, tuple, np.ndarray)):
        for i, each in enumerate(np.asarray(value, object).ravel()):
            if not symbol.has(each):
                return f"{_short(each)} (element {i})"
    return _short(value)


def _short(value: Any) -> str:
    return " ".join(str(value).split())[:100]
