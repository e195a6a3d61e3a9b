"""What tests of servers and databases work on, and how they look for what is left."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from pytest_comem.sandbox.service import Service

#: In what PostgreSQL and SQLite have in common.
ORDERS = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, total NUMERIC(10, 2));
INSERT INTO orders VALUES (1, 'Ada; Ltd', 12.50), (2, 'Bo', 3), (3, 'Cy', NULL);
"""
#: Skips where servers that are named are not there.
Needs = Callable[..., None]


def repository(place: Path) -> None:
    """Make a directory a git repository."""
    subprocess.run(["git", "init", "--quiet", str(place)], check=True)


def processes_with(text: str) -> list[int]:
    """Return the processes of this machine whose command or environment mentions a text."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            try:
                told = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
            except OSError:
                continue
            if text.encode() in told:
                found.append(int(place.name))
    return found


def ended(service: Service) -> None:
    """Kill a service, as something outside might, and wait until it is gone."""
    service.kill()
    until = time.monotonic() + 20
    while not service.is_over():
        assert time.monotonic() < until
        time.sleep(0.01)
