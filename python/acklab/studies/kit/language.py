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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

from acklab.studies.kit.fields import Field, Key, combined, constant, joined, mapped, together
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.truth import Truth, every, some
from acklab.studies.kit.vocabulary import Vocabulary, hint
from acklab.studies.kit.words import Bench, Truths, Wrong, compare

_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_SIGNS = dict(zip(_COMPARISONS, ("<", "<=", ">", ">=", "==", "!="), strict=True))
_ARITHMETIC: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
#: Parameters of words that name axes, and those that name keys.
_OF_AXES = ("along", "over")
_OF_KEYS = ("since", "to")


@dataclass(frozen=True)
class Asked:
    """A quantity that an expression asked for."""

    group: str
    quantity: str
    #: The keys that were named, without those of the set-up and of the claim.
    keys: tuple[tuple[str, tuple[Key, ...]], ...]
    field: Field


@dataclass
class Scope:
    """What names mean while an expression is worked out."""

    vocabulary: Vocabulary
    numbers: Numbers
    #: Keys that hold for every quantity which has the axis and does not say otherwise.
    where: Mapping[str, Sequence[Key]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    @property
    def bench(self) -> Bench:
        """How its numbers are judged."""
        return Bench(self.numbers.exact)


def parse(text: str) -> ast.expr:
    """An expression, over one line or several; an error says where it is wrong."""
    try:
        return ast.parse(" ".join(text.split("\n")).strip(), mode="eval").body
    except SyntaxError as e:
        at = f" at character {e.offset}" if e.offset else ""
        raise Wrong(f"this is no expression{at}: {e.msg}") from None


def number(text: str, scope: Scope) -> Field:
    """The numbers that an expression stands for."""
    found = _worked_out(parse(text), scope)
    if not isinstance(found, Field):
        raise Wrong("this is true or false, where a number is needed")
    return found


def truth(text: str, scope: Scope) -> Truth:
    """Whether an expression holds; it has to be true or false as a whole."""
    found = _worked_out(parse(text), scope)
    if not isinstance(found, Truths):
        raise Wrong("this is a number, where something true or false is needed: compare it")
    if found.axes:
        left = ", ".join(found.axes)
        raise Wrong(f"this holds or not for each {left}: say all(..., over={found.axes[0]})")
    return found.cells.get((), Truth.MISSING)


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
            if args:
                _check_word(func, scope.vocabulary)
                raise Wrong("the keys of a quantity are named, as in goodput(cc=cubic, ratio=1)")
            return _selected(func, keywords, scope)
        case ast.BoolOp(op=op, values=values):
            parts = [_truths(v, scope) for v in values]
            return _both(parts, every if isinstance(op, ast.And) else some)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            of = _truths(operand, scope)
            return Truths(of.axes, {k: ~v for k, v in of.cells.items()})
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return mapped(_field(operand, scope), operator.neg)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return combined(_field(left, scope), _field(right, scope), _ARITHMETIC[type(op)])
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _compared([left, *others], ops, scope)
    raise Wrong(f"{ast.unparse(node)!r} is nothing that a claim can say")


def _check_word(func: ast.expr, vocabulary: Vocabulary) -> None:
    """An error that names the word that was meant, if this is neither a word nor a quantity."""
    if isinstance(func, ast.Name) and func.id not in vocabulary.quantities:
        known = [*vocabulary.words, *vocabulary.quantities]
        raise Wrong(f"no quantity or word {func.id!r}{hint(func.id, known)}")


def _field(node: ast.expr, scope: Scope) -> Field:
    found = _worked_out(node, scope)
    if isinstance(found, Field):
        return found
    raise Wrong(f"{ast.unparse(node)!r} is true or false, where a number is needed")


def _truths(node: ast.expr, scope: Scope) -> Truths:
    found = _worked_out(node, scope)
    if isinstance(found, Truths):
        return found
    raise Wrong(f"{ast.unparse(node)!r} is a number, where something true or false is needed")


def _compared(operands: Sequence[ast.expr], ops: Sequence[ast.cmpop], scope: Scope) -> Truths:
    values = [_field(o, scope) for o in operands]
    parts = []
    for a, op, b in zip(values, ops, values[1:], strict=False):
        if type(op) not in _SIGNS:
            raise Wrong("numbers are compared with <, <=, >, >=, == or !=")
        parts.append(_filled(compare(scope.bench, a, b, _SIGNS[type(op)])))
    return parts[0] if len(parts) == 1 else _both(parts, every)


def _filled(of: Truths) -> Truths:
    """Without axes and without numbers it is missing, not empty."""
    return of if of.axes or of.cells else Truths((), {(): Truth.MISSING})


def _both(parts: Sequence[Truths], how: Callable[[Sequence[Truth]], Truth]) -> Truths:
    whole = parts[0]
    for part in parts[1:]:
        axes = joined(whole, part)
        whole = Truths(axes, {k: how((a, b)) for k, a, b in together(whole, part, axes)})
    return whole


def _selected(func: ast.expr, keywords: Sequence[ast.keyword], scope: Scope) -> Field:
    """A quantity at the keys that are named, or that hold anyway."""
    match func:
        case ast.Name(id=quantity):
            group = None
        case ast.Attribute(value=ast.Name(id=group), attr=quantity):
            pass
        case _:
            raise Wrong(f"{ast.unparse(func)!r} is no quantity")
    vocabulary = scope.vocabulary
    if group is None and quantity not in vocabulary.quantities and quantity not in ("inf",):
        known = [*vocabulary.quantities, *vocabulary.words]
        raise Wrong(f"no quantity or word {quantity!r}{hint(quantity, known)}")
    group = vocabulary.group_of(quantity, group)
    named = {k.arg: _keys(k.value) for k in keywords if k.arg is not None}
    vocabulary.checked(group, quantity, {a: keys for a, (keys, _) in named.items()})
    axes = vocabulary.grids[group].axes
    found = scope.numbers.of(group, quantity) or _nothing(vocabulary, group, quantity)
    own = {a: (keys, len(keys) == 1) for a, keys in scope.where.items() if a in axes}
    for axis, (keys, one) in {**own, **named}.items():
        if axis not in found.axes:
            # Somebody else's table may leave out an axis on which it has one place.
            continue
        kept = found.at(axis, keys[0]) if one else found.where(axis, keys)
        found = Field(kept.axes, kept.cells)
    said = tuple((a, tuple(keys)) for a, (keys, _) in named.items())
    asked = Asked(group, quantity, said, found)
    if all((a.group, a.quantity, a.keys) != (group, quantity, said) for a in scope.asked):
        scope.asked.append(asked)
    return found


def _nothing(vocabulary: Vocabulary, group: str, quantity: str) -> Field:
    """A quantity that a witness never measured: its axes without numbers."""
    of = vocabulary.quantities[quantity]
    if of.expression:
        try:
            return number(of.expression, Scope(replace(vocabulary, home=group), Numbers()))
        except RecursionError:
            raise Wrong(f"{quantity!r} is made of itself: {of.expression}") from None
    extra = of.axis
    return Field((*vocabulary.grids[group].axes, *([extra] if extra else [])), {})


def _keys(node: ast.expr) -> tuple[list[Key], bool]:
    """The keys that are named, and whether it is a single one."""
    match node:
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return [_key(e) for e in elts], False
        case _:
            return [_key(node)], True


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
    """A word with its arguments."""
    word = scope.vocabulary.words[name]
    takes = list(signature(word).parameters)[1:]
    given = [_worked_out(a, scope) for a in call.args]
    named = {k.arg: _named(k.arg, k.value, takes, scope) for k in call.keywords if k.arg}
    try:
        signature(word).bind(scope.bench, *given, **named)
    except TypeError as e:
        raise Wrong(f"{name}({', '.join(takes)}): {e}") from None
    for argument, takes_truths in zip(given, _take_truths(word), strict=False):
        if isinstance(argument, Truths) != takes_truths:
            what = "a comparison" if takes_truths else "a number"
            raise Wrong(f"{name} needs {what}: {ast.unparse(call)!r}")
    found: Field | Truths = word(scope.bench, *given, **named)
    return _filled(found) if isinstance(found, Truths) else found


def _take_truths(word: Callable[..., Any]) -> Iterator[bool]:
    """Of each parameter after the first, whether it is something true or false."""
    for p in list(signature(word).parameters.values())[1:]:
        yield str(p.annotation) in ("Truths", "<class 'Truths'>")


def _named(name: str, node: ast.expr, takes: Sequence[str], scope: Scope) -> Any:
    """A named argument of a word: axes, a key, or a plain number."""
    if name in _OF_AXES:
        names, one = _keys(node)
        return names[0] if one else names
    if name in _OF_KEYS or name not in takes:
        return _key(node)
    value = _field(node, scope).cells.get(())
    if not isinstance(value, float):
        raise Wrong(f"{name}= needs a plain number, as in {name}=0.1")
    return value
