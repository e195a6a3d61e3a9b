"""Python source parsed from many threads at once."""

from __future__ import annotations

import ast
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_comem.domains.parsing import literal, parse_python

#: Deep enough that the parser is in the middle of it when another thread takes over.
NESTED = (
    "x = "
    + "[" * 40
    + "]" * 40
    + "\n"
    + "def f(a=(1, (2, (3,)))):\n    return [b for b in a]\n" * 20
)


def test_threads_do_not_disturb_each_other() -> None:
    """Every thread gets its tree, however often they take turns."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            trees = list(pool.map(lambda _: parse_python(NESTED), range(200)))
    finally:
        sys.setswitchinterval(before)
    wanted = ast.dump(ast.parse(NESTED))
    assert all(tree is not None and ast.dump(tree) == wanted for tree in trees)


@pytest.mark.parametrize("source", ["def", "\0", "(" * 1_000, "x = '\ud800'"])
def test_what_cannot_be_parsed_is_no_tree(source: str) -> None:
    """Whatever stands there, nothing is raised."""
    tree = parse_python(source)
    assert tree is None or isinstance(tree, ast.Module)
    assert parse_python("def") is None


def test_literals_are_read_and_nothing_is_run() -> None:
    """Values come back; anything else is refused."""
    assert literal(" [{'a': 1, 'b': None}] ") == [{"a": 1, "b": None}]
    for text in ("", "f()", "1; 2", "a", "[", "{[]: 1}"):
        with pytest.raises(ValueError, match="literal"):
            literal(text)


def test_a_source_that_another_parser_disturbed_is_parsed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error of interpreters before 3.11.5 is not believed at once."""
    parse, broken = ast.parse, ["AST constructor recursion depth mismatch"] * 3

    def disturbed(source: str) -> ast.Module:
        if broken:
            raise SystemError(broken.pop())
        return parse(source)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert parse_python("x = 1") is not None
    assert not broken
