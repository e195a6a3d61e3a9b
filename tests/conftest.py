"""What holds for all tests."""

from __future__ import annotations

from typing import Final

import pytest

#: Tests that pytest-xdist hands a worker at once.
_PORTION: Final = 4


def pytest_configure(config: pytest.Config) -> None:
    """Hand out tests in small portions.

    Those that run pytest themselves take seconds and stand together: in one large portion they
    would keep one worker busy long after the others have nothing left.
    """
    if getattr(config.option, "maxschedchunk", _PORTION) is None:
        config.option.maxschedchunk = _PORTION
