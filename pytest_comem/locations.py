"""The one place that knows where the shipped suites and fixtures are.

In a wheel they lie inside the package; in a checkout, at the top of the repository.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    inside = _PACKAGE / f"_{name}"
    return inside if inside.is_dir() else _PACKAGE.parent / name


def suites_root() -> Path:
    """Return the directory whose sub-directories are the shipped suites."""
    return _shipped("suites")


def suite_names() -> tuple[str, ...]:
    """Return the names of the shipped suites, sorted."""
    root = suites_root()
    return tuple(sorted(path.name for path in root.iterdir() if any(path.glob("test_*.py"))))


def fixture_path(*parts: str) -> Path:
    """Return the path of something under the shipped fixtures."""
    return _shipped("fixtures").joinpath(*parts)
