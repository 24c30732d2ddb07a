"""The expressions in claims and texts.

They are written as Python writes expressions, and nothing else of Python works: quantities, called
with the keys that are meant; the words of `words`; comparisons; `and`, `or`, `not`; arithmetic.

    falling(goodput(cc=cubic), along=ratio, by=0.1)
    all(retransmissions(cc=vegas) < 1.5, over=ratio)
    jain(pair="bbr3-cubic", ratio=[4, 8]) < 0.7
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from inspect import Parameter, signature
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from acklab.studies.kit.fields import Field, Key, Where, combined, constant, joined, mapped
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.truth import Truth, every, some
from acklab.studies.kit.vocabulary import Vocabulary
from acklab.studies.kit.words import Truths, Wrong, compare

O = TypeVar("O", Field, Truths)  # noqa: E741
_SIGNS: Mapping[type, str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_ARITHMETIC: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_OF_MANY: Mapping[type, Callable[[Sequence[Truth]], Truth]] = {ast.And: every, ast.Or: some}
_KINDS = {Field: "a number", Truths: "true or false"}


class Asked(NamedTuple):
    """A quantity that an expression asked for, and the keys that it named."""

    group: str
    quantity: str
    keys: tuple[tuple[str, Where], ...]


@dataclass
class Scope:
    """The meaning of names while an expression is worked out."""

    vocabulary: Vocabulary
    numbers: Numbers
    #: Keys that hold for every quantity which has the axis and does not say otherwise.
    where: Mapping[str, Where] = field(default_factory=dict)
    asked: dict[Asked, Field] = field(default_factory=dict)
    #: Reads the numbers of witnesses, by name, for texts that call on one.
    witnesses: Callable[[], Mapping[str, Numbers]] = dict

    def select(self, asked: Asked) -> Field:
        """A quantity at the keys that are named, or that hold anyway."""
        found = self.numbers.get(asked[:2]) or self._nothing(asked.group, asked.quantity)
        axes = self.vocabulary.grids[asked.group]
        own = {axis: keys for axis, keys in self.where.items() if axis in axes}
        for axis, keys in {**own, **dict(asked.keys)}.items():
            # Somebody else's table may leave out an axis on which it has one place.
            if axis in found.axes:
                if isinstance(keys, list | tuple):
                    found = found.where(axis, keys)
                else:
                    found = found.at(axis, keys)
        return self.asked.setdefault(asked, found)

    def _nothing(self, group: str, quantity: str) -> Field:
        """A quantity that a witness never measured: its axes without numbers."""
        if not (expression := self.vocabulary.quantities[quantity].expression):
            return Field(self.vocabulary.axes_of(group, quantity), {})
        try:
            return number(expression, Scope(replace(self.vocabulary, home=group), {}))
        except RecursionError:
            raise Wrong(f"{quantity!r} is made of itself: {expression}") from None


def number(text: str, scope: Scope) -> Field:
    """The numbers that an expression stands for."""
    return _a(Field, _parsed(text), scope)


def truth(text: str, scope: Scope) -> Truth:
    """Whether an expression holds; it has to be true or false as a whole."""
    found = _a(Truths, _parsed(text), scope)
    if found.axes:
        left = ", ".join(found.axes)
        raise Wrong(f"this holds or not for each {left}: say all(..., over={found.axes[0]})")
    return found.cells.get((), Truth.MISSING)


def _parsed(text: str) -> ast.expr:
    """An expression, over one line or several."""
    try:
        return ast.parse(" ".join(text.split("\n")).strip(), mode="eval").body
    except SyntaxError as e:
        at = f" at character {e.offset}" if e.offset else ""
        raise Wrong(f"this is no expression{at}: {e.msg}") from None


def _a(kind: type[O], node: ast.expr, scope: Scope) -> O:
    """The value of an expression that has to be of that kind."""
    found = _worked_out(node, scope)
    if isinstance(found, kind):
        return found
    other = next(name for of, name in _KINDS.items() if of is not kind)
    compare = ": compare it with something" if kind is Truths else ""
    raise Wrong(f"{ast.unparse(node)!r} is {other}, where {_KINDS[kind]} is needed{compare}")


def _worked_out(node: ast.expr, scope: Scope) -> Field | Truths:
    match node:
        case ast.Constant(value=bool()):
            raise Wrong("True and False are no expressions: compare something")
        case ast.Constant(value=int() | float() as value):
            return constant(float(value))
        case ast.Name() | ast.Attribute():
            return _selected(node, (), scope)
        case ast.Call(func=ast.Name(id=name)) if name in scope.vocabulary.words:
            return _called(name, node, scope)
        case ast.Call(func=func, args=args, keywords=keywords):
            found = _selected(func, keywords, scope)
            if args:
                raise Wrong("the keys of a quantity are named, as in goodput(cc=cubic, ratio=1)")
            return found
        case ast.BoolOp(op=op, values=values):
            return _both([_a(Truths, v, scope) for v in values], _OF_MANY[type(op)])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            of = _a(Truths, operand, scope)
            return Truths(of.axes, {k: ~v for k, v in of.cells.items()})
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return mapped(_a(Field, operand, scope), operator.neg)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            a, b = _a(Field, left, scope), _a(Field, right, scope)
            return combined(a, b, _ARITHMETIC[type(op)])
        case ast.Compare(left=left, ops=ops, comparators=others):
            if any(type(op) not in _SIGNS for op in ops):
                raise Wrong("numbers are compared with <, <=, >, >=, == or !=")
            sides = pairwise([_a(Field, side, scope) for side in (left, *others)])
            pairs = zip(sides, ops, strict=True)
            return _both([_filled(compare(*ab, _SIGNS[type(op)])) for ab, op in pairs], every)
    raise Wrong(f"{ast.unparse(node)!r} is nothing that a claim can say")


def _filled(of: Truths) -> Truths:
    """Without axes and without numbers it is missing, not empty."""
    return of if of.axes or of.cells else Truths((), {(): Truth.MISSING})


def _both(parts: Sequence[Truths], how: Callable[[Sequence[Truth]], Truth]) -> Truths:
    return reduce(lambda a, b: Truths(*joined(a, b, lambda x, y: how((x, y)))), parts)


def _selected(func: ast.expr, keywords: Sequence[ast.keyword], scope: Scope) -> Field:
    """A quantity at the keys that are named, or that hold anyway."""
    match func:
        case ast.Name(id=quantity):
            group = None
        case ast.Attribute(value=ast.Name(id=group), attr=quantity):
            pass
        case _:
            raise Wrong(f"{ast.unparse(func)!r} is no quantity")
    named = {k.arg: _keys(k.value) for k in keywords if k.arg is not None}
    group = scope.vocabulary.meant(quantity, group, named)
    return scope.select(Asked(group, quantity, tuple(named.items())))


def _keys(node: ast.expr) -> Where:
    """A key, or those of a list."""
    match node:
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return tuple(_key(e) for e in elts)
    return _key(node)


def _key(node: ast.expr) -> Key:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    raise Wrong(f"{ast.unparse(node)!r} is no key: write a name, a number or a text in quotes")


def _called(name: str, call: ast.Call, scope: Scope) -> Field | Truths:
    """A word with its arguments: each is worked out as its parameter is annotated."""
    word = scope.vocabulary.words[name]
    takes = signature(word)
    try:
        given = takes.bind(*call.args, **{k.arg: k.value for k in call.keywords if k.arg})
    except TypeError as e:
        raise Wrong(f"{name}({', '.join(takes.parameters)}): {e}") from None
    for parameter, node in given.arguments.items():
        of = takes.parameters[parameter]
        if of.kind is of.VAR_KEYWORD:
            given.arguments[parameter] = {axis: _key(key) for axis, key in node.items()}
        else:
            given.arguments[parameter] = _argument(of, node, scope)
    found: Field | Truths = word(*given.args, **given.kwargs)
    return _filled(found) if isinstance(found, Truths) else found


def _argument(of: Parameter, node: ast.expr, scope: Scope) -> Any:
    match getattr(of.annotation, "__name__", of.annotation):
        case "Truths":
            return _a(Truths, node, scope)
        case "float":
            value = _a(Field, node, scope).cells.get((), {})
            if None not in value:
                raise Wrong(f"{of.name}= needs a plain number, as in {of.name}=0.1")
            return value[None]
        case "Axes" | "str":
            return _keys(node)
        case "Key":
            return _key(node)
    return _a(Field, node, scope)
