"""Where a fault may lie: by what runs execute, or by the words of the issue."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Final

from pytest_comem.domains.code import contents
from pytest_comem.domains.code.diffs import changes
from pytest_comem.domains.code.regions import Region, functions
from pytest_comem.domains.code.running import Runner, Tree
from pytest_comem.domains.parsing import parse_python
from pytest_comem.language.words import stem, words

#: Functions that a localization names, at most.
NAMED: Final = 5


def by_spectrum(
    runner: Runner, tree: Tree, script: str, tests: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the functions whose lines the failing script executes, and few passing tests do."""
    given = {"script": script, "tests": list(tests), "most": NAMED}
    found = runner.driver(tree, "spectrum", given)
    kept = ("file", "function", "start", "end", "score", "lines")
    listed = contents.items(found, "candidates")
    return [{field: each[field] for field in kept} for each in listed]


def by_words(
    tree: Tree, entry_points: Sequence[str], title: str, code: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the functions that an issue names, or that share most words with it."""
    named = {each.rpartition(".")[2] for each in entry_points}
    asked = {stem(word) for text in [title, *code] for word in words(text)}
    found = []
    for path in sorted(tree.files):
        if not is_library(path):
            continue
        source = tree.text(path)
        for one in functions(source):
            lines = source.split("\n")[one.start - 1 : one.end]
            score = _score(one, lines, named, asked)
            if score > 0:
                found.append((-score, path, one.start, one))
    found.sort(key=lambda each: each[:3])
    return [
        {
            "file": path,
            "function": one.name,
            "start": one.start,
            "end": one.end,
            "score": round(-score, 4),
            "lines": [],
        }
        for score, path, _, one in found[:NAMED]
    ]


def is_library(path: str) -> bool:
    """Whether a file is code of the library, and no test."""
    name = path.rpartition("/")[2]
    return (
        path.endswith(".py")
        and not path.startswith("tests/")
        and not name.startswith(("test_", "conftest", "setup"))
    )


def near_tests(tree: Tree, patch: str) -> list[str]:
    """Return the test files that are named after what a patch changes; all where none is."""
    stems = {one.path.rpartition("/")[2].removesuffix(".py") for one in changes(patch)}
    tests = [path for path in sorted(tree.files) if path.startswith("tests/test_")]
    return [path for path in tests if path[11:].removesuffix(".py") in stems] or tests


def _score(one: Region, lines: Sequence[str], named: set[str], asked: set[str]) -> float:
    last = one.name.rpartition(".")[2]
    own = {stem(word) for line in lines for word in words(line)}
    in_name = {stem(word) for part in last.split("_") for word in words(part)}
    shared = len(own & asked) / (1 + len(own))
    return 2.0 * (last in named) + len(in_name & asked) / (1 + len(in_name)) + shared


def hypotheses(source: str, start: int, end: int) -> list[str]:
    """Return what kinds of fault the code of a region could have."""
    tree = parse_python(source)
    if tree is None:
        return []
    found = {
        name
        for node in ast.walk(tree)
        if start <= getattr(node, "lineno", 0) <= end
        for kind, name in _KINDS
        if isinstance(node, kind)
    }
    return sorted(found)


_KINDS: Final[tuple[tuple[type[ast.AST], str], ...]] = (
    (ast.Compare, "a comparison that is off at its bound"),
    (ast.BoolOp, "a wrong connective of conditions"),
    (ast.Not, "a condition that is turned round"),
    (ast.BinOp, "arithmetic that is off by one"),
    (ast.Call, "a call that is missing, another, or has its arguments swapped"),
    (ast.Subscript, "an index or a bound of a slice"),
    (ast.Constant, "a wrong constant"),
    (ast.Raise, "an exception of the wrong type"),
    (ast.ExceptHandler, "an exception that is not caught"),
    (ast.Name, "another name of those in scope"),
    (ast.Return, "a case that has to be left early"),
)
