"""The layers of ARCHITECTURE.md, held against the code's imports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "pytest_comem"
BASE = {
    *("errors", "locations", "options", "ownership", "removal", "secrets", "settings", "stash"),
    *("suggest", "writing"),
}
ALLOWED = {
    "core": set[str](),
    "records": {"core"},
    "workflows": {"core", "records"},
    "streams": {"core", "records"},
    "language": {"core"},
    "datasets": {"core", "language"},
    "llm": {"core"},
    "embedders": {"core", "language", "llm"},
    "endpoint": {"core", "language", "llm", "embedders"},
    "memory": {"core", "language", "llm", "embedders", "endpoint"},
    "sandbox": {"core"},
    "servers": {"core", "sandbox"},
    "contract": {"core", "language", "llm", "embedders", "endpoint", "memory"},
    "models": {"core", "language"},
    "evaluators": {"core", "language", "llm", "datasets"},
    "agents": {"core", "llm", "models"},
    "executors": {"core", "llm", "memory", "records", "workflows", "evaluators", "agents"},
    "domains": {"core", "language", "records", "sandbox", "servers", "workflows", "executors"},
    "office": {"core", "language", "llm", "embedders", "records", "sandbox", "streams"},
    "histories": {"core", "llm", "office", "records", "sandbox", "streams"},
    "engine": {
        *("core", "language", "llm", "datasets", "memory", "models", "agents", "evaluators"),
        *("embedders", "office", "records", "streams", "workflows", "executors"),
    },
    "cleaning": {"core", "engine"},
    "cluster": {"assembly", "core", "engine", "llm", "materials", "memory"},
    "metrics": {"core", "llm", "datasets", "evaluators", "memory", "engine"},
    "baseline": {"core", "engine", "metrics"},
    "gate": {"core", "engine", "metrics", "baseline"},
    "report": {
        *("contract", "core", "llm", "datasets", "evaluators", "memory", "engine", "metrics"),
        *("baseline", "gate"),
    },
}


def imports_of(path: Path) -> set[str]:
    """Return the top-level parts of our package that a module imports at run time or lazily."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pytest_comem"):
            parts = (node.module or "").split(".")
            found.update([parts[1]] if len(parts) > 1 else [alias.name for alias in node.names])
    return found - {"__version__"}


@pytest.mark.parametrize("layer", ALLOWED)
def test_imports_point_downwards(layer: str) -> None:
    """No module of a layer imports a layer above it."""
    for path in sorted((PACKAGE / layer).rglob("*.py")):
        upward = imports_of(path) - ALLOWED[layer] - {layer} - (BASE if layer != "core" else set())
        assert not upward, f"{path.name} imports {sorted(upward)}"


def test_no_module_is_longer_than_500_lines() -> None:
    """Modules stay small."""
    sizes = {path: len(path.read_text("utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert max(sizes.values()) <= 500
