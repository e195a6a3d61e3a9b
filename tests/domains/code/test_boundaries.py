"""What the domain's modules may know of each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_comem.domains import code

ROOT = Path(code.__file__).parent
WORKER = (
    *("contents", "diffs", "interpreter", "issues", "locating", "regions", "repairing"),
    *("running", "schemas", "scripts", "sources", "toolbox", "tools", "working"),
)


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("name", WORKER)
def test_no_module_of_the_worker_knows_what_is_hidden(name: str) -> None:
    """Neither instances with their patches nor oracles, pollution, the evaluator or gold."""
    hidden = ("hidden", "instances", "shipped", "evaluating", "families", "pollution")
    for module in imported(ROOT / f"{name}.py"):
        assert not any(word in module for word in hidden), module


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.py")), ids=lambda path: path.stem)
def test_the_generator_is_not_needed_at_run_time(path: Path) -> None:
    """A play reads files."""
    for module in imported(path):
        assert not module.startswith(f"{code.__name__}.families")


@pytest.mark.parametrize("path", sorted((ROOT / "inside").glob("*.py")), ids=lambda path: path.stem)
def test_what_runs_inside_knows_nothing_of_the_rest(path: Path) -> None:
    """The standard library, pytest, and each other."""
    for module in imported(path):
        first = module.split(".")[0]
        inside = module.startswith(f"{code.__name__}.inside")
        assert inside or first in ("pytest", "__future__") or first in _standard(), module


def _standard() -> frozenset[str]:
    import sys

    return sys.stdlib_module_names


def test_no_shell_and_no_program_of_the_host_is_used() -> None:
    """Patches and scripts go into the sandbox, and nowhere else."""
    for path in sorted(ROOT.glob("*.py")):
        if path.stem not in ("history",):
            assert not [m for m in imported(path) if m.split(".")[0] in ("subprocess", "pty")]
        assert "shell=True" not in path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            assert getattr(called, "id", "") not in ("exec", "eval", "__import__")
