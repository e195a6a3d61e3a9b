"""What the domain's modules may know of each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_comem.domains import retrieval

ROOT = Path(retrieval.__file__).parent
WORKER = (
    "contents",
    "documents",
    "reading",
    "relations",
    "searching",
    "spans",
    "tools",
)


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield str(node.module)


@pytest.mark.parametrize("name", [*WORKER, "working", "../choosing"])
def test_no_module_of_the_worker_knows_what_is_hidden(name: str) -> None:
    """Neither oracles and pollution nor the evaluator nor where gold comes from."""
    for module in imported(ROOT / f"{name}.py"):
        assert not any(word in module for word in ("hidden", "evaluating", "families", "pollution"))


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.py")), ids=lambda path: path.stem)
def test_the_generator_is_not_needed_at_run_time(path: Path) -> None:
    """A play reads files; the world behind them is made by whoever ships them."""
    for module in imported(path):
        assert not module.startswith(f"{retrieval.__name__}.corpus")
        assert not module.startswith(f"{retrieval.__name__}.families")
