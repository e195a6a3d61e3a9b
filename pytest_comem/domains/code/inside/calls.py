"""Operators on calls: another one, one that is missing or too many, its arguments exchanged."""

from __future__ import annotations

import ast

from pytest_comem.domains.code.inside.mutation import Found, Mutant, Source, is_read, replaced

#: Methods and functions that are taken for each other.
_ALIKE = (
    ("strip", "lstrip", "rstrip"),
    ("lower", "casefold", "upper"),
    ("startswith", "endswith"),
    ("find", "rfind"),
    ("index", "rindex"),
    ("split", "rsplit"),
    ("partition", "rpartition"),
    ("removeprefix", "removesuffix", "lstrip", "rstrip"),
    ("append", "extend", "insert"),
    ("pop", "popleft"),
    ("keys", "values", "items"),
    ("min", "max"),
    ("any", "all"),
    ("ceil", "floor", "trunc", "round", "int"),
    ("ljust", "rjust", "center"),
    ("isdigit", "isdecimal", "isnumeric", "isalnum", "isalpha"),
    ("union", "intersection", "difference"),
    ("add", "discard", "remove"),
    ("match", "fullmatch", "search"),
    ("list", "tuple", "sorted", "reversed", "set"),
)
_CALLED = (b".strip()", b".lower()", b".casefold()", b".upper()", b".rstrip()", b".lstrip()")
_WRAPPED = (b"sorted", b"abs", b"list", b"len", b"str", b"int", b"reversed", b"set", b"bool")


def calls(source: Source, node: ast.AST) -> Found:
    """A sibling of the called method, arguments exchanged, a call left out, a keyword changed."""
    if not isinstance(node, ast.Call):
        return
    func = node.func
    called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    end = source.span(func)[1]
    for group in _ALIKE:
        if called in group:
            for other in group:
                if other != called:
                    edit = (end - len(called.encode()), end, other.encode())
                    yield Mutant("other call", 0, node.lineno, (edit,))
    for first, second in zip(node.args, node.args[1:], strict=False):
        edits = (
            (*source.span(first), source.text(second)),
            (*source.span(second), source.text(first)),
        )
        yield Mutant("arguments swapped", 0, node.lineno, edits)
    if isinstance(func, ast.Attribute):
        yield replaced(source, node, source.text(func.value), "call left out", 1)
    if len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred):
        yield replaced(source, node, b"(" + source.text(node.args[0]) + b")", "call left out", 1)
    if isinstance(func, ast.Attribute) and called == "get" and len(node.args) == 1:
        close = source.span(node)[1] - 1
        for default in (b", 0", b', ""', b", []", b", {}", b", ()"):
            yield Mutant("default", 2, node.lineno, ((close, close, default),))
    if isinstance(func, ast.Attribute) and called in ("split", "rsplit") and len(node.args) == 1:
        close = source.span(node)[1] - 1
        yield Mutant("split once", 1, node.lineno, ((close, close, b", 1"),))
    if called in ("sorted", "sort"):
        close = source.span(node)[1] - 1
        if not any(each.arg == "reverse" for each in node.keywords):
            new = b", reverse=True" if node.args or node.keywords else b"reverse=True"
            yield Mutant("order", 2, node.lineno, ((close, close, new),))


def missing_calls(source: Source, node: ast.AST) -> Found:
    """A text that was not stripped or folded, a value that was not wrapped or copied."""
    plain = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.JoinedStr
    if not is_read(node) or not isinstance(node, plain | ast.BinOp | ast.IfExp):
        return
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    whole = source.text(node) if isinstance(node, plain) else b"(" + source.text(node) + b")"
    for call in _CALLED:
        yield replaced(source, node, whole + call, "missing call", 1)
    for name in (b".copy()", b".sort()"):
        yield replaced(source, node, whole + name, "missing call", 3)
    if not isinstance(parent, ast.Attribute):
        for name in _WRAPPED:
            yield replaced(source, node, name + b"(" + whole + b")", "missing call", 2)


CALLS = (calls, missing_calls)
