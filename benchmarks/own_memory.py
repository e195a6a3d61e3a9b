"""A pytest plugin that writes down the peak memory of its process, a worker's excepted.

What the operating system tells of a process that has ended is the largest of it and its children.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import pytest


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write MB to the file that the environment names."""
    place = os.environ.get("BENCHMARK_MEMORY")
    if place and not hasattr(config, "workerinput"):
        # In bytes on macOS, in KB elsewhere.
        unit = 1024 * 1024 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
        Path(place).write_text(str(peak))
