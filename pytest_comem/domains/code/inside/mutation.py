"""Small changes of a Python source: the kinds of faults that programmers make, turned round.

A mutant is the source with a few bytes exchanged where a node of its syntax tree stands; everything
else keeps its form. No operator knows anything of a particular repository.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

#: Mutants of one region, at most.
MOST = 6000


@dataclass(frozen=True)
class Mutant:
    """A change: *new* in place of the bytes from *start* to *end*, by pairs where there are two.

    :param rank: how likely a fault of the kind is; small is likely.
    """

    operator: str
    rank: int
    line: int
    edits: tuple[tuple[int, int, bytes], ...]

    def applied(self, source: bytes) -> bytes:
        """Return the changed source."""
        for start, end, new in sorted(self.edits, reverse=True):
            source = source[:start] + new + source[end:]
        return source


Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source:
    """A source with its tree, and where in its bytes every node stands."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.tree = ast.parse(raw)
        self._starts = [0]
        for line in raw.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of every node."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def span(self, node: Any) -> tuple[int, int]:
        """Return where a node begins and ends."""
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: Any) -> bytes:
        """Return what stands there."""
        start, end = self.span(node)
        return self.raw[start:end]

    def line_start(self, line: int) -> int:
        """Return where a line begins."""
        return self._starts[line - 1]

    def in_string(self, node: ast.AST) -> bool:
        """Whether a node stands within a formatted string, where positions may be wrong."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.JoinedStr):
                return True
        return False

    def function_of(self, node: ast.AST) -> Function | None:
        """Return the innermost function around a node, or ``None``."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return node
        return None

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the innermost class around a node, or ``None``."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.ClassDef):
                return node
        return None


def mutants(raw: bytes, start: int, end: int, lines: list[int]) -> list[Mutant]:
    """Return the mutants of a region in the order in which they are worth a try.

    :param start: first line of the region, from 1; *end* is its last.
    :param lines: of the region, the most suspicious first.
    """
    from pytest_comem.domains.code.inside.expressions import EXPRESSIONS
    from pytest_comem.domains.code.inside.statements import STATEMENTS

    source = Source(raw)
    found: dict[bytes, Mutant] = {}
    place = {line: number for number, line in reversed(list(enumerate(lines)))}
    nodes = [
        node
        for node in ast.walk(source.tree)
        if start <= getattr(node, "lineno", 0) and getattr(node, "end_lineno", end + 1) <= end
        if not source.in_string(node)
    ]
    for node in nodes:
        for find in (*EXPRESSIONS, *STATEMENTS):
            for mutant in find(source, node):
                if all(0 <= first <= last <= len(raw) for first, last, _ in mutant.edits):
                    found.setdefault(mutant.applied(raw), mutant)
    found.pop(raw, None)
    ordered = sorted(
        found.values(),
        key=lambda one: (one.rank, place.get(one.line, len(lines)), one.line, one.edits),
    )
    return ordered[:MOST]


def replaced(source: Source, node: Any, new: bytes, operator: str, rank: int) -> Mutant:
    """Return the mutant that has something else for a node."""
    return Mutant(operator, rank, node.lineno, ((*source.span(node), new),))


def is_read(node: ast.AST) -> bool:
    """Whether a node is an expression whose value is used."""
    return isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


Found = Iterator[Mutant]
