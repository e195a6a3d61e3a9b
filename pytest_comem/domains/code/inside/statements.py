"""Operators on statements: guards, exception types, defaults, assignments, order, ends of loops."""

from __future__ import annotations

import ast

from pytest_comem.domains.code.inside.mutation import Found, Function, Mutant, Source, replaced

_RAISED = (
    *("ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "LookupError"),
    *("ArithmeticError", "ZeroDivisionError", "OverflowError", "StopIteration", "Exception"),
)
#: Values that a guard may return.
_RETURNED = (b"None", b"[]", b'""', b"0", b"False", b"True", b"{}", b"()", b"1")


def guards(source: Source, node: ast.AST) -> Found:
    """A value that is nothing, or empty, is not gone on with."""
    if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef | ast.ClassDef):
        return
    function = source.function_of(node)
    parent = source.parents.get(node)
    if function is None or _is_docstring(node):
        return
    if parent is not function and not isinstance(parent, ast.For | ast.While | ast.If):
        return
    indent, at = b" " * node.col_offset, source.line_start(node.lineno)
    if source.raw[at : at + node.col_offset].strip():
        return
    looped = isinstance(parent, ast.For | ast.While)
    ends = _ends(source, function)
    for name in _names_before(function, node):
        for test in (b"not " + name, name + b" is None", name):
            for rank, end in [*ends, *([(2, b"continue"), (2, b"break")] if looped else [])]:
                new = indent + b"if " + test + b":\n" + indent + b"    " + end + b"\n"
                yield Mutant("guard", rank, node.lineno, ((at, at, new),))
        yield from (
            Mutant("guard", 3, node.lineno, ((at, at, indent + name + b" = " + value + b"\n"),))
            for value in (name + b".strip()", name + b".lower()", b"list(" + name + b")")
        )


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _ends(source: Source, function: Function) -> list[tuple[int, bytes]]:
    """Return ways to leave a function: what it returns and raises itself first."""
    own = []
    for each in ast.walk(function):
        if isinstance(each, ast.Return | ast.Raise) and not source.in_string(each):
            text = source.text(each)
            if b"\n" not in text and len(text) < 120:
                own.append((2, text))
    names = [each.arg for each in function.args.args if each.arg not in ("self", "cls")]
    usual = [b"return " + each for each in (*_RETURNED, *(name.encode() for name in names))]
    return list({text: (rank, text) for rank, text in [*((3, u) for u in usual), *own]}.values())


def _names_before(function: Function, node: ast.stmt) -> list[bytes]:
    """Return parameters, and what was assigned before a statement."""
    found = [each.arg for each in (*function.args.args, *function.args.kwonlyargs)]
    for each in ast.walk(function):
        if isinstance(each, ast.Name) and each.lineno < node.lineno:
            found += [each.id] if isinstance(each.ctx, ast.Store) else []
    return [name.encode() for name in dict.fromkeys(found) if name not in ("self", "cls")]


def exceptions(source: Source, node: ast.AST) -> Found:
    """Another exception is raised or caught, or one more is caught."""
    own = sorted(
        {
            each.id
            for each in ast.walk(source.tree)
            if isinstance(each, ast.Name) and each.id.endswith(("Error", "Exception"))
        }
        | {
            alias.asname or alias.name
            for each in ast.walk(source.tree)
            if isinstance(each, ast.ImportFrom)
            for alias in each.names
            if alias.name.endswith(("Error", "Exception"))
        }
    )
    known = list(dict.fromkeys([*own, *_RAISED]))
    if isinstance(node, ast.ExceptHandler) and node.type is not None:
        caught = source.text(node.type)
        for name in known:
            if name.encode() != caught:
                yield replaced(source, node.type, name.encode(), "exception type", 1)
                if not isinstance(node.type, ast.Tuple):
                    both = b"(" + caught + b", " + name.encode() + b")"
                    yield replaced(source, node.type, both, "exception type", 1)
    raised = node.exc if isinstance(node, ast.Raise) else None
    kind = raised.func if isinstance(raised, ast.Call) else raised
    if isinstance(kind, ast.Name):
        for name in known:
            if name != kind.id:
                yield replaced(source, kind, name.encode(), "exception type", 0)


def defaults(source: Source, node: ast.AST) -> Found:
    """A default that is shared by all calls is made anew in each."""
    if not isinstance(node, ast.FunctionDef):
        return
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(node.args.args[::-1], node.args.defaults[::-1], strict=False),
        *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
    ]
    body = [one for one in node.body if not _is_docstring(one)]
    for argument, default in pairs:
        if isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call) and body:
            first = body[0]
            at, indent = source.line_start(first.lineno), b" " * first.col_offset
            name = argument.arg.encode()
            made = indent + b"if " + name + b" is None:\n" + indent + b"    " + name + b" = "
            made += source.text(default) + b"\n"
            edits = ((*source.span(default), b"None"), (at, at, made))
            yield Mutant("mutable default", 0, node.lineno, edits)


def assignments(source: Source, node: ast.AST) -> Found:
    """Another way to assign, or a value that is added to."""
    if isinstance(node, ast.AugAssign):
        start, end = source.span(node.target)[1], source.span(node.value)[0]
        for new in (b" = ", b" += ", b" -= ", b" *= "):
            yield Mutant("assignment", 1, node.lineno, ((start, end, new),))
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
            start, end = source.span(target)[1], source.span(node.value)[0]
            for new in (b" += ", b" -= "):
                yield Mutant("assignment", 2, node.lineno, ((start, end, new),))


def flow(source: Source, node: ast.AST) -> Found:
    """A statement less, another end of a loop's turn, or a loop's else."""
    if isinstance(node, ast.Continue):
        yield replaced(source, node, b"break", "loop", 0)
    if isinstance(node, ast.Break):
        yield replaced(source, node, b"continue", "loop", 0)
    simple = ast.Expr | ast.Assign | ast.AugAssign | ast.Continue | ast.Break | ast.Raise
    if isinstance(node, simple | ast.Return) and not _is_docstring(node):
        yield replaced(source, node, b"pass", "statement left out", 2)
    if isinstance(node, ast.If) and not node.orelse:
        yield replaced(source, node.test, b"True", "condition", 2)
        yield replaced(source, node.test, b"False", "condition", 2)
    if isinstance(node, ast.Return) and node.value is not None:
        for value in _RETURNED:
            yield replaced(source, node.value, value, "returned constant", 3)


STATEMENTS = (guards, exceptions, defaults, assignments, flow)
