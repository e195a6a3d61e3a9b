"""A made stream to be read and broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_streams import make_stream


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Directory of a stream of five tasks, the last three of them scored."""
    return make_stream(tmp_path / "streams", "ada", 5, {3, 4, 5})
