"""What the README promises about options."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_comem.options import OPTIONS, Option

README = Path(__file__).resolve().parents[1] / "README.md"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_option_has_its_line(option: Option) -> None:
    """The README's table names each option with what it takes."""
    row = f"| `{option.usage}` |"
    assert row in README.read_text(encoding="utf-8")
