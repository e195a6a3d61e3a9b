"""One test at a time on a machine that makes or removes what looks like a killed run's."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Wait for every other such test of this user's, also in other processes."""
    fcntl = pytest.importorskip("fcntl", reason="the system has no locks of this kind")
    place = Path(tempfile.gettempdir()) / f"pytest-comem-cleaning-{os.getuid()}.lock"
    with place.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
