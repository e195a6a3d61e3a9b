"""Operators on expressions: comparisons, bounds, connectives, names, constants, slices."""

from __future__ import annotations

import ast
import re

from pytest_comem.domains.code.inside.calls import CALLS
from pytest_comem.domains.code.inside.mutation import (
    Found,
    Function,
    Mutant,
    Source,
    is_read,
    replaced,
)

_COMPARED = {
    ast.Lt: (b"<=", b">", b">="),
    ast.LtE: (b"<", b">=", b">"),
    ast.Gt: (b">=", b"<", b"<="),
    ast.GtE: (b">", b"<=", b"<"),
    ast.Eq: (b"!=", b">=", b"<="),
    ast.NotEq: (b"==", b"<", b">"),
    ast.Is: (b"==", b"is not"),
    ast.IsNot: (b"!=", b"is"),
    ast.In: (b"not in", b"=="),
    ast.NotIn: (b"in", b"!="),
}
_COMPARISON = re.compile(rb"<=|>=|==|!=|<|>|is\s+not|not\s+in|is\b|in\b")
_ARITHMETIC = {
    ast.Add: (b"+", (b"-",)),
    ast.Sub: (b"-", (b"+",)),
    ast.Mult: (b"*", (b"/", b"//", b"+", b"**")),
    ast.Div: (b"/", (b"//", b"*")),
    ast.FloorDiv: (b"//", (b"/", b"%")),
    ast.Mod: (b"%", (b"//",)),
    ast.BitAnd: (b"&", (b"|",)),
    ast.BitOr: (b"|", (b"&", b"-")),
}


def comparisons(source: Source, node: ast.AST) -> Found:
    """Another comparison; the two sides exchanged comes to the same."""
    if not isinstance(node, ast.Compare):
        return
    left = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        start, end = source.span(left)[1], source.span(right)[0]
        token = _COMPARISON.search(source.raw, start, end)
        if token:
            for new in _COMPARED.get(type(op), ()):
                yield Mutant("comparison", 0, node.lineno, ((token.start(), token.end(), new),))
        left = right


def connectives(source: Source, node: ast.AST) -> Found:
    """The other connective, one operand less, or an operand turned round."""
    if not isinstance(node, ast.BoolOp):
        return
    old, new = (b"and", b"or") if isinstance(node.op, ast.And) else (b"or", b"and")
    edits = []
    for one, other in zip(node.values, node.values[1:], strict=False):
        at = source.raw.find(old, source.span(one)[1], source.span(other)[0])
        if at >= 0:
            edits.append((at, at + len(old), new))
    if edits:
        yield Mutant("connective", 0, node.lineno, tuple(edits))
    for place, value in enumerate(node.values):
        rest = [source.text(each) for n, each in enumerate(node.values) if n != place]
        joined = b" " + old + b" "
        yield replaced(source, node, b"(" + joined.join(rest) + b")", "operand left out", 2)
        turned = b"not (" + source.text(value) + b")"
        yield replaced(source, value, turned, "negation", 0)


def negations(source: Source, node: ast.AST) -> Found:
    """A condition turned round."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield replaced(source, node, b"(" + source.text(node.operand) + b")", "negation", 0)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield replaced(source, node, b"(" + source.text(node.operand) + b")", "sign", 1)
    tests = []
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        tests = [node.test]
    elif isinstance(node, ast.Return) and node.value is not None:
        tests = [node.value] if isinstance(node.value, ast.Compare | ast.Call) else []
    for test in tests:
        yield replaced(source, test, b"not (" + source.text(test) + b")", "negation", 1)


def arithmetic(source: Source, node: ast.AST) -> Found:
    """Another operation, its operands exchanged, or one of them alone."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in _ARITHMETIC:
        return
    old, news = _ARITHMETIC[type(node.op)]
    at = source.raw.find(old, source.span(node.left)[1], source.span(node.right)[0])
    if at >= 0:
        for new in news:
            yield Mutant("arithmetic", 1, node.lineno, ((at, at + len(old), new),))
    left, right = source.text(node.left), source.text(node.right)
    yield replaced(source, node, b"(" + left + b")", "operand left out", 1)
    yield replaced(source, node, b"(" + right + b")", "operand left out", 2)
    swapped = b"(" + right + b") " + old + b" (" + left + b")"
    yield replaced(source, node, swapped, "operands swapped", 2)


def bounds(source: Source, node: ast.AST) -> Found:
    """One more, or one less."""
    if not is_read(node) or isinstance(node, ast.Starred | ast.Slice):
        return
    if isinstance(node, ast.Constant):
        if type(node.value) is int:
            for value in (node.value + 1, node.value - 1):
                new = str(value).encode() if value >= 0 else b"(" + str(value).encode() + b")"
                yield replaced(source, node, new, "boundary", 0)
        return
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.BinOp | ast.Subscript):
        return
    parent = source.parents.get(node)
    if isinstance(parent, ast.Attribute) or (isinstance(parent, ast.Call) and parent.func is node):
        return
    for change in (b" + 1)", b" - 1)"):
        yield replaced(source, node, b"(" + source.text(node) + change, "boundary", 1)


def names(source: Source, node: ast.AST) -> Found:
    """Another name of those in scope, or another attribute of the same object."""
    function = source.function_of(node)
    if isinstance(node, ast.Name) and is_read(node) and function is not None:
        parent = source.parents.get(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            return
        for name in _local_names(function):
            if name != node.id:
                yield replaced(source, node, name.encode(), "other name", 1)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and is_read(node):
        around = source.class_of(node) or source.tree
        known = {
            each.attr
            for each in ast.walk(around)
            if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
        }
        for attr in sorted(known - {node.attr}):
            new = source.text(node.value) + b"." + attr.encode()
            yield replaced(source, node, new, "other attribute", 2)


def _local_names(function: Function) -> list[str]:
    arguments = function.args
    found = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    for each in ast.walk(function):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            found.append(each.id)
    return list(dict.fromkeys(found))


def constants(source: Source, node: ast.AST) -> Found:
    """A constant of the same kind that stands elsewhere in the file, or a usual one."""
    if not isinstance(node, ast.Constant) or isinstance(source.parents.get(node), ast.Expr):
        return
    value = node.value
    if isinstance(value, bool):
        yield replaced(source, node, str(not value).encode(), "constant", 0)
        return
    if value is None:
        for new in (b"0", b'""', b"[]", b"{}", b"()", b"False"):
            yield replaced(source, node, new, "constant", 3)
        return
    if not isinstance(value, int | float | str):
        return
    usual = (0, 1, -1, 2, 7, 10, 12, 24, 60, 100, 1000, 3600) if not isinstance(value, str) else ()
    others = [
        each.value
        for each in ast.walk(source.tree)
        if isinstance(each, ast.Constant) and type(each.value) is type(value)
        if not isinstance(source.parents.get(each), ast.Expr) and not source.in_string(each)
    ]
    if isinstance(value, str):
        if len(value) > 20:
            return
        others = [each for each in others if isinstance(each, str) and len(each) <= 20]
        others += ["", " ", value + " ", " " + value, value.strip(), value.lower(), value.upper()]
    for other in dict.fromkeys([*usual, *others]):
        if other != value:
            new = repr(other).encode()
            new = b"(" + new + b")" if new.startswith(b"-") else new
            yield replaced(source, node, new, "constant", 2 if isinstance(value, str) else 1)


def slices(source: Source, node: ast.AST) -> Found:
    """A slice without a bound, or with one."""
    if not isinstance(node, ast.Subscript):
        return
    bounds_ = node.slice
    if isinstance(bounds_, ast.Slice):
        for bound in (bounds_.lower, bounds_.upper, bounds_.step):
            if bound is not None:
                yield replaced(source, bound, b"", "slice bound left out", 0)
        inner = source.span(bounds_)
        lower = source.text(bounds_.lower) if bounds_.lower else b""
        upper = source.text(bounds_.upper) if bounds_.upper else b""
        pairs = [(upper, lower), (lower or b"1", upper), (lower, upper or b"-1")]
        if bounds_.step is None:
            for one, other in pairs:
                new = one + b":" + other
                yield Mutant("slice bounds", 1, node.lineno, ((*inner, new),))
    elif isinstance(bounds_, ast.Constant) and type(bounds_.value) is int:
        for new in (b"0", b"1", b"-1"):
            yield replaced(source, bounds_, new, "index", 0)


def choices(source: Source, node: ast.AST) -> Found:
    """The two branches of a conditional expression exchanged, or one of them alone."""
    if isinstance(node, ast.IfExp):
        one, other = source.text(node.body), source.text(node.orelse)
        edits = ((*source.span(node.body), other), (*source.span(node.orelse), one))
        yield Mutant("branches swapped", 1, node.lineno, edits)
        for branch in (one, other):
            yield replaced(source, node, b"(" + branch + b")", "branch alone", 2)
    if isinstance(node, ast.keyword) and node.arg:
        value = node.value
        new = b"not (" + source.text(value) + b")"
        yield replaced(source, value, new, "negation", 2)


EXPRESSIONS = (
    comparisons,
    connectives,
    negations,
    arithmetic,
    bounds,
    names,
    *CALLS,
    constants,
    slices,
    choices,
)
