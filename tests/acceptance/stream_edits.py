"""Breaking made streams for tests, and seeing what is said of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.errors import DataError


def edit(path: Path, change: Callable[[Any], object]) -> None:
    """Change a JSON file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def refused(call: Callable[[], object]) -> str:
    """Return the message of the data error that a call raises; it is short and prints."""
    with pytest.raises(DataError) as caught:
        call()
    said = str(caught.value)
    assert len(said) < 600
    assert said.isprintable()
    return said
