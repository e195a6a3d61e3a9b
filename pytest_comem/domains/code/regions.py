"""Functions of a source file and their lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from pytest_comem.domains.parsing import parse_python


@final
@dataclass(frozen=True, slots=True)
class Region:
    """A function; decorators belong to it.

    :param name: dotted within the file, as in ``Class.method``.
    """

    name: str
    start: int
    end: int

    def holds(self, line: int) -> bool:
        """Whether a line lies in it."""
        return self.start <= line <= self.end


def functions(source: str) -> list[Region]:
    """Return the functions of a source, in its order; nothing where it cannot be parsed."""
    tree = parse_python(source)
    if tree is None:
        return []
    return sorted(_within(tree, ""), key=lambda one: (one.start, -one.end))


def _within(node: ast.AST, prefix: str) -> Iterator[Region]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            yield Region(f"{prefix}{child.name}", first, child.end_lineno or child.lineno)
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _within(child, f"{prefix}{child.name}.")
        else:
            yield from _within(child, prefix)


def enclosing(source: str, line: int) -> Region | None:
    """Return the innermost function that a line lies in."""
    found = [one for one in functions(source) if one.holds(line)]
    return min(found, key=lambda one: one.end - one.start) if found else None


def same_function(one: str, other: str) -> bool:
    """Whether two names mean one function; a method may be named without its class."""
    return bool(one and other) and (
        one == other or one.endswith(f".{other}") or other.endswith(f".{one}")
    )
