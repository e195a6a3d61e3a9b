"""Hooks for third parties.

A library registers its adapter under a name, so that its users need no class path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_comem.memory.base import MemorySystem


@pytest.hookspec
def pytest_comem_memory_systems() -> Mapping[str, Callable[[], MemorySystem]]:  # type: ignore[empty-body]
    """Return memory systems by name; each value makes a fresh, empty instance."""
